//! Time that a server saves if an update contains the offset of an element's prime.
//!
//! RSA accumulators represent each element by a prime. The search for the prime starts at the
//! element's hash. A server that knows the prime's offset only checks that prime; without the
//! offset it searches.
//!
//! Source: Crosby & Wallach 2010, section 5.2 ("the author sends the offset to the prime
//! representative along as a hint").

use pad_accumulators::{
    internals::representative::{at_offset, search},
    rsa::RepresentativeRule,
};
use rug::{Integer, integer::IsPrime};
use sha2::{Digest, Sha256};

use super::Plan;
use crate::{costs, line, prelude::*};

/// Measures each rule that represents elements by primes.
pub fn run(plan: &Plan, report: &mut Report) -> Outcome<()> {
    let number: u32 = if plan.manner.quick { 20 } else { 20_000 };
    for rule in RepresentativeRule::ALL {
        report.announce(format!("hints of {rule}"));
        let [search_us, check_us, limit_us] = times(rule, number)?;
        let (saved_us, prices) = (search_us - check_us, costs::of_2010());
        report.measured(line! {
            experiment: "accumulators_hints", rule: rule.name(), elements: number, threads: 1,
            search_us, check_us, saved_us, primitive: "GMP's test of the same primes",
            primitive_us: limit_us, ratio: check_us / limit_us,
            // More than 1: the hint is worth sending.
            saved_to_sent: prices.of_computing(saved_us) / prices.of_sending(HINT_BYTES as f64),
        })?;
    }
    Ok(())
}

/// Bytes of an offset in an update.
pub const HINT_BYTES: usize = size_of::<u16>();

/// Searches the primes of `number` elements. Then computes and checks the same primes from the
/// offsets that the search found. Returns the mean microseconds per element of the search, of the
/// check, and of only testing the primes.
pub fn times(rule: RepresentativeRule, number: u32) -> Outcome<[f64; 3]> {
    let digests = (0..number).map(|index| Sha256::digest(index.to_be_bytes()).into());
    let digests: Vec<[u8; 32]> = digests.collect();
    let (search_us, found) = stopwatch(|| -> Option<Vec<(Integer, u16)>> {
        digests.iter().map(|digest| search(rule, digest)).collect()
    });
    let found = found.ok_or("a window without a prime")?;
    let check = |(digest, (_, offset)): (_, &(_, u16))| at_offset(rule, digest, *offset);
    let (check_us, checked) = stopwatch(|| -> Result<Vec<Integer>, _> {
        digests.iter().zip(&found).map(check).collect()
    });
    let is_same = checked?.iter().eq(found.iter().map(|(prime, _)| prime));
    ensure(is_same, "a hint leads to another prime")?;
    let is_prime = |(prime, _): &(Integer, u16)| prime.is_probably_prime(ROUNDS) != IsPrime::No;
    let (limit_us, all_prime) = stopwatch(|| found.iter().all(is_prime));
    ensure(all_prime, "a representative is composite")?;
    Ok([search_us, check_us, limit_us].map(|sum| sum / f64::from(number)))
}

/// Number of repetitions (`reps`) of GMP's primality test, which begins with the Baillie-PSW test.
const ROUNDS: u32 = 25;
