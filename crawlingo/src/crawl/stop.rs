//! Asking a crawl to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// Asks a crawl to stop. Clones ask the same crawl.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(AtomicU8, Notify)>);

impl Stop {
    /// Asks to stop once: no page is begun any more, and those that are on their way have ten seconds. Asked twice: at
    /// once. Either way what was committed lasts, and a crawl that is stored can go on.
    pub fn stop(&self) {
        if self.level() < 2 {
            self.0.0.fetch_add(1, Ordering::SeqCst);
        }
        self.0.1.notify_waiters();
    }

    pub(super) fn level(&self) -> u8 {
        self.0.0.load(Ordering::SeqCst)
    }

    /// Ends when it is asked to stop.
    pub(super) async fn asked(self) {
        self.0.1.notified().await;
    }

    /// Waits, unless it is asked to stop.
    pub(super) async fn within(self, wait: Duration) {
        tokio::select! {
            () = tokio::time::sleep(wait.max(Duration::from_millis(1))) => {}
            () = self.0.1.notified() => {}
        }
    }
}
