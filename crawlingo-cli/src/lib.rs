//! The `crawlingo` command as a library, so that other packages can ship the same command.
//!
//! Exit codes: 0 it worked, 1 it failed, 2 the call was wrong, 3 nothing was extracted.

mod args;
mod crawl;
mod extract;
mod heal;
mod output;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// Nothing was extracted.
const NOTHING: u8 = 3;

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os(), &mut std::io::stdout().lock(), &mut std::io::stderr().lock()))
}

/// Runs the command: arguments (the program's name first) and where its output and its messages go. Gives the exit code.
pub fn run(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let text = error.render();
            // `--help` and `--version` are errors to clap and output to everyone else.
            if error.use_stderr() {
                let _ = write!(err, "{text}");
                return 2;
            }
            let _ = write!(out, "{text}");
            return 0;
        }
    };
    let level = match cli.verbose {
        0 => "warn",
        1 => "info,crawlingo=debug",
        _ => "debug,crawlingo=trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("CRAWLINGO_LOG").unwrap_or_else(|_| level.into());
    // Set once in a process; a second run in it keeps the first.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = writeln!(err, "crawlingo: the runtime cannot be started: {error}");
            return 1;
        }
    };
    let result = runtime.block_on(async {
        match cli.command {
            Command::Extract(args) => extract::run(*args, out, err).await,
            Command::Heal(args) => heal::run(args, out, err),
            Command::Crawl(args) => crawl::run(*args, out, err).await,
        }
    });
    match result {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(err, "error: {error}");
            error.exit_code()
        }
    }
}
