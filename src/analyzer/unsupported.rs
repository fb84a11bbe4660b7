//! What a machine has that this version does not plan with. It is refused, never ignored; but what
//! cannot change a plan of the machine at hand is let through: rules of modes in which nothing is
//! moved, and rules of network cards in a single node, make no difference.

use crate::base::{LinkId, RouteClass, Span, VertexId};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::topology::{PlacedRule, Route, Rule, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// The code of the diagnostics that refuse a rule.
pub const UNSUPPORTED_RULE: &str = "unsupported-rule";

/// The most ranks of an exchange that is planned.
pub const MAX_RANKS: usize = 16;
/// The most ranks of a node whose channels are sought.
pub const MAX_NODE_RANKS: usize = 64;

/// The way out of what only a profile says.
const SETTING: &str = "`--setting ideal` plans as if links lost nothing and nothing cost any time";

/// The way out of a rule over several nodes.
const NODES: &str = "write the rule inside the part that a node is made of: there it speaks of the transfers within one node";

/// Something that this version does not carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Refusal {
    /// One GPU has nobody to exchange with.
    OneRank { gpu: VertexId },
    /// More ranks than supported.
    TooManyRanks { ranks: usize },
    /// A node with more ranks than channels are sought for, and its first GPU.
    CrowdedNode { ranks: usize, gpu: VertexId },
    /// GPUs in more than one node; a GPU of each of the first two.
    SeveralNodes { nodes: usize, first: VertexId, second: VertexId },
    /// A rule.
    Rule { index: usize },
    /// A link on a route with a latency.
    Latency { link: LinkId },
}

/// What a rule is too much for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Plans alone; the analysis is not touched by it.
    Plans,
    /// The analysis, and with it plans.
    Analysis,
}

/// The rules (positions among those of the topology) that plans do not keep to.
#[must_use]
pub fn refused_rules(topology: &Topology) -> Vec<usize> {
    (0..topology.rules.len()).filter(|&index| matters(topology, index).is_some()).collect()
}

/// Everything in `topology` that this version does not analyze; nothing where [`super::analyze`]
/// takes it.
#[must_use]
pub fn unsupported(topology: &Topology) -> Diagnostics {
    refusals(topology, Stage::Analysis).iter().map(|refusal| refusal.diagnose(topology)).collect()
}

/// Everything in `topology` that this version does not plan with: what is not analyzed, and what
/// only plans do not keep to.
#[must_use]
pub fn unplanned(topology: &Topology) -> Diagnostics {
    let mut refusals = refusals(topology, Stage::Plans);
    // One of the resources of a statement stands for all.
    let mut places = BTreeSet::new();
    let taken: BTreeSet<LinkId> = topology.routes.iter().flat_map(Route::takes).collect();
    for id in taken {
        let resource = &topology.resources[id.index()];
        let place = resource.span.ok_or(resource.link());
        if resource.latency.0 > 0 && places.insert(place) {
            refusals.push(Refusal::Latency { link: id });
        }
    }
    refusals.iter().map(|refusal| refusal.diagnose(topology)).collect()
}

/// Whether ranks are in several nodes: then [`super::analyze_cluster`] takes the machine.
#[must_use]
pub fn is_cluster(topology: &Topology) -> bool {
    let mut nodes = topology.ranks.iter().map(|gpu| topology.vertices[gpu.index()].node);
    let first = nodes.next();
    nodes.any(|node| Some(node) != first)
}

/// As [`unsupported`], for what takes single nodes only.
pub(super) fn unsupported_node(topology: &Topology) -> Diagnostics {
    let mut found = refusals(topology, Stage::Analysis);
    let several = |refusal: &Refusal| matches!(refusal, Refusal::SeveralNodes { .. });
    found.extend(of_ranks(topology, Stage::Plans).filter(several));
    found.iter().map(|refusal| refusal.diagnose(topology)).collect()
}

/// What is too much for a stage.
fn refusals(topology: &Topology, stage: Stage) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    refusals.extend(of_ranks(topology, stage));
    let rules = (0..topology.rules.len())
        .filter(|&index| matters(topology, index).is_some_and(|of| of >= stage));
    refusals.extend(rules.map(|index| Refusal::Rule { index }));
    refusals
}

fn of_ranks(topology: &Topology, stage: Stage) -> Option<Refusal> {
    let node = |gpu: VertexId| topology.vertices[gpu.index()].node;
    let (&first, rest) = topology.ranks.split_first()?;
    if rest.is_empty() {
        return Some(Refusal::OneRank { gpu: first });
    }
    let mut crowds: BTreeMap<_, (usize, VertexId)> = BTreeMap::new();
    for &gpu in &topology.ranks {
        crowds.entry(node(gpu)).or_insert((0, gpu)).0 += 1;
    }
    let crowded = crowds.values().find(|(ranks, _)| *ranks > MAX_NODE_RANKS);
    if let Some(&(ranks, gpu)) = crowded {
        return Some(Refusal::CrowdedNode { ranks, gpu });
    }
    if stage == Stage::Analysis {
        return None;
    }
    if let Some(&second) = rest.iter().find(|&&gpu| node(gpu) != node(first)) {
        return Some(Refusal::SeveralNodes { nodes: crowds.len(), first, second });
    }
    let ranks = topology.ranks.len();
    (ranks > MAX_RANKS).then_some(Refusal::TooManyRanks { ranks })
}

