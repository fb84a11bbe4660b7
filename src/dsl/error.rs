//! Everything that can be wrong with a topology file: kinds that carry data, worded here alone.

use crate::base::{DeviceKind, Span};
use crate::diagnostics::{Diagnostic, Exit};
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

impl Sought {
    fn noun(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Link => "link",
            Self::Param => "param",
            Self::Kind => "kind of device or part",
            Self::Array => "array around the GPUs",
        }
    }
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
    /// A word of the language in place of a name.
    Reserved { at: Span, word: String },
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
    /// An array without an index.
    NoIndex { at: Span, name: String, size: u64 },
    /// An index beyond the array.
    OutOfBounds { at: Span, name: String, index: u64, size: u64 },
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
    BusTwice { at: Span, id: String, names: [String; 2] },
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

/// `a`, `a or b`, `a, b or c`.
fn either<T: fmt::Display>(words: &[T]) -> String {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    }
}

fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, message)
}

fn meant(diagnostic: Diagnostic, word: Option<&str>) -> Diagnostic {
    match word {
        Some(word) => diagnostic.help(format!("did you mean `{word}`?")),
        None => diagnostic,
    }
}

impl Error {
    /// The error in words, with its places and ways out.
    #[must_use]
    pub fn diagnostic(self) -> Diagnostic {
        match self {
            Self::Empty { at } => error("empty-file", "the file describes no machine")
                .at(at, "expected `topology \"name\"`")
                .help("`variopath presets` lists machines to start from"),
            Self::TooLarge { file, bytes } => error(
                "file-too-large",
                format!("{bytes} bytes are no topology file; the limit is {MAX_FILE_BYTES}"),
            )
            .in_file(file),
            Self::Expected { at, found, wanted, meant: word } => meant(
                error("syntax", format!("unexpected {found}"))
                    .at(at, format!("expected {}", either(&wanted))),
                word,
            ),
            Self::UnclosedString { at } => error("unclosed-string", "the string is not closed")
                .at(at, "expected `\"` before the end of the line"),
            Self::BadEscape { at } => {
                error("bad-escape", "an unknown escape or a control character in the string")
                    .at(at, "expected `\\\"`, `\\\\`, `\\n`, `\\r` or `\\t` behind a backslash")
            }
            Self::MissingUnit { at, number, units } => {
                error("missing-unit", format!("`{number}` lacks its unit"))
                    .at(at, format!("expected {}", either(units)))
                    .help(format!("write `{number} {}`", units[0]))
            }
            Self::UnknownUnit { at, unit, units } => {
                // A unit that only looks similar may be off by any factor: none is proposed.
                let diagnostic = error("unknown-unit", format!("unknown unit `{unit}`"))
                    .at(at, format!("expected {}", either(units)));
                if unit.eq_ignore_ascii_case("GT/s") {
                    diagnostic
                        .help("for a PCIe link write its generation and width: `pcie gen5 x16`")
                } else {
                    diagnostic
                }
            }
            Self::Reserved { at, word } => {
                error("reserved-word", format!("`{word}` is a word of the language and no name"))
                    .at(at, "expected a name")
                    .help(format!("another name would do: `{word}_`, `my_{word}`"))
            }
            Self::LongNumber { at } => error("long-number", "the number has too many digits")
                .at(at, "at most 18 digits are read"),
            Self::Fraction { at } => {
                error("fraction", "a whole number belongs here").at(at, "expected an integer")
            }
            Self::ZeroDivisor { at } => {
                error("zero-divisor", "the index is divided by zero").at(at, "expected 1 or more")
            }
            Self::BadPcie { at, word } => error("bad-pcie", format!("there is no PCIe `{word}`"))
                .at(at, "expected gen1 to gen7, then x1, x2, x4, x8, x12, x16 or x32"),
            Self::TooDeep { at } => {
                error("too-deep", format!("parts nest deeper than {MAX_DEPTH}")).at(at, "")
            }
            Self::UnclosedPart { at, name } => {
                error("unclosed-part", format!("part `{name}` is not closed"))
                    .at(at, "this brace has no `}`")
            }
            Self::Stopped { at } => {
                error("too-many-errors", format!("reading stopped after {MAX_ERRORS} errors"))
                    .at(at, "what follows was not read")
            }
            Self::UnknownPreset { at, name, meant: word } => meant(
                error("unknown-preset", format!("there is no preset `{name}`")).at(at, ""),
                word.as_deref(),
            )
            .help("`variopath presets` lists them; a path to a file ends in .topo"),
            Self::Unreadable { at, path, reason } => {
                error("unreadable", format!("cannot read {path}: {reason}"))
                    .at(at, "")
                    .exit(Exit::File)
            }
            Self::UseCycle { at, chain } => {
                error("use-cycle", format!("the file uses itself: {}", chain.join(" uses ")))
                    .at(at, "this closes the cycle")
            }
            Self::UseEscape { at, path } => {
                error("use-escape", format!("`{path}` lies outside the folder of the main file"))
                    .at(at, "expected a path within that folder, without a leading `/`")
                    .help("put a copy beside the main file")
            }
            Self::TooManyUses { at } => error(
                "too-many-uses",
                format!("more than {MAX_USES} files and presets are drawn in"),
            )
            .at(at, ""),
            Self::UnknownSetting { file, name, meant: word, known } => {
                let all = if known.is_empty() {
                    "the file has no `param`".to_owned()
                } else {
                    format!("params of the file: {}", known.join(", "))
                };
                meant(
                    error("unknown-param", format!("--set: there is no param `{name}`"))
                        .in_file(file),
                    word.as_deref(),
                )
                .help(all)
            }
            Self::Duplicate { at, name, first } => {
                let d = error("duplicate-name", format!("`{name}` is declared twice"))
                    .at(at, "declared again here");
                first.into_iter().fold(d, |d, first| d.at(first, "first declared here"))
            }
            Self::Unknown { at, name, sought, meant: word } => {
                let code = if sought == Sought::Kind { "unknown-kind" } else { "unknown-name" };
                let d = error(code, format!("there is no {} `{name}`", sought.noun()));
                let label = match sought {
                    Sought::Kind => "expected gpu, nic, switch, socket, fabric or a part's name",
                    _ => "not declared here",
                };
                meant(d.at(at, label), word.as_deref())
            }
            Self::PartCycle { at, name } => {
                error("part-cycle", format!("part `{name}` contains itself")).at(at, "")
            }
            Self::LinkCycle { at, name } => {
                error("link-cycle", format!("the value of link `{name}` leads back to itself"))
                    .at(at, "")
            }
            Self::ArraySize { at, size: 0 } => {
                error("array-size", "an array of no elements").at(at, "expected 1 or more")
            }
            Self::ArraySize { at, size } => {
                error("array-size", format!("an array of {size} elements"))
                    .at(at, format!("at most {MAX_ELEMENTS} are supported"))
            }
            Self::MachineSize { at, of } => {
                let message = match of {
                    Counted::Devices => format!("the machine has more than {MAX_DEVICES} devices"),
                    Counted::Links => format!("the machine has more than {MAX_LINKS} links"),
                    Counted::Rules => format!("the machine has more than {MAX_RULES} rules"),
                    Counted::Listed => format!(
                        "rules and totals name more than {MAX_LISTED} pairs, devices and links"
                    ),
                    Counted::Elements => format!(
                        "the paths and parts of the file come to more than {MAX_ELEMENTS_NAMED} \
                         elements"
                    ),
                };
                error("machine-size", message).at(at, "")
            }
            Self::NotArray { at, name } => {
                error("not-an-array", format!("`{name}` is a single device, no array"))
                    .at(at, "expected no index")
            }
            Self::NoIndex { at, name, size } => {
                error("missing-index", format!("`{name}` is an array of {size}"))
                    .at(at, "expected an index")
                    .help(format!("write `{name}[0]` for one, `{name}[*]` for all"))
            }
            Self::OutOfBounds { at, name, index, size } => {
                error("out-of-bounds", format!("`{name}` has no element {index}"))
                    .at(at, format!("expected 0 to {}", size.saturating_sub(1)))
                    .help("indices count from 0, and the end of a range is not part of it")
            }
            Self::EmptyRange { at, from, to } => {
                error("empty-range", format!("the range {from}..{to} has no elements"))
                    .at(at, "expected a larger end")
                    .help("the end of a range is not part of it")
            }
            Self::Repeated { at, name, index } => {
                error("repeated-element", format!("`{name}[{index}]` is named twice"))
                    .at(at, "named again here")
            }
            Self::EndsAtPart { at, name, example } => {
                let d = error("not-a-device", format!("`{name}` is a part, not a device"))
                    .at(at, "expected a device in it");
                match example {
                    Some(example) => d.help(format!("for example `{name}.{example}`")),
                    None => d,
                }
            }
            Self::BehindDevice { at, name } => {
                error("not-a-part", format!("`{name}` is a device and contains nothing")).at(at, "")
            }
            Self::BothSides { at, written } => {
                error("ranges-on-both-sides", "several elements on both sides of a join")
                    .at(at, "expected a single device on one side")
                    .help(format!("to join them one by one, write `{written}`"))
            }
            Self::UsedOnce { at, name } => error(
                "index-used-once",
                format!("the walking index `{name}` stands on one side only"),
            )
            .at(at, "it is neither a param nor on the other side")
            .help("a walking index stands on both sides of a join; `*` means all elements"),
            Self::NeverBare { at, name } => {
                error("index-never-bare", format!("nothing says how far `{name}` runs"))
                    .at(at, "expected it without a division on one side")
            }
            Self::NoWalk { at, name } => {
                error("unknown-param", format!("there is no param `{name}`"))
                    .at(at, "a walking index has its place in joins only")
                    .help("`*` means all elements")
            }
            Self::SecondLink { at, first, from, to, set } => {
                let d = error("second-link", format!("`{from}` and `{to}` are joined already"))
                    .at(at, "joined again here");
                first
                    .into_iter()
                    .fold(d, |d, first| d.at(first, "first joined here"))
                    .help(format!("to change the link, write `{set}`"))
            }
            Self::SelfLink { at, name } => {
                error("link-to-itself", format!("`{name}` is joined to itself")).at(at, "")
            }
            Self::ZeroRate { at } => error("zero-rate", "a link of rate zero carries nothing")
                .at(at, "expected more than 0")
                .help("leave the link out, or write `unknown` if the rate is not known"),
            Self::AbsurdRate { at, rate } => {
                error("absurd-rate", format!("{rate} is more than any link carries"))
                    .at(at, "expected at most 10000 GB/s")
                    .help("rates count bytes: 200 Gb/s is 25 GB/s")
            }
            Self::AbsurdLatency { at } => {
                error("absurd-latency", "a latency of more than a second").at(at, "")
            }
            Self::Misplaced { at, attribute, kind, belongs } => {
                error("misplaced-attribute", format!("a {kind} has no `{attribute}`"))
                    .at(at, format!("`{attribute}` belongs to {belongs}"))
            }
            Self::AttributeTwice { at, attribute } => {
                error("duplicate-attribute", format!("`{attribute}` is given twice")).at(at, "")
            }
            Self::BadArch { at, arch } => error("bad-arch", format!("`{arch}` is no architecture"))
                .at(at, "expected `sm_` and a compute capability, such as `sm_89`"),
            Self::BusCount { at, ids, elements } => {
                error("bus-count", format!("{ids} bus ids for {elements} devices"))
                    .at(at, format!("expected {elements}"))
            }
            Self::NoLink { at, from, to } => {
                error("no-link", format!("no link from `{from}` to `{to}`"))
                    .at(at, "`set` changes links that exist")
            }
            Self::NotOneLink { at, name, links } => {
                error("not-one-link", format!("`{name}` has {links} links"))
                    .at(at, "without the other end, `set` means a device's only link")
                    .help(format!("name the other end: `set {name} -- … : …`"))
            }
            Self::RanksTwice { at, first } => {
                let d = error("duplicate-ranks", "the order of ranks is given twice")
                    .at(at, "given again here");
                first.into_iter().fold(d, |d, first| d.at(first, "first given here"))
            }
            Self::NotGpu { at, name } => {
                error("rank-not-gpu", format!("`{name}` is no GPU and has no rank")).at(at, "")
            }
            Self::RankTwice { at, name } => {
                error("duplicate-rank", format!("`{name}` has two ranks"))
                    .at(at, "named again here")
            }
            Self::BadBus { at, id } => error("bad-bus", format!("`{id}` is no PCI bus id"))
                .at(at, "expected domain, bus, device and function, such as \"0000:17:00.0\""),
            Self::BusTwice { at, id, names: [first, second] } => error(
                "duplicate-bus",
                format!("`{first}` and `{second}` of one node have the bus id {id}"),
            )
            .at(at, "declared here"),
            Self::WrongKind { at, name, found, wanted, rule } => {
                let (found, wanted) = (found.word(), wanted.word());
                let form = match rule {
                    "via" => "`via` names GPUs, then `:`, then network cards",
                    _ => "`forbid` is about pairs of GPUs",
                };
                error("wrong-kind", format!("`{name}` is a {found}, no {wanted}"))
                    .at(at, format!("expected a {wanted}: {form}"))
            }
            Self::ForbidNothing { at, across: true } => {
                error("forbids-nothing", "the GPUs of each pair lie in different nodes")
                    .at(at, "between nodes there is no peer access to forbid")
            }
            Self::ForbidNothing { at, across: false } => {
                error("forbids-nothing", "no pair of different GPUs is named")
                    .at(at, "expected different GPUs on both sides")
            }
            Self::ZeroLimit { at } => error("zero-limit", "a limit of no transfers at all")
                .at(at, "expected 1 or more")
                .help("to rule out peer access, write `peer none` or `forbid`"),
            Self::BadChunks { at, count } => {
                error("bad-chunks", format!("a transfer cannot go in {count} chunks"))
                    .at(at, format!("expected 1 to {MAX_CHUNKS}"))
            }
            Self::BadStep { at, fault } => {
                let (message, label) = match fault {
                    StepFault::NoFlows => {
                        ("a step of no flows".to_owned(), "expected 1 or more flows")
                    }
                    StepFault::Order { before, flows } => (
                        format!("the step of {flows} flows stands behind that of {before}"),
                        "expected the numbers of flows to ascend",
                    ),
                    StepFault::Percent(percent) => (
                        format!("a link does not keep {percent}% of its rate"),
                        "expected 1% to 100%",
                    ),
                };
                error("bad-efficiency", message).at(at, label)
            }
            Self::TotalNoLink { at, from, to, back } => {
                let d = error("no-link", format!("no link from `{from}` to `{to}`"))
                    .at(at, "`total` bounds links that exist");
                if back {
                    d.help(format!("the other direction exists: `{to} -> {from}`"))
                } else {
                    d.help(format!("for all that a device takes in, write `total {to} : …`"))
                }
            }
            Self::TotalNothing { at, name } => {
                error("no-link", format!("no link leads into `{name}`"))
                    .at(at, "a device alone stands for all that it takes in")
            }
            Self::TotalTwice { at, from, to } => {
                error("counted-twice", format!("`{from} -> {to}` counts twice in the total"))
                    .at(at, "counted again here")
            }
        }
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Self {
        error.diagnostic()
    }
}
