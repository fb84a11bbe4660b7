//! What stays of a full forest: devices of an exchange, what they hang on, and what both ends of a
//! link are able to.

use super::inventory::{Above, FunctionKind, Inventory};

impl Inventory {
    /// Drops what no GPU, NIC or switch of GPU links hangs on: disks, audio, empty ports.
    pub fn prune(&mut self) {
        let mut keep = vec![false; self.functions.len()];
        // What a function hangs on stands before it, so one pass from behind reaches every root.
        for index in (0..self.functions.len()).rev() {
            let function = &self.functions[index];
            keep[index] |= matches!(
                function.kind,
                FunctionKind::Gpu | FunctionKind::Nic | FunctionKind::NvSwitch
            );
            if let (true, Above::Function(above)) = (keep[index], function.above) {
                keep[above] = true;
            }
        }
        let mut count = 0;
        let places: Vec<usize> = keep
            .iter()
            .map(|kept| {
                count += usize::from(*kept);
                count.saturating_sub(1)
            })
            .collect();
        let mut at = 0;
        self.functions.retain_mut(|function| {
            at += 1;
            if let Above::Function(above) = &mut function.above {
                *above = places[*above];
            }
            keep[at - 1]
        });
        for link in &mut self.gpu_links {
            link.from = places[link.from];
            link.to = link.to.map(|to| places[to]);
        }
    }

    /// Whether each function is a port that faces down: a root port or the lower port of a switch.
    /// In a full tree ports that face up and down take turns below a host bridge.
    #[must_use]
    pub fn faces_down(&self) -> Vec<bool> {
        let mut faces_down = vec![false; self.functions.len()];
        for (index, function) in self.functions.iter().enumerate() {
            faces_down[index] = function.kind == FunctionKind::Bridge
                && match function.above {
                    Above::Function(above) => !faces_down[above],
                    _ => true,
                };
        }
        faces_down
    }

    /// Where each function tells its own end of a link only, the port above it bounds what the link
    /// is able to. A port that faces down tells of the link below it.
    pub fn bound_links(&mut self) {
        let faces_down = self.faces_down();
        let least = |a: Option<u32>, b: Option<u32>| [a, b].into_iter().flatten().min();
        for index in 0..self.functions.len() {
            let Above::Function(above) = self.functions[index].above else { continue };
            if !faces_down[above] {
                continue;
            }
            let port = self.functions[above].link.capable;
            let capable = &mut self.functions[index].link.capable;
            capable.generation = least(capable.generation, port.generation);
            capable.width = least(capable.width, port.width);
        }
    }
}
