//! The search for the representatives of many digests, eight candidates at a time.
//!
//! The lanes hold candidates of different digests. When at most four digests are left, each has
//! several candidates in flight. The smallest one that passes counts, so the result equals that of
//! a search for a single digest.

use montgomery_lanes::LANES;
use rug::{Integer, integer::Order};

use super::{Base, LAST_OFFSET, RepresentativeError, RepresentativeRule, at_offset};
use crate::rsa::primality::lanes::{Candidate, Candidates, Mask};

/// Maximum number of digests whose searches run together. Each test of eight candidates passes over
/// all open searches.
const BATCH: usize = 64;

/// Finds the representative of each digest. See [`search`](super::search).
///
/// Cost: without fast lanes, a scalar search for each digest. With fast lanes, half of that for one
/// digest, and a third for each of many.
pub(crate) fn search_all(
    rule: RepresentativeRule,
    digests: &[[u8; 32]],
) -> Vec<Option<(Integer, u16)>> {
    if !montgomery_lanes::are_fast() {
        let singly = |digest| Base::new(rule, digest).search(LAST_OFFSET);
        let found = digests.iter().map(|digest| singly(digest).map(integer));
        return found.collect();
    }
    let batches = digests.chunks(BATCH);
    let search = |batch| {
        search_in_lanes(rule, batch, LAST_OFFSET, |candidates| {
            candidates.pass_the_rest()
        })
    };
    batches.flat_map(search).collect()
}

/// Checks that the number at each digest's offset is a prime, and returns the primes. See
/// [`at_offset`].
///
/// # Errors
/// Returns the error of [`at_offset`] for one of the rejected digests, not necessarily the first
/// one. Digests are checked in groups of eight, and the check stops at the first group with an
/// error.
pub(crate) fn all_at_offsets(
    rule: RepresentativeRule,
    digests: &[([u8; 32], u16)],
) -> Result<Vec<Integer>, RepresentativeError> {
    if digests.len() == 1 || !montgomery_lanes::are_fast() {
        let primes = digests.iter();
        return primes
            .map(|(digest, offset)| at_offset(rule, digest, *offset))
            .collect();
    }
    at_offsets_in_lanes(rule, digests)
}

/// Checks eight numbers at a time.
pub(super) fn at_offsets_in_lanes(
    rule: RepresentativeRule,
    digests: &[([u8; 32], u16)],
) -> Result<Vec<Integer>, RepresentativeError> {
    let mut primes = Vec::with_capacity(digests.len());
    for eight in digests.chunks(LANES) {
        let numbers = eight.iter();
        let numbers: Vec<Candidate> = numbers
            .map(|(digest, offset)| Base::new(rule, digest).candidate_at(*offset))
            .collect::<Result<_, _>>()?;
        let pass = |candidates: Candidates<'_>| {
            let all = candidates.lanes();
            candidates.pass_base_two() & all == all && candidates.pass_the_rest() & all == all
        };
        if !Candidates::new(&numbers).is_some_and(pass) {
            return Err(RepresentativeError::NotAPrimeRepresentative);
        }
        let integers = numbers.iter();
        primes.extend(integers.map(|number| Integer::from_digits(number, Order::Lsf)));
    }
    Ok(primes)
}

