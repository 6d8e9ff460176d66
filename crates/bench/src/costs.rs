//! Dollar costs of lookups and updates of measured trees at the prices of 2010 (figure 6), and
//! conversion of prices for reports.
//!
//! Source: Crosby & Wallach 2010, sections 5.3 and 6.3.

use comparison::{PriceBook, Prices, line::CostLine};

use crate::{line, prelude::*};

/// Returns the paper's prices. A gigabyte is 10^9 bytes.
pub fn of_2010() -> Prices {
    let paper = PriceBook::paper();
    Prices::new(paper.compute_per_core_hour, paper.egress_per_gigabyte)
}

/// Converts prices to figures in a result line, in cents.
pub fn line_of(prices: &Prices) -> Line {
    line! {
        cpu_cents_per_hour: 100.0 * prices.compute_per_core_hour,
        cents_per_gigabyte: 100.0 * prices.egress_per_gigabyte,
    }
}

/// Reads the prices that [`line_of`] wrote into a result line.
pub fn prices_of(line: &Line) -> Prices {
    Prices::new(
        line.figure("cpu_cents_per_hour") / 100.0,
        line.figure("cents_per_gigabyte") / 100.0,
    )
}

/// Scenario of section 10: prices, and a factor on the time that cryptography takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name, for example `bandwidth 10 times cheaper`.
    pub name: String,
    /// Prices of computing and of sending.
    pub prices: Prices,
    /// Factor on the time of cryptography: 0.1 if it is ten times cheaper, 1 if unchanged.
    pub cryptography: f64,
}

/// Returns the scenarios of section 10: the prices of 2010, then one scenario each with bandwidth,
/// computing or cryptography ten times cheaper.
pub fn scenarios() -> [Scenario; 4] {
    let cheaper = |what: &str, prices, cryptography| Scenario {
        name: format!("{what} 10 times cheaper"),
        prices,
        cryptography,
    };
    [
        Scenario::of_2010(),
        cheaper("bandwidth", of_2010().cheaper(1.0, 10.0), 1.0),
        cheaper("computing", of_2010().cheaper(10.0, 1.0), 1.0),
        cheaper("cryptography", of_2010(), 0.1),
    ]
}

impl Scenario {
    /// Returns the scenario with the prices of 2010, where nothing is cheaper.
    pub fn of_2010() -> Self {
        Self {
            name: "prices of 2010".to_owned(),
            prices: of_2010(),
            cryptography: 1.0,
        }
    }

    /// Like [`per_lookup`], but in this scenario. Takes the lower bounds of the author's and the
    /// server's time as the cryptography of an update.
    pub fn per_lookup(&self, line: &Line, lookups_per_update: f64) -> f64 {
        let saved = |limit: &str| line.number(limit).unwrap_or(0.0) * (1.0 - self.cryptography);
        let author_us = line.figure("insert_snapshot_us") - saved("author_limit_us");
        let update_us = author_us + line.figure("apply_us") - saved("apply_limit_us");
        let (prices, prove_us) = (self.prices, line.figure("prove_us_random_version"));
        let cost = |us, bytes| prices.of_computing(us) + prices.of_sending(bytes);
        let reply = line.figure("proof_bytes") + line.figure("head_bytes");
        let costs = CostLine {
            fixed: cost(update_us, line.figure("update_bytes")),
            each: cost(prove_us, reply),
        };
        costs.per_time(lookups_per_update)
    }
}

/// Returns the cost of one lookup in a random version, with its share of an update, in dollars of
/// 2010.
///
/// There are `lookups_per_update` lookups for each update. Does not include the client's time.
pub fn per_lookup(line: &Line, lookups_per_update: f64) -> f64 {
    Scenario::of_2010().per_lookup(line, lookups_per_update)
}
