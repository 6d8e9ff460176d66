//! Measures the times of repeated work.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use serde::Serialize;

/// Times of repeated work, recorded in chunks of several operations.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    chunks: Vec<(Duration, usize)>,
}

impl Timings {
    /// Runs `work`, and records its time as one chunk of `operations` operations.
    pub fn time<R>(&mut self, operations: usize, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.chunks.push((start.elapsed(), operations));
        result
    }

    /// Returns the total time of all chunks.
    pub fn total(&self) -> Duration {
        self.chunks.iter().map(|(time, _)| *time).sum()
    }

    /// Returns the number of operations in all chunks.
    pub fn operations(&self) -> usize {
        self.chunks.iter().map(|(_, operations)| operations).sum()
    }

    /// Returns the mean microseconds per operation over all chunks.
    pub fn mean_us(&self) -> f64 {
        microseconds(self.total()) / self.operations().max(1) as f64
    }

    /// Returns the microseconds per operation of the median chunk. A few interrupted chunks do not
    /// change it.
    pub fn median_us(&self) -> f64 {
        let per_operation = |(time, operations): &(Duration, usize)| {
            microseconds(*time) / (*operations).max(1) as f64
        };
        median(self.chunks.iter().map(per_operation).collect())
    }

    /// Appends the chunks of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.chunks.extend_from_slice(&other.chunks);
    }
}

/// Time budget and number of repetitions of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Maximum time for one figure, unless a single operation takes longer.
    pub budget: Duration,
    /// Maximum number of operations for one figure.
    pub operations: usize,
    /// Number of batches in which a primitive is timed, and the approximate time of each batch.
    pub batches: (usize, Duration),
}

impl Effort {
    /// Effort for figures that repeat to a few percent on an idle machine.
    pub const FULL: Self = Self {
        budget: Duration::from_secs(2),
        operations: 200_000,
        batches: (21, Duration::from_millis(4)),
    };

    /// Effort that only shows that everything works.
    pub const QUICK: Self = Self {
        budget: Duration::from_millis(40),
        operations: 500,
        batches: (3, Duration::from_micros(200)),
    };

    /// Returns [`Self::QUICK`] if `quick`, otherwise [`Self::FULL`].
    pub const fn new(quick: bool) -> Self {
        if quick { Self::QUICK } else { Self::FULL }
    }

    /// Repeats `work` on freshly prepared input, until the operations or the time budget are used
    /// up.
    ///
    /// `prepare(n)` makes the input of `n` operations: at most `chunk`, fewer if a single one is
    /// slow. Only `work` is timed; it consumes its input.
    pub fn repeat<T>(
        &self,
        chunk: usize,
        mut prepare: impl FnMut(usize) -> T,
        mut work: impl FnMut(T),
    ) -> Timings {
        let (warm, mut timings) = (prepare(1), Timings::default());
        let start = Instant::now();
        work(warm);
        let fitting = self.budget.as_nanos() / 20 / start.elapsed().as_nanos().max(1);
        let chunk = chunk.min(usize::try_from(fitting).unwrap_or(chunk)).max(1);
        while timings.total() < self.budget && timings.operations() < self.operations {
            let input = prepare(chunk);
            timings.time(chunk, || work(input));
        }
        timings
    }

    /// Like [`Self::repeat`], but each call of `work` is one operation on one input. Makes up to
    /// `chunk` inputs beforehand. The time includes freeing the results.
    pub fn repeat_each<T, R>(
        &self,
        chunk: usize,
        mut make: impl FnMut() -> T,
        mut work: impl FnMut(T) -> R,
    ) -> Timings {
        let prepare = |chunk| (0..chunk).map(|_| make()).collect::<Vec<T>>();
        let mut each = |input| drop(black_box(work(input)));
        self.repeat(chunk, prepare, |inputs: Vec<T>| {
            inputs.into_iter().for_each(&mut each);
        })
    }

    /// Like [`Self::repeat_each`], but `work` can fail. Returns the last error instead of times.
    pub fn try_repeat_each<T, R, E>(
        &self,
        chunk: usize,
        make: impl FnMut() -> T,
        mut work: impl FnMut(T) -> Result<R, E>,
    ) -> Result<Timings, E> {
        let mut failed = None;
        let timings = self.repeat_each(chunk, make, |input| {
            work(input).map_err(|error| failed = Some(error))
        });
        failed.map_or(Ok(timings), Err)
    }

    /// Returns the nanoseconds of one call of `work`, from the median batch. For short work that is
    /// timed many calls at a time.
    pub fn each_ns<R>(&self, mut work: impl FnMut() -> R) -> f64 {
        self.primitive_ns(|calls| (0..calls).for_each(|_| drop(black_box(work()))))
    }

    /// Returns the nanoseconds of one operation, from the median batch. `work(calls)` must perform
    /// `calls` operations.
    pub fn primitive_ns(&self, mut work: impl FnMut(u32)) -> f64 {
        let (batches, time) = self.batches;
        let mut calls = 1;
        loop {
            let start = Instant::now();
            work(calls);
            if start.elapsed() >= time / 2 || calls > 1 << 24 {
                break;
            }
            calls *= 2;
        }
        let batch = |_| {
            let start = Instant::now();
            work(calls);
            microseconds(start.elapsed()) * 1e3 / f64::from(calls)
        };
        median((0..batches).map(batch).collect())
    }
}

/// Runs `work`, and returns its microseconds and its result.
pub fn stopwatch<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = work();
    (microseconds(start.elapsed()), result)
}

/// Converts a duration to microseconds.
pub fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Returns the median of `numbers`; 0 if there are none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        length if length % 2 == 1 => numbers[middle],
        _ => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}

/// Returns the `hundredths`-th percentile of ascending numbers; 0 if there are none.
pub fn percentile(ascending: &[f64], hundredths: usize) -> f64 {
    let index = (ascending.len() * hundredths).div_ceil(100).max(1) - 1;
    ascending.get(index).copied().unwrap_or(0.0)
}

/// Mean, median and 90th percentile of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Distribution {
    mean: f64,
    median: f64,
    p90: f64,
}

impl Distribution {
    /// Computes mean, median and 90th percentile of `numbers`; zeros if there are none.
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        Self {
            mean: numbers.iter().sum::<f64>() / numbers.len().max(1) as f64,
            p90: percentile(&numbers, 90),
            median: median(numbers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!(median(Vec::new()).abs() < 1e-12);
    }

    #[test]
    fn distributions() {
        let expected = Distribution {
            mean: 5.5,
            median: 5.5,
            p90: 9.0,
        };
        let numbers = (1..=10).rev().map(f64::from).collect();
        assert_eq!(Distribution::of(numbers), expected);
        assert_eq!(Distribution::of(vec![3.0]).p90.to_bits(), 3.0_f64.to_bits());
        assert_eq!(Distribution::of(Vec::new()), Distribution::default());
    }

    #[test]
    fn repeating_prepares_what_it_times() {
        let effort = Effort {
            operations: 100,
            budget: Duration::from_mins(1),
            ..Effort::QUICK
        };
        let mut seen = 0;
        let timings = effort.repeat(10, |chunk| vec![0; chunk], |input| seen += input.len());
        assert_eq!((timings.operations(), seen), (100, 101));
        let fails = |()| Err::<(), _>("no");
        assert_eq!(effort.try_repeat_each(10, || (), fails).err(), Some("no"));
        let works = effort.try_repeat_each(10, || (), |()| Ok::<_, &str>(()));
        assert_eq!(works.unwrap().operations(), 100);
    }
}
