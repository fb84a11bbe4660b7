//! `variopath analyze` on machines of several nodes.

use super::analyze::{families, families_document};
use super::wording::{bounds_document, bounds_lines, count, json_bytes, machine_line, short};
use crate::analyzer::{self, Bounder, Limits, RaisedBounds};
use crate::catalog::{ClusterCatalog, NodeTemplate};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::NamedDemand;
use crate::cli::target::Kind;
use crate::topology::Topology;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Prints the templates of nodes, the symmetry of the whole, and the bound of the demand.
pub(super) fn analyze_cluster(
    context: &mut Context,
    kind: Kind,
    topology: &Topology,
    demand: &NamedDemand,
) -> Outcome {
    context.progress(&format!("analyzing {}", topology.name));
    let catalog = analyzer::analyze_cluster(topology, &Limits::default())?;
    context.progress("bounding the demand");
    let raised = Bounder::new(topology)?.required(&demand.demand)?;
    if context.json {
        return context.print_json(&document(topology, &catalog, demand, &raised));
    }
    context.print(&text(kind, topology, &catalog, demand, &raised))
}

fn text(
    kind: Kind,
    topology: &Topology,
    catalog: &ClusterCatalog,
    demand: &NamedDemand,
    raised: &RaisedBounds,
) -> String {
    let mut out = String::new();
    let nodes: u32 = catalog.runs.iter().map(|run| run.nodes).sum();
    let _ = writeln!(out, "machine     {}", machine_line(kind, topology));
    let _ = writeln!(
        out,
        "nodes       {} with ranks, of {}",
        count(nodes as usize, "node"),
        count(catalog.templates.len(), "kind"),
    );
    let _ = writeln!(
        out,
        "symmetry    order {}, {} of pairs",
        short(&catalog.order),
        count(usize::try_from(catalog.pair_orbits).unwrap_or(usize::MAX), "orbit"),
    );
    for (index, NodeTemplate { catalog: own }) in catalog.templates.iter().enumerate() {
        let of: u32 = (catalog.runs.iter())
            .filter(|run| run.template as usize == index)
            .map(|run| run.nodes)
            .sum();
        let halves = own.routes.iter().filter(|r| r.src.0.max(r.dst.0) >= own.ranks).count();
        let _ = writeln!(
            out,
            "kind {index:<6} {}, each {} and {}; {} and {}",
            count(of as usize, "node"),
            count(own.ranks as usize, "GPU"),
            count(own.rank_vertices.len() - own.ranks as usize, "port"),
            count(own.routes.len() - halves, "own route"),
            count(halves, "half-route"),
        );
        let _ = writeln!(out, "            symmetry of a node: order {}", short(&own.order));
        let _ = writeln!(out, "            {}", families(&own.strict, "strict"));
        if let Some(two_rate) = &own.two_rate {
            let _ = writeln!(out, "            {}", families(two_rate, "two-rate"));
        }
    }
    if let Some(family) = &catalog.family {
        let _ = writeln!(
            out,
            "family      {} of network transfers, each port busy both ways in all of them",
            count(family.phases(), "phase"),
        );
    }
    out.push_str(&bounds_lines(topology, &demand.name, raised));
    let _ = writeln!(out, "catalog     {} bytes as JSON", json_bytes(catalog));
    out
}

/// The document `variopath-analysis/1` of a cluster: routes are those of templates, whose links count
/// within the template.
fn document(
    topology: &Topology,
    catalog: &ClusterCatalog,
    demand: &NamedDemand,
    raised: &RaisedBounds,
) -> Value {
    let path = |index: usize| topology.vertices[index].path.as_str();
    let ranks: Vec<Value> = (topology.ranks.iter().enumerate())
        .map(|(rank, vertex)| json!({"rank": rank, "gpu": path(vertex.index())}))
        .collect();
    let templates: Vec<Value> = (catalog.templates.iter())
        .map(|NodeTemplate { catalog: own }| {
            json!({
                "ranks": own.ranks,
                "ports": own.rank_vertices.len() - own.ranks as usize,
                "links": own.links,
                "routes": own.routes,
                "symmetry": {"order": own.order, "pair_orbits": own.pair_orbits},
                "strict": families_document(&own.strict),
                "two_rate": families_document(own.two_rate.as_ref().unwrap_or(&own.strict)),
            })
        })
        .collect();
    json!({
        "format": "variopath-analysis/1",
        "topology": topology.name,
        "digest": topology.digest,
        "assumed_values": topology.assumed,
        "ranks": ranks,
        "nodes": catalog.runs,
        "core": catalog.core,
        "symmetry": {"order": catalog.order, "pair_orbits": catalog.pair_orbits},
        "bounds": bounds_document(&demand.name, raised),
        "catalog": {
            "templates": templates,
            "family": catalog.family,
            "bytes": json_bytes(catalog),
        },
    })
}
