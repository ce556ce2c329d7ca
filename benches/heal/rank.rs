//! Trains the ranker: one weight for each feature, by which the right candidate should come first among those of its page.
//! A softmax over the candidates, its likelihood climbed by Adam; no likeness may count against a candidate.

use crawlingo::heal::training::{Ranker, ranker};

/// The candidates of one page for one element, and what they count.
pub(crate) struct Group {
    pub(crate) rows: Vec<(Vec<f32>, bool)>,
    pub(crate) weight: f64,
}

const STEPS: i32 = 400;
const RATE: f64 = 0.05;
const DECAY: f64 = 1e-3;

/// Trains on groups of which each has at least one right row.
pub(crate) fn train(groups: &[&Group]) -> Ranker {
    let size = groups.first().and_then(|group| group.rows.first()).map_or(0, |row| row.0.len());
    let total: f64 = groups.iter().map(|group| group.weight).sum();
    let (mut weights, mut mean, mut square) = (vec![0.0f64; size], vec![0.0; size], vec![0.0; size]);
    let mut slope = vec![0.0; size];
    for step in 1..=STEPS {
        slope.iter_mut().zip(&weights).for_each(|(slope, weight)| *slope = DECAY * weight);
        for group in groups {
            let scores: Vec<f64> = group
                .rows
                .iter()
                .map(|(row, _)| row.iter().zip(&weights).map(|(&value, weight)| f64::from(value) * weight).sum())
                .collect();
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let all: f64 = powers.iter().sum();
            let right: f64 = powers.iter().zip(&group.rows).filter(|(_, row)| row.1).map(|(power, _)| power).sum();
            for (power, (row, is_right)) in powers.iter().zip(&group.rows) {
                let wanted = if *is_right { power / right.max(1e-12) } else { 0.0 };
                let pull = (power / all - wanted) * group.weight / total;
                if pull.abs() > 1e-12 {
                    slope.iter_mut().zip(row).for_each(|(slope, &value)| *slope += pull * f64::from(value));
                }
            }
        }
        for at in 0..size {
            mean[at] = 0.9 * mean[at] + 0.1 * slope[at];
            square[at] = 0.99 * square[at] + 0.01 * slope[at] * slope[at];
            let (m, s): (f64, f64) = (mean[at] / (1.0 - 0.9f64.powi(step)), square[at] / (1.0 - 0.99f64.powi(step)));
            weights[at] -= RATE * m / (s.sqrt() + 1e-8);
            // The second of three says that neither has the feature, which may be good or bad.
            if at % 3 != 1 {
                weights[at] = weights[at].max(0.0);
            }
        }
    }
    ranker(&weights.iter().map(|&weight| weight as f32).collect::<Vec<_>>())
}
