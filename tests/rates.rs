//! Solo rates that fit, and bounds of pairs that caps hold back.

mod support;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use support::{Stages, machine_of, stages_of};
use variopath::analyzer::{critical_name, outline};
use variopath::base::{Demand, LinkId, Picos};
use variopath::catalog::bounds;
use variopath::demand::parse_spec;
use variopath::diagnostics::Sources;
use variopath::scheduler::{Planner, name_steps};
use variopath::{catalog, dsl, topology, verify};

/// Two sockets with `gpus` each: the rates between sockets and of GPUs in GB/s.
fn sockets(gpus: usize, across: &str, each: &str, rules: &str) -> String {
    format!(
        "topology \"box\"\nsocket s[2]\ngpu g[{}]\ns[0] -- s[1] : {across} GB/s\n\
         g[k] -- s[k/{gpus}] : {each} GB/s\n{rules}\n",
        2 * gpus
    )
}

/// The solo rates of the routes from the first GPU, in units of 1000 bytes a second.
fn solo(text: &str) -> Vec<u64> {
    let mut sources = Sources::new();
    let (file, machine) = machine_of(&mut sources, "box.topo", text);
    let built = topology::build(&machine, dsl::digest(&file)).expect("a topology");
    let catalog = outline(&built.topology).expect("a catalog");
    let own = catalog.routes.iter().filter(|route| route.src.0 == 0);
    own.map(|route| route.rate.0 / 1000).collect()
}

fn plan_holds(stages: &Stages, demand: &Demand) -> Picos {
    let mut plan = Planner::new(&stages.catalog).expect("a planner").plan(demand).expect("a plan");
    name_steps(&stages.catalog, &mut plan, &mut catalog::Locator::new(&stages.catalog))
        .expect("channels");
    let document = catalog::PlanDocument::new(&stages.topology.name, &plan);
    verify::verify_claim(&stages.topology, &stages.catalog, demand, &document).expect("it holds");
    plan.makespan
}

#[test]
fn a_rate_that_overfills_a_link_by_little_is_scaled_to_fit() {
    let uniform = parse_spec("uniform:1MiB", 6).expect("a demand");
    // 2 x 20.4 are 2 % more than 40: two of three pairs across run at once.
    let near_text = sockets(3, "40", "20.4", "");
    let near = stages_of("box.topo", &near_text);
    assert_eq!(solo(&near_text), [20_400_000, 20_400_000, 20_000_000, 20_000_000, 20_000_000]);
    assert!(near.catalog.two_rate.is_none());
    let scaled = plan_holds(&near, &uniform);
    // A little more, and one runs after the other.
    let beyond_text = sockets(3, "40", "20.41", "");
    let beyond = stages_of("box.topo", &beyond_text);
    assert_eq!(solo(&beyond_text), [20_410_000; 5]);
    assert!(plan_holds(&beyond, &uniform).0 > scaled.0 * 3 / 2);
    // Less than full is no reason.
    assert_eq!(solo(&sockets(3, "40", "19.9", "")), [19_900_000; 5]);
}

#[test]
fn caps_and_multiplicities_count() {
    // Only pairs of the class are capped, to what overfills the link.
    let capped = sockets(3, "40", "25", "cap cross : 20.2 GB/s");
    assert_eq!(solo(&capped), [25_000_000, 25_000_000, 20_000_000, 20_000_000, 20_000_000]);
    // Memory is written and read: 61 GB/s are 30.5 for transfers, three at 10.3 are 1.3 % more.
    let bounced = "peer none\ncap bounce : 10.3 GB/s\nset s[*] { memory 61 GB/s }";
    assert_eq!(solo(&sockets(3, "40", "25", bounced)), [10_166_666; 5]);
    // Two pairs cross, so that three at this rate never meet.
    let few = sockets(1, "40", "25", "cap cross : 13.4 GB/s");
    assert_eq!(solo(&few), [13_400_000]);
}

#[test]
fn one_share_after_the_other_and_never_more_than_the_tolerance() {
    let chain = |second: &str| {
        let text = format!(
            "topology \"chain\"\nswitch v[3]\ngpu g[10]\nv[0] -- v[1] : 40 GB/s\n\
             v[1] -- v[2] : {second} GB/s\ng[0..5] -- v[0] : 10.15 GB/s\ng[5..10] -- v[2] : 10.15 GB/s\n"
        );
        solo(&text)[4]
    };
    // First to a quarter of 40, and by that no further.
    assert_eq!(chain("80"), 10_000_000);
    // To 10, which overfills 29.8 by another 0.7 %; in all 2.2 % over 9.93 is too much.
    assert_eq!(chain("29.8"), 10_000_000);
    assert_eq!(chain("29.9"), 9_966_666);
}

