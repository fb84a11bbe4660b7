//! What a survey consists of.

use crate::base::{BusId, Bytes, BytesPerSecond, DeviceKind, Nanos, Rank};
use crate::topology::uniform::Load;
use crate::topology::{Resource, Topology};
use serde::Serialize;
use std::collections::BTreeMap;

/// What `check` shows of a machine. It is made of sound machines and of those that no topology can
/// be built from, with unknown rates too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// The name in the header.
    pub name: String,
    /// The number of nodes with GPUs.
    pub nodes: usize,
    /// The number of sockets.
    pub sockets: usize,
    /// The number of switches.
    pub switches: usize,
    /// The number of GPUs.
    pub gpus: usize,
    /// The number of NICs.
    pub nics: usize,
    /// The number of fabrics.
    pub fabrics: usize,
    /// The GPUs by model and architecture.
    pub gpu_kinds: Vec<GpuKind>,
    /// The nodes with GPUs, those that are alike together.
    pub node_kinds: Vec<NodeKind>,
    /// The devices as a tree, each before what hangs on it: sockets first, then what no socket
    /// reaches. Fabrics are left out.
    pub tree: Vec<Entry>,
    /// The links that are not part of the tree: between sockets, to fabrics, second ways.
    pub links: Vec<Figure>,
    /// What two or more GPUs share.
    pub shared: Vec<SharedUplink>,
    /// Which pairs have no peer access.
    pub peers: PeerSurvey,
    /// The assumed figures, links with the same figure together.
    pub assumed: Vec<Figure>,
    /// The unknown figures, links of one statement together.
    pub unknown: Vec<Figure>,
    /// The rules in force, equal ones together.
    pub rules: Vec<RuleLine>,
    /// What holds because the machine does not say otherwise.
    pub defaults: Vec<String>,
    /// What bounds a uniform exchange; nothing for one GPU, and where a rate that it needs is
    /// unknown.
    pub limit: Option<Limit>,
}

/// GPUs of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GpuKind {
    /// How many.
    pub count: usize,
    /// Marketing name, where known.
    pub model: Option<String>,
    /// Compute architecture, where known.
    pub arch: Option<String>,
}

/// Nodes that are alike: the same devices in the same order with the same links and figures. Names,
/// bus ids and rules may differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeKind {
    /// The nodes, ascending, by the number that tree entries have; the first one stands for all.
    pub nodes: Vec<usize>,
    /// What they are called, in the same order: `h[0]`, `h[1]`.
    pub names: Vec<String>,
    /// The ranks of their GPUs, node by node.
    pub ranks: Vec<usize>,
    /// How many devices of each kind one of them has.
    pub devices: BTreeMap<DeviceKind, usize>,
}

/// A device of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// How many devices are above it.
    pub depth: usize,
    /// Its path.
    pub path: String,
    /// What it is.
    pub kind: DeviceKind,
    /// Its rank, for a GPU that has one.
    pub rank: Option<usize>,
    /// Compute architecture, marketing name and PCI bus id, as far as known.
    pub details: Vec<String>,
    /// PCI bus id.
    pub bus: Option<BusId>,
    /// The link to the device above; nothing at the top.
    pub uplink: Option<Figure>,
    /// The node that it belongs to.
    pub node: Option<usize>,
}

/// What one or several links are worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// The links as the language writes them, or a socket's memory; at least one.
    pub of: Vec<String>,
    /// Payload bytes a second in each direction; nothing when unknown.
    pub bytes_per_second: Option<BytesPerSecond>,
    /// Delay of the first byte in nanoseconds.
    pub latency_ns: u64,
    /// Why it is assumed, perhaps without a reason; nothing when it is not.
    pub assumed: Option<String>,
    /// The node within which a link outside of the tree lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
}

