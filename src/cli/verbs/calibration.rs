//! What a calibration predicts and changes, as text and JSON.

use crate::base::{BytesPerSecond, Rank};
use crate::calibrate::{Calibration, Prediction, Source, Subject, WORST_ERROR, subject};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Columns of a matrix that stand side by side.
const WIDE: usize = 12;

/// Every prediction beside what was measured, the errors, the changes.
pub(super) fn text(calibration: &Calibration, sources: &[Source]) -> String {
    let mut out = String::new();
    let mut series: BTreeMap<(usize, usize), Vec<&Prediction>> = BTreeMap::new();
    for one in &calibration.predictions {
        series.entry(one.observation.series).or_default().push(one);
    }
    for ((source, number), predictions) in series {
        let series = &sources[source].measured.series[number];
        let line = match series.evidence.line {
            Some(line) => format!(" line {line}"),
            None => String::new(),
        };
        let name = series.evidence.file.as_ref().unwrap_or(&sources[source].name);
        let what = match &predictions[0].observation.subject {
            Subject::Alone(..) => "one way",
            Subject::BothWays(..) => "both ways, sum",
            Subject::Together(_) => "together, sum",
        };
        let _ = writeln!(out, "{what}, GB/s: measured in {name}{line}, predicted below");
        if let Subject::Together(_) = predictions[0].observation.subject {
            list(&mut out, calibration, &predictions);
        } else {
            matrix(&mut out, calibration, &predictions);
        }
        out.push('\n');
    }
    let refused = calibration.contradictions().next().is_some();
    if refused {
        let _ = writeln!(out, "! is further off than {:.0} %\n", WORST_ERROR * 100.0);
    }
    let worst = calibration.worst().map_or_else(String::new, |worst| {
        let error = worst.error().abs() * 100.0;
        let of = subject(&worst.observation.subject, &calibration.gpus);
        format!(", worst {error:.1} % ({of})")
    });
    let count = calibration.predictions.len();
    let median = calibration.median_error() * 100.0;
    let _ = writeln!(out, "errors      median {median:.1} %{worst}, of {count} measurements");
    if refused {
        return out;
    }
    if calibration.changes.is_empty() {
        out.push_str("changed     nothing: the file says what was measured\n");
    }
    for (index, change) in calibration.changes.iter().enumerate() {
        let head = if index == 0 { "changed" } else { "" };
        let old = change.old.as_deref().unwrap_or("nothing");
        let _ = writeln!(out, "{head:12}{}: {old} -> {}", change.what, change.new);
    }
    out
}

fn number(rate: BytesPerSecond) -> String {
    format!("{:.2}", rate.gigabytes())
}

fn mark(prediction: &Prediction) -> &'static str {
    if prediction.error().abs() > WORST_ERROR { "!" } else { "" }
}

/// Two lines a source: what was measured to each destination, and what is predicted.
fn matrix(out: &mut String, calibration: &Calibration, predictions: &[&Prediction]) {
    let mut cells: BTreeMap<(Rank, Rank), &Prediction> = BTreeMap::new();
    for one in predictions {
        if let Subject::Alone(src, dst) | Subject::BothWays(src, dst) = one.observation.subject {
            cells.insert((src, dst), one);
        }
    }
    let name = |rank: usize| calibration.gpus[rank].as_str();
    let ranks: Vec<usize> = (0..calibration.gpus.len()).collect();
    let first = ranks.iter().map(|&rank| name(rank).len()).max().unwrap_or(0).max(4);
    for columns in ranks.chunks(WIDE) {
        let width = columns.iter().map(|&rank| name(rank).len()).max().unwrap_or(0).max(7);
        let _ = write!(out, "{:first$}", "");
        for &column in columns {
            let _ = write!(out, "  {:>width$}", name(column));
        }
        out.push('\n');
        for &row in &ranks {
            let cell = |column: &usize| cells.get(&(Rank::new(row), Rank::new(*column)));
            if columns.iter().all(|column| cell(column).is_none()) {
                continue;
            }
            let mut lines = [format!("{:first$}", name(row)), format!("{:first$}", "")];
            for column in columns {
                let texts = cell(column).map_or(["-".to_owned(), String::new()], |one| {
                    let predicted = format!("{}{}", mark(one), number(one.predicted));
                    [number(one.observation.measured), predicted]
                });
                for (line, text) in lines.iter_mut().zip(texts) {
                    let _ = write!(line, "  {text:>width$}");
                }
            }
            for line in lines {
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
    }
}

fn list(out: &mut String, calibration: &Calibration, predictions: &[&Prediction]) {
    for one in predictions {
        let _ = writeln!(
            out,
            "{:>8} {:>9}  {}",
            number(one.observation.measured),
            format!("{}{}", mark(one), number(one.predicted)),
            subject(&one.observation.subject, &calibration.gpus)
        );
    }
}

/// The document `variopath-calibration/1`; `text` is the new file where it is not written.
pub(super) fn json(
    topology: &str,
    calibration: &Calibration,
    sources: &[Source],
    text: Option<&str>,
) -> Value {
    let pairs = |subject: &Subject| match subject {
        Subject::Alone(src, dst) => vec![(*src, *dst)],
        Subject::BothWays(src, dst) => vec![(*src, *dst), (*dst, *src)],
        Subject::Together(pairs) => pairs.clone(),
    };
    let measurements: Vec<Value> = calibration
        .predictions
        .iter()
        .map(|one| {
            let (source, series) = one.observation.series;
            json!({
                "transfers": pairs(&one.observation.subject).into_iter()
                    .map(|(src, dst)| json!({"src": src, "dst": dst})).collect::<Vec<_>>(),
                "file": sources[source].name,
                "series": series,
                "measured_bytes_per_second": one.observation.measured,
                "predicted_bytes_per_second": one.predicted,
            })
        })
        .collect();
    let changes: Vec<Value> = calibration
        .changes
        .iter()
        .map(|change| json!({"what": change.what, "old": change.old, "new": change.new}))
        .collect();
    let mut document = json!({
        "format": "variopath-calibration/1",
        "topology": topology,
        "ranks": calibration.gpus,
        "median_error": calibration.median_error(),
        "worst_error": calibration.worst().map_or(0.0, |worst| worst.error().abs()),
        "changes": changes,
        "measurements": measurements,
    });
    if let Some(text) = text {
        document["text"] = text.into();
    }
    document
}
