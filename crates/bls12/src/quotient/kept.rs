//! Equations of quotients with less work for each, if there are many.
//!
//! `[s + e]_2` is the sum of `[s]_2` and of entries of a table of multiples of the generator. This
//! is half of the work of a multiplication in G1, and lets `V` stand alone in its pairing. That
//! pairing is then the same for all witnesses of a set.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicU32, Ordering::Relaxed},
};

use alloc::vec::Vec;

use ark_bls12_381::{Fr, G1Affine, G2Affine, G2Projective, g2};
use ark_ec::{AffineRepr as _, CurveGroup as _};

use crate::{
    affine::normalize,
    assembly::{Product, Second, is_one, pairs_to_one, product, second, sum},
    count::Counted,
    generator::{Table, multiply_public},
};

/// `[s]_2`, and the values of the latest equations.
pub(super) struct Kept {
    secret: Second,
    values: Mutex<Vec<Value>>,
}

/// A value `V` of an equation.
struct Value {
    point: G1Affine,
    /// The pairing `e(-V, [1]_2)`, once the value has recurred.
    pairing: Option<Product>,
}

/// Number of values whose pairings are kept, for each secret.
const VALUES: usize = 4;

/// Number of equations in a process after which the tables pay. Each takes as long as two of them.
const PATIENCE: u32 = 16;

impl Kept {
    pub(super) fn new(secret: &G2Affine) -> Self {
        Self {
            secret: second(secret),
            values: Mutex::default(),
        }
    }

    pub(super) fn without_values(&self) -> Self {
        Self {
            secret: self.secret,
            values: Mutex::default(),
        }
    }

    /// Returns whether the equation holds. `None` if the process has had few equations so far.
    pub(super) fn holds(&self, quotient: G1Affine, shift: &Fr, value: G1Affine) -> Option<bool> {
        are_many().then_some(())?;
        Counted::Multiples.add(1);
        Counted::Pairings.add(2);
        let shifted = self.shifted(shift);
        let product = match self.pairing_of(value) {
            Some(pairing) => product([quotient], [shifted]) * pairing,
            None => product([quotient, -value], [shifted, one()]),
        };
        Some(is_one(&product))
    }

    /// Like [`Self::holds`], for the value `value - [remainder]_1`, which is not expected to recur.
    pub(super) fn holds_with_rest(
        &self,
        quotient: G1Affine,
        shift: &Fr,
        remainder: &Fr,
        value: G1Affine,
    ) -> Option<bool> {
        are_many().then_some(())?;
        Counted::Multiples.add(2);
        Counted::Pairings.add(2);
        let rest = multiply_public(remainder) - value;
        let points = [self.shifted(shift), one()];
        Some(pairs_to_one([quotient, rest.into_affine()], points))
    }

    /// Computes `[s + shift]_2`.
    fn shifted(&self, shift: &Fr) -> Second {
        let mut terms = Vec::from([self.secret]);
        table().choose(shift, |entry| terms.push(second(&entry)));
        sum(terms)
    }

    /// Returns `e(-value, [1]_2)` if one of the latest equations had this value. Otherwise notes
    /// the value.
    fn pairing_of(&self, value: G1Affine) -> Option<Product> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let place = values.iter().position(|known| known.point == value);
        let known = place.map(|place| values.remove(place));
        let recurs = known.is_some();
        let pairing = known.and_then(|known| known.pairing);
        let pairing = pairing.or_else(|| recurs.then(|| product([-value], [one()])));
        values.truncate(VALUES - 1);
        values.insert(
            0,
            Value {
                point: value,
                pairing,
            },
        );
        pairing
    }
}

/// Counts an equation. Returns whether so many were counted before that the tables pay.
fn are_many() -> bool {
    static EQUATIONS: AtomicU32 = AtomicU32::new(0);
    let are_many = EQUATIONS.load(Relaxed) >= PATIENCE;
    if !are_many {
        EQUATIONS.fetch_add(1, Relaxed);
    }
    are_many
}

fn one() -> Second {
    second(&G2Affine::generator())
}