/// What a rule is too much for, where it could change a plan of this machine.
fn matters(topology: &Topology, index: usize) -> Option<Stage> {
    let PlacedRule { scope, rule, .. } = &topology.rules[index];
    let gpu = |rank: crate::base::Rank| topology.ranks[rank.index()];
    let several = is_cluster(topology);
    // The routes of a class between the devices that the rule holds for.
    let routes = |class: RouteClass| {
        topology.routes.iter().filter(move |route| {
            let ends = [gpu(route.src), gpu(route.dst)];
            route.class == class && ends.iter().all(|end| scope.contains(&end.index()))
        })
    };
    let (stage, matters) = match rule {
        // Worked into the routes, the channels or both.
        Rule::Peer { nic: false, .. }
        | Rule::Bounce { .. }
        | Rule::Cap { .. }
        | Rule::Forbid { .. }
        | Rule::Measured { .. } => return None,
        Rule::Limit { .. } | Rule::Avoid { .. } => {
            (Stage::Analysis, topology.binds_nodes(&topology.rules[index]))
        }
        Rule::Peer { nic: true, .. } | Rule::ViaNearest | Rule::ViaAny | Rule::Via { .. } => {
            (Stage::Plans, several)
        }
        Rule::Pacing { class, mode } => {
            let moved = |route: &Route| mode.is_none_or(|mode| mode == route.mode);
            (Stage::Plans, routes(*class).any(moved))
        }
        Rule::Efficiency { mode, links, .. } => {
            let is_of = |id: &LinkId| {
                let link = topology.resources[id.index()].link();
                link.is_some_and(|link| links.binary_search(&link).is_ok())
            };
            let counts = |route: &Route| {
                mode.is_none_or(|mode| mode == route.mode) && route.links.iter().any(is_of)
            };
            (Stage::Plans, topology.routes.iter().any(counts))
        }
        Rule::Cost { time, .. } => (Stage::Plans, time.0 > 0),
        Rule::Loopback => {
            let stage = if several { Stage::Analysis } else { Stage::Plans };
            (stage, routes(RouteClass::Loopback).next().is_some())
        }
    };
    matters.then_some(stage)
}

fn at(diagnostic: Diagnostic, span: Option<Span>, label: &str) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span, label),
        None => diagnostic,
    }
}

impl Refusal {
    /// The refusal in words, pointing at what is to blame.
    fn diagnose(&self, topology: &Topology) -> Diagnostic {
        let path = |gpu: VertexId| topology.vertices[gpu.index()].path.as_str();
        let span = |gpu: VertexId| topology.vertices[gpu.index()].span;
        let place = |id: LinkId| topology.resources[id.index()].span;
        match *self {
            Self::OneRank { gpu } => at(
                Diagnostic::error(
                    "one-rank",
                    format!("{} is the only GPU, and an exchange needs two", path(gpu)),
                ),
                span(gpu),
                "the only GPU",
            ),
            Self::TooManyRanks { ranks } => Diagnostic::unsupported(
                "too-many-ranks",
                format!("the machine has {ranks} ranks, and this version supports {MAX_RANKS}"),
            )
            .help("leave GPUs out with `without`, or name fewer in `ranks`"),
            Self::CrowdedNode { ranks, gpu } => at(
                Diagnostic::unsupported(
                    "too-many-ranks",
                    format!(
                        "a node has {ranks} ranks, and this version supports {MAX_NODE_RANKS} in one"
                    ),
                ),
                span(gpu),
                "one of its GPUs",
            )
            .help("leave GPUs out with `without`, or name fewer in `ranks`"),
            Self::SeveralNodes { nodes, first, second } => {
                let mut diagnostic = Diagnostic::unsupported(
                    "several-nodes",
                    format!(
                        "exchanges between several nodes are not planned by this version: there are {nodes}, {} is in one and {} in another",
                        path(first),
                        path(second)
                    ),
                );
                diagnostic = at(diagnostic, span(first), "");
                if span(second) != span(first) {
                    diagnostic = at(diagnostic, span(second), "in another node");
                }
                diagnostic.help(
                    "describe one node alone: what hangs together without fabrics and links between NICs",
                )
            }
            Self::Rule { index } => {
                let PlacedRule { part, rule, span, .. } = &topology.rules[index];
                let of = if part.is_empty() { String::new() } else { format!(" of {part}") };
                let nodes = match rule {
                    Rule::Limit { .. } | Rule::Avoid { .. } => {
                        " ties the transfers of several nodes together, which"
                    }
                    _ => "",
                };
                let diagnostic = Diagnostic::unsupported(
                    UNSUPPORTED_RULE,
                    format!(
                        "the rule `{}`{of}{nodes} is not carried out by this version",
                        rule.word()
                    ),
                )
                .help(match rule {
                    Rule::Efficiency { .. } | Rule::Cost { .. } => SETTING,
                    Rule::Limit { .. } | Rule::Avoid { .. } => NODES,
                    _ => "leave the rule out to plan as if it did not hold",
                });
                at(diagnostic, *span, "not supported yet")
            }
            Self::Latency { link } => at(
                Diagnostic::unsupported(
                    "unsupported-latency",
                    format!(
                        "the latency of `{}` is not planned with by this version",
                        topology.written(link)
                    ),
                ),
                place(link),
                "not supported yet",
            )
            .help(SETTING),
        }
    }
}
