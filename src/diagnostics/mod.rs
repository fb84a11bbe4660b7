//! One type for everything that is told about the input, and the way it is shown.
//!
//! Modules keep their own error kinds that carry data and turn them into a [`Diagnostic`] in one
//! place; this module knows how to sort, count and render them.

mod diagnostic;
mod list;
mod render;
mod sources;

pub use diagnostic::{Diagnostic, Exit, Severity};
pub use list::Diagnostics;
pub use render::{json_document, json_entry, one_line, render};
pub use sources::{Source, Sources};
