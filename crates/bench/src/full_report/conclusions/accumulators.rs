//! Conclusions about accumulators (Tremel 2013; Crosby and Wallach 2010, section 7.4).

use super::{Claim, MARGIN, Verdict, figures, is_below};
use crate::{
    line::{Line, find, of},
    tables::digits,
};

/// Conclusions about accumulators.
pub(super) const ACCUMULATORS: &[Claim] = &[
    ("rsa-or-bilinear", rsa_or_bilinear),
    ("secret-key", secret_key),
    ("public-threads", public_threads),
    ("witnesses-as-sent", witnesses_as_sent),
    ("signing-each", signing_each),
];

const RSA: &str = "rsa-3072";
const BILINEAR: &str = "bilinear-bls12-381";

/// Compares the times of Tremel's round trip: accumulate an element, make its witness, verify it.
fn rsa_or_bilinear(lines: &[Line]) -> Option<(Verdict, Line)> {
    let trips = of(lines, "accumulators_round_trips");
    let ms = |accumulator: &str, keys: &str| {
        let wanted = [
            ("accumulator", accumulator),
            ("keys", keys),
            ("threads", "1"),
        ];
        find(&trips, &wanted)?.number("computing_ms")
    };
    let [private, public] = ["private", "public"].map(|keys| (ms(BILINEAR, keys), ms(RSA, keys)));
    let (private, public) = ((private.0?, private.1?), (public.0?, public.1?));
    let finding = figures! {
        private_bilinear: private.0, private_rsa: private.1, public_bilinear: public.0,
        public_rsa: public.1,
    };
    let verdict = Verdict::of([
        is_below(private.0, private.1),
        is_below(public.0, public.1),
        2.0 * private.0 <= private.1 * MARGIN,
        12.0 * public.0 <= public.1 * MARGIN,
    ]);
    Some((verdict, finding))
}

/// An operation of an accumulator: its name, and the number of threads.
type OnThreads = (&'static str, u64);

/// Returns the microseconds per element of both operations in `pair`, for the largest set
/// for which both have a measurement.
fn each(lines: &[Line], accumulator: &str, pair: [OnThreads; 2]) -> Option<[f64; 2]> {
    let lines = of(lines, "accumulators");
    let us = |n: u64, (operation, threads): OnThreads| {
        let is_one = |line: &&&Line| {
            line.text("accumulator") == accumulator
                && line.text("operation") == operation
                && (line.count("threads"), line.count("n")) == (threads, n)
        };
        lines.iter().find(is_one)?.number("per_element_us")
    };
    let [one, other] = pair;
    let both = |line: &&Line| {
        let n = line.count("n");
        Some((n, [us(n, one)?, us(n, other)?]))
    };
    let found = lines.iter().filter_map(both);
    found.max_by_key(|(n, _)| *n).map(|(_, times)| times)
}

fn secret_key(lines: &[Line]) -> Option<(Verdict, Line)> {
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
    let finding = figures! { accumulators: findings.join(" ") };
    Some((Verdict::of(parts), finding))
}

fn public_threads(lines: &[Line]) -> Option<(Verdict, Line)> {
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
    let finding = figures! { threads, value, witnesses };
    Some((Verdict::of([value <= MARGIN, witnesses > MARGIN]), finding))
}

/// Returns our numbers for `claim`, a comparison with signing each element: first for RSA, then for
/// the bilinear accumulator. Each is for the largest measured set.
fn claims(lines: &[Line], claim: &str) -> Option<[f64; 2]> {
    let lines = of(lines, "accumulators_claims");
    let ours = |accumulator: &str| {
        let is_one = |line: &&&Line| {
            line.text("accumulator") == accumulator
                && line.text("claim") == claim
                && line.number("ours").is_some()
        };
        let found = lines.iter().filter(is_one);
        found.max_by_key(|line| line.count("n"))?.number("ours")
    };
    Some([ours(RSA)?, ours(BILINEAR)?])
}

fn witnesses_as_sent(lines: &[Line]) -> Option<(Verdict, Line)> {
    let bytes = claims(lines, "update_bytes_to_signing_each")?;
    let times = claims(lines, "author_time_to_signing_each")?;
    let finding = figures! { bytes, times };
    let parts = [bytes[0] >= 6.0 / MARGIN, times[0] >= 2.0 / MARGIN];
    Some((Verdict::of(parts), finding))
}

fn signing_each(lines: &[Line]) -> Option<(Verdict, Line)> {
    let costs = claims(lines, "server_cost_to_signing_each")?;
    let bytes = claims(lines, "proof_bytes_to_signing_each")?;
    let finding = figures! { costs, bytes };
    let parts = [costs[0] >= 6.0 / MARGIN, bytes[0] >= 3.0 / MARGIN];
    Some((Verdict::of(parts), finding))
}
