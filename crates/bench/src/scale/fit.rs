//! How figures go on beyond what was measured.

use crate::prelude::*;

/// The levels of a tree of so many keys, if it were perfect.
pub fn levels(keys: f64) -> f64 {
    keys.log2()
}

/// The inner nodes that so many changes of random keys change in a perfect tree: on each level all but those under which no key changes.
/// One change changes as many as there are levels.
pub fn changed_nodes(keys: f64, changes: f64) -> f64 {
    let changed = |nodes: f64| nodes * -(changes * (-1.0 / nodes).ln_1p()).exp_m1();
    let (mut sum, mut nodes) = (1.0, 2.0);
    while nodes * 2.0 <= keys {
        sum += changed(nodes);
        nodes *= 2.0;
    }
    // The last level is full as far as the keys go.
    sum + changed(keys / 2.0) * (levels(keys) - nodes.log2())
}

/// A straight line over the levels of a tree.
pub(super) struct Fit {
    pub(super) constant: f64,
    pub(super) slope: f64,
    /// The largest share by which it misses a point.
    pub(super) worst: f64,
}

impl Fit {
    /// The line with the least squares of what it misses.
    pub(super) fn over_levels(points: &[(f64, f64)]) -> Outcome<Self> {
        ensure(points.len() >= 2, "bench: a line needs two points")?;
        let count = points.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (across, up) = (mean(&|point| levels(point.0)), mean(&|point| point.1));
        let products = mean(&|point| (levels(point.0) - across) * (point.1 - up));
        let slope = products / mean(&|point| (levels(point.0) - across).powi(2));
        let mut fit = Self {
            constant: up - slope * across,
            slope,
            worst: 0.0,
        };
        let misses = points
            .iter()
            .map(|(keys, figure)| (fit.at(*keys) / figure - 1.0).abs());
        fit.worst = misses.fold(0.0, f64::max);
        Ok(fit)
    }

    /// The line through the last two points.
    pub(super) fn through_last(points: &[(f64, f64)]) -> Outcome<Self> {
        Self::over_levels(&points[points.len().saturating_sub(2)..])
    }

    pub(super) fn at(&self, keys: f64) -> f64 {
        self.constant + self.slope * levels(keys)
    }
}

/// What a power of the keys through the last two points comes to.
pub(super) fn power(points: &[(f64, f64)], keys: f64) -> Outcome<f64> {
    let logarithms: Vec<_> = points
        .iter()
        .map(|(keys, figure)| (*keys, figure.ln()))
        .collect();
    Ok(Fit::through_last(&logarithms)?.at(keys).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn one_change_changes_a_path_and_all_changes_everything() {
        near(changed_nodes(1e6, 1.0), levels(1e6));
        near(changed_nodes(1024.0, 1.0), 10.0);
        // 1023 inner nodes; all but few of the lowest level's are above some of so many changes.
        let all = changed_nodes(1024.0, 1e6);
        assert!((1022.9..=1023.0).contains(&all), "{all}");
    }

    /// Counted one by one: the parents of random leaves, level by level.
    #[test]
    fn batches_share_the_nodes_that_are_counted() {
        let (mut random, changes) = (Random::new(1), 3000);
        let mut nodes: Vec<u64> = (0..changes).map(|_| random.below(1 << 16)).collect();
        let mut counted = 0;
        for _ in 0..16 {
            nodes = nodes.iter().map(|node| node / 2).collect();
            nodes.sort_unstable();
            nodes.dedup();
            counted += nodes.len();
        }
        let computed = changed_nodes(65_536.0, f64::from(changes));
        assert!(
            (computed / counted as f64 - 1.0).abs() < 0.01,
            "{computed} is not {counted}"
        );
    }

    #[test]
    fn lines_and_powers_go_through_what_they_are_made_of() {
        let points = [(1e4, 2.0), (1e6, 8.0), (1e7, 16.0)];
        let line = Fit::through_last(&points).unwrap();
        near(line.at(1e6), 8.0);
        near(line.at(1e9), 32.0);
        near(power(&points, 1e9).unwrap(), 64.0);
        let fit = Fit::over_levels(&points[1..]).unwrap();
        assert!(fit.worst < 1e-9);
        assert!(Fit::over_levels(&points[..1]).is_err());
    }
}
