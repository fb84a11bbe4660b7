//! A topology file that NCCL reads by `NCCL_TOPO_FILE`.
//!
//! Attributes that NCCL fills in on the machine itself are left out: the affinity and model of
//! processors, identifiers of network cards.

mod notes;
mod writer;

use super::Exported;
use super::forest::Forest;
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use crate::dsl::Machine;
use std::fmt::Write as _;
use writer::Writer;

/// The file of `machine`; of the node with this number where it has several.
///
/// # Errors
/// Exit 3 for a machine of several nodes and no number, exit 2 for a number that none of them has.
pub fn nccl_xml(machine: &Machine, node: Option<usize>) -> Result<Exported, Diagnostics> {
    let forest = Forest::new(machine);
    let last = forest.nodes.saturating_sub(1);
    let node = match node {
        None if last > 0 => {
            let message = format!(
                "the machine has {} nodes, and a topology file of NCCL describes one",
                forest.nodes
            );
            return Err(Diagnostic::unsupported("export-nodes", message)
                .help(format!(
                    "say which one: `--node 0` to `--node {last}`; NCCL reads such a file on each"
                ))
                .into());
        }
        None => 0,
        Some(node) if node > last => {
            let message = format!("there is no node {node}");
            return Err(Diagnostic::error("export-nodes", message)
                .help(format!("nodes are counted from 0: the last one is {last}"))
                .exit(Exit::Usage)
                .into());
        }
        Some(node) => node,
    };
    let mut writer = Writer::new(machine, &forest, node);
    writer.system();
    let notes = writer.notes();
    let mut text = format!("<!-- {} by variopath\n", comment(&machine.name));
    for note in notes.iter() {
        let _ = writeln!(text, "     {}", comment(&note.message));
    }
    text += "-->\n";
    text += &writer.text;
    Ok(Exported { text, notes })
}

/// Two hyphens end a comment.
fn comment(text: &str) -> String {
    text.replace("--", "- -").chars().filter(|c| !c.is_control()).collect()
}
