//! Powers of eight bases at once.
//!
//! Each lane raises a base of its own to exponents of its own. All lanes square together. Their
//! digits differ, so each lane multiplies into a bucket of its own:
//!
//! ```text
//! bucket of digit    0     1     2    ...   2^w - 1
//! lane 0           [   |     |  *  |     |         ]     * multiplied by the lane's current power
//! lane 1           [   |     |     |     |    *    ]
//! ...
//! ```
//!
//! Digit 0 has buckets too, so it needs no special case. The result ignores them.
//!
//! Source: Yao 1976, "On the evaluation of powers".

use core::array;

use montgomery_lanes::{LANES, Moduli, Numbers};
use rug::{Complete, Integer, integer::Order};

use crate::{
    count::Counted,
    digits::{Digits, power_of_two, to_usize, window_of_least_cost},
};

/// Maximum width in bits of a window of an exponent. Its buckets for two exponents take 2 MB with a
/// modulus of 3072 bits.
const WIDEST_WINDOW: u32 = 8;

/// Arithmetic on eight numbers with the same modulus in every lane.
#[derive(Debug)]
pub(super) struct Eight<const LIMBS: usize> {
    moduli: Moduli<LIMBS>,
    modulus: Integer,
}

impl<const LIMBS: usize> Eight<LIMBS> {
    pub(super) fn new(modulus: &Integer) -> Option<Self> {
        let moduli = Moduli::new(&Numbers::splat(&limbs(modulus)?))?;
        Some(Self {
            moduli,
            modulus: modulus.clone(),
        })
    }

    /// See [`Lanes::powers`](super::Lanes::powers).
    pub(super) fn powers(
        &self,
        bases: &[&Integer],
        exponents: &[&[&Integer]],
    ) -> Vec<Vec<Integer>> {
        debug_assert!(
            exponents
                .iter()
                .flat_map(|exponents| exponents.iter())
                .all(|exponent| **exponent >= 0),
            "exponents are not negative"
        );
        let most = exponents.iter().map(|exponents| exponents.len()).max();
        let digits: Vec<[Digits; LANES]> = (0..most.unwrap_or(0))
            .map(|index| array::from_fn(|lane| digits_of(exponents, lane, index)))
            .collect();
        let bits = digits.iter().flatten().map(Digits::bits).max().unwrap_or(0);
        let window = window_of_least_cost(|window| {
            if window > WIDEST_WINDOW {
                return usize::MAX;
            }
            to_usize(bits.div_ceil(window)).saturating_add(2 * power_of_two(window))
        });
        let mut power = self.forms(bases);
        let buckets = digits.iter().map(|_| Buckets::new(&self.moduli, window));
        let mut buckets: Vec<Buckets<LIMBS>> = buckets.collect();
        let mut position = 0;
        while position < bits {
            for (digits, buckets) in digits.iter().zip(&mut buckets) {
                let digits = digits.each_ref().map(|digits| digits.at(position, window));
                buckets.multiply(&self.moduli, digits, &power);
                Counted::Products.add(bases.len());
            }
            position = position.saturating_add(window);
            if position < bits {
                power = self.moduli.square_times(&power, window);
                Counted::Products.add(bases.len().saturating_mul(to_usize(window)));
            }
        }
        let powers: Vec<Numbers<LIMBS>> = buckets
            .iter()
            .map(|buckets| {
                Counted::Products.add(bases.len().saturating_mul(2 * power_of_two(window)));
                self.moduli.from_form(&buckets.total(&self.moduli))
            })
            .collect();
        let of_lane = |(lane, exponents): (usize, &&[&Integer])| {
            let powers = powers.iter().take(exponents.len());
            powers.map(|powers| integer(&powers.lane(lane))).collect()
        };
        let exponents = exponents.iter().take(bases.len()).enumerate();
        exponents.map(of_lane).collect()
    }

    /// Returns the Montgomery forms of the residues of up to eight numbers, and of zero in the
    /// other lanes.
    fn forms(&self, numbers: &[&Integer]) -> Numbers<LIMBS> {
        let mut lanes = Numbers::ZERO;
        for (lane, number) in numbers.iter().enumerate() {
            let residue = number.modulo_ref(&self.modulus).complete();
            lanes.set(lane, &limbs(&residue).unwrap_or([0; LIMBS]));
        }
        self.moduli.to_form(&lanes)
    }
}

/// Returns the digits of a lane's exponent at `index`, or those of zero if there is none.
fn digits_of(exponents: &[&[&Integer]], lane: usize, index: usize) -> Digits {
    let exponent = exponents.get(lane);
    let exponent = exponent.and_then(|exponents| exponents.get(index));
    Digits::new(exponent.copied().unwrap_or(&Integer::ZERO))
}

/// For each lane and digit the product of all powers with this digit.
struct Buckets<const LIMBS: usize> {
    lanes: [Vec<[u64; LIMBS]>; LANES],
}

impl<const LIMBS: usize> Buckets<LIMBS> {
    fn new(moduli: &Moduli<LIMBS>, window: u32) -> Self {
        let one = moduli.one();
        Self {
            lanes: array::from_fn(|lane| vec![one.lane(lane); power_of_two(window)]),
        }
    }

    /// Multiplies the bucket of each lane's digit by the factor in that lane.
    fn multiply(
        &mut self,
        moduli: &Moduli<LIMBS>,
        digits: [usize; LANES],
        factor: &Numbers<LIMBS>,
    ) {
        let product = moduli.mul(&self.at(digits), factor);
        for (lane, (buckets, digit)) in self.lanes.iter_mut().zip(digits).enumerate() {
            if let Some(bucket) = buckets.get_mut(digit) {
                *bucket = product.lane(lane);
            }
        }
    }

    fn at(&self, digits: [usize; LANES]) -> Numbers<LIMBS> {
        let mut found = Numbers::ZERO;
        for (lane, (buckets, digit)) in self.lanes.iter().zip(digits).enumerate() {
            if let Some(bucket) = buckets.get(digit) {
                found.set(lane, bucket);
            }
        }
        found
    }

    /// Computes the product of `bucket_d^d` over all digits `d`, in each lane.
    ///
    /// Cost: two products per bucket.
    fn total(&self, moduli: &Moduli<LIMBS>) -> Numbers<LIMBS> {
        let digits = self.lanes.first().map_or(0, Vec::len);
        let mut running = *moduli.one();
        let mut total = *moduli.one();
        for digit in (1..digits).rev() {
            running = moduli.mul(&running, &self.at([digit; LANES]));
            total = moduli.mul(&total, &running);
        }
        total
    }
}

/// Splits a nonnegative number into 52-bit limbs, or returns `None` if it does not fit.
fn limbs<const LIMBS: usize>(number: &Integer) -> Option<[u64; LIMBS]> {
    Numbers::limbs_of(&number.to_digits::<u64>(Order::Lsf))
}

fn integer<const LIMBS: usize>(limbs: &[u64; LIMBS]) -> Integer {
    // `LIMBS` limbs of 52 bits fit `LIMBS` words of 64 bits.
    Integer::from_digits(&Numbers::words_of::<LIMBS>(limbs), Order::Lsf)
}
