//! What is lost or made up on the way to the format.

use super::writer::Writer;
use crate::base::DeviceKind;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::dsl::machine::{Link, Rule};
use std::collections::BTreeSet;

impl Writer<'_> {
    /// What the format cannot say, and what was invented for it.
    pub(super) fn notes(&self) -> Diagnostics {
        let mut notes = Diagnostics::new();
        let paths = |devices: &[usize]| {
            let mut all: Vec<&str> =
                devices.iter().map(|&device| self.machine.devices[device].path.as_str()).collect();
            let more = all.len().saturating_sub(8);
            all.truncate(8);
            let mut text = all.join(", ");
            if more > 0 {
                text += &format!(" and {more} more");
            }
            text
        };
        let mut note = |code: &'static str, message: String, help: &str| {
            let diagnostic = Diagnostic::note(code, message);
            notes.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        };
        if !self.bus_ids.invented.is_empty() {
            let message = format!("bus ids are invented for {}", paths(&self.bus_ids.invented));
            let help = "NCCL finds devices by bus id: give GPUs and network cards a `bus`";
            note("export-bus", message, help);
        }
        let all = 0..self.machine.devices.len();
        let has_nics = all
            .filter(|&device| self.inside(device))
            .any(|device| self.machine.devices[device].kind == DeviceKind::Nic);
        if has_nics {
            let message =
                "network devices have the names of the description, not those of the system";
            note("export-names", message.to_string(), "");
        }
        let loose: Vec<usize> = self
            .forest
            .roots
            .iter()
            .copied()
            .filter(|&root| self.inside(root))
            .filter(|&root| self.machine.devices[root].kind != DeviceKind::Socket)
            .collect();
        if !loose.is_empty() {
            let message = format!("no socket is above {}: put on NUMA node -1", paths(&loose));
            note("export-sockets", message, "");
        }
        if !self.near.is_empty() {
            let message =
                format!("rates that no PCIe link has became the nearest: {}", paths(&self.near));
            note("export-rates", message, "");
        }
        let unsaid = self.unsaid();
        if !unsaid.is_empty() {
            let message = format!("NCCL XML cannot say, left out: {}", unsaid.join("; "));
            note("export-left-out", message, "");
        }
        notes
    }

    /// What the machine has and the format has no words for.
    fn unsaid(&self) -> Vec<String> {
        let machine = self.machine;
        let mut unsaid = Vec::new();
        // `peer nic none` is said by gdr="0".
        let is_said = |rule: &Rule| matches!(rule, Rule::Peer { nic: true, within: None });
        let rules = machine.rules.iter().filter(|placed| !is_said(&placed.rule));
        let words: BTreeSet<&str> = rules.map(|placed| placed.rule.word()).collect();
        if !words.is_empty() {
            let words: Vec<&str> = words.into_iter().collect();
            unsaid.push(format!("rules ({})", words.join(", ")));
        }
        let end = |device: usize| machine.devices[device].path.as_str();
        let pair = |link: &usize| {
            let link = &machine.links[*link];
            format!("{} {} {}", end(link.from), if link.duplex { "--" } else { "->" }, end(link.to))
        };
        let links = || machine.links.iter().filter(|link| self.inside(link.from));
        let devices = || (0..machine.devices.len()).filter(|&device| self.inside(device));
        let beside: Vec<&usize> = (self.forest.beside.iter())
            .filter(|link| self.inside(machine.links[**link].from))
            .collect();
        if !beside.is_empty() {
            let pairs: Vec<String> = beside.iter().take(4).copied().map(pair).collect();
            let more = if beside.len() > 4 { ", …" } else { "" };
            unsaid.push(format!("links beside the tree ({}{more})", pairs.join(", ")));
        }
        if let Some(&first) = self.one_way.first() {
            unsaid.push(format!("one-way links ({})", end(first)));
        }
        let both = |link: &Link| {
            [link.from, link.to].iter().all(|&d| machine.devices[d].kind == DeviceKind::Socket)
        };
        if links().any(|link| both(link) && link.value.rate.is_some()) {
            unsaid.push("rates between sockets".to_string());
        }
        if !machine.totals.is_empty() {
            unsaid.push("joint capacities".to_string());
        }
        if devices().any(|device| machine.devices[device].memory.is_some()) {
            unsaid.push("rates of memory".to_string());
        }
        if devices().any(|device| machine.devices[device].model.is_some()) {
            unsaid.push("models".to_string());
        }
        if links().any(|link| link.value.latency.0 > 0) {
            unsaid.push("latencies".to_string());
        }
        unsaid
    }
}
