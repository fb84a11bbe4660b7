//! The plan of one call.

use crate::base::{Bytes, BytesPerSecond, Digest, LinkId, OrbitId, Picos, PieceId, Rank, RouteId};

/// What is transferred when. Pieces tile every pair's demand exactly; pieces that share a link and
/// overlap in time fit on it together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The digest of the topology it was made for.
    pub digest: Digest,
    /// The number of ranks.
    pub ranks: u32,
    /// All bytes of the demand, the diagonal included.
    pub bytes: Bytes,
    /// In order of (start, source, destination); a piece's id is its position.
    pub pieces: Vec<Piece>,
    /// One a distinct start, in order.
    pub steps: Vec<Step>,
    /// When the last piece ends.
    pub makespan: Picos,
    /// What no strict plan can beat.
    pub bounds: Bounds,
}

/// A run of bytes of one pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// From.
    pub src: Rank,
    /// To.
    pub dst: Rank,
    /// The way.
    pub route: RouteId,
    /// Where it begins within the pair's own bytes.
    pub offset: Bytes,
    /// How long it is; at least 1.
    pub bytes: Bytes,
    /// How fast it runs.
    pub rate: BytesPerSecond,
    /// Planned start.
    pub start: Picos,
    /// Planned end.
    pub end: Picos,
    /// The pieces that must end before it starts: the transitive reduction, ascending.
    pub after: Vec<PieceId>,
}

/// An instant at which pieces start, with everything that runs then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The instant.
    pub start: Picos,
    /// The pieces that start, ascending.
    pub starts: Vec<PieceId>,
    /// The maximal channel that contains the pieces running then. `None` until named.
    pub channel: Option<ChannelName>,
}

/// A channel by its family and the group element that maps the representative onto it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelName {
    /// The family; `None` for a channel outside a bounded catalog (`online`).
    pub orbit: Option<OrbitId>,
    /// Where the element sends each rank: rank `r` of the representative plays as `element[r]`.
    /// The identity for `online`.
    pub element: Vec<Rank>,
}

/// Lower bounds on any plan of the same demand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The largest bytes / capacity over resources, and bytes / solo rate over pairs, rounded down.
    pub t_star: Picos,
    /// The largest exact time over single links of the transfers that cross it, each at its solo
    /// rate, rounded down. Valid for strict plans; at least `t_star`.
    pub t_eff: Picos,
    /// The link that `t_eff` belongs to, of several that which offers least; `None` when nothing
    /// crosses a link.
    pub critical_link: Option<LinkId>,
    /// The pair that needs `t_eff` alone, since a cap makes it slower than its resources; then the
    /// critical link is the narrowest on its way, which needs less for what it carries. `None` where
    /// a resource holds the exchange back.
    pub alone: Option<(Rank, Rank)>,
}
