//! Analysis measured: what is found on each machine, and how long it takes here.

use super::failure::Outcome;
use super::pipeline::{DEFAULT_DEMAND, internal};
use super::verbs::wording::times;
use crate::analyzer::{self, Limits};
use crate::base::Setting;
use crate::catalog::{self, Bounds, Families};
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
    pair_orbits: u32,
    strict: Families,
    two_rate: Families,
    bounds: Bounds,
    critical: String,
    time: Duration,
}

/// Analyzes one machine; the time is that of the analyzer alone, its proof included.
pub(super) fn row(target: &str, topology: &Topology, setting: Setting) -> Outcome<Row> {
    let start = Instant::now();
    let catalog = analyzer::analyze(topology, &Limits::default())?;
    let time = start.elapsed();
    let ranks = topology.ranks.len();
    let demand = demand::parse_spec(DEFAULT_DEMAND, ranks)?;
    let bounds = catalog::bounds(&catalog, &demand).map_err(|error| internal(&error))?;
    let critical = analyzer::critical_name(topology, &bounds);
    Ok(Row::Found(Box::new(Found {
        target: target.to_owned(),
        ranks,
        setting,
        two_rate: catalog.two_rate.unwrap_or_else(|| catalog.strict.clone()),
        order: catalog.order,
        pair_orbits: catalog.pair_orbits,
        strict: catalog.strict,
        bounds,
        critical: critical.unwrap_or_default(),
        time,
    })))
}

/// `1889 in 31`, with a `>` before where there are more.
fn families(families: &Families) -> String {
    let more = if families.complete { "" } else { ">" };
    format!("{more}{} in {}", families.channels, families.orbits.len())
}

/// The table for people.
pub(super) fn table(rows: &[Row]) -> String {
    let names = rows.iter().map(|row| match row {
        Row::Found(found) => found.target.chars().count(),
        Row::Refused(target, _) => target.chars().count(),
    });
    let width = names.max().unwrap_or(0).max("machine".len());
    let mut out = format!(
        "{:<width$}  GPUs  {:>12}  pairs in  {:>18}  {:>20}  T_eff/T*  {:>8}  critical\n",
        "machine", "order", "strict channels", "two-rate channels", "ms"
    );
    for row in rows {
        let _ = match row {
            Row::Refused(target, why) => writeln!(out, "{target:<width$}  refused: {why}"),
            Row::Found(found) => writeln!(
                out,
                "{:<width$}  {:>4}  {:>12}  {:>8}  {:>18}  {:>20}  {:>8}  {:>8.1}  {}",
                found.target,
                found.ranks,
                found.order,
                found.pair_orbits,
                families(&found.strict),
                families(&found.two_rate),
                times(found.bounds.t_eff, found.bounds.t_star),
                found.time.as_secs_f64() * 1e3,
                found.critical,
            ),
        };
    }
    out
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
            Row::Found(found) => json!({
                "target": found.target,
                "ranks": found.ranks,
                "setting": found.setting,
                "order": found.order,
                "pair_orbits": found.pair_orbits,
                "strict": families(&found.strict),
                "two_rate": families(&found.two_rate),
                "demand": DEFAULT_DEMAND,
                "t_star_ns": found.bounds.t_star.nanos_down(),
                "t_eff_ns": found.bounds.t_eff.nanos_down(),
                "critical": found.critical,
                "analysis_ns": found.time.as_nanos() as u64,
            }),
        })
        .collect();
    json!({"format": "variopath-bench-analyze/1", "rows": rows})
}
