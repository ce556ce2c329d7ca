//! The model: a weight for each feature ranks the candidates, and small trees over the best one's features, its lead and
//! its rivals give the probability that it is right. Both are read from `model.json`, which the program in
//! `benches/heal` writes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::features::{ADDED, COUNT, Features, NAMES, NEITHER};
use crate::Error;

/// What a feature is counted as where only one side, or neither, has it: less than a likeness, more than a difference.
const NEITHER_AS: f32 = 0.45;
const ADDED_AS: f32 = 0.3;

/// What one feature adds to the score of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct FeatureWeight {
    /// For each unit of likeness.
    pub alike: f32,
    /// If the two are the same.
    pub same: f32,
    /// If neither has it.
    pub neither: f32,
}

/// A node of a tree; a leaf has no `feature`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(i16, f32, u16)", into = "(i16, f32, u16)")]
pub struct TreeNode {
    /// The number that is looked at; negative in a leaf.
    pub feature: i16,
    /// Up to this, go left; of a leaf, its value.
    pub value: f32,
    /// The left child; the right one follows it.
    pub left: u16,
}

impl From<(i16, f32, u16)> for TreeNode {
    fn from((feature, value, left): (i16, f32, u16)) -> Self {
        Self { feature, value, left }
    }
}

impl From<TreeNode> for (i16, f32, u16) {
    fn from(node: TreeNode) -> Self {
        (node.feature, node.value, node.left)
    }
}

/// The ranker: the weights of the features by their names.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranker {
    weights: [FeatureWeight; COUNT],
}

/// The decision: trees whose sum is a logit, and the curve that makes it a probability.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Decider {
    /// The logit before any tree.
    pub base: f32,
    /// Each tree's nodes, the root first.
    pub trees: Vec<Vec<TreeNode>>,
    /// The calibrated logit is `c0 + c1 x + c2 x² / 5 + c3 max(0, x - 1)`.
    pub calibration: [f32; 4],
}

/// The whole model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Ranks candidates.
    pub ranker: Ranker,
    /// Says how surely the first is right.
    pub decider: Decider,
    /// The lists' own decision.
    pub lists: Decider,
    /// Whether its probabilities were calibrated with its weights.
    pub calibrated: bool,
}

/// A model as it is written: features by name, so that a file of another version is refused and never misread.
#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    weights: Vec<(String, FeatureWeight)>,
    decision: Vec<String>,
    decider: Decider,
    list_decision: Vec<String>,
    lists: Decider,
}

const VERSION: u32 = 1;

impl Ranker {
    /// A ranker of weights in the order of the features.
    pub(super) fn new(weights: [FeatureWeight; COUNT]) -> Self {
        Self { weights }
    }

    /// The score of a candidate.
    pub(super) fn score(&self, features: &Features) -> f32 {
        self.parts(features).sum()
    }

    /// What each feature adds to the score.
    pub(super) fn parts<'s>(&'s self, features: &'s Features) -> impl Iterator<Item = f32> + 's {
        self.weights.iter().zip(features).map(|(weight, &value)| {
            weight.alike * as_likeness(value)
                + if value == NEITHER { weight.neither } else { 0.0 }
                + if value >= 1.0 { weight.same } else { 0.0 }
        })
    }
}

/// A feature between 0 and 1.
pub(super) fn as_likeness(value: f32) -> f32 {
    if value == NEITHER {
        NEITHER_AS
    } else if value == ADDED {
        ADDED_AS
    } else {
        value
    }
}

impl Decider {
    /// The sum of the trees, before it is calibrated.
    pub fn logit(&self, numbers: &[f32]) -> f32 {
        let leaf = |tree: &Vec<TreeNode>| {
            let mut at = 0;
            loop {
                // A file is checked when it is read: children lie behind their parents and inside of the tree.
                let Some(node) = tree.get(at) else { return 0.0 };
                let Ok(feature) = usize::try_from(node.feature) else { return node.value };
                let left = numbers.get(feature).copied().unwrap_or(0.0) <= node.value;
                at = usize::from(node.left) + usize::from(!left);
            }
        };
        self.base + self.trees.iter().map(leaf).sum::<f32>()
    }

