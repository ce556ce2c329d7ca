//! The figures: what was bound, rightly and wrongly, at which confidence.

use std::fmt::Write as _;
use std::path::Path;

use crate::examples::Form;

/// One decision about an element.
pub(crate) struct Decision {
    pub(crate) set: String,
    pub(crate) form: Form,
    pub(crate) confidence: f32,
    /// Whether the first candidate is right; of an absent element none is.
    pub(crate) right: bool,
}

/// One decision about a list.
pub(crate) struct ListDecision {
    pub(crate) form: Form,
    pub(crate) confidence: f32,
    pub(crate) right: bool,
    /// Whether the true set was among those that were judged.
    pub(crate) reachable: bool,
}

const THRESHOLDS: [f32; 5] = [0.5, 0.8, 0.9, 0.94, 0.99];

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

struct Counts {
    recall: f64,
    wrong_present: f64,
    wrong_absent: f64,
    wrong_all: f64,
    abstained: f64,
}

fn count<'d>(decisions: impl Iterator<Item = (Form, f32, bool)> + Clone + 'd, threshold: f32) -> Counts {
    let present = |form: Form| matches!(form, Form::Present | Form::Erased);
    let all = decisions.clone().count();
    let presents = decisions.clone().filter(|decision| present(decision.0)).count();
    let bound = decisions.clone().filter(|decision| decision.1 >= threshold);
    let right = bound.clone().filter(|decision| decision.2).count();
    let wrong_present = bound.clone().filter(|decision| !decision.2 && present(decision.0)).count();
    let wrong_absent = bound.clone().filter(|decision| !decision.2 && !present(decision.0)).count();
    Counts {
        recall: share(right, presents),
        wrong_present: share(wrong_present, presents),
        wrong_absent: share(wrong_absent, all - presents),
        wrong_all: share(wrong_present + wrong_absent, all),
        abstained: share(all - bound.count(), all),
    }
}

/// Prints all figures.
pub(crate) fn print(single: &[Decision], lists: &[ListDecision]) {
    println!("\nrank 1: the right element comes first (present; with the stored text erased)");
    for set in ["webevo", "sftm", "recipes", "webevo + sftm"] {
        let of = |form: Form| {
            let own: Vec<&Decision> =
                single.iter().filter(|d| set.split(" + ").any(|set| d.set == set) && d.form == form).collect();
            (share(own.iter().filter(|d| d.right).count(), own.len()), own.len())
        };
        let ((present, count), (erased, _)) = (of(Form::Present), of(Form::Erased));
        println!("  {set:14} {count:4} cases   {present:5.1} %   {erased:5.1} %");
    }
    println!("\nbound at a confidence (recall of the present; wrong of the present, of the absent, of all; abstained)");
    for set in ["all", "webevo", "sftm", "recipes"] {
        for threshold in THRESHOLDS {
            let own = single.iter().filter(|d| set == "all" || d.set == set);
            let counts = count(own.map(|d| (d.form, d.confidence, d.right)), threshold);
            println!(
                "  {set:8} {threshold:.2}   recall {:5.1} %   wrong {:4.1} %, {:4.1} %, {:4.2} %   abstained {:4.1} %",
                counts.recall, counts.wrong_present, counts.wrong_absent, counts.wrong_all, counts.abstained
            );
        }
    }
    for form in [Form::Present, Form::Erased] {
        let own = single.iter().filter(|d| d.form == form);
        let counts = count(own.map(|d| (d.form, d.confidence, d.right)), 0.94);
        println!("  {form:?} alone at 0.94: recall {:.1} %, wrong {:.1} %", counts.recall, counts.wrong_present);
    }
    println!("  expected calibration error: {:.1} points", 100.0 * calibration_error(single));
    println!("\nlists: the exact set (reachable: it was among the sets that were judged)");
    for form in [Form::Present, Form::Erased, Form::Absent] {
        let own: Vec<&ListDecision> = lists.iter().filter(|d| d.form == form).collect();
        let reachable = share(own.iter().filter(|d| d.reachable).count(), own.len());
        let first = share(own.iter().filter(|d| d.right).count(), own.len());
        let mut line = format!("  {form:?}: {} lists, reachable {reachable:.1} %, first {first:.1} %", own.len());
        for threshold in [0.5, 0.8, 0.94] {
            let bound: Vec<_> = own.iter().filter(|d| d.confidence >= threshold).collect();
            let right = bound.iter().filter(|d| d.right).count();
            let _ = write!(
                line,
                "; at {threshold}: exact {:.1} %, wrong {:.1} %",
                share(right, own.len()),
                share(bound.len() - right, own.len())
            );
        }
        println!("{line}");
    }
}

