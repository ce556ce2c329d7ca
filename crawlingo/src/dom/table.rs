//! Tables as records: spans resolved, rows keyed by the header.

use std::collections::{HashMap, HashSet};

use super::Element;

/// More cells than that, spans resolved, and the rows after it are left out: a few hundred bytes can ask for billions.
const MAX_CELLS: usize = 1_000_000;
/// What HTML allows.
const MAX_COLSPAN: usize = 1000;
const MAX_ROWSPAN: usize = 65_534;

/// A table, read into rows and columns.
///
/// ```
/// use crawlingo::dom::{Document, Table};
/// let page = Document::parse("<table><tr><th>Name<th>Size<tr><td rowspan=2>Lamp<td>1<tr><td>2</table>");
/// let table = page.elements().find_map(Table::read).unwrap();
/// let sizes: Vec<_> = table.rows().map(|row| (row.get("Name").unwrap(), row.get("Size").unwrap())).collect();
/// assert_eq!(sizes, [("Lamp", "1"), ("Lamp", "2")]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    caption: Option<String>,
    headers: Vec<String>,
    has_header: bool,
    /// The text of each cell once.
    texts: Vec<String>,
    /// Positions in `texts`, one for each column; `None` where there is no cell.
    rows: Vec<Vec<Option<u32>>>,
    is_truncated: bool,
}

impl Table {
    /// Reads a `<table>`, or the first one inside of another element.
    ///
    /// The header is what stands in `<thead>`, else the first rows that hold `<th>` alone; several of its rows are put
    /// together, `Price` over `net` as `Price net`. Without a header, the columns are named `1`, `2`, ...; a column with
    /// an empty header by its number too. Of equal headers the second is `Name 2`. A cell that spans several rows or
    /// columns counts in each. Rows of tables inside of cells are not rows of this one.
    pub fn read(element: Element<'_>) -> Option<Self> {
        let table = match element.tag() {
            "table" => element,
            _ => element.descendants().find(|inner| inner.tag() == "table")?,
        };
        Some(read(table))
    }

    /// The text of `<caption>`.
    pub fn caption(&self) -> Option<&str> {
        self.caption.as_deref()
    }

    /// The names of the columns; each is different.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// Whether the table says what its columns are; else they are numbered.
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// Whether rows were left out because the spans ask for too many cells.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The number of rows, without the header.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows below the header; those of `<tfoot>` last.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }
}

/// A row of a [`Table`].
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    table: &'a Table,
    cells: &'a [Option<u32>],
}

impl<'a> Row<'a> {
    /// The text in the column of that name; `None` if there is no such column, or no cell in it.
    pub fn get(&self, header: &str) -> Option<&'a str> {
        self.cell(self.table.headers.iter().position(|have| have == header)?)
    }

    /// The text in a column, by its position from 0.
    pub fn cell(&self, column: usize) -> Option<&'a str> {
        let text = (*self.cells.get(column)?)?;
        self.table.texts.get(text as usize).map(String::as_str)
    }

    /// The columns' names and texts, in order, without the columns that have no cell in this row.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let row = *self;
        let headers = self.table.headers.iter().enumerate();
        headers.filter_map(move |(column, header)| Some((header.as_str(), row.cell(column)?)))
    }

    /// The columns' names and texts.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        self.iter().map(|(header, text)| (header.to_owned(), text.to_owned())).collect()
    }
}

impl Element<'_> {
    /// The element, or the first table in it, as a [`Table`].
    pub fn table(self) -> Option<Table> {
        Table::read(self)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Body,
    Foot,
}

fn read(table: Element<'_>) -> Table {
    let caption = table.children().find(|child| child.tag() == "caption").map(|caption| caption.text());
    let mut grid = Grid::default();
    // Rows that stand in the table itself form groups with their neighbours, as those in a `<tbody>` do.
    let mut loose = Vec::new();
    let mut foot = Vec::new();
    for child in table.children() {
        if child.tag() == "tr" {
            loose.push(child);
            continue;
        }
        let part = match child.tag() {
            "thead" => Part::Head,
            "tbody" => Part::Body,
            "tfoot" => Part::Foot,
            _ => continue,
        };
        grid.add_group(std::mem::take(&mut loose), Part::Body);
        let rows = child.children().filter(|row| row.tag() == "tr");
        match part {
            Part::Foot => foot.push(rows.collect()),
            part => grid.add_group(rows.collect(), part),
        }
    }
    grid.add_group(loose, Part::Body);
    for rows in foot {
        grid.add_group(rows, Part::Foot);
    }
    grid.finish(caption.map(|caption| caption.trim().to_owned()).filter(|caption| !caption.is_empty()))
}

