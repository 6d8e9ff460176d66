//! Experiment `growing`: dictionaries that grow from empty, with one key of 32 bytes in each
//! snapshot. It measures the figures of tables 7, 8 and 9.
//!
//! Author and server take turns in one process. So updates, which can be hundreds of kilobytes
//! long, need not be stored.

use super::{Limits, Task, instrument::take_counts, lookups, pair::Pair};
use crate::{
    costs,
    cryptography::TimedSigner,
    dictionary::Run,
    line,
    measure::run::Sample,
    prelude::*,
    workload::{Contents, put_hashed},
};

/// Measures the design `P` while it grows, and returns the result line.
pub fn measure<P: Pair>(task: &Task<'_>) -> Outcome<Line> {
    let before = Limits::measure(&task.effort);
    let new_run = || Run::<P::Timed>::new(TimedSigner::default(), task.limit);
    // First snapshot of another dictionary: accumulator keys compute tables on first use.
    new_run().publish(vec![put_hashed(0)])?;
    take_counts();
    let mut run = new_run();
    run.follow((0..task.keys).map(|index| vec![put_hashed(index)]))?;
    let limits = before.mean(Limits::measure(&task.effort));
    let (tuple_sign_us, tuple_verify_us) = P::signature_us(&task.effort).unwrap_or((
        limits.primitives.sign_us,
        limits.primitives.verify_signature_us,
    ));
    let inserted = run.samples.len();
    let [witnesses, created] = take_counts().map(|count| count as f64 / inserted as f64);
    let mut contents = Contents::default();
    (0..inserted as u64).for_each(|index| contents.apply(&[put_hashed(index)]));
    let signature_us = (!P::ACCUMULATES).then_some(tuple_verify_us);
    let primitives = (signature_us, limits.chain_step_ns);
    let lookups = lookups::measure(&run.roles, &contents, &task.effort, primitives)?;
    let all = Sample::mean(&run.samples);
    let last_tenth = &run.samples[inserted - inserted.div_ceil(10)..];
    let own = run.cryptography.divided_by(inserted as f64);
    // One of the signatures is the head's.
    let author_limit_us = (!P::ACCUMULATES).then_some(
        limits.primitives.sign_us
            + (own.signatures - 1.0) * tuple_sign_us
            + own.chain_steps * limits.chain_step_ns / 1e3,
    );
    let server_us = limits.primitives.verify_signature_us + all.accumulator_us;
    let prices = costs::of_2010();
    let line = line! {
        experiment: "tuple_growing", design: task.design, keys: task.keys, inserted,
        stopped: run.stopped, threads: 1, inserts_per_second: 1e6 / all.author_us,
        author_us: all.author_us,
        author_cryptography_share: own.us(limits.chain_step_ns) / all.author_us,
        signatures_per_snapshot: own.signatures, chain_steps_per_snapshot: own.chain_steps,
        author_limit_us, author_ratio: author_limit_us.map(|limit| all.author_us / limit),
        update_bytes: Sample::mean(last_tenth).update_bytes,
        update_overall_bytes: all.update_bytes, apply_us: all.apply_us,
        accumulator_us: P::ACCUMULATES.then_some(all.accumulator_us),
        witnesses_per_snapshot: P::ACCUMULATES.then_some(witnesses),
        new_tuples_per_snapshot: P::ACCUMULATES.then_some(created),
        updates_per_second: 1e6 / all.apply_us,
        server_cryptography_share: (server_us / all.apply_us).min(1.0),
        update_kilobytes_per_second: all.update_bytes * 1e3 / (all.author_us + all.apply_us),
        equilibrium_kilobytes_per_second: prices.equilibrium() / 1e3,
    };
    Ok(line.merged(&lookups).merged(&costs::line_of(&prices)))
}
