//! Time of only the hashes of an operation, which is the lower bound of its time.

use std::{hint::black_box, time::Instant};

use flexlist::{internals::NodeHash, list::Sha256};
use pad_core::Workers;
use rayon::prelude::*;

use crate::timing::{Effort, microseconds};

/// Bytes of an inner node of the list; a leaf has one byte less and takes the same time.
const NODE_BYTES: usize = 82;

/// Number of different inputs that are hashed: few enough to stay in the fastest cache.
const INPUTS: usize = 64;

/// Number of hashes that are timed together. These hashes take some 20 us, so that most timings end
/// before an interruption.
const CALLS: u32 = 256;

/// Number of timings for each batch of an [`Effort`].
const TIMINGS_PER_BATCH: usize = 20;

/// Lower bound of the time to hash one node on one core: the fastest of several timings.
#[derive(Clone, Copy, Debug)]
pub struct NodeHashLimit {
    /// Time of a hash whose input is known in advance, in nanoseconds.
    pub independent_ns: f64,
    /// Time of a hash whose input contains the digest computed just before, in nanoseconds. Such
    /// hashes are on the path to the root.
    pub chained_ns: f64,
}

impl NodeHashLimit {
    /// Measures both kinds of hashes.
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

    /// Returns the microseconds of `hashes` hashes whose inputs are known in advance.
    pub fn us(&self, hashes: f64) -> f64 {
        hashes * self.independent_ns / 1e3
    }
}

/// Computes `hashes` node hashes and nothing else, spread over the threads of `workers`.
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

/// Returns the nanoseconds of one hash in the fastest call of `work`. Each call must compute
/// [`CALLS`] hashes.
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
