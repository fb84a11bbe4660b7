//! The arguments of every verb, and the way from them to an exit code.

use super::context::Context;
use super::failure::Failure;
use super::verbs;
use crate::base::Setting;
use crate::diagnostics::{Diagnostic, Exit, Sources, render};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use std::io::Write as _;
use std::process::ExitCode;

const AFTER: &str = "\
TARGET is a preset (`variopath presets` lists them), a .topo file, a bundle, or a file that `import`
reads, such as the output of `nvidia-smi topo -m`; `-` is standard input.

Exit codes: 0 done; 1 errors in the input; 2 usage; 3 no valid schedule, a feature that is not
supported, or a check that failed; 4 trouble with a file or device.";

/// Plans and carries out AlltoAllv between GPUs that share PCIe links, without contention.
#[derive(Parser, Debug)]
#[command(name = "variopath", version, about, after_help = AFTER, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

/// Options that every verb takes.
#[derive(Args, Debug)]
pub(super) struct Global {
    /// Gives the file's `param NAME` the value N
    #[arg(long, global = true, value_name = "NAME=N", value_parser = parse_set)]
    pub(super) set: Vec<(String, u64)>,
    /// Works on at most N threads, 1 to 256; results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: Option<u16>,
    /// Whether to colour texts; `auto` does on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(super) color: ColourChoice,
}

impl Global {
    /// Refuses two values for one param.
    fn set_once(&self) -> Result<(), Diagnostic> {
        for (index, (name, value)) in self.set.iter().enumerate() {
            if let Some((_, first)) = self.set[..index].iter().find(|(known, _)| known == name) {
                let message =
                    format!("--set gives `{name}` two values: {name}={first} and {name}={value}");
                return Err(Diagnostic::error("usage", message)
                    .help("leave one of them out")
                    .exit(Exit::Usage));
            }
        }
        Ok(())
    }
}

/// When to colour.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColourChoice {
    Auto,
    Always,
    Never,
}

/// A machine, and what to assume where its description is silent.
#[derive(Args, Debug, Clone)]
pub(super) struct TargetArgs {
    /// A preset, a .topo file, a bundle, or a file that `import` reads; `-` is standard input
    #[arg(value_name = "TARGET")]
    pub(super) target: String,
    #[command(flatten)]
    pub(super) assume: AssumeArgs,
}

/// What to assume where a description is silent.
#[derive(Args, Debug, Clone, Default)]
pub(super) struct AssumeArgs {
    /// For imported machines: take every PCIe link whose speed the file does not tell as x16 of this
    /// generation, marked as assumed
    #[arg(long = "assume", value_name = "GEN", value_parser = parse_generation)]
    pub(super) generation: Option<u32>,
}

/// A demand.
#[derive(Args, Debug, Clone)]
pub(super) struct DemandArgs {
    /// What each rank sends to each: a SPEC such as uniform:1MiB (`variopath demand --list`), or a
    /// .csv, .json or .npy file [default: uniform:1MiB]
    #[arg(long, value_name = "D")]
    pub(super) demand: Option<String>,
}

/// In which setting to look at a machine.
#[derive(Args, Debug, Clone, Copy, Default)]
pub(super) struct SettingArgs {
    /// What transfers lose beside sharing what there is: nothing (ideal), or what the machine's
    /// profile says [default: profile where the machine has an `efficiency`, else ideal]
    #[arg(long, value_enum, value_name = "SETTING")]
    pub(super) setting: Option<SettingChoice>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingChoice {
    /// Nothing: `efficiency`, `cost` and latencies do not count
    Ideal,
    /// What the file says
    Profile,
}

impl SettingArgs {
    /// The ideal setting, whatever the machine says.
    pub(super) const IDEAL: Self = Self { setting: Some(SettingChoice::Ideal) };

