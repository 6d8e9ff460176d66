//! What look-ups and updates of measured trees cost at the prices of 2010 (figure 6), and prices as reports have them.
//!
//! Source: Crosby & Wallach 2010, sections 5.3 and 6.3.

use comparison::{PriceBook, Prices, line::CostLine};

use crate::{line, line::Line};

/// Prices in cents, as on command lines and in reports; gigabytes are decimal.
pub fn prices(cpu_cents_per_hour: f64, cents_per_gigabyte: f64) -> Prices {
    Prices::new(cpu_cents_per_hour / 100.0, cents_per_gigabyte / 100.0)
}

/// The paper's prices, with decimal gigabytes.
pub fn of_2010() -> Prices {
    let paper = PriceBook::paper();
    Prices::new(paper.compute_per_core_hour, paper.egress_per_gigabyte)
}

/// Prices as figures.
pub fn line_of(prices: &Prices) -> Line {
    line! {
        cpu_cents_per_hour: 100.0 * prices.compute_per_core_hour,
        cents_per_gigabyte: 100.0 * prices.egress_per_gigabyte,
    }
}

/// The prices that [`line_of`] has noted.
pub fn prices_of(line: &Line) -> Prices {
    prices(
        line.figure("cpu_cents_per_hour"),
        line.figure("cents_per_gigabyte"),
    )
}

/// Dollars in 2010 for one look-up in a random version, with its share of the updates: there are
/// `lookups_per_update` look-ups for each update. Verifying is the client's own expense.
pub fn per_lookup(line: &Line, lookups_per_update: f64) -> f64 {
    let prices = of_2010();
    let cost = |us, bytes| prices.of_computing(us) + prices.of_sending(bytes);
    let reply = line.figure("proof_bytes") + line.figure("head_bytes");
    let update_us = line.figure("insert_snapshot_us") + line.figure("apply_us");
    let costs = CostLine {
        fixed: cost(update_us, line.figure("update_bytes")),
        each: cost(line.figure("prove_us_random_version"), reply),
    };
    costs.per_time(lookups_per_update)
}
