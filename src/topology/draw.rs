//! A survey as plain text.

use super::survey::{Entry, Figure, Survey};
use std::fmt;
use std::fmt::Write as _;

/// Groups of links are shown by at most this many of them.
const SHOWN: usize = 3;

impl Survey {
    /// The survey in plain ASCII (but for names and reasons that the machine brings along): a line
    /// of counts, the devices as a tree with their rates, and what is shared, assumed, unknown and
    /// taken by default. Ends with a newline.
    #[must_use]
    pub fn draw(&self) -> String {
        self.to_string()
    }

    fn counts(&self) -> String {
        let counts = [
            (self.sockets, "socket"),
            (self.switches, "switch"),
            (self.gpus, "GPU"),
            (self.nics, "NIC"),
            (self.fabrics, "fabric"),
        ];
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
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        section(f, "machine", &[format!("{}: {}", self.name, self.counts())])?;
        section(f, "tree", &self.tree.iter().map(entry).collect::<Vec<_>>())?;
        let named = |figures: &[Figure], reason: bool| -> Vec<String> {
            figures.iter().map(|figure| named_figure(figure, reason)).collect()
        };
        section(f, "links", &named(&self.links, false))?;
        let shared: Vec<String> = self
            .shared
            .iter()
            .map(|uplink| format!("{} by {}", uplink.link, uplink.gpus.join(", ")))
            .collect();
        section(f, "shared", &shared)?;
        section(f, "assumed", &named(&self.assumed, true))?;
        let unknown: Vec<String> = self.unknown.iter().map(|figure| links(&figure.of)).collect();
        section(f, "unknown", &unknown)?;
        section(f, "defaults", &self.defaults)
    }
}

/// Lines under a heading that stands on the first; nothing without lines.
fn section(f: &mut fmt::Formatter<'_>, heading: &str, lines: &[String]) -> fmt::Result {
    for (index, line) in lines.iter().enumerate() {
        writeln!(f, "{:<11} {line}", if index == 0 { heading } else { "" })?;
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

fn named_figure(figure: &Figure, reason: bool) -> String {
    let mut out = format!("{}: ", links(&figure.of));
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

fn links(names: &[String]) -> String {
    if names.len() <= SHOWN {
        return names.join(", ");
    }
    format!("{} and {} more", names[..SHOWN - 1].join(", "), names.len() - (SHOWN - 1))
}
