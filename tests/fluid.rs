//! Fair shares and transfers in time: cases worked out by hand, what always holds, and a second
//! implementation that moves bytes in small steps of time.

use proptest::prelude::*;
use variopath::base::{Bytes, BytesPerSecond, Mode, Picos};
use variopath::fluid::{Curve, Flow, Hampering, Offer, Queue, Shares, Stuck, Task, run};

const GB: u64 = 1_000_000_000;

fn offer(gigabytes: u64) -> Offer {
    Offer { capacity: BytesPerSecond(gigabytes * GB), curves: Vec::new() }
}

fn flow(over: &[u32]) -> Flow {
    let takes = over.iter().map(|&at| (at, 1)).collect();
    Flow { takes, most: BytesPerSecond(1000 * GB), mode: Mode::Push }
}

fn task(flow: u32, bytes: u64, after: &[u32]) -> Task {
    Task { flow: Some(flow), bytes: Bytes(bytes), after: after.to_vec(), ..Task::default() }
}

/// Ends in microseconds, where each is a whole number of them.
fn ends(shares: &Shares, tasks: &[Task], queues: &[Queue]) -> Vec<u64> {
    let line = run(shares, tasks, queues, |_, _, _| {}).expect("an end");
    line.ends
        .iter()
        .map(|end| {
            let micros = (end.0 + 500_000) / 1_000_000;
            assert!(end.0.abs_diff(micros * 1_000_000) < 10, "{end:?}");
            micros
        })
        .collect()
}

#[test]
fn flows_of_one_link_share_it() {
    let flows = (0..4).map(|_| flow(&[0])).collect();
    let shares = Shares::new(vec![offer(20)], flows, &[]);
    assert_eq!(shares.rates(&[0, 1, 2, 3]), [BytesPerSecond(5 * GB); 4]);
    assert_eq!(shares.rates(&[2]), [BytesPerSecond(20 * GB)]);
    let tasks: Vec<Task> = (0..4).map(|at| task(at, 1_000_000, &[])).collect();
    assert_eq!(ends(&shares, &tasks, &[]), [200; 4]);
    // The short ones leave their shares to the long one: 1 MB each at 5, then 1 MB more alone at 20.
    let mut tasks = tasks;
    tasks[3].bytes = Bytes(2_000_000);
    assert_eq!(ends(&shares, &tasks, &[]), [200, 200, 200, 250]);
}

#[test]
fn a_chain_of_bottlenecks_is_filled_from_the_narrowest() {
    // Links of 10, 20 and 60; flow 0 over all, 1 over the first, 2 and 3 over the second, 4 over the third.
    let flows = vec![flow(&[0, 1, 2]), flow(&[0]), flow(&[1]), flow(&[1]), flow(&[2])];
    let shares = Shares::new(vec![offer(10), offer(20), offer(60)], flows, &[]);
    let rates: Vec<u64> = shares.rates(&[0, 1, 2, 3, 4]).iter().map(|rate| rate.0).collect();
    assert_eq!(rates, [5 * GB, 5 * GB, 7_500_000_000, 7_500_000_000, 55 * GB]);
    // Slow of itself, the first leaves more to those beside it.
    let mut flows = shares.flows().to_vec();
    flows[0].most = BytesPerSecond(2 * GB);
    let shares = Shares::new(shares.offers().to_vec(), flows, &[]);
    let rates: Vec<u64> = shares.rates(&[4, 0, 1, 3]).iter().map(|rate| rate.0).collect();
    assert_eq!(rates, [58 * GB, 2 * GB, 8 * GB, 18 * GB]);
}

