//! What a dump tells of one machine, before anything is concluded from it: a forest of PCI functions.
//!
//! Every reader but that of pair labels produces an [`Inventory`]; what follows from it (cards with
//! bridges of their own, ports of one network card, sockets) is concluded once, behind all readers.

use super::format::Format;
use crate::base::{BusId, Span};
use crate::diagnostics::{Diagnostic, Diagnostics};

/// The speed and width of a PCIe link, as far as a dump tells them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PciLink {
    /// The generation, 1 (2.5 GT/s) to 7 (128 GT/s); `None` where unknown (an empty speed).
    pub generation: Option<u32>,
    /// The number of lanes, 1 to 32; `None` where unknown (a width of 0).
    pub width: Option<u32>,
}

/// What a dump tells of the link between a function and the port above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkReport {
    /// What both ends are able to, where only one end is told, that of the function.
    pub capable: PciLink,
    /// What they run at now; power saving lowers the speed of idle links, never the width.
    pub current: PciLink,
}

/// What a PCI function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionKind {
    /// The CPU's side of a PCI hierarchy (0x0600), or a root bus.
    HostBridge,
    /// A bridge (0x0604): a root port, a port of a switch, a bridge on a card.
    Bridge,
    /// A GPU or another accelerator that takes part in an exchange.
    Gpu,
    /// A network card or one port of it.
    Nic,
    /// A switch of GPU links.
    NvSwitch,
    /// Anything else (storage, audio, console graphics); kept only where it helps to tell bridges apart.
    Other,
}

/// What a function hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Above {
    /// Another function, by its position; it stands before.
    Function(usize),
    /// A processor, by its position.
    Processor(usize),
    /// The dump does not tell.
    Unknown,
}

/// A network device (`mlx5_0`) that a NIC function carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Megabits a second; `None` where unknown.
    pub megabits: Option<u64>,
    /// The identifier that the ports of one card share, where told.
    pub guid: Option<String>,
    /// Whether it has no hardware of its own (veth, bridge, bond).
    pub is_virtual: bool,
}

/// One PCI function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its address; `None` where the dump has none.
    pub bus: Option<BusId>,
    /// What it is.
    pub kind: FunctionKind,
    /// What it hangs on.
    pub above: Above,
    /// The link to that; unknown inside of a chip, as of a port of a switch that faces down.
    pub link: LinkReport,
    /// Vendor and device id, where told.
    pub ids: Option<(u16, u16)>,
    /// Marketing name, where told.
    pub model: Option<String>,
    /// Compute architecture of an NVIDIA GPU (`sm_89`), where told.
    pub arch: Option<String>,
    /// The number by which tools count GPUs or network devices (`GPU3`, `dev="3"`), where told.
    pub number: Option<u32>,
    /// NUMA node; `None` where unknown (-1).
    pub numa: Option<u32>,
    /// Network devices, NICs only.
    pub ports: Vec<Port>,
    /// Whether ACS redirects requests between the devices below it upwards; ports only, where told.
    pub acs_redirect: Option<bool>,
    /// Where the dump tells of it.
    pub span: Option<Span>,
}

impl Function {
    /// A function of which no more is told than what it is and what it hangs on.
    #[must_use]
    pub fn new(kind: FunctionKind, above: Above) -> Self {
        Self {
            bus: None,
            kind,
            above,
            link: LinkReport::default(),
            ids: None,
            model: None,
            arch: None,
            number: None,
            numa: None,
            ports: Vec::new(),
            acs_redirect: None,
            span: None,
        }
    }

    /// A warning where a GPU or network card runs on fewer lanes than both ends are able to, or than
    /// `is_narrow` knows without a number. Power saving never takes lanes away.
    #[must_use]
    pub fn missing_lanes(&self, is_narrow: bool) -> Option<Diagnostic> {
        let (able, runs) = (self.link.capable.width, self.link.current.width?);
        let is_card = matches!(self.kind, FunctionKind::Gpu | FunctionKind::Nic);
        if !is_card || !(is_narrow || able.is_some_and(|able| runs < able)) {
            return None;
        }
        let able = able.map_or("more".to_owned(), |width| format!("x{width}"));
        let message = format!("{} runs on {runs} lanes, though it is able to {able}", self.bus?);
        Some(
            Diagnostic::warning("import-width", message)
                .help("a slot with fewer lanes, a riser, or a bad contact"),
        )
    }
}

/// A socket or, where a dump knows only those, a NUMA node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    /// The physical socket, where the dump tells; several NUMA nodes may share one.
    pub socket: Option<u32>,
    /// The NUMA nodes; empty where unknown.
    pub numa: Vec<u32>,
    /// The CPUs as the dump writes them, for comments.
    pub cpus: Option<String>,
    /// Vendor, family and model as far as told, for comments.
    pub model: Option<String>,
    /// Where the dump tells of it.
    pub span: Option<Span>,
}

/// Links between GPUs that PCIe does not carry (NVLink, xGMI).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuLink {
    /// A GPU's function.
    pub from: usize,
    /// The other's function; `None` for a switch or a GPU that the dump leaves out.
    pub to: Option<usize>,
    /// How many lanes or bricks; 0 where unknown.
    pub count: u32,
}

/// All that a dump tells.
#[derive(Debug, Clone)]
pub struct Inventory {
    /// Which tool wrote it.
    pub format: Format,
    /// Sockets or NUMA nodes, in the order of the dump.
    pub processors: Vec<Processor>,
    /// In the order of the dump; what a function hangs on stands before it.
    pub functions: Vec<Function>,
    /// GPU links beside PCIe.
    pub gpu_links: Vec<GpuLink>,
    /// What the reader noticed: notes and warnings.
    pub notes: Diagnostics,
}
