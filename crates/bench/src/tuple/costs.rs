//! Figures 7 and 8: what a look-up costs with its share of the updates, and which design is the
//! cheapest where.
//!
//! A design costs `lookup + update / r` for each of `r` look-ups per update, a line in `1 / r`; so the
//! points where another design becomes the cheapest are computed, not searched.

use super::record::{
    CheapestRecord, CostsRecord, GrowingRecord, MacrobenchmarkRecord, SteadyRecord,
};
use crate::costs::Prices;

/// From one look-up per update to hardly any update: the horizontal axis.
const RANGE: (f64, f64) = (1.0, 1e7);

/// What is needed of one design, in microseconds and bytes.
struct Expense<'a> {
    design: &'a str,
    keys: u64,
    lookup: (f64, f64),
    update: (f64, f64),
}

impl Expense<'_> {
    fn record(&self, figure: &str, prices: Prices) -> CostsRecord {
        let microdollars = |(us, bytes)| 1e6 * (prices.of_computing(us) + prices.of_sending(bytes));
        let (lookup, update) = (microdollars(self.lookup), microdollars(self.update));
        let ratios = (0..=28).map(|step| 10_f64.powf(f64::from(step) / 4.0));
        CostsRecord {
            figure: figure.to_owned(),
            design: self.design.to_owned(),
            keys: self.keys,
            lookup_microdollars: lookup,
            update_microdollars: update,
            points: ratios
                .map(|ratio| (ratio, lookup + update / ratio))
                .collect(),
            prices,
        }
    }
}

/// Figure 7, over the growing run as in the paper. Designs that were stopped early are left out.
pub fn of_growing(records: &[GrowingRecord], prices: Prices) -> Vec<CostsRecord> {
    let finished = records
        .iter()
        .filter(|record| record.inserted == record.keys);
    let cost = |record: &GrowingRecord| {
        let expense = Expense {
            design: &record.design,
            keys: record.keys,
            lookup: (record.lookups.prove_us, record.lookups.proof_bytes),
            update: (
                record.author_us + record.apply_us,
                record.update_overall_bytes,
            ),
        };
        expense.record("figure7", prices)
    };
    finished.map(cost).collect()
}

/// Figure 7 with so many keys all the time: what every design reaches.
pub fn of_steady(records: &[SteadyRecord], keys: u64, prices: Prices) -> Vec<CostsRecord> {
    let cost = |record: &SteadyRecord| {
        let update_us = record.author_us + record.later_chains_us + record.apply_us;
        let expense = Expense {
            design: &record.design,
            keys,
            lookup: (record.prove_us, record.proof_bytes),
            update: (update_us, record.update_bytes),
        };
        expense.record("figure7-steady", prices)
    };
    let of_size = records.iter().filter(|record| record.keys == keys);
    of_size.map(cost).collect()
}

/// Figure 8, of one trace. Designs that did not reach its end are left out.
pub fn of_macrobenchmark(records: &[MacrobenchmarkRecord], prices: Prices) -> Vec<CostsRecord> {
    let finished = records
        .iter()
        .filter(|record| record.processed == record.snapshots);
    let cost = |record: &MacrobenchmarkRecord| {
        let seconds = record.author_seconds + record.server_seconds;
        let design = match record.epochs.as_str() {
            "none" => record.design.clone(),
            epochs => format!("{}, {epochs}", record.design),
        };
        let expense = Expense {
            design: &design,
            keys: record.keys,
            lookup: (record.lookups.prove_us, record.lookups.proof_bytes),
            update: (seconds * 1e6 / record.processed as f64, record.update_bytes),
        };
        expense.record(&format!("figure8-{}", record.trace), prices)
    };
    finished.map(cost).collect()
}

/// Which of the designs of one figure is the cheapest where, in ascending order.
pub fn cheapest(designs: &[CostsRecord]) -> Vec<CheapestRecord> {
    let cost = |record: &CostsRecord, ratio: f64| {
        record.lookup_microdollars + record.update_microdollars / ratio
    };
    let mut ranges: Vec<CheapestRecord> = Vec::new();
    let mut from = RANGE.0;
    let mut current = designs
        .iter()
        .min_by(|a, b| cost(a, from).total_cmp(&cost(b, from)));
    while let Some(cheapest) = current {
        // Only a design with cheaper look-ups overtakes; the first to do so is next.
        let next = designs
            .iter()
            .filter(|other| other.lookup_microdollars < cheapest.lookup_microdollars)
            .map(|other| {
                let update = other.update_microdollars - cheapest.update_microdollars;
                let lookup = cheapest.lookup_microdollars - other.lookup_microdollars;
                ((update / lookup).max(from), other)
            })
            .filter(|(at, _)| *at < RANGE.1)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let to = next.map_or(RANGE.1, |(at, _)| at);
        ranges.push(CheapestRecord {
            figure: cheapest.figure.clone(),
            design: cheapest.design.clone(),
            from_lookups_per_update: from,
            to_lookups_per_update: to,
            microdollars_at_start: cost(cheapest, from),
            prices: cheapest.prices,
        });
        from = to;
        current = next.map(|(_, other)| other);
    }
    ranges
}

#[cfg(test)]
#[allow(clippy::cast_sign_loss, reason = "counts are not negative")]
mod tests {
    use super::*;

    fn design(name: &str, lookup: f64, update: f64) -> CostsRecord {
        CostsRecord {
            figure: "figure7".to_owned(),
            design: name.to_owned(),
            keys: 1,
            lookup_microdollars: lookup,
            update_microdollars: update,
            points: Vec::new(),
            prices: Prices::PAPER,
        }
    }

    #[test]
    fn the_cheapest_change_where_the_costs_cross() {
        let designs = [
            design("never", 6.0, 2_000.0),
            design("many", 1.0, 10_000.0),
            design("few", 5.0, 10.0),
            design("some", 2.0, 610.0),
        ];
        let ranges = cheapest(&designs);
        let shown: Vec<_> = ranges
            .iter()
            .map(|range| {
                (
                    range.design.as_str(),
                    range.from_lookups_per_update.round() as u64,
                )
            })
            .collect();
        assert_eq!(shown, [("few", 1), ("some", 200), ("many", 9390)]);
        assert!((ranges[2].to_lookups_per_update - RANGE.1).abs() < 1.0);
        assert!(cheapest(&[]).is_empty());
    }
}
