//! Conclusions about accumulators (Tremel 2013; Crosby and Wallach 2010, section 7.4).

use super::{Checked, MARGIN, figures, is_below};
use crate::{
    line,
    line::{Line, like, of},
    tables::digits,
};

const RSA: &str = "rsa-3072";
const BILINEAR: &str = "bilinear-bls12-381";

/// Compares the times of Tremel's round trip: accumulate an element, make its witness, verify it.
pub(super) fn rsa_or_bilinear(lines: &[Line]) -> Option<Checked> {
    let trips = of(lines, "accumulators_round_trips");
    let ms = |accumulator: &str, keys: &str| {
        like(&trips, &line! { accumulator, keys, threads: 1 })?.number("computing_ms")
    };
    let both = |keys| Some((ms(BILINEAR, keys)?, ms(RSA, keys)?));
    let (private, public) = (both("private")?, both("public")?);
    let finding = figures! {
        private_bilinear: private.0, private_rsa: private.1, public_bilinear: public.0,
        public_rsa: public.1,
    };
    let parts = vec![
        is_below(private.0, private.1),
        is_below(public.0, public.1),
        2.0 * private.0 <= private.1 * MARGIN,
        12.0 * public.0 <= public.1 * MARGIN,
    ];
    Some((parts, finding))
}

/// Returns the microseconds per element of both operations in `pair`, each with its number of
/// threads. The set is the largest for which both have a measurement.
fn each(lines: &[Line], accumulator: &str, pair: [(&str, u64); 2]) -> Option<[f64; 2]> {
    let lines = of(lines, "accumulators");
    let us = |n: u64, (operation, threads): (&str, u64)| {
        like(&lines, &line! { accumulator, operation, threads, n })?.number("per_element_us")
    };
    let [one, other] = pair;
    let both = |line: &&Line| {
        let n = line.count("n");
        Some((n, [us(n, one)?, us(n, other)?]))
    };
    let found = lines.iter().filter_map(both);
    found.max_by_key(|(n, _)| *n).map(|(_, times)| times)
}

pub(super) fn secret_key(lines: &[Line]) -> Option<Checked> {
    let (mut parts, mut findings) = (Vec::new(), Vec::new());
    for (accumulator, paper) in [(RSA, 1700.0), (BILINEAR, 24.0)] {
        let pair = |secret, public| each(lines, accumulator, [(secret, 1), (public, 1)]);
        let [secret, public] = pair("accumulate_secret_each", "accumulate_public")?;
        let [all_secret, all_public] = pair("witnesses_secret", "witnesses_public")?;
        parts.extend([
            public >= secret * paper / MARGIN,
            all_public >= all_secret * 900.0 / MARGIN,
        ]);
        let [secret, public, all_secret, all_public] =
            [secret, public, all_secret, all_public].map(digits);
        findings.push(format!(
            "{accumulator}: {secret} us for each element with the private key and {public} us \
             without; {all_secret} us and {all_public} us for each witness."
        ));
    }
    Some((parts, figures! { accumulators: findings.join(" ") }))
}

pub(super) fn public_threads(lines: &[Line]) -> Option<Checked> {
    let threads = of(lines, "accumulators");
    let threads = threads.iter().map(|line| line.count("threads")).max()?;
    if threads < 2 {
        return None;
    }
    let gain = |operation| {
        let [one, several] = each(lines, RSA, [(operation, 1), (operation, threads)])?;
        Some(one / several)
    };
    let (value, witnesses) = (gain("accumulate_public")?, gain("witnesses_public")?);
    let parts = vec![value <= MARGIN, witnesses > MARGIN];
    Some((parts, figures! { threads, value, witnesses }))
}

/// Returns our numbers for `claim`, a comparison with signing each element: first for RSA, then for
/// the bilinear accumulator. Each is for the largest measured set.
fn claims(lines: &[Line], claim: &str) -> Option<[f64; 2]> {
    let lines = of(lines, "accumulators_claims");
    let ours = |accumulator: &str| {
        let found = lines.iter().filter(|line| line.number("ours").is_some());
        let found =
            found.filter(|line| line.says(&[("accumulator", accumulator), ("claim", claim)]));
        found.max_by_key(|line| line.count("n"))?.number("ours")
    };
    Some([ours(RSA)?, ours(BILINEAR)?])
}

pub(super) fn witnesses_as_sent(lines: &[Line]) -> Option<Checked> {
    let bytes = claims(lines, "update_bytes_to_signing_each")?;
    let times = claims(lines, "author_time_to_signing_each")?;
    let parts = vec![bytes[0] >= 6.0 / MARGIN, times[0] >= 2.0 / MARGIN];
    Some((parts, figures! { bytes, times }))
}

pub(super) fn signing_each(lines: &[Line]) -> Option<Checked> {
    let costs = claims(lines, "server_cost_to_signing_each")?;
    let bytes = claims(lines, "proof_bytes_to_signing_each")?;
    let parts = vec![costs[0] >= 6.0 / MARGIN, bytes[0] >= 3.0 / MARGIN];
    Some((parts, figures! { costs, bytes }))
}
