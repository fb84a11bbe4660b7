//! Everything that can be wrong with a topology file: kinds that carry data, worded in `wording`
//! alone.

mod wording;

use crate::base::{BusId, DeviceKind, Span};
use crate::diagnostics::Diagnostic;
use std::fmt;

/// The longest topology file, in bytes.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Parts may nest this deep.
pub const MAX_DEPTH: usize = 32;
/// The largest array.
pub const MAX_ELEMENTS: u64 = 4096;
/// The most devices of a machine.
pub const MAX_DEVICES: usize = 1 << 16;
/// The most links of a machine.
pub const MAX_LINKS: usize = 1 << 18;
/// The most files and presets that one file may draw in.
pub const MAX_USES: usize = 256;
/// The most rules of a machine, those of every instance of a part counted.
pub const MAX_RULES: usize = 1 << 16;
/// The most pairs, devices and links that rules and totals name.
pub const MAX_LISTED: usize = 1 << 20;
/// The most devices that the paths of a file name, and the most statements that its instances of
/// parts have.
pub const MAX_ELEMENTS_NAMED: usize = 1 << 22;
/// The most chunks of a bounced transfer.
pub const MAX_CHUNKS: u64 = 1 << 16;
/// A rate above this is taken for a slip: 10 TB/s.
pub const MAX_RATE: u64 = 10_000_000_000_000;
/// The longest name, in characters.
pub const MAX_NAME: usize = 64;
/// The longest string, in characters.
pub const MAX_STRING: usize = 1024;
/// Collecting stops at this many errors of one file.
pub(super) const MAX_ERRORS: usize = 100;

/// What a name was looked up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// A device or an instance of a part.
    Device,
    /// A `link`.
    Link,
    /// A `param`.
    Param,
    /// A kind of device or a part.
    Kind,
    /// An array that `ranks by` orders by.
    Array,
}

/// What a machine has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// More than [`MAX_DEVICES`].
    Devices,
    /// More than [`MAX_LINKS`].
    Links,
    /// More than [`MAX_RULES`].
    Rules,
    /// More than [`MAX_LISTED`].
    Listed,
    /// More than [`MAX_ELEMENTS_NAMED`].
    Elements,
}

/// What is wrong with the steps of an `efficiency`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepFault {
    /// A step of no flows.
    NoFlows,
    /// A step that does not come after the one before it.
    Order { before: u64, flows: u64 },
    /// A percentage of 0, or above 100.
    Percent(u64),
    /// More is kept with more flows.
    Rises { before: u64, percent: u64 },
}

