//! The syntax tree of a topology file, comments included. Parser, formatter and importers share it.

use crate::base::{Mode, RouteClass, Span};

/// Something with the place it was read from. Equality ignores the place.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    /// The thing.
    pub value: T,
    /// Where it stands; `None` in a tree that was not read from a text.
    pub span: Option<Span>,
}

impl<T> Spanned<T> {
    /// A thing that was not read from a text.
    pub fn bare(value: T) -> Self {
        Self { value, span: None }
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A whole file.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Comment lines above the header, without `#` and surrounding blanks.
    pub leading: Vec<String>,
    /// The comment behind the header.
    pub trailing: Option<String>,
    /// The name in `topology "name"`.
    pub name: Spanned<String>,
    /// The statements in order.
    pub body: Block,
}

/// Statements of a file or part, and the comment lines behind the last of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// Comment lines at the end.
    pub dangling: Vec<String>,
}

/// A statement with the comments that belong to it.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Whether an empty line stands before it (before its comments).
    pub blank_before: bool,
    /// Comment lines above it.
    pub leading: Vec<String>,
    /// What it says.
    pub kind: StatementKind,
    /// The comment behind it.
    pub trailing: Option<String>,
    /// Where it stands.
    pub span: Option<Span>,
}

impl Statement {
    /// A statement without comments that was not read from a text.
    #[must_use]
    pub fn bare(kind: StatementKind) -> Self {
        Self { blank_before: false, leading: Vec::new(), kind, trailing: None, span: None }
    }
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.leading == other.leading && self.kind == other.kind && self.trailing == other.trailing
    }
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `use "l20-8" as l20`
    Use {
        /// A preset or a path.
        target: Spanned<String>,
        /// The part's name; without it the statements stand in place.
        alias: Option<Spanned<String>>,
    },
    /// `param nodes = 2`
    Param {
        /// Its name.
        name: Spanned<String>,
        /// Its default.
        value: Spanned<u64>,
    },
    /// `link x16 = pcie gen4 x16`
    Link {
        /// Its name.
        name: Spanned<String>,
        /// What it is worth.
        value: Value,
    },
    /// `part host { … }`
    Part {
        /// Its name.
        name: Spanned<String>,
        /// What it is made of.
        body: Block,
    },
    /// `gpu g[8] { arch sm_89 }` or `host h[4]`
    Device {
        /// `gpu`, `nic`, `switch`, `socket`, `fabric` or a part's name.
        kind: Spanned<String>,
        /// Its name.
        name: Spanned<String>,
        /// The number of elements, for an array.
        count: Option<Spanned<Atom>>,
        /// What else is known.
        attributes: Vec<Spanned<Attribute>>,
        /// `-- sw[k/2] : x16` written behind it.
        join: Option<Box<JoinTail>>,
    },
    /// `s[0] -- s[1] : upi`
    Join {
        /// The left side.
        left: Path,
        /// The rest.
        tail: JoinTail,
    },
    /// `set g[3] : pcie gen4 x8`
    Set {
        /// What is changed.
        path: Path,
        /// How.
        change: SetChange,
    },
    /// `without g[5], g[6]`
    Without(Vec<Path>),
    /// `ranks by h, g` or `ranks g[1], g[0]`
    Ranks(Ranks),
    /// `total s[0] -- s[1] : 64 GB/s`
    Total {
        /// Whose traffic, at least one.
        of: Vec<Traffic>,
        /// What it comes to together.
        value: Value,
    },
    /// Every statement that says how the machine behaves rather than what it is made of.
    Rule(Spanned<Rule>),
}

/// `-- path : value` or `-> path : value`
#[derive(Debug, Clone, PartialEq)]
pub struct JoinTail {
    /// Whether both directions exist (`--`).
    pub duplex: bool,
    /// The right side.
    pub right: Path,
    /// What it is worth.
    pub value: Value,
}

/// Traffic that counts in a `total`: between two devices, or all that one takes in.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    /// The device, or the left side.
    pub path: Path,
    /// Whether both directions are meant, and the right side.
    pub to: Option<(bool, Path)>,
}

/// What `set` changes.
#[derive(Debug, Clone, PartialEq)]
pub enum SetChange {
    /// `{ arch sm_90 }`
    Attributes(Vec<Spanned<Attribute>>),
    /// `: value` of the device's only link.
    OnlyLink(Value),
    /// `-- path : value`
    Join(JoinTail),
}

/// The order of ranks.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranks {
    /// By the named arrays, the first one slowest.
    By(Vec<Spanned<String>>),
    /// Exactly these devices.
    List(Vec<Path>),
}

/// One attribute of a device.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// `arch sm_89`
    Arch(String),
    /// `model "NVIDIA L20"`
    Model(String),
    /// `memory 80 GB/s`
    Memory(Rate, Option<Origin>),
    /// `bus "0000:17:00.0"` or `bus ["…", "…"]`
    Bus(Vec<String>),
}

/// A rate with its latency and origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// How fast.
    pub rate: Spanned<Rate>,
    /// How late.
    pub latency: Option<Latency>,
    /// Where the figure comes from; `None` when the file just states it.
    pub origin: Option<Origin>,
}

