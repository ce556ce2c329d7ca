//! Trains a whole model on some sites: the ranker, then the decision on what rankers made without a site say of it, then
//! the calibration on what decisions made without a site say of it. Nothing is judged by what was trained on it.

use std::collections::BTreeMap;

use crawlingo::dom::NodeId;
use crawlingo::heal::training::{Decider, Model, Page, Ranker};
use rayon::prelude::*;

use crate::calibrate;
use crate::examples::{Example, Examples, Form, ListExample};
use crate::rank::{self, Group};
use crate::trees::{self, Growth, Table};

const INNER: usize = 4;

const GROWTH: Growth =
    Growth { trees: 260, leaves: 16, rate: 0.05, least_rows: 20, smoothing: 5.0, features: 0.2, rows: 0.8, seed: 1 };

const LIST_GROWTH: Growth =
    Growth { trees: 160, leaves: 12, rate: 0.06, least_rows: 25, smoothing: 5.0, features: 0.4, rows: 0.8, seed: 2 };

/// Deals the sites out to folds so that each has about as many counted examples; the largest first.
pub(crate) fn folds(sites: &BTreeMap<String, usize>, count: usize) -> BTreeMap<String, usize> {
    let mut by_size: Vec<_> = sites.iter().collect();
    by_size.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let mut load = vec![0; count];
    let mut folds = BTreeMap::new();
    for (site, size) in by_size {
        let least = (0..count).min_by_key(|&fold| (load[fold], fold)).unwrap_or(0);
        load[least] += size + 1;
        folds.insert(site.clone(), least);
    }
    folds
}

/// The sites and how many examples each has.
pub(crate) fn sites(examples: &Examples) -> BTreeMap<String, usize> {
    let mut sites = BTreeMap::new();
    for example in &examples.single {
        *sites.entry(example.site.clone()).or_default() += usize::from(example.counts());
    }
    for list in &examples.lists {
        sites.entry(list.site.clone()).or_default();
    }
    sites
}

/// Truth that people or a generator gave counts more than identical text.
fn rank_weight(example: &Example) -> f64 {
    match (example.mined, example.set.as_str()) {
        (true, _) => 0.15,
        (_, "webevo") => 3.0,
        (_, "sftm") => 1.0,
        _ => 0.6,
    }
}

fn decision_weight(example: &Example) -> f64 {
    let set = if example.set == "webevo" { 1.5 } else { 1.0 };
    let form = if example.form == Form::AbsentErased { 0.25 } else { 1.0 };
    set * form * if example.mined { 0.3 } else { 1.0 }
}

fn train_ranker(examples: &[&Example]) -> Ranker {
    let groups: Vec<Group> = examples
        .par_iter()
        .filter(|example| matches!(example.form, Form::Present | Form::Erased))
        .map(|example| Group { rows: example.lined.rows(), weight: rank_weight(example) })
        .filter(|group| group.rows.iter().any(|row| row.1))
        .collect();
    rank::train(&groups.iter().collect::<Vec<_>>())
}

/// A row for the trees.
struct Row {
    fold: usize,
    numbers: Vec<f32>,
    right: bool,
    weight: f64,
    /// What it counts when the probability is calibrated: the figures' own rule.
    counts: f64,
}

fn train_decider(rows: &[Row], growth: Growth) -> Decider {
    let table = |keep: &dyn Fn(&Row) -> bool| {
        let kept: Vec<&Row> = rows.iter().filter(|row| keep(row)).collect();
        Table {
            rows: kept.iter().map(|row| row.numbers.as_slice()).collect(),
            answers: kept.iter().map(|row| row.right).collect(),
            weights: kept.iter().map(|row| row.weight).collect(),
        }
    };
    let apart: Vec<Decider> =
        (0..INNER).map(|fold| trees::grow(&table(&|row: &Row| row.fold != fold), growth)).collect();
    let counted: Vec<&Row> = rows.iter().filter(|row| row.counts > 0.0).collect();
    let logits: Vec<f32> = counted.iter().map(|row| apart[row.fold].logit(&row.numbers)).collect();
    let answers: Vec<bool> = counted.iter().map(|row| row.right).collect();
    let weights: Vec<f64> = counted.iter().map(|row| row.counts).collect();
    let mut decider = trees::grow(&table(&|_: &Row| true), growth);
    decider.calibration = calibrate::fit(&logits, &answers, &weights);
    decider
}

/// Whether a set is the list: as many members, each the same thing as one of the true ones.
pub(crate) fn is_list(page: &Page<'_>, set: &[NodeId], truth: &[NodeId]) -> bool {
    set.len() == truth.len() && truth.iter().all(|&wanted| set.iter().any(|&member| page.same_thing(wanted, member)))
}

