//! Planning time: six machines, eleven workloads, one thread.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use variopath::demand::eleven;
use variopath::scheduler::Planner;

#[path = "../tests/plan_support/mod.rs"]
mod plan_support;

fn plan(criterion: &mut Criterion) {
    for name in plan_support::NAMES {
        let topology = plan_support::topology(name);
        let mut planner = Planner::new(&plan_support::catalog(&topology)).expect("a good catalog");
        let mut group = criterion.benchmark_group(format!("plan/{name}"));
        group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
        for spec in eleven(1) {
            let demand = plan_support::demand(&spec, topology.ranks.len());
            let workload = spec.trim_end_matches("seed=1").trim_end_matches([',', ':']);
            group.bench_function(workload, |bencher| {
                bencher.iter(|| planner.plan(black_box(&demand)).expect("a plan"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, plan);
criterion_main!(benches);