/// A rate as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    /// `39 GB/s`
    Number(Decimal, RateUnit),
    /// `pcie gen4 x16`
    Pcie {
        /// The generation, 1 and up.
        generation: u32,
        /// The number of lanes.
        width: u32,
    },
    /// The name of a `link`.
    Named(String),
    /// `unknown`
    Unknown,
}

/// Units of rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateUnit {
    /// 10^9 bytes a second.
    GigabytesPerSecond,
    /// 2^30 bytes a second.
    GibibytesPerSecond,
    /// 10^6 bytes a second.
    MegabytesPerSecond,
    /// 10^9 bits a second.
    GigabitsPerSecond,
}

/// A latency as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    /// The number.
    pub number: Decimal,
    /// Whether it counts microseconds (else nanoseconds).
    pub microseconds: bool,
}

/// A non-negative decimal number, kept as its digits: `26.3` is 263 with 1 place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    /// All digits as one integer.
    pub digits: u64,
    /// How many of them stand behind the point.
    pub places: u32,
}

/// Where a figure comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `assumed "why"`
    Assumed(Option<String>),
    /// `from "source"`
    From(String),
}

/// `h[*].g[k]`. Equality ignores the place.
#[derive(Debug, Clone)]
pub struct Path {
    /// Its steps, at least one.
    pub steps: Vec<Step>,
    /// Where it stands.
    pub span: Option<Span>,
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The device or part.
    pub name: Spanned<String>,
    /// What stands in brackets.
    pub index: Option<Spanned<Index>>,
}

/// What stands in brackets.
#[derive(Debug, Clone, PartialEq)]
pub enum Index {
    /// `*`
    All,
    /// `0, 2..4, k/2`
    Items(Vec<Spanned<Item>>),
}

/// One item of an index.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// `3`, `n`, `k`
    One(Atom),
    /// `0..4`, half open
    Range(Atom, Atom),
    /// `k/2`
    Quotient(Atom, u64),
}

/// An integer or a name (a param, else a walking index).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// `3`
    Integer(u64),
    /// `k`
    Name(String),
}

/// A rule as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// `peer none`, `peer within socket`, `peer nic within switch`
    Peer {
        /// Whether it speaks of GPUDirect between NIC and GPU.
        nic: bool,
        /// How far peer access reaches; `None` for nowhere.
        within: Option<Place>,
    },
    /// `forbid push g[0] -> g[1]`
    Forbid {
        /// Only this mode.
        mode: Option<Mode>,
        /// From.
        from: Path,
        /// Whether both directions are meant.
        duplex: bool,
        /// To.
        to: Path,
    },
    /// `via nearest`
    ViaNearest,
    /// `via any`
    ViaAny,
    /// `via g[0] : n[0], n[1]`
    Via {
        /// Whose transfers.
        of: Path,
        /// Over which cards.
        through: Vec<Path>,
    },
    /// `loopback`
    Loopback,
    /// `cap cross push by kernel : 20 GB/s`
    Cap {
        /// Routes of this class.
        class: RouteClass,
        /// Only this mode.
        mode: Option<Mode>,
        /// Only this initiator.
        by: Option<crate::base::Initiator>,
        /// The most that one transfer reaches.
        value: Value,
    },
    /// `pacing cross push`
    Pacing {
        /// Routes of this class.
        class: RouteClass,
        /// Only this mode.
        mode: Option<Mode>,
    },
    /// `bounce at destination chunks 8`
    Bounce {
        /// Whether the slots lie at the source's socket (else the destination's).
        at_source: bool,
        /// How many chunks are under way.
        chunks: Option<u64>,
    },
    /// `limit push in switch : 2`
    Limit {
        /// Only this mode.
        mode: Option<Mode>,
        /// The place.
        place: Place,
        /// The most transfers at once.
        count: u64,
    },
    /// `avoid push from same switch to different uplink : 2.7 GB/s`
    Avoid {
        /// Only this mode.
        mode: Option<Mode>,
        /// How the sources lie.
        from: (Relation, Place),
        /// How the destinations lie.
        to: (Relation, Place),
        /// What the two reach together.
        value: Option<Value>,
    },
    /// `efficiency x16 push : 2 85%, 4 70%`
    Efficiency {
        /// The link's name.
        link: Spanned<String>,
        /// Only this mode.
        mode: Option<Mode>,
        /// (number of flows, percent).
        steps: Vec<(u64, u64)>,
    },
    /// `cost step : 5 us`
    Cost {
        /// Whether of a flow (else of a step).
        flow: bool,
        /// How much.
        time: Latency,
        /// Where it comes from.
        origin: Option<Origin>,
    },
    /// `measured push "p2p.json"`
    Measured {
        /// Only this mode.
        mode: Option<Mode>,
        /// The file.
        file: Spanned<String>,
    },
}

/// Whether two devices lie in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `same`
    Same,
    /// `different`
    Different,
}

/// A place that rules speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `gpu`
    Gpu,
    /// `switch`
    Switch,
    /// `uplink`
    Uplink,
    /// `socket`
    Socket,
    /// `node`
    Node,
}
