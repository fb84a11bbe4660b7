//! From a catalog to `kernels.cu`.
//!
//! `context` holds everything that the template prints, `render` fills it in, `comment` keeps names
//! from ending a comment early. The template branches and loops and computes nothing.

mod comment;
mod context;
mod emit;
mod error;
mod unsupported;

pub use emit::{Emitted, emit};
pub use error::CodegenError;
pub use unsupported::{KERNELS, second_best, unsupported};
