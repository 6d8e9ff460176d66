//! Fixed secret keys of all measurements.

use std::sync::{LazyLock, OnceLock};

use pad_accumulators::{
    SecretKey as _,
    bilinear::BilinearSecretKey,
    rsa::{RepresentativeRule, RsaSecretKey},
};
use pad_core::Workers;
use pad_tuple::{BlsSecretKey, ChainSecret, SecretBytes, internals::chain::DEFAULT_CHAIN_LENGTH};
use rug::Integer;

use crate::Outcome;

/// Secret type with a fixed value for measurements. Costs do not depend on the value.
pub trait FixedSecret: SecretBytes {
    /// Number of links of the hash chains made from the secret; `None` if there are none.
    const CHAIN: Option<u32> = None;

    /// Returns the fixed secret.
    fn fixed() -> Self;
}

impl FixedSecret for () {
    fn fixed() {}
}

impl FixedSecret for ChainSecret {
    const CHAIN: Option<u32> = Some(DEFAULT_CHAIN_LENGTH);

    fn fixed() -> Self {
        Self::from_bytes([7; 32])
    }
}

impl FixedSecret for BlsSecretKey {
    fn fixed() -> Self {
        Self::from_seed(&[7; 32])
    }
}

impl<A: FixedSecret, B: FixedSecret> FixedSecret for (A, B) {
    const CHAIN: Option<u32> = match A::CHAIN {
        Some(length) => Some(length),
        None => B::CHAIN,
    };

    fn fixed() -> Self {
        (A::fixed(), B::fixed())
    }
}

/// Fixed RSA key of 3072 bits, with the default rule that represents elements by primes.
impl FixedSecret for RsaSecretKey {
    fn fixed() -> Self {
        RSA.with_label(LABEL)
    }
}

/// Fixed key for dictionaries of at most as many keys as were passed to [`reserve`]; 1 024 by
/// default.
impl FixedSecret for BilinearSecretKey {
    fn fixed() -> Self {
        BILINEAR.with_label(LABEL)
    }
}

/// Sets the maximum number of keys in dictionaries over the bilinear accumulator.
///
/// Only the first call has an effect, and only before the first use of the secret key.
pub fn reserve(keys: u64) {
    let keys = usize::try_from(keys).unwrap_or(usize::MAX);
    CAPACITY.get_or_init(|| keys.saturating_add(SPARE));
}

/// Additional capacity: for the tuple at the start of the key space, and a margin.
const SPARE: usize = 16;

const LABEL: &[u8] = b"comparison";

/// Factors of a 3072-bit RSA modulus, in hexadecimal. They are public, so the key is for measuring
/// only. The file belongs to the tests of `pad-accumulators`.
const RSA_KEY: &str = include_str!("../../../accumulators/tests/keys/rsa-3072.txt");

/// Returns the two safe primes whose product is the RSA modulus.
pub fn rsa_factors() -> Outcome<(Integer, Integer)> {
    let mut primes = RSA_KEY.lines().filter(|line| !line.starts_with('#'));
    let mut prime = || -> Outcome<Integer> {
        let digits = primes.next().ok_or("two primes")?;
        Ok(Integer::from_str_radix(digits.trim(), 16)?)
    };
    Ok((prime()?, prime()?))
}

static CAPACITY: OnceLock<usize> = OnceLock::new();

static RSA: LazyLock<RsaSecretKey> = LazyLock::new(|| {
    let (p, q) = rsa_factors().expect("secret: the source has two primes");
    RsaSecretKey::from_primes(p, q, RepresentativeRule::default(), LABEL)
        .expect("secret: the source has two suitable primes")
});

static BILINEAR: LazyLock<BilinearSecretKey> = LazyLock::new(|| {
    let capacity = CAPACITY.get().copied().unwrap_or(1 << 10);
    BilinearSecretKey::generate(capacity, 1, LABEL, &Workers::all_cores())
        .expect("secret: the operating system has randomness")
});