/// Returns the table of multiples of the generator of G2: 0.1 MB, computed in two milliseconds on
/// its first use.
fn table() -> &'static Table<g2::Config> {
    static TABLE: OnceLock<Table<g2::Config>> = OnceLock::new();
    TABLE.get_or_init(|| Table::new(4, tables))
}

/// Returns for each point the table of its multiples by 1 to `2^(width - 1)`.
fn tables(points: &[G2Affine], width: u32) -> Vec<Vec<G2Affine>> {
    let length = 1_usize << width.saturating_sub(1);
    let multiples = points.iter().flat_map(|point| {
        let next = move |multiple: &G2Projective| Some(*multiple + point);
        core::iter::successors(Some(G2Projective::from(*point)), next).take(length)
    });
    let multiples = normalize(&multiples.collect::<Vec<_>>());
    multiples.chunks(length).map(<[_]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::G1Projective;
    use ark_ec::PrimeGroup as _;
    use ark_ff::{AdditiveGroup as _, Field as _};

    use super::*;
    use crate::{pairing, public::multiple};

    fn first(scalar: &Fr) -> G1Affine {
        (G1Projective::generator() * scalar).into_affine()
    }

    #[test]
    fn shifted_secrets_are_sums_of_multiples() {
        let secrets = [0_i64, 1, -1, 8, 77].map(Fr::from);
        let mut shifts: Vec<Fr> = (0..20_u64).map(|n| Fr::from(n + 1).pow([n * 31])).collect();
        shifts.extend([0_i64, 1, -1, -8, 8, 9, -77, 1 << 40].map(Fr::from));
        let high = Fr::from(2_u64).pow([252]);
        shifts.extend([high, high - Fr::ONE, -high]);
        for secret in secrets {
            let point = (G2Projective::generator() * secret).into_affine();
            let kept = Kept::new(&point);
            for shift in &shifts {
                let expected = G2Projective::generator() * (secret + shift);
                assert!(kept.shifted(shift) == second(&expected.into_affine()));
            }
        }
    }

    #[test]
    fn equations_hold_as_by_definition() {
        let secret = Fr::from(7_u64).pow([99]);
        let point = (G2Projective::generator() * secret).into_affine();
        let quotients = super::super::Quotients::new(point);
        let mut values = Vec::new();
        let mut scalar = Fr::from(5_u64);
        let check = |quotient: G1Affine, shift: Fr, value: G1Affine| {
            let left = multiple(quotient, &shift) - value;
            let points = [left.into_affine(), quotient];
            let expected = pairing::pairs_to_one(points, quotients.points());
            assert_eq!(quotients.holds(quotient, &shift, value), expected);
            for remainder in [Fr::ZERO, Fr::ONE, shift, -Fr::ONE] {
                let value = (value + first(&remainder)).into_affine();
                let found = quotients.holds_with_rest(quotient, &shift, &remainder, value);
                assert_eq!(found, expected);
                let other = remainder + Fr::ONE;
                assert!(!(expected && quotients.holds_with_rest(quotient, &shift, &other, value)));
            }
            expected
        };
        // More values than are kept, each of them several times, in turns and in runs.
        for round in 0..60_u64 {
            scalar = scalar.square() + secret;
            if values.len() < 2 * VALUES {
                values.push(scalar);
            }
            let place = usize::try_from(round * round % 11).unwrap() % values.len();
            let value = values[place];
            let quotient = value * (secret + scalar).inverse().unwrap();
            let (quotient, value) = (first(&quotient), first(&value));
            assert!(check(quotient, scalar, value));
            assert!(!check(quotient, scalar + Fr::ONE, value));
            assert!(!check(-quotient, scalar, value));
            assert!(!check(quotient, scalar, -value));
        }
        let (none, some) = (G1Affine::identity(), G1Affine::generator());
        for _ in 0..3 {
            assert!(check(none, scalar, none));
            assert!(check(some, -secret, none));
            assert!(!check(none, scalar, some));
            assert!(!check(some, scalar, none));
            assert!(check(some, Fr::ZERO, first(&secret)));
        }
    }
}
