//! What must hold of healing whatever the model's weights are.

use crawlingo_schema::{Field, HealMode, Kind, Schema, Selector};

use super::{Extraction, Extractor, Outcome, Source};
use crate::dom::Document;
use crate::heal::{
    HealCommit, HealKey, HealSnapshot, HealStore, MemoryHealStore, Model, PageIndex, relocate, remember,
};

fn extractor(field: Field) -> Extractor {
    let schema = Schema::builder("Thing").field(field.heal(HealMode::Bind)).build().expect("a schema");
    Extractor::new(&schema).expect("it compiles")
}

fn learn(extractor: &Extractor, html: &str) -> HealSnapshot {
    let document = Document::parse(html);
    let seen = extractor.extract_with(&Source::document(&document, None), &HealSnapshot::default());
    let mut snapshot = HealSnapshot::default();
    for (field, remembered) in seen.learned {
        snapshot.insert(field, remembered);
    }
    assert!(!snapshot.is_empty(), "the selector matches");
    snapshot
}

fn heal(extractor: &Extractor, snapshot: &HealSnapshot, html: &str) -> Extraction {
    let document = Document::parse(html);
    extractor.extract_with(&Source::document(&document, None), snapshot)
}

/// The snapshot after a decision about what an extraction found.
fn decided(snapshot: &HealSnapshot, extraction: &Extraction, approve: bool) -> HealSnapshot {
    let store = MemoryHealStore::new();
    let key = HealKey { site: "https://example.org".to_owned(), schema: "Thing".to_owned(), version: 1 };
    let mut commit = HealCommit::new(&store.snapshot(&key).expect("it reads"));
    let field = extraction.found.first().expect("something was found").field.clone();
    commit.learned = vec![(field.clone(), snapshot.get(&field).expect("it is remembered").clone())];
    commit.found = extraction.found.clone();
    store.commit(&key, &commit).expect("it writes");
    let decide = if approve { MemoryHealStore::approve } else { MemoryHealStore::reject };
    decide(&store, &key, &field).expect("there is a proposal");
    store.snapshot(&key).expect("it reads")
}

fn outcomes(extraction: &Extraction) -> Vec<&Outcome> {
    extraction.report.fields.iter().flat_map(|field| &field.notes).map(|note| &note.outcome).collect()
}

fn filler(count: usize) -> String {
    (0..count)
        .map(|at| format!("<div class=row><a href=/item/{at}>Item number {at}</a> <i>note {at}</i></div>"))
        .collect()
}

#[test]
fn the_model_of_the_library_reads_and_writes() {
    let model = Model::standard();
    assert_eq!(&Model::read(&model.write()).expect("it reads what it wrote"), model);
    let other = model.write().replacen("\"version\":1", "\"version\":7", 1);
    assert!(Model::read(&other).expect_err("another version").to_string().contains("another version"));
    assert!(Model::read("{").is_err());
}

#[test]
fn an_element_that_only_lost_its_class_is_found_again() {
    let extractor = extractor(Field::new("price", Kind::price(), Selector::css("span.price")));
    let page = |price: &str| {
        format!(
            "<main id=content><h1>Brass Lantern</h1><dl><dt>Price:</dt><dd>{price} incl. VAT</dd></dl>{}</main>",
            filler(20)
        )
    };
    let snapshot = learn(&extractor, &page("<span class=price itemprop=price>12.50 €</span>"));
    let healed = heal(&extractor, &snapshot, &page("<span class=css-x1y2z3 itemprop=price>12.50 €</span>"));
    let outcomes = outcomes(&healed);
    assert!(
        matches!(outcomes[..], [Outcome::Healed { confidence, selector: Some(selector), .. }] if *confidence >= 0.94 && selector == "span[itemprop=price]"),
        "{outcomes:?}"
    );
    assert_eq!(healed.records[0].get("price").map(|price| price.to_string()).as_deref(), Some("12.50 EUR"));
}

#[test]
fn an_element_that_is_gone_is_not_replaced_by_its_neighbour() {
    let extractor = extractor(Field::new("price", Kind::Text, Selector::css("span.price")).optional());
    let page = |price: &str| {
        format!(
            "<main><h1>Brass Lantern</h1><p>{price}<span class=was>15.00 €</span> <span class=tax>2.00 €</span></p>{}</main>",
            filler(20)
        )
    };
    let snapshot = learn(&extractor, &page("<span class=price>12.50 €</span> "));
    let gone = heal(&extractor, &snapshot, &page(""));
    let outcomes = outcomes(&gone);
    assert!(matches!(outcomes[..], [Outcome::Abstained { .. }, Outcome::Empty { .. }]), "{outcomes:?}");
}

