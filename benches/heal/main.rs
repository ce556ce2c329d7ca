//! Trains the healing model and says how good it is, on sites that it was not trained on.
//!
//! ```text
//! cargo run --release -p crawlingo-benches --bin heal -- evaluate FOLDER [--out FOLDER]
//! cargo run --release -p crawlingo-benches --bin heal -- train FOLDER --model crawlingo/src/heal/model.json
//! cargo run --release -p crawlingo-benches --bin heal -- score FOLDER
//! cargo run --release -p crawlingo-benches --bin heal -- speed FOLDER
//! ```
//!
//! `evaluate` is a nested cross-validation by site; `train` trains on all of the folder and writes the model; `score` runs
//! the model that is built in over cases that it was not trained on. `speed` measures what healing costs: looking for an
//! element in pages of three sizes, and, on the real pages of a folder, remembering and looking at a match beside the parse.
#![allow(missing_docs, clippy::print_stdout)]

mod calibrate;
mod cases;
mod examples;
mod figures;
mod model;
mod rank;
mod speed;
mod trees;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crawlingo::heal::training::Model;
use figures::{Decision, ListDecision};
use rayon::prelude::*;

const FOLDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).map(PathBuf::from)
    };
    let (Some(command), Some(folder)) = (arguments.first(), arguments.get(1).map(Path::new)) else {
        eprintln!("heal: evaluate FOLDER [--out FOLDER] | train FOLDER --model FILE | score FOLDER | speed FOLDER");
        std::process::exit(2);
    };
    let result = match command.as_str() {
        "evaluate" => evaluate(folder, option("--out").as_deref()),
        "train" => match option("--model") {
            Some(file) => train(folder, &file),
            None => Err("train: say where the model goes by --model FILE".to_owned()),
        },
        "score" => score(folder, option("--out").as_deref()),
        "speed" => speed::run(folder),
        other => Err(format!("there is no command `{other}`: evaluate, train, score or speed")),
    };
    if let Err(message) = result {
        eprintln!("heal: {message}");
        std::process::exit(1);
    }
}

fn decide(
    examples: &examples::Examples,
    model_of: &(dyn Fn(&str) -> Option<usize> + Sync),
    models: &[Model],
) -> (Vec<Decision>, Vec<ListDecision>) {
    let single = examples
        .single
        .par_iter()
        .filter(|example| example.counts())
        .filter_map(|example| {
            let model = &models[model_of(&example.site)?];
            let (confidence, right) = match example.lined.decision(&model.ranker) {
                Some((numbers, right)) => (model.decider.probability(&numbers), right),
                None => (0.0, false),
            };
            Some(Decision { set: example.set.clone(), form: example.form, confidence, right })
        })
        .collect();
    let lists = examples
        .lists
        .par_iter()
        .filter(|list| !list.mined && list.form != examples::Form::AbsentErased)
        .filter_map(|list| {
            let model = &models[model_of(&list.site)?];
            let sets = model::judged(list, &model.ranker);
            let reachable = sets.iter().any(|set| set.1);
            let scored = sets.into_iter().map(|(numbers, right)| (model.lists.probability(&numbers), right));
            let (confidence, right) = scored.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, false));
            Some(ListDecision { form: list.form, confidence, right, reachable })
        })
        .collect();
    (single, lists)
}

fn evaluate(folder: &Path, out: Option<&Path>) -> Result<(), String> {
    let start = Instant::now();
    let examples = examples::make(folder)?;
    println!(
        "{} questions about elements ({} counted), {} about lists, made in {:.0} s",
        examples.single.len(),
        examples.single.iter().filter(|example| example.counts()).count(),
        examples.lists.len(),
        start.elapsed().as_secs_f32()
    );
    let folds = model::folds(&model::sites(&examples), FOLDS);
    let start = Instant::now();
    let models: Vec<Model> = (0..FOLDS)
        .into_par_iter()
        .map(|fold| model::train(&examples, &|site| folds.get(site) != Some(&fold)))
        .collect();
    println!("{FOLDS} models trained in {:.0} s", start.elapsed().as_secs_f32());
    let (single, lists) = decide(&examples, &|site| folds.get(site).copied(), &models);
    figures::print(&single, &lists);
    match out {
        Some(out) => figures::draw(&single, out),
        None => Ok(()),
    }
}

fn score(folder: &Path, out: Option<&Path>) -> Result<(), String> {
    let examples = examples::make(folder)?;
    let models = [Model::standard().clone()];
    let (single, lists) = decide(&examples, &|_| Some(0), &models);
    println!("the built-in model, as it is, over {} decisions:", single.len());
    figures::print(&single, &lists);
    match out {
        Some(out) => figures::draw(&single, out),
        None => Ok(()),
    }
}

fn train(folder: &Path, file: &Path) -> Result<(), String> {
    let examples = examples::make(folder)?;
    let model = model::train(&examples, &|_| true);
    std::fs::write(file, model.write()).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("written: {}", file.display());
    Ok(())
}
