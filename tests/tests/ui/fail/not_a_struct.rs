use crawlingo::Dataset;

#[derive(Dataset)]
struct Tuple(String);

#[derive(Dataset)]
struct Unit;

#[derive(Dataset)]
enum Choice {
    One,
}

#[derive(Dataset)]
union Both {
    one: u8,
    two: u8,
}

#[derive(Dataset)]
struct Empty {}

fn main() {}
