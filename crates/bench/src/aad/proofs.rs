//! Look-ups and append-only proofs: bytes, the server's and the client's time.

use std::time::Duration;

use aad::{
    AppendOnlyProof, Growth, LogRoot, LookupProof,
    proof::{LONGEST_LOOKUP, LONGEST_PROOF},
    shape::Shape,
};
use accumulators::wire;
use pad_core::Key;

use super::{
    Scheme,
    grown::Grown,
    limits::{Points, Primitives},
    measured,
};
use crate::{Outcome, line, report::Report, timing::Effort, workload::Random};

/// The numbers of values that are asked for.
const VALUES: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];

/// Random pairs of versions that are averaged.
const PAIRS: usize = 32;

/// Looks up keys with different numbers of values in the log of `n` entries.
pub(super) fn look_ups(
    grown: &Grown,
    n: u64,
    primitives: &Primitives,
    report: &mut Report,
) -> Outcome<()> {
    let with_key = |values| Some((values, grown.key_with(values)?));
    for (values, key) in VALUES.into_iter().filter_map(with_key) {
        report.announce(format!("look-up of {values} values in {n}"));
        look_up(grown, (n, values), &key, primitives, report)?;
    }
    Ok(())
}

fn look_up(
    grown: &Grown,
    (n, values): (u64, u64),
    key: &Key,
    primitives: &Primitives,
    report: &mut Report,
) -> Outcome<()> {
    let entries = grown.author.entries();
    let at = grown.at(n)?;
    let proof = wire::encode(&entries.prove_values(n, key.as_bytes())?);
    let found = check_look_up(&proof, &at, key)?;
    if found as u64 != values {
        return Err(format!("{found} values of a key with {values}").into());
    }
    let effort = report.effort();
    let prove = effort.repeat(
        64,
        |calls| calls,
        |calls| {
            (0..calls).for_each(|_| drop(entries.prove_values(n, key.as_bytes())));
        },
    );
    let verify = effort.repeat(
        64,
        |calls| calls,
        |calls| {
            (0..calls).for_each(|_| drop(check_look_up(&proof, &at, key)));
        },
    );
    let shape = grown.author.log().shape();
    let positions = entries.positions(key.as_bytes(), n);
    let points = Points::of_look_up(shape, n, positions);
    let verify_limit_us = primitives.verify_us(points);
    measured(
        report,
        line! {
            experiment: "aad_lookup",
            n: n,
            values: values,
            trees: shape.forest(n).count(),
            threads: 1,
            prove_us: prove.median_us(),
            prove_limit_us: prove_limit_us(shape, n, positions, primitives),
            verify_us: verify.median_us(),
            verify_limit_us: verify_limit_us,
            verify_ratio: verify.median_us() / verify_limit_us,
            proof_bytes: proof.len(),
        },
    )
}

/// A sum over each tree; two where the key has one value, three where it has several.
fn prove_limit_us(shape: Shape, n: u64, positions: &[u64], primitives: &Primitives) -> f64 {
    let trees = shape
        .forest(n)
        .filter(|root| root.level > Shape::BLOCK_LEVEL);
    let tree = |root: aad::shape::Address| {
        let within = |it: &&u64| (root.start()..root.end()).contains(*it);
        let sums = 1 + positions.iter().filter(within).count().min(2);
        sums as f64 * root.width() as f64 * primitives.sum_us(root.level.into())
    };
    trees.map(tree).sum()
}

/// The number of values that a message shows.
fn check_look_up(message: &[u8], at: &LogRoot<Scheme>, key: &Key) -> Outcome<usize> {
    let proof = wire::decode::<LookupProof<Scheme>>(&(), message, LONGEST_LOOKUP)?;
    Ok(proof.verify(at, key)?.get().values.len())
}

/// Append-only proofs over one entry, over a doubling, and between random versions.
pub(super) fn growth(grown: &Grown, primitives: &Primitives, report: &mut Report) -> Outcome<()> {
    let n = grown.size;
    for (pair, from, to) in [
        ("one entry, to one tree", n - 1, n),
        ("doubled, to one tree", n / 2, n),
        ("doubled, most trees", n / 2 - 1, n - 1),
    ] {
        report.announce(format!("append-only from {from} to {to}"));
        let means = Means::of(grown, &[(from, to)], primitives, &report.effort())?;
        means.line(pair, (Some(from), to), report)?;
    }
    let sizes: Vec<u64> = grown.sizes().collect();
    let mut random = Random::new(n);
    let mut any = || sizes[random.below(sizes.len() as u64) as usize];
    let pairs = core::iter::repeat_with(|| (any(), any())).filter(|(from, to)| from < to);
    let pairs: Vec<_> = pairs.take(report.rounds(PAIRS, 2)).collect();
    report.announce(format!("append-only between random versions up to {n}"));
    let mut effort = report.effort();
    effort.budget = effort.budget.min(Duration::from_millis(200));
    let means = Means::of(grown, &pairs, primitives, &effort)?;
    means.line("random versions", (None, n), report)
}

/// Means over pairs of versions.
#[derive(Debug, Default)]
struct Means {
    prove_us: f64,
    verify_us: f64,
    verify_limit_us: f64,
    proof_bytes: f64,
}

impl Means {
    fn of(
        grown: &Grown,
        pairs: &[(u64, u64)],
        primitives: &Primitives,
        effort: &Effort,
    ) -> Outcome<Self> {
        let mut sum = Self::default();
        let (entries, shape) = (grown.author.entries(), grown.author.log().shape());
        let count = pairs.len().max(1) as f64;
        for &(from, to) in pairs {
            let message = wire::encode(&entries.prove_append_only(from, to));
            let growth = Growth::new(grown.at(from)?, grown.at(to)?)?;
            check_growth(&message, &growth)?;
            let prove = effort.repeat(
                64,
                |calls| calls,
                |calls| {
                    (0..calls).for_each(|_| drop(entries.prove_append_only(from, to)));
                },
            );
            let verify = effort.repeat(
                64,
                |calls| calls,
                |calls| {
                    (0..calls).for_each(|_| drop(check_growth(&message, &growth)));
                },
            );
            sum.prove_us += prove.median_us() / count;
            sum.verify_us += verify.median_us() / count;
            sum.verify_limit_us += primitives.verify_us(Points::of_growth(shape, from, to)) / count;
            sum.proof_bytes += message.len() as f64 / count;
        }
        Ok(sum)
    }

    fn line(&self, pair: &str, (from, to): (Option<u64>, u64), report: &mut Report) -> Outcome<()> {
        measured(
            report,
            line! {
                experiment: "aad_append_only",
                    pair: pair,
                from: from,
                n: to,
                threads: 1,
                prove_us: self.prove_us,
                verify_us: self.verify_us,
                verify_limit_us: self.verify_limit_us,
                verify_ratio: self.verify_us / self.verify_limit_us,
                proof_bytes: self.proof_bytes,
            },
        )
    }
}

fn check_growth(message: &[u8], growth: &Growth<Scheme>) -> Outcome<u64> {
    let proof = wire::decode::<AppendOnlyProof<Scheme>>(&(), message, LONGEST_PROOF)?;
    Ok(proof.verify(growth, &())?.get().to_size)
}