/// On random boxes whose links hold nearly a whole number of transfers: no route loses more than the
/// tolerance, each that loses something fills a resource, and where `n` transfers of a link were beyond
/// it by no more, `n` fit.
#[test]
fn transfers_that_nearly_fit_fit_and_others_keep_their_rates() {
    let random = &mut ChaCha8Rng::seed_from_u64(5);
    let (mut slower, mut same, mut filled) = (0, 0, 0);
    for _ in 0..300 {
        let mut near = |of: u64| {
            let thousandths = random.random_range(970..1030);
            format!("{:.3}", (of * thousandths) as f64 / 1000.0)
        };
        let (across, each, switch) = (near(40), near(20), near(60));
        let text = format!(
            "topology \"box\"\nsocket s[2]\nswitch w\ngpu g[7]\ns[0] -- s[1] : {across} GB/s\n\
             g[0..2] -- s[0] : {each} GB/s\ng[2..4] -- s[1] : {each} GB/s\nw -- s[1] : {switch} GB/s\ng[4..7] -- w : {} GB/s\n{}\n",
            near(20),
            ["", "total w : 61 GB/s", "total s[0] -- s[1] : 59 GB/s"][random.random_range(0..3)]
        );
        let mut sources = Sources::new();
        let (file, machine) = machine_of(&mut sources, "box.topo", &text);
        let built = topology::build(&machine, dsl::digest(&file)).expect("a topology").topology;
        let catalog = outline(&built).expect("a catalog");
        let capacity = |id: LinkId| built.resources[id.index()].capacity.expect("known").0;
        for (route, planned) in built.routes.iter().zip(&catalog.routes) {
            let (alone, rate) = (route.rate.0, planned.rate.0);
            assert!(rate <= alone && alone * 100 <= (rate + 1) * 102, "{alone} {rate}\n{text}");
            let mut taken = route.takes();
            let fills = |id| {
                let count = capacity(id).div_ceil(rate + 1);
                count * rate <= capacity(id) && capacity(id) < count * (rate + 1)
            };
            assert!(rate == alone || taken.any(fills), "{alone} {rate}\n{text}");
            slower += usize::from(rate < alone);
            same += usize::from(rate == alone);
        }
        for id in (0..built.resources.len()).map(LinkId::new) {
            let over: Vec<usize> = (0..built.routes.len())
                .filter(|&at| built.routes[at].takes().any(|other| other == id))
                .collect();
            let alike = over.iter().all(|&at| built.routes[at].rate == built.routes[over[0]].rate);
            let Some(&first) = over.first().filter(|_| alike) else { continue };
            let alone = built.routes[first].rate.0;
            let count = capacity(id).div_ceil(alone);
            let is_near = alone * count * 100 <= capacity(id) * 102;
            if is_near && count > 1 && count <= over.len() as u64 {
                let total: u64 =
                    (over.iter().map(|&at| catalog.routes[at].rate.0)).take(count as usize).sum();
                assert!(total <= capacity(id), "{total} {}\n{text}", built.resource_name(id));
                filled += 1;
            }
        }
    }
    assert!(slower > 500 && same > 500 && filled > 100, "{slower} {same} {filled}");
}

#[test]
fn a_capped_pair_bounds_an_exchange() {
    let stages = stages_of("box.topo", &sockets(2, "40", "25", "cap cross : 4 GB/s"));
    let mut bytes = vec![0; 16];
    bytes[3] = 1 << 19;
    bytes[4 + 2] = 1 << 20;
    let only = Demand::new(4, bytes).expect("a demand");
    let found = bounds(&stages.catalog, &only).expect("bounds");
    // 1 MiB at 4 GB/s.
    assert_eq!((found.t_star, found.t_eff), (Picos(262_144_000), Picos(262_144_000)));
    let name = critical_name(&stages.topology, &found);
    assert_eq!(name.as_deref(), Some("g[1] -> s[0] (its own rate holds g[1] -> g[2] back)"));
    assert_eq!(plan_holds(&stages, &only), found.t_eff);
    // With more across, the link is what counts.
    let uniform = parse_spec("uniform:1MiB", 4).expect("a demand");
    let found = bounds(&stages.catalog, &uniform).expect("bounds");
    assert_eq!(found.alone, None);
}
