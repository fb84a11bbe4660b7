//! A survey as plain text.

use super::survey::{
    self, Entry, Figure, GpuKind, Limit, NodeKind, RuleLine, SharedUplink, Survey,
};
use crate::base::{BytesPerSecond, DeviceKind};
use crate::diagnostics::one_line;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

/// Groups of names are shown by at most this many of them.
const SHOWN: usize = 3;

impl Survey {
    /// The survey in plain ASCII (but for names and reasons that the machine brings along): a line
    /// of counts, the devices as a tree with their rates, one node for all that are alike, and what
    /// is shared, assumed, unknown, ruled and taken by default; at last what bounds an exchange.
    /// Ends with a newline.
    #[must_use]
    pub fn draw(&self) -> String {
        self.to_string()
    }

    fn counts(&self) -> String {
        let counts = [
            (if self.nodes > 1 { self.nodes } else { 0 }, "node"),
            (self.sockets, "socket"),
            (self.switches, "switch"),
            (self.gpus, "GPU"),
            (self.nics, "NIC"),
            (self.fabrics, "fabric"),
        ];
        counted(&counts)
    }

    /// The nodes that are not drawn, being like one that is.
    fn hidden(&self) -> BTreeSet<usize> {
        self.node_kinds.iter().flat_map(|kind| &kind.nodes[1..]).copied().collect()
    }

    fn drawing(&self, hidden: &BTreeSet<usize>) -> Vec<String> {
        let mut lines = Vec::new();
        let in_node = |entry: &Entry, node: usize| entry.node == Some(node);
        for kind in &self.node_kinds {
            lines.extend(self.tree.iter().filter(|e| in_node(e, kind.nodes[0])).map(entry));
            lines.extend(kind.others());
        }
        let kinds = &self.node_kinds;
        let drawn = |node: &usize| kinds.iter().any(|kind| kind.nodes[0] == *node);
        let rest = |node: &usize| !drawn(node) && !hidden.contains(node);
        lines.extend(self.tree.iter().filter(|e| e.node.as_ref().is_none_or(rest)).map(entry));
        lines
    }

    /// Links outside of the tree, those of one figure together.
    fn other_links(&self, hidden: &BTreeSet<usize>) -> Vec<String> {
        let mut groups: Vec<Figure> = Vec::new();
        let shown = |figure: &&Figure| figure.node.is_none_or(|node| !hidden.contains(&node));
        for figure in self.links.iter().filter(shown) {
            let same = |group: &&mut Figure| {
                (group.bytes_per_second, group.latency_ns, &group.assumed)
                    == (figure.bytes_per_second, figure.latency_ns, &figure.assumed)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.of.extend(figure.of.iter().cloned()),
                None => groups.push(figure.clone()),
            }
        }
        groups.iter().map(|figure| named_figure(figure, false)).collect()
    }

    fn shares(&self, hidden: &BTreeSet<usize>) -> Vec<String> {
        let shown = |one: &&SharedUplink| one.node.is_none_or(|node| !hidden.contains(&node));
        let mut groups: Vec<(&SharedUplink, Vec<&str>)> = Vec::new();
        for one in self.shared.iter().filter(shown) {
            let worth = |one: &'_ SharedUplink| (one.bytes_per_second, one.users, one.joint);
            let same = |(first, _): &&mut (&SharedUplink, Vec<&str>)| {
                worth(first) == worth(one) && first.gpus == one.gpus
            };
            match groups.iter_mut().find(same) {
                Some((_, links)) => links.push(&one.link),
                None => groups.push((one, vec![&one.link])),
            }
        }
        groups.iter().map(|(one, links)| share(one, links)).collect()
    }
}

