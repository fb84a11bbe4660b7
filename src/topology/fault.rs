//! Everything that can be wrong with a machine, and the words for it.

use super::loopback::MAX_LOOPBACKS;
use super::rules::{Rules, strongest_first};
use super::{MAX_NODE_RANKS, MAX_RANKS};
use crate::base::{BytesPerSecond, DeviceKind, Span};
use crate::diagnostics::Diagnostic;
use crate::dsl::Machine;
use crate::dsl::machine::{PlacedRule, Rule};

/// The least and the greatest rate that is believed of a link.
pub(super) const BELIEVABLE: (BytesPerSecond, BytesPerSecond) =
    (BytesPerSecond(1_000_000), BytesPerSecond(10_000_000_000_000));

/// Why no topology is made of a machine. Numbers are positions in the machine's tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing to exchange between.
    NoGpu,
    /// More ranks in all than routes are found for.
    TooManyRanks { ranks: usize },
    /// More ranks in one node than routes are found for; one of its devices.
    CrowdedNode { ranks: usize, device: usize },
    /// A device that is linked to itself.
    SelfLink { link: usize },
    /// A link with capacity zero.
    ZeroCapacity { link: usize },
    /// A link, total, memory or cap with a figure that nobody builds: whose it is, in words that end
    /// before the figure, and where it stands.
    AbsurdCapacity { what: String, span: Option<Span>, rate: BytesPerSecond },
    /// A GPU that no link reaches.
    NoLink { device: usize },
    /// Pairs of GPUs without a route, and how many more there are.
    Unreachable { pairs: Vec<(usize, usize)>, more: usize },
    /// A GPU whose transfers go through host memory and which no socket is the nearest of; the first
    /// such pair, and how many more such GPUs there are.
    NoSocket { device: usize, src: usize, dst: usize, more: usize },
    /// Two routes of a pair with the fewest links, as devices; links that are on one of them only;
    /// the number of further pairs for the same reason.
    Tie { first: Vec<usize>, second: Vec<usize>, links: Vec<usize>, more: usize },
    /// More routes over cards back into their nodes than are found.
    TooManyLoopbacks,
    /// Links on routes with an unknown rate, from one statement.
    UnknownRate { links: Vec<usize> },
}

/// The link as the language writes it: `g[0] -- s[0]`.
pub(super) fn link_text(machine: &Machine, link: usize) -> String {
    let link = &machine.links[link];
    let arrow = if link.duplex { "--" } else { "->" };
    format!("{} {arrow} {}", machine.devices[link.from].path, machine.devices[link.to].path)
}

fn way_text(machine: &Machine, devices: &[usize]) -> String {
    let paths: Vec<&str> = devices.iter().map(|&d| machine.devices[d].path.as_str()).collect();
    paths.join(" -> ")
}

