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

/// Returns the nanoseconds of hashing a node whose input is known in advance, on one core: the
/// fastest of several timings.
pub fn node_hash_ns(effort: &Effort) -> f64 {
    let (inputs, (batches, _)) = (inputs(), effort.batches);
    let timing = |_| {
        let start = Instant::now();
        bare(&inputs, u64::from(CALLS));
        microseconds(start.elapsed()) * 1e3 / f64::from(CALLS)
    };
    let timings = (0..batches * TIMINGS_PER_BATCH).map(timing);
    timings.fold(f64::INFINITY, f64::min)
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
