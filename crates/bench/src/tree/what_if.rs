//! Costs of red-black trees at other prices: whether a repository that computes more and stores
//! less is worth it.
//!
//! Source: Crosby & Wallach 2010, section 10.

use super::table::LOOKUPS_PER_UPDATE;
use crate::{costs::scenarios, line, line::like, prelude::*};

/// Reports the costs of the repositories `cache-everywhere` and `cache-median` in each scenario of
/// section 10. Uses the result lines of growing trees in `report` so far.
pub fn run(report: &mut Report) -> Outcome<()> {
    let lines = report.lines().to_vec();
    let lines = of(&lines, "growing");
    for group in groups(&lines, &["suite", "keys"]) {
        let of_repository =
            |repository: &str| like(&group, &line! { scheme: "red-black", repository });
        let everywhere = of_repository("cache-everywhere");
        let Some((everywhere, median)) = everywhere.zip(of_repository("cache-median")) else {
            continue;
        };
        for scenario in scenarios() {
            for ratio in LOOKUPS_PER_UPDATE {
                let [everywhere, median] =
                    [everywhere, median].map(|line| scenario.per_lookup(line, ratio) * 1e6);
                let line = line! {
                    experiment: "growing_what_if", scenario: &scenario.name,
                    suite: group[0].text("suite"), keys: group[0].count("keys"),
                    lookups_per_update: ratio,
                };
                let line = line
                    .and("cache_everywhere_microdollars", everywhere)
                    .and("cache_median_microdollars", median)
                    .and("median_to_everywhere", median / everywhere);
                report.line(line.merged(&crate::costs::line_of(&scenario.prices)))?;
            }
        }
    }
    Ok(())
}
