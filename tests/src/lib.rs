//! What the tests share: the demo shop, a real HTTP server with ground truth.

pub mod shop;
