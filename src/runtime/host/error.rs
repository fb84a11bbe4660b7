//! Why nothing could be run on the host.

use crate::bundle::plan_buffer::PlanBufferError;
use std::path::PathBuf;

/// Why nothing could be run on the host. A run that did happen ends with a report instead, however
/// bad.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// No compiler was found.
    #[error("no C++ compiler: tried {}; install g++ or clang++, or set CXX", tried.join(", "))]
    NoCompiler {
        /// The commands that were tried.
        tried: Vec<String>,
    },
    /// The compiler refused the kernels.
    #[error("{compiler} could not compile the kernels:\n{output}")]
    Compile {
        /// The command.
        compiler: String,
        /// What it said, shortened.
        output: String,
    },
    /// A file or folder could not be used.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The cache folder is not this user's alone.
    #[error(
        "{}: belongs to another user or is open to all, so no compiled kernels are loaded from it",
        path.display()
    )]
    ForeignCache {
        /// The folder.
        path: PathBuf,
    },
    /// The compiled kernels could not be loaded.
    #[error(
        "the compiled kernels {} cannot be loaded: {reason}; delete that file to compile them again",
        path.display()
    )]
    Load {
        /// The library.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The kernels expect other arguments than this program passes.
    #[error("the kernels take {found} bytes of arguments, this program passes {expected}")]
    Arguments {
        /// What the kernels say.
        found: u64,
        /// What this program passes.
        expected: u64,
    },
    /// The windows need more memory than allowed.
    #[error(
        "the demand needs {needed} bytes of host memory for its windows, more than the limit of {limit}"
    )]
    MemoryLimit {
        /// What all windows need.
        needed: u128,
        /// What is allowed.
        limit: u64,
    },
    /// The operating system gave no memory, though the limit allows it.
    #[error("no memory for a window of {bytes} bytes")]
    Memory {
        /// The window's length.
        bytes: u64,
    },
    /// An option is out of range.
    #[error("{option} must be 1 to {most}, not {found}")]
    Option {
        /// Which.
        option: &'static str,
        /// What was given.
        found: u32,
        /// The largest value.
        most: u32,
    },
    /// Demand and plan are for different numbers of ranks.
    #[error("the demand is for {demand} ranks, the plan for {plan}")]
    Ranks {
        /// Of the demand.
        demand: usize,
        /// Of the plan.
        plan: usize,
    },
    /// The threads of a rank could not be started.
    #[error("rank {rank}: a thread or its memory could not be had from the operating system")]
    Threads {
        /// The rank.
        rank: u32,
    },
    /// The plan does not fit into a plan buffer.
    #[error(transparent)]
    Plan(#[from] PlanBufferError),
}

impl HostError {
    /// Whether a file, folder or the operating system is to blame, rather than the plan or the
    /// kernels.
    #[must_use]
    pub fn is_file_trouble(&self) -> bool {
        matches!(
            self,
            Self::NoCompiler { .. }
                | Self::File { .. }
                | Self::ForeignCache { .. }
                | Self::Load { .. }
                | Self::Memory { .. }
                | Self::Threads { .. }
        )
    }
}