impl Fault {
    /// The fault in words, pointing at what is to blame.
    pub(super) fn diagnose(&self, machine: &Machine) -> Diagnostic {
        let path = |device: usize| machine.devices[device].path.as_str();
        let at_device = |diagnostic: Diagnostic, device: usize, label: &str| {
            diagnostic.at(machine.devices[device].span, label)
        };
        let at_link = |diagnostic: Diagnostic, link: usize, label: &str| {
            diagnostic.at(machine.links[link].span, label)
        };
        match self {
            Self::NoGpu => Diagnostic::error("no-gpu", "the machine has no GPU")
                .help("declare GPUs and their links: `gpu g[8]`, `g[k] -- s[k/4] : pcie gen4 x16`"),
            Self::TooManyRanks { ranks } => Diagnostic::unsupported(
                "too-many-ranks",
                format!(
                    "the machine has {ranks} ranks, and routes are found between at most {MAX_RANKS}"
                ),
            )
            .help("leave GPUs out with `without`, or name fewer in `ranks`"),
            Self::CrowdedNode { ranks, device } => at_device(
                Diagnostic::unsupported(
                    "too-many-ranks",
                    format!(
                        "the node of {} has {ranks} ranks, and routes are found between at most {MAX_NODE_RANKS} in one node",
                        path(*device)
                    ),
                ),
                *device,
                "in this node",
            )
            .help("leave GPUs out with `without`, or name fewer in `ranks`"),
            Self::SelfLink { link } => at_link(
                Diagnostic::error(
                    "self-link",
                    format!("{} is linked to itself", path(machine.links[*link].from)),
                ),
                *link,
                "",
            ),
            Self::ZeroCapacity { link } => at_link(
                Diagnostic::error(
                    "zero-capacity",
                    format!("the link {} has capacity zero", link_text(machine, *link)),
                ),
                *link,
                "nothing can pass here",
            )
            .help("write its rate, or `unknown`, or leave the link out"),
            Self::AbsurdCapacity { what, span, rate } => Diagnostic::error(
                "absurd-capacity",
                format!("{what} {rate}, outside of {} to {}", BELIEVABLE.0, BELIEVABLE.1),
            )
            .at(*span, "")
            .help("check the unit: GB/s counts bytes, Gb/s bits"),
            Self::NoLink { device } => at_device(
                Diagnostic::error("no-link", format!("{} has no link", path(*device))),
                *device,
                "not linked to anything",
            )
            .help(format!(
                "join it to what it hangs on, as in `{} -- {} : pcie gen4 x16`, or leave it out with `without {}`",
                path(*device),
                attachment(machine),
                path(*device)
            ))
            .helps(behind_a_range(machine, *device)),
            Self::Unreachable { pairs, more } => {
                let shown: Vec<String> = pairs
                    .iter()
                    .map(|&(src, dst)| format!("{} -> {}", path(src), path(dst)))
                    .collect();
                let mut message = format!("no route from GPU to GPU: {}", shown.join(", "));
                if *more > 0 {
                    message.push_str(&format!(" and {more} more pairs"));
                }
                let mut diagnostic = Diagnostic::error("unreachable", message);
                if let Some(&(src, dst)) = pairs.first() {
                    diagnostic = at_device(diagnostic, src, "from here");
                    if machine.devices[dst].span != machine.devices[src].span {
                        diagnostic = at_device(diagnostic, dst, "to here");
                    }
                }
                let networked = machine.devices.iter().any(|d| d.kind == DeviceKind::Fabric);
                diagnostic.help(if networked {
                    "within a node routes pass switches and sockets only; between nodes they go from GPU to NIC, over fabrics, and from NIC to GPU: a link on the way is missing"
                } else {
                    "routes pass switches and sockets only, never a GPU, NIC or fabric: a link between them is missing"
                })
            }
            Self::NoSocket { device, src, dst, more } => {
                let others = match more {
                    0 => String::new(),
                    1 => " (nor of one more GPU)".to_owned(),
                    n => format!(" (nor of {n} more GPUs)"),
                };
                let message = format!(
                    "{} -> {} goes through host memory, and no one socket is the nearest of {}{others}",
                    path(*src),
                    path(*dst),
                    path(*device)
                );
                let diagnostic = Diagnostic::error("no-bounce-socket", message);
                let asks = "at which socket is its host memory?";
                let mut diagnostic = at_device(diagnostic, *device, asks);
                let mut seen = Vec::new();
                for rule in no_access(machine, *src, *dst) {
                    if rule.span.is_some() && !seen.contains(&rule.span) {
                        seen.push(rule.span);
                        diagnostic = diagnostic.at(rule.span, "no peer access by this rule");
                    }
                }
                diagnostic.help("link it to a socket, or grant the pair peer access in one mode")
            }
            Self::Tie { first, second, links, more } => {
                let mut diagnostic = Diagnostic::error(
                    "route-tie",
                    format!(
                        "two routes with the fewest links: {} and {}",
                        way_text(machine, first),
                        way_text(machine, second)
                    ),
                );
                let mut seen = Vec::new();
                for &link in links {
                    if !seen.contains(&machine.links[link].span) {
                        seen.push(machine.links[link].span);
                        diagnostic = at_link(diagnostic, link, "on one of them only");
                    }
                }
                if *more > 0 {
                    let pairs = if *more == 1 { "pair is" } else { "pairs are" };
                    diagnostic =
                        diagnostic.help(format!("{more} more {pairs} undecided at the same place"));
                }
                diagnostic.help("leave out the link that transfers do not take")
            }
            Self::TooManyLoopbacks => {
                let rule = machine.rules.iter().find(|placed| placed.rule == Rule::Loopback);
                Diagnostic::unsupported(
                    "too-many-routes",
                    format!("there are more than {MAX_LOOPBACKS} routes over cards back into their nodes"),
                )
                .at(rule.and_then(|placed| placed.span), "by this rule")
                .help("name fewer cards with `via`, or let it hold in some parts only")
            }
            Self::UnknownRate { links } => unknown_rate(machine, links),
        }
    }
}

