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

/// Dollars in 2010 for one look-up in a random version, with its share of the updates: there are
/// `lookups_per_update` look-ups for each update. Verifying is the client's own expense.
pub fn per_lookup(line: &Line, lookups_per_update: f64) -> f64 {
    let prices = Prices::PAPER;
    let cost = |us, bytes| prices.of_computing(us) + prices.of_sending(bytes);
    let reply = line.figure("proof_bytes") + line.figure("head_bytes");
    let update_us = line.figure("insert_snapshot_us") + line.figure("apply_us");
    let update = cost(update_us, line.figure("update_bytes"));
    cost(line.figure("prove_us_random_version"), reply) + update / lookups_per_update
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
