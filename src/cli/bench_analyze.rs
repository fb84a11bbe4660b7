//! Analysis measured: what is found on each machine, and how long it takes here.

use super::failure::Outcome;
use super::pipeline::DEFAULT_DEMAND;
use super::verbs::wording::{json_bytes, short, times};
use crate::analyzer::{self, Bounder, Limits, RaisedBounds};
use crate::base::Setting;
use crate::catalog::{Catalog, Families};
use crate::demand;
use crate::topology::Topology;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// What came of one machine.
#[derive(Debug)]
pub(super) enum Row {
    /// It was analyzed.
    Found(Box<Found>),
    /// Why it was not, by the name it was given.
    Refused(String, String),
}

/// What the analyzer found.
#[derive(Debug)]
pub(super) struct Found {
    target: String,
    ranks: usize,
    setting: Setting,
    order: String,
    pair_orbits: u64,
    /// Of a node of each kind.
    channels: Vec<Channels>,
    /// How long the catalog is as JSON.
    catalog_bytes: usize,
    raised: RaisedBounds,
    critical: String,
    time: Duration,
}

/// The channels of one node.
#[derive(Debug)]
struct Channels {
    strict: Families,
    two_rate: Families,
}

impl Channels {
    fn of(catalog: Catalog) -> Self {
        let two_rate = catalog.two_rate.unwrap_or_else(|| catalog.strict.clone());
        Self { strict: catalog.strict, two_rate }
    }
}

/// Analyzes one machine; the time is that of the analyzer alone, its proof included.
pub(super) fn row(target: &str, topology: &Topology, setting: Setting) -> Outcome<Row> {
    let start = Instant::now();
    let (order, pair_orbits, catalog_bytes, time, catalogs) = if analyzer::is_cluster(topology) {
        let catalog = analyzer::analyze_cluster(topology, &Limits::default())?;
        let (time, bytes) = (start.elapsed(), json_bytes(&catalog));
        let catalogs = catalog.templates.into_iter().map(|template| template.catalog).collect();
        (catalog.order, catalog.pair_orbits, bytes, time, catalogs)
    } else {
        let catalog = analyzer::analyze(topology, &Limits::default())?;
        let (time, bytes) = (start.elapsed(), json_bytes(&catalog));
        (catalog.order.clone(), u64::from(catalog.pair_orbits), bytes, time, vec![catalog])
    };
    let ranks = topology.ranks.len();
    let demand = demand::parse_spec(DEFAULT_DEMAND, ranks)?;
    let raised = Bounder::new(topology)?.required(&demand)?;
    let critical = analyzer::critical_name(topology, &raised.bounds);
    Ok(Row::Found(Box::new(Found {
        target: target.to_owned(),
        ranks,
        setting,
        order,
        pair_orbits,
        channels: catalogs.into_iter().map(Channels::of).collect(),
        catalog_bytes,
        raised,
        critical: critical.unwrap_or_default(),
        time,
    })))
}

/// `1889 in 31`, with a `>` before where there are more; of several kinds of nodes one after the other.
fn families<'a>(all: impl Iterator<Item = &'a Families>) -> String {
    let of = |families: &Families| {
        let more = if families.complete { "" } else { ">" };
        format!("{more}{} in {}", short(&families.channels), families.orbits.len())
    };
    all.map(of).collect::<Vec<_>>().join(" + ")
}

/// The table for people.
pub(super) fn table(rows: &[Row]) -> String {
    let names = rows.iter().map(|row| match row {
        Row::Found(found) => found.target.chars().count(),
        Row::Refused(target, _) => target.chars().count(),
    });
    let width = names.max().unwrap_or(0).max("machine".len());
    let mut out = format!(
        "{:<width$}  GPUs  {:>12}  pairs in  {:>18}  {:>20}  {:>6}  T_eff/T*  {:>8}  critical\n",
        "machine", "order", "strict channels", "two-rate channels", "KiB", "ms"
    );
    for row in rows {
        let _ = match row {
            Row::Refused(target, why) => writeln!(out, "{target:<width$}  refused: {why}"),
            Row::Found(found) => writeln!(
                out,
                "{:<width$}  {:>4}  {:>12}  {:>8}  {:>18}  {:>20}  {:>6}  {:>8}  {:>8.1}  {}",
                found.target,
                found.ranks,
                short(&found.order),
                found.pair_orbits,
                families(found.channels.iter().map(|of| &of.strict)),
                families(found.channels.iter().map(|of| &of.two_rate)),
                found.catalog_bytes.div_ceil(1024),
                ratio(&found.raised),
                found.time.as_secs_f64() * 1e3,
                found.critical,
            ),
        };
    }
    out
}

/// `T_eff` over `T*`, where it was sought.
fn ratio(raised: &RaisedBounds) -> String {
    let bounds = &raised.bounds;
    if raised.has_t_eff { times(bounds.t_eff, bounds.t_star) } else { "-".to_owned() }
}

/// The document `variopath-bench-analyze/1`.
pub(super) fn document(rows: &[Row]) -> Value {
    let families = |families: &Families| {
        json!({
            "channels": families.channels,
            "orbits": families.orbits.len(),
            "complete": families.complete,
        })
    };
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| match row {
            Row::Refused(target, why) => json!({"target": target, "refused": why}),
            Row::Found(found) => {
                let kinds: Vec<Value> = (found.channels.iter())
                    .map(|of| {
                        json!({"strict": families(&of.strict), "two_rate": families(&of.two_rate)})
                    })
                    .collect();
                let bounds = &found.raised.bounds;
                let mut row = json!({
                    "target": found.target,
                    "ranks": found.ranks,
                    "setting": found.setting,
                    "order": found.order,
                    "pair_orbits": found.pair_orbits,
                    "catalog_bytes": found.catalog_bytes,
                    "demand": DEFAULT_DEMAND,
                    "t_star_ns": bounds.t_star.nanos_down(),
                    "t_eff_ns": found.raised.has_t_eff.then(|| bounds.t_eff.nanos_down()),
                    "critical": found.critical,
                    "analysis_ns": found.time.as_nanos() as u64,
                });
                if let [only] = &found.channels[..] {
                    row["strict"] = families(&only.strict);
                    row["two_rate"] = families(&only.two_rate);
                }
                // Of a node of each kind.
                row["kinds"] = json!(kinds);
                row
            }
        })
        .collect();
    json!({"format": "variopath-bench-analyze/1", "rows": rows})
}
