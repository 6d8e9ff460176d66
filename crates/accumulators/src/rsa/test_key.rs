//! Fixed RSA keys for unit tests. Generating a key takes longer than most tests.

use std::sync::LazyLock;

use pad_core::Workers;
use rug::Integer;

use super::{RepresentativeRule, Rsa, RsaSecretKey};
use crate::set::ElementSet;
pub(crate) use crate::testing::workers;

/// The safe primes of the public test key: 1024 bits each.
pub(crate) fn primes() -> [Integer; 2] {
    primes_in(include_str!("../../tests/keys/rsa-2048.txt"))
}

fn primes_in(file: &str) -> [Integer; 2] {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let primes = lines.map(|line| Integer::from_str_radix(line, 16).unwrap());
    primes.collect::<Vec<_>>().try_into().unwrap()
}

/// Returns a fixed secret key whose modulus has 2048 bits.
pub(crate) fn secret() -> RsaSecretKey {
    static KEY: LazyLock<RsaSecretKey> = LazyLock::new(|| {
        let [p, q] = primes();
        RsaSecretKey::from_primes(p, q, RepresentativeRule::Wide, b"test").unwrap()
    });
    KEY.clone()
}

/// Returns a fixed secret key whose modulus has 3072 bits.
pub(crate) fn secret_3072() -> RsaSecretKey {
    static KEY: LazyLock<RsaSecretKey> = LazyLock::new(|| {
        let [p, q] = primes_in(include_str!("../../tests/keys/rsa-3072.txt"));
        RsaSecretKey::from_primes(p, q, RepresentativeRule::Wide, b"test").unwrap()
    });
    KEY.clone()
}

/// Returns the names of the numbered test elements from `first` to below `first + count`.
pub(crate) fn names(first: usize, count: usize) -> Vec<String> {
    let names = (first..first + count).map(|index| format!("element {index}"));
    names.collect()
}

/// Returns the set whose elements are the first `count` [`names`].
pub(crate) fn set(count: usize) -> ElementSet<Rsa> {
    use crate::accumulator::SecretKey as _;

    let workers = Workers::all_cores();
    ElementSet::from_elements(secret().public_key(), &names(0, count), &workers).unwrap()
}