    /// The setting asked for.
    pub(super) fn asked(self) -> Option<Setting> {
        self.setting.map(|choice| match choice {
            SettingChoice::Ideal => Setting::Ideal,
            SettingChoice::Profile => Setting::Profile,
        })
    }
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Says what a machine is, what limits it, and what its description leaves open
    Check(verbs::check::CheckArgs),
    /// Prints a topology file in its canonical form
    Fmt(verbs::fmt::FmtArgs),
    /// Turns dumps of a machine (nvidia-smi, NCCL, hwloc, …) into a topology file
    Import(verbs::import::ImportArgs),
    /// Fits the figures of a topology file to measurements
    Calibrate(verbs::calibrate::CalibrateArgs),
    /// Writes a machine as a topology file of NCCL or a drawing for Graphviz
    Export(verbs::export::ExportArgs),
    /// Lists the machines that variopath knows, or prints one
    Presets(verbs::presets::PresetsArgs),
    /// Finds the symmetry and the contention-free channels of a machine
    Analyze(verbs::analyze::AnalyzeArgs),
    /// Shows what a demand's bounds are on two machines, and which link is critical on which
    Compare(verbs::compare::CompareArgs),
    /// Names the single changes of a machine that would lower a demand's bound most
    Advise(verbs::advise::AdviseArgs),
    /// Writes a demand matrix from a SPEC, or lists the kinds
    Demand(verbs::demand::DemandVerbArgs),
    /// Plans one exchange
    Plan(verbs::plan::PlanArgs),
    /// Checks a plan against the machine and the demand, independently of the planner
    Verify(verbs::verify::VerifyArgs),
    /// Predicts how long an exchange takes, planned and in the ways of others
    Simulate(verbs::simulate::SimulateArgs),
    /// Writes the bundle of a machine: kernels, catalog, manifest
    Build(verbs::build::BuildArgs),
    /// Plans one exchange and carries it out, checking every byte
    Run(verbs::run::RunArgs),
    /// Measures planning time and plan quality
    Bench(verbs::bench::BenchArgs),
    /// Prints the completions of a shell
    Completions(verbs::completions::CompletionsArgs),
}

/// Runs the command that the process was started with.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    if let Some(threads) = cli.global.threads {
        // Fails only when a pool exists already, which is not the case at the start of a process.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        if let Err(error) = pool.build_global() {
            eprintln!("warning: --threads has no effect: {error}");
        }
    }
    let json = match &cli.verb {
        Verb::Check(args) => args.json,
        Verb::Calibrate(args) => args.json,
        Verb::Analyze(args) => args.json,
        Verb::Compare(args) => args.json,
        Verb::Advise(args) => args.json,
        Verb::Plan(args) => args.json,
        Verb::Verify(args) => args.json,
        Verb::Simulate(args) => args.json,
        Verb::Run(args) => args.json,
        Verb::Bench(args) => args.json(),
        Verb::Build(args) => args.json,
        Verb::Import(args) => args.json,
        Verb::Fmt(_) | Verb::Export(_) | Verb::Presets(_) => false,
        Verb::Demand(_) => false,
        Verb::Completions(_) => false,
    };
    let mut context = Context::new(&cli.global, json);
    if let Err(twice) = cli.global.set_once() {
        return context.finish(Err(twice.into()));
    }
    let outcome = match &cli.verb {
        Verb::Check(args) => verbs::check::check(&mut context, args),
        Verb::Fmt(args) => verbs::fmt::fmt(&mut context, args),
        Verb::Import(args) => verbs::import::import(&mut context, args),
        Verb::Calibrate(args) => verbs::calibrate::calibrate(&mut context, args),
        Verb::Export(args) => verbs::export::export(&mut context, args),
        Verb::Presets(args) => verbs::presets::presets(&mut context, args),
        Verb::Analyze(args) => verbs::analyze::analyze(&mut context, args),
        Verb::Compare(args) => verbs::compare::compare(&mut context, args),
        Verb::Advise(args) => verbs::advise::advise(&mut context, args),
        Verb::Demand(args) => verbs::demand::demand(&mut context, args),
        Verb::Plan(args) => verbs::plan::plan(&mut context, args),
        Verb::Verify(args) => verbs::verify::verify(&mut context, args),
        Verb::Simulate(args) => verbs::simulate::simulate(&mut context, args),
        Verb::Build(args) => verbs::build::build(&mut context, args),
        Verb::Run(args) => verbs::run::run(&mut context, args),
        Verb::Bench(args) => verbs::bench::bench(&mut context, args),
        Verb::Completions(args) => {
            verbs::completions::completions(&mut context, args, Cli::command())
        }
    };
    context.finish(outcome)
}

/// Help and version go to stdout and succeed; everything else is wrong usage. A failure under
/// `--json` writes its document too.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    if !error.use_stderr() {
        return match printed {
            Err(trouble) if trouble.kind() != std::io::ErrorKind::BrokenPipe => {
                let failure = Failure::file("<stdout>", "write", &trouble);
                let exit = failure.exit();
                let _ = write!(std::io::stderr(), "{}", render(&Sources::new(), &failure.0, false));
                ExitCode::from(exit as u8)
            }
            _ => ExitCode::SUCCESS,
        };
    }
    if std::env::args_os().any(|argument| argument == "--json") {
        let text = error.to_string();
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut paragraphs = text.split("\n\n").map(one_line).filter(|text| !text.is_empty());
        let message = paragraphs.next().unwrap_or_default();
        let message = message.trim_start_matches("error: ");
        let help: Vec<String> = paragraphs.collect();
        let document = serde_json::json!({
            "format": "variopath-error/1",
            "exit": 2,
            "diagnostics": [{
                "severity": "error", "code": "usage", "file": null, "line": null, "column": null,
                "message": message, "help": help.join("; "),
            }],
        });
        // Nobody may be listening any more; the exit code still tells.
        let _ = writeln!(std::io::stdout(), "{document:#}");
    }
    ExitCode::from(2)
}

fn parse_set(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=N, such as nodes=4")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no non-negative integer"))?;
    Ok((name.to_owned(), value))
}

pub(in crate::cli) fn parse_generation(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("gen").and_then(|digits| digits.parse().ok());
    match number {
        Some(generation @ 3..=5) => Ok(generation),
        _ => Err("expected gen3, gen4 or gen5".to_owned()),
    }
}
