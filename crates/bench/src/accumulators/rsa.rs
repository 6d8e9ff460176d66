//! Benchmark of the RSA accumulator: its key, and the primitives that bound its operations.

use pad_accumulators::{
    Accumulator as _, ElementSet, SecretKey as _,
    rsa::{PowersOfBase, RepresentativeRule, Rsa, RsaSecretKey},
};
use rug::{Complete, Integer, integer::Order};
use sha2::{Digest, Sha256};

use super::{Bench, BoundedWork, Operations, Plan, Primitive, elements};
use crate::{prelude::*, secret::rsa_factors};

/// Largest set for which accumulating with published powers of `g` is measured. The powers take 4
/// KiB for each element.
const LARGEST_TABLE: usize = 20_000;

/// The RSA accumulator with a modulus of 3072 bits, and one rule that represents elements by
/// primes.
pub struct RsaBench {
    rule: RepresentativeRule,
    factors: (Integer, Integer),
    /// One power modulo `N` with an exponent of 256 bits.
    power: Primitive,
    /// A hash and the search for the next prime of 256 bits.
    next_prime: Primitive,
    /// A product of a representative and a number below `N`, and its remainder modulo `N`.
    product: Primitive,
}

impl RsaBench {
    /// Measures the primitives.
    pub fn new(rule: RepresentativeRule, plan: &Plan) -> Outcome<Self> {
        let factors = rsa_factors()?;
        let modulus = (&factors.0 * &factors.1).complete();
        let mut random = Random::new(3072);
        let mut number = |bits: u32| -> Integer {
            let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.next()).collect();
            Integer::from_digits(&words, Order::Lsf).keep_bits(bits) | 1_u32
        };
        let (base, exponent) = (number(3071), number(256) | (Integer::from(1) << 255));
        let power = plan.primitive_us(|| base.clone().pow_mod(&exponent, &modulus));
        let product = plan.primitive_us(|| (&base * &exponent).complete() % &modulus);
        let mut start = 0_u64;
        let next_prime = plan.primitive_us(|| {
            start += 1;
            let digest = Sha256::digest(start.to_be_bytes());
            let mut number = Integer::from_digits(&digest, Order::Msf);
            number.set_bit(255, true);
            number.next_prime()
        });
        Ok(Self {
            rule,
            factors,
            power: Primitive::new("3072-bit power, 256-bit exponent", power),
            next_prime: Primitive::new("SHA-256 and GMP next prime, 256 bits", next_prime),
            product: Primitive::new("3072-bit product and remainder", product),
        })
    }
}

impl Bench for RsaBench {
    type Scheme = Rsa;

    fn name(&self) -> String {
        if self.rule == RepresentativeRule::default() {
            return "rsa-3072".to_owned();
        }
        format!("rsa-3072/{}", self.rule.name())
    }

    fn secret(&self, _: usize) -> Outcome<RsaSecretKey> {
        let (p, q) = self.factors.clone();
        Ok(RsaSecretKey::from_primes(p, q, self.rule, b"bench")?)
    }

    fn bound(&self, work: BoundedWork, _: usize) -> Primitive {
        let primitive = match work {
            BoundedWork::Element => &self.next_prime,
            BoundedWork::Factor => &self.product,
            _ => &self.power,
        };
        primitive.clone()
    }

    fn extras(&self, report: &mut Operations<'_, Self>) -> Outcome<()> {
        let secret = self.secret(0)?;
        let key = secret.public_key();
        for n in report.plan.sizes() {
            if n > LARGEST_TABLE {
                continue;
            }
            let fast = key.clone().with_powers(PowersOfBase::compute(key, n))?;
            for pool in report.plan.pools()? {
                let set = ElementSet::<Rsa>::from_elements(key, &elements(n), &pool)?;
                let value = Rsa::accumulate(key, &set, &pool)?;
                let mut equal = true;
                let what = (n, pool.threads());
                let name = "accumulate_published_powers";
                report.measure(name, what, BoundedWork::SecretWitness, || {
                    equal &= Rsa::accumulate(&fast, &set, &pool).is_ok_and(|it| it == value);
                })?;
                ensure(equal, "published powers lead to another value")?;
            }
        }
        Ok(())
    }
}
