//! Secret exponents of the author: products of primes modulo the order of `g`.
//!
//! The running time depends on the primes, which are public. It also depends on secret data: GMP's
//! division takes a time that depends on the digits of quotients by the secret order.

use pad_core::Workers;
use rsa_group::{Factors, SecretInteger};
use rug::{Complete, Integer};

use crate::products;

/// Number of primes that are multiplied before the product is reduced modulo the secret order.
const BLOCK: usize = 16;

/// Computes the product of `primes` modulo the secret order of the base `g`.
///
/// Cost: for each prime, one product with a number of at most [`BLOCK`] primes, and a sixteenth of
/// a product modulo the order.
pub(crate) fn product<'a>(
    factors: &Factors,
    primes: impl IntoIterator<Item = &'a Integer>,
    workers: &Workers,
) -> SecretInteger {
    let primes: Vec<&Integer> = primes.into_iter().collect();
    let blocks: Vec<&[&Integer]> = primes.chunks(BLOCK).collect();
    let blocks = workers.map(&blocks, |block| block_product(block));
    let multiply = |left: &SecretInteger, right: &SecretInteger| multiply(factors, left, right);
    let product = products::product(&blocks, multiply, workers);
    // A single block is not reduced yet.
    product.map_or_else(one, |product| {
        SecretInteger::new((&*product % factors.order()).complete())
    })
}

/// Computes for each prime the product of all other primes, modulo the secret order of the base
/// `g`.
///
/// Cost: for each prime, three products modulo the order, or four with several threads.
pub(crate) fn products_of_others(
    factors: &Factors,
    primes: &[&Integer],
    workers: &Workers,
) -> Vec<SecretInteger> {
    let primes: Vec<SecretInteger> = primes
        .iter()
        .map(|prime| SecretInteger::new(Integer::clone(prime)))
        .collect();
    let multiply = |left: &SecretInteger, right: &SecretInteger| multiply(factors, left, right);
    products::products_of_others(&primes, &one(), multiply, workers)
}

/// Computes `left * right` modulo the secret order of the base `g`.
pub(crate) fn multiply(factors: &Factors, left: &Integer, right: &Integer) -> SecretInteger {
    SecretInteger::new((left * right).complete() % factors.order())
}

fn one() -> SecretInteger {
    SecretInteger::new(Integer::from(1))
}

/// Computes the product of the primes of one block, without a reduction modulo the order.
fn block_product(block: &[&Integer]) -> SecretInteger {
    let mut product = Integer::with_capacity(BLOCK.saturating_mul(320));
    product += 1;
    for prime in block {
        product *= *prime;
    }
    SecretInteger::new(product)
}
