//! An exchange on a machine: flows, tasks, and what comes of them.

use super::outcome::Loads;
use super::{Exchange, Outcome, Transfer};
use crate::base::{BytesPerSecond, LinkId, Nanos, Picos, RouteClass, RouteId, Setting};
use crate::fluid::{Curve, Flow, Hampering, Offer, Shares, Stuck, Task, run};
use crate::topology::{ResourceKind, Route, Rule, Topology};
use std::collections::BTreeMap;

/// Why an exchange has no time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// Its transfers wait for each other, or a time leaves its range.
    #[error(transparent)]
    Stuck(#[from] Stuck),
}

/// The bytes of a chunk of a transfer through host memory: what NCCL stages on PCIe.
const CHUNK_BYTES: u64 = 128 << 10;
/// The chunks of such a transfer that are under way where the file does not say.
const CHUNKS: u64 = 4;

/// What an exchange takes on a machine in a setting.
///
/// # Errors
/// [`SimulationError`].
pub fn simulate(
    topology: &Topology,
    exchange: &Exchange,
    setting: Setting,
) -> Result<Outcome, SimulationError> {
    observed(topology, exchange, setting, |_, _| {})
}

/// As [`simulate`]; `observe` is told at each instant at which rates change what each resource carries
/// from then on, in bytes a second, those that carry nothing left out.
///
/// # Errors
/// [`SimulationError`].
pub fn observed(
    topology: &Topology,
    exchange: &Exchange,
    setting: Setting,
    mut observe: impl FnMut(Picos, &[(LinkId, u64)]),
) -> Result<Outcome, SimulationError> {
    let mut draft = Draft::new(topology, setting);
    exchange.transfers.iter().for_each(|transfer| draft.add(transfer));
    let hampering = draft.hampering(exchange);
    let shares = Shares::new(offers(topology, setting), draft.flows, &hampering);
    let mut loads = Loads::new(topology, &shares);
    let line = run(&shares, &draft.tasks, &[], |from, to, rates| {
        loads.observe(from, to, rates, &draft.tasks, &mut observe);
    })?;
    Ok(loads.outcome(exchange, &line, &draft.of))
}

fn offers(topology: &Topology, setting: Setting) -> Vec<Offer> {
    let offer = |resource: &crate::topology::Resource| Offer {
        // What is unknown is on no route.
        capacity: resource.capacity.unwrap_or(BytesPerSecond(1)),
        curves: match setting {
            Setting::Ideal => Vec::new(),
            Setting::Profile => {
                let curve = |of: &crate::topology::Efficiency| Curve {
                    mode: of.mode,
                    steps: of.steps.clone(),
                };
                resource.efficiency.iter().map(curve).collect()
            }
        },
    };
    topology.resources.iter().map(offer).collect()
}

/// Flows and tasks while they are put together.
struct Draft<'a> {
    topology: &'a Topology,
    setting: Setting,
    /// What a transfer, and one that comes after another, costs before its bytes move.
    costs: [Picos; 2],
    flows: Vec<Flow>,
    tasks: Vec<Task>,
    /// For each transfer its first and its last task.
    of: Vec<(u32, u32)>,
    /// For each transfer its flows.
    flows_of: Vec<Vec<u32>>,
}

impl<'a> Draft<'a> {
    fn new(topology: &'a Topology, setting: Setting) -> Self {
        let cost = |of_flow: bool| {
            let rules = topology.rules.iter().rev();
            let found = rules.filter_map(|placed| match &placed.rule {
                Rule::Cost { flow, time, .. } if *flow == of_flow => Some(*time),
                _ => None,
            });
            let time = found.into_iter().next().unwrap_or(Nanos(0));
            Picos(if setting == Setting::Profile { time.0.saturating_mul(1000) } else { 0 })
        };
        Self {
            topology,
            setting,
            costs: [cost(true), cost(false)],
            flows: Vec::new(),
            tasks: Vec::new(),
            of: Vec::new(),
            flows_of: Vec::new(),
        }
    }

    fn add(&mut self, transfer: &Transfer) {
        let after = transfer.after.iter().map(|&other| self.of[other as usize].1).collect();
        let route = &transfer.route;
        let delay = self.delay(transfer);
        let chunks = transfer.bytes.0.div_ceil(CHUNK_BYTES);
        match self.halves(route).filter(|_| chunks > 1) {
            None => {
                let most = transfer.most.filter(|_| self.setting == Setting::Ideal);
                let flow = self.flow(route.takes(), most.unwrap_or(route.rate), route);
                self.flows_of.push(vec![flow]);
                let at = self.tasks.len() as u32;
                self.of.push((at, at));
                self.tasks.push(Task {
                    flow: Some(flow),
                    bytes: transfer.bytes,
                    after,
                    delay,
                    queue: None,
                });
            }
            Some(halves) => self.bounced(transfer, halves, (after, delay), chunks),
        }
    }

