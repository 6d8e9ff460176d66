//! The tests of eight numbers at once, with vector instructions.
//!
//! Each test has the parameters of the scalar one, so that both give the same verdicts.

use montgomery_lanes::{LANES, Moduli, Numbers};
use rsa_group::montgomery::{total_bits, unused_bits};
use rug::{Integer, integer::Order};

use super::{ROUNDS, clear_lowest_bit, increment, lucas_parameter, split_twos};

/// Number of 64-bit words of a tested number.
const WORDS: usize = 5;

/// Number of 52-bit limbs of a number in lanes. They have 39 spare bits above the longest
/// representative, of 273 bits.
const LIMBS: usize = 6;

/// Length in bits of the longest numbers, which leaves room for fifteen doublings.
const LONGEST: u32 = 273;

/// Maximum number of candidates for which the tests after base 2 are faster one by one.
const FEW: usize = 2;

/// The lanes for which something holds: bit `i` stands for lane `i`.
pub(crate) type Mask = u8;

const UNIT: Candidate = [1, 0, 0, 0, 0];

/// A number whose primality is tested, in 64-bit words, lowest first.
pub(crate) type Candidate = [u64; WORDS];

/// Up to eight odd numbers of 17 to 273 bits whose primality is tested together.
pub(crate) struct Candidates<'a> {
    numbers: &'a [Candidate],
    moduli: Moduli<LIMBS>,
    one: Numbers<LIMBS>,
    minus_one: Numbers<LIMBS>,
}

impl<'a> Candidates<'a> {
    /// Prepares the first eight numbers, or returns `None` if one is even or too long, or if there
    /// is none.
    pub(crate) fn new(numbers: &'a [Candidate]) -> Option<Self> {
        let numbers = numbers.get(..LANES).unwrap_or(numbers);
        // Lanes without a number repeat the first one.
        let mut lanes = Numbers::splat(&Numbers::limbs_of(numbers.first()?)?);
        for (lane, number) in numbers.iter().enumerate() {
            if total_bits::<WORDS>().checked_sub(unused_bits(number))? > LONGEST {
                return None;
            }
            lanes.set(lane, &Numbers::limbs_of(number)?);
        }
        let moduli = Moduli::new(&lanes)?;
        let one = moduli.reduced(moduli.one());
        let minus_one = moduli.reduced(&moduli.subtract(&Numbers::ZERO, &one));
        Some(Self {
            numbers,
            moduli,
            one,
            minus_one,
        })
    }

    /// Returns the lanes that hold a number of their own.
    pub(crate) fn lanes(&self) -> Mask {
        mask(|lane| lane < self.numbers.len())
    }

    /// Returns the tested numbers.
    #[cfg(test)]
    pub(crate) const fn numbers(&self) -> &[Candidate] {
        self.numbers
    }

    /// Performs the strong probable-prime tests to base 2. Returns which numbers pass.
    pub(crate) fn pass_base_two(&self) -> Mask {
        let (exponents, twos) = self.odd_parts(less_one);
        // Doublings are shifts into the spare bits.
        let mut power = self.one;
        for digits in digits(&exponents) {
            power = self.moduli.square_times(&power, 4);
            power = self.moduli.shift_left(&power, digits);
        }
        self.reach_minus_one(&self.moduli.mul(&power, &self.one), twos)
    }

    /// Performs the tests that follow the base-2 test: Lucas, and the rounds with hashed bases.
    /// Returns which numbers pass all.
    pub(crate) fn pass_the_rest(&self) -> Mask {
        if self.numbers.len() <= FEW {
            let passes = |lane| self.numbers.get(lane).is_some_and(passes_the_rest);
            return mask(passes);
        }
        let rounds = (0..ROUNDS).map(|round| self.pass_round(round));
        rounds.fold(self.pass_lucas(), |pass, passed| pass & passed)
    }

    /// Performs the strong probable-prime tests with the bases of `round`.
    fn pass_round(&self, round: u8) -> Mask {
        let mut bases = Numbers::ZERO;
        for (lane, number) in self.numbers.iter().enumerate() {
            let modulus = Integer::from_digits(number, Order::Lsf);
            let base = Integer::from_digits(&hashed_words(number, round), Order::Lsf);
            let base = base.modulo(&modulus).to_digits::<u64>(Order::Lsf);
            bases.set(lane, &Numbers::limbs_of(&base).unwrap_or([0; LIMBS]));
        }
        let bases = self.moduli.to_form(&bases);
        // A base of 0, 1 or -1 tests nothing. It occurs only in unit tests.
        let trivial = [&Numbers::ZERO, &self.one, &self.minus_one];
        let says_nothing = trivial.map(|number| self.equal(&bases, number));
        let (exponents, twos) = self.odd_parts(less_one);
        let passed = self.reach_minus_one(&self.power(&bases, &exponents), twos);
        says_nothing
            .into_iter()
            .fold(passed, |pass, mask| pass | mask)
    }

    /// Returns the lanes in which two values below twice the modulus are congruent.
    fn equal(&self, left: &Numbers<LIMBS>, right: &Numbers<LIMBS>) -> Mask {
        let difference = self.moduli.reduced(&self.moduli.subtract(left, right));
        mask(|lane| difference.lane(lane) == [0; LIMBS])
    }

    /// Raises the bases to the exponents, in windows of four bits.
    fn power(&self, bases: &Numbers<LIMBS>, exponents: &[Candidate; LANES]) -> Numbers<LIMBS> {
        let mut table = [self.one; 16];
        let mut entry = self.one;
        for place in table.iter_mut().skip(1) {
            entry = self.moduli.mul(&entry, bases);
            *place = entry;
        }
        let mut power = self.one;
        for digits in digits(exponents) {
            power = self.moduli.square_times(&power, 4);
            let mut factor = Numbers::ZERO;
            for (lane, digit) in digits.into_iter().enumerate() {
                let entry = usize::try_from(digit).ok();
                let entry = entry.and_then(|digit| table.get(digit));
                factor.set(lane, &entry.unwrap_or(&self.one).lane(lane));
            }
            power = self.moduli.mul(&power, &factor);
        }
        power
    }

