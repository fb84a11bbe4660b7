//! Processors to sockets.

use super::types::{Grounds, Socket};
use crate::import::inventory::Inventory;

/// The sockets and which one each processor belongs to.
#[derive(Debug, Clone)]
pub struct Sockets {
    pub sockets: Vec<Socket>,
    of_processor: Vec<usize>,
}

impl Sockets {
    /// Processors with one physical socket are one socket; others a socket each.
    pub fn new(inventory: &Inventory) -> Self {
        let mut sockets: Vec<Socket> = Vec::new();
        let mut of_processor = Vec::new();
        for (index, processor) in inventory.processors.iter().enumerate() {
            let same = |socket: &Socket| {
                let first = socket.processors.first().map(|first| &inventory.processors[*first]);
                processor.socket.is_some() && first.is_some_and(|p| p.socket == processor.socket)
            };
            if let Some(position) = sockets.iter().position(same) {
                sockets[position].processors.push(index);
                of_processor.push(position);
                continue;
            }
            let grounds =
                if processor.socket.is_some() { Grounds::Told } else { Grounds::NumaNode };
            sockets.push(Socket { processors: vec![index], grounds });
            of_processor.push(sockets.len() - 1);
        }
        Self { sockets, of_processor }
    }

    /// The socket of a processor.
    pub fn of(&self, processor: usize) -> usize {
        self.of_processor[processor]
    }

    /// The socket for devices that hang on no processor of the dump: that of their NUMA node, the
    /// only one there is, or one added for them.
    pub fn for_loose(&mut self, inventory: &Inventory, numa: Option<u32>) -> usize {
        let told = |socket: &Socket| {
            numa.is_some_and(|numa| {
                socket.grounds == Grounds::Numa(numa)
                    || socket
                        .processors
                        .iter()
                        .any(|&p| inventory.processors[p].numa.contains(&numa))
            })
        };
        if let Some(position) = self.sockets.iter().position(told) {
            return position;
        }
        let grounds = numa.map_or(Grounds::Nothing, Grounds::Numa);
        let alone = numa.is_none() && self.sockets.len() == 1;
        let added = |socket: &Socket| socket.grounds == grounds;
        if alone || (numa.is_none() && self.sockets.iter().any(added)) {
            return self.sockets.iter().position(added).unwrap_or(0);
        }
        self.sockets.push(Socket { processors: Vec::new(), grounds });
        self.sockets.len() - 1
    }
}