/// The mean distance of the confidence from the share that was right, over ten bins.
fn calibration_error(decisions: &[Decision]) -> f64 {
    bins(decisions).iter().map(|bin| bin.count as f64 * (bin.confidence - bin.right).abs()).sum::<f64>()
        / decisions.len().max(1) as f64
}

struct Bin {
    count: usize,
    confidence: f64,
    right: f64,
}

fn bins(decisions: &[Decision]) -> Vec<Bin> {
    (0..10)
        .map(|bin| {
            let own: Vec<&Decision> =
                decisions.iter().filter(|d| ((d.confidence * 10.0) as usize).min(9) == bin).collect();
            let mean =
                |value: &dyn Fn(&Decision) -> f64| own.iter().map(|d| value(d)).sum::<f64>() / own.len().max(1) as f64;
            Bin {
                count: own.len(),
                confidence: mean(&|d| f64::from(d.confidence)),
                right: mean(&|d| f64::from(u8::from(d.right))),
            }
        })
        .collect()
}

/// Draws the risk-coverage curve and the calibration as an SVG.
pub(crate) fn draw(decisions: &[Decision], folder: &Path) -> Result<(), String> {
    let mut sorted: Vec<&Decision> = decisions.iter().collect();
    sorted.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let present = sorted.iter().filter(|d| matches!(d.form, Form::Present | Form::Erased)).count().max(1);
    let (mut right, mut wrong) = (0, 0);
    let mut curve = String::new();
    for decision in &sorted {
        if decision.right {
            right += 1;
        } else {
            wrong += 1;
        }
        let (x, y) = (right as f64 / present as f64, wrong as f64 / sorted.len().max(1) as f64);
        if y <= 0.1 {
            let _ = write!(curve, "{:.1},{:.1} ", 60.0 + 320.0 * x, 340.0 - 3000.0 * y);
        }
    }
    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 860 400' font-family='sans-serif' font-size='12'>\
         <rect width='860' height='400' fill='white'/><text x='60' y='24'>Wrong binds of all decisions against recall</text>\
         <text x='500' y='24'>Share that was right against confidence</text>\
         <path d='M60 40V340H380M500 40V340H820' fill='none' stroke='#444'/>\
         <path d='M60 280H380' stroke='#c33' stroke-dasharray='4'/><text x='66' y='275' fill='#c33'>2 %</text>\
         <path d='M500 340L820 40' stroke='#999' stroke-dasharray='4'/>",
    );
    for tick in 0..=5 {
        let at = f64::from(tick) / 5.0;
        let _ = write!(
            svg,
            "<text x='{:.0}' y='358' text-anchor='middle'>{at:.1}</text><text x='{:.0}' y='358' text-anchor='middle'>{at:.1}</text>\
             <text x='494' y='{:.0}' text-anchor='end'>{at:.1}</text><text x='54' y='{:.0}' text-anchor='end'>{:.0} %</text>",
            60.0 + 320.0 * at,
            500.0 + 320.0 * at,
            344.0 - 300.0 * at,
            344.0 - 300.0 * at,
            10.0 * at
        );
    }
    let _ = write!(svg, "<polyline points='{curve}' fill='none' stroke='#26c' stroke-width='2'/>");
    for bin in bins(decisions).iter().filter(|bin| bin.count > 0) {
        let _ = write!(
            svg,
            "<circle cx='{:.1}' cy='{:.1}' r='{:.1}' fill='#26c' fill-opacity='.6'><title>{} decisions</title></circle>",
            500.0 + 320.0 * bin.confidence,
            340.0 - 300.0 * bin.right,
            3.0 + (bin.count as f64).sqrt() / 3.0,
            bin.count
        );
    }
    svg.push_str("</svg>\n");
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join("calibration.svg");
    std::fs::write(&file, svg).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("\ndrawn: {}", file.display());
    Ok(())
}