#[test]
fn what_a_link_has_depends_on_how_many_share_it() {
    let curve = |mode, steps: &[(u64, u64)]| Curve {
        mode,
        steps: steps.iter().map(|&(from, rate)| (from, BytesPerSecond(rate * GB))).collect(),
    };
    let curves = vec![curve(Some(Mode::Pull), &[(2, 10)]), curve(None, &[(3, 18)])];
    let link = Offer { capacity: BytesPerSecond(20 * GB), curves };
    let mut flows = vec![flow(&[0]), flow(&[0]), flow(&[0])];
    flows[0].mode = Mode::Pull;
    let shares = Shares::new(vec![link.clone()], flows.clone(), &[]);
    assert_eq!(shares.rates(&[0, 1]), [BytesPerSecond(10 * GB); 2]);
    assert_eq!(shares.rates(&[0, 1, 2]), [BytesPerSecond(6 * GB); 3]);
    flows[1].mode = Mode::Pull;
    let shares = Shares::new(vec![link], flows, &[]);
    assert_eq!(shares.rates(&[0, 1]), [BytesPerSecond(5 * GB); 2]);
}

#[test]
fn flows_that_hamper_each_other_collapse_together() {
    let flows = vec![flow(&[0]), flow(&[1]), flow(&[2])];
    let pairs = [
        Hampering { a: 0, b: 1, together: BytesPerSecond(3 * GB) },
        Hampering { a: 1, b: 2, together: BytesPerSecond(2 * GB) },
    ];
    let shares = Shares::new(vec![offer(10), offer(10), offer(10)], flows, &pairs);
    assert_eq!(shares.rates(&[0, 2]), [BytesPerSecond(10 * GB); 2]);
    assert_eq!(shares.rates(&[0, 1]), [BytesPerSecond(1_500_000_000); 2]);
    // All three hang together by the one in the middle.
    assert_eq!(shares.rates(&[0, 1, 2]), [BytesPerSecond(2 * GB / 3); 3]);
}

/// Chunks over two links: each is on the second while the next is on the first.
#[test]
fn stored_and_forwarded_chunks_overlap() {
    let shares = Shares::new(vec![offer(10), offer(5)], vec![flow(&[0]), flow(&[1])], &[]);
    let mut tasks = Vec::new();
    for chunk in 0u32..8 {
        let before: Vec<u32> = (chunk > 0).then(|| 2 * chunk - 2).into_iter().collect();
        tasks.push(task(0, 1_000_000, &before));
        let mut after = vec![2 * chunk];
        after.extend((chunk > 0).then(|| 2 * chunk - 1));
        tasks.push(task(1, 1_000_000, &after));
    }
    // 100 us until the first is over, then 8 times 200.
    assert_eq!(*ends(&shares, &tasks, &[]).last().expect("one"), 1700);
    // With one place between them a chunk waits until the one before has gone on.
    for chunk in 1u32..8 {
        tasks[2 * chunk as usize].after.push(2 * chunk - 1);
    }
    assert_eq!(*ends(&shares, &tasks, &[]).last().expect("one"), 8 * 300);
}

#[test]
fn queues_delays_and_empty_tasks() {
    let shares = Shares::new(vec![offer(10)], vec![flow(&[0])], &[]);
    let mut tasks: Vec<Task> = (0..4).map(|_| task(0, 1_000_000, &[])).collect();
    for task in &mut tasks {
        (task.queue, task.delay) = (Some(0), Picos(3_000_000));
    }
    // Two at a time, each at half the rate; what waits in a queue has its delay behind it.
    assert_eq!(ends(&shares, &tasks, &[Queue { width: 2 }]), [203, 203, 403, 403]);
    assert_eq!(ends(&shares, &tasks, &[Queue { width: 1 }]), [103, 203, 303, 403]);
    // A barrier carries nothing.
    let barrier = Task { after: vec![0, 1], delay: Picos(1_000_000), ..Task::default() };
    let tasks = [task(0, 1_000_000, &[]), task(0, 2_000_000, &[]), barrier, task(0, 1, &[2])];
    let line = run(&shares, &tasks, &[], |_, _, _| {}).expect("an end");
    assert_eq!(line.ends[2], Picos(301_000_000));
    assert_eq!(line.ends[3], Picos(301_000_100));
    // The head of a queue is not overtaken, so that these two wait for each other.
    let mut tasks = [task(0, 1, &[1]), task(0, 1, &[])];
    tasks.iter_mut().for_each(|task| task.queue = Some(0));
    let stuck = run(&shares, &tasks, &[Queue { width: 2 }], |_, _, _| {});
    assert_eq!(stuck, Err(Stuck::Circle(0)));
}

