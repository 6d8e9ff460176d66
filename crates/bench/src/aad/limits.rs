//! What bounds the work: sums in G1, points that are decoded, pairings; and how many of them there are.

use std::hint::black_box;

use aad::{
    prefix,
    shape::{Address, Shape},
};
use accumulators::bilinear::{
    Parameters,
    polynomial::{self, Transform},
};
use ark_bls12_381::{Bls12_381, Fr, G2Affine, g1};
use ark_ec::{AffineRepr, pairing::Pairing};
use ark_ff::PrimeField;
use bls12::point;
use pad_core::{Sha256Ed25519, Workers};

use super::measured;
use crate::{
    Outcome, line, primitives,
    report::Report,
    timing::{Effort, median, stopwatch},
    workload::Random,
};

/// Primitives on one core, in microseconds.
pub(super) struct Primitives {
    /// One coefficient in a sum of `2^level`, from the blocks' level on.
    sums: Vec<f64>,
    /// Decoding a point of G1 with the check of the subgroup.
    decode_us: f64,
    /// The product of two pairings with prepared points of G2.
    pairings_us: f64,
    /// A signature on a head.
    pub(super) sign_us: f64,
}

/// The levels of a log of a power of two of entries, from the blocks' on.
pub(super) fn levels(size: u64) -> impl Iterator<Item = u32> {
    u32::from(Shape::BLOCK_LEVEL)..=size.ilog2()
}

impl Primitives {
    /// Measures and reports them.
    pub(super) fn measure(
        parameters: &Parameters,
        largest: u64,
        report: &mut Report,
    ) -> Outcome<Self> {
        let effort = report.effort();
        let rounds = report.rounds(5, 1);
        let alone = Workers::sequential();
        let mut random = Random::new(largest);
        let mut scalar = || {
            let words = [(); 4].map(|()| random.next().to_le_bytes());
            Fr::from_le_bytes_mod_order(words.as_flattened())
        };
        let scalars: Vec<Fr> = (0..largest).map(|_| scalar()).collect();
        // Also those of the verifier, however small the log.
        let mut sums = Vec::new();
        for level in levels(largest.max(VERIFIERS_SUM)) {
            let terms = &scalars[..scalars.len().min(1 << level)];
            // Short sums are timed many at a time.
            let calls = ((1 << 12) / terms.len()).max(1);
            let sum = || black_box(parameters.evaluate(black_box(terms), &alone));
            _ = sum()?;
            let time = |_| stopwatch(|| (0..calls).for_each(|_| _ = sum())).0;
            let us = median((0..rounds).map(time).collect()) / (calls * terms.len()) as f64;
            report_one("sum_each", Some(terms.len()), us, report)?;
            sums.push(us);
            if level >= 12 {
                let half = &scalars[..terms.len() / 2];
                let transform = Transform::for_degree(terms.len());
                let (us, _) = stopwatch(|| black_box(polynomial::multiply(half, half, &transform)));
                report_one("product_of_polynomials", Some(terms.len()), us, report)?;
            }
        }
        let primitives = Self {
            sums,
            decode_us: decode_us(&effort, parameters)?,
            pairings_us: pairings_us(&effort, parameters),
            sign_us: primitives::Primitives::measure::<Sha256Ed25519>(&effort).sign_us,
        };
        let prefix_us = each_us(&effort, || prefix::scalar_of_half(black_box(&[7; 32])));
        for (name, us) in [
            ("decode", primitives.decode_us),
            ("two_pairings", primitives.pairings_us),
            ("sign", primitives.sign_us),
            ("hash_of_prefix", prefix_us),
        ] {
            report_one(name, None, us, report)?;
        }
        Ok(primitives)
    }

    /// One coefficient in a sum of `2^level`.
    pub(super) fn sum_us(&self, level: u32) -> f64 {
        let index = level.saturating_sub(u32::from(Shape::BLOCK_LEVEL)) as usize;
        self.sums
            .get(index)
            .or(self.sums.last())
            .copied()
            .unwrap_or(0.0)
    }

    /// Decoding these points, adding them up in two sums, and two pairings.
    pub(super) fn verify_us(&self, points: Points) -> f64 {
        let decoded = points.commitments + points.quotients;
        let added = points.commitments + 2 * points.quotients;
        decoded as f64 * self.decode_us
            + added as f64 * self.sum_us(VERIFIERS_SUM.ilog2())
            + self.pairings_us
    }
}

/// The points of a proof.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Points {
    commitments: usize,
    /// They are in both sums.
    quotients: usize,
}

impl Points {
    const fn add(&mut self, commitments: usize, quotients: usize) {
        self.commitments += commitments;
        self.quotients += quotients;
    }

    /// Those of a look-up of a key with values at these positions.
    pub(super) fn of_look_up(shape: Shape, size: u64, positions: &[u64]) -> Self {
        let mut points = Self::default();
        for root in shape.forest(size) {
            let shown = |node: Address| {
                node.level == Shape::BLOCK_LEVEL && root == node
                    || positions
                        .iter()
                        .any(|it| (node.start()..node.end()).contains(it))
            };
            points.open(root, &shown);
            if root.level > Shape::BLOCK_LEVEL {
                let within = |it: &&u64| (root.start()..root.end()).contains(*it);
                match positions.iter().filter(within).count() {
                    0 => points.add(0, 1),
                    // The polynomial without the key is a commitment and, if there is one value, a quotient.
                    _ => points.add(1, 2),
                }
            }
        }
        points
    }

    /// Those of an append-only proof.
    pub(super) fn of_growth(shape: Shape, from: u64, to: u64) -> Self {
        let mut points = Self::default();
        let open = |node: Address| node.start() < from && !shape.is_root(node, from);
        for root in shape.forest(to).filter(|root| open(*root)) {
            points.open(root, &open);
        }
        points
    }

    fn open(&mut self, node: Address, is_open: &dyn Fn(Address) -> bool) {
        if node.level < Shape::BLOCK_LEVEL {
            return;
        }
        if !is_open(node) {
            return self.add(1, 0);
        }
        self.add(1, 1);
        if let Some((left, right)) = node.children() {
            self.open(left, is_open);
            self.open(right, is_open);
        }
    }
}

fn decode_us(effort: &Effort, parameters: &Parameters) -> Outcome<f64> {
    let last = parameters.powers_g1().last().ok_or("no powers")?;
    let bytes: [u8; point::G1_BYTES] = point::encode::<g1::Config, { point::G1_BYTES }>(last);
    Ok(each_us(effort, || {
        point::decode::<g1::Config, { point::G1_BYTES }>(black_box(&bytes))
    }))
}

fn pairings_us(effort: &Effort, parameters: &Parameters) -> f64 {
    let powers = parameters.powers_g1();
    let points = [powers[0], powers[powers.len() - 1]];
    let prepared = <Bls12_381 as Pairing>::G2Prepared::from(G2Affine::generator());
    let prepared = [prepared.clone(), prepared];
    each_us(effort, || {
        Bls12_381::multi_pairing(points, prepared.clone())
    })
}

fn each_us<R>(effort: &Effort, mut work: impl FnMut() -> R) -> f64 {
    effort.primitive_ns(|calls| {
        for _ in 0..calls {
            black_box(work());
        }
    }) / 1e3
}

fn report_one(name: &str, n: Option<usize>, us: f64, report: &mut Report) -> Outcome<()> {
    measured(
        report,
        line! {
            experiment: "aad_primitives",
            primitive: name,
            n: n,
            threads: 1,
            primitive_us: us,
        },
    )
}

/// The terms of a verifier's sums, about.
const VERIFIERS_SUM: u64 = 64;
