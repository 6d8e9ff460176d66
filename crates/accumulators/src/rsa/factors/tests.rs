use super::*;
use crate::rsa::test_key::primes;

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
fn powers_and_roots_are_right() {
    let parameters = parameters();
    let factors = factors(&parameters);
    let group = parameters.group();
    let power = factors
        .powers_of_base(group, &[exponent()], &Workers::sequential())
        .unwrap();
    let expected = group.power(parameters.base().as_integer(), &exponent());
    assert_eq!(power, [group.canonical(expected)]);

    let prime = Integer::from(4_294_967_311_u64);
    let root = factors.root(group, &power[0], &prime).unwrap();
    assert!(group.same(
        &group.power(root.as_integer(), &prime),
        power[0].as_integer()
    ));
}

#[test]
fn faults_are_noticed_before_anything_is_released() {
    let parameters = parameters();
    let group = parameters.group();
    let faults = [
        Factors::break_one_side,
        Factors::break_recombination,
        Factors::break_prime,
    ];
    for fault in faults {
        let mut broken = factors(&parameters);
        fault(&mut broken);
        let result = broken.powers_of_base(group, &[exponent()], &Workers::sequential());
        assert_eq!(result, Err(AccumulateError::FaultDetected));
    }
    for fault in [Factors::break_recombination, Factors::break_prime] {
        let mut broken = factors(&parameters);
        fault(&mut broken);
        let result = broken.root(group, parameters.base(), &Integer::from(65_537));
        assert_eq!(result, Err(AccumulateError::FaultDetected));
    }
}

#[test]
fn a_number_without_a_root_gives_none() {
    let parameters = parameters();
    let factors = factors(&parameters);
    let group = parameters.group();
    // Neither it nor its negative is a square: a square modulo one prime only.
    let [p, q] = primes();
    let number = (2_u32..100)
        .map(Integer::from)
        .find(|number| number.legendre(&p) != number.legendre(&q))
        .unwrap();
    let result = factors.root(group, &group.canonical(number), &Integer::from(65_537));
    assert_eq!(result, Err(AccumulateError::FaultDetected));
    let half = (&p >> 1_u32).complete();
    let result = factors.root(group, parameters.base(), &half);
    assert_eq!(result, Err(AccumulateError::ElementAbsent));
}
