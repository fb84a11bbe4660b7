//! What can be wrong with the output of lspci.

use crate::base::Span;
use crate::diagnostics::Diagnostic;
use std::fmt;

/// A reason to refuse it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// No line opens a tree.
    NoTree,
    /// A line continues a branch that no line above opens.
    LostIndentation,
    /// A line ends inside of the tree.
    CutLine,
    /// Something else than a bus or a device.
    Unexpected(String),
    /// A bus that is none.
    Bus(String),
    /// A device that hangs on no bus.
    NoBus(String),
    /// A function that stands twice.
    Repeated(String),
    /// More functions than any machine has.
    TooMany(usize),
    /// A tree without names.
    NoNames,
    /// A tree in which no name is that of a GPU.
    NoGpu(usize),
    /// Details without any function.
    NoFunction,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTree => f.write_str("no line opens a tree of lspci -t"),
            Self::LostIndentation => {
                f.write_str("this line continues no branch that is open above")
            }
            Self::CutLine => f.write_str("the line ends inside of the tree"),
            Self::Unexpected(text) => write!(f, "`{text}` is neither a bus nor a device"),
            Self::Bus(text) => write!(f, "`{text}` is no bus"),
            Self::NoBus(text) => write!(f, "{text} hangs on no bus"),
            Self::Repeated(bus) => write!(f, "{bus} stands twice"),
            Self::TooMany(count) => write!(f, "more than {count} PCI functions"),
            Self::NoNames => {
                f.write_str("the tree has no names: nothing tells which devices are GPUs")
            }
            Self::NoGpu(count) => {
                write!(f, "no GPU by name among the PCI functions ({count} told)")
            }
            Self::NoFunction => f.write_str("no line names a PCI function"),
        }
    }
}

impl Fault {
    fn help(&self) -> &'static str {
        match self {
            Self::NoTree | Self::NoFunction => "give the output of `lspci -tv` or `lspci -vv`",
            Self::LostIndentation => {
                "copy the tree with the blanks at the start of its lines: `lspci -tv > tree.txt`"
            }
            Self::CutLine => "copy whole lines: `lspci -tv > tree.txt`",
            Self::Unexpected(_) | Self::NoBus(_) => "devices look like 01.0, buses like [0000:17]",
            Self::Bus(_) => "buses look like [0000:17], [17] or [17-1a]",
            Self::Repeated(_) => "one file describes one machine",
            Self::TooMany(_) => "check the file",
            Self::NoNames => "give the output of `lspci -tv`, not `lspci -t`",
            Self::NoGpu(_) => {
                "give the whole output of `lspci -tv` on the machine with the GPUs; names come from \
                 `update-pciids`"
            }
        }
    }

    /// As a diagnostic at `span`.
    pub fn at(self, span: Option<Span>) -> Diagnostic {
        Diagnostic::error("import-lspci", self.to_string()).help(self.help()).at(span, "")
    }
}
