//! Equations of quotients with less work for each, if there are many.
//!
//! `[s + e]_2` is the sum of `[s]_2` and of entries of a table of multiples of the generator. This
//! is half of the work of a multiplication in G1, and lets `V` stand alone in its pairing. That
//! pairing is then the same for all witnesses of a set.

use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError,
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

/// `[s]_2`, and the values of the latest equations, which threads share. The lock is held only for
/// looking up and storing, not while a pairing is computed.
pub(super) struct Kept {
    secret: Second,
    values: Mutex<Vec<Value>>,
}

/// A value `V` of an equation.
#[derive(Clone, Copy)]
struct Value {
    point: G1Affine,
    /// The pairing `e(-V, [1]_2)`, once the value has recurred.
    pairing: Option<Product>,
}

/// Number of values whose pairings are kept, for each secret.
const VALUES: usize = 16;

/// Number of equations in a process before the tables are computed. Within as many further
/// equations the tables pay for themselves. Each takes two milliseconds. One saves at least 0.08 ms
/// for an equation, and two save 0.17 ms for an equation with a remainder.
const PATIENCE: u32 = 32;

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
    ///
    /// Threads that see a value recur at the same time may each compute its pairing.
    fn pairing_of(&self, value: G1Affine) -> Option<Product> {
        let known = self.note(value)?;
        let pairing = known.pairing.unwrap_or_else(|| {
            let pairing = product([-value], [one()]);
            self.store(&value, &pairing);
            pairing
        });
        Some(pairing)
    }

    /// Makes `point` the latest value. Returns what was kept of it before, `None` if nothing was.
    fn note(&self, point: G1Affine) -> Option<Value> {
        let mut values = self.lock();
        let place = values.iter().position(|known| known.point == point);
        let known = place.map(|place| values.remove(place));
        values.truncate(VALUES - 1);
        let fresh = Value {
            point,
            pairing: None,
        };
        values.insert(0, known.unwrap_or(fresh));
        known
    }

    /// Keeps the pairing of `point`, unless newer values have replaced it.
    fn store(&self, point: &G1Affine, pairing: &Product) {
        let mut values = self.lock();
        if let Some(known) = values.iter_mut().find(|known| known.point == *point) {
            known.pairing = Some(*pairing);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Value>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts an equation of the process, for any secret. Returns whether at least [`PATIENCE`]
/// equations were counted before.
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

    /// Prepares the equation for `secret`, and counts equations until the tables pay.
    fn kept(secret: &Fr) -> Kept {
        while !are_many() {}
        Kept::new(&(G2Projective::generator() * secret).into_affine())
    }

    /// Returns the quotient of `[value]_1` by `secret + shift`.
    fn quotient(secret: &Fr, shift: &Fr, value: &Fr) -> G1Affine {
        first(&(*value * (*secret + shift).inverse().unwrap()))
    }

    /// Returns the pairing that is kept of `point`.
    fn pairing_kept(kept: &Kept, point: &G1Affine) -> Option<Product> {
        let values = kept.lock();
        let known = values.iter().find(|known| known.point == *point);
        known.and_then(|known| known.pairing)
    }

    #[test]
    fn shifted_secrets_are_sums_of_multiples() {
        let secrets = [0_i64, 1, -1, 8, 77].map(Fr::from);
        let mut shifts: Vec<Fr> = (0..20_u64).map(|n| Fr::from(n + 1).pow([n * 31])).collect();
        shifts.extend([0_i64, 1, -1, -8, 8, 9, -77, 1 << 40].map(Fr::from));
        let high = Fr::from(2_u64).pow([252]);
        shifts.extend([high, high - Fr::ONE, -high]);
        for secret in secrets {
            let kept = kept(&secret);
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
            let place = usize::try_from(round * round % 23).unwrap() % values.len();
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

    #[test]
    fn pairings_of_values_that_recur_are_kept_and_used() {
        let [secret, shift, scalar] = [1234_u64, 77, 9].map(Fr::from);
        let (kept, value) = (kept(&secret), first(&scalar));
        let quotient = quotient(&secret, &shift, &scalar);
        let holds = || kept.holds(quotient, &shift, value);
        assert_eq!(holds(), Some(true));
        assert!(pairing_kept(&kept, &value).is_none());
        assert_eq!(holds(), Some(true));
        assert!(pairing_kept(&kept, &value) == Some(product([-value], [one()])));
        assert_eq!(holds(), Some(true));
        assert_eq!(kept.holds(-quotient, &shift, value), Some(false));
        // With a wrong pairing in its place the equation fails: the kept pairing is used.
        let other = first(&Fr::from(10_u64));
        kept.store(&value, &product([-other], [one()]));
        assert_eq!(holds(), Some(false));
        // A copy begins without values, and newer values replace older ones.
        assert_eq!(
            kept.without_values().holds(quotient, &shift, value),
            Some(true)
        );
        for number in 0..VALUES {
            assert!(pairing_kept(&kept, &value).is_some());
            let newer = first(&Fr::from(u64::try_from(100 + number).unwrap()));
            assert_eq!(kept.holds(quotient, &shift, newer), Some(false));
        }
        assert_eq!(kept.lock().len(), VALUES);
        // A pairing that comes too late for its value is not kept.
        kept.store(&value, &product([-value], [one()]));
        assert_eq!(kept.lock().len(), VALUES);
        assert!(pairing_kept(&kept, &value).is_none());
        assert_eq!(holds(), Some(true));
    }

    #[test]
    fn equations_without_a_shifted_secret_hold_for_the_identity_only() {
        let secret = Fr::from(4321_u64);
        let (kept, some, none) = (kept(&secret), first(&Fr::ONE), G1Affine::identity());
        for quotient in [some, none, first(&secret)] {
            for value in [some, first(&secret)] {
                for _ in 0..3 {
                    assert_eq!(kept.holds(quotient, &-secret, value), Some(false));
                }
                assert!(pairing_kept(&kept, &value).is_some());
            }
            for _ in 0..3 {
                assert_eq!(kept.holds(quotient, &-secret, none), Some(true));
            }
            let with_rest = |value| kept.holds_with_rest(quotient, &-secret, &Fr::ONE, value);
            assert_eq!(with_rest(some), Some(true));
            assert_eq!(with_rest(first(&secret)), Some(false));
        }
    }

    #[test]
    fn threads_share_values() {
        let secret = Fr::from(99_u64);
        let kept = &kept(&secret);
        let scalars = [3_u64, 5, 8, 13, 21, 34].map(Fr::from);
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                scope.spawn(move || {
                    for round in 0..8_u64 {
                        let shift = Fr::from(100 * thread + round);
                        for scalar in &scalars {
                            let quotient = quotient(&secret, &shift, scalar);
                            let holds = |value| kept.holds(quotient, &shift, first(&value));
                            assert_eq!(holds(*scalar), Some(true));
                            // Further values, so that values are replaced.
                            assert_eq!(holds(*scalar + shift + Fr::ONE), Some(false));
                        }
                    }
                });
            }
        });
        let values = kept.lock();
        assert_eq!(values.len(), VALUES);
        for value in values.iter() {
            let expected = product([-value.point], [one()]);
            assert!(value.pairing.is_none_or(|pairing| pairing == expected));
        }
    }
}