/// Resources, flows over them, and tasks that come after earlier ones.
fn scene() -> impl Strategy<Value = (Vec<Offer>, Vec<Flow>, Vec<Task>)> {
    let flows =
        prop::collection::vec((prop::collection::btree_set(0u32..6, 1..4), 1u64..40), 1..10);
    let tasks = prop::collection::vec(
        (any::<prop::sample::Index>(), 1u64..2000, 0u32..3, any::<prop::sample::Index>()),
        1..16,
    );
    let offers = prop::collection::vec((1u64..50, 1u64..4, 50u64..100), 6);
    (offers, flows, tasks).prop_map(|(offers, flows, tasks)| {
        let offers = offers.into_iter().map(|(capacity, from, part)| Offer {
            capacity: BytesPerSecond(capacity * GB),
            curves: vec![Curve {
                mode: None,
                steps: vec![(from, BytesPerSecond(capacity * GB / 100 * part))],
            }],
        });
        let flows: Vec<Flow> = flows
            .into_iter()
            .map(|(over, most)| Flow {
                takes: over.into_iter().map(|at| (at, 1 + at % 2)).collect(),
                most: BytesPerSecond(most * GB),
                mode: Mode::Push,
            })
            .collect();
        let mut made: Vec<Task> = Vec::new();
        for (flow, kilobytes, delay, before) in tasks {
            let after = match made.len() {
                0 => Vec::new(),
                n if before.index(3) > 0 => vec![before.index(n) as u32],
                _ => Vec::new(),
            };
            made.push(Task {
                flow: Some(flow.index(flows.len()) as u32),
                bytes: Bytes(kilobytes * 1000),
                after,
                delay: Picos(u64::from(delay) * 1_000_000),
                queue: None,
            });
        }
        (offers.collect(), flows, made)
    })
}

