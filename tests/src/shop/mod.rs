//! The demo shop: a few hundred products behind a real HTTP server, in two designs.
//!
//! Everything is made from a seed, so that every run serves the same shop and [`catalog::products`] is the truth about
//! it. Version 1 is at `/`, the redesign at `/v2/`.

pub mod catalog;
mod classic;
mod extras;
mod modern;
mod server;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running shop; it stops when this is dropped.
#[derive(Debug)]
pub struct Shop {
    address: SocketAddr,
    redesigned: Arc<AtomicBool>,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Shop {
    /// Starts a shop on loopback; port 0 takes a free one.
    ///
    /// # Errors
    /// When the port cannot be listened on.
    pub async fn start(port: u16) -> std::io::Result<Self> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let redesigned = Arc::new(AtomicBool::new(false));
        let app = server::router(format!("http://{address}"), Arc::clone(&redesigned));
        let server = tokio::spawn(async move {
            axum::serve(listener, app)
                .with_graceful_shutdown(async {
                    // A sender that is dropped stops the shop too.
                    let _ = stopped.await;
                })
                .await
        });
        Ok(Self { address, redesigned, stop: Some(stop), server })
    }

    /// Gives the listing and the products their new design, at the addresses that they have.
    pub fn redesign(&self) {
        self.redesigned.store(true, Ordering::Relaxed);
    }

    /// The shop's address, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of a path.
    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Waits until the server ends by itself, which it does on an error only.
    ///
    /// # Errors
    /// The error that it ended with.
    pub async fn wait(mut self) -> std::io::Result<()> {
        let result = (&mut self.server).await;
        result.unwrap_or_else(|error| Err(std::io::Error::other(error)))
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        self.server.abort();
    }
}
