//! The analysis of several nodes: templates, the symmetry of the whole, channels of each template.

mod draft;
mod groups;
mod renumber;

use self::draft::{Draft, Ground, Place};
use self::groups::{Group, core_joint, places, rate_halves, symmetry, trunks};
use super::catalog_of::{Limits, fails_its_proof, fill};
use super::unsupported::unsupported;
use crate::base::{LinkId, Rank, Setting};
use crate::catalog::symmetry::mapping;
use crate::catalog::{
    ClusterCatalog, Core, NodeGroup, NodeRun, NodeTemplate, Palette, PortFamily, StructureEdge,
    canonical_channel, check_cluster, drawing,
};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::topology::Topology;

/// Finds the templates of a machine's nodes with their channels, and the symmetry of the whole. The
/// catalog has passed [`check_cluster`].
///
/// # Errors
/// What this version does not analyze, all at once (exit 3), and an internal error (exit 3) where the
/// catalog fails its own proof.
pub fn analyze_cluster(
    topology: &Topology,
    limits: &Limits,
) -> Result<ClusterCatalog, Diagnostics> {
    let refused = unsupported(topology);
    if !refused.is_empty() {
        return Err(refused);
    }
    if topology.setting() == Setting::Profile {
        return Err(Diagnostic::unsupported(
            "profile-nodes",
            "the profile of a machine of several nodes is not analyzed by this version",
        )
        .help("give --setting ideal to analyze it without its efficiencies")
        .into());
    }
    let ground = Ground::new(topology).map_err(|spanning| {
        let resource = &topology.resources[spanning.0.index()];
        let message = format!(
            "`{}` is shared by links of several nodes, or of a node and of the network",
            topology.resource_name(spanning.0)
        );
        let mut diagnostic = Diagnostic::unsupported("spanning-total", message)
            .help("name links within one node, or links between fabrics");
        if let Some(span) = resource.span {
            diagnostic = diagnostic.at(span, "not analyzed by this version");
        }
        diagnostic
    })?;
    let mut groups = groups::groups(&ground);
    let symmetry = symmetry(&ground, &groups);
    rate_halves(&ground, &mut groups);
    let places = places(&ground, &groups);
    let (mut templates, moved) = templates(&groups);
    for template in &mut templates {
        fill(&mut template.catalog, limits)?;
    }
    let runs = runs(&groups, &moved, &places);
    let only = match (&templates[..], &runs[..]) {
        ([template], runs) if is_one_place(runs) => Some(template),
        _ => None,
    };
    let nodes: u32 = runs.iter().map(|run| run.nodes).sum();
    let catalog = ClusterCatalog {
        topology: topology.name.clone(),
        digest: topology.digest.clone(),
        ranks: topology.ranks.len() as u32,
        family: only.and_then(|template| PortFamily::of(&template.catalog, nodes)),
        templates,
        runs,
        core: core(&ground, &places),
        groups: (groups.iter().zip(&moved))
            .map(|(group, moved)| NodeGroup {
                template: moved.as_ref().map(|moved| moved.template),
                nodes: group.nodes.len() as u32,
                order: group.own.order.to_string(),
            })
            .collect(),
        moves: symmetry.moves,
        order: symmetry.order.to_string(),
        pair_orbits: symmetry.pair_orbits,
    };
    check_cluster(&catalog).map_err(|fault| fails_its_proof(&fault))?;
    Ok(catalog)
}

/// How a group's first node becomes its template.
struct Moved {
    template: u32,
    /// For each rank of the template the position among the ranks of the group's first node.
    ranks: Vec<usize>,
    /// For each port of the template where it leads to.
    places: Vec<Place>,
}