struct GridRow {
    cells: Vec<Option<u32>>,
    part: Part,
    /// Whether all cells are `<th>`, and one of them says something.
    is_heading: bool,
}

/// A cell that goes on in the rows below.
#[derive(Clone, Copy)]
struct Growing {
    rows: usize,
    text: u32,
}

#[derive(Default)]
struct Grid {
    texts: Vec<String>,
    rows: Vec<GridRow>,
    cells: usize,
    is_truncated: bool,
}

impl Grid {
    /// Adds the rows of one group; spans end with it.
    fn add_group(&mut self, rows: Vec<Element<'_>>, part: Part) {
        let mut growing: Vec<Option<Growing>> = Vec::new();
        let count = rows.len();
        for (at, row) in rows.into_iter().enumerate() {
            if self.cells >= MAX_CELLS {
                self.is_truncated = true;
                return;
            }
            self.add_row(row, part, count - at, &mut growing);
        }
    }

    /// Adds a row; `left` rows of its group, this one included, are still to come.
    fn add_row(&mut self, row: Element<'_>, part: Part, left: usize, growing: &mut Vec<Option<Growing>>) {
        let mut cells: Vec<Option<u32>> = Vec::with_capacity(growing.len());
        let (mut only_headings, mut says_something) = (true, false);
        // What comes from above takes its columns; the row's own cells fill the others.
        let take_growing = |cells: &mut Vec<Option<u32>>, growing: &mut Vec<Option<Growing>>| {
            while let Some(Some(cell)) = growing.get_mut(cells.len()) {
                cells.push(Some(cell.text));
                cell.rows -= 1;
                if cell.rows == 0
                    && let Some(slot) = growing.get_mut(cells.len() - 1)
                {
                    *slot = None;
                }
            }
        };
        for cell in row.children().filter(|cell| matches!(cell.tag(), "td" | "th")) {
            take_growing(&mut cells, growing);
            let text = cell.text().trim().to_owned();
            only_headings &= cell.tag() == "th" || text.is_empty();
            says_something |= cell.tag() == "th" && !text.is_empty();
            let id = self.texts.len() as u32;
            self.texts.push(text);
            let rows = match span(cell, "rowspan", MAX_ROWSPAN) {
                0 => left,
                rows => rows.min(left),
            };
            for _ in 0..span(cell, "colspan", MAX_COLSPAN).max(1) {
                if self.cells + cells.len() >= MAX_CELLS {
                    self.is_truncated = true;
                    break;
                }
                let column = cells.len();
                // A wide cell that meets one from above overlaps it, as in a browser; the wide one is read.
                cells.push(Some(id));
                if growing.len() <= column {
                    growing.resize(column + 1, None);
                }
                if let Some(slot) = growing.get_mut(column) {
                    let from_above = slot.map_or(0, |above| above.rows - 1);
                    *slot = match rows - 1 {
                        0 => slot.filter(|_| from_above > 0).map(|above| Growing { rows: from_above, ..above }),
                        rows => Some(Growing { rows, text: id }),
                    };
                }
            }
        }
        // Cells from above may stand behind the last own one, with gaps between.
        for column in cells.len()..growing.len() {
            let Some(slot) = growing.get_mut(column) else { break };
            cells.push(slot.map(|above| above.text));
            *slot = slot.filter(|above| above.rows > 1).map(|above| Growing { rows: above.rows - 1, ..above });
        }
        while cells.last().is_some_and(Option::is_none) {
            cells.pop();
        }
        while growing.last().is_some_and(Option::is_none) {
            growing.pop();
        }
        self.cells += cells.len().max(1);
        if !cells.is_empty() {
            self.rows.push(GridRow { cells, part, is_heading: only_headings && says_something });
        }
    }

