//! The catalog of several nodes: templates of nodes, and what lies between them.
//!
//! A cluster has too many pairs for a list of routes, and far too many channels for a list of those.
//! What its nodes are like is said once. A [`NodeTemplate`] is the catalog of one node in which each
//! network transfer is cut in two: a half-route from a GPU to a *port*, the far end of a card's link
//! out of the node, and one from a port to a GPU. A set of transfers is a channel when
//!
//! - in each node the part of it that lies there, halves included, is contained in a channel of the
//!   node's template: that is a statement about the resources of that node alone, and
//! - what it takes between fabrics fits there: nothing is shared between the ports of one fabric, and
//!   the few links between fabrics are checked one by one.
//!
//! Both halves of a transfer run at one rate. So the channels of a cluster are those of its nodes,
//! joined by a matching of egress halves with ingress halves, and the storage does not grow with the
//! number of nodes.
//!
//! # Symmetry
//!
//! Let K be the group of a node's symmetries that leave every place of the core alone. Nodes of one
//! [`NodeGroup`] look alike from every such place, so they may be exchanged, each may be turned by
//! its own K, and all that without moving the core: the wreath product of K with the permutations
//! of the m nodes, of order |K|^m m!. Symmetries that move places of the core (rails that are equal
//! to each other) map groups of nodes to groups of as many, equal nodes. Whether a permutation of
//! places extends to a symmetry can therefore be seen on a *reduced* machine with a single node of
//! each group, coloured by the number of nodes in the group; its own symmetries that leave the core
//! alone are one K for each group. So the order of the whole is
//! |Aut(reduced)| times the product over the groups of |K|^(m-1) m!.

mod check;
mod family;
mod types;

pub use check::check_cluster;
pub use types::{ClusterCatalog, Core, Move, NodeGroup, NodeRun, NodeTemplate, PortFamily};
