//! The `crawlingo` command, as a binary of this package: tests kill it.

use std::process::ExitCode;

fn main() -> ExitCode {
    crawlingo_cli::main()
}
