//! The products, made from a seed.

use std::sync::OnceLock;

use jiff::civil::Date;
use rust_decimal::Decimal;

/// How many products there are.
pub const COUNT: usize = 300;

/// How many products a page of the listing has.
pub const PER_PAGE: usize = 20;

/// One product, with its values as they are and as the shop writes them.
#[derive(Debug, Clone)]
pub struct Product {
    /// From 1.
    pub id: usize,
    /// The title.
    pub title: String,
    /// The category's name.
    pub category: &'static str,
    /// The exact price.
    pub amount: Decimal,
    /// The price's ISO 4217 code.
    pub currency: &'static str,
    /// The price as the shop writes it.
    pub price_text: String,
    /// From 1 to 5.
    pub rating: u8,
    /// How many are in stock; 0: sold out.
    pub stock: u32,
    /// When it came into the shop.
    pub added: Date,
    /// That date as the shop writes it.
    pub added_text: String,
    /// A few sentences.
    pub description: String,
    /// Names and values.
    pub specs: Vec<(&'static str, String)>,
}

impl Product {
    /// The last part of the product's path: `17-quiet-lantern`.
    pub fn slug(&self) -> String {
        let words: Vec<String> = self
            .title
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        format!("{}-{}", self.id, words.join("-"))
    }

    /// The path of the product's page in version 1.
    pub fn path(&self) -> String {
        format!("/product/{}", self.slug())
    }
}

/// The categories.
pub const CATEGORIES: &[&str] = &["Lamps", "Kettles", "Maps", "Clocks", "Notebooks", "Tents"];

const ADJECTIVES: &[&str] = &[
    "Quiet", "Amber", "Folding", "Northern", "Patient", "Copper", "Brave", "Little", "Winter", "Honest", "Velvet",
    "Crooked", "Silver", "Hollow", "Gentle", "Rapid", "Old", "Sunday", "Painted", "Lucky",
];

const NOUNS: &[(&str, &[&str])] = &[
    ("Lamps", &["Lantern", "Desk Lamp", "Beacon", "Night Light", "Candle & Co. Lamp"]),
    ("Kettles", &["Kettle", "Teapot", "Samovar", "Pour-Over Pot", "Camp Kettle"]),
    ("Maps", &["Atlas", "City Map", "Sea Chart", "Trail Map", "Globe <Mini>"]),
    ("Clocks", &["Wall Clock", "Hourglass", "Alarm Clock", "Sundial", "Metronome"]),
    ("Notebooks", &["Notebook", "Sketchbook", "Ledger", "Diary", "Field Book"]),
    ("Tents", &["Tent", "Tarp", "Bivouac", "Pavilion", "Beach Shelter"]),
];

const SENTENCES: &[&str] = &[
    "Made for evenings that last longer than planned.",
    "It has been in the family workshop's window since the first day.",
    "The handle stays cool, which cannot be said of its owner.",
    "Packed in paper, never in plastic.",
    "Customers tell us that it outlives the shelf it stands on.",
    "Every piece is a little different from the next.",
    "Comes with a booklet in four languages and a spare screw.",
    "Tested on a balcony in the rain for a whole autumn.",
];

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// All products, in the order of their numbers.
pub fn products() -> &'static [Product] {
    static PRODUCTS: OnceLock<Vec<Product>> = OnceLock::new();
    PRODUCTS.get_or_init(|| {
        let mut random = Random(2026);
        (1..=COUNT).map(|id| product(id, &mut random)).collect()
    })
}

fn product(id: usize, random: &mut Random) -> Product {
    let (category, nouns) = NOUNS[random.below(NOUNS.len())];
    let title = format!("{} {} No. {id}", random.pick(ADJECTIVES), random.pick(nouns));
    let cents = 199 + random.below(249_900) as i64;
    let (currency, amount, price_text) = price(cents, random.below(8));
    let added = Date::new(2019 + random.below(7) as i16, 1 + random.below(12) as i8, 1 + random.below(28) as i8);
    let added = added.unwrap_or(Date::constant(2020, 1, 1));
    let first = random.below(SENTENCES.len());
    let second = (first + 1 + random.below(SENTENCES.len() - 1)) % SENTENCES.len();
    let grams = 80 + random.below(4000);
    Product {
        id,
        title,
        category,
        amount,
        currency,
        price_text,
        rating: 1 + random.below(5) as u8,
        stock: if random.below(6) == 0 { 0 } else { 1 + random.below(60) as u32 },
        added,
        added_text: date_text(added, random.below(4)),
        description: format!("{} {}", SENTENCES[first], SENTENCES[second]),
        specs: vec![
            ("Weight", format!("{grams} g")),
            ("Width", format!("{} cm", 5 + random.below(180))),
            ("Material", (*random.pick(&["brass", "oak", "paper", "wool", "glass", "tin"])).to_owned()),
            ("Made in", (*random.pick(&["Porto", "Gdańsk", "Kyoto", "Malmö", "Brno", "Turin"])).to_owned()),
        ],
    }
}

/// The price in one of the ways in which shops write it.
fn price(cents: i64, format: usize) -> (&'static str, Decimal, String) {
    let exact = Decimal::new(cents, 2);
    let (whole, rest) = (cents / 100, cents % 100);
    match format {
        0 => ("GBP", exact, format!("£{}.{rest:02}", grouped(whole, ","))),
        1 => ("EUR", exact, format!("{},{rest:02} €", grouped(whole, "."))),
        2 => ("USD", exact, format!("US${}.{rest:02}", grouped(whole, ","))),
        3 => ("JPY", Decimal::from(whole * 100), format!("{}円", grouped(whole * 100, ","))),
        4 => ("SEK", exact, format!("SEK {},{rest:02}", grouped(whole, "\u{a0}"))),
        5 => ("CHF", exact, format!("CHF {}.{rest:02}", grouped(whole, "’"))),
        6 => ("PLN", exact, format!("{},{rest:02} zł", grouped(whole, " "))),
        _ => ("EUR", exact, format!("EUR {}.{rest:02}", whole)),
    }
}

fn grouped(number: i64, separator: &str) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

fn date_text(date: Date, format: usize) -> String {
    match format {
        0 => date.to_string(),
        1 => date.strftime("%d %B %Y").to_string(),
        2 => date.strftime("%B %-d, %Y").to_string(),
        _ => date.strftime("%a, %d %b %Y").to_string(),
    }
}

/// Text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
