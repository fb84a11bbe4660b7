//! Every error in words, with its places and ways out.

use super::{
    Counted, Error, MAX_CHUNKS, MAX_DEPTH, MAX_DEVICES, MAX_ELEMENTS, MAX_ELEMENTS_NAMED,
    MAX_ERRORS, MAX_FILE_BYTES, MAX_LINKS, MAX_LISTED, MAX_RULES, MAX_USES, Sought, StepFault,
    Wanted,
};
use crate::diagnostics::{Diagnostic, Exit};
use crate::dsl::suggest::nearest;
use std::fmt;

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

/// The rate that a name such as `x8` or `Gen4x16` speaks of; Gen4 where it names no generation.
fn pcie(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("pcie").unwrap_or(&name).trim_matches('_');
    let (generation, lanes) = name.split_once('x')?;
    let generation: u32 = match generation.trim_matches('_').trim_start_matches("gen") {
        "" => 4,
        number => number.parse().ok()?,
    };
    let lanes: u32 = lanes.parse().ok()?;
    let exists = (1..=7).contains(&generation) && [1, 2, 4, 8, 16].contains(&lanes);
    exists.then(|| format!("pcie gen{generation} x{lanes}"))
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
            Self::Expected { at, found, wanted, meant: word } => {
                let words = wanted.iter().filter_map(|wanted| match wanted {
                    Wanted::Literal(word) if word.len() > 2 => Some(*word),
                    _ => None,
                });
                let word = word.or_else(|| nearest(found.trim_matches('`'), words));
                meant(
                    error("syntax", format!("unexpected {found}"))
                        .at(at, format!("expected {}", either(&wanted))),
                    word,
                )
            }
            Self::Slip { error, written } => {
                let mut diagnostic = error.diagnostic();
                // What the correction says, the general help would say again, or wrongly.
                diagnostic.help.clear();
                let rate =
                    if written.ends_with(": unknown") { ", or its rate at the end" } else { "" };
                diagnostic.help(format!("write `{written}`{rate}"))
            }
            Self::TooLong { at, what, limit } => {
                error("too-long", format!("the {what} is too long"))
                    .at(at, format!("at most {limit} characters are read"))
            }
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
                } else if ["gb/s", "gbs", "gbps"].contains(&unit.to_ascii_lowercase().as_str()) {
                    diagnostic.help("GB/s counts bytes, Gb/s bits: 200 Gb/s are 25 GB/s")
                } else if unit == "ms" {
                    diagnostic.help("a millisecond is `1000 us`")
                } else {
                    diagnostic
                }
            }
            Self::Reserved { at, word } => {
                error("reserved-word", format!("`{word}` is a word of the language and no name"))
                    .at(at, "expected a name")
                    .help(format!("another name would do: `{word}_`, `my_{word}`"))
            }
            Self::Exponent { at } => error("exponent", "numbers are written without an exponent")
                .at(at, "expected digits and a point, such as `300` or `0.5`"),
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
                let d = d.at(at, label);
                match pcie(&name).filter(|_| sought == Sought::Link) {
                    // Of another width only the name is near.
                    Some(rate) => d.help(format!(
                        "write the whole rate, `{rate}`, or declare `link {name} = {rate}`"
                    )),
                    None => meant(d, word.as_deref()),
                }
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
            Self::NoIndex { at, name, size, written } => {
                let d = error("missing-index", format!("`{name}` is an array of {size}"))
                    .at(at, "expected an index");
                match written {
                    Some(written) => d.help(format!(
                        "to join them one by one, write `{written}`; to join all to one, `{name}[0]`"
                    )),
                    None => d.help(format!("write `{name}[0]` for one, `{name}[*]` for all")),
                }
            }
            Self::OutOfBounds { at, name, index, size, written } => {
                let d = error("out-of-bounds", format!("`{name}` has no element {index}"))
                    .at(at, format!("expected 0 to {}", size.saturating_sub(1)));
                match written {
                    Some(written) => d.help(format!("to spread them evenly, write `{written}`")),
                    None => {
                        d.help("indices count from 0, and the end of a range is not part of it")
                    }
                }
            }
            Self::EmptyRange { at, from, to } => {
                let d = error("empty-range", format!("the range {from}..{to} has no elements"))
                    .at(at, "expected a larger end")
                    .help("the end of a range is not part of it");
                if from > to {
                    d.help(
                        "ranges ascend; another order is written element by element: `[2, 1, 0]`",
                    )
                } else {
                    d
                }
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
                    .at(at, "a walking index has its place in joins, totals and `via` only")
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
            Self::BadArch { at, arch } => {
                let d = error("bad-arch", format!("`{arch}` is no architecture"))
                    .at(at, "expected `sm_` and a compute capability, such as `sm_89`");
                let digits: String = arch.chars().filter(char::is_ascii_digit).collect();
                let near = matches!(digits.len(), 2 | 3) && arch.starts_with(['s', 'S', 'c']);
                if near { d.help(format!("write `arch sm_{digits}`")) } else { d }
            }
            Self::BusCount { at, ids, elements } => {
                let ids = if ids == 1 { "1 bus id".to_owned() } else { format!("{ids} bus ids") };
                let devices = if elements == 1 { "device" } else { "devices" };
                error("bus-count", format!("{ids} for {elements} {devices}"))
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
                    StepFault::Rises { before, percent } => (
                        format!("the percentages rise from {before}% to {percent}%"),
                        "expected a link to keep no more when more transfers share it",
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
