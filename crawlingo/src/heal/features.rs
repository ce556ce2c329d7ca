//! What is compared: one number for each way in which two elements can be alike.
//!
//! 0 to 1 is a similarity. [`NEITHER`] says that neither side has what is compared, [`ADDED`] that only the new one has
//! it; the model learns what each is worth, so nothing is made up for what is missing.

use std::collections::BTreeSet;

use super::index::word_hash;
use super::print::{ElementPrint, Neighbour, Step};
use super::similarity::{jaccard, jaro_winkler, names_alike, parts_of, sequence, sketched};

/// Neither side has it.
pub(super) const NEITHER: f32 = -1.0;
/// Only the new side has it.
pub(super) const ADDED: f32 = -0.5;

macro_rules! features {
    ($($name:ident: $says:literal),* $(,)?) => {
        /// The names of the numbers, in their order, and what each says to a person.
        pub(super) const NAMES: &[(&str, &str)] = &[$((stringify!($name), $says)),*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum Feature { $($name),* }
    };
}

features! {
    tag: "same tag",
    text_same: "same text",
    text_alike: "similar text",
    words: "shared words",
    length: "similar length",
    id: "id",
    class_same: "same classes",
    class_parts: "similar classes",
    name: "name",
    kind: "type",
    role: "role",
    label_attr: "aria-label, title, alt, placeholder",
    href_same: "same address",
    href_alike: "similar address",
    src_alike: "similar source",
    attr_names: "same attributes",
    attr_values: "same attribute values",
    path_tags: "tags around",
    path_marks: "ids and classes around",
    path_ids: "ids around",
    parent_tag: "tag of the parent",
    parent_class: "classes of the parent",
    grandparent_tag: "tag of the grandparent",
    steps: "same steps upward",
    nth: "same position among its like",
    nth_last: "same position from the last of its like",
    steps_either: "same steps upward, counted from either end",
    steps_marked: "steps upward with the same marks",
    peers: "as many of its like",
    children: "tags inside",
    inner_count: "as many elements inside",
    inner: "marks inside",
    label: "text before",
    before_run: "words right before",
    before_bag: "words before",
    follower: "text behind",
    after_run: "words right behind",
    after_bag: "words behind",
    around_near: "words around",
    around_mid: "words further around",
    around_far: "words of the surroundings",
    heading: "heading above",
    prev_words: "sibling before reads the same",
    prev_look: "sibling before looks the same",
    next_words: "sibling behind reads the same",
    next_look: "sibling behind looks the same",
    depth: "same depth",
    place: "same place on the page",
    old_words: "length of the text",
    old_same_text: "how often the text occurred",
    old_same_look: "how often the look occurred",
    marks: "how much there was to go by",
}

/// How many numbers a comparison gives.
pub(super) const COUNT: usize = NAMES.len();

/// The numbers of one comparison.
pub(super) type Features = [f32; COUNT];

/// A similarity of two things of which each may be missing.
fn both<T>(old: Option<T>, new: Option<T>, alike: impl FnOnce(T, T) -> f32) -> f32 {
    match (old, new) {
        (None, None) => NEITHER,
        (None, Some(_)) => ADDED,
        (Some(_), None) => 0.0,
        (Some(old), Some(new)) => alike(old, new),
    }
}

fn same(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

fn hashes(old: u64, new: u64) -> f32 {
    both((old != 0).then_some(old), (new != 0).then_some(new), |old, new| same(old == new))
}

fn ratio(a: u32, b: u32) -> f32 {
    match a.max(b) {
        0 => 1.0,
        larger => a.min(b) as f32 / larger as f32,
    }
}

/// How much of an address stayed: its segments and its query's names, the last one counted as the most telling.
fn address(old: &str, new: &str) -> f32 {
    if old == new {
        return 1.0;
    }
    let parts = |text: &str| -> Vec<u32> {
        let text = text.split_once("://").map_or(text, |(_, rest)| rest);
        let mut hashes: Vec<_> = text
            .split(['/', '?', '&', '#', '=', '-', '_', '.'])
            .filter(|part| !part.is_empty())
            .map(word_hash)
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    };
    0.9 * jaccard(&parts(old), &parts(new))
}

fn run(old: &[u32], new: &[u32]) -> f32 {
    if old.is_empty() {
        return NEITHER;
    }
    let most = old.len().min(8);
    let common = old.iter().zip(new).take(most).take_while(|(old, new)| old == new).count();
    common as f32 / most as f32
}

fn bag(old: &[u32], new: &[u32]) -> f32 {
    if old.is_empty() {
        return NEITHER;
    }
    let sorted = |words: &[u32]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words.dedup();
        words
    };
    jaccard(&sorted(old), &sorted(new))
}

fn marks_of(path: &[Step]) -> BTreeSet<String> {
    let mut marks = BTreeSet::new();
    for step in path {
        if let Some(id) = &step.id {
            parts_of(id, &mut marks);
        }
        step.classes.iter().for_each(|class| parts_of(class, &mut marks));
    }
    marks
}

fn neighbour(old: Option<Neighbour>, new: Option<Neighbour>) -> (f32, f32) {
    let words = both(
        old.map(|old| old.words).filter(|&words| words != 0),
        new.map(|new| new.words).filter(|&words| words != 0),
        |old, new| same(old == new),
    );
    let look = both(old, new, |old, new| {
        0.5 * same(old.tag == new.tag) + 0.5 * same((old.tag, old.look) == (new.tag, new.look))
    });
    (words, look)
}

/// What an attribute is compared by on its own; the rest is compared as names and pairs.
const OWN: &[&str] = &["name", "type", "role", "aria-label", "title", "alt", "placeholder", "href", "src"];

fn said(print: &ElementPrint) -> Option<&str> {
    ["aria-label", "title", "alt", "placeholder", "value"].into_iter().find_map(|name| print.attr(name))
}

fn attr_sets(print: &ElementPrint) -> (Vec<u32>, Vec<u32>) {
    let (mut names, mut pairs) = (Vec::new(), Vec::new());
    for (name, value) in &print.attrs {
        names.push(word_hash(name));
        if !OWN.contains(&name.as_str()) {
            pairs.push(word_hash(name).rotate_left(7) ^ word_hash(value));
        }
    }
    names.sort_unstable();
    names.dedup();
    pairs.sort_unstable();
    pairs.dedup();
    (names, pairs)
}

fn list<T>(items: &[T]) -> Option<&[T]> {
    (!items.is_empty()).then_some(items)
}

fn sets(old: &[u32], new: &[u32]) -> f32 {
    both(list(old), list(new), jaccard)
}

/// Compares a stored element with one of the page.
pub(super) fn compare(old: &ElementPrint, new: &ElementPrint) -> Features {
    let mut out = [0.0; COUNT];
    let mut set = |feature: Feature, value: f32| out[feature as usize] = value;
    use Feature as F;

    let forgotten = old.text.is_empty() && old.text_hash == 0 && old.word_count > 0;
    set(F::tag, same(old.tag == new.tag));
    if forgotten {
        // What was not kept is neither alike nor unlike.
        [F::text_same, F::text_alike, F::words].into_iter().for_each(|feature| set(feature, NEITHER));
    } else {
        set(F::text_same, hashes(old.text_hash, new.text_hash));
        let text = |text: &'_ str| (!text.is_empty()).then(|| text.to_owned());
        set(F::text_alike, both(text(&old.text), text(&new.text), |old, new| jaro_winkler(&old, &new)));
        set(F::words, both(list(&old.words), list(&new.words), sketched));
    }
    set(F::length, ratio(old.word_count, new.word_count));
    set(F::id, both(old.id.as_deref(), new.id.as_deref(), jaro_winkler));
    let classes = both(list(&old.classes), list(&new.classes), |old, new| {
        let sorted = |classes: &[String]| {
            let mut classes: Vec<_> = classes.iter().map(|class| word_hash(class)).collect();
            classes.sort_unstable();
            classes.dedup();
            classes
        };
        jaccard(&sorted(old), &sorted(new))
    });
    set(F::class_same, classes);
    let parts = names_alike(old.classes.iter().map(String::as_str), new.classes.iter().map(String::as_str));
    set(F::class_parts, parts.unwrap_or(NEITHER));
    for (feature, name) in [(F::name, "name"), (F::kind, "type"), (F::role, "role")] {
        set(feature, both(old.attr(name), new.attr(name), jaro_winkler));
    }
    set(F::label_attr, both(said(old), said(new), jaro_winkler));
    set(F::href_same, both(old.attr("href"), new.attr("href"), |old, new| same(old == new)));
    set(F::href_alike, both(old.attr("href"), new.attr("href"), address));
    set(F::src_alike, both(old.attr("src"), new.attr("src"), address));
    let ((old_names, old_pairs), (new_names, new_pairs)) = (attr_sets(old), attr_sets(new));
    set(F::attr_names, sets(&old_names, &new_names));
    set(F::attr_values, sets(&old_pairs, &new_pairs));

    let tags = |path: &[Step]| path.iter().map(|step| step.tag.clone()).collect::<Vec<_>>();
    set(F::path_tags, sequence(&tags(&old.path), &tags(&new.path)));
    let (old_marks, new_marks) = (marks_of(&old.path), marks_of(&new.path));
    let shared = old_marks.intersection(&new_marks).count();
    let all = old_marks.len() + new_marks.len() - shared;
    set(F::path_marks, if old_marks.is_empty() { NEITHER } else { shared as f32 / all as f32 });
    let ids: Vec<_> = old.path.iter().filter_map(|step| step.id.as_ref()).collect();
    let found = ids.iter().filter(|id| new.path.iter().any(|step| step.id.as_ref() == Some(id))).count();
    set(F::path_ids, if ids.is_empty() { NEITHER } else { found as f32 / ids.len() as f32 });
    let (old_parent, new_parent) = (old.path.first(), new.path.first());
    set(F::parent_tag, both(old_parent, new_parent, |old, new| same(old.tag == new.tag)));
    let parent_class = both(old_parent, new_parent, |old, new| {
        let parts = names_alike(old.classes.iter().map(String::as_str), new.classes.iter().map(String::as_str));
        parts.unwrap_or(NEITHER)
    });
    set(F::parent_class, parent_class);
    set(F::grandparent_tag, both(old.path.get(1), new.path.get(1), |old, new| same(old.tag == new.tag)));
    let steps = if old.tag == new.tag && old.nth == new.nth {
        let same_step = |(old, new): &(&Step, &Step)| old.tag == new.tag && old.nth == new.nth;
        1 + old.path.iter().zip(&new.path).take(7).take_while(same_step).count()
    } else {
        0
    };
    set(F::steps, steps as f32 / 8.0);
    set(F::nth, same(old.nth == new.nth));
    set(F::nth_last, same(old.behind == new.behind));
    let either = if old.tag == new.tag && (old.nth == new.nth || old.behind == new.behind) {
        let same_step =
            |(old, new): &(&Step, &Step)| old.tag == new.tag && (old.nth == new.nth || old.behind == new.behind);
        1 + old.path.iter().zip(&new.path).take(7).take_while(same_step).count()
    } else {
        0
    };
    set(F::steps_either, either as f32 / 8.0);
    let marked = old.path.iter().take(8).filter(|step| step.id.is_some() || !step.classes.is_empty());
    let (mut all, mut kept) = (0, 0);
    for old in marked {
        all += 1;
        let same_marks = |new: &&Step| old.tag == new.tag && old.id == new.id && old.classes == new.classes;
        kept += usize::from(new.path.iter().take(12).any(|step| same_marks(&step)));
    }
    set(F::steps_marked, if all == 0 { NEITHER } else { kept as f32 / all as f32 });
    set(F::peers, ratio(old.peers.into(), new.peers.into()));

    set(F::children, sequence(&old.children, &new.children));
    set(F::inner_count, ratio(old.inner_count, new.inner_count));
    set(F::inner, both(list(&old.inner), list(&new.inner), sketched));

    set(F::label, hashes(old.label, new.label));
    set(F::before_run, run(&old.before, &new.before));
    set(F::before_bag, bag(&old.before, &new.before));
    set(F::follower, hashes(old.follower, new.follower));
    set(F::after_run, run(&old.after, &new.after));
    set(F::after_bag, bag(&old.after, &new.after));
    for (feature, far) in [(F::around_near, 0), (F::around_mid, 1), (F::around_far, 2)] {
        let words = |print: &ElementPrint| print.around.get(far).cloned();
        set(feature, both(words(old), words(new), |old, new| sketched(&old, &new)));
    }
    set(F::heading, hashes(old.heading, new.heading));
    let (prev_words, prev_look) = neighbour(old.prev, new.prev);
    set(F::prev_words, prev_words);
    set(F::prev_look, prev_look);
    let (next_words, next_look) = neighbour(old.next, new.next);
    set(F::next_words, next_words);
    set(F::next_look, next_look);

    set(F::depth, 1.0 / (1.0 + f32::from(old.depth.abs_diff(new.depth))));
    set(F::place, 1.0 - (old.place - new.place).abs());
    set(F::old_words, if forgotten { NEITHER } else { (1.0 + old.word_count as f32).ln() });
    set(F::old_same_text, (1.0 + f32::from(old.same_text)).ln());
    set(F::old_same_look, (1.0 + f32::from(old.same_look)).ln());
    let marks = old.attrs.len() + old.classes.len() + usize::from(old.id.is_some()) * 2;
    set(F::marks, (1.0 + marks as f32).ln());
    out
}
