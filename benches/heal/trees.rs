//! Gradient-boosted trees for a yes or no: histograms, leaves grown best first, a share of the features for each tree.

use crawlingo::heal::training::{Decider, TreeNode};

/// How the trees are grown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    pub(crate) trees: usize,
    pub(crate) leaves: usize,
    pub(crate) rate: f64,
    pub(crate) least_rows: usize,
    pub(crate) smoothing: f64,
    pub(crate) features: f64,
    pub(crate) rows: f64,
    pub(crate) seed: u64,
}

const BINS: usize = 48;

/// Rows of numbers, the answers, and what each row counts.
pub(crate) struct Table<'a> {
    pub(crate) rows: Vec<&'a [f32]>,
    pub(crate) answers: Vec<bool>,
    pub(crate) weights: Vec<f64>,
}

/// SplitMix64: the same trees at each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Each feature's cuts: a number falls into the bin of the first cut that is not below it.
fn cuts(table: &Table<'_>, features: usize) -> Vec<Vec<f32>> {
    (0..features)
        .map(|feature| {
            let mut values: Vec<f32> = table.rows.iter().map(|row| row[feature]).collect();
            values.sort_by(f32::total_cmp);
            values.dedup();
            if values.len() <= BINS {
                return values.windows(2).map(|pair| f32::midpoint(pair[0], pair[1])).collect();
            }
            let mut cuts: Vec<f32> = (1..BINS).map(|at| values[at * values.len() / BINS]).collect();
            cuts.dedup();
            cuts
        })
        .collect()
}

struct Leaf {
    node: usize,
    rows: Vec<u32>,
    split: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    bin: u8,
}

/// Grows the trees; the calibration is left to the caller.
pub(crate) fn grow(table: &Table<'_>, growth: Growth) -> Decider {
    let features = table.rows.first().map_or(0, |row| row.len());
    let cuts = cuts(table, features);
    let count = table.rows.len();
    let binned: Vec<Vec<u8>> = (0..features)
        .map(|feature| {
            let bin = |row: &&[f32]| cuts[feature].partition_point(|&cut| cut < row[feature]) as u8;
            table.rows.iter().map(bin).collect()
        })
        .collect();
    let (yes, all) = table
        .answers
        .iter()
        .zip(&table.weights)
        .fold((0.0, 0.0), |(yes, all), (&answer, &weight)| (yes + if answer { weight } else { 0.0 }, all + weight));
    let share: f64 = (yes / all).clamp(0.001, 0.999);
    let base = (share / (1.0 - share)).ln();
    let mut logits = vec![base; count];
    let mut dice = Dice(growth.seed);
    let mut trees = Vec::with_capacity(growth.trees);
    for _ in 0..growth.trees {
        let slopes: Vec<(f64, f64)> = (0..count)
            .map(|row| {
                let p = 1.0 / (1.0 + (-logits[row]).exp());
                let weight = table.weights[row];
                (weight * (p - f64::from(u8::from(table.answers[row]))), (weight * p * (1.0 - p)).max(1e-9))
            })
            .collect();
        let chosen: Vec<usize> = (0..features).filter(|_| dice.roll() < growth.features).collect();
        let rows: Vec<u32> = (0..count as u32).filter(|_| dice.roll() < growth.rows).collect();
        let tree = grow_one(&binned, &cuts, &slopes, rows, &chosen, growth);
        for (row, logit) in logits.iter_mut().enumerate() {
            let mut at = 0;
            while let Ok(feature) = usize::try_from(tree[at].feature) {
                let left = table.rows[row][feature] <= tree[at].value;
                at = usize::from(tree[at].left) + usize::from(!left);
            }
            *logit += f64::from(tree[at].value);
        }
        trees.push(tree);
    }
    Decider { base: base as f32, trees, calibration: [0.0, 1.0, 0.0, 0.0] }
}

fn grow_one(
    binned: &[Vec<u8>],
    cuts: &[Vec<f32>],
    slopes: &[(f64, f64)],
    rows: Vec<u32>,
    chosen: &[usize],
    growth: Growth,
) -> Vec<TreeNode> {
    let value = |rows: &[u32]| {
        let (g, h) =
            rows.iter().fold((0.0, 0.0), |(g, h), &row| (g + slopes[row as usize].0, h + slopes[row as usize].1));
        (-growth.rate * g / (h + growth.smoothing)) as f32
    };
    let mut tree = vec![TreeNode { feature: -1, value: value(&rows), left: 0 }];
    let split = best_split(binned, slopes, &rows, chosen, growth);
    let mut leaves = vec![Leaf { node: 0, rows, split }];
    while leaves.len() < growth.leaves {
        let gain = |leaf: &Leaf| leaf.split.map_or(0.0, |split| split.gain);
        let Some(at) = (0..leaves.len()).max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b]))) else { break };
        let leaf = leaves.swap_remove(at);
        let Some(split) = leaf.split.filter(|split| split.gain > 1e-6) else {
            leaves.push(leaf);
            break;
        };
        let bins = &binned[split.feature];
        let (left, right): (Vec<u32>, Vec<u32>) = leaf.rows.iter().partition(|&&row| bins[row as usize] <= split.bin);
        let first = tree.len();
        tree[leaf.node] = TreeNode {
            feature: split.feature as i16,
            value: cuts[split.feature][usize::from(split.bin)],
            left: first as u16,
        };
        for (side, rows) in [left, right].into_iter().enumerate() {
            tree.push(TreeNode { feature: -1, value: value(&rows), left: 0 });
            let split = best_split(binned, slopes, &rows, chosen, growth);
            leaves.push(Leaf { node: first + side, rows, split });
        }
    }
    tree
}

fn best_split(
    binned: &[Vec<u8>],
    slopes: &[(f64, f64)],
    rows: &[u32],
    chosen: &[usize],
    growth: Growth,
) -> Option<Split> {
    if rows.len() < growth.least_rows * 2 {
        return None;
    }
    let mut best: Option<Split> = None;
    for &feature in chosen {
        let mut bins = [(0.0, 0.0, 0usize); BINS + 1];
        for &row in rows {
            let bin = &mut bins[usize::from(binned[feature][row as usize])];
            let (g, h) = slopes[row as usize];
            (bin.0, bin.1, bin.2) = (bin.0 + g, bin.1 + h, bin.2 + 1);
        }
        let (all_g, all_h) = bins.iter().fold((0.0, 0.0), |(g, h), bin| (g + bin.0, h + bin.1));
        let worth = |g: f64, h: f64| g * g / (h + growth.smoothing);
        let (mut g, mut h, mut n) = (0.0, 0.0, 0);
        for (bin, part) in bins.iter().enumerate().take(BINS) {
            (g, h, n) = (g + part.0, h + part.1, n + part.2);
            if part.2 == 0 || n < growth.least_rows || rows.len() - n < growth.least_rows {
                continue;
            }
            let gain = worth(g, h) + worth(all_g - g, all_h - h) - worth(all_g, all_h);
            if best.is_none_or(|best| gain > best.gain) {
                best = Some(Split { gain, feature, bin: bin as u8 });
            }
        }
    }
    best
}
