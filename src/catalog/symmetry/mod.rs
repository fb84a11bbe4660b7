//! Symmetry of small labelled structures: canonical forms, automorphisms, orbits.
//!
//! A structure is a set of coloured vertices with coloured directed edges: a topology, or a
//! topology in which a channel's transfers are drawn as further edges. One search answers three
//! questions: which permutations map the structure onto itself (generators and the order of the
//! group), whether two structures are the same up to such a permutation (equal canonical forms), and
//! which permutation maps one onto the other (their labellings, composed).
//!
//! The method is individualisation and refinement with pruning by the automorphisms found on the
//! way, as in McKay and Piperno, "Practical graph isomorphism, II" (2014).

mod refine;
mod search;
mod structure;

pub use search::{Canonical, Form, Labeller, mapping};
pub use structure::{Edge, Structure};
