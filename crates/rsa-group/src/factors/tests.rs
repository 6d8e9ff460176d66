use rug::ops::Pow;

use super::*;
use crate::{
    group::ModularGroup as _,
    test_key::{primes, small_primes},
};

/// Faults, as a broken machine would have them.
impl Factors {
    /// Has every reduction modulo one prime go wrong.
    fn break_remainders(&mut self, side: usize) {
        self.sides[side].breaks_remainders = true;
    }

    /// Changes one bit of the tables of one prime.
    fn break_one_side(&mut self) {
        let side = &mut self.sides[0];
        let mut powers = FixedBase::new(&self.base, &side.prime, &side.guard);
        powers.break_tables();
        side.powers = OnceLock::from(powers);
    }

    /// Changes one bit of the number that recombination multiplies by.
    fn break_recombination(&mut self) {
        self.inverse = SecretInteger::new((&*self.inverse + 1_u32).complete());
    }

    /// Changes one bit of the modulus by which exponents are reduced for one prime.
    fn break_half(&mut self) {
        flip_bit(&mut self.sides[0].half);
    }

    /// Changes one bit of the order by which products of primes are reduced.
    fn break_order(&mut self) {
        flip_bit(&mut self.order);
    }

    /// Changes one bit of the base before the tables are built.
    fn break_base(&mut self) {
        flip_bit(&mut self.base);
    }

    /// Builds the tables of one side with a prime of which one bit is changed.
    fn break_prime_of_tables(&mut self) {
        let side = &mut self.sides[0];
        let mut prime = side.prime.clone();
        flip_bit(&mut prime);
        side.powers = OnceLock::from(FixedBase::new(&self.base, &prime, &side.guard));
    }

    /// Takes the one of `g` and `N - g` that is not a square.
    fn break_sign_of_base(&mut self) {
        let [p, q] = self.primes();
        self.base = SecretInteger::new((p * q).complete() - &*self.base);
    }

    /// Changes one bit of a prime.
    fn break_prime(&mut self) {
        let side = &mut self.sides[0];
        side.prime = SecretInteger::new((&*side.prime + 2_u32).complete());
    }
}

fn flip_bit(number: &mut SecretInteger) {
    let mut changed = Integer::clone(number);
    changed.toggle_bit(100);
    *number = SecretInteger::new(changed);
}

/// A group and a base that is a square.
struct Public {
    primes: [Integer; 2],
    group: ResidueGroup,
    base: Integer,
}

impl Public {
    fn new(primes: [Integer; 2]) -> Self {
        let [p, q] = &primes;
        let group = ResidueGroup::new((p * q).complete());
        let root = (Integer::from(1) << 400_u32) + 12_347_u32;
        Self {
            base: group.square(&root),
            group,
            primes,
        }
    }

    fn large() -> Self {
        Self::new(primes())
    }

    /// Factors of a size without tables.
    fn small() -> Self {
        Self::new(small_primes())
    }

    fn factors(&self) -> Factors {
        let bits = self.group.modulus().significant_bits();
        let primes = PrimePair::new(self.primes.clone(), bits).unwrap();
        Factors::new(primes, &self.base).unwrap()
    }

    fn power(&self, factors: &Factors, exponent: &Integer) -> Result<Integer, FaultDetected> {
        let exponent = SecretInteger::new(exponent.clone());
        factors.power(&self.group, &self.base, exponent)
    }
}

fn exponent() -> Integer {
    (Integer::from(1) << 2000_u32) - 12_345_u32
}

#[test]
fn powers_are_those_of_the_definition() {
    for public in [Public::large(), Public::small()] {
        let factors = public.factors();
        let [p, _] = factors.primes();
        let half = (p - 1_u32).complete() / 2_u32;
        let order = factors.order().clone();
        let exponents = [
            Integer::from(0),
            Integer::from(1),
            half.clone(),
            half + 1_u32,
            order.clone(),
            order.pow(3) + 5_u32,
            exponent(),
        ];
        for exponent in exponents {
            // By GMP, and not by lanes as in the group.
            let expected = public.base.pow_mod_ref(&exponent, public.group.modulus());
            let expected = expected.map(Integer::from).unwrap();
            assert_eq!(public.power(&factors, &exponent), Ok(expected));
        }
        // A wrong modulus or base has the effect of a fault.
        let exponent = SecretInteger::new(exponent());
        let other = ResidueGroup::new((public.group.modulus() + 2_u32).complete());
        let fault = Err(FaultDetected);
        assert_eq!(factors.power(&other, &public.base, exponent.clone()), fault);
        let other = (&public.base + 1_u32).complete();
        assert_eq!(factors.power(&public.group, &other, exponent), fault);
        assert_eq!(public.power(&factors, &Integer::from(-1)), fault);
    }
}

/// A fault of the last reduction modulo one prime gives a power that is right modulo the other. Its
/// difference to the right power has that other prime as a factor.
#[test]
fn a_fault_of_the_last_reduction_is_noticed() {
    for public in [Public::large(), Public::small()] {
        for side in [0, 1] {
            let mut broken = public.factors();
            let right = public.group.power(&public.base, &exponent());
            assert_eq!(public.power(&broken, &exponent()), Ok(right));
            broken.break_remainders(side);
            let power = public.power(&broken, &exponent());
            assert_eq!(power, Err(FaultDetected), "side {side}");
        }
    }
}

#[test]
fn faults_are_noticed_before_anything_is_released() {
    let public = Public::large();
    let faults = [
        Factors::break_one_side,
        Factors::break_recombination,
        Factors::break_prime,
        // Faults that last.
        Factors::break_half,
        Factors::break_order,
        Factors::break_base,
        Factors::break_prime_of_tables,
        Factors::break_sign_of_base,
    ];
    let mut unnoticed = Vec::new();
    for (position, fault) in faults.into_iter().enumerate() {
        let mut broken = public.factors();
        fault(&mut broken);
        let result = public.power(&broken, &exponent());
        if result != Err(FaultDetected) {
            unnoticed.push(position);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

#[test]
fn bases_that_are_no_squares_are_refused() {
    let [p, q] = primes();
    let modulus = (&p * &q).complete();
    let made = |base: &Integer| {
        let primes = PrimePair::new([p.clone(), q.clone()], 2048).unwrap();
        Factors::new(primes, base).map(drop)
    };
    assert_eq!(made(&Integer::from(9)), Ok(()));
    let unsuitable = Err(KeyError::UnsuitableBase);
    for base in [Integer::new(), Integer::from(1), modulus - 9_u32, p.clone()] {
        assert_eq!(made(&base), unsuitable);
    }
}

#[test]
fn secrets_do_not_print() {
    let factors = Public::small().factors();
    assert_eq!(format!("{factors:?}"), "Factors(..)");
}
