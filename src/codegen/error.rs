//! Why no kernels can be emitted.

use crate::base::{Initiator, Mode, Rank, RouteClass};
use crate::diagnostics::Diagnostic;

/// Why no kernels can be emitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodegenError {
    /// Topology and catalog do not belong together.
    #[error("the catalog was made for topology {catalog}, not for {topology}")]
    Foreign {
        /// Short digest in the catalog.
        catalog: String,
        /// Short digest of the topology.
        topology: String,
    },
    /// A route is carried out in a way that the kernels do not know.
    #[error(
        "the route from rank {src} to rank {dst} is a {class} one, a {mode} by {initiator}; the kernels of this version carry out pushes by kernel between GPUs with peer access"
    )]
    Route {
        /// From.
        src: Rank,
        /// To.
        dst: Rank,
        /// The kind of path.
        class: RouteClass,
        /// Who moves the bytes.
        mode: Mode,
        /// What carries it out.
        initiator: Initiator,
    },
    /// The template does not fit its context; the text says where.
    #[error("the kernel template cannot be rendered: {0}")]
    Template(String),
}

impl From<CodegenError> for Diagnostic {
    fn from(error: CodegenError) -> Self {
        let code = match error {
            CodegenError::Foreign { .. } => "foreign-catalog",
            CodegenError::Route { .. } => "unsupported-route",
            CodegenError::Template(_) => "template",
        };
        Self::unsupported(code, error.to_string())
    }
}
