//! The matrix of `nvidia-smi topo -p2p`: which GPU may access which, and the rules that say so.

mod parse;
mod rules;

pub use parse::{PeerMatrix, matrices};
pub use rules::rules;
