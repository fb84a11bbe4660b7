mod common;
use std::time::Instant;
use variopath::scheduler::Planner;
#[test]
fn explore() {
    for name in common::NAMES {
        let topology = common::topology(name);
        let catalog = common::catalog(&topology);
        let mut planner = Planner::new(&catalog).unwrap();
        let (mut gsum, mut gworst, mut gcount) = (0.0, 0.0f64, 0);
        for kind in common::WORKLOADS {
            let (mut sum, mut worst, mut times) = (0.0, 0.0f64, vec![]);
            for seed in 1..=8 {
                let demand = common::demand(kind, topology.ranks.len(), seed);
                let plan = planner.plan(&demand).unwrap();
                for _ in 0..21 { let t = Instant::now(); std::hint::black_box(planner.plan(&demand).unwrap()); times.push(t.elapsed().as_nanos()); }
                let r = if plan.bounds.t_eff.0 == 0 { 1.0 } else { plan.makespan.0 as f64 / plan.bounds.t_eff.0 as f64 };
                sum += r; worst = worst.max(r);
                gsum += r; gworst = gworst.max(r); gcount += 1;
            }
            times.sort();
            println!("{name} {kind:14} mean {:.4} worst {:.4} median {:.1} us", sum / 8.0, worst, times[times.len()/2] as f64 / 1e3);
        }
        println!("{name} ALL mean {:.4} worst {:.4}", gsum / gcount as f64, gworst);
    }
}
