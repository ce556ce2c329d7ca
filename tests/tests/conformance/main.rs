//! Conformance: public cases that nobody here wrote, run against this crate. Each topic has a file in
//! `tests/conformance/` with its floor (which only ever rises), what is left out by name, and the known failures.

#![allow(clippy::print_stdout)] // The test's output is its report.

mod css;
mod datetime;
mod encoding;
mod harness;
mod html_tree;
mod main_content;
mod page_date;
mod price;
mod robots;
mod scraper_diff;
mod sitemap;
mod structured;
mod url;
mod xpath;

#[test]
fn the_floor_files_are_valid() {
    harness::check_floor_files();
}
