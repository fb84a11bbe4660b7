//! `variopath build`: the bundle of a machine.

use super::wording::{count, machine_line};
use crate::analyzer::Limits;
use crate::bundle::BundleError;
use crate::cli::arguments::{SettingArgs, TargetArgs};
use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use crate::cli::pipeline;
use crate::diagnostics::{Diagnostic, Exit};
use clap::Args;
use serde_json::json;

/// Arguments of `build`.
#[derive(Args, Debug)]
pub(in crate::cli) struct BuildArgs {
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    setting: SettingArgs,
    /// The bundle's folder, written whole or not at all
    #[arg(short, long, value_name = "DIR")]
    output: String,
    /// Replaces an existing bundle
    #[arg(long)]
    force: bool,
    /// Architectures to compile for; this version emits source only, for any CUDA compiler
    #[arg(long, default_value = "none", value_name = "none|sm_NN,…")]
    arch: String,
    /// Prints the manifest as one JSON document
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Writes topology, catalog, kernels and manifest into one folder.
pub(in crate::cli) fn build(context: &mut Context, args: &BuildArgs) -> Outcome {
    if args.arch != "none" {
        return Err(Diagnostic::unsupported(
            "unsupported",
            format!(
                "--arch {}: compiling at build time is not supported by this version",
                args.arch
            ),
        )
        .help("leave --arch out and compile kernels.cu with nvcc or NVRTC")
        .into());
    }
    let platform = pipeline::runnable(context, &args.target, args.setting, &Limits::default())?;
    let parts = pipeline::bundle_parts(&platform)?;
    let path = std::path::Path::new(&args.output);
    let manifest = crate::bundle::write(path, &parts, args.force).map_err(|error| {
        let diagnostic = match error {
            BundleError::Exists(_) => Diagnostic::error("exists", "the output exists already")
                .help("pass --force to replace a bundle, or choose another name"),
            error => Diagnostic::error("bundle", error.to_string()),
        };
        diagnostic.in_file(&args.output).exit(Exit::File)
    })?;
    context.wrote(&args.output);
    if context.json {
        return context.print_json(&json!(manifest));
    }
    context.print(&format!(
        "machine     {}\nbundle      {}: {}, {} in {}, no binaries\n",
        machine_line(platform.kind, &platform.topology),
        args.output,
        count(manifest.files.len() + 1, "file"),
        count(manifest.programs as usize, "channel program"),
        "kernels.cu",
    ))
}