    /// The calibrated probability.
    pub fn probability(&self, numbers: &[f32]) -> f32 {
        let curve = curve(self.logit(numbers));
        let logit: f32 = self.calibration.iter().zip(curve).map(|(weight, part)| weight * part).sum();
        1.0 / (1.0 + (-logit).exp())
    }

    fn check(&self, features: usize) -> Result<(), String> {
        for (number, tree) in self.trees.iter().enumerate() {
            for (at, node) in tree.iter().enumerate() {
                let left = usize::from(node.left);
                let leaf = node.feature < 0;
                if !leaf && (node.feature as usize >= features || left <= at || left + 1 >= tree.len()) {
                    return Err(format!("node {at} of tree {number} points out of the tree"));
                }
            }
        }
        Ok(())
    }
}

/// What the calibration weighs.
pub fn curve(logit: f32) -> [f32; 4] {
    let logit = logit.clamp(-12.0, 12.0);
    [1.0, logit, logit * logit / 5.0, (logit - 1.0).max(0.0)]
}

impl Model {
    /// The model that comes with the library.
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<Model> = LazyLock::new(|| match Model::read(include_str!("model.json")) {
            Ok(model) => model,
            // The file is part of the library and read by a test.
            Err(error) => unreachable!("model.json: {error}"),
        });
        &STANDARD
    }

    /// Reads a model that the training program wrote.
    ///
    /// # Errors
    /// `ErrorKind::Config` when it is no model, or one of another version.
    pub fn read(json: &str) -> Result<Self, Error> {
        let bad = |message: String| Error::config("heal.model", message);
        let written: Written =
            serde_json::from_str(json).map_err(|error| bad(format!("the healing model cannot be read: {error}")))?;
        let names = NAMES.iter().map(|(name, _)| *name);
        if written.version != VERSION
            || !written.weights.iter().map(|(name, _)| name.as_str()).eq(names)
            || *super::decide::NAMES != written.decision
            || *super::lists::NAMES != written.list_decision
        {
            return Err(bad("the healing model is of another version: train it anew with benches/heal".to_owned()));
        }
        written.decider.check(written.decision.len()).map_err(bad)?;
        written.lists.check(written.list_decision.len()).map_err(bad)?;
        let mut weights = [FeatureWeight::default(); COUNT];
        for (weight, (_, read)) in weights.iter_mut().zip(&written.weights) {
            *weight = *read;
        }
        Ok(Self { ranker: Ranker { weights }, decider: written.decider, lists: written.lists, calibrated: true })
    }

    /// The model with some features weighing more or less: factors of what was trained, by the features' names. What it
    /// says of being right was not calibrated for such weights, so that it only suggests; `benches/heal` trains anew.
    ///
    /// # Errors
    /// `ErrorKind::Config` when there is no such feature, or a factor is negative or no number.
    pub fn weighted(mut self, factors: &BTreeMap<String, f32>) -> Result<Self, Error> {
        let names = || NAMES.iter().map(|(name, _)| *name);
        for (name, &factor) in factors {
            let Some(at) = names().position(|known| known == name) else {
                let meant = crawlingo_schema::suggest(name, names());
                let hint = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
                let all = names().collect::<Vec<_>>().join(", ");
                let message = format!("there is no feature {name:?}{hint} The features: {all}");
                return Err(Error::config("auto_match_weights", message));
            };
            if !factor.is_finite() || factor < 0.0 {
                let message = format!("{name}: {factor} is no factor; 0 leaves a feature out, 1 is as trained");
                return Err(Error::config("auto_match_weights", message));
            }
            let FeatureWeight { alike, same, neither } = &mut self.ranker.weights[at];
            *alike *= factor;
            *same *= factor;
            *neither *= factor;
        }
        self.calibrated &= factors.values().all(|&factor| factor == 1.0);
        Ok(self)
    }

    /// Writes the model for [`read`](Self::read).
    pub fn write(&self) -> String {
        let written = Written {
            version: VERSION,
            weights: NAMES.iter().map(|(name, _)| (*name).to_owned()).zip(self.ranker.weights).collect(),
            decision: super::decide::NAMES.clone(),
            decider: self.decider.clone(),
            list_decision: super::lists::NAMES.clone(),
            lists: self.lists.clone(),
        };
        // Plain numbers and names: there is nothing in it that could not be written.
        serde_json::to_string(&written).unwrap_or_default()
    }
}
