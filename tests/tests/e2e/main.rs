//! End to end: the real transport against real servers on loopback.

mod cli;
mod shop;
mod transport;
