//! Which routes the kernels of this version do not carry out.

use crate::base::{Initiator, Mode, RouteClass};
use crate::diagnostics::Diagnostic;
use crate::topology::{Abilities, Route, Rule, Topology};

/// What the kernels carry out.
pub const KERNELS: Abilities = Abilities {
    classes: &[RouteClass::Direct, RouteClass::Switch, RouteClass::Socket, RouteClass::Cross],
    modes: &[Mode::Push],
    initiators: &[Initiator::Kernel],
};

/// What is lost when kernels carry out the routes of `carried` in place of those of `topology`, which
/// are the same but for modes and initiators; nothing where they are the same in those too.
#[must_use]
pub fn second_best(topology: &Topology, carried: &Topology) -> Option<Diagnostic> {
    let both = topology.routes.iter().zip(&carried.routes);
    let kind = |route: &Route| (route.mode, route.initiator);
    let mut others = both.filter(|(best, used)| kind(best) != kind(used));
    let (best, used) = others.next()?;
    let pairs = 1 + others.count();
    let path =
        |rank: crate::base::Rank| &topology.vertices[topology.ranks[rank.index()].index()].path;
    let message = format!(
        "{} -> {} is a {} by {}, where a {} by {} would be better ({pairs} of {} pairs): that is \
         all that the kernels of this version do",
        path(used.src),
        path(used.dst),
        used.mode,
        used.initiator,
        best.mode,
        best.initiator,
        topology.routes.len()
    );
    Some(Diagnostic::note("second-best-route", message).help(BETTER))
}

/// Why no kernels are emitted for `topology`, whose plans may be fine; nothing where
/// [`super::emit`] takes it.
#[must_use]
pub fn unsupported(topology: &Topology) -> Option<Diagnostic> {
    let carried_out = |route: &Route| KERNELS.carry_out(route.class, route.mode, route.initiator);
    let mut others = topology.routes.iter().filter(|route| !carried_out(route));
    let first = others.next()?;
    let pairs = 1 + others.count();
    let path =
        |rank: crate::base::Rank| &topology.vertices[topology.ranks[rank.index()].index()].path;
    let (src, dst) = (path(first.src), path(first.dst));
    let of = topology.routes.len();
    if first.class == RouteClass::Loopback {
        let message = format!(
            "{src} -> {dst} may go over network cards back into the node, which the kernels of this \
             version do not"
        );
        return Some(Diagnostic::unsupported("unsupported-route", message));
    }
    if first.class != RouteClass::Bounce {
        let message = format!(
            "{src} -> {dst} is a {} by {} ({pairs} of {of} pairs are no pushes by kernel), and the \
             kernels of this version only push",
            first.mode, first.initiator
        );
        return Some(Diagnostic::unsupported("unsupported-route", message).help(PLANNED));
    }
    let rule = topology
        .rules
        .iter()
        .find(|placed| matches!(placed.rule, Rule::Peer { nic: false, .. } | Rule::Forbid { .. }));
    let message = format!(
        "{src} -> {dst} has no peer access ({pairs} of {of} pairs), and the kernels of this version \
         do not go through host memory"
    );
    Some(
        Diagnostic::unsupported("unsupported-route", message)
            .at(rule.and_then(|placed| placed.span), "by this rule")
            .help(
                "where `nvidia-smi topo -p2p w` says that the driver allows peer access, change \
                 the rule",
            )
            .help(PLANNED),
    )
}

const PLANNED: &str = "`variopath plan` plans the exchange without kernels";

const BETTER: &str = "`variopath plan` plans the exchange with the better ones";