/// The rules that take peer access from a pair of which one may be a card: each `forbid` of it where
/// those leave no mode, else the `peer` in force.
fn no_access(machine: &Machine, src: usize, dst: usize) -> Vec<&PlacedRule> {
    let rules = Rules::new(&machine.rules);
    if rules.forbidden_modes(src, dst) == [true, true] {
        let names = |placed: &&PlacedRule| matches!(&placed.rule, Rule::Forbid { pairs, .. } if pairs.contains(&(src, dst)));
        return machine.rules.iter().filter(names).collect();
    }
    let card = [src, dst].iter().any(|&end| machine.devices[end].kind == DeviceKind::Nic);
    let of = |placed: &&PlacedRule| {
        let ends = placed.scope.contains(&src) && placed.scope.contains(&dst);
        ends && matches!(placed.rule, Rule::Peer { nic, .. } if nic == card)
    };
    strongest_first(&machine.rules).into_iter().find(of).into_iter().collect()
}

/// A switch, else a socket, that a GPU could hang on; a usual name where there is neither.
fn attachment(machine: &Machine) -> &str {
    let of = |kind| machine.devices.iter().find(|device| device.kind == kind);
    of(DeviceKind::Switch)
        .or_else(|| of(DeviceKind::Socket))
        .map_or("s[0]", |device| device.path.as_str())
}

/// What may have happened where the element before this one is linked: its range ended too early.
fn behind_a_range(machine: &Machine, device: usize) -> Option<String> {
    // The search goes through all links; no hand writes larger machines.
    const LARGEST: usize = 4096;
    let before = device.checked_sub(1)?;
    let same = machine.devices[before].span == machine.devices[device].span;
    if !same || machine.devices.len() > LARGEST {
        return None;
    }
    let path = &machine.devices[device].path;
    let index: u64 = path.rsplit_once('[')?.1.trim_end_matches(']').parse().ok()?;
    let linked = machine.links.iter().any(|link| link.from == before || link.to == before);
    linked.then(|| {
        format!("the end of a range is not part of it: `[0..{}]` takes in {path}", index + 1)
    })
}

fn unknown_rate(machine: &Machine, links: &[usize]) -> Diagnostic {
    let names: Vec<String> =
        links.iter().take(2).map(|&link| format!("`{}`", link_text(machine, link))).collect();
    let what = match links.len() {
        1 => format!("the link {}", names[0]),
        2 => format!("the links {} and {}", names[0], names[1]),
        n => format!("the {n} links from {} on", names[0]),
    };
    let each = if links.len() == 1 { "" } else { " each" };
    let mut diagnostic = Diagnostic::error(
        super::UNKNOWN_RATE,
        format!("routes need a rate that is unknown: what do {what} carry{each}?"),
    );
    if links.len() == 1 {
        diagnostic.message = format!("routes need a rate that is unknown: what does {what} carry?");
    }
    let Some(&first) = links.first() else { return diagnostic };
    let link = &machine.links[first];
    let Some(span) = link.span else {
        return diagnostic
            .help("write the rates into a file: `variopath import FILE... -o mine.topo`")
            .help("or give `--assume gen4`: what it answers is marked as assumed");
    };
    diagnostic = diagnostic.at(span, "unknown");
    // Behind the name of a link, and of a `set`, the rate stands elsewhere.
    let inside =
        |at: &Span| at.source == span.source && span.start <= at.start && at.end <= span.end;
    let figure = link.value.figure.filter(|at| !inside(at));
    diagnostic = diagnostic.at(figure, "here stands its rate");
    let ends = [link.from, link.to];
    let sockets = ends.iter().all(|&end| machine.devices[end].kind == DeviceKind::Socket);
    let example = if sockets { "39 GB/s from \"where it is measured\"" } else { "pcie gen4 x16" };
    let set = format!("`set {} : {example}`", link_text(machine, first));
    diagnostic.help(format!("write it in place of `unknown`, such as `{example}`")).help(
        match links.len() {
            1 => format!("or add a line, such as {set}"),
            _ => format!("or, where they differ, a line for each, such as {set}"),
        },
    )
}