    fn finish(mut self, caption: Option<String>) -> Table {
        let texts = &self.texts;
        let is_text = |id: &u32| texts.get(*id as usize).is_some_and(|text| !text.is_empty());
        // A head that says nothing is no header.
        self.rows.retain(|row| row.part != Part::Head || row.cells.iter().flatten().any(is_text));
        let is_header: Vec<bool> = if self.rows.iter().any(|row| row.part == Part::Head) {
            self.rows.iter().map(|row| row.part == Part::Head).collect()
        } else {
            let leading = self.rows.iter().take_while(|row| row.is_heading).count();
            // A table of headings alone has one row of them.
            let leading = if leading == self.rows.len() { leading.min(1) } else { leading };
            (0..self.rows.len()).map(|at| at < leading).collect()
        };
        let (mut header_rows, mut rows) = (Vec::new(), Vec::new());
        for (row, is_header) in std::mem::take(&mut self.rows).into_iter().zip(is_header) {
            if is_header { header_rows.push(row.cells) } else { rows.push(row.cells) }
        }
        let width = header_rows.iter().chain(&rows).map(Vec::len).max().unwrap_or(0);
        Table {
            caption,
            headers: self.headers(&header_rows, width),
            has_header: !header_rows.is_empty(),
            texts: self.texts,
            rows,
            is_truncated: self.is_truncated,
        }
    }

