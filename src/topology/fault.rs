//! Everything that can be wrong with a machine, and the words for it.

use super::MAX_RANKS;
use crate::base::{BytesPerSecond, DeviceKind};
use crate::diagnostics::Diagnostic;
use crate::dsl::Machine;
use crate::dsl::machine::{PlacedRule, Rule};

/// The least and the greatest rate that is believed of a link.
pub(super) const BELIEVABLE: (BytesPerSecond, BytesPerSecond) =
    (BytesPerSecond(1_000_000), BytesPerSecond(10_000_000_000_000));

/// Why no topology is made of a machine. Numbers are positions in the machine's tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// A rule that this version does not carry out.
    Rule { index: usize },
    /// Nothing to exchange between.
    NoGpu,
    /// One GPU has nobody to exchange with.
    OneRank { device: usize },
    /// More ranks than supported.
    TooManyRanks { ranks: usize },
    /// GPUs in more than one node; a device of each of the first two.
    SeveralNodes { nodes: usize, first: usize, second: usize },
    /// A link from GPU to GPU.
    DirectLink { link: usize },
    /// A device that is linked to itself.
    SelfLink { link: usize },
    /// A link with capacity zero.
    ZeroCapacity { link: usize },
    /// A link with a capacity that nobody builds.
    AbsurdCapacity { link: usize, rate: BytesPerSecond },
    /// A link on a route with a latency.
    Latency { link: usize },
    /// A socket whose memory has a rate.
    Memory { device: usize },
    /// A GPU that no link reaches.
    NoLink { device: usize },
    /// Pairs of GPUs without a route.
    Unreachable { pairs: Vec<(usize, usize)> },
    /// Two routes of a pair with the fewest links, as devices; links that are on one of them only;
    /// the number of further pairs for the same reason.
    Tie { first: Vec<usize>, second: Vec<usize>, links: Vec<usize>, more: usize },
    /// Links on routes with an unknown rate, from one statement.
    UnknownRate { links: Vec<usize> },
}

