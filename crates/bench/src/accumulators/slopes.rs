//! Tremel's table: the time per element of every operation. It is the slope of the straight line
//! that fits the total times by set size.
//!
//! Also the round trips: the time of one element from being accumulated to being verified.
//!
//! Source: Tremel 2013, sections 5 and 7.

use crate::{line, prelude::*};

/// Network latencies of round trips, there and back, in milliseconds.
const LATENCIES_MS: [f64; 4] = [0.0, 1.0, 20.0, 100.0];

/// Reports slopes and round trips, computed from the result lines of the experiment `operations` in
/// `report` so far.
pub fn run(report: &mut Report) -> Outcome<()> {
    let lines = report.lines().to_vec();
    let lines = of(&lines, "accumulators");
    for group in groups(&lines, &["accumulator", "threads"]) {
        let mut slopes = slopes(&group);
        for (operation, slope) in &slopes {
            let accumulator = group[0].text("accumulator");
            let paper_us = paper_us(accumulator, operation);
            report.line(line! {
                experiment: "accumulators_slopes", accumulator, operation,
                threads: group[0].count("threads"), sizes: slope.sizes, us_per_element: slope.us,
                explained: slope.explained, paper_us_on_8_threads: paper_us,
                ratio_to_paper: paper_us.map(|paper_us| slope.us / paper_us),
            })?;
        }
        // Clients verify on one thread, as in the paper.
        let verifies = |line: &&&Line| {
            line.agrees(group[0], &["accumulator"]) && line.text("operation") == "verify"
        };
        let verify: Vec<&Line> = lines.iter().filter(verifies).copied().collect();
        slopes.extend(self::slopes(&verify));
        for trip in ROUND_TRIPS {
            for latency_ms in LATENCIES_MS {
                if let Some(line) = round_trip(group[0], &slopes, trip, latency_ms) {
                    report.line(line)?;
                }
            }
        }
    }
    Ok(())
}

/// Slope of a fitted straight line: the microseconds per element of one operation.
#[derive(Clone, Copy, Debug)]
pub struct Slope {
    /// Microseconds per element.
    pub us: f64,
    /// Number of set sizes that were fitted. If it is 1, the slope is the time per element at that
    /// size.
    sizes: usize,
    /// Share of the variance that the fit explains, from 0 to 1; `None` with fewer than three
    /// sizes.
    pub explained: Option<f64>,
}

/// Computes the slope of every operation, by the operation's name. `group` contains the result
/// lines of one accumulator on one number of threads.
fn slopes<'a>(group: &[&'a Line]) -> Vec<(&'a str, Slope)> {
    let of_operation = groups(group, &["operation"]).into_iter();
    let slope = |lines: Vec<&'a Line>| {
        let points = lines.iter().map(|line| {
            let n = line.figure("n");
            (n, n * line.figure("per_element_us"))
        });
        let slope = regression(&points.collect::<Vec<_>>());
        (lines[0].text("operation"), slope)
    };
    of_operation.map(slope).collect()
}

/// Fits a straight line by least squares through points (number of elements, total microseconds).
pub fn regression(points: &[(f64, f64)]) -> Slope {
    let number = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / number;
    let (mean_n, mean_us) = (mean(|it| it.0), mean(|it| it.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        let deviations = points.iter().map(|(n, us)| of(n - mean_n, us - mean_us));
        deviations.sum()
    };
    let (spread, common) = (sum(&|n, _| n * n), sum(&|n, us| n * us));
    let variance = sum(&|_, us| us * us);
    let one_size = mean_us / mean_n;
    Slope {
        us: if spread > 0.0 {
            common / spread
        } else {
            one_size
        },
        sizes: points.len(),
        explained: (points.len() > 2).then(|| common * common / (spread * variance)),
    }
}

/// Returns the paper's microseconds of an operation. The paper calls an accumulator `rsa` or
/// `bilinear`, the name before the first hyphen.
fn paper_us(accumulator: &str, operation: &str) -> Option<f64> {
    let kind = accumulator.split('-').next();
    published(&line! { experiment: "accumulators", kind }).number(operation)
}

/// Kinds of keys, each with the operations of a round trip that differ.
const ROUND_TRIPS: [(&str, [&str; 2]); 2] = [
    ("private", ["accumulate_secret_each", "witnesses_secret"]),
    ("public", ["accumulate_public", "witnesses_public"]),
];

/// Computes a round trip: the time of one element in all its operations, plus the latency of one
/// request and its response. `None` if an operation was not measured or the paper states no time.
fn round_trip(
    first: &Line,
    slopes: &[(&str, Slope)],
    (keys, [accumulate, witnesses]): (&str, [&str; 2]),
    latency_ms: f64,
) -> Option<Line> {
    let accumulator = first.text("accumulator");
    // Preparing an element means computing its representative. With a bilinear accumulator it means
    // the element's share of generating the public key.
    let prepare = if accumulator.starts_with("rsa") {
        "representatives"
    } else {
        "setup"
    };
    let mut computing_ms = 0.0;
    for operation in [accumulate, witnesses, "verify", prepare] {
        let (_, slope) = slopes.iter().find(|(name, _)| *name == operation)?;
        computing_ms += slope.us / 1e3;
    }
    let paper_ms = paper_us(accumulator, &format!("round_trip_{keys}"))? / 1e3;
    Some(line! {
        experiment: "accumulators_round_trips", accumulator, keys,
        threads: first.count("threads"), latency_ms, computing_ms,
        total_ms: computing_ms + latency_ms,
        computing_share: computing_ms / (computing_ms + latency_ms),
        paper_ms_on_8_threads: paper_ms, ratio_to_paper: computing_ms / paper_ms,
    })
}
