//! The `crawlingo` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    crawlingo_cli::main()
}