/// `2 sockets, 4 switches`; zeros are left out, but for GPUs.
fn counted(counts: &[(usize, &str)]) -> String {
    let parts: Vec<String> = counts
        .iter()
        .filter(|&&(count, word)| count > 0 || word == "GPU")
        .map(|&(count, word)| match (count, word) {
            (1, _) => format!("1 {word}"),
            (_, "switch") => format!("{count} switches"),
            _ => format!("{count} {word}s"),
        })
        .collect();
    parts.join(", ")
}

impl NodeKind {
    fn counts(&self) -> String {
        let words = [
            (DeviceKind::Socket, "socket"),
            (DeviceKind::Switch, "switch"),
            (DeviceKind::Gpu, "GPU"),
            (DeviceKind::Nic, "NIC"),
        ];
        let count = |kind| self.devices.get(&kind).copied().unwrap_or_default();
        counted(&words.map(|(kind, word)| (count(kind), word)))
    }

    /// `h[0..32]: 2 sockets, …`
    fn line(&self) -> String {
        let names = survey::listed(self.names.iter().map(String::as_str), SHOWN);
        let each = if self.nodes.len() > 1 { " each" } else { "" };
        format!("{names}: {}{each}", self.counts())
    }

    /// Those that are not drawn: `h[1..32]  like h[0]  (ranks 8..256)`.
    fn others(&self) -> Option<String> {
        if self.names.len() < 2 {
            return None;
        }
        let names = survey::listed(self.names[1..].iter().map(String::as_str), SHOWN);
        let of_first = self.ranks.len() / self.nodes.len();
        let ranks = self.ranks[of_first..].iter().map(|&rank| rank as u64).collect();
        Some(format!("{names}  like {}  (ranks {})", self.names[0], survey::ranges(&ranks)))
    }
}

impl GpuKind {
    fn is_named(&self) -> bool {
        self.model.is_some() || self.arch.is_some()
    }

    fn line(&self) -> String {
        let named: Vec<&str> =
            [&self.model, &self.arch].into_iter().flatten().map(String::as_str).collect();
        let named =
            if self.is_named() { named.join(", ") } else { "without model and arch".into() };
        format!("{} x {named}", self.count)
    }
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = self.hidden();
        section(f, "machine", &[format!("{}: {}", self.name, self.counts())])?;
        if self.gpu_kinds.iter().any(GpuKind::is_named) {
            section(f, "gpus", &self.gpu_kinds.iter().map(GpuKind::line).collect::<Vec<_>>())?;
        }
        if self.nodes > 1 {
            section(f, "nodes", &self.node_kinds.iter().map(NodeKind::line).collect::<Vec<_>>())?;
        }
        section(f, "tree", &self.drawing(&hidden))?;
        section(f, "links", &self.other_links(&hidden))?;
        section(f, "shared", &self.shares(&hidden))?;
        let assumed: Vec<String> = self.assumed.iter().map(|f| named_figure(f, true)).collect();
        section(f, "assumed", &assumed)?;
        let unknown: Vec<String> = self.unknown.iter().map(|figure| names(&figure.of)).collect();
        section(f, "unknown", &unknown)?;
        section(f, "rules", &self.rules.iter().map(rule).collect::<Vec<_>>())?;
        section(f, "defaults", &self.defaults)?;
        let limit = self.limit.as_ref().map(|limit| self.limit_lines(limit));
        section(f, "limit", &limit.unwrap_or_default())
    }
}

impl Survey {
    fn limit_lines(&self, limit: &Limit) -> Vec<String> {
        let because = match limit.capped {
            Some(rate) => format!("{} alone reaches {rate}", limit.critical),
            None => {
                format!("{} carries {} of {} pairs", limit.critical, limit.crossing, limit.pairs)
            }
        };
        let rate = about(BytesPerSecond(limit.bytes_per_second_of_rank));
        let mut lines = vec![
            format!(
                "1 MiB from each GPU to each other takes at least {}: {because}",
                limit.at_least_ns
            ),
            format!("so each GPU sends at most {rate} on average"),
        ];
        if self.peers.without() > 0 {
            lines.push(format!(
                "{} of {} pairs have no peer access and go through host memory ({})",
                self.peers.without(),
                limit.pairs,
                self.peers.places(),
            ));
        }
        if limit.splits {
            lines.push("pairs with several routes are taken to split their bytes evenly".into());
        }
        match limit.assumed {
            0 => {}
            1 => lines.push("it rests on 1 assumed value".into()),
            n => lines.push(format!("it rests on {n} assumed values")),
        }
        lines
    }
}