/// Max-min fair rates by raising all at once in small steps, in floating point.
fn raised(offers: &[Offer], flows: &[Flow], running: &[usize]) -> Vec<f64> {
    let room: Vec<f64> = (0..offers.len())
        .map(|at| {
            let count =
                running.iter().filter(|&&f| flows[f].takes.iter().any(|t| t.0 as usize == at));
            let count = count.count() as u64;
            let steps = offers[at].curves.iter().flat_map(|curve| &curve.steps);
            let reached = steps.filter(|step| step.0 <= count).map(|step| step.1.0).min();
            reached.unwrap_or(offers[at].capacity.0) as f64
        })
        .collect();
    let mut rates = vec![0.0; running.len()];
    let mut is_open = vec![true; running.len()];
    while is_open.contains(&true) {
        // How much further all open ones may rise until something is full.
        let mut rise = f64::INFINITY;
        for (at, room) in room.iter().enumerate() {
            let (mut used, mut weight) = (0.0, 0.0);
            for (index, &flow) in running.iter().enumerate() {
                for &(_, times) in flows[flow].takes.iter().filter(|take| take.0 as usize == at) {
                    used += rates[index] * f64::from(times);
                    weight += if is_open[index] { f64::from(times) } else { 0.0 };
                }
            }
            if weight > 0.0 {
                rise = rise.min((room - used).max(0.0) / weight);
            }
        }
        for (index, &flow) in running.iter().enumerate().filter(|(index, _)| is_open[*index]) {
            rise = rise.min(flows[flow].most.0 as f64 - rates[index]);
        }
        for (index, rate) in rates.iter_mut().enumerate() {
            *rate += if is_open[index] { rise } else { 0.0 };
        }
        let used = |at: usize, rates: &[f64]| -> f64 {
            let of = running.iter().zip(rates).flat_map(|(&flow, rate)| {
                let takes = flows[flow].takes.iter().filter(move |take| take.0 as usize == at);
                takes.map(move |take| rate * f64::from(take.1))
            });
            of.sum()
        };
        for (index, &flow) in running.iter().enumerate() {
            let is_full = flows[flow].takes.iter().any(|take| {
                let at = take.0 as usize;
                used(at, &rates) >= room[at] * (1.0 - 1e-9)
            });
            if is_full || rates[index] >= flows[flow].most.0 as f64 * (1.0 - 1e-9) {
                is_open[index] = false;
            }
        }
    }
    rates
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Bytes are conserved, nothing has more than it offers, and no resource carries its bytes faster
    /// than it can.
    #[test]
    fn nothing_is_lost_or_overfilled((offers, flows, tasks) in scene()) {
        let shares = Shares::new(offers.clone(), flows.clone(), &[]);
        let mut moved = vec![0u128; tasks.len()];
        let mut last = Picos(0);
        let line = run(&shares, &tasks, &[], |from, to, rates| {
            assert!(last <= from && from < to);
            last = to;
            let mut load = vec![0u64; offers.len()];
            for &(task, rate) in rates {
                moved[task as usize] += u128::from(rate) * u128::from(to.0 - from.0);
                for &(at, times) in &flows[tasks[task as usize].flow.expect("one") as usize].takes {
                    load[at as usize] += rate * u64::from(times);
                }
            }
            for (load, offer) in load.iter().zip(&offers) {
                assert!(*load <= offer.capacity.0, "{load} of {offer:?}");
            }
        }).expect("an end");
        for (at, task) in tasks.iter().enumerate() {
            let wanted = u128::from(task.bytes.0) * 1_000_000_000_000;
            // The last stretch is rounded up to a whole picosecond.
            prop_assert!(moved[at] >= wanted && moved[at] < wanted + u128::from(60 * GB));
            let before = task.after.iter().map(|&other| line.ends[other as usize]).max();
            let ready = before.unwrap_or_default().0 + task.delay.0;
            prop_assert_eq!(line.starts[at].0, ready);
        }
        for (at, offer) in offers.iter().enumerate() {
            let bytes: u64 = tasks.iter().map(|task| {
                let takes = &flows[task.flow.expect("one") as usize].takes;
                let times = takes.iter().find(|take| take.0 as usize == at).map_or(0, |take| take.1);
                task.bytes.0 * u64::from(times)
            }).sum();
            let least = u128::from(bytes) * 1_000_000_000_000 / u128::from(offer.capacity.0);
            prop_assert!(u128::from(line.makespan().0) >= least);
        }
    }

    /// Steps of time of a two-thousandth of the whole, with rates found another way.
    #[test]
    fn small_steps_of_time_agree((offers, flows, tasks) in scene()) {
        let shares = Shares::new(offers.clone(), flows.clone(), &[]);
        let line = run(&shares, &tasks, &[], |_, _, _| {}).expect("an end");
        let step = line.makespan().0 as f64 * 1e-12 / 2000.0;
        let mut left: Vec<f64> = tasks.iter().map(|task| task.bytes.0 as f64).collect();
        let mut ends = vec![f64::INFINITY; tasks.len()];
        let mut now = 0.0;
        while ends.iter().any(|end| end.is_infinite()) {
            let is_ready = |task: &Task| {
                let ended = task.after.iter().map(|&at| ends[at as usize]).fold(0.0, f64::max);
                ended + task.delay.0 as f64 * 1e-12 <= now + step / 2.0
            };
            let running: Vec<usize> =
                (0..tasks.len()).filter(|&at| left[at] > 0.0 && is_ready(&tasks[at])).collect();
            let over: Vec<usize> =
                running.iter().map(|&at| tasks[at].flow.expect("one") as usize).collect();
            for (&at, rate) in running.iter().zip(raised(&offers, &flows, &over)) {
                left[at] -= rate * step;
                if left[at] <= 0.0 {
                    ends[at] = now + step;
                }
            }
            now += step;
        }
        let found = ends.iter().copied().fold(0.0, f64::max);
        let wanted = line.makespan().0 as f64 * 1e-12;
        prop_assert!((found - wanted).abs() <= 0.01 * wanted, "{} {}", found, wanted);
    }
}
