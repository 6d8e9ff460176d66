//! What an offset in the update saves: a server that is told which prime represents an element checks it, one that is
//! not told searches.
//!
//! Source: Crosby & Wallach 2010, section 5.2 ("the author sends the offset to the prime representative along as a
//! hint").

use accumulators::rsa::{
    RepresentativeRule,
    representative::{at_offset, search},
};
use rug::{Integer, integer::IsPrime};
use sha2::{Digest, Sha256};

use super::Plan;
use crate::{Outcome, costs::Prices, line, report::Report, timing::stopwatch};

/// Measures each rule.
pub fn run(plan: &Plan, report: &mut Report) -> Outcome<()> {
    let number: u32 = if plan.quick { 20 } else { 20_000 };
    for rule in RepresentativeRule::ALL {
        report.announce(format!("hints of {rule}"));
        let digests = (0..number).map(|index| Sha256::digest(index.to_be_bytes()).into());
        let digests: Vec<[u8; 32]> = digests.collect();
        let (search_us, found) = stopwatch(|| -> Option<Vec<(Integer, u16)>> {
            digests.iter().map(|digest| search(rule, digest)).collect()
        });
        let found = found.ok_or("a window without a prime")?;
        let (check_us, checked) = stopwatch(|| -> Result<Vec<Integer>, _> {
            let pairs = digests.iter().zip(&found);
            pairs
                .map(|(digest, (_, offset))| at_offset(rule, digest, *offset))
                .collect()
        });
        if !checked?.iter().eq(found.iter().map(|(prime, _)| prime)) {
            return Err("a hint leads to another prime".into());
        }
        let (limit_us, all_prime) = stopwatch(|| {
            let is_prime =
                |(prime, _): &(Integer, u16)| prime.is_probably_prime(ROUNDS) != IsPrime::No;
            found.iter().all(is_prime)
        });
        if !all_prime {
            return Err("a representative is composite".into());
        }
        let [search_us, check_us, limit_us] =
            [search_us, check_us, limit_us].map(|us| us / f64::from(number));
        let (saved_us, prices) = (search_us - check_us, Prices::PAPER);
        let offsets = found.iter().map(|(_, offset)| f64::from(*offset));
        report.measured(line! {
            experiment: "accumulators_hints",
            rule: rule.name(),
            elements: number,
            threads: 1,
            search_us: search_us,
            check_us: check_us,
            saved_us: saved_us,
            search_to_check: search_us / check_us,
            hint_bytes: size_of::<u16>(),
            offset: offsets.sum::<f64>() / f64::from(number),
            primitive: "GMP's test of the same primes",
            primitive_us: limit_us,
            ratio: check_us / limit_us,
            // More than 1: the hint is worth sending.
            saved_to_sent: prices.of_computing(saved_us) / prices.of_sending(2.0),
        })?;
    }
    Ok(())
}

/// As many rounds of GMP's test as leave an error of 2^-100 for numbers that somebody else has chosen, with the
/// Baillie-PSW test that it begins with.
const ROUNDS: u32 = 25;