    /// A transfer through host memory: chunk by chunk over its first half and, once a chunk has arrived
    /// whole, over the second; so many chunks lie in the memory at once.
    fn bounced(
        &mut self,
        transfer: &Transfer,
        halves: [Vec<LinkId>; 2],
        (start, delay): (Vec<u32>, Picos),
        chunks: u64,
    ) {
        let depth = self.topology.rules.iter().rev().find_map(|placed| match placed.rule {
            Rule::Bounce { chunks, .. } => chunks,
            _ => None,
        });
        let depth = depth.unwrap_or(CHUNKS) as u32;
        let route = &transfer.route;
        let flows = halves.map(|half| self.flow(half.into_iter(), route.rate, route));
        self.flows_of.push(flows.to_vec());
        let first = self.tasks.len() as u32;
        let last = first + 2 * chunks as u32 - 1;
        for chunk in 0..chunks {
            let at = self.tasks.len() as u32;
            let bytes = (transfer.bytes.0 - chunk * CHUNK_BYTES).min(CHUNK_BYTES);
            let bytes = crate::base::Bytes(bytes);
            // Of earlier chunks, two tasks each.
            let earlier =
                |chunks: u32, half: u32| (at >= first + 2 * chunks).then(|| at - 2 * chunks + half);
            let mut after: Vec<u32> = earlier(1, 0).into_iter().chain(earlier(depth, 1)).collect();
            let starts = chunk == 0;
            if starts {
                after.clone_from(&start);
            }
            self.tasks.push(Task {
                flow: Some(flows[0]),
                bytes,
                after,
                delay: if starts { delay } else { Picos(0) },
                queue: None,
            });
            let after = [Some(at), earlier(1, 1)].into_iter().flatten().collect();
            self.tasks.push(Task { flow: Some(flows[1]), bytes, after, ..Task::default() });
        }
        self.of.push((first, last));
    }

    fn flow(
        &mut self,
        takes: impl Iterator<Item = LinkId>,
        most: BytesPerSecond,
        route: &Route,
    ) -> u32 {
        let mut times: BTreeMap<u32, u32> = BTreeMap::new();
        takes.for_each(|id| *times.entry(id.0).or_default() += 1);
        let takes = times.into_iter().collect();
        self.flows.push(Flow { takes, most, mode: route.mode });
        self.flows.len() as u32 - 1
    }

    /// What passes before the bytes of a transfer move.
    fn delay(&self, transfer: &Transfer) -> Picos {
        let [flow, step] = self.costs;
        let latency: u64 = match self.setting {
            Setting::Ideal => 0,
            Setting::Profile => {
                let links = transfer.route.links.iter();
                links.map(|id| self.topology.resources[id.index()].latency.0).sum()
            }
        };
        let step = if transfer.after.is_empty() { 0 } else { step.0 };
        Picos(flow.0 + step + latency.saturating_mul(1000))
    }

    /// What a route through host memory takes before and behind it.
    fn halves(&self, route: &Route) -> Option<[Vec<LinkId>; 2]> {
        if route.class != RouteClass::Bounce {
            return None;
        }
        let resources = &self.topology.resources;
        // The memory is written once and read once.
        let memory = route.shares.iter().find_map(|id| match resources[id.index()].kind {
            ResourceKind::Memory { socket } => Some((*id, socket)),
            _ => None,
        });
        let socket = memory.map(|(_, socket)| socket);
        let at = route.links.iter().position(|id| {
            let arrives = resources[id.index()].ends().map(|(_, to)| to);
            match socket {
                Some(socket) => arrives == Some(socket),
                None => arrives.is_some_and(|to| {
                    self.topology.vertices[to.index()].kind == crate::base::DeviceKind::Socket
                }),
            }
        })?;
        let (before, behind) = route.links.split_at(at + 1);
        let half = |links: &[LinkId]| {
            let totals = resources.iter().enumerate().filter_map(|(id, resource)| {
                let ResourceKind::Total { of, .. } = &resource.kind else { return None };
                let times = links.iter().filter(|link| of.contains(link)).count();
                Some(std::iter::repeat_n(LinkId::new(id), times))
            });
            let memory = memory.map(|(id, _)| id);
            links.iter().copied().chain(totals.flatten()).chain(memory).collect::<Vec<_>>()
        };
        Some([half(before), half(behind)])
    }

    /// What transfers that an `avoid` with a figure speaks of have together.
    fn hampering(&self, exchange: &Exchange) -> Vec<Hampering> {
        let pairs = match self.setting {
            Setting::Ideal => Vec::new(),
            Setting::Profile => self.topology.hampered(),
        };
        if pairs.is_empty() {
            return Vec::new();
        }
        let mut by_route: BTreeMap<RouteId, Vec<usize>> = BTreeMap::new();
        for (at, transfer) in exchange.transfers.iter().enumerate() {
            let Route { src, dst, .. } = transfer.route;
            let own = self.topology.route_ids(src, dst);
            let id = own.clone().find(|&id| self.topology.routes[id] == transfer.route);
            if let Some(id) = id {
                by_route.entry(RouteId::new(id)).or_default().push(at);
            }
        }
        let of = |id: &RouteId| by_route.get(id).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for (a, b, together) in &pairs {
            for &one in of(a) {
                for &other in of(b) {
                    for &a in &self.flows_of[one] {
                        for &b in &self.flows_of[other] {
                            let (a, b) = (a.min(b), a.max(b));
                            found.push(Hampering { a, b, together: *together });
                        }
                    }
                }
            }
        }
        found
    }
}
