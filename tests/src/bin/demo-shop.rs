//! Serves the demo shop until it is stopped.

use std::process::ExitCode;

use clap::Parser;
use crawlingo_tests::shop::Shop;

/// A shop with a few hundred products, for demos and tests.
#[derive(Parser)]
struct Args {
    /// The port on loopback; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Serves the redesign at the addresses of the first design.
    #[arg(long)]
    redesigned: bool,
    /// Writes the shop's address to this file once it listens.
    #[arg(long)]
    url_file: Option<std::path::PathBuf>,
}

#[tokio::main]
#[allow(clippy::print_stdout)] // The address is what the caller waits for.
async fn main() -> ExitCode {
    let args = Args::parse();
    let shop = match Shop::start(args.port).await {
        Ok(shop) => shop,
        Err(error) => {
            eprintln!("demo-shop: cannot listen on 127.0.0.1:{}: {error}; try --port 0", args.port);
            return ExitCode::FAILURE;
        }
    };
    if args.redesigned {
        shop.redesign();
    }
    println!("{}", shop.url());
    if let Some(path) = args.url_file
        && let Err(error) = std::fs::write(&path, shop.url())
    {
        eprintln!("demo-shop: cannot write {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    match shop.wait().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo-shop: {error}");
            ExitCode::FAILURE
        }
    }
}
