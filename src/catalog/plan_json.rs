//! Plans as documents of the format `variopath-plan/1`: times in whole nanoseconds.
//!
//! A document is a claim. Reading one checks its form only; whether it is a plan of some demand on
//! some machine is what `verify` finds out.

use super::{ChannelName, Plan};
use crate::base::{Bytes, BytesPerSecond, Digest, Nanos, Rank};
use serde::{Deserialize, Serialize};

/// The name of the format.
const FORMAT: &str = "variopath-plan/1";

/// Why a text is no plan document.
#[derive(Debug, thiserror::Error)]
pub enum PlanFormatError {
    /// It is not JSON, or a field is missing or of another type.
    #[error("not a plan: {0}")]
    Json(#[from] serde_json::Error),
    /// Another format or a later version.
    #[error("the format is \"{found}\", not \"variopath-plan/1\"")]
    Format {
        /// What stands in its place.
        found: String,
    },
}

/// A plan as it is written to files. Within the format's number fields are only added, so unknown
/// ones are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDocument {
    /// `variopath-plan/1`.
    pub format: String,
    /// The topology's name.
    pub topology: String,
    /// The topology's digest.
    pub digest: Digest,
    /// The number of ranks.
    pub ranks: u32,
    /// `strict`: every transfer at its solo rate.
    pub strategy: String,
    /// `ideal`: fair shares lose nothing.
    pub setting: String,
    /// All bytes of the demand, the diagonal included.
    pub bytes: Bytes,
    /// What the plan cannot beat.
    pub bounds: BoundsDocument,
    /// When the last piece ends, rounded up.
    pub makespan_ns: Nanos,
    /// In order of id.
    pub pieces: Vec<PieceDocument>,
    /// In order of time.
    pub steps: Vec<StepDocument>,
}

/// The bounds of a plan, rounded down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundsDocument {
    /// The largest bytes / capacity over links.
    pub t_star_ns: Nanos,
    /// The largest time of a link's transfers on that link alone.
    pub t_eff_ns: Nanos,
    /// The bound that holds for this plan.
    pub bound_ns: Nanos,
    /// Which of them it is: `strict` or `t-star`.
    pub bound_kind: String,
    /// The link of `bound_ns`; null when nothing crosses a link.
    pub critical_link: Option<u32>,
}

/// A run of bytes of one pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceDocument {
    /// Its position in the list.
    pub id: u32,
    /// From.
    pub src: u32,
    /// To.
    pub dst: u32,
    /// The index among the pair's routes; 0 where there is one.
    pub route: u32,
    /// Where it begins within the pair's own bytes.
    pub offset: Bytes,
    /// How long it is.
    pub bytes: Bytes,
    /// How fast it runs.
    pub bytes_per_second: BytesPerSecond,
    /// Planned start, rounded up.
    pub start_ns: Nanos,
    /// Planned end, rounded up.
    pub end_ns: Nanos,
    /// Pieces that end before it starts: the transitive reduction, ascending.
    pub after: Vec<u32>,
}

/// An instant at which pieces start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepDocument {
    /// Its position in the list.
    pub step: u32,
    /// The instant, rounded up.
    pub start_ns: Nanos,
    /// For each node, the channel that contains everything running then; empty where unnamed.
    pub channels: Vec<ChannelDocument>,
    /// The pieces that start, ascending.
    pub starts: Vec<u32>,
}

/// A channel by family and group element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelDocument {
    /// The node.
    pub node: u32,
    /// The family.
    pub orbit: OrbitDocument,
    /// Rank `r` of the representative plays as `element[r]`.
    pub element: Vec<u32>,
}

/// A family of the catalog by number, or the word `online` for a channel outside of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OrbitDocument {
    /// Its number in the catalog.
    Number(u32),
    /// `online`.
    Word(String),
}

/// The JSON document of a plan for the machine called `topology`.
#[must_use]
pub fn plan_document(topology: &str, plan: &Plan) -> serde_json::Value {
    serde_json::to_value(PlanDocument::new(topology, plan))
        .expect("a document has neither maps with odd keys nor failing serializers")
}

impl PlanDocument {
    /// The document of a plan for the machine called `topology`.
    #[must_use]
    pub fn new(topology: &str, plan: &Plan) -> Self {
        let pieces = plan.pieces.iter().zip(0..).map(|(piece, id)| PieceDocument {
            id,
            src: piece.src.0,
            dst: piece.dst.0,
            route: 0,
            offset: piece.offset,
            bytes: piece.bytes,
            bytes_per_second: piece.rate,
            start_ns: piece.start.nanos_up(),
            end_ns: piece.end.nanos_up(),
            after: piece.after.iter().map(|id| id.0).collect(),
        });
        let steps = plan.steps.iter().zip(0..).map(|(step, number)| StepDocument {
            step: number,
            start_ns: step.start.nanos_up(),
            channels: step.channel.iter().map(ChannelDocument::new).collect(),
            starts: step.starts.iter().map(|id| id.0).collect(),
        });
        let bounds = &plan.bounds;
        Self {
            format: FORMAT.into(),
            topology: topology.into(),
            digest: plan.digest.clone(),
            ranks: plan.ranks,
            strategy: "strict".into(),
            setting: "ideal".into(),
            bytes: plan.bytes,
            bounds: BoundsDocument {
                t_star_ns: bounds.t_star.nanos_down(),
                t_eff_ns: bounds.t_eff.nanos_down(),
                bound_ns: bounds.t_eff.nanos_down(),
                bound_kind: "strict".into(),
                critical_link: bounds.critical_link.map(|link| link.0),
            },
            makespan_ns: plan.makespan.nanos_up(),
            pieces: pieces.collect(),
            steps: steps.collect(),
        }
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`PlanFormatError`] when the text is not a plan document of this version.
    pub fn from_json(text: &str) -> Result<Self, PlanFormatError> {
        // The format first: of another version the fields would only mislead. The text is read twice,
        // which takes a tenth of the memory that a tree of its values would.
        let head: Head = serde_json::from_str(text)?;
        let found = head.format.unwrap_or_default();
        if found != FORMAT {
            return Err(PlanFormatError::Format { found });
        }
        Ok(serde_json::from_str(text)?)
    }
}

/// What says which document it is.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
}

impl ChannelDocument {
    fn new(name: &ChannelName) -> Self {
        Self {
            node: 0,
            orbit: match name.orbit {
                Some(orbit) => OrbitDocument::Number(orbit.0),
                None => OrbitDocument::Word("online".into()),
            },
            element: name.element.iter().map(|&Rank(rank)| rank).collect(),
        }
    }
}
