//! End to end: the real transport against real servers on loopback.

mod cli;
mod crawl;
mod heal;
mod real_pages;
mod shop;
mod spider;
mod transport;