/// Something wrong with a topology file. Each kind knows where and what; [`Error::diagnostic`] words
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Nothing but blanks and comments.
    Empty { at: Span },
    /// More than [`MAX_FILE_BYTES`].
    TooLarge { file: String, bytes: usize },
    /// Something else was expected here.
    Expected { at: Span, found: String, wanted: Vec<Wanted>, meant: Option<&'static str> },
    /// A string without its closing quote.
    UnclosedString { at: Span },
    /// A backslash before a letter that it does not go with.
    BadEscape { at: Span },
    /// A number where a rate or time belongs, without its unit.
    MissingUnit { at: Span, number: String, units: &'static [&'static str] },
    /// A unit that the language does not know.
    UnknownUnit { at: Span, unit: String, units: &'static [&'static str] },
    /// A statement that does not read, and how it was probably meant.
    Slip { error: Box<Error>, written: String },
    /// A name of more than [`MAX_NAME`] characters, or a string of more than [`MAX_STRING`].
    TooLong { at: Span, what: &'static str, limit: usize },
    /// A word of the language in place of a name.
    Reserved { at: Span, word: String },
    /// A number such as `1e9`.
    Exponent { at: Span },
    /// A number beyond 64 bits.
    LongNumber { at: Span },
    /// A number with a point where a whole one belongs.
    Fraction { at: Span },
    /// Division by zero in an index.
    ZeroDivisor { at: Span },
    /// A PCIe generation or width that does not exist.
    BadPcie { at: Span, word: String },
    /// Parts nested deeper than [`MAX_DEPTH`].
    TooDeep { at: Span },
    /// A part without its closing brace.
    UnclosedPart { at: Span, name: String },
    /// Collecting stopped at [`MAX_ERRORS`].
    Stopped { at: Span },

    /// `use` of a preset that does not exist.
    UnknownPreset { at: Span, name: String, meant: Option<String> },
    /// `use` of a file that cannot be read.
    Unreadable { at: Span, path: String, reason: String },
    /// A file that uses itself.
    UseCycle { at: Span, chain: Vec<String> },
    /// A path out of the main file's folder.
    UseEscape { at: Span, path: String },
    /// More than [`MAX_USES`] files.
    TooManyUses { at: Span },
    /// `--set` of a param that does not exist.
    UnknownSetting { file: String, name: String, meant: Option<String>, known: Vec<String> },

    /// The same name twice in one place.
    Duplicate { at: Span, name: String, first: Option<Span> },
    /// A name that nothing bears.
    Unknown { at: Span, name: String, sought: Sought, meant: Option<String> },
    /// A part that contains itself.
    PartCycle { at: Span, name: String },
    /// A link whose value leads back to itself.
    LinkCycle { at: Span, name: String },
    /// An array of size zero or above [`MAX_ELEMENTS`].
    ArraySize { at: Span, size: u64 },
    /// A machine beyond the limits.
    MachineSize { at: Span, of: Counted },
    /// An index on a device that is no array.
    NotArray { at: Span, name: String },
    /// An array without an index; `written` is the join with one, where it stands in a join.
    NoIndex { at: Span, name: String, size: u64, written: Option<String> },
    /// An index beyond the array; `written` spreads a walking index evenly over it.
    OutOfBounds { at: Span, name: String, index: u64, size: u64, written: Option<String> },
    /// A range without elements.
    EmptyRange { at: Span, from: u64, to: u64 },
    /// The same element twice in one index.
    Repeated { at: Span, name: String, index: u64 },
    /// A path that ends at a part.
    EndsAtPart { at: Span, name: String, example: Option<String> },
    /// A path that goes on behind a device.
    BehindDevice { at: Span, name: String },
    /// Several elements on both sides of a join.
    BothSides { at: Span, written: String },
    /// A walking index that stands on one side only.
    UsedOnce { at: Span, name: String },
    /// A walking index that stands nowhere without a division.
    NeverBare { at: Span, name: String },
    /// A walking index outside of joins.
    NoWalk { at: Span, name: String },
    /// A second link from one device to another.
    SecondLink { at: Span, first: Option<Span>, from: String, to: String, set: String },
    /// A link from a device to itself.
    SelfLink { at: Span, name: String },
    /// A rate of zero.
    ZeroRate { at: Span },
    /// A rate above [`MAX_RATE`].
    AbsurdRate { at: Span, rate: String },
    /// A latency above one second.
    AbsurdLatency { at: Span },
    /// An attribute on a device that has no such thing.
    Misplaced { at: Span, attribute: &'static str, kind: String, belongs: &'static str },
    /// The same attribute twice.
    AttributeTwice { at: Span, attribute: &'static str },
    /// An `arch` that is no compute capability.
    BadArch { at: Span, arch: String },
    /// Another number of bus ids than of elements.
    BusCount { at: Span, ids: usize, elements: usize },
    /// `set` of a link that does not exist.
    NoLink { at: Span, from: String, to: String },
    /// `set path : value` on a device with none or several links.
    NotOneLink { at: Span, name: String, links: usize },
    /// A second `ranks` in one place.
    RanksTwice { at: Span, first: Option<Span> },
    /// `ranks` names something that is no GPU.
    NotGpu { at: Span, name: String },
    /// `ranks` names a GPU twice.
    RankTwice { at: Span, name: String },
    /// A bus id of another form.
    BadBus { at: Span, id: String },
    /// Two devices of a node with the same bus id.
    BusTwice { at: Span, id: BusId, names: [String; 2] },
    /// A rule that names devices of another kind than it is about.
    WrongKind { at: Span, name: String, found: DeviceKind, wanted: DeviceKind, rule: &'static str },
    /// A `forbid` without a pair of GPUs that it could hold for.
    ForbidNothing { at: Span, across: bool },
    /// A `limit` of zero transfers.
    ZeroLimit { at: Span },
    /// `chunks 0`, or more than [`MAX_CHUNKS`].
    BadChunks { at: Span, count: u64 },
    /// A wrong step of an `efficiency`.
    BadStep { at: Span, fault: StepFault },
    /// `total` of a link that does not exist; `back` where the other direction does.
    TotalNoLink { at: Span, from: String, to: String, back: bool },
    /// `total` of a device that no link leads into.
    TotalNothing { at: Span, name: String },
    /// A direction that counts twice in a `total`.
    TotalTwice { at: Span, from: String, to: String },
}

/// What would have been right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// This very text.
    Literal(&'static str),
    /// Something of this kind.
    Thing(&'static str),
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) => write!(f, "`{text}`"),
            Self::Thing(text) => f.write_str(text),
        }
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Self {
        error.diagnostic()
    }
}
