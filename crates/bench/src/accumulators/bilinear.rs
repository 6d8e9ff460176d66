//! Benchmark of the bilinear accumulator: its keys, and the primitives that bound its operations.

use std::cell::RefCell;

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
    sums: RefCell<Vec<(usize, f64)>>,
    fixed_base: f64,
    product: f64,
    multiplication: f64,
    pairing: f64,
}

impl BilinearBench {
    /// Measures the primitives on one core.
    pub fn new(plan: &Plan) -> Outcome<Self> {
        let largest = plan.sizes.iter().copied().max().unwrap_or(1).max(1000);
        let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let mut random = Random::new(381);
        let mut scalar = || {
            let words = [(); 4].map(|()| random.next().to_le_bytes());
            Fr::from_le_bytes_mod_order(words.as_flattened())
        };
        let scalars: Vec<Fr> = (0..=largest).map(|_| scalar()).collect();
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
            sums: RefCell::new(Vec::new()),
            fixed_base,
            product,
            multiplication,
            pairing,
        })
    }

    /// Returns the microseconds of the multi-scalar multiplication of `n` points on one core.
    fn sum_us(&self, n: usize) -> f64 {
        let known = |(size, us): &(usize, f64)| (*size == n).then_some(*us);
        if let Some(us) = self.sums.borrow().iter().find_map(known) {
            return us;
        }
        let (points, scalars) = (&self.points[..n], &self.scalars[..n]);
        let plan = &self.plan;
        let us = self
            .one_core
            .install(|| plan.time_us(|| public::sum(points, scalars)));
        self.sums.borrow_mut().push((n, us));
        us
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
        let (name, us) = match work {
            BoundedWork::Element => ("SHA-256 of 32 bytes", hash()),
            BoundedWork::Factor => ("product of scalars", self.product),
            BoundedWork::SecretOnce => ("multiplication in G1", self.multiplication),
            BoundedWork::Public => {
                let name = format!("multi-scalar multiplication of {n}, each");
                return Primitive::new(name, self.sum_us(n) / n as f64);
            }
            BoundedWork::SecretWitness => (
                "batch multiplication of a fixed base, each",
                self.fixed_base,
            ),
            BoundedWork::PublicWitness => {
                let name = format!("multi-scalar multiplication of {n}");
                return Primitive::new(name, self.sum_us(n));
            }
            BoundedWork::Verify => (
                "product of two pairings and multiplication in G1",
                self.pairing + self.multiplication,
            ),
        };
        Primitive::new(name, us)
    }

    fn extras(&self, report: &mut Operations<'_, Self>) -> Outcome<()> {
        for n in report.plan.sizes.clone() {
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
