//! `variopath completions`: what a shell needs to complete commands.

use crate::cli::context::Context;
use crate::cli::failure::Outcome;
use clap::{Args, Command};
use clap_complete::Shell;

const AFTER: &str = "\
Install, for example:
  bash  variopath completions bash > ~/.local/share/bash-completion/completions/variopath
  zsh   variopath completions zsh > \"${fpath[1]}/_variopath\"
  fish  variopath completions fish > ~/.config/fish/completions/variopath.fish";

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completion script of a shell for `command`, the whole command line.
pub(in crate::cli) fn completions(
    context: &mut Context,
    args: &CompletionsArgs,
    mut command: Command,
) -> Outcome {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    context.print(&String::from_utf8_lossy(&script))
}
