//! What the benches share: the pages they read.

use std::path::{Path, PathBuf};

/// The `.html` files of a folder, in the order of their paths.
///
/// # Errors
/// When the folder cannot be read.
pub fn pages(folder: &Path) -> std::io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let bytes = std::fs::read(&path)?;
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A page of a shop's listing with that many products, for extraction.
pub fn listing(products: usize) -> String {
    let mut page = String::from("<!DOCTYPE html><html lang=en><title>Shop</title><main>");
    for at in 0..products {
        page += &format!(
            "<article class=product><h3><a href='/product/{at}' title='Product number {at} of the list'>Product numb…</a></h3>\
             <p class='star-rating Four'><i></i><i></i></p><div class=buy><b class=price>£{}.{:02}</b><p class=stock>In stock ({} \
             available)</p></div></article>\n",
            at * 7 % 900,
            at % 100,
            at % 60,
        );
    }
    page + "</main></html>"
}
