//! The derive macro, through the engine: what it makes of types and attributes.

mod same;
mod shapes;
mod types;
