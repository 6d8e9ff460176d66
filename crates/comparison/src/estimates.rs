//! Estimates for any number of keys and changes, from measurements of a few numbers. Marks name the
//! caveats of an estimate.
//!
//! - **Changes**: with the number `k` of changes in a snapshot, every figure grows as `a + b k`
//!   between neighbouring measured points.
//! - **Keys**: with the number `n` of keys, every figure grows as a power of `n` between
//!   neighbouring sizes. Beyond the last size it continues the growth between the last two sizes,
//!   and does not fall.
//! - **Both**: the cost of the fewest changes grows with one power of `n`, the cost of further
//!   changes with another. If further changes reduce a figure, one power is used for both.
//! - **Lengths**: longer keys and values add their bytes to messages and memory. Author, server and
//!   client each hash these bytes once more. If the speed of hashing is unknown, this time is left
//!   out and a mark reports it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    cost::count,
    measurement::{Measurement, Shape},
    records::Records,
};

/// Estimated figures for a load that was not measured, with caveats about the estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Estimated figures of the scheme.
    pub figures: Measurement,
    /// Caveats; empty if the estimate lies between complete measurements.
    pub marks: Vec<Mark>,
}

/// Caveat about an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mark {
    /// A number in the load is outside the measured range.
    #[error("extrapolated: measured with {}", range(*.measured, *.of))]
    Beyond {
        /// Kind of number that is outside the range.
        of: Axis,
        /// Smallest and largest number that was measured.
        measured: (u64, u64),
    },
    /// A measurement behind the estimate ended within a cycle of snapshots: see
    /// [`Measurement::whole_cycles`].
    #[error(
        "measured in part: {snapshots} snapshots of {changes} changes to {keys} keys, not whole \
         epochs or hash chains, so that what comes at their ends is left out"
    )]
    PartOfACycle {
        /// Number of keys in that measurement.
        keys: u64,
        /// Number of changes in each snapshot of that measurement.
        changes: u64,
        /// Number of snapshots that were measured.
        snapshots: u64,
    },
    /// The scheme was measured in memory, without the work of the store of the command line.
    #[error("measured in memory, without the work of a store")]
    InMemory,
    /// Keys and values are longer than the measured ones. The estimated times do not include
    /// hashing of the additional bytes.
    #[error(
        "time for the length of keys and values is not in it: measured with {key_bytes} and \
         {value_bytes} bytes"
    )]
    Longer {
        /// Bytes of each measured key.
        key_bytes: u64,
        /// Bytes of each measured value.
        value_bytes: u64,
    },
}

/// Number in a load for which estimates interpolate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Number of keys in the dictionary.
    #[error("keys")]
    Keys,
    /// Number of changes in each snapshot.
    #[error("changes in a snapshot")]
    Changes,
}

fn range((first, last): (u64, u64), of: Axis) -> String {
    if first == last {
        format!("{first} {of} only")
    } else {
        format!("{first} to {last} {of}")
    }
}

/// Measurements of one scheme, all with the same workload and the same lengths of keys and values.
#[derive(Clone, Debug)]
pub struct Coefficients<'a> {
    first: &'a Measurement,
    /// One measurement for each measured pair of keys and changes, in ascending order. If a pair
    /// was measured several times, this is the last measurement.
    points: Vec<&'a Measurement>,
    hash_ns_per_byte: Option<f64>,
}

/// Function that returns one figure of a measurement, so that all figures share the interpolation.
type Figure = fn(&Measurement) -> Option<f64>;

