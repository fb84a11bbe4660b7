//! Simulated exchanges as a trace that Perfetto and Chrome's tracing page show: a track for each rank, with
//! the transfers that it sends, and one for each resource, with what it carries.
//!
//! The format is the Trace Event Format: complete events (`X`), counters (`C`) and names of tracks (`M`),
//! times in microseconds.

use super::{Exchange, Outcome, SimulationError, observed};
use crate::base::{LinkId, Picos, Rank, Setting};
use crate::topology::Topology;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The events so far.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    events: Vec<Value>,
    processes: usize,
}

/// Tracks of one rank stand together: a rank has one for each transfer that it has under way at once.
const LANES: usize = 1024;

impl Trace {
    /// Simulates an exchange and adds it under a name, as a process for its ranks and one for its links.
    ///
    /// # Errors
    /// [`SimulationError`].
    pub fn simulate(
        &mut self,
        topology: &Topology,
        exchange: &Exchange,
        setting: Setting,
        name: &str,
    ) -> Result<Outcome, SimulationError> {
        let (ranks, links) = (self.processes, self.processes + 1);
        self.processes += 2;
        self.name("process_name", ranks, 0, &format!("{name}, {setting}: ranks"));
        self.name("process_name", links, 0, &format!("{name}, {setting}: links"));
        let mut before: BTreeMap<LinkId, u64> = BTreeMap::new();
        let mut counters = Vec::new();
        let mut count = |time: Picos, link: LinkId, rate: u64| {
            counters.push(json!({
                "ph": "C", "pid": links, "name": topology.resource_name(link), "ts": micros(time),
                "args": {"GB/s": rate as f64 / 1e9},
            }));
        };
        let outcome = observed(topology, exchange, setting, |time, loads| {
            let now: BTreeMap<LinkId, u64> = loads.iter().copied().collect();
            let idle: Vec<LinkId> =
                before.keys().filter(|link| !now.contains_key(link)).copied().collect();
            idle.into_iter().for_each(|link| count(time, link, 0));
            for (&link, &rate) in now.iter().filter(|(link, rate)| before.get(link) != Some(rate)) {
                count(time, link, rate);
            }
            before = now;
        })?;
        before.keys().for_each(|link| count(outcome.time, *link, 0));
        self.events.append(&mut counters);
        self.transfers(topology, exchange, &outcome, ranks);
        Ok(outcome)
    }

    /// The transfers of each rank, those that overlap in tracks of their own.
    fn transfers(
        &mut self,
        topology: &Topology,
        exchange: &Exchange,
        outcome: &Outcome,
        process: usize,
    ) {
        let gpu = |rank: Rank| &topology.vertices[topology.ranks[rank.index()].index()].path;
        let mut order: Vec<usize> = (0..exchange.transfers.len()).collect();
        order.sort_by_key(|&at| outcome.transfers[at]);
        // When each track of a rank is free again.
        let mut lanes: Vec<Vec<Picos>> = vec![Vec::new(); topology.ranks.len()];
        for at in order {
            let transfer = &exchange.transfers[at];
            let (start, end) = outcome.transfers[at];
            let own = &mut lanes[transfer.route.src.index()];
            let lane = own.iter().position(|free| *free <= start).unwrap_or(own.len());
            if lane == own.len() {
                own.push(end);
                let rank = transfer.route.src;
                let more = if lane == 0 { String::new() } else { format!(" ({})", lane + 1) };
                let name = format!("{}{more}", gpu(rank));
                self.name("thread_name", process, rank.index() * LANES + lane, &name);
            }
            lanes[transfer.route.src.index()][lane] = end;
            self.events.push(json!({
                "ph": "X", "pid": process, "tid": transfer.route.src.index() * LANES + lane,
                "name": format!("to {}", gpu(transfer.route.dst)),
                "ts": micros(start), "dur": micros(Picos(end.0 - start.0)),
                "args": {
                    "bytes": transfer.bytes, "class": transfer.route.class,
                    "mode": transfer.route.mode, "transfer": at,
                },
            }));
        }
    }

    fn name(&mut self, what: &str, process: usize, track: usize, name: &str) {
        self.events.push(json!({
            "ph": "M", "pid": process, "tid": track, "name": what, "args": {"name": name},
        }));
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> Value {
        json!({"displayTimeUnit": "ns", "traceEvents": self.events})
    }
}

fn micros(time: Picos) -> f64 {
    time.0 as f64 / 1e6
}