#[test]
fn ten_thousand_twins_are_no_element() {
    let extractor = extractor(Field::new("link", Kind::Text, Selector::css("#one")).optional());
    let snapshot = learn(&extractor, "<ul><li><a id=one>more</a></ul>");
    let twins = format!("<ul>{}</ul>", "<li><a>more</a>".repeat(10_000));
    let extraction = heal(&extractor, &snapshot, &twins);
    assert!(matches!(outcomes(&extraction)[..], [Outcome::Abstained { .. }, Outcome::Empty { .. }]));
}

#[test]
fn a_value_of_another_kind_is_not_bound() {
    let extractor = extractor(Field::new("price", Kind::price(), Selector::css("b.price")).optional());
    let page = |text: &str, class: &str| {
        format!("<main><p id=p>Price <b id=amount {class}>{text}</b></p>{}</main>", filler(9))
    };
    let snapshot = learn(&extractor, &page("9.99 €", "class=price"));
    let extraction = heal(&extractor, &snapshot, &page("on request", ""));
    let outcomes = outcomes(&extraction);
    assert!(
        matches!(outcomes[..], [Outcome::Abstained { reason, .. }, Outcome::Empty { .. }] if reason.contains("no value of the field's kind")),
        "{outcomes:?}"
    );
}

#[test]
fn suggest_binds_nothing_and_says_what_it_would_bind() {
    let field = Field::new("name", Kind::Text, Selector::css("#old")).optional().heal(HealMode::Suggest);
    let schema = Schema::builder("Thing").field(field).build().expect("a schema");
    let extractor = Extractor::new(&schema).expect("it compiles");
    let page = |id: &str| format!("<main><h1 {id} itemprop=name data-x=1>Brass Lantern</h1>{}</main>", filler(9));
    let snapshot = learn(&extractor, &page("id=old"));
    let extraction = heal(&extractor, &snapshot, &page("id=new"));
    let outcomes = outcomes(&extraction);
    assert!(matches!(outcomes[..], [Outcome::Suggested { .. }, Outcome::Empty { .. }]), "{outcomes:?}");
    assert!(extraction.learned.is_empty(), "a heal never overwrites what was remembered");
}

#[test]
fn a_selector_that_moved_to_another_element_is_told() {
    let extractor = extractor(Field::new("author", Kind::Text, Selector::css("p.meta > span:nth-of-type(2)")));
    let page = |first: &str| {
        format!(
            "<main><h1>On Lanterns</h1><p class=meta>{first}<span class=by id=author>Ada Lovelace</span> <b class=day>3 May</b></p>{}</main>",
            filler(9)
        )
    };
    let snapshot = learn(&extractor, &page("<span class=kind>Essay</span> "));
    let moved = heal(&extractor, &snapshot, &page("<span class=kind>Essay</span> <span class=read>5 min</span> "));
    let outcomes = outcomes(&moved);
    assert!(matches!(outcomes[..], [Outcome::Drifted { matched, .. }] if matched.contains("5 min")), "{outcomes:?}");
}

#[test]
fn pages_of_every_shape_are_taken() {
    let taken = Document::parse("<p id=a>x</p>");
    let index = PageIndex::new(&taken);
    let print = remember(&index, &taken.css("p").expect("it parses")).expect("there is one");
    for html in [
        "",
        "<!-- -->",
        "<svg><p></svg>",
        &"<div>".repeat(5_000),
        &"<p>x ".repeat(50_000),
        "<template><p id=a>x</template>",
    ] {
        let document = Document::parse(html);
        let found = relocate(&PageIndex::new(&document), &print, Model::standard());
        assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.confidence)), "{}", &html[..html.len().min(40)]);
    }
}

fn lantern(price: &str) -> String {
    format!("<main id=content><h1>Brass Lantern</h1><dl><dt>Price:</dt><dd>{price}</dd></dl>{}</main>", filler(20))
}

#[test]
fn an_approved_selector_is_used_and_a_rejected_one_is_not() {
    let extractor = extractor(Field::new("price", Kind::price(), Selector::css("span.price")).optional());
    let snapshot = learn(&extractor, &lantern("<span class=price itemprop=price>12.50 €</span>"));
    let redesigned = lantern("<span class=css-x1y2z3 itemprop=price>12.50 €</span>");
    let healed = heal(&extractor, &snapshot, &redesigned);

    let approved = heal(&extractor, &decided(&snapshot, &healed, true), &redesigned);
    let [Outcome::Approved { selector, by, count: 1 }] = outcomes(&approved)[..] else {
        panic!("{:?}", approved.report)
    };
    assert_eq!((selector.as_str(), by.as_str()), ("span[itemprop=price]", "approved"));
    assert_eq!(approved.records[0].get("price").map(|price| price.to_string()).as_deref(), Some("12.50 EUR"));

    let rejected = heal(&extractor, &decided(&snapshot, &healed, false), &redesigned);
    let [Outcome::Abstained { reason, .. }, Outcome::Empty { .. }] = outcomes(&rejected)[..] else {
        panic!("{:?}", rejected.report)
    };
    assert_eq!(reason, "a person rejected it");
}

