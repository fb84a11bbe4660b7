//! The matrices of the kinds.

use super::fault::{Fault, MAX_GENERATED_RANKS};
use super::random::Random;
use super::spec::Values;
use crate::base::{Demand, DemandError};

/// The demand that the values stand for; its diagonal is zero.
pub(super) fn generate(values: &Values, ranks: usize) -> Result<Demand, Fault> {
    if ranks > MAX_GENERATED_RANKS {
        return Err(Fault::TooManyRanks { ranks });
    }
    match values.kind() {
        "uniform" => {
            let size = values.size("size")?;
            fill(ranks, |_, _| size)
        }
        "zipf" => zipf(values, ranks),
        "permutation" => {
            let size = values.size("size")?;
            let mut random = Random::new(values.seed()?, values.kind());
            let receivers = derangement(ranks, &mut random);
            fill(ranks, |src, dst| if receivers[src] == dst { size } else { 0 })
        }
        "hot-receiver" => {
            let hot = rank(values, ranks)?;
            let factor = values.whole("factor", 0, 1_000_000)?;
            let (min, max) = values.range()?;
            let mut random = Random::new(values.seed()?, values.kind());
            fill(ranks, |_, dst| {
                let size = random.between(min, max);
                if dst == hot { size.saturating_mul(factor) } else { size }
            })
        }
        "sparse" => {
            let probability = values.real("probability", 1)?;
            let (min, max) = values.range()?;
            let mut random = Random::new(values.seed()?, values.kind());
            fill(ranks, |_, _| {
                // Both numbers are drawn for every pair, so that a higher probability only adds.
                let (chance, size) = (random.fraction(), random.between(min, max));
                if chance < probability { size } else { 0 }
            })
        }
        "silent" => {
            let silent = rank(values, ranks)?;
            let size = values.size("size")?;
            fill(ranks, |src, dst| if src == silent || dst == silent { 0 } else { size })
        }
        "block" | "random" => {
            let (min, max) = values.range()?;
            let mut random = Random::new(values.seed()?, values.kind());
            fill(ranks, |_, _| random.between(min, max))
        }
        "log-uniform" => {
            let (min, max) = values.range()?;
            let mut random = Random::new(values.seed()?, values.kind());
            let (low, high) = (min.max(1), max.max(1));
            let span = libm::log2(high as f64 / low as f64);
            fill(ranks, |_, _| {
                let size = low as f64 * libm::exp2(span * random.fraction());
                (size as u64).clamp(low, high)
            })
        }
        _ => fill(ranks, |_, _| 0),
    }
}

/// A demand by pairs, in the order of rows; the diagonal is zero and not asked for.
fn fill(ranks: usize, mut size: impl FnMut(usize, usize) -> u64) -> Result<Demand, Fault> {
    let mut bytes = Vec::with_capacity(ranks * ranks);
    for src in 0..ranks {
        for dst in 0..ranks {
            bytes.push(if src == dst { 0 } else { size(src, dst) });
        }
    }
    Ok(Demand::new(ranks, bytes)?)
}

/// The rank that the values name; a default beyond the last rank becomes the last.
fn rank(values: &Values, ranks: usize) -> Result<usize, Fault> {
    let rank = values.whole("rank", 0, u64::MAX)?;
    match usize::try_from(rank) {
        Ok(rank) if rank < ranks => Ok(rank),
        _ if values.text("rank").1 => Err(Fault::NoRank { rank, ranks }),
        _ => Ok(ranks.saturating_sub(1)),
    }
}

/// A random permutation of one cycle, so that nobody keeps its place (Sattolo).
fn derangement(ranks: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks).collect();
    for last in (1..ranks).rev() {
        let other = random.below(last as u64) as usize;
        order.swap(last, other);
    }
    order
}

/// Each token goes to `topk` different experts, drawn by popularity, and one copy of it travels
/// for each; which expert is popular is the same for all ranks.
fn zipf(values: &Values, ranks: usize) -> Result<Demand, Fault> {
    let exponent = values.real("exponent", 10)?;
    let tokens = values.whole("tokens", 0, 65_536)?;
    let topk = values.whole("topk", 1, 64)?;
    let experts = values.whole("experts", 1, 65_536)?;
    let hidden = values.whole("hidden", 1, 1 << 20)?;
    let token_bytes = hidden * values.element_bytes()?;
    if topk > experts {
        return Err(Fault::FewExperts { topk, experts });
    }
    let mut random = Random::new(values.seed()?, values.kind());
    // Weights are whole numbers, so that sums and comparisons are exact.
    let scale = (1u64 << 40) as f64;
    let mut weights: Vec<u64> = (1..=experts)
        .map(|place| (scale * libm::pow(place as f64, -exponent)) as u64)
        .map(|weight| weight.max(1))
        .collect();
    random.shuffle(&mut weights);
    let ends: Vec<u64> = weights
        .iter()
        .scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect();
    let total = ends.last().copied().unwrap_or_default();
    let mut counts = vec![0u64; ranks * ranks];
    let mut chosen: Vec<usize> = Vec::new();
    for src in 0..ranks {
        for _ in 0..tokens {
            chosen.clear();
            while (chosen.len() as u64) < topk {
                let expert = draw(&weights, &ends, total, &chosen, &mut random);
                chosen.push(expert);
                let dst = expert * ranks / weights.len();
                counts[src * ranks + dst] += 1;
            }
        }
    }
    let overflow = DemandError::Total { total: u128::from(u64::MAX) };
    let bytes: Option<Vec<u64>> = counts
        .iter()
        .enumerate()
        .map(
            |(i, count)| {
                if i / ranks == i % ranks { Some(0) } else { count.checked_mul(token_bytes) }
            },
        )
        .collect();
    Ok(Demand::new(ranks, bytes.ok_or(overflow)?)?)
}

/// An expert that is not among the `chosen`, by weight.
fn draw(weights: &[u64], ends: &[u64], total: u64, chosen: &[usize], random: &mut Random) -> usize {
    // Drawing again is fast unless the chosen ones hold nearly all the weight.
    for _ in 0..8 {
        let at = random.below(total);
        let expert = ends.partition_point(|&end| end <= at);
        if !chosen.contains(&expert) {
            return expert;
        }
    }
    let left: u64 = total - chosen.iter().map(|&expert| weights[expert]).sum::<u64>();
    let mut at = random.below(left);
    for (expert, &weight) in weights.iter().enumerate() {
        if chosen.contains(&expert) {
            continue;
        }
        if at < weight {
            return expert;
        }
        at -= weight;
    }
    0 // not reached: `at` is below the weight of those left
}
