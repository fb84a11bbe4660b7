//! `variopath analyze` on machines of several nodes.

use super::analyze::{families, families_document};
use super::wording::{count, machine_line};
use crate::analyzer::{self, Certificate, Limits, TStar, TStarError};
use crate::catalog::{ClusterCatalog, NodeTemplate};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{NamedDemand, internal};
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
    let bound = match analyzer::t_star(topology, &demand.demand) {
        Ok(bound) => Some(bound),
        Err(TStarError::TooLarge) => None,
        Err(error) => return Err(internal(&error).into()),
    };
    if context.json {
        return context.print_json(&document(topology, &catalog, demand, bound.as_ref()));
    }
    context.print(&text(kind, topology, &catalog, demand, bound.as_ref()))
}

fn text(
    kind: Kind,
    topology: &Topology,
    catalog: &ClusterCatalog,
    demand: &NamedDemand,
    bound: Option<&TStar>,
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
        catalog.order,
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
        let _ = writeln!(out, "            symmetry of a node: order {}", own.order);
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
    let bound = match bound {
        None => "T* not found: too many routes a pair for one linear program".to_owned(),
        Some(bound) => format!(
            "T* {} (bytes / capacity), {}",
            bound.time.nanos_down(),
            critical(topology, &bound.certificate)
        ),
    };
    let _ = writeln!(out, "bounds      {}: {bound}", demand.name);
    let _ = writeln!(out, "catalog     {} bytes as JSON", json_bytes(catalog));
    out
}

fn critical(topology: &Topology, certificate: &Certificate) -> String {
    match certificate {
        Certificate::Nothing => "nothing to carry".to_owned(),
        Certificate::Link(link) => format!("critical {}", topology.resource_name(*link)),
        Certificate::Pair(src, dst) => format!("held back by the pair {src} -> {dst} alone"),
        Certificate::Weights { resources, .. } => {
            format!("proved by weights of {}", count(resources.len(), "resource"))
        }
    }
}

/// How long the catalog is.
pub(in crate::cli) fn json_bytes(catalog: &ClusterCatalog) -> usize {
    serde_json::to_vec(catalog).map_or(0, |text| text.len())
}

/// The document `variopath-analysis/1` of a cluster: routes are those of templates, whose links count
/// within the template.
fn document(
    topology: &Topology,
    catalog: &ClusterCatalog,
    demand: &NamedDemand,
    bound: Option<&TStar>,
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
    let critical_link = bound.and_then(|bound| match &bound.certificate {
        Certificate::Link(link) => Some(*link),
        _ => None,
    });
    let mut document = json!({
        "format": "variopath-analysis/1",
        "topology": topology.name,
        "digest": topology.digest,
        "assumed_values": topology.assumed,
        "ranks": ranks,
        "nodes": catalog.runs,
        "core": catalog.core,
        "symmetry": {"order": catalog.order, "pair_orbits": catalog.pair_orbits},
        "bounds": {
            "demand": demand.name,
            "t_star_ns": bound.map(|bound| bound.time.nanos_down()),
            "critical_link": critical_link,
        },
        "catalog": {
            "templates": templates,
            "family": catalog.family,
            "bytes": json_bytes(catalog),
        },
    });
    if let Some(Certificate::Weights { resources, routes }) = bound.map(|bound| &bound.certificate)
    {
        document["bounds"]["dual_weights"] = json!(resources);
        document["bounds"]["dual_route_weights"] = json!(routes);
    }
    document
}
