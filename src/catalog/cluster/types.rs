//! The types of a cluster's catalog.

use crate::base::{Digest, Rank};
use crate::catalog::{Catalog, JointCapacity, StructureEdge};
use serde::{Deserialize, Serialize};

/// What the analyzer found out about a machine of several nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterCatalog {
    /// The topology's name.
    pub topology: String,
    /// The topology's digest.
    pub digest: Digest,
    /// The number of ranks of all nodes.
    pub ranks: u32,
    /// What nodes are like, in the order of their first nodes.
    pub templates: Vec<NodeTemplate>,
    /// The nodes, in their order, equal ones in a row written once.
    pub runs: Vec<NodeRun>,
    /// What lies between nodes.
    pub core: Core,
    /// Nodes that may be exchanged for each other while all fabrics stay where they are. They and
    /// `moves` generate the group.
    pub groups: Vec<NodeGroup>,
    /// Symmetries that move fabrics, and with them groups of nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// The order of the group of permutations of all devices, in decimal.
    pub order: String,
    /// The number of orbits of ordered pairs of ranks.
    pub pair_orbits: u64,
    /// The channels between nodes as a rule, where the machine is regular.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<PortFamily>,
}

/// A node with its half of every network transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeTemplate {
    /// The node's own routes and the halves of network routes: from a GPU to a port, and from a port
    /// to a GPU. A port is the far end of a card's link out of the node; ends beyond
    /// [`Catalog::ranks`] are ports.
    pub catalog: Catalog,
}

/// Nodes in a row that differ by their ranks only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRun {
    /// Position in [`ClusterCatalog::templates`].
    pub template: u32,
    /// How many nodes; at least 1.
    pub nodes: u32,
    /// The ranks of the first node, in the order of the template's.
    pub ranks: Vec<Rank>,
    /// What each next node adds to them.
    pub step: u32,
    /// For each port of the template the place in the core that it leads to: a fabric, or what lies
    /// beyond them (see [`Core::places`]).
    pub places: Vec<u32>,
}

/// What lies between nodes: fabrics, and links straight from card to card, each a place that ports
/// lead to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Core {
    /// The paths of fabrics, and after them the links from card to card of other nodes.
    pub places: Vec<String>,
    /// The directed links between fabrics; `from` and `to` are positions in `places`. A transfer
    /// takes the way with the fewest of them, which is the only one of its length.
    pub links: Vec<StructureEdge>,
    /// Capacities that several of those links share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointCapacity>,
}

/// Nodes of which any two may be exchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeGroup {
    /// Position in [`ClusterCatalog::templates`]; nothing for nodes without a rank.
    pub template: Option<u32>,
    /// How many nodes.
    pub nodes: u32,
    /// The order of the group of a single node's symmetries that leave the core alone, in decimal.
    pub order: String,
}

/// A symmetry that moves fabrics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Place `p` of the core goes to `places[p]`.
    pub places: Vec<u32>,
    /// The nodes of group `g` go to those of `groups[g]`.
    pub groups: Vec<u32>,
}

/// Channels between nodes by a rule: in phase `(a, b, x, y)` card `j` of node `i` sends from its GPU
/// `x` to GPU `y` of card `j + b` of node `i + a`, all cards at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortFamily {
    /// The number of nodes; at least 2.
    pub nodes: u32,
    /// For each port of the template the ranks of the template that use it, all equally many.
    pub ports: Vec<Vec<Rank>>,
}
