//! The derive macro, through the engine: what it makes of types and attributes.

mod edges;
mod every_key;
mod same;
mod shapes;
mod types;
