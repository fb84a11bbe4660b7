//! Measurements to text.

use super::{Direction, FORMAT, Measured, Series, Transfer};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The canonical text: fields in a fixed order, what is unknown left out, a sample a line.
#[must_use]
pub fn write(measured: &Measured) -> String {
    let mut out = format!("{{\n  \"format\": \"{FORMAT}\",\n  \"devices\": [");
    let devices = measured.devices.iter().map(|device| {
        let mut fields = Map::new();
        put(&mut fields, "name", device.name.as_ref());
        put(&mut fields, "bus", device.bus);
        Value::from(fields).to_string()
    });
    lines(&mut out, devices, "    ");
    out += "],\n  \"series\": [";
    for (index, series) in measured.series.iter().enumerate() {
        out += if index > 0 { ",\n    {" } else { "\n    {" };
        one(&mut out, series);
        out += "}";
    }
    out += if measured.series.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" };
    out
}

fn one(out: &mut String, series: &Series) {
    let mut fields = Map::new();
    fields.insert("direction".to_owned(), json!(series.direction.word()));
    put(&mut fields, "mode", series.mode.map(|mode| mode.word()));
    put(&mut fields, "initiator", series.initiator.map(|initiator| initiator.word()));
    put(&mut fields, "peer_access", series.peer_access);
    let mut evidence = Map::new();
    put(&mut evidence, "file", series.evidence.file.as_ref());
    put(&mut evidence, "tool", series.evidence.tool.as_ref());
    put(&mut evidence, "line", series.evidence.line);
    if !evidence.is_empty() {
        fields.insert("evidence".to_owned(), evidence.into());
    }
    for (name, value) in &fields {
        let _ = write!(out, "\n      {}: {value},", json!(name));
    }
    out.push_str("\n      \"samples\": [");
    let samples = series.samples.iter().map(|sample| match series.direction {
        Direction::Together => {
            let transfers: Vec<Value> = sample.transfers.iter().map(transfer).collect();
            json!({ "transfers": transfers }).to_string()
        }
        _ => sample.transfers.iter().map(|one| transfer(one).to_string()).collect(),
    });
    lines(out, samples, "        ");
    out.push_str("]\n    ");
}

fn transfer(transfer: &Transfer) -> Value {
    json!({"src": transfer.src, "dst": transfer.dst, "bytes_per_second": transfer.rate})
}

fn put<T: serde::Serialize>(fields: &mut Map<String, Value>, name: &str, value: Option<T>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), json!(value));
    }
}

/// The elements of an array, one a line.
fn lines(out: &mut String, elements: impl Iterator<Item = String>, indent: &str) {
    let elements: Vec<String> = elements.collect();
    if elements.is_empty() {
        return;
    }
    let _ = write!(out, "\n{indent}{}\n", elements.join(&format!(",\n{indent}")));
    out.push_str(&indent[2..]);
}
