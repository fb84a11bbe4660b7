//! Text to measurements.

use super::fault::{Fault, Step};
use super::{Device, Direction, Evidence, FORMAT, Measured, Sample, Series, Transfer};
use crate::base::{BusId, BytesPerSecond, Initiator, Mode, SourceId};
use crate::diagnostics::{Diagnostics, Sources};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The longest file that is read.
pub const MAX_FILE_BYTES: usize = 4 << 20;
/// The most devices of one file.
pub const MAX_DEVICES: usize = 4096;
/// The highest rate that is believed of one transfer: 10 TB/s, as of a link.
pub const MAX_RATE: BytesPerSecond = BytesPerSecond(10_000_000_000_000);
/// Beyond this many mistakes nothing more is said. Each costs a walk over the text.
const MAX_FAULTS: usize = 20;

/// Reads a file of measurements.
///
/// # Errors
/// All that is wrong with it, each with its place: exit 1.
pub fn read(sources: &Sources, source: SourceId) -> Result<Measured, Diagnostics> {
    let text = sources.get(source).map_or("", |source| source.text.as_str());
    if text.len() > MAX_FILE_BYTES {
        return Err(Fault::TooLarge.at_bytes(source, 0, 0).into());
    }
    let document: Value = serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or("").to_owned();
        let before: usize =
            text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = (before + error.column().saturating_sub(1)).min(text.len());
        Diagnostics::from(Fault::Syntax(what).at_bytes(source, at, at + 1))
    })?;
    let mut reader = Reader { source, text, faults: Diagnostics::new(), found: 0 };
    let measured = reader.file(&document);
    match measured {
        Some(measured) if reader.faults.is_empty() => Ok(measured),
        _ => Err(reader.faults),
    }
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    faults: Diagnostics,
    found: usize,
}

type Object = Map<String, Value>;

/// A path with one step more.
fn and(path: &[Step], step: Step) -> Vec<Step> {
    path.iter().copied().chain([step]).collect()
}

