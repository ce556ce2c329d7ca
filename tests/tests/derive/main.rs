//! The derive macro, through the engine: what it makes of types and attributes.

mod edges;
mod same;
mod shapes;
mod types;