    /// A name for each column, each a different one.
    fn headers(&self, rows: &[Vec<Option<u32>>], width: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(width);
        let mut length = 0;
        for column in 0..width {
            let mut name = String::new();
            let mut last = None;
            for id in rows.iter().filter_map(|row| row.get(column).copied().flatten()) {
                let text = self.texts.get(id as usize).map(String::as_str).unwrap_or_default();
                // A cell over several rows says it once; so do two with the same words.
                if last != Some(text) && !text.is_empty() && length < MAX_HEADER_BYTES {
                    for word in text.split_whitespace() {
                        if !name.is_empty() {
                            name.push(' ');
                        }
                        name.push_str(word);
                    }
                    last = Some(text);
                }
            }
            if name.is_empty() {
                name = (column + 1).to_string();
            }
            length += name.len();
            names.push(name);
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut taken: HashSet<String> = names.iter().cloned().collect();
        for name in &mut names {
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            if *count == 1 {
                continue;
            }
            loop {
                let numbered = format!("{name} {count}");
                if taken.insert(numbered.clone()) {
                    *name = numbered;
                    break;
                }
                *count += 1;
            }
        }
        names
    }
}

/// One long heading over a thousand columns would be copied a thousand times; beyond that, columns get their numbers.
const MAX_HEADER_BYTES: usize = 4 << 20;

fn span(cell: Element<'_>, name: &str, max: usize) -> usize {
    let given = cell.attr(name).unwrap_or_default().trim();
    let digits = given.find(|c: char| !c.is_ascii_digit()).unwrap_or(given.len());
    match given.get(..digits).unwrap_or_default() {
        "" => 1,
        // More digits than a number holds is more than is allowed.
        digits => digits.parse().unwrap_or(max).min(max),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use crate::dom::Document;

    fn table(html: &str) -> Table {
        Document::parse(html).root_element().unwrap().table().unwrap()
    }

    fn rows(table: &Table) -> Vec<String> {
        table
            .rows()
            .map(|row| row.iter().map(|(header, text)| format!("{header}={text}")).collect::<Vec<_>>().join(","))
            .collect()
    }

    #[test]
    fn headers_of_all_kinds() {
        let head = table("<table><caption> C </caption><thead><tr><td>A<td>B<tbody><tr><td>1<td>2</table>");
        assert_eq!((head.caption(), head.has_header()), (Some("C"), true));
        assert_eq!(rows(&head), ["A=1,B=2"]);
        assert_eq!(rows(&table("<table><tr><th>A<th>B<tr><th>1<td>2</table>")), ["A=1,B=2"]);
        assert_eq!(rows(&table("<table><tr><th><th>B<tr><th>1<td>2</table>")), ["1=1,B=2"]);
        let none = table("<table><tr><td>1<td>2<tr><td>3</table>");
        assert!(!none.has_header());
        assert_eq!(rows(&none), ["1=1,2=2", "1=3"]);
        let twice = "<table><tr><th colspan=2>P<th rowspan=2>Q<tr><th>a\n b<th>P<tr><td>1<td>2<td>3</table>";
        assert_eq!(rows(&table(twice)), ["P a b=1,P=2,Q=3"]);
        let only = table("<table><tr><th>A<tr><th>B</table>");
        assert_eq!(rows(&only), ["A=B"]);
        assert_eq!(rows(&table("<table><thead><tr><th></thead><tr><th>A<th>B<tr><td>1</table>")), ["A=1"]);
    }

    #[test]
    fn equal_headers_are_numbered() {
        let same = table("<table><tr><th>A<th>A<th>A 2<th>A<th colspan=2>B<tr><td>1<td>2<td>3<td>4<td>5<td>6</table>");
        assert_eq!(same.headers(), ["A", "A 3", "A 2", "A 4", "B", "B 2"]);
        assert_eq!(same.rows().next().unwrap().get("A 4"), Some("4"));
        assert_eq!(same.rows().next().unwrap().get("C"), None);
    }

    #[test]
    fn spans_are_resolved() {
        let spans = "<table><tr><td rowspan=2>a<td colspan=2>b<td rowspan=0>c<tr><td>d<td>e<tr><td>f</table>";
        assert_eq!(rows(&table(spans)), ["1=a,2=b,3=b,4=c", "1=a,2=d,3=e,4=c", "1=f,4=c"]);
        // A span ends with its group, and a nonsensical one is one.
        let groups = "<table><tbody><tr><td rowspan=9>a<td colspan=0>b<tbody><tr><td colspan=x rowspan=-1>c</table>";
        assert_eq!(rows(&table(groups)), ["1=a,2=b", "1=c"]);
        let overlap = "<table><tr><td>a<td rowspan=3>b<tr><td colspan=2>c<tr><td>d</table>";
        assert_eq!(rows(&table(overlap)), ["1=a,2=b", "1=c,2=c", "1=d,2=b"]);
    }

    #[test]
    fn tables_in_cells_are_no_rows_and_the_foot_is_last() {
        let nested = "<table><tr><td><table><tr><td>in<tr><td>ner</table><td>2</table>";
        assert_eq!(table(nested).len(), 1);
        let foot = "<table><tfoot><tr><td>f</tfoot><tbody><tr><td>b</table>";
        assert_eq!(rows(&table(foot)), ["1=b", "1=f"]);
        assert!(Document::parse("<p>none").root_element().unwrap().table().is_none());
        assert!(table("<table></table>").is_empty());
    }

    #[test]
    fn spans_cannot_multiply() {
        let wide = "<td rowspan=65534 colspan=1000>x".repeat(100);
        let tall = "<tr><td>y".repeat(70_000);
        let begin = Instant::now();
        let table = table(&format!("<table><tr>{wide}{tall}</table>"));
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        assert!(table.is_truncated());
        assert!(table.rows().map(|row| row.cells.len()).sum::<usize>() <= 2 * MAX_CELLS);
        let long = format!("<table><tr><th colspan=1000>{}", "x".repeat(1_000_000));
        assert!(Document::parse(&long).root_element().unwrap().table().unwrap().headers().len() == 1000);
    }

    proptest! {
        #[test]
        fn any_table_has_different_headers_and_no_row_is_wider(
            html in "(<(tr|td|th|thead|tbody|tfoot|table|/table|caption)( (rowspan|colspan)=[0-9]{1,2})*>|a|b| ){0,60}"
        ) {
            let document = Document::parse(&format!("<table>{html}"));
            for element in document.elements() {
                let Some(table) = element.table() else { continue };
                let names: HashSet<_> = table.headers().iter().collect();
                prop_assert_eq!(names.len(), table.headers().len());
                for row in table.rows() {
                    prop_assert!(row.cells.len() <= table.headers().len());
                    prop_assert!(row.iter().count() > 0);
                }
            }
        }
    }
}