impl<'a> Coefficients<'a> {
    /// Selects the measurements of `scheme`; `None` if there are none. If there are several
    /// workloads, or lengths of keys and values, uses those with the most measurements.
    pub fn of(scheme: &str, records: &'a Records) -> Option<Self> {
        type Alike<'a> = (&'a str, u64, u64);
        fn alike(shape: &Shape) -> Alike<'_> {
            (&shape.workload, shape.key_bytes, shape.value_bytes)
        }
        let of_scheme = || {
            let of_scheme = records
                .measured
                .iter()
                .filter(|point| point.scheme == scheme);
            of_scheme.filter(|point| point.snapshots > 0)
        };
        let mut counts: BTreeMap<Alike<'a>, usize> = BTreeMap::new();
        for point in of_scheme() {
            *counts.entry(alike(&point.shape)).or_default() += 1;
        }
        let number = |point: &&'a Measurement| counts.get(&alike(&point.shape)).copied();
        let most = of_scheme().max_by_key(number)?;
        let points = of_scheme().filter(|point| alike(&point.shape) == alike(&most.shape));
        let points = points.map(|point| ((point.shape.keys, point.shape.changes), point));
        let points: BTreeMap<_, _> = points.collect();
        Some(Self {
            first: most,
            points: points.into_values().collect(),
            hash_ns_per_byte: records.hash_ns_per_byte,
        })
    }

    /// Estimates the figures for `keys` keys, `changes` changes in a snapshot, and keys and values
    /// of the given lengths.
    pub fn estimate(&self, keys: u64, changes: u64, key_bytes: u64, value_bytes: u64) -> Estimate {
        let first = self.first;
        let figure = |figure: Figure| estimated(&self.rows(figure), count(keys), count(changes));
        let entry = count(key_bytes) + count(value_bytes)
            - count(first.shape.key_bytes)
            - count(first.shape.value_bytes);
        let longer = |bytes: f64, entries: f64| (bytes + entries * entry).max(1.0);
        let bytes = |of: Figure, entries: f64| figure(of).map(|measured| longer(measured, entries));
        let further = key_bytes.saturating_sub(first.shape.key_bytes)
            + value_bytes.saturating_sub(first.shape.value_bytes);
        let hash_us = count(further) * self.hash_ns_per_byte.unwrap_or(0.0) / 1e3;
        let changed = count(changes);
        let always = |of: Figure| figure(of).unwrap_or(f64::NAN);
        let author_us = always(|point| Some(point.author_us));
        let apply_us = always(|point| Some(point.apply_us));
        let verify_us = figure(|point| point.verify_us);
        // Estimated separately, a part could exceed the whole.
        let part = |share: Option<f64>, of: f64| share.map(|share| share.clamp(0.0, 1.0) * of);
        let author_share = figure(|point| Some(point.author_cryptography_us? / point.author_us));
        let apply_share = figure(|point| Some(point.apply_cryptography_us? / point.apply_us));
        let verify_share = figure(|point| Some(point.verify_cryptography_us? / point.verify_us?));
        let figures = Measurement {
            shape: Shape {
                keys,
                changes,
                key_bytes,
                value_bytes,
                ..first.shape.clone()
            },
            load_us_per_key: figure(|point| point.load_us_per_key).map(|us| us + 2.0 * hash_us),
            author_us: author_us + changed * hash_us,
            apply_us: apply_us + changed * hash_us,
            update_bytes: longer(always(|point| Some(point.update_bytes)), changed),
            prove_us: figure(|point| point.prove_us),
            prove_old_us: figure(|point| point.prove_old_us),
            verify_us: verify_us.map(|us| us + hash_us),
            proof_bytes: bytes(|point| point.proof_bytes, 1.0),
            absent_proof_bytes: bytes(|point| point.absent_proof_bytes, 1.0),
            memory_bytes_per_key: bytes(|point| point.memory_bytes_per_key, 1.0),
            memory_bytes_per_snapshot: bytes(|point| point.memory_bytes_per_snapshot, changed),
            file_bytes_per_key: bytes(|point| point.file_bytes_per_key, 1.0),
            file_bytes_per_snapshot: bytes(|point| point.file_bytes_per_snapshot, changed),
            author_wait_us: figure(|point| point.author_wait_us),
            apply_wait_us: figure(|point| point.apply_wait_us),
            author_cryptography_us: part(author_share, author_us),
            apply_cryptography_us: part(apply_share, apply_us),
            verify_cryptography_us: verify_us.and_then(|us| part(verify_share, us)),
            ..first.clone()
        };
        let mut marks = self.marks(keys, changes);
        if further >= BLOCK && self.hash_ns_per_byte.is_none() {
            marks.push(Mark::Longer {
                key_bytes: first.shape.key_bytes,
                value_bytes: first.shape.value_bytes,
            });
        }
        Estimate { figures, marks }
    }

    /// Returns the only measured number of keys, if it is more than twice or less than half of
    /// `keys`.
    ///
    /// `None` if several numbers were measured. From a single number, the growth with keys is
    /// unknown.
    pub fn too_far(&self, keys: u64) -> Option<u64> {
        let only = self.first.shape.keys;
        let is_alone = self.points.iter().all(|point| point.shape.keys == only);
        let is_near =
            keys <= only.saturating_mul(ONE_SIZE) && only <= keys.saturating_mul(ONE_SIZE);
        (is_alone && !is_near).then_some(only)
    }

    /// Returns the caveats about an estimate for `keys` keys and `changes` changes.
    fn marks(&self, keys: u64, changes: u64) -> Vec<Mark> {
        let beyond = [
            self.beyond(Axis::Keys, keys, |shape| shape.keys),
            self.beyond(Axis::Changes, changes, |shape| shape.changes),
        ];
        let used = self.used(count(keys), count(changes));
        let is_part = |point: &&&Measurement| {
            let shape = &point.shape;
            !point.whole_cycles && used.contains(&(count(shape.keys), count(shape.changes)))
        };
        let parts = self.points.iter().filter(is_part);
        let parts = parts.map(|point| Mark::PartOfACycle {
            keys: point.shape.keys,
            changes: point.shape.changes,
            snapshots: point.snapshots,
        });
        beyond.into_iter().flatten().chain(parts).collect()
    }

    fn beyond(&self, of: Axis, wanted: u64, number: fn(&Shape) -> u64) -> Option<Mark> {
        let numbers = || self.points.iter().map(|point| number(&point.shape));
        let measured = (numbers().min()?, numbers().max()?);
        let is_beyond = wanted < measured.0 || wanted > measured.1;
        is_beyond.then_some(Mark::Beyond { of, measured })
    }

    /// Lists the measurements that the estimate of the author's time uses, as pairs of keys and
    /// changes.
    fn used(&self, keys: f64, changes: f64) -> Vec<(f64, f64)> {
        let rows = self.rows(|point| Some(point.author_us));
        let sizes: Vec<_> = rows.iter().map(|row| (row.keys, 0.0)).collect();
        let used = bracketing(&sizes, keys);
        let is_used = |row: &&Row| {
            used.iter()
                .any(|(size, _)| size.total_cmp(&row.keys).is_eq())
        };
        let of_row = |row: &Row| {
            let mut of_row = row.used(row.model(&rows, changes), changes);
            // Between or beyond the measured sizes, the figure for the fewest changes is estimated
            // separately.
            if used.len() > 1 {
                let fewest = changes.min(least(&rows));
                of_row.extend(row.used(row.model(&rows, fewest), fewest));
            }
            of_row
        };
        rows.iter().filter(is_used).flat_map(of_row).collect()
    }

    /// Groups the measurements that have this figure by number of keys.
    fn rows(&self, figure: Figure) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for point in &self.points {
            let (keys, changes) = (count(point.shape.keys), count(point.shape.changes));
            let Some(value) = figure(point) else { continue };
            match rows.last_mut() {
                Some(row) if row.keys.total_cmp(&keys).is_eq() => row.points.push((changes, value)),
                _ => rows.push(Row {
                    keys,
                    points: vec![(changes, value)],
                }),
            }
        }
        rows
    }
}

