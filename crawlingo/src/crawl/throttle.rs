//! How many pages are on their way at once, while the servers are slow or refuse.

use std::time::Duration;

use tokio::time::Instant;

/// Grows by one for each round of pages that came well, and halves when they do not: additive increase, multiplicative
/// decrease, as TCP does it (Chiu and Jain, 1989).
#[derive(Debug)]
pub(super) struct Throttle {
    most: usize,
    /// None where it is not asked for.
    limit: Option<f64>,
    /// How long a page takes, smoothed, and the least that this was.
    takes: Option<(f64, f64)>,
    cut: Option<Instant>,
}

/// With how many pages it begins.
const BEGIN: f64 = 4.0;
/// How much longer than at best a page may take.
const SLOW: f64 = 3.0;
/// It is cut down once in this time at most, for what is on its way was begun before the cut.
const PAUSE: Duration = Duration::from_secs(1);

impl Throttle {
    pub(super) fn new(most: usize, adaptive: bool) -> Self {
        Self { most, limit: adaptive.then(|| BEGIN.min(most as f64)), takes: None, cut: None }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit.map_or(self.most, |limit| (limit as usize).clamp(1, self.most))
    }

    /// Takes note of a page.
    pub(super) fn saw(&mut self, failed: bool, took: Duration) {
        let Some(limit) = &mut self.limit else { return };
        let took = took.as_secs_f64().max(1e-4);
        let (smooth, least) = self.takes.unwrap_or((took, took));
        let smooth = smooth * 0.9 + took * 0.1;
        self.takes = Some((smooth, least.min(smooth)));
        if failed || smooth > least * SLOW {
            if self.cut.is_none_or(|cut| cut.elapsed() >= PAUSE) {
                *limit = (*limit * 0.5).max(1.0);
                self.cut = Some(Instant::now());
            }
        } else {
            *limit = (*limit + 1.0 / *limit).min(self.most as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_grows_while_all_is_well_and_halves_when_it_is_not() {
        let mut throttle = Throttle::new(32, true);
        let fast = Duration::from_millis(10);
        (0..2_000).for_each(|_| throttle.saw(false, fast));
        assert_eq!(throttle.limit(), 32);
        (0..50).for_each(|_| throttle.saw(true, fast));
        assert_eq!(throttle.limit(), 16, "what fails together is one failure");
        tokio::time::advance(PAUSE).await;
        (0..50).for_each(|_| throttle.saw(false, fast * 20));
        assert!(throttle.limit() < 16);
        assert_eq!(Throttle::new(32, false).limit(), 32);
    }
}
