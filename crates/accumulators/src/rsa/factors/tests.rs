use super::*;
use crate::rsa::{group::ModularGroup as _, test_key::primes};

fn parameters() -> Parameters {
    let [p, q] = primes();
    Parameters::new(p * q, crate::rsa::RepresentativeRule::Wide).unwrap()
}

fn factors(parameters: &Parameters) -> Factors {
    let [p, q] = primes();
    Factors::new(p, q, parameters).unwrap()
}

fn exponent() -> SecretInteger {
    SecretInteger::new((Integer::from(1) << 2000_u32) - 12_345_u32)
}

#[test]
fn powers_are_right() {
    let parameters = parameters();
    let factors = factors(&parameters);
    let group = parameters.group();
    let power = factors
        .powers_of_base(&parameters, &[exponent()], &Workers::sequential())
        .unwrap();
    let expected = group.power(parameters.base().as_integer(), &exponent());
    assert_eq!(power, [group.canonical(expected)]);
}

#[test]
fn faults_are_noticed_before_anything_is_released() {
    let parameters = parameters();
    let faults = [
        Factors::break_one_side,
        Factors::break_recombination,
        Factors::break_prime,
    ];
    for fault in faults {
        let mut broken = factors(&parameters);
        fault(&mut broken);
        let result = broken.powers_of_base(&parameters, &[exponent()], &Workers::sequential());
        assert_eq!(result, Err(AccumulateError::FaultDetected));
    }
}

#[test]
fn lasting_faults_are_noticed_before_anything_is_released() {
    let parameters = parameters();
    let faults = [
        Factors::break_half,
        Factors::break_order,
        Factors::break_base,
        Factors::break_prime_of_tables,
        Factors::break_sign_of_base,
    ];
    let mut unnoticed = Vec::new();
    for (position, fault) in faults.into_iter().enumerate() {
        let mut broken = factors(&parameters);
        fault(&mut broken);
        let result = broken.powers_of_base(&parameters, &[exponent()], &Workers::sequential());
        if result != Err(AccumulateError::FaultDetected) {
            unnoticed.push(position);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}