/// The first word of a rule, as the language writes it.
pub(super) fn rule_word(rule: &Rule) -> &'static str {
    match rule {
        Rule::Peer { nic: false, .. } => "peer",
        Rule::Peer { nic: true, .. } => "peer nic",
        Rule::Forbid { .. } => "forbid",
        Rule::ViaNearest | Rule::ViaAny | Rule::Via { .. } => "via",
        Rule::Loopback => "loopback",
        Rule::Cap { .. } => "cap",
        Rule::Pacing { .. } => "pacing",
        Rule::Bounce { .. } => "bounce",
        Rule::Limit { .. } => "limit",
        Rule::Avoid { .. } => "avoid",
        Rule::Efficiency { .. } => "efficiency",
        Rule::Cost { .. } => "cost",
        Rule::Measured { .. } => "measured",
    }
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
        let at_device =
            |diagnostic: Diagnostic, device: usize, label: &str| match machine.devices[device].span
            {
                Some(span) => diagnostic.at(span, label),
                None => diagnostic,
            };
        let at_link =
            |diagnostic: Diagnostic, link: usize, label: &str| match machine.links[link].span {
                Some(span) => diagnostic.at(span, label),
                None => diagnostic,
            };
        match self {
            Self::Rule { index } => {
                let PlacedRule { part, rule, span, .. } = &machine.rules[*index];
                let place = if part.is_empty() { String::new() } else { format!(" of {part}") };
                let diagnostic = Diagnostic::unsupported(
                    "unsupported-rule",
                    format!(
                        "the rule `{}`{place} is not carried out by this version",
                        rule_word(rule)
                    ),
                )
                .help("leave the rule out to plan as if it did not hold");
                match span {
                    Some(span) => diagnostic.at(*span, "not supported yet"),
                    None => diagnostic,
                }
            }
            Self::NoGpu => Diagnostic::error("no-gpu", "the machine has no GPU")
                .help("declare GPUs and their links: `gpu g[8]`, `g[k] -- s[k/4] : pcie gen4 x16`"),
            Self::OneRank { device } => at_device(
                Diagnostic::error(
                    "one-rank",
                    format!("{} is the only GPU, and an exchange needs two", path(*device)),
                ),
                *device,
                "the only GPU",
            ),
            Self::TooManyRanks { ranks } => Diagnostic::unsupported(
                "too-many-ranks",
                format!("the machine has {ranks} ranks, and this version supports {MAX_RANKS}"),
            )
            .help("leave GPUs out with `without`, or name fewer in `ranks`"),
            Self::SeveralNodes { nodes, first, second } => {
                let mut diagnostic = Diagnostic::unsupported(
                    "several-nodes",
                    format!(
                        "several nodes are not supported by this version: there are {nodes}, {} is in one and {} in another",
                        path(*first),
                        path(*second)
                    ),
                );
                diagnostic = at_device(diagnostic, *first, "");
                if machine.devices[*second].span != machine.devices[*first].span {
                    diagnostic = at_device(diagnostic, *second, "in another node");
                }
                diagnostic.help(
                    "describe one node alone: what hangs together without fabrics and links between NICs",
                )
            }
            Self::DirectLink { link } => at_link(
                Diagnostic::unsupported(
                    "direct-link",
                    format!(
                        "the link {} between two GPUs is not supported by this version",
                        link_text(machine, *link)
                    ),
                ),
                *link,
                "a direct link",
            )
            .help("leave the link out to plan for the PCIe tree alone"),
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
            Self::AbsurdCapacity { link, rate } => at_link(
                Diagnostic::error(
                    "absurd-capacity",
                    format!(
                        "the link {} has capacity {rate}, outside of {} to {}",
                        link_text(machine, *link),
                        BELIEVABLE.0,
                        BELIEVABLE.1
                    ),
                ),
                *link,
                "",
            )
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
            )),
            Self::Unreachable { pairs } => {
                let shown: Vec<String> = pairs
                    .iter()
                    .take(3)
                    .map(|&(src, dst)| format!("{} -> {}", path(src), path(dst)))
                    .collect();
                let mut message = format!("no route from GPU to GPU: {}", shown.join(", "));
                if pairs.len() > 3 {
                    message.push_str(&format!(" and {} more pairs", pairs.len() - 3));
                }
                let mut diagnostic = Diagnostic::error("unreachable", message);
                if let Some(&(src, dst)) = pairs.first() {
                    diagnostic = at_device(diagnostic, src, "from here");
                    if machine.devices[dst].span != machine.devices[src].span {
                        diagnostic = at_device(diagnostic, dst, "to here");
                    }
                }
                diagnostic.help(
                    "routes pass switches and sockets only, never a GPU, NIC or fabric: a link between them is missing",
                )
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
            Self::UnknownRate { links } => unknown_rate(machine, links),
            Self::Latency { link } => {
                let name = link_text(machine, *link);
                let diagnostic = Diagnostic::unsupported(
                    "unsupported-latency",
                    format!("the latency of `{name}` is not planned with by this version"),
                );
                at_link(diagnostic, *link, "not supported yet")
                    .help("leave the latency out to plan as if it were 0")
            }
            Self::Memory { device } => {
                let diagnostic = Diagnostic::unsupported(
                    "unsupported-memory",
                    format!("the memory of {} is not planned with by this version", path(*device)),
                );
                at_device(diagnostic, *device, "not supported yet")
                    .help("leave `memory` out to plan as if it had no limit")
            }
        }
    }
}

/// A switch, else a socket, that a GPU could hang on; a usual name where there is neither.
fn attachment(machine: &Machine) -> &str {
    let of = |kind| machine.devices.iter().find(|device| device.kind == kind);
    of(DeviceKind::Switch)
        .or_else(|| of(DeviceKind::Socket))
        .map_or("s[0]", |device| device.path.as_str())
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
    if let Some(span) = links.first().and_then(|&link| machine.links[link].span) {
        diagnostic = diagnostic.at(span, "unknown");
    }
    let Some(&first) = links.first() else { return diagnostic };
    let ends = [machine.links[first].from, machine.links[first].to];
    let sockets = ends.iter().all(|&end| machine.devices[end].kind == DeviceKind::Socket);
    let example = if sockets { "39 GB/s from \"where it is measured\"" } else { "pcie gen4 x16" };
    let rest = if links.len() == 1 { "" } else { ", and such a line for each of the others" };
    diagnostic
        .help(format!(
            "if that is what it carries, add `set {} : {example}`{rest}",
            link_text(machine, first)
        ))
        .help("or write the rate in place of `unknown`; `--assume gen4` answers for the PCIe slots of an imported machine")
}
