//! One snapshot a stage for each test platform, so that a difference shows which stage moved.

mod support;

use std::fmt::Write as _;
use support::{PLATFORMS, Stages, stages};
use variopath::base::{Digest, Rank};
use variopath::catalog::{Channel, Locator};
use variopath::scheduler::{self, Planner};
use variopath::{bundle, codegen, demand, dsl, topology};

/// The fixed demand of the plan snapshots.
const DEMAND: &str = "random:seed=1";
/// At most this many lines of a stage are shown; a digest stands for the rest.
const SHOWN: usize = 160;

fn shorten(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= SHOWN {
        return text.to_owned();
    }
    let rest = lines[SHOWN..].join("\n");
    let digest = Digest::of(rest.as_bytes());
    let left = lines.len() - SHOWN;
    format!("{}\n… {left} more lines, digest {}\n", lines[..SHOWN].join("\n"), digest.short())
}

fn gpu(stages: &Stages, rank: Rank) -> &str {
    let vertex = stages.topology.ranks[rank.index()];
    &stages.topology.vertices[vertex.index()].path
}

fn graph(stages: &Stages) -> String {
    let mut out = topology::survey(&stages.machine).draw();
    for (id, link) in stages.topology.resources.iter().enumerate() {
        let name = stages.topology.resource_name(variopath::base::LinkId::new(id));
        let rate = link.capacity.map_or_else(|| "unknown".to_owned(), |rate| rate.to_string());
        let _ = writeln!(out, "{id:>3} {name} {rate}");
    }
    out
}

fn routes(stages: &Stages) -> String {
    let mut out = String::new();
    for route in &stages.topology.routes {
        let links: Vec<String> = route.links.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            out,
            "{} -> {} {} {} {} over {}",
            gpu(stages, route.src),
            gpu(stages, route.dst),
            route.class,
            route.mode,
            route.rate,
            links.join(" ")
        );
    }
    out
}

fn transfers(stages: &Stages, channel: &Channel) -> String {
    let one = |id: variopath::base::RouteId| {
        let route = &stages.topology.routes[id.index()];
        format!("{}>{}", gpu(stages, route.src), gpu(stages, route.dst))
    };
    channel.routes().map(one).collect::<Vec<_>>().join(" ")
}

fn channels(stages: &Stages) -> String {
    let catalog = &stages.catalog;
    let mut out = format!(
        "order {}, {} generators, {} orbits of pairs; {} channels in {} orbits\n",
        catalog.order,
        catalog.generators.len(),
        catalog.pair_orbits,
        catalog.strict.channels,
        catalog.strict.orbits.len()
    );
    for (id, orbit) in catalog.strict.orbits.iter().enumerate() {
        let _ = writeln!(out, "#{id} x{} {}", orbit.size, transfers(stages, &orbit.representative));
    }
    out
}

fn plan(stages: &Stages) -> String {
    let ranks = stages.topology.ranks.len();
    let demand = demand::parse_spec(DEMAND, ranks).expect("a demand");
    let mut plan = Planner::new(&stages.catalog).expect("a planner").plan(&demand).expect("a plan");
    let mut locator = Locator::new(&stages.catalog);
    scheduler::name_steps(&stages.catalog, &mut plan, &mut locator).expect("names");
    let mut out = format!(
        "makespan {} ps, T_eff {} ps, T* {} ps\n",
        plan.makespan.0, plan.bounds.t_eff.0, plan.bounds.t_star.0
    );
    for step in &plan.steps {
        let name = step.channel.as_ref().expect("a name");
        let orbit = name.orbit.map_or_else(|| "online".to_owned(), |orbit| format!("#{orbit}"));
        let element: Vec<String> = name.element.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "at {} ps channel {orbit} by {}", step.start.0, element.join(" "));
        for id in &step.starts {
            let piece = &plan.pieces[id.index()];
            let after: Vec<String> = piece.after.iter().map(ToString::to_string).collect();
            let _ = writeln!(
                out,
                "  {id}: {}>{} {} bytes until {} ps, after {}",
                gpu(stages, piece.src),
                gpu(stages, piece.dst),
                piece.bytes,
                piece.end.0,
                if after.is_empty() { "nothing".to_owned() } else { after.join(" ") }
            );
        }
    }
    out
}

#[test]
fn each_stage_of_each_platform() {
    for name in PLATFORMS {
        let stages = stages(name);
        insta::assert_snapshot!(format!("graph__{name}"), shorten(&graph(&stages)));
        insta::assert_snapshot!(format!("routes__{name}"), shorten(&routes(&stages)));
        insta::assert_snapshot!(format!("channels__{name}"), shorten(&channels(&stages)));
        insta::assert_snapshot!(format!("plan__{name}"), shorten(&plan(&stages)));
        let emitted = codegen::emit(&stages.topology, &stages.catalog).expect("kernels");
        insta::assert_snapshot!(format!("kernels__{name}"), shorten(&emitted.kernels));
        let parts = bundle::Parts {
            topology_text: dsl::format(&stages.file),
            catalog: stages.catalog.clone(),
            kernels: emitted.kernels,
            programs: emitted.programs,
        };
        let manifest = parts.manifest(&parts.files().expect("files")).expect("a manifest");
        let text = String::from_utf8(manifest.to_bytes().expect("JSON")).expect("UTF-8");
        insta::assert_snapshot!(format!("manifest__{name}"), text);
    }
}
