//! The `benchbook` command.

fn main() -> std::process::ExitCode {
    benchbook::cli::run()
}