/// A link or joint capacity that several GPUs share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedUplink {
    /// The link as the language writes it, or the name of the joint capacity.
    pub link: String,
    /// The GPUs behind it, or whose transfers to other nodes use it; empty where neither tells.
    pub gpus: Vec<String>,
    /// How many GPUs share it: those behind it, else the most that send over one direction of a link;
    /// at least 2.
    pub users: usize,
    /// What it is worth, in each direction of a link; nothing when unknown.
    pub bytes_per_second: Option<BytesPerSecond>,
    /// What is left to each of the users when all send at once, rounded down.
    pub bytes_per_second_each: Option<BytesPerSecond>,
    /// Whether it is one capacity over several directions.
    pub joint: bool,
    /// The node that it belongs to.
    #[serde(skip)]
    pub node: Option<usize>,
}

/// Ordered pairs of GPUs by whether they have peer access.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PeerSurvey {
    /// All pairs.
    pub pairs: usize,
    /// Pairs on one switch that go through host memory.
    pub within_switch: usize,
    /// Other pairs on one socket that do.
    pub within_socket: usize,
    /// Pairs on different sockets of a node that do.
    pub across: usize,
    /// GPUs that reach a network card of theirs through host memory only.
    pub gpus_without_gpudirect: Vec<String>,
}

/// Rules that say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleLine {
    /// What they say; names are those within the part.
    pub text: String,
    /// The parts of the machine that they hold in; empty for the whole machine.
    pub parts: Vec<String>,
    /// Their positions among the machine's rules; empty for a joint capacity.
    #[serde(skip)]
    pub rules: Vec<usize>,
    /// Whether plans keep to it; nothing where that has not been asked.
    pub planned: Option<bool>,
}

/// What bounds an exchange in which every GPU sends the same to every other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// What each GPU sends to each other.
    pub bytes_each: Bytes,
    /// The ordered pairs.
    pub pairs: u64,
    /// The load bound, in nanoseconds, rounded down: what the fullest resource needs.
    pub t_star_ns: Nanos,
    /// What it takes at least, rounded down: the load bound, or more where a cap holds a pair back.
    pub at_least_ns: Nanos,
    /// The resource or the pair that needs as long as that.
    pub critical: String,
    /// The rate of the pair that a cap holds back.
    pub capped: Option<BytesPerSecond>,
    /// The pairs that take the critical resource.
    pub crossing: u64,
    /// What each GPU sends at most on average, in bytes per second.
    pub bytes_per_second_of_rank: u64,
    /// On how many assumed values routes rest.
    pub assumed: usize,
    /// Whether pairs with several routes are taken to split their bytes evenly.
    pub splits: bool,
}

impl Limit {
    pub(super) fn new(topology: &Topology, load: Load) -> Option<Self> {
        let known =
            |(&bytes, resource): (&u128, &Resource)| bytes == 0 || resource.capacity.is_some();
        if !load.bytes.iter().zip(&topology.resources).all(known) {
            return None;
        }
        let splits = load.splits;
        let limit = load.limit(topology)?;
        let path = |rank: Rank| {
            let gpu = topology.ranks[rank.index()];
            topology.vertices[gpu.index()].path.as_str()
        };
        let (critical, crossing, capped) = match limit.alone {
            Some((src, dst, _)) => {
                let rate = topology.routes_between(src, dst).map(|route| route.rate).max();
                (format!("{} -> {}", path(src), path(dst)), 1, rate)
            }
            None => (limit.name.clone(), limit.crossing[limit.critical.index()], None),
        };
        Some(Self {
            bytes_each: limit.bytes,
            pairs: limit.pairs,
            t_star_ns: limit.time.nanos_down(),
            at_least_ns: limit.at_least().nanos_down(),
            critical,
            capped,
            crossing,
            bytes_per_second_of_rank: limit.rate_of_rank(topology.ranks.len()),
            assumed: topology.assumed,
            splits,
        })
    }
}

impl Survey {
    /// Notes which rules plans keep to; `refused` are positions among the machine's rules.
    pub fn tell_planned(&mut self, refused: &[usize]) {
        for line in self.rules.iter_mut().filter(|line| !line.rules.is_empty()) {
            line.planned = Some(!line.rules.iter().any(|rule| refused.contains(rule)));
        }
    }
}
