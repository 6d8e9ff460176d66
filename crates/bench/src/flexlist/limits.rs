//! Bare hashes, which bound every time.

use std::{hint::black_box, time::Instant};

use flexlist::list::{NodeHash, Sha256};
use pad_core::Workers;
use rayon::prelude::*;

use crate::timing::{Effort, microseconds};

/// The bytes of an inner node; a leaf has one less and costs the same.
const NODE_BYTES: usize = 82;

/// Inputs of bare hashes: few enough to stay in the nearest cache.
const INPUTS: usize = 64;

/// The calls of one timing: some 20 us, so that most timings are over before anything interrupts.
const CALLS: u32 = 256;

/// Number of timings for each batch of an `Effort`.
const TIMINGS_PER_BATCH: usize = 20;

/// Time of one node's hash on one core. Uses the fastest timing, because a limit must not be too
/// slow.
#[derive(Clone, Copy, Debug)]
pub struct NodeHashLimit {
    /// Over inputs that are known in advance.
    pub independent_ns: f64,
    /// Each waiting for the one before, as on the way up a path.
    pub chained_ns: f64,
}

impl NodeHashLimit {
    /// Measures both times.
    pub fn measure(effort: &Effort) -> Self {
        let inputs = inputs();
        let independent = fastest_ns(effort, || bare(&inputs, u64::from(CALLS)));
        let chained = fastest_ns(effort, || {
            let mut input = [7; NODE_BYTES];
            for _ in 0..CALLS {
                let digest = Sha256::hash(&input);
                input[18..50].copy_from_slice(&digest.0);
            }
            black_box(&input);
        });
        Self {
            independent_ns: independent,
            chained_ns: chained,
        }
    }

    /// Returns the microseconds of `hashes` hashes.
    pub fn us(&self, hashes: f64) -> f64 {
        hashes * self.independent_ns / 1e3
    }
}

/// Computes `hashes` bare hashes, spread over the workers.
pub fn bare_hashes(hashes: u64, workers: &Workers) {
    let inputs = inputs();
    let threads = workers.threads() as u64;
    if threads == 1 {
        return bare(&inputs, hashes);
    }
    workers.run(|| {
        (0..threads).into_par_iter().for_each(|thread| {
            bare(
                &inputs,
                hashes / threads + u64::from(thread < hashes % threads),
            );
        });
    });
}

/// Returns the nanoseconds of one of the [`CALLS`] calls that `work` makes.
fn fastest_ns(effort: &Effort, mut work: impl FnMut()) -> f64 {
    let (batches, _) = effort.batches;
    let timing = |_| {
        let start = Instant::now();
        work();
        microseconds(start.elapsed()) * 1e3 / f64::from(CALLS)
    };
    let timings = (0..batches * TIMINGS_PER_BATCH).map(timing);
    timings.fold(f64::INFINITY, f64::min)
}

fn bare(inputs: &[[u8; NODE_BYTES]], hashes: u64) {
    for input in inputs.iter().cycle().take(hashes as usize) {
        black_box(Sha256::hash(black_box(input)));
    }
}

fn inputs() -> Vec<[u8; NODE_BYTES]> {
    (0_u8..)
        .map(|byte| [byte; NODE_BYTES])
        .take(INPUTS)
        .collect()
}
