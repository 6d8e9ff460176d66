//! What look-ups and updates cost, at the prices of 2010 (figure 6) or at others.
//!
//! Source: Crosby & Wallach 2010, sections 5.3 and 6.3.

use serde::{Deserialize, Serialize};

use crate::{
    line::Line,
    paper::{DOLLARS_PER_GIGABYTE, DOLLARS_PER_HOUR},
};

/// What a provider charges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// Cents for an hour of computing.
    pub cpu_cents_per_hour: f64,
    /// Cents for a gigabyte sent.
    pub cents_per_gigabyte: f64,
}

impl Prices {
    /// Those of 2010.
    pub const PAPER: Self = Self {
        cpu_cents_per_hour: 100.0 * DOLLARS_PER_HOUR,
        cents_per_gigabyte: 100.0 * DOLLARS_PER_GIGABYTE,
    };

    /// Dollars for computing this long.
    pub fn of_computing(&self, us: f64) -> f64 {
        us / 1e6 / 3600.0 * self.cpu_cents_per_hour / 100.0
    }

    /// Dollars for sending this much.
    pub fn of_sending(&self, bytes: f64) -> f64 {
        bytes / 1e9 * self.cents_per_gigabyte / 100.0
    }

    /// The kilobytes per second of computing at which computing and sending cost the same.
    pub fn equilibrium(&self) -> f64 {
        self.of_computing(1e6) / self.of_sending(1e3)
    }
}

/// Prices, and a factor on the time of cryptography.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// For example `bandwidth 10 times cheaper`.
    pub name: String,
    /// What a provider charges.
    pub prices: Prices,
    /// What is left of the time that hashes and signatures, or all cryptography, take.
    pub cryptography: f64,
}

/// The what-ifs of section 10: the prices of 2010, and each of bandwidth, computing and cryptography so many times
/// cheaper.
pub fn scenarios(cheaper: f64) -> [Scenario; 4] {
    let named = |what: &str| Scenario {
        name: format!("{what} {cheaper} times cheaper"),
        ..Scenario::of_2010()
    };
    let mut changed = [
        Scenario::of_2010(),
        named("bandwidth"),
        named("computing"),
        named("cryptography"),
    ];
    changed[1].prices.cents_per_gigabyte /= cheaper;
    changed[2].prices.cpu_cents_per_hour /= cheaper;
    changed[3].cryptography /= cheaper;
    changed
}

impl Scenario {
    /// Nothing is cheaper.
    pub fn of_2010() -> Self {
        Self {
            name: "prices of 2010".to_owned(),
            prices: Prices::PAPER,
            cryptography: 1.0,
        }
    }

    /// As [`per_lookup`], in this scenario. The cryptography of an update is its limit: bare hashes and signatures.
    pub fn per_lookup(&self, line: &Line, lookups_per_update: f64) -> f64 {
        let saved = |limit: &str| line.number(limit).unwrap_or(0.0) * (1.0 - self.cryptography);
        let author_us = line.figure("insert_snapshot_us") - saved("author_limit_us");
        let update_us = author_us + line.figure("apply_us") - saved("apply_limit_us");
        let (prices, prove_us) = (self.prices, line.figure("prove_us_random_version"));
        let cost = |us, bytes| prices.of_computing(us) + prices.of_sending(bytes);
        let reply = line.figure("proof_bytes") + line.figure("head_bytes");
        let update = cost(update_us, line.figure("update_bytes"));
        cost(prove_us, reply) + update / lookups_per_update
    }
}

/// Dollars in 2010 for one look-up in a random version, with its share of the updates: there are
/// `lookups_per_update` look-ups for each update. Verifying is the client's own expense.
pub fn per_lookup(line: &Line, lookups_per_update: f64) -> f64 {
    Scenario::of_2010().per_lookup(line, lookups_per_update)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::EQUILIBRIUM_KILOBYTES_PER_SECOND;

    #[test]
    fn prices_give_the_papers_equilibrium() {
        let equilibrium = Prices::PAPER.equilibrium();
        assert!(
            (equilibrium - EQUILIBRIUM_KILOBYTES_PER_SECOND).abs() < 10.0,
            "{equilibrium}"
        );
    }
}
