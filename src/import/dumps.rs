//! Which dump each text is, read by its own reader.

use super::fault::Fault;
use super::format::{Format, Found, find};
use super::label::PairLabel;
use super::matrix::{self, Matrix};
use super::merge::{self, Dump};
use super::peers::{self, PeerMatrix};
use super::scan::{Line, is_too_long, lines};
use super::{hwloc, lspci, nccl};
use crate::base::SourceId;
use crate::diagnostics::{Diagnostics, Sources};

/// What the texts of one machine tell.
#[derive(Debug, Default)]
pub struct Dumps {
    /// The matrix of `topo -m` with the name of its file.
    pub matrix: Option<(String, Matrix)>,
    /// Inventories of PCI functions.
    pub inventories: Vec<Dump>,
    /// Matrices of `topo -p2p`.
    pub peers: Vec<PeerMatrix>,
}

impl Dumps {
    /// Reads every text; all that is wrong with any of them.
    pub fn read(sources: &Sources, inputs: &[SourceId]) -> Result<Self, Diagnostics> {
        let mut dumps = Self::default();
        let mut faults = Diagnostics::new();
        for &source in inputs {
            if let Err(more) = dumps.add(sources, source) {
                faults.extend(more);
            }
        }
        if faults.has_errors() { Err(faults) } else { Ok(dumps) }
    }

    fn add(&mut self, sources: &Sources, source: SourceId) -> Result<(), Diagnostics> {
        let (name, text) =
            sources.get(source).map_or(("", ""), |s| (s.name.as_str(), s.text.as_str()));
        if is_too_long(text) {
            return Err(Fault::TooLong.at(None).in_file(name).into());
        }
        let lines = lines(text);
        let inventory = match find(text, &lines) {
            Some(Found::Matrix(header)) => {
                let matrix = matrix::parse(&lines, header, source)?;
                if let Some((first, _)) = &self.matrix {
                    let (first, second) = (first.clone(), name.to_owned());
                    let place = Some(lines[header].span(source));
                    return Err(merge::Fault::TwoMatrices { first, second }.at(&[place]).into());
                }
                self.matrix = Some((name.to_owned(), matrix));
                self.peers.extend(peers::matrices(&lines, source)?);
                return Ok(());
            }
            Some(Found::Other(Format::NvidiaSmiPeers, line)) => {
                let found = peers::matrices(&lines, source)?;
                if found.is_empty() {
                    let place = Some(lines[line].span(source));
                    return Err(Fault::NotPeerAccess.at(place).into());
                }
                self.peers.extend(found);
                return Ok(());
            }
            Some(Found::Headerless(line)) => return Err(headerless(&lines[line], source)),
            Some(Found::Other(Format::NcclXml, _)) => nccl::read(text, source)?,
            Some(Found::Other(Format::HwlocXml, _)) => hwloc::read(text, source)?,
            Some(Found::Other(Format::LspciTree, _)) => {
                let tree = lspci::read_tree(text, source)?;
                if lines.iter().any(|line| line.word(0) == "LnkCap:") {
                    // `lspci -tv` and `lspci -vv` in one file.
                    self.inventories.push(Dump { name: name.to_owned(), inventory: tree });
                    lspci::read_details(text, source)?
                } else {
                    tree
                }
            }
            Some(Found::Other(Format::LspciDetails, _)) => lspci::read_details(text, source)?,
            Some(Found::Other(Format::PeerBandwidth, line)) => {
                return Err(Fault::Measurements.at(Some(lines[line].span(source))).into());
            }
            Some(Found::Other(Format::NcclTests, line)) => {
                return Err(Fault::Collective.at(Some(lines[line].span(source))).into());
            }
            // No text is this machine.
            None | Some(Found::Other(Format::NvidiaSmiTopology | Format::ThisMachine, _)) => {
                let fault = match text {
                    text if text.trim().is_empty() => Fault::Empty,
                    text if text.contains('\0') => Fault::Binary,
                    text if is_topology(text) => Fault::TopologyFile,
                    _ => Fault::NotRecognised,
                };
                return Err(fault.at(None).in_file(name).into());
            }
        };
        self.inventories.push(Dump { name: name.to_owned(), inventory });
        Ok(())
    }
}

fn headerless(row: &Line, source: SourceId) -> Diagnostics {
    let labels =
        row.words[1..].iter().take_while(|word| PairLabel::from_word(&word.text).is_some()).count();
    let fault = Fault::NoHeader { row: row.word(0).to_string(), labels };
    fault.at(Some(row.span(source))).into()
}

/// Whether the first word of `text` is that of the topology language.
#[must_use]
pub fn is_topology(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first
        .and_then(|line| line.strip_prefix("topology"))
        .is_some_and(|rest| rest.starts_with([' ', '\t']))
}
