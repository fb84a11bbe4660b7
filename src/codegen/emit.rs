//! The driver of code generation.

use super::CodegenError;
use super::context::KernelContext;
use super::unsupported::KERNELS;
use crate::bundle::ProgramTable;
use crate::catalog::Catalog;
use crate::topology::Topology;
use tera::{Context, Delimiters, Tera};

const TEMPLATE_NAME: &str = "kernels.cu";
const TEMPLATE: &str = include_str!("../../templates/kernel/kernels.cu");

/// What a bundle needs from code generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emitted {
    /// The text of `kernels.cu`.
    pub kernels: String,
    /// The programs compiled into it, by number.
    pub programs: ProgramTable,
}

/// Emits the kernels of a machine. The same input gives the same text.
///
/// # Errors
/// [`CodegenError`] when the two do not belong together, or a route is not a push by kernel within
/// the node.
pub fn emit(topology: &Topology, catalog: &Catalog) -> Result<Emitted, CodegenError> {
    if topology.digest != catalog.digest || topology.ranks.len() != catalog.ranks as usize {
        return Err(CodegenError::Foreign {
            catalog: catalog.digest.short().to_owned(),
            topology: topology.digest.short().to_owned(),
        });
    }
    for route in &catalog.routes {
        if !KERNELS.carry_out(route.class, route.mode, route.initiator) {
            return Err(CodegenError::Route {
                src: route.src,
                dst: route.dst,
                class: route.class,
                mode: route.mode,
                initiator: route.initiator,
            });
        }
    }
    let programs = ProgramTable::of(catalog);
    let kernels = render(&KernelContext::new(topology, catalog, &programs))?;
    Ok(Emitted { kernels, programs })
}

fn render(context: &KernelContext) -> Result<String, CodegenError> {
    let failed = |error: tera::Error| CodegenError::Template(error.to_string());
    let mut tera = Tera::default();
    // Delimiters that leave the braces of C alone.
    tera.set_delimiters(Delimiters {
        block_start: "[%".into(),
        block_end: "%]".into(),
        variable_start: "[[".into(),
        variable_end: "]]".into(),
        comment_start: "[#".into(),
        comment_end: "#]".into(),
    })
    .map_err(failed)?;
    tera.add_raw_template(TEMPLATE_NAME, TEMPLATE).map_err(failed)?;
    tera.render(TEMPLATE_NAME, &Context::from_serialize(context).map_err(failed)?).map_err(failed)
}