    /// Returns which numbers pass a strong probable-prime test: `power` is 1, or one of
    /// `power^(2^i)` with `i` below `twos` is -1.
    fn reach_minus_one(&self, power: &Numbers<LIMBS>, twos: [u32; LANES]) -> Mask {
        let mut power = *power;
        let mut pass = self.equal(&power, &self.one);
        for step in 0..most(twos) {
            pass |= self.equal(&power, &self.minus_one) & below(step, twos);
            power = self.moduli.square_times(&power, 1);
        }
        pass
    }

    /// Performs the extra strong Lucas tests. See the scalar test for the recurrence.
    fn pass_lucas(&self) -> Mask {
        let moduli = &self.moduli;
        let found = self.numbers.iter().map(lucas_parameter);
        let mut parameters = Numbers::ZERO;
        let mut pass = 0;
        let mut with_parameter = 0;
        for (lane, parameter) in found.enumerate() {
            if let Some(parameter) = parameter {
                parameters.set(lane, &[parameter, 0, 0, 0, 0, 0]);
                with_parameter |= 1 << lane;
            }
        }
        let (indices, twos) = self.odd_parts(|number| increment(number).unwrap_or(UNIT));
        let two = moduli.add(&self.one, &self.one);
        let parameter = moduli.to_form(&parameters);
        let (mut current, mut next) = (two, parameter);
        for mask in bits(&indices) {
            let between = moduli.subtract(&moduli.mul(&current, &next), &parameter);
            let chosen = moduli.select(mask, &next, &current);
            let doubled = moduli.subtract(&moduli.square_times(&chosen, 1), &two);
            current = moduli.select(mask, &between, &doubled);
            next = moduli.select(mask, &doubled, &between);
        }
        let negated = |number| moduli.subtract(&Numbers::ZERO, number);
        pass |= self.equal(&current, &two) & self.equal(&next, &parameter);
        pass |= self.equal(&current, &negated(&two)) & self.equal(&next, &negated(&parameter));
        for step in 1..most(twos) {
            pass |= self.equal(&current, &Numbers::ZERO) & below(step, twos);
            current = moduli.subtract(&moduli.square_times(&current, 1), &two);
        }
        pass & with_parameter
    }

    /// Splits `even(number)` of each lane into `odd * 2^twos`. Returns `odd` and `twos` of all
    /// lanes: 1 and 0 for a lane without a number.
    fn odd_parts(
        &self,
        even: impl Fn(&Candidate) -> Candidate,
    ) -> ([Candidate; LANES], [u32; LANES]) {
        let mut odd = [UNIT; LANES];
        let mut twos = [0; LANES];
        for ((odd, twos), number) in odd.iter_mut().zip(&mut twos).zip(self.numbers) {
            (*odd, *twos) = split_twos(&even(number));
        }
        (odd, twos)
    }
}

/// Returns the lanes for which a condition holds.
fn mask(holds: impl Fn(usize) -> bool) -> Mask {
    (0..LANES).fold(0, |mask, lane| mask | (Mask::from(holds(lane)) << lane))
}

/// Returns the lanes whose exponent of two is above `step`.
fn below(step: u32, twos: [u32; LANES]) -> Mask {
    mask(|lane| twos.get(lane).is_some_and(|twos| step < *twos))
}

fn most(twos: [u32; LANES]) -> u32 {
    twos.into_iter().max().unwrap_or(0)
}

fn less_one(odd: &Candidate) -> Candidate {
    let mut number = *odd;
    clear_lowest_bit(&mut number);
    number
}

/// Iterates over the base-16 digits of all lanes, from the highest one that is not zero everywhere.
fn digits(numbers: &[Candidate; LANES]) -> impl Iterator<Item = [u64; LANES]> {
    let digits = (0..WORDS).rev().flat_map(move |word| {
        let words = numbers.map(|number| number.get(word).copied().unwrap_or(0));
        let shifts = (0..u64::BITS).step_by(4).rev();
        shifts.map(move |shift| words.map(|word| (word >> shift) & 15))
    });
    digits.skip_while(|digits| *digits == [0; LANES])
}

/// Iterates over the bits of all lanes, from the highest one that is set anywhere.
fn bits(numbers: &[Candidate; LANES]) -> impl Iterator<Item = Mask> {
    digits(numbers).flat_map(|digits| {
        let bits = (0..4).rev();
        bits.map(move |bit| {
            mask(|lane| {
                digits
                    .get(lane)
                    .is_some_and(|digit| (digit >> bit) & 1 == 1)
            })
        })
    })
}

/// Performs the tests that follow the base-2 test on one number, in as few words as it needs.
fn passes_the_rest(number: &Candidate) -> bool {
    match *number {
        [first, second, third, fourth, 0] => super::Candidate::new([first, second, third, fourth])
            .is_some_and(|candidate| candidate.passes_the_rest()),
        _ => super::Candidate::new(*number).is_some_and(|candidate| candidate.passes_the_rest()),
    }
}

/// Derives the base of a round. A number of at most 256 bits is hashed as four words, as in the
/// scalar test.
fn hashed_words(number: &Candidate, round: u8) -> Vec<u64> {
    match number {
        [first, second, third, fourth, 0] => {
            super::hashed_words(&[*first, *second, *third, *fourth], round).to_vec()
        }
        _ => super::hashed_words(number, round).to_vec(),
    }
}
