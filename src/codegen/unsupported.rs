//! Which routes the kernels of this version do not carry out.

use crate::base::{Initiator, Mode, RouteClass};
use crate::diagnostics::Diagnostic;
use crate::topology::{Rule, Topology};

/// Whether the kernels carry out routes of this kind.
pub(super) fn is_carried_out(class: RouteClass, mode: Mode, initiator: Initiator) -> bool {
    let local = matches!(
        class,
        RouteClass::Direct | RouteClass::Switch | RouteClass::Socket | RouteClass::Cross
    );
    local && mode == Mode::Push && initiator == Initiator::Kernel
}

/// Why no kernels are emitted for `topology`, whose plans may be fine; nothing where
/// [`super::emit`] takes it.
#[must_use]
pub fn unsupported(topology: &Topology) -> Option<Diagnostic> {
    let mut others = (topology.routes.iter())
        .filter(|route| !is_carried_out(route.class, route.mode, route.initiator));
    let first = others.next()?;
    let pairs = 1 + others.count();
    let path =
        |rank: crate::base::Rank| &topology.vertices[topology.ranks[rank.index()].index()].path;
    let (src, dst) = (path(first.src), path(first.dst));
    let of = topology.routes.len();
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