impl Reader<'_> {
    fn fault(&mut self, fault: &Fault, path: &[Step]) {
        self.found += 1;
        if self.found <= MAX_FAULTS {
            self.faults.push(fault.at(self.source, self.text, path));
        }
    }

    fn stopped(&self) -> bool {
        self.found >= MAX_FAULTS
    }

    fn kind(&mut self, field: &'static str, wanted: &'static str, found: &Value, path: &[Step]) {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.fault(&Fault::Kind { field, wanted, found: found.to_owned() }, path);
    }

    fn file(&mut self, document: &Value) -> Option<Measured> {
        let Value::Object(fields) = document else {
            self.fault(&Fault::NotAnObject, &[]);
            return None;
        };
        match fields.get("format") {
            Some(Value::String(format)) if format == FORMAT => {}
            Some(Value::String(format)) => {
                let format = format.chars().take(60).collect();
                self.fault(&Fault::Format(format), &[Step::Key("format")]);
                return None;
            }
            Some(other) => {
                self.kind("format", "a text", other, &[Step::Key("format")]);
                return None;
            }
            None => {
                self.fault(&Fault::Missing("format"), &[]);
                return None;
            }
        }
        let devices = self.list(fields, "devices", &[])?;
        if devices.len() > MAX_DEVICES {
            self.fault(&Fault::TooManyDevices(devices.len()), &[Step::Key("devices")]);
            return None;
        }
        let devices = self.devices(devices);
        let mut series = Vec::new();
        for (index, one) in self.list(fields, "series", &[])?.iter().enumerate() {
            let path = [Step::Key("series"), Step::Index(index)];
            series.extend(self.series(one, devices.len(), &path));
            if self.stopped() {
                return None;
            }
        }
        Some(Measured { devices, series })
    }

    fn list<'v>(
        &mut self,
        fields: &'v Object,
        field: &'static str,
        path: &[Step],
    ) -> Option<&'v Vec<Value>> {
        match fields.get(field) {
            Some(Value::Array(list)) => return Some(list),
            Some(other) => self.kind(field, "an array", other, &and(path, Step::Key(field))),
            None => self.fault(&Fault::Missing(field), path),
        }
        None
    }

    fn object<'v>(
        &mut self,
        value: &'v Value,
        field: &'static str,
        path: &[Step],
    ) -> Option<&'v Object> {
        match value {
            Value::Object(fields) => Some(fields),
            other => {
                self.kind(field, "an object", other, path);
                None
            }
        }
    }

    /// A text that may be missing or null.
    fn text(&mut self, fields: &Object, field: &'static str, path: &[Step]) -> Option<String> {
        match fields.get(field)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => {
                self.kind(field, "a text", other, &and(path, Step::Key(field)));
                None
            }
        }
    }

    /// One of a few words, which may be missing or null.
    fn word<T>(
        &mut self,
        fields: &Object,
        field: &'static str,
        known: &'static str,
        from_word: impl Fn(&str) -> Option<T>,
        path: &[Step],
    ) -> Option<T> {
        let word = self.text(fields, field, path)?;
        let value = from_word(&word);
        if value.is_none() {
            let found = word.chars().take(60).collect();
            let fault = Fault::Word { field, found, known };
            self.fault(&fault, &and(path, Step::Key(field)));
        }
        value
    }

    fn devices(&mut self, list: &[Value]) -> Vec<Device> {
        let mut devices = Vec::new();
        let mut seen: BTreeMap<BusId, usize> = BTreeMap::new();
        for (index, one) in list.iter().enumerate() {
            let path = [Step::Key("devices"), Step::Index(index)];
            let mut device = Device::default();
            if let Some(fields) = self.object(one, "devices", &path) {
                device.name = self.text(fields, "name", &path);
                device.bus = self.bus(fields, &path);
            }
            if let Some(bus) = device.bus {
                let first = *seen.entry(bus).or_insert(index);
                if first != index {
                    self.fault(&Fault::BusTwice { bus, first }, &and(&path, Step::Key("bus")));
                }
            }
            devices.push(device);
        }
        devices
    }

    /// A bus id that may be missing or null.
    fn bus(&mut self, fields: &Object, path: &[Step]) -> Option<BusId> {
        let text = self.text(fields, "bus", path)?;
        let bus = BusId::from_full(&text);
        if bus.is_none() {
            let fault = Fault::BadBus(text.chars().take(60).collect());
            self.fault(&fault, &and(path, Step::Key("bus")));
        }
        bus
    }

    fn series(&mut self, value: &Value, devices: usize, path: &[Step]) -> Option<Series> {
        let fields = self.object(value, "series", path)?;
        if !fields.contains_key("direction") {
            self.fault(&Fault::Missing("direction"), path);
        }
        let directions = "unidirectional, bidirectional and together";
        let direction = self.word(fields, "direction", directions, Direction::from_word, path);
        let mode = self.word(fields, "mode", "push and pull", Mode::from_word, path);
        let initiators = "kernel and engine";
        let initiator = self.word(fields, "initiator", initiators, Initiator::from_word, path);
        let peer_access = match fields.get("peer_access") {
            None | Some(Value::Null) => None,
            Some(Value::Bool(access)) => Some(*access),
            Some(other) => {
                let path = and(path, Step::Key("peer_access"));
                self.kind("peer_access", "true or false", other, &path);
                None
            }
        };
        let evidence = self.evidence(fields, path);
        let list = self.list(fields, "samples", path)?;
        let direction = direction?;
        let mut seen: BTreeMap<Vec<(usize, usize)>, usize> = BTreeMap::new();
        let mut samples = Vec::new();
        for (index, one) in list.iter().enumerate() {
            if self.stopped() {
                break;
            }
            let path = and(&and(path, Step::Key("samples")), Step::Index(index));
            let Some(sample) = self.sample(one, direction, devices, &path) else { continue };
            let mut pairs: Vec<_> = sample.transfers.iter().map(|t| (t.src, t.dst)).collect();
            pairs.sort_unstable();
            if let Some(&first) = seen.get(&pairs) {
                self.fault(&Fault::Twice { pairs, first }, &path);
                continue;
            }
            seen.insert(pairs, index);
            samples.push(sample);
        }
        Some(Series { direction, mode, initiator, peer_access, evidence, samples })
    }

    fn evidence(&mut self, fields: &Object, path: &[Step]) -> Evidence {
        let path = and(path, Step::Key("evidence"));
        let Some(value) = fields.get("evidence").filter(|value| !value.is_null()) else {
            return Evidence::default();
        };
        let Some(fields) = self.object(value, "evidence", &path) else {
            return Evidence::default();
        };
        let line = match fields.get("line") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let line = value.as_u64();
                if line.is_none() {
                    let path = and(&path, Step::Key("line"));
                    self.kind("line", "a whole number", value, &path);
                }
                line
            }
        };
        let (file, tool) = (self.text(fields, "file", &path), self.text(fields, "tool", &path));
        Evidence { file, tool, line }
    }

    fn sample(
        &mut self,
        value: &Value,
        direction: Direction,
        devices: usize,
        path: &[Step],
    ) -> Option<Sample> {
        let fields = self.object(value, "samples", path)?;
        if direction != Direction::Together {
            let sum = direction == Direction::Bidirectional;
            let transfer = self.transfer(fields, sum, devices, path)?;
            return Some(Sample { transfers: vec![transfer] });
        }
        let list = self.list(fields, "transfers", path)?;
        if list.is_empty() {
            self.fault(&Fault::Nothing("transfers"), &and(path, Step::Key("transfers")));
            return None;
        }
        let (mut transfers, mut seen) = (Vec::new(), BTreeSet::new());
        for (index, one) in list.iter().enumerate() {
            let path = and(&and(path, Step::Key("transfers")), Step::Index(index));
            let fields = self.object(one, "transfers", &path)?;
            let transfer = self.transfer(fields, false, devices, &path)?;
            let Transfer { src, dst, .. } = transfer;
            if !seen.insert((src, dst)) {
                self.fault(&Fault::PairTwice(src, dst), &path);
                return None;
            }
            transfers.push(transfer);
        }
        Some(Sample { transfers })
    }

    fn transfer(
        &mut self,
        fields: &Object,
        sum: bool,
        devices: usize,
        path: &[Step],
    ) -> Option<Transfer> {
        let src = self.device(fields, "src", devices, path);
        let dst = self.device(fields, "dst", devices, path);
        let rate = self.rate(fields, sum, path);
        let (src, dst, rate) = (src?, dst?, rate?);
        if src == dst {
            self.fault(&Fault::Itself(src), path);
            return None;
        }
        Some(Transfer { src, dst, rate })
    }

    fn device(
        &mut self,
        fields: &Object,
        field: &'static str,
        devices: usize,
        path: &[Step],
    ) -> Option<usize> {
        let Some(value) = fields.get(field) else {
            self.fault(&Fault::Missing(field), path);
            return None;
        };
        let path = and(path, Step::Key(field));
        let Some(number) = value.as_u64() else {
            self.kind(field, "the number of a device", value, &path);
            return None;
        };
        let device = usize::try_from(number).ok().filter(|&device| device < devices);
        if device.is_none() {
            self.fault(&Fault::NoSuchDevice { number, devices }, &path);
        }
        device
    }

    fn rate(&mut self, fields: &Object, sum: bool, path: &[Step]) -> Option<BytesPerSecond> {
        let field = "bytes_per_second";
        let Some(value) = fields.get(field) else {
            self.fault(&Fault::Missing(field), path);
            return None;
        };
        let most = MAX_RATE.0 * (1 + u64::from(sum));
        let rate = value.as_u64().filter(|rate| (1..=most).contains(rate));
        if rate.is_none() {
            let found = value.to_string().chars().take(40).collect();
            self.fault(&Fault::Rate { found, sum }, &and(path, Step::Key(field)));
        }
        rate.map(BytesPerSecond)
    }
}