/// Lines under a heading that stands on the first; nothing without lines.
fn section(f: &mut fmt::Formatter<'_>, heading: &str, lines: &[String]) -> fmt::Result {
    for (index, line) in lines.iter().enumerate() {
        let heading = if index == 0 { heading } else { "" };
        writeln!(f, "{heading:<11} {}", one_line(line))?;
    }
    Ok(())
}

fn entry(entry: &Entry) -> String {
    let mut out = format!("{}{}", "  ".repeat(entry.depth), entry.path);
    if let Some(uplink) = &entry.uplink {
        let _ = write!(out, "  {}", worth(uplink));
    }
    let rank = entry.rank.map(|rank| format!("rank {rank}"));
    let details: Vec<&str> =
        rank.iter().map(String::as_str).chain(entry.details.iter().map(String::as_str)).collect();
    if !details.is_empty() {
        let _ = write!(out, "  ({})", details.join(", "));
    }
    out
}

/// The rate with what else is to be said of it: `39 GB/s assumed`, `unknown`.
fn worth(figure: &Figure) -> String {
    let Some(rate) = figure.bytes_per_second else { return "unknown".to_owned() };
    let mut out = rate.to_string();
    if figure.latency_ns > 0 {
        let _ = write!(out, ", latency {} ns", figure.latency_ns);
    }
    if figure.assumed.is_some() {
        out.push_str(" assumed");
    }
    out
}

/// `sw[0] -- s[0] by g[0], g[1]: 26.3 GB/s, 13.15 GB/s a GPU`
fn share(one: &SharedUplink, links: &[&str]) -> String {
    let mut out = survey::listed(links.iter().copied(), SHOWN);
    if !one.gpus.is_empty() {
        let _ = write!(out, " by {}", survey::devices(one.gpus.iter().map(String::as_str)));
    } else {
        let (most, way) = if one.joint { ("", "") } else { ("up to ", " each way") };
        let _ = write!(out, " by {most}{} GPUs{way}", one.users);
    }
    match (one.bytes_per_second, one.bytes_per_second_each) {
        (Some(rate), Some(each)) => {
            let _ = write!(out, ": {rate}, {} a GPU", about(each));
        }
        _ => out.push_str(": unknown"),
    }
    out
}

/// To two decimals, rounded down.
fn about(rate: BytesPerSecond) -> BytesPerSecond {
    const HUNDREDTH: u64 = 10_000_000;
    if rate.0 < HUNDREDTH { rate } else { BytesPerSecond(rate.0 / HUNDREDTH * HUNDREDTH) }
}

fn rule(line: &RuleLine) -> String {
    let mut out = line.text.clone();
    if !line.parts.is_empty() {
        let _ = write!(out, " [{}]", names(&line.parts));
    }
    if line.planned == Some(false) {
        out.push_str(" (not planned with yet)");
    }
    out
}

fn named_figure(figure: &Figure, reason: bool) -> String {
    let mut out = format!("{}: ", names(&figure.of));
    match &figure.assumed {
        Some(why) if reason => {
            let figure = Figure { assumed: None, ..figure.clone() };
            out.push_str(&worth(&figure));
            if !why.is_empty() {
                let _ = write!(out, " ({why})");
            }
        }
        _ => out.push_str(&worth(figure)),
    }
    out
}

fn names(names: &[String]) -> String {
    survey::listed(names.iter().map(String::as_str), SHOWN)
}