/// One template for all groups whose nodes are alike when it does not matter which fabric is which;
/// nothing for groups without ranks.
fn templates(groups: &[Group]) -> (Vec<NodeTemplate>, Vec<Option<Moved>>) {
    let mut templates: Vec<(Draft, Palette)> = Vec::new();
    let mut moved = Vec::new();
    for group in groups {
        let draft = &group.draft;
        if draft.ranks.is_empty() {
            moved.push(None);
            continue;
        }
        let (base, palette) = drawing(&draft.catalog);
        let found = || canonical_channel(&base, &draft.catalog, &[]);
        let known = templates.iter().enumerate().find_map(|(number, (template, other))| {
            if draft.is_like(template) {
                return Some((number, draft.clone()));
            }
            if *other != palette {
                return None;
            }
            let (own, first) =
                (found(), canonical_channel(&drawing(&template.catalog).0, &template.catalog, &[]));
            let to = mapping(&own.labelling, &first.labelling);
            let renamed = draft.renumbered(to.get(..draft.catalog.vertices.len())?);
            (own.form == first.form && renamed.is_like(template)).then_some((number, renamed))
        });
        let (number, renamed) = known.unwrap_or_else(|| {
            templates.push((draft.clone(), palette));
            (templates.len() - 1, draft.clone())
        });
        let position = |rank: &Rank| draft.ranks.iter().position(|other| other == rank);
        moved.push(Some(Moved {
            template: number as u32,
            ranks: renamed.ranks.iter().filter_map(position).collect(),
            places: renamed.places,
        }));
    }
    let templates = templates.into_iter().map(|(draft, _)| NodeTemplate { catalog: draft.catalog });
    (templates.collect(), moved)
}

/// The nodes in their order, equal ones in a row together.
fn runs(groups: &[Group], moved: &[Option<Moved>], places: &[Place]) -> Vec<NodeRun> {
    let mut nodes: Vec<(usize, NodeRun)> = Vec::new();
    for (group, moved) in groups.iter().zip(moved) {
        let Some(moved) = moved else { continue };
        let place = |of: &Place| places.iter().position(|other| other == of).unwrap_or(0) as u32;
        for (&node, ranks) in group.nodes.iter().zip(&group.ranks) {
            let run = NodeRun {
                template: moved.template,
                nodes: 1,
                ranks: moved.ranks.iter().map(|&at| ranks[at]).collect(),
                step: 0,
                places: moved.places.iter().map(place).collect(),
            };
            nodes.push((node, run));
        }
    }
    nodes.sort_unstable_by_key(|&(node, _)| node);
    let mut runs: Vec<NodeRun> = Vec::new();
    for (_, node) in nodes {
        if let Some(run) = runs.last_mut()
            && (run.template, &run.places) == (node.template, &node.places)
            && let Some(step) = step(run, &node)
        {
            (run.step, run.nodes) = (step, run.nodes + 1);
        } else {
            runs.push(node);
        }
    }
    runs
}

/// What each node of `run` adds to the ranks of the one before, where `next` goes on like that.
fn step(run: &NodeRun, next: &NodeRun) -> Option<u32> {
    let mut steps = run.ranks.iter().zip(&next.ranks).map(|(first, now)| {
        let all = now.0.checked_sub(first.0)?;
        (all % run.nodes == 0).then_some(all / run.nodes)
    });
    let step = steps.next()??;
    let as_before = run.nodes == 1 || run.step == step;
    (as_before && steps.all(|other| other == Some(step))).then_some(step)
}

/// Whether all ports of all nodes lead to one place.
fn is_one_place(runs: &[NodeRun]) -> bool {
    let mut places = runs.iter().flat_map(|run| &run.places);
    let first = places.next();
    first.is_some() && places.all(|place| Some(place) == first)
}

fn core(ground: &Ground<'_>, places: &[Place]) -> Core {
    let topology = ground.topology;
    let trunks = trunks(topology, ground);
    let ids: Vec<LinkId> = trunks.iter().map(|&(.., id)| id).collect();
    let position =
        |of| places.iter().position(|other| *other == Place::Fabric(of)).unwrap_or(0) as u32;
    let name = |place: &Place| match place {
        Place::Fabric(vertex) => topology.vertices[vertex.index()].path.clone(),
        Place::Between(link) => (0..topology.links)
            .map(LinkId::new)
            .find(|id| topology.resources[id.index()].link() == Some(*link))
            .map_or_else(String::new, |id| topology.written(id)),
    };
    Core {
        places: places.iter().map(name).collect(),
        links: (trunks.iter())
            .map(|&(from, to, id)| StructureEdge {
                from: position(from),
                to: position(to),
                capacity: topology.resources[id.index()].capacity,
            })
            .collect(),
        joint: core_joint(topology, &ids),
    }
}
