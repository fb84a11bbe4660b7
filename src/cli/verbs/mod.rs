//! One file a verb.

pub(super) mod advise;
pub(super) mod analyze;
pub(super) mod analyze_cluster;
pub(super) mod bench;
pub(super) mod build;
pub(super) mod calibrate;
mod calibration;
pub(super) mod check;
pub(super) mod compare;
pub(super) mod completions;
pub(super) mod demand;
pub(super) mod export;
pub(super) mod fmt;
pub(super) mod import;
mod machine_match;
mod next;
pub(super) mod plan;
pub(super) mod presets;
pub(super) mod run;
pub(super) mod simulate;
mod table;
pub(super) mod verify;
pub(super) mod wording;
