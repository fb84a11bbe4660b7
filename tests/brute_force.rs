//! The analyzer against brute force on small machines with mixed widths.

mod support;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use support::{Stages, stages_of};
use variopath::catalog::Catalog;

/// Up to two sockets, at most one switch, three or four GPUs; widths from a small set, so that some
/// machines have symmetry and some links fit several transfers.
fn random_machine(random: &mut ChaCha8Rng) -> String {
    let rates = ["10 GB/s", "20 GB/s", "25 GB/s", "40 GB/s"];
    let mut rate = |few: usize| rates[random.random_range(0..few)];
    let mut text = String::from("topology \"small\"\nsocket s[2]\nswitch w\n");
    let _ = writeln!(text, "s[0] -- s[1] : {}\nw -- s[1] : {}", rate(4), rate(4));
    let widths: Vec<&str> = (0..4).map(|_| rate(2)).collect();
    let gpus = random.random_range(3..=4);
    let _ = writeln!(text, "gpu g[{gpus}]");
    for (gpu, width) in widths.iter().enumerate().take(gpus) {
        let parent = ["s[0]", "s[1]", "w"][random.random_range(0..3)];
        let _ = writeln!(text, "g[{gpu}] -- {parent} : {width}");
    }
    text
}

fn fits(catalog: &Catalog, set: u32) -> bool {
    let mut load = vec![0; catalog.links.len()];
    for (index, route) in catalog.routes.iter().enumerate() {
        if set >> index & 1 == 1 {
            for link in &route.links {
                load[link.index()] += route.rate.0;
            }
        }
    }
    load.iter().zip(&catalog.links).all(|(load, link)| *load <= link.capacity.expect("known").0)
}

fn maximal_channels(catalog: &Catalog) -> usize {
    let routes = catalog.routes.len();
    let fitting: Vec<bool> = (0..1u32 << routes).map(|set| fits(catalog, set)).collect();
    (0..1u32 << routes)
        .filter(|&set| {
            fitting[set as usize]
                && (0..routes).all(|r| set >> r & 1 == 1 || !fitting[(set | 1 << r) as usize])
        })
        .count()
}

fn group_order(catalog: &Catalog) -> usize {
    let n = catalog.vertices.len();
    let mut between = vec![None; n * n];
    for link in &catalog.links {
        between[link.from as usize * n + link.to as usize] = Some(link.capacity);
    }
    fn extend(
        catalog: &Catalog,
        between: &[Option<Option<variopath::base::BytesPerSecond>>],
        image: &mut Vec<usize>,
    ) -> usize {
        let n = catalog.vertices.len();
        let at = image.len();
        if at == n {
            return 1;
        }
        let mut count = 0;
        for candidate in 0..n {
            if image.contains(&candidate)
                || catalog.vertices[at].colour != catalog.vertices[candidate].colour
            {
                continue;
            }
            let agrees = (0..at).all(|other| {
                between[at * n + other] == between[candidate * n + image[other]]
                    && between[other * n + at] == between[image[other] * n + candidate]
            });
            if agrees {
                image.push(candidate);
                count += extend(catalog, between, image);
                image.pop();
            }
        }
        count
    }
    extend(catalog, &between, &mut Vec::new())
}

#[test]
fn channels_and_symmetry_equal_brute_force() {
    let mut random = ChaCha8Rng::seed_from_u64(20);
    for case in 0..60 {
        let text = random_machine(&mut random);
        let Stages { catalog, .. } = stages_of("small.topo", &text);
        assert_eq!(catalog.channels, maximal_channels(&catalog).to_string(), "{case}:\n{text}");
        assert_eq!(catalog.order, group_order(&catalog).to_string(), "{case}:\n{text}");
    }
}

#[test]
fn a_catalog_that_claims_too_much_fails_its_proof() {
    let stages = support::stages("b");
    let proven = stages.catalog;
    variopath::catalog::check(&proven).expect("it holds");
    let broken = |change: &dyn Fn(&mut Catalog)| {
        let mut catalog = proven.clone();
        change(&mut catalog);
        variopath::catalog::check(&catalog).expect_err("it does not hold").to_string()
    };
    let faults = [
        broken(&|c| {
            c.orbits[3].representative.0.pop();
        }),
        broken(&|c| c.order = "64".to_owned()),
        broken(&|c| c.generators[0].swap(0, 3)),
        broken(&|c| c.orbits[1] = c.orbits[0].clone()),
        broken(&|c| c.routes[0].rate.0 += 1),
        broken(&|c| {
            c.orbits.pop();
        }),
    ];
    insta::assert_snapshot!("catalog_faults", faults.join("\n"));
}
