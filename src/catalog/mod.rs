//! Channels, catalogs and plans: the contract between analyzer, scheduler and code generation.
//!
//! # Channels
//!
//! Transfers that run together share links, and a link that is asked for more than it has serves
//! all of them badly: on PCIe trees far worse than by a fair share. A *channel* is a set of
//! transfers that never gets there. It names ordered pairs of ranks, each at most once, each with
//! its route and its rate, such that on every directed link the rates of all transfers crossing it
//! add up to no more than the link's capacity. Then every transfer runs at its rate no matter what
//! the others do, so a schedule made of channels can be predicted by adding up times, and its
//! prediction does not rest on how some arbiter shares a link. What is said of links holds for every
//! *resource*: a capacity that several links share, or the memory of a socket, which a transfer
//! without peer access is written to and read from.
//!
//! Five properties follow at once, and the rest of the crate leans on them:
//!
//! - A subset of a channel is a channel. A transfer may end early or start late without harm, and a
//!   planner needs to know the *maximal* channels only: those to which nothing can be added.
//! - Whether a set is a channel is a statement about resources, one sum each. It is not a statement
//!   about pairs of transfers: where a wide link carries two narrow transfers but not three, every
//!   two of them agree and the three do not.
//! - Rules narrow channels further: two routes that must not run together, and places in which only
//!   so many transfers run at once. Subsets keep both, so all that is said here holds with them.
//! - What a resource has may depend on how many share it: a profile gives, for a link and a mode, what
//!   it offers to `n` transfers of that mode, [`offered`]. More transfers are offered no more in all, so
//!   that subsets still keep what holds, and everything is said with the number in place.
//! - In a *strict* channel every transfer runs at its solo rate, the least capacity on its way or the
//!   cap of its class.
//!
//! Strict channels waste what is no multiple of a rate: a socket link of 40 GB/s carries one
//! transfer of 25. In a *two-rate* channel a transfer may also be *paced*, to the even share of a
//! resource on its way that is wider than its solo rate: two transfers at 20 fill that link. A paced
//! rate is `floor(capacity / ceil(capacity / solo))`, so there are finitely many. Such a channel is
//! maximal when nothing can be added and no transfer can run faster.
//!
//! # Symmetry
//!
//! A machine of eight equal cards has thousands of maximal channels, most of which are the same one
//! with the cards renamed. A *symmetry* is a permutation of all devices that keeps what a device
//! is (whether it is a rank, its memory, the parts whose rules hold for it), every directed link
//! with its capacity, every joint capacity, and between ranks the kinds and rates of the routes. A pair
//! has one route of its own, with the fewest links, so that a symmetry that keeps links takes own
//! routes to own routes, and with them what rules keep apart; this is checked for every generator, not
//! assumed. It takes channels to channels and maximal ones to maximal ones, because sums over links are
//! only renamed.
//!
//! A pair may have further routes, over network cards back into the node. A channel has a pair at most
//! once, over whichever route: the routes of a pair exclude each other as if a rule kept them apart.
//! Which of its routes a transfer takes is not said by its ranks any more, so that each route is then a
//! vertex of the structure whose automorphisms are sought, tied to its ends and to the devices by which
//! the routes of the pair differ; a symmetry takes a route to the one of the image pair that passes the
//! images of the devices, or is none.
//!
//! Channels that symmetries take to each other form a family, an *orbit*. The catalog stores one
//! member of each, generators of the group, and the size of each family, which is the order of the
//! group over the order of the subgroup that keeps the member as it is. Every other channel is
//! named by its orbit and an element of the group ([`ChannelName`]): rank `r` of the representative
//! plays as `element[r]`. Several elements may do; which one is chosen carries no meaning.
//!
//! What symmetry must not do is leave out what a channel depends on. Latencies may differ between
//! exchangeable links, since no rate depends on them; capacities may not. Two cards of different
//! make at equal links are exchangeable: what they compute is not the catalog's matter.
//!
//! # What must hold
//!
//! [`check`] proves a catalog in release builds too: generators preserve the machine; every
//! representative fits every link and is maximal; no two are images of each other; order, sizes and
//! sums are right. Families are `complete` when they are all there are, otherwise bounded: then a maximal channel may
//! lie outside, and the check of its links is all the proof it has.
//!
//! Of several nodes the catalog is a [`ClusterCatalog`], made of catalogs of single nodes; its module's
//! essay says how.

mod bound_link;
mod bounds;
mod check;
mod cluster;
mod dual;
mod fit;
mod locate;
mod plan;
mod plan_json;
pub mod symmetry;
mod types;

pub use bounds::{BoundTables, bounds};
pub use check::{CatalogFault, check};
pub use cluster::{
    ClusterCatalog, Core, Move, NodeGroup, NodeRun, NodeTemplate, PortFamily, check_cluster,
};
pub use dual::DualWeights;
pub use fit::{Filling, Fit, Paces};
pub use locate::{Locator, Palette, canonical_channel, drawing, quick_form, structure};
pub use plan::{Bounds, ChannelName, Piece, Plan, Step};
pub use plan_json::{
    BoundsDocument, ChannelDocument, OrbitDocument, PieceDocument, PlanDocument, PlanFormatError,
    StepDocument, plan_document,
};
pub use types::{
    Catalog, Channel, ChannelLimit, ChannelOrbit, Families, JointCapacity, JointOf, LinkEfficiency,
    PlannedRoute, StructureEdge, StructureVertex, Transfer, offered,
};
