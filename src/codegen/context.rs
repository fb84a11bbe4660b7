//! Everything that the kernel template prints.

use super::comment::comment_safe;
use crate::bundle::plan_buffer::{constants, records, topology_word};
use crate::bundle::{Program, ProgramTable};
use crate::catalog::Catalog;
use crate::topology::Topology;
use serde::Serialize;

/// The context of `kernels.cu`.
#[derive(Debug, Serialize)]
pub(super) struct KernelContext {
    tool: String,
    topology: String,
    digest: String,
    topology_word: String,
    ranks: usize,
    constants: Vec<ConstantContext>,
    records: Vec<RecordContext>,
    programs: Vec<ProgramContext>,
    transfers: usize,
}

#[derive(Debug, Serialize)]
struct ConstantContext {
    name: String,
    value: u64,
    doc: String,
}

#[derive(Debug, Serialize)]
struct RecordContext {
    name: &'static str,
    doc: &'static str,
    size: usize,
    fields: Vec<FieldContext>,
}

#[derive(Debug, Serialize)]
struct FieldContext {
    c_type: &'static str,
    name: &'static str,
    offset: usize,
    doc: &'static str,
}

#[derive(Debug, Serialize)]
struct ProgramContext {
    number: usize,
    title: String,
    channel: String,
    rows: Vec<RowContext>,
}

#[derive(Debug, Serialize)]
struct RowContext {
    role: usize,
    start: usize,
    transfers: Vec<TransferContext>,
}

#[derive(Debug, Serialize)]
struct TransferContext {
    peer: u32,
    route: u32,
}

impl KernelContext {
    pub(super) fn new(topology: &Topology, catalog: &Catalog, table: &ProgramTable) -> Self {
        let ranks = catalog.ranks as usize;
        let mut transfers = 0;
        let programs = (table.programs.iter().enumerate())
            .map(|(number, program)| ProgramContext {
                number,
                title: title(program),
                channel: channel(topology, program),
                rows: rows(program, &mut transfers),
            })
            .collect();
        Self {
            tool: format!("variopath {}", env!("CARGO_PKG_VERSION")),
            topology: comment_safe(&topology.name),
            digest: comment_safe(catalog.digest.as_str()),
            topology_word: format!("{:#018x}", topology_word(&catalog.digest)),
            ranks,
            constants: constants(ranks)
                .into_iter()
                .map(|c| ConstantContext { name: c.name, value: c.value, doc: c.doc })
                .collect(),
            records: records()
                .into_iter()
                .map(|record| RecordContext {
                    name: record.name,
                    doc: record.doc,
                    size: record.size,
                    fields: record
                        .fields
                        .into_iter()
                        .map(|field| FieldContext {
                            c_type: field.c_type,
                            name: field.name,
                            offset: field.offset,
                            doc: field.doc,
                        })
                        .collect(),
                })
                .collect(),
            programs,
            transfers,
        }
    }
}

fn title(program: &Program) -> String {
    match program.orbit {
        Some(orbit) => format!("channel orbit {orbit}"),
        None => "pairs".to_owned(),
    }
}

/// The channel in words, by the devices of the representative.
fn channel(topology: &Topology, program: &Program) -> String {
    if program.orbit.is_none() {
        return "every rank to all others, in order of peer".to_owned();
    }
    let device = |rank: usize| {
        let vertex = topology.ranks.get(rank).and_then(|v| topology.vertices.get(v.index()));
        vertex.map_or_else(|| format!("rank {rank}"), |vertex| comment_safe(&vertex.path))
    };
    let transfers: Vec<String> = (program.rows.iter().enumerate())
        .flat_map(|(role, row)| row.iter().map(move |transfer| (role, transfer.peer.index())))
        .map(|(from, to)| format!("{} -> {}", device(from), device(to)))
        .collect();
    if transfers.is_empty() { "nothing".to_owned() } else { transfers.join(", ") }
}

fn rows(program: &Program, transfers: &mut usize) -> Vec<RowContext> {
    let mut rows = Vec::with_capacity(program.rows.len());
    for (role, row) in program.rows.iter().enumerate() {
        rows.push(RowContext {
            role,
            start: *transfers,
            transfers: row
                .iter()
                .map(|transfer| TransferContext { peer: transfer.peer.0, route: transfer.route.0 })
                .collect(),
        });
        *transfers += row.len();
    }
    rows
}
