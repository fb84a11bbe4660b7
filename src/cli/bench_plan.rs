//! Planning measured: quality against the exact optimum, time on this machine.
//!
//! Quality is arithmetic and the same everywhere; times are medians of the machine at hand and only
//! comparable within one run.

use super::failure::Outcome;
use super::pipeline::internal;
use crate::analyzer;
use crate::base::Picos;
use crate::catalog::{Catalog, Paces};
use crate::demand;
use crate::scheduler::Planner;
use crate::topology::Topology;
use crate::verify;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Planning is repeated this often for its median.
const REPEATS: usize = 21;

/// One machine over all workloads and seeds.
#[derive(Debug)]
pub(super) struct Row {
    name: String,
    cases: Vec<Case>,
}

/// One demand.
#[derive(Debug)]
struct Case {
    workload: String,
    /// Makespan over the exact optimum over channels (its proven lower end), in parts a million.
    over_optimum: u64,
    over_t_eff: u64,
    over_t_star: u64,
    median: Duration,
}

/// Plans every workload of `demand::eleven` with `seeds` seeds; each plan is verified.
pub(super) fn row(topology: &Topology, catalog: &Catalog, seeds: u64) -> Outcome<Row> {
    let ranks = topology.ranks.len();
    let specs: Vec<String> = (0..seeds).flat_map(demand::eleven).collect();
    // The exact optimum takes most of the time, so cases run side by side; the times of planning are
    // taken afterwards, alone.
    let cases: Vec<Outcome<Case>> = specs
        .par_iter()
        .map(|spec| {
            let demand = demand::parse_spec(spec, ranks)?;
            let mut planner = Planner::new(catalog).map_err(|e| internal(&e))?;
            let plan = planner.plan(&demand).map_err(|e| internal(&e))?;
            if let Err(faults) = verify::verify(topology, &demand, &plan) {
                let first = faults.first().map(ToString::to_string).unwrap_or_default();
                return Err(internal(&format!("{spec}: {first}")).into());
            }
            let exact = analyzer::exact_optimum(catalog, &demand, Paces::Solo, Some(plan.makespan))
                .map_err(|e| internal(&e))?;
            Ok(Case {
                workload: spec.clone(),
                over_optimum: ratio(plan.makespan, exact.lower),
                over_t_eff: ratio(plan.makespan, plan.bounds.t_eff),
                over_t_star: ratio(plan.makespan, plan.bounds.t_star),
                median: Duration::ZERO,
            })
        })
        .collect();
    let mut cases = cases.into_iter().collect::<Outcome<Vec<Case>>>()?;
    let mut planner = Planner::new(catalog).map_err(|e| internal(&e))?;
    for case in &mut cases {
        let demand = demand::parse_spec(&case.workload, ranks)?;
        let mut times: Vec<Duration> = (0..REPEATS)
            .map(|_| {
                let start = Instant::now();
                let plan = planner.plan(&demand);
                let time = start.elapsed();
                std::hint::black_box(plan).map(|_| time).map_err(|e| internal(&e))
            })
            .collect::<Result<_, _>>()?;
        times.sort_unstable();
        case.median = times[REPEATS / 2];
    }
    Ok(Row { name: topology.name.clone(), cases })
}

/// `time / bound` in parts a million, rounded up; one where both are zero.
fn ratio(time: Picos, bound: Picos) -> u64 {
    if bound.0 == 0 {
        return 1_000_000;
    }
    let parts = (u128::from(time.0) * 1_000_000).div_ceil(u128::from(bound.0));
    u64::try_from(parts).unwrap_or(u64::MAX)
}

/// Mean and largest of a figure over cases.
fn mean_and_worst(cases: &[Case], figure: impl Fn(&Case) -> u64) -> (u64, u64) {
    let sum: u128 = cases.iter().map(|case| u128::from(figure(case))).sum();
    let mean = sum / cases.len().max(1) as u128;
    (u64::try_from(mean).unwrap_or(u64::MAX), cases.iter().map(&figure).max().unwrap_or(0))
}

fn shown(parts: u64) -> String {
    // Four decimals, rounded up: a ratio above 1 never reads as 1.
    let tenths = parts.div_ceil(100);
    format!("{}.{:04}", tenths / 10_000, tenths % 10_000)
}

fn median_of(cases: &[Case]) -> (Duration, Duration) {
    let mut all: Vec<Duration> = cases.iter().map(|case| case.median).collect();
    all.sort_unstable();
    let median = all.get(all.len() / 2).copied().unwrap_or_default();
    (median, all.last().copied().unwrap_or_default())
}

/// The table for people.
pub(super) fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "makespan over          exact optimum      T_eff              T*                 planning us\n\
         machine         cases  mean    worst      mean    worst      mean    worst      median  worst  worst case\n",
    );
    for row in rows {
        let mut figures = String::new();
        for figure in [
            |case: &Case| case.over_optimum,
            |case: &Case| case.over_t_eff,
            |case: &Case| case.over_t_star,
        ] {
            let (mean, worst) = mean_and_worst(&row.cases, figure);
            let _ = write!(figures, "  {}  {}   ", shown(mean), shown(worst));
        }
        let (median, worst) = median_of(&row.cases);
        let worst_case = row.cases.iter().max_by_key(|case| case.over_optimum);
        let _ = writeln!(
            out,
            "{:<15} {:>5}{figures} {:>7.1} {:>6.1}  {}",
            row.name,
            row.cases.len(),
            median.as_secs_f64() * 1e6,
            worst.as_secs_f64() * 1e6,
            worst_case.map_or("", |case| &case.workload)
        );
    }
    out
}

/// The document `variopath-bench-plan/1`: every case.
pub(super) fn document(rows: &[Row]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let cases: Vec<Value> = row
                .cases
                .iter()
                .map(|case| {
                    json!({
                        "demand": case.workload,
                        "makespan_over_optimum_ppm": case.over_optimum,
                        "makespan_over_t_eff_ppm": case.over_t_eff,
                        "makespan_over_t_star_ppm": case.over_t_star,
                        "planning_median_ns": case.median.as_nanos() as u64,
                    })
                })
                .collect();
            json!({"topology": row.name, "cases": cases})
        })
        .collect();
    json!({"format": "variopath-bench-plan/1", "repeats": REPEATS, "rows": rows})
}