/// Largest ratio, in either direction, between the load's number of keys and the measured one, if
/// only one number of keys was measured.
const ONE_SIZE: u64 = 2;
/// Block size of SHA-256, in bytes. Hashing fewer additional bytes is negligible in a snapshot.
const BLOCK: u64 = 64;

/// Values of one figure at one number of keys, for ascending numbers of changes; at least one.
struct Row {
    keys: f64,
    points: Vec<(f64, f64)>,
}

impl Row {
    /// Returns the smallest measured number of changes.
    fn least(&self) -> f64 {
        self.points[0].0
    }

    /// Returns the row that shows how the figure grows with the number of changes. This is `self`
    /// if it qualifies, otherwise the nearest row that does, by ratio of the numbers of keys.
    ///
    /// A row qualifies if it has several points, and its first point has at most `changes` changes,
    /// or the fewest of all rows.
    fn model<'r>(&self, rows: &'r [Self], changes: f64) -> Option<&'r Self> {
        let least = changes.max(least(rows));
        let covers = |row: &&Self| row.points.len() > 1 && row.least() <= least;
        let distance = |row: &Self| (row.keys / self.keys).ln().abs();
        let by_distance = |one: &&Self, other: &&Self| distance(one).total_cmp(&distance(other));
        rows.iter().filter(covers).min_by(by_distance)
    }

    /// Lists the measurements, as pairs of keys and changes, that [`Self::estimate`] uses.
    fn used(&self, model: Option<&Self>, changes: f64) -> Vec<(f64, f64)> {
        let (mut used, first) = (Vec::new(), self.least());
        let is_own = model.is_some_and(|model| model.keys.total_cmp(&self.keys).is_eq());
        if !is_own {
            used.push((self.keys, first));
        }
        for changes in [Some(changes), Some(first).filter(|_| !is_own)] {
            let (Some(model), Some(changes)) = (model, changes) else {
                continue;
            };
            let points = bracketing(&model.points, changes).iter();
            used.extend(points.map(|(measured, _)| (model.keys, *measured)));
        }
        used
    }

    fn at(&self, changes: f64) -> f64 {
        let line = interpolated(&self.points, changes, line).unwrap_or(f64::NAN);
        // Below the fewest measured changes the value is at least proportional to the changes,
        // because the fixed part is not negative.
        let (measured, value) = self.points[0];
        if changes < measured {
            line.max(value * changes / measured)
        } else {
            line.max(0.0)
        }
    }

    /// Estimates the figure for `changes` changes. Scales the first point of this row by the growth
    /// of its model. Without a model, the figure grows in proportion to the changes beyond the
    /// first point, and does not fall below it.
    fn estimate(&self, rows: &[Self], changes: f64) -> f64 {
        let (measured, value) = self.points[0];
        let Some(model) = self.model(rows, changes) else {
            return value * (changes / measured.max(1.0)).max(1.0);
        };
        if self.keys.total_cmp(&model.keys).is_eq() {
            return self.at(changes);
        }
        let from = model.at(measured);
        if from > 0.0 {
            value * model.at(changes) / from
        } else {
            value
        }
    }
}

