//! Lookups in tuple dictionaries and trees, compared with the lower bound of the client's time:
//! signatures and steps of hash chains.

use comparison::workload::Contents;

pub use crate::measure::lookups::{Age, Lookups};
use crate::{
    cryptography::Cryptography,
    dictionary::{HostedDictionary, MeasuredRepository},
    line,
    measure::roles::Roles as _,
    prelude::*,
};

/// Returns lookups of the server in `roles`, with its expected contents.
pub fn of_server<'a, R: MeasuredRepository>(
    roles: &'a HostedDictionary<R>,
    contents: &'a Contents,
) -> Outcome<Lookups<'a, HostedDictionary<R>>> {
    // For single keys, all designs prove the same statements as a tree.
    let tree = comparison::scheme("red-black-path-copying").ok_or("no such scheme")?;
    Ok(Lookups {
        roles,
        contents,
        properties: &tree.properties,
    })
}

/// Measures lookups. The lower bound of the client's time is the time of its signatures (of tuples,
/// or of the head) and hash-chain steps.
///
/// `signature_us` is the time to verify one signature. If it is `None`, signatures do not bound the
/// client's time, and the result line has no limit.
pub fn measure<R: MeasuredRepository>(
    roles: &HostedDictionary<R>,
    contents: &Contents,
    effort: &Effort,
    (signature_us, chain_step_ns): (Option<f64>, f64),
) -> Outcome<Line> {
    let lookups = &of_server(roles, contents)?;
    lookups.check()?;
    let prove_us = lookups.prove_us(effort, Age::Latest)?;
    let verify_us = lookups.verify_us(effort)?;
    let proof_bytes = lookups.proof_bytes(effort, Age::Latest)?;
    let needed = cryptography(lookups, effort)?;
    let verify_limit_us = signature_us.map(|signature_us| {
        needed.signatures * signature_us + needed.chain_steps * chain_step_ns / 1e3
    });
    let share = needed.us(chain_step_ns) / verify_us;
    Ok(line! {
        prove_us, lookups_per_second: 1e6 / prove_us,
        verify_us, verifications_per_second: 1e6 / verify_us,
        verify_cryptography_share: share.min(1.0),
        signatures_per_proof: verify_limit_us.map(|_| needed.signatures),
        chain_steps_per_proof: needed.chain_steps, verify_limit_us,
        verify_ratio: verify_limit_us.map(|limit_us| verify_us / limit_us), proof_bytes,
        lookup_kilobytes_per_second: proof_bytes * 1e3 / prove_us,
    })
}

/// Returns the mean cryptography of verifying a proof of the latest version, over random keys.
fn cryptography<R: MeasuredRepository>(
    lookups: &Lookups<'_, HostedDictionary<R>>,
    effort: &Effort,
) -> Outcome<Cryptography> {
    let samples = effort.operations.min(500);
    let head = lookups.roles.head(lookups.roles.latest())?;
    let mut total = Cryptography::default();
    for (version, key) in lookups.questions(&mut Random::new(7), Age::Latest, samples) {
        let proof = lookups.roles.prove(version, &key)?;
        let (own, answer) = Cryptography::of(|| lookups.verify(&head, proof, &key));
        answer?;
        total += own;
    }
    Ok(total.divided_by(samples as f64))
}
