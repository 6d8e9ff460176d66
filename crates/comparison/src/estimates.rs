//! From what was measured with some numbers of keys and changes to any other: estimates that say what they rest on.
//!
//! With the number `k` of changes in a snapshot every figure is taken to grow as `a + b k` between neighbouring measured
//! points, with the number `n` of keys as a power of `n` between neighbouring sizes, and beyond the last ones as between
//! the last two, unless it would fall there. Longer keys and values make messages and memory longer by just their bytes, and take no time.

use core::fmt;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    cost::count,
    measurement::{Measurement, Shape},
};

/// Figures for a load that was not measured, and where they go beyond what was.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The figures.
    pub figures: Measurement,
    /// What lies beyond the measured points; nothing, if the figures lie between them.
    pub beyond: Vec<Beyond>,
}

/// What of a load lies beyond everything measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Beyond {
    /// Which number.
    pub of: Axis,
    /// The smallest and the largest that were measured.
    pub measured: (u64, u64),
}

/// A number that a load has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The number of keys.
    Keys,
    /// The changes in a snapshot.
    Changes,
}

impl fmt::Display for Beyond {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.of {
            Axis::Keys => "keys",
            Axis::Changes => "changes in a snapshot",
        };
        match self.measured {
            (one, last) if one == last => {
                write!(formatter, "extrapolated: measured with {one} {what} only")
            }
            (first, last) => write!(
                formatter,
                "extrapolated: measured with {first} to {last} {what}"
            ),
        }
    }
}

/// What was measured of one scheme, all with the same workload and the same lengths of keys and values.
#[derive(Clone, Debug)]
pub struct Coefficients<'a> {
    first: &'a Measurement,
    /// The first one too.
    points: Vec<&'a Measurement>,
}

/// Which figure of a measurement; a function, so that one interpolation serves all.
type Figure = fn(&Measurement) -> Option<f64>;

impl<'a> Coefficients<'a> {
    /// Those of a scheme, from the workload and the lengths of which most points were measured; none if it has none.
    pub fn of(scheme: &str, measured: &'a [Measurement]) -> Option<Self> {
        type Alike<'a> = (&'a str, u64, u64);
        fn alike(shape: &Shape) -> Alike<'_> {
            (&shape.workload, shape.key_bytes, shape.value_bytes)
        }
        let of_scheme = || {
            let of_scheme = measured.iter().filter(|point| point.scheme == scheme);
            of_scheme.filter(|point| point.snapshots > 0)
        };
        let mut counts: BTreeMap<Alike<'a>, usize> = BTreeMap::new();
        for point in of_scheme() {
            *counts.entry(alike(&point.shape)).or_default() += 1;
        }
        let number = |point: &&'a Measurement| counts.get(&alike(&point.shape)).copied();
        let most = of_scheme().max_by_key(number)?;
        let points = of_scheme().filter(|point| alike(&point.shape) == alike(&most.shape));
        Some(Self {
            first: most,
            points: points.collect(),
        })
    }

    /// Figures for so many keys and changes, and for these lengths.
    pub fn estimate(&self, keys: u64, changes: u64, key_bytes: u64, value_bytes: u64) -> Estimate {
        let first = self.first;
        let figure = |figure: Figure| self.figure(figure, count(keys), count(changes));
        let entry = count(key_bytes) + count(value_bytes)
            - count(first.shape.key_bytes)
            - count(first.shape.value_bytes);
        let longer = |bytes: f64, entries: f64| (bytes + entries * entry).max(1.0);
        let changed = count(changes);
        let author_us = figure(|point| Some(point.author_us)).unwrap_or(f64::NAN);
        // Two times that are estimated apart could cross.
        let share = figure(|point| Some(point.author_cryptography_us? / point.author_us));
        let figures = Measurement {
            shape: Shape {
                keys,
                changes,
                key_bytes,
                value_bytes,
                ..first.shape.clone()
            },
            load_us_per_key: figure(|point| point.load_us_per_key),
            author_us,
            apply_us: figure(|point| Some(point.apply_us)).unwrap_or(f64::NAN),
            update_bytes: longer(
                figure(|point| Some(point.update_bytes)).unwrap_or(f64::NAN),
                changed,
            ),
            prove_us: figure(|point| point.prove_us),
            prove_old_us: figure(|point| point.prove_old_us),
            verify_us: figure(|point| point.verify_us),
            proof_bytes: figure(|point| point.proof_bytes).map(|bytes| longer(bytes, 1.0)),
            absent_proof_bytes: figure(|point| point.absent_proof_bytes),
            memory_bytes_per_key: figure(|point| point.memory_bytes_per_key)
                .map(|bytes| longer(bytes, 1.0)),
            memory_bytes_per_snapshot: figure(|point| point.memory_bytes_per_snapshot)
                .map(|bytes| longer(bytes, changed)),
            author_cryptography_us: share.map(|share| share.clamp(0.0, 1.0) * author_us),
            apply_cryptography_us: figure(|point| point.apply_cryptography_us),
            verify_cryptography_us: figure(|point| point.verify_cryptography_us),
            ..first.clone()
        };
        let beyond = [
            self.beyond(Axis::Keys, keys, |shape| shape.keys),
            self.beyond(Axis::Changes, changes, |shape| shape.changes),
        ];
        Estimate {
            figures,
            beyond: beyond.into_iter().flatten().collect(),
        }
    }

    /// The only number of keys that was measured, if there was one only and it is more than twice as much or as
    /// little as this one: how figures grow with keys is not known then.
    pub fn too_far(&self, keys: u64) -> Option<u64> {
        let only = self.first.shape.keys;
        let is_alone = self.points.iter().all(|point| point.shape.keys == only);
        let is_near =
            keys <= only.saturating_mul(ONE_SIZE) && only <= keys.saturating_mul(ONE_SIZE);
        (is_alone && !is_near).then_some(only)
    }

    fn beyond(&self, of: Axis, wanted: u64, number: fn(&Shape) -> u64) -> Option<Beyond> {
        let numbers = || self.points.iter().map(|point| number(&point.shape));
        let measured = (numbers().min()?, numbers().max()?);
        let is_beyond = wanted < measured.0 || wanted > measured.1;
        is_beyond.then_some(Beyond { of, measured })
    }

    /// One figure for so many keys and changes.
    fn figure(&self, figure: Figure, keys: f64, changes: f64) -> Option<f64> {
        let rows = self.rows(figure);
        let for_changes = |row: &Row| {
            // One point, or points for more changes only, do not say how the figure grows with changes: the nearest size that
            // has several from fewer changes on does.
            let least = rows
                .iter()
                .filter_map(Row::least)
                .fold(f64::INFINITY, f64::min);
            let covers = |row: &&Row| {
                let from_least = row.least().is_some_and(|own| own <= changes.max(least));
                row.points.len() > 1 && from_least
            };
            let own = Some(row).filter(covers);
            let nearest = rows
                .iter()
                .filter(covers)
                .min_by(|one, other| row.distance(one).total_cmp(&row.distance(other)));
            match own.or(nearest) {
                Some(model) => row.as_in(model, changes),
                None => row.alone(changes),
            }
        };
        let sizes: Vec<_> = rows
            .iter()
            .map(|row| (row.keys, for_changes(row)))
            .collect();
        interpolated(&sizes, keys, power)
    }

    /// The points that have a figure, by size.
    fn rows(&self, figure: Figure) -> Vec<Row> {
        let mut points: Vec<_> = self
            .points
            .iter()
            .filter_map(|point| Some((point.shape.keys, point.shape.changes, figure(point)?)))
            .collect();
        points.sort_unstable_by_key(|(keys, changes, _)| (*keys, *changes));
        let mut rows: Vec<Row> = Vec::new();
        for (keys, changes, value) in points {
            let point = (count(changes), value);
            match rows.last_mut() {
                Some(row) if row.keys.total_cmp(&count(keys)).is_eq() => row.add(point),
                _ => rows.push(Row {
                    keys: count(keys),
                    points: vec![point],
                }),
            }
        }
        rows
    }
}