/// Finds the representatives up to offset `last`. `pass_the_rest` performs the tests after the
/// base-2 test.
pub(super) fn search_in_lanes(
    rule: RepresentativeRule,
    digests: &[[u8; 32]],
    last: u16,
    pass_the_rest: impl Fn(&Candidates<'_>) -> Mask + Copy,
) -> Vec<Option<(Integer, u16)>> {
    let candidates = |base: Base, after| base.candidates(after, last);
    let mut searches: Vec<Search<_>> = digests
        .iter()
        .map(|digest| {
            let base = Base::new(rule, digest);
            Search {
                base,
                candidates: candidates(base, None),
                state: State::Open,
            }
        })
        .collect();
    loop {
        let open = searches.iter_mut().filter(|search| search.is_open());
        let mut open: Vec<_> = open.collect();
        if open.is_empty() {
            break;
        }
        while !open.is_empty() {
            test_base_two(&mut open);
            open.retain(|search| search.is_open());
        }
        for (search, offset) in fail_the_rest(&mut searches, pass_the_rest) {
            // Not observed so far: a composite that passed the sieve and the base-2 test.
            // Candidates after it may already have been consumed, so they are generated again.
            search.candidates = candidates(search.base, Some(offset));
            search.state = State::Open;
        }
    }
    let found = searches.into_iter().map(|search| match search.state {
        State::Prime(number, offset) => Some(integer((number, offset))),
        State::Open | State::Probable(..) | State::Ended => None,
    });
    found.collect()
}

/// Converts a prime to an `Integer`. The offset is unchanged.
fn integer((number, offset): (Candidate, u16)) -> (Integer, u16) {
    (Integer::from_digits(&number, Order::Lsf), offset)
}

/// Performs the base-2 test on the next candidates of the first searches, at most one per lane.
fn test_base_two<I: Iterator<Item = (Candidate, u16)>>(open: &mut [&mut Search<I>]) {
    let mut numbers: Vec<Candidate> = Vec::with_capacity(LANES);
    let mut origins = Vec::with_capacity(LANES);
    // The lanes are divided among the searches. Some may stay free.
    let share = LANES.checked_div(open.len()).unwrap_or(0).max(1);
    for (index, search) in open.iter_mut().enumerate().take(LANES) {
        for (number, offset) in core::iter::from_fn(|| search.next()).take(share) {
            numbers.push(number);
            origins.push((index, offset));
        }
    }
    let Some(candidates) = Candidates::new(&numbers) else {
        return; // All searches that had a turn have ended.
    };
    let verdicts = candidates.pass_base_two();
    for (lane, (number, (index, offset))) in numbers.iter().zip(origins).enumerate() {
        if let Some(search) = open.get_mut(index)
            && (verdicts >> lane) & 1 == 1
            && !matches!(search.state, State::Probable(..))
        {
            search.state = State::Probable(*number, offset);
        }
    }
}

/// Performs the tests after base 2 on all candidates that passed it. Returns each search with a
/// candidate that fails, and the offset of the candidate.
fn fail_the_rest<I>(
    searches: &mut [Search<I>],
    pass_the_rest: impl Fn(&Candidates<'_>) -> Mask + Copy,
) -> Vec<(&mut Search<I>, u16)> {
    let mut probable = searches.iter_mut().filter_map(|search| match search.state {
        State::Probable(number, offset) => Some((search, number, offset)),
        _ => None,
    });
    let mut failed = Vec::new();
    loop {
        let eight: Vec<_> = probable.by_ref().take(LANES).collect();
        let numbers: Vec<Candidate> = eight.iter().map(|(_, number, _)| *number).collect();
        let Some(candidates) = Candidates::new(&numbers) else {
            return failed;
        };
        let verdicts = pass_the_rest(&candidates);
        for (lane, (search, number, offset)) in eight.into_iter().enumerate() {
            if (verdicts >> lane) & 1 == 1 {
                search.state = State::Prime(number, offset);
            } else {
                failed.push((search, offset));
            }
        }
    }
}

/// State of a search.
enum State {
    /// No candidate has passed the test to base 2.
    Open,
    /// The candidate at this offset has passed the test to base 2.
    Probable(Candidate, u16),
    /// The candidate at this offset has passed all tests.
    Prime(Candidate, u16),
    /// The window has no further candidate.
    Ended,
}

/// The search for one representative.
struct Search<I> {
    base: Base,
    candidates: I,
    state: State,
}

impl<I: Iterator<Item = (Candidate, u16)>> Search<I> {
    const fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// Returns the next candidate. The search ends if there is none.
    fn next(&mut self) -> Option<(Candidate, u16)> {
        let next = self.candidates.next();
        if next.is_none() {
            self.state = State::Ended;
        }
        next
    }
}