/// Estimates a figure for `keys` keys and `changes` changes.
fn estimated(rows: &[Row], keys: f64, changes: f64) -> Option<f64> {
    let all = sizes(rows, changes);
    let fewest = sizes(rows, changes.min(least(rows)));
    let further = all.iter().zip(&fewest);
    let further = further.map(|((size, all), (_, fewest))| (*size, all - fewest));
    let further: Vec<_> = further.collect();
    // The cost of further changes grows with a different power of keys from the cost of the fewest
    // changes. With one power for both, more changes would cost less beyond the measured sizes.
    if further.iter().all(|(_, by)| *by >= 0.0) {
        Some(interpolated(&fewest, keys, power)? + interpolated(&further, keys, power)?)
    } else {
        interpolated(&all, keys, power)
    }
}

/// Returns the smallest number of changes that was measured with any number of keys.
fn least(rows: &[Row]) -> f64 {
    rows.iter().map(Row::least).fold(f64::INFINITY, f64::min)
}

/// Estimates a figure for `changes` changes at each measured number of keys. Returns pairs of keys
/// and figure.
fn sizes(rows: &[Row], changes: f64) -> Vec<(f64, f64)> {
    rows.iter()
        .map(|row| (row.keys, row.estimate(rows, changes).max(0.0)))
        .collect()
}

/// Curve through two points, whose value at the third argument is returned.
type Curve = fn((f64, f64), (f64, f64), f64) -> f64;

/// Selects, from points in ascending order, the point at `x`, or else two points: those around `x`,
/// or the first or last two if `x` is outside. Selects all points if there are fewer than two.
fn bracketing(points: &[(f64, f64)], x: f64) -> &[(f64, f64)] {
    let below = points.partition_point(|point| point.0 < x);
    let (start, end) = match points.get(below) {
        Some(point) if point.0 <= x => (below, below + 1),
        _ => {
            let start = below.saturating_sub(1).min(points.len().saturating_sub(2));
            (start, start + 2)
        }
    };
    &points[start..end.min(points.len())]
}

/// Interpolates at `x` between the two nearest of `points`, which are ascending. If there is a
/// single point, returns its value. Beyond the last point, the result does not fall.
fn interpolated(points: &[(f64, f64)], x: f64, curve: Curve) -> Option<f64> {
    match bracketing(points, x) {
        // Nothing is assumed to fall beyond the last point: that would extrapolate noise.
        [one, other] if x > other.0 => Some(curve(*one, *other, x).max(other.1)),
        [one, other] => Some(curve(*one, *other, x)),
        others => others.first().map(|(_, value)| *value),
    }
}

/// Returns the value at `x` of the straight line `a + b x` through two points.
fn line((x0, y0): (f64, f64), (x1, y1): (f64, f64), x: f64) -> f64 {
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// Returns the value at `x` of the power `a x^b` through two points. Uses a straight line if a
/// number is not positive.
fn power((x0, y0): (f64, f64), (x1, y1): (f64, f64), x: f64) -> f64 {
    if [x0, y0, x1, y1, x].iter().all(|number| *number > 0.0) {
        let exponent = (y1 / y0).ln() / (x1 / x0).ln();
        y0 * (x / x0).powf(exponent)
    } else {
        line((x0, y0), (x1, y1), x).max(0.0)
    }
}

#[cfg(test)]
mod tests;