/// From one size alone nothing is said of sizes that differ by more than this factor.
const ONE_SIZE: u64 = 2;

/// One figure with one number of keys, for ascending numbers of changes.
struct Row {
    keys: f64,
    points: Vec<(f64, f64)>,
}

impl Row {
    /// Of several measurements of one point the last one counts.
    fn add(&mut self, point: (f64, f64)) {
        match self.points.last_mut() {
            Some(last) if last.0.total_cmp(&point.0).is_eq() => *last = point,
            _ => self.points.push(point),
        }
    }

    /// The fewest changes that were measured.
    fn least(&self) -> Option<f64> {
        self.points.first().map(|(changes, _)| *changes)
    }

    /// How many times as many keys the other row has, or it has.
    fn distance(&self, other: &Self) -> f64 {
        (self.keys / other.keys).ln().abs()
    }

    fn at(&self, changes: f64) -> f64 {
        interpolated(&self.points, changes, line)
            .unwrap_or(f64::NAN)
            .max(0.0)
    }

    /// Its first point, grown as in the other row.
    fn as_in(&self, model: &Self, changes: f64) -> f64 {
        match self.points.as_slice() {
            _ if self.keys.total_cmp(&model.keys).is_eq() => self.at(changes),
            [(measured, value), ..] => {
                let from = model.at(*measured);
                if from > 0.0 {
                    value * model.at(changes) / from
                } else {
                    *value
                }
            }
            [] => f64::NAN,
        }
    }

    /// Its only point: at most so many times as much for more changes, and no less for fewer.
    fn alone(&self, changes: f64) -> f64 {
        let point = self.points.first();
        point.map_or(f64::NAN, |(measured, value)| {
            value * (changes / measured).max(1.0)
        })
    }
}

/// A point through two others.
type Curve = fn((f64, f64), (f64, f64), f64) -> f64;

/// The value at `x` on the curve through the two of these ascending points that are next to it; the value of a single one.
fn interpolated(points: &[(f64, f64)], x: f64, curve: Curve) -> Option<f64> {
    let pairs = points.windows(2).filter_map(|pair| match pair {
        [one, other] => Some((*one, *other)),
        _ => None,
    });
    let mut chosen = None;
    for (one, other) in pairs {
        if chosen.is_none() || x > one.0 {
            chosen = Some((one, other));
        }
    }
    match chosen {
        // Nothing is taken to fall beyond the last point: that would be noise going on.
        Some((one, other)) if x > other.0 => Some(curve(one, other, x).max(other.1)),
        Some((one, other)) => Some(curve(one, other, x)),
        None => points.first().map(|(_, value)| *value),
    }
}

/// `a + b x`.
fn line((x0, y0): (f64, f64), (x1, y1): (f64, f64), x: f64) -> f64 {
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// `a x^b`; a line, where that is not possible.
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
