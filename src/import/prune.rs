//! What stays of a full forest: devices of an exchange and what they hang on.

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
}
