//! `variopath advise`: the single changes that would lower a demand's bound most.

use super::wording::{count, demand_line, setting_line};
use crate::advise::{self, Advice, Report};
use crate::base::{Picos, Setting};
use crate::catalog::Bounds;
use crate::cli::arguments::{DemandArgs, SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline::{self, NamedDemand};
use crate::diagnostics::one_line;
use crate::dsl::{self, Machine};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How many changes are printed.
const SHOWN: usize = 8;

/// Arguments of `advise`.
#[derive(Args, Debug)]
pub(in crate::cli) struct AdviseArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    demand: DemandArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// Prints one JSON document, `variopath-advice/1`
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Tries wider links, other slots and other orders of ranks, one at a time.
pub(in crate::cli) fn advise(context: &mut Context, args: &AdviseArgs) -> Outcome {
    let (target, machine) = pipeline::machine(context, &args.target)?;
    let demand = pipeline::demand(&args.demand, machine.ranks.len())?;
    context.progress(&format!("trying changes of {}", machine.name));
    let report =
        advise::advise(&machine, &dsl::digest(&target.file), &demand.demand, args.setting.asked())?;
    if context.json {
        return context.print_json(&document(&machine, &demand, &report));
    }
    let is_profile = report.setting == Setting::Profile;
    let said = args.setting.asked().or(is_profile.then_some(report.setting));
    context.print(&text(&machine, &demand, &report, said))
}

fn text(machine: &Machine, demand: &NamedDemand, report: &Report, said: Option<Setting>) -> String {
    let none = || "nothing".to_owned();
    let mut out = String::new();
    let _ = writeln!(out, "machine     {} as it is", one_line(&machine.name));
    out.push_str(&setting_line(said));
    let _ = writeln!(out, "demand      {}", demand_line(demand));
    let critical = report.critical.clone().unwrap_or_else(none);
    let _ = writeln!(
        out,
        "bound       {} {}, critical {critical}",
        bound(report),
        report.bounds.t_eff.nanos_down()
    );
    let tried = count(report.tried, "single change");
    let left_out = match report.left_out {
        0 => String::new(),
        n => format!("; {n} more, less close to what is critical, were not tried"),
    };
    if report.advice.is_empty() {
        let _ = writeln!(out, "changes     none of {tried} lowers it{left_out}");
        return out;
    }
    let _ = writeln!(out, "changes     {} of {tried} lower it{left_out}\n", report.advice.len());
    let _ = writeln!(out, "    less  {:>12}  change", bound(report));
    let groups = alike(&report.advice);
    for group in groups.iter().take(SHOWN) {
        let Advice { change, bounds, critical } = group[0];
        let others = match group.len() {
            1 => String::new(),
            n => format!(" (or {} alike)", n - 1),
        };
        let _ = writeln!(
            out,
            "{:>8}  {:>12}  {}{others}; then critical: {}",
            less(report.bounds.t_eff, bounds.t_eff),
            bounds.t_eff.nanos_down().to_string(),
            change.describe(machine),
            critical.clone().unwrap_or_else(none),
        );
    }
    if groups.len() > SHOWN {
        let _ = writeln!(out, "and {} more kinds (--json has all)", groups.len() - SHOWN);
    }
    out
}

/// The bound by which changes are judged.
fn bound(report: &Report) -> &'static str {
    if report.has_t_eff { "T_eff" } else { "T*" }
}

/// Changes of one kind with one result, in the order of the first of each.
fn alike(advice: &[Advice]) -> Vec<Vec<&Advice>> {
    let mut groups: Vec<Vec<&Advice>> = Vec::new();
    let key = |advice: &Advice| (std::mem::discriminant(&advice.change), advice.bounds.t_eff);
    for found in advice {
        match groups.iter_mut().find(|group| key(group[0]) == key(found)) {
            Some(group) => group.push(found),
            None => groups.push(vec![found]),
        }
    }
    groups
}

/// By how much a bound falls, in percent with one decimal, rounded down.
fn less(before: Picos, after: Picos) -> String {
    let saved = u128::from(before.0.saturating_sub(after.0)) * 1000;
    let thousandths = saved / u128::from(before.0.max(1));
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn document(machine: &Machine, demand: &NamedDemand, report: &Report) -> Value {
    let t_eff = |bounds: &Bounds| report.has_t_eff.then(|| bounds.t_eff.nanos_down());
    let advice = |advice: &Advice| {
        json!({
            "change": advice.change.describe(machine),
            "t_star_ns": advice.bounds.t_star.nanos_down(),
            "t_eff_ns": t_eff(&advice.bounds),
            "critical": advice.critical,
        })
    };
    json!({
        "format": "variopath-advice/1",
        "topology": machine.name,
        "demand": demand.name,
        "setting": report.setting,
        "t_star_ns": report.bounds.t_star.nanos_down(),
        "t_eff_ns": t_eff(&report.bounds),
        "critical": report.critical,
        "tried": report.tried,
        "left_out": report.left_out,
        "advice": report.advice.iter().map(advice).collect::<Vec<_>>(),
    })
}
