//! Cryptographic primitives that bound the work of a log: sums in G1, decoded points, pairings and
//! signatures.

use std::hint::black_box;

use ark_bls12_381::{G2Affine, g1};
use ark_ec::AffineRepr;
use bls12::{
    pairing::{PairingPoint, pairs_to_one},
    point,
};
use pad_accumulators::{
    bilinear::Parameters,
    internals::polynomial::{self, Transform},
};
use pad_core::{Sha256Ed25519, Workers};
use pad_log::{DictionaryScheme, Shape, internals::prefix};

use super::of_scheme;
use crate::{accumulators::scalars, line, prelude::*, primitives};

/// Measured times of the primitives on one core, in microseconds.
pub(super) struct Primitives {
    /// Time per term of a multi-scalar multiplication in G1 with `2^level` terms. The first element
    /// is for `level` = [`Shape::BLOCK_LEVEL`], each further element for the next level.
    sums: Vec<f64>,
    /// Decoding a point of G1, including the subgroup check.
    decode_us: f64,
    /// Computing the product of two pairings, with prepared points of G2.
    pairings_us: f64,
    /// Signing the head of a version.
    pub(super) sign_us: f64,
}

impl Primitives {
    /// Measures the primitives, and reports each of them.
    pub(super) fn measure<S: DictionaryScheme>(
        parameters: &Parameters,
        report: &mut Report,
    ) -> Outcome<Self> {
        let effort = report.effort();
        let rounds = report.rounds(5, 1);
        let alone = Workers::sequential();
        // Long enough for the verifier's sums, even if the log is small.
        let largest = parameters.capacity().clamp(VERIFIERS_SUM, LONGEST_SUM);
        let scalars = scalars(largest);
        let mut sums = Vec::new();
        for level in u32::from(Shape::BLOCK_LEVEL)..=largest.ilog2() {
            let terms = &scalars[..1 << level];
            // Short sums are timed many at a time.
            let calls = ((1 << 12) / terms.len()).max(1);
            let sum = || black_box(parameters.evaluate(black_box(terms), &alone));
            _ = sum()?;
            let time = |_| stopwatch(|| (0..calls).for_each(|_| _ = sum())).0;
            let us = median((0..rounds).map(time).collect()) / (calls * terms.len()) as f64;
            report_one::<S>("sum_each", Some(terms.len()), us, report)?;
            sums.push(us);
            if level >= 12 {
                let half = &scalars[..terms.len() / 2];
                let transform = Transform::for_degree(terms.len());
                let (us, _) = stopwatch(|| black_box(polynomial::multiply(half, half, &transform)));
                report_one::<S>("product_of_polynomials", Some(terms.len()), us, report)?;
            }
        }
        let powers = parameters.powers_g1();
        let points = [powers[0], powers[powers.len() - 1]];
        let bytes: [u8; point::G1_BYTES] = point::encode::<g1::Config, _>(&points[1]);
        let decode = || point::decode::<g1::Config, { point::G1_BYTES }>(black_box(&bytes));
        let second = [(); 2].map(|()| PairingPoint::from(G2Affine::generator()));
        let primitives = Self {
            sums,
            decode_us: effort.each_ns(decode) / 1e3,
            pairings_us: effort.each_ns(|| pairs_to_one(points, second.clone())) / 1e3,
            sign_us: primitives::Primitives::measure::<Sha256Ed25519>(&effort).sign_us,
        };
        let prefix_us = effort.each_ns(|| prefix::scalar_of_half(black_box(&[7; 32]))) / 1e3;
        report_one::<S>("decode", None, primitives.decode_us, report)?;
        report_one::<S>("two_pairings", None, primitives.pairings_us, report)?;
        report_one::<S>("sign", None, primitives.sign_us, report)?;
        report_one::<S>("hash_of_prefix", None, prefix_us, report)?;
        Ok(primitives)
    }

    /// Returns the microseconds per coefficient of a sum of `2^level` coefficients.
    fn sum_us(&self, level: u32) -> f64 {
        let index = level.saturating_sub(u32::from(Shape::BLOCK_LEVEL)) as usize;
        let of_level = self.sums.get(index).or(self.sums.last());
        of_level.copied().unwrap_or(0.0)
    }

    /// Returns the microseconds of a sum of `terms` points of G1, each with a coefficient.
    pub(super) fn sum_of(&self, terms: usize) -> f64 {
        terms as f64 * self.sum_us(terms.max(1).ilog2())
    }

    /// Returns the lower bound of a verification in microseconds: decoding `decoded` points, adding
    /// `added` terms in the verifier's sums, and two pairings.
    pub(super) fn verify_us(&self, decoded: usize, added: usize) -> f64 {
        decoded as f64 * self.decode_us
            + added as f64 * self.sum_us(VERIFIERS_SUM.ilog2())
            + self.pairings_us
    }
}

fn report_one<S: DictionaryScheme>(
    name: &str,
    n: Option<usize>,
    us: f64,
    report: &mut Report,
) -> Outcome<()> {
    report.measured(of_scheme::<S>(line! {
        experiment: "aad_primitives", primitive: name, n, threads: 1, primitive_us: us,
    }))
}

/// Assumed number of terms in a verifier's sum. It determines the time per term.
const VERIFIERS_SUM: usize = 64;

/// Number of terms of the longest measured sum. Longer sums are assumed to take the same time per
/// term.
const LONGEST_SUM: usize = 1 << 18;
