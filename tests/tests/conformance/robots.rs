//! robots.txt: what it allows, and the delay that it asks for.

use crawlingo::crawl::Robots;

use crate::harness::{Outcome, run};

#[test]
fn robots() {
    run("robots", |case| {
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        let robots = || Robots::parse(text("user_agent"), text("robots_txt").as_bytes());
        match text("kind") {
            "allowed" => Outcome::equal(robots().allows(text("url")), case["expected"].as_bool().unwrap_or_default()),
            "crawl_delay" => {
                let wanted = case["expected"].as_f64().filter(|delay| *delay > 0.0);
                Outcome::equal(robots().crawl_delay().map(|delay| delay.as_secs_f64()), wanted)
            }
            other => Outcome::Fail(format!("there is no such kind as {other}")),
        }
    });
}
