//! Benchmark of the bilinear accumulator: its keys, and the primitives that bound its operations.

use std::{cell::RefCell, collections::HashMap};

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, scalar_mul::BatchMulPreprocessing};
use ark_ff::PrimeField;
use bls12::{
    pairing::{PairingPoint, pairs_to_one},
    public,
};
use pad_accumulators::bilinear::{Bilinear, BilinearSecretKey};
use pad_core::Workers;
use sha2::{Digest, Sha256};

use super::{Bench, BoundedWork, Operations, Plan, Primitive};
use crate::prelude::*;

/// The largest subset that one witness covers in these measurements.
const SUBSET_LIMIT: usize = 16;

/// The bilinear accumulator over BLS12-381, with the measured times of its primitives in
/// microseconds.
pub struct BilinearBench {
    plan: Plan,
    /// Pool of one thread, so that the curve library cannot spread its work over several.
    one_core: rayon::ThreadPool,
    points: Vec<G1Affine>,
    scalars: Vec<Fr>,
    /// Times of sums by their number of terms.
    sums: RefCell<HashMap<usize, f64>>,
    fixed_base: f64,
    product: f64,
    multiplication: f64,
    pairing: f64,
}

/// Makes `number` random scalars.
pub(crate) fn scalars(number: usize) -> Vec<Fr> {
    let mut random = Random::new(number as u64);
    let mut scalar = |_| {
        let words = [(); 4].map(|()| random.next().to_le_bytes());
        Fr::from_le_bytes_mod_order(words.as_flattened())
    };
    (0..number).map(&mut scalar).collect()
}

impl BilinearBench {
    /// Measures the primitives on one core.
    pub fn new(plan: &Plan) -> Outcome<Self> {
        let largest = plan.largest().max(1000);
        let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let scalars = scalars(largest + 1);
        let generator = G1Projective::generator();
        let table = BatchMulPreprocessing::new(generator, scalars.len());
        let mut points = Vec::new();
        let fixed = one_core.install(|| plan.time_us(|| points = table.batch_mul(&scalars)));
        let product = plan.primitive_us(|| scalars[0] * scalars[1]);
        let multiplication =
            one_core.install(|| plan.primitive_us(|| (points[0] * scalars[0]).into_affine()));
        let first = [points[0], points[1]];
        let second = [(); 2].map(|()| PairingPoint::from(G2Affine::generator()));
        let pairing =
            one_core.install(|| plan.primitive_us(|| pairs_to_one(first, second.clone())));
        let fixed_base = fixed / scalars.len() as f64;
        Ok(Self {
            plan: plan.clone(),
            one_core,
            points,
            scalars,
            sums: RefCell::default(),
            fixed_base,
            product,
            multiplication,
            pairing,
        })
    }

    /// Returns the microseconds of the multi-scalar multiplication of `n` points on one core.
    fn sum_us(&self, n: usize) -> f64 {
        let (points, scalars) = (&self.points[..n], &self.scalars[..n]);
        let (plan, pool) = (&self.plan, &self.one_core);
        let time_us = || pool.install(|| plan.time_us(|| public::sum(points, scalars)));
        *self.sums.borrow_mut().entry(n).or_insert_with(time_us)
    }
}

impl Bench for BilinearBench {
    type Scheme = Bilinear;

    fn name(&self) -> String {
        "bilinear-bls12-381".to_owned()
    }

    fn secret(&self, capacity: usize) -> Outcome<BilinearSecretKey> {
        let pool = Workers::all_cores();
        let secret = BilinearSecretKey::generate(capacity, SUBSET_LIMIT, b"bench", &pool);
        Ok(secret?)
    }

    fn bound(&self, work: BoundedWork, n: usize) -> Primitive {
        let hash = || self.plan.primitive_us(|| Sha256::digest([7; 32]));
        let sum = format!("multi-scalar multiplication of {n}");
        let fixed_base = "batch multiplication of a fixed base, each";
        let both = "product of two pairings and multiplication in G1";
        match work {
            BoundedWork::Element => Primitive::new("SHA-256 of 32 bytes", hash()),
            BoundedWork::Factor => Primitive::new("product of scalars", self.product),
            BoundedWork::SecretOnce => Primitive::new("multiplication in G1", self.multiplication),
            BoundedWork::Public => Primitive::new(sum + ", each", self.sum_us(n) / n as f64),
            BoundedWork::SecretWitness => Primitive::new(fixed_base, self.fixed_base),
            BoundedWork::PublicWitness => Primitive::new(sum, self.sum_us(n)),
            BoundedWork::Verify => Primitive::new(both, self.pairing + self.multiplication),
        }
    }

    fn extras(&self, report: &mut Operations<'_, Self>) -> Outcome<()> {
        for n in report.plan.sizes() {
            for pool in report.plan.pools()? {
                report.measure(
                    "setup",
                    (n, pool.threads()),
                    BoundedWork::SecretWitness,
                    || BilinearSecretKey::generate(n, SUBSET_LIMIT, b"bench", &pool),
                )?;
            }
        }
        Ok(())
    }
}
