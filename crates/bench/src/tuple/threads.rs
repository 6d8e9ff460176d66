//! Snapshots in which every tuple is signed, beside as many bare signatures on the same threads.

use std::{
    hint::black_box,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use pad_core::{Dictionary, Operation, Workers};
use rayon::prelude::*;
use signature::Signer;

use super::{
    Reporter, Setting, TupleLine,
    contender::Contender,
    pair::{Job, Pair, STATEMENT},
    record::ThreadsRecord,
};
use crate::{
    Outcome,
    author::put_all,
    primitives::signing_key,
    timing::{Timings, rounded},
    workload::{hashed_key, value},
};

/// The design of this experiment: nothing but signatures.
pub const DESIGN: &str = "base-superseding";

/// Measures [`DESIGN`].
pub struct Threads<'a> {
    /// The number of keys.
    pub keys: u64,
    /// The numbers of threads.
    pub threads: &'a [NonZeroUsize],
    /// The rest.
    pub setting: &'a Setting,
    /// Where the lines go.
    pub reporter: &'a mut dyn Reporter,
}

impl Job for Threads<'_> {
    type Output = Outcome<()>;

    fn run<P: Pair>(self) -> Outcome<()> {
        let mut first = None;
        for threads in self.threads {
            let workers = match threads.get() {
                1 => Workers::sequential(),
                _ => Workers::new(*threads)?,
            };
            let (snapshot_ms, bare_ms) = measure::<P::Plain>(self.keys, &workers, self.setting)?;
            let (first_snapshot, first_bare) = *first.get_or_insert((snapshot_ms, bare_ms));
            self.reporter.line(TupleLine::Threads(ThreadsRecord {
                design: DESIGN.to_owned(),
                keys: self.keys,
                threads: threads.get(),
                snapshot_ms: rounded(snapshot_ms),
                bare_signatures_ms: rounded(bare_ms),
                ratio: rounded(snapshot_ms / bare_ms),
                speed_up: rounded(first_snapshot / snapshot_ms),
                bare_speed_up: rounded(first_bare / bare_ms),
                machine: self.setting.machine.clone(),
            }))?;
        }
        Ok(())
    }
}

/// Milliseconds of a snapshot of one new value, and of as many bare signatures, in turns.
fn measure<C: Contender>(keys: u64, workers: &Workers, setting: &Setting) -> Outcome<(f64, f64)> {
    let mut author = C::author(workers);
    let load = (0..keys).map(|i| Operation::Put(hashed_key(i), value(i)));
    put_all(&mut author, load.collect());
    C::snapshot(&mut author)?;
    let (mut snapshots, mut bare) = (Timings::default(), Timings::default());
    let (rounds, budget) = if setting.quick {
        (1, Duration::ZERO)
    } else {
        (30, Duration::from_secs(10).min(setting.limit))
    };
    let start = Instant::now();
    let mut round = 0;
    while round == 0 || (round < rounds && start.elapsed() < budget) {
        author.put(hashed_key(round % keys), value(keys + round));
        let update = snapshots.time(1, || C::snapshot(&mut author))?;
        drop(update);
        // The tuples, the head, and the tuple at the start of the key space.
        bare.time(1, || sign(keys + 2, workers));
        round += 1;
    }
    Ok((snapshots.median_us() / 1e3, bare.median_us() / 1e3))
}

/// So many signatures and nothing else.
fn sign(number: u64, workers: &Workers) {
    let signer = signing_key();
    let sign = |index: u64| {
        let mut message = [7; STATEMENT];
        message[..8].copy_from_slice(&index.to_be_bytes());
        _ = black_box(signer.sign(&message));
    };
    if workers.threads() > 1 {
        workers.run(|| (0..number).into_par_iter().for_each(sign));
    } else {
        (0..number).for_each(sign);
    }
}