/// The sets of a list example, each with its numbers and whether it is right.
pub(crate) fn judged(example: &ListExample, ranker: &Ranker) -> Vec<(Vec<f32>, bool)> {
    let page = Page::new(&example.document);
    let sets = page.sets(&example.print, ranker);
    sets.into_iter().map(|(set, numbers)| (numbers, is_list(&page, &set, &example.truth))).collect()
}

fn list_rows(lists: &[&ListExample], fold: usize, ranker: &Ranker) -> Vec<Row> {
    let of = |example: &&ListExample| {
        let sets = judged(example, ranker);
        let share = 3.0 / sets.len().max(1) as f64;
        let weight = match (example.mined, example.form) {
            (false, Form::AbsentErased) => 0.5,
            (false, _) => 2.0,
            (true, Form::AbsentErased) => 0.25,
            (true, _) => 0.7,
        };
        sets.into_iter()
            .map(|(numbers, right)| {
                // The right one of a hundred sets counts as much as the others together.
                let weight = weight * if right { 1.0 } else { share };
                Row { fold, numbers, right, weight, counts: 0.0 }
            })
            .collect::<Vec<_>>()
    };
    lists.par_iter().flat_map(of).collect()
}

/// Calibrates on the best set of each list: it is what is bound.
fn train_lists(rows: &[Row], best: impl Fn(&[Decider]) -> (Vec<f32>, Vec<bool>, Vec<f64>)) -> Decider {
    let table = |keep: &dyn Fn(&Row) -> bool| {
        let kept: Vec<&Row> = rows.iter().filter(|row| keep(row)).collect();
        Table {
            rows: kept.iter().map(|row| row.numbers.as_slice()).collect(),
            answers: kept.iter().map(|row| row.right).collect(),
            weights: kept.iter().map(|row| row.weight).collect(),
        }
    };
    let apart: Vec<Decider> =
        (0..INNER).map(|fold| trees::grow(&table(&|row: &Row| row.fold != fold), LIST_GROWTH)).collect();
    let (logits, answers, weights) = best(&apart);
    let mut decider = trees::grow(&table(&|_: &Row| true), LIST_GROWTH);
    decider.calibration = calibrate::fit(&logits, &answers, &weights);
    decider
}

/// Trains on the examples of the sites that `keep` names.
pub(crate) fn train(examples: &Examples, keep: &dyn Fn(&str) -> bool) -> Model {
    let single: Vec<&Example> = examples.single.iter().filter(|example| keep(&example.site)).collect();
    let lists: Vec<&ListExample> = examples.lists.iter().filter(|list| keep(&list.site)).collect();
    let mut own = sites(examples);
    own.retain(|site, _| keep(site));
    let folds = folds(&own, INNER);
    let rankers: Vec<Ranker> = (0..INNER)
        .into_par_iter()
        .map(|fold| {
            let others: Vec<&Example> = single.iter().copied().filter(|example| folds[&example.site] != fold).collect();
            train_ranker(&others)
        })
        .collect();
    let rows: Vec<Row> = single
        .par_iter()
        .filter_map(|example| {
            let fold = folds[&example.site];
            let (numbers, right) = example.lined.decision(&rankers[fold])?;
            let counts = if example.counts() { 1.0 } else { 0.0 };
            Some(Row { fold, numbers, right, weight: decision_weight(example), counts })
        })
        .collect();
    let list_rows: Vec<Vec<Row>> = (0..INNER)
        .map(|fold| {
            let own: Vec<&ListExample> = lists.iter().copied().filter(|list| folds[&list.site] == fold).collect();
            list_rows(&own, fold, &rankers[fold])
        })
        .collect();
    let list_rows: Vec<Row> = list_rows.into_iter().flatten().collect();
    let best = |apart: &[Decider]| {
        let of = |list: &&ListExample| {
            let fold = folds[&list.site];
            let sets = judged(list, &rankers[fold]);
            let scored = sets.into_iter().map(|(numbers, right)| (apart[fold].logit(&numbers), right));
            let (logit, right) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
            let weight = if list.form == Form::AbsentErased {
                0.0
            } else if list.mined {
                0.4
            } else {
                1.0
            };
            Some((logit, right, weight))
        };
        let all: Vec<(f32, bool, f64)> = lists.par_iter().filter_map(of).collect();
        (
            all.iter().map(|row| row.0).collect(),
            all.iter().map(|row| row.1).collect(),
            all.iter().map(|row| row.2).collect(),
        )
    };
    Model {
        ranker: train_ranker(&single),
        decider: train_decider(&rows, GROWTH),
        lists: train_lists(&list_rows, best),
        calibrated: true,
    }
}
