//! Fixed keys for unit tests. Generating a key takes longer than most tests.

use pad_core::Workers;
use rug::Integer;

/// Returns two fixed, publicly known safe primes, whose product has 2048 bits.
pub(crate) fn primes() -> [Integer; 2] {
    let lines = include_str!("../../accumulators/tests/keys/rsa-2048.txt").lines();
    let primes: Vec<Integer> = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| Integer::from_str_radix(line, 16).unwrap())
        .collect();
    primes.try_into().unwrap()
}

/// Returns two safe primes of 256 bits. For moduli of this length, powers are computed without
/// tables.
pub(crate) fn small_primes() -> [Integer; 2] {
    SMALL.map(|digits| Integer::from_str_radix(digits, 16).unwrap())
}

const SMALL: [&str; 2] = [
    "fbb27edae15192f11ecc4ce0d98c470f78ed6b8b455b2c4b53bce75a66aca05b",
    "d3730a81df7c8d17cf6d9d454acc8e63801584e8a20e4246da3d8a3b8ab2d313",
];

/// Creates a pool of `threads` threads.
pub(crate) fn workers(threads: usize) -> Workers {
    Workers::new(threads.try_into().unwrap()).unwrap()
}
