//! The `variopath` binary.

fn main() -> std::process::ExitCode {
    variopath::cli::main()
}
