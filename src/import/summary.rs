//! The facts of a matrix of `topo -m`.

use super::label::PairLabel;
use super::layout::Layout;
use super::matrix::Matrix;

/// The facts of a `topo -m` matrix and the place that each device got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Names of the GPUs, in the order of `g`.
    pub gpus: Vec<String>,
    /// Names of the network card ports as the legend gives them, else as the column does.
    pub nics: Vec<String>,
    /// The label of each pair, GPUs first, then cards.
    pub labels: Vec<Vec<PairLabel>>,
    /// `CPU Affinity` of each GPU; `None` for a missing column, an empty cell or N/A.
    pub cpus: Vec<Option<String>>,
    /// `NUMA Affinity` of each GPU, likewise.
    pub numa: Vec<Option<String>>,
    /// `GPU NUMA ID` of each GPU, likewise.
    pub gpu_numa: Vec<Option<String>>,
    /// The number of sockets, one added for far cards included.
    pub sockets: usize,
    /// The socket of each device, GPUs first, then cards.
    pub socket_of: Vec<usize>,
    /// The number of switches, upstream ones included.
    pub switches: usize,
}

impl Summary {
    /// What `matrix` says and `layout` made of it.
    pub(super) fn new(matrix: &Matrix, layout: &Layout) -> Self {
        let (gpus, nics) = matrix.devices.split_at(matrix.gpus);
        Self {
            gpus: gpus.iter().map(|gpu| gpu.name.clone()).collect(),
            nics: nics.iter().map(|n| n.legend.as_ref().unwrap_or(&n.name).clone()).collect(),
            labels: matrix.labels.clone(),
            cpus: gpus.iter().map(|gpu| gpu.cpus.clone()).collect(),
            numa: gpus.iter().map(|gpu| gpu.numa.clone()).collect(),
            gpu_numa: gpus.iter().map(|gpu| gpu.gpu_numa.clone()).collect(),
            sockets: layout.sockets,
            socket_of: layout.socket_of.clone(),
            switches: layout.switches.len() + layout.upstream.len(),
        }
    }
}
