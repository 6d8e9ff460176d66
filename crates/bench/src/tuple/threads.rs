//! Experiment `threads`: snapshots in which every tuple is signed, compared with as many bare
//! signatures on the same threads.

use std::{
    hint::black_box,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use pad_core::{Dictionary, Workers};
use pad_tuple::{TupleRepository, designs::BaseSuperseding};
use signature::Signer;

use super::{Task, instrument::PlainSuite, pair::STATEMENT};
use crate::{
    dictionary::{new_author, publish},
    line,
    prelude::*,
    tree::batch::each_on,
    workload::{hashed_key, put_hashed, value},
};

/// Name of the design that this experiment measures. Its cryptography consists of signatures only.
pub const DESIGN: &str = "base-superseding";

/// Measures [`DESIGN`] with each number of threads.
pub fn run(task: &Task<'_>, threads: &[NonZeroUsize], report: &mut Report) -> Outcome<()> {
    let mut first = None;
    for threads in threads {
        let workers = match threads.get() {
            1 => Workers::sequential(),
            _ => Workers::new(*threads)?,
        };
        let (snapshot_ms, bare_ms) = measure(task, &workers)?;
        let (first_snapshot, first_bare) = *first.get_or_insert((snapshot_ms, bare_ms));
        report.measured(line! {
            experiment: "tuple_threads", design: DESIGN, keys: task.keys, threads, snapshot_ms,
            bare_signatures_ms: bare_ms, ratio: snapshot_ms / bare_ms,
            speed_up: first_snapshot / snapshot_ms, bare_speed_up: first_bare / bare_ms,
        })?;
    }
    Ok(())
}

/// Returns the median milliseconds of a snapshot with one new value, and of computing only its
/// signatures. Both kinds of work alternate on the same threads.
fn measure(task: &Task<'_>, workers: &Workers) -> Outcome<(f64, f64)> {
    let author = new_author::<TupleRepository<PlainSuite, BaseSuperseding>>(signing_key());
    let mut author = author.with_workers(workers.clone());
    publish(&mut author, (0..task.keys).map(put_hashed).collect())?;
    let (mut snapshots, mut bare) = (Timings::default(), Timings::default());
    let (rounds, budget) = if task.quick {
        (1, Duration::ZERO)
    } else {
        (30, Duration::from_secs(10).min(task.limit))
    };
    let start = Instant::now();
    let mut round = 0;
    while round == 0 || (round < rounds && start.elapsed() < budget) {
        author.put(hashed_key(round % task.keys), value(task.keys + round));
        let update = snapshots.time(1, || author.snapshot())?;
        drop(update);
        // The tuples, the head, and the tuple at the start of the key space.
        bare.time(1, || sign(task.keys as usize + 2, workers));
        round += 1;
    }
    Ok((snapshots.median_us() / 1e3, bare.median_us() / 1e3))
}

/// Computes `number` signatures and nothing else, on the threads of `workers`.
fn sign(number: usize, workers: &Workers) {
    let signer = signing_key();
    let sign = |index: usize| {
        let mut message = [7; STATEMENT];
        message[..8].copy_from_slice(&index.to_be_bytes());
        _ = black_box(signer.sign(&message));
    };
    each_on(workers, number, 1, sign);
}