#[test]
fn what_is_put_before_a_person_shows_both_designs() {
    let extractor = extractor(Field::new("price", Kind::price(), Selector::css("span.price")));
    let snapshot = learn(&extractor, &lantern("<span class=price itemprop=price>12.50 €</span>"));
    let healed = heal(&extractor, &snapshot, &lantern("<span class=x itemprop=price>12.50 €</span>"));
    let [found] = &healed.found[..] else { panic!("{:?}", healed.found) };
    assert_eq!(found.selectors, ["css \"span.price\""]);
    assert_eq!(found.after.parts().1, "<span class=\"x\" itemprop=\"price\">12.50 €</span>");
    let before = snapshot.get("price").and_then(|print| print.view.clone()).expect("it was looked at");
    assert_eq!(before.parts().1, "<span class=\"price\" itemprop=\"price\">12.50 €</span>");
    assert!(found.bound && !found.evidence.is_empty() && !found.rivals.is_empty(), "{found:?}");
}

#[test]
fn the_place_of_a_nested_dataset_and_its_fields_heal() {
    let offer = Schema::builder("Offer")
        .field(Field::new("price", Kind::price(), Selector::css("b.price")).heal(HealMode::Bind))
        .build()
        .expect("a schema");
    let nested = Field::new("offer", Kind::Dataset(Box::new(offer)), Selector::css("div.offer"));
    let extractor = extractor(nested);
    let page = |offer: &str, price: &str| {
        lantern(&format!(
            "<div {offer} id=buy-box data-role=offer><i>in stock</i> <b {price} itemprop=price>12.50 €</b></div>"
        ))
    };
    let snapshot = learn(&extractor, &page("class=offer", "class=price"));
    assert_eq!(snapshot.len(), 2, "the place and the field in it");
    let healed = heal(&extractor, &snapshot, &page("class=box", "class=amount"));
    assert!(healed.errors.is_empty(), "{:?} {:?}", healed.errors, healed.report);
    for path in ["offer", "offer.price"] {
        let notes = &healed.report.field(path).expect("it has a report").notes;
        assert!(matches!(&notes[..], [note] if matches!(note.outcome, Outcome::Healed { .. })), "{path}: {notes:?}");
    }
}

#[test]
fn a_value_beside_a_label_heals_where_the_label_is_gone() {
    let extractor = extractor(Field::new("price", Kind::price(), Selector::after_text("Price:")));
    let page = |label: &str| {
        format!(
            "<main id=content><h1>Brass Lantern</h1><dl id=facts><dt>{label}</dt><dd itemprop=price>12.50 €</dd></dl>{}</main>",
            filler(20)
        )
    };
    let snapshot = learn(&extractor, &page("Price:"));
    let healed = heal(&extractor, &snapshot, &page("Costs"));
    assert!(matches!(outcomes(&healed)[..], [Outcome::Healed { .. }]), "{:?}", healed.report);
}

#[test]
fn auto_match_heals_datasets_that_say_nothing_of_healing() {
    let schema = Schema::builder("Thing")
        .field(Field::new("price", Kind::price(), Selector::css("span.price")).optional())
        .build()
        .expect("a schema");
    let extractor = Extractor::new(&schema).expect("it compiles");
    let run = |snapshot: &HealSnapshot, html: &str| heal(&extractor, snapshot, html);
    let page = |class: &str| lantern(&format!("<span {class} itemprop=price>12.50 €</span>"));
    assert!(run(&HealSnapshot::default(), &page("class=price")).learned.is_empty(), "nothing asks for it");
    let mut snapshot = HealSnapshot::default().with_auto_match(HealMode::Bind);
    for (field, remembered) in run(&snapshot, &page("class=price")).learned {
        snapshot.insert(field, remembered);
    }
    assert!(matches!(outcomes(&run(&snapshot, &page("class=x")))[..], [Outcome::Healed { .. }]));
}

#[test]
fn with_weights_of_ones_own_nothing_is_bound() {
    let extractor = extractor(Field::new("price", Kind::price(), Selector::css("span.price")).optional());
    let page = |class: &str| lantern(&format!("<span {class} itemprop=price>12.50 €</span>"));
    let snapshot = learn(&extractor, &page("class=price"));
    let factors = |name: &str, factor: f32| Model::standard().clone().weighted(&[(name.to_owned(), factor)].into());
    let model = factors("class_parts", 0.0).expect("there is such a feature");
    let extraction = heal(&extractor, &snapshot.clone().with_model(model.into()), &page("class=x"));
    assert!(matches!(outcomes(&extraction)[..], [Outcome::Suggested { .. }, Outcome::Empty { .. }]));
    let unknown = factors("class_part", 0.0).expect_err("there is none").to_string();
    assert!(unknown.contains("did you mean `class_parts`"), "{unknown}");
    assert!(factors("class_parts", -1.0).is_err());
}
