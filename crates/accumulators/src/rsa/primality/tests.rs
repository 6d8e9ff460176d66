#![allow(
    clippy::arithmetic_side_effects,
    reason = "of GMP's integers, and of small numbers"
)]

use pad_conformance::soak;
use rug::integer::IsPrime;

use super::*;

fn limbs<const LIMBS: usize>(value: &Integer) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    value.write_digits(&mut limbs, Order::Lsf);
    limbs
}

fn candidate<const LIMBS: usize>(value: &Integer) -> Candidate<LIMBS> {
    Candidate::new(limbs(value)).expect("odd and above 1")
}

/// Tests the number in every width that can store it. The results must agree.
fn verdict(value: &Integer) -> bool {
    let widest = is_prime::<5>(&limbs(value));
    if value.significant_bits() <= 256 {
        assert_eq!(is_prime::<4>(&limbs(value)), widest, "{value} in 4 limbs");
    }
    if value.significant_bits() <= 192 {
        assert_eq!(is_prime::<3>(&limbs(value)), widest, "{value} in 3 limbs");
    }
    if value.is_odd() && (17..=273).contains(&value.significant_bits()) {
        let [first, second] = [65_537, 65_539].map(Integer::from);
        let numbers = [limbs(value), limbs(&first), limbs(&second)];
        let eight = lanes::Candidates::new(&numbers).expect("odd and not too long");
        let verdicts = eight.pass_base_two() & eight.pass_the_rest();
        let expected = 0b110 | u8::from(widest);
        assert_eq!(verdicts & 0b111, expected, "{value} in lanes");
    }
    widest
}

#[track_caller]
fn agrees_with_gmp(value: &Integer) -> bool {
    let expected = value.is_probably_prime(40) != IsPrime::No;
    assert_eq!(verdict(value), expected, "{value}");
    expected
}

/// Pseudorandom numbers from a fixed seed: SHA-256 of a counter.
struct Random(u64);

fn random() -> Random {
    Random(20_130_923)
}

impl Random {
    /// A number of at most this many bits.
    fn bits(&mut self, bits: u32) -> Integer {
        let mut words = [0; 5];
        for word in &mut words {
            self.0 += 1;
            let digest = Sha256Ed25519::hash(Domain::Value, &[&self.0.to_le_bytes()]);
            *word = u64::from_le_bytes(*digest.0.first_chunk().unwrap());
        }
        Integer::from_digits(&words, Order::Lsf).keep_bits(bits)
    }
}

#[test]
fn numbers_below_a_hundred_thousand_agree_with_gmp() {
    // The number of primes below 2 * 10^4, or below 10^5.
    let (end, expected) = soak::size((20_000, 2262), (100_000, 9592));
    let primes = (0..end).filter(|i| agrees_with_gmp(&Integer::from(*i)));
    assert_eq!(primes.count(), expected);
}

#[test]
fn random_numbers_of_each_size_and_those_around_them_agree_with_gmp() {
    let mut random = random();
    let mut primes = 0;
    for bits in [
        20, 40, 64, 65, 100, 128, 150, 184, 191, 192, 240, 248, 256, 265, 288, 300, 320,
    ] {
        for _ in 0..8 {
            let mut value = random.bits(bits);
            value.set_bit(bits - 1, true);
            let around = if bits < 320 { 16 } else { 0 };
            for number in 0..=around {
                primes += u32::from(agrees_with_gmp(&Integer::from(&value + number)));
            }
            let prime = Integer::from(&value >> 1).next_prime();
            assert!(agrees_with_gmp(&prime), "{prime}");
        }
    }
    assert!(primes > 25, "{primes}");
}

#[test]
fn limits_of_the_limbs_agree_with_gmp() {
    for bits in [64, 128, 192, 256, 320_u32] {
        for below in 1..200 {
            agrees_with_gmp(&((Integer::from(1) << bits) - below));
        }
    }
    // The largest prime of each width, so both ways through the carries.
    for (bits, below) in [(192, 237), (256, 189), (320, 197)] {
        let prime = (Integer::from(1) << bits) - below;
        assert!(verdict(&prime), "2^{bits} - {below}");
    }
}

#[test]
fn strong_pseudoprimes_to_base_two_fail_the_lucas_test() {
    let short = [
        2047, 3277, 4033, 4681, 8321, 15841, 29341, 42799, 49141, 52633, 65281, 74665, 80581,
        85489, 88357, 90751, 1_082_401,
    ];
    let long = [3_215_031_751_u64, 341_550_071_728_321];
    for value in short.into_iter().chain(long).map(Integer::from) {
        assert!(candidate::<3>(&value).passes_base_two(), "{value}: two");
        assert!(candidate::<5>(&value).passes_base_two(), "{value}: two");
        if value >= SMALL {
            assert!(!candidate::<3>(&value).passes_lucas(), "{value}: Lucas");
            assert!(!candidate::<5>(&value).passes_lucas(), "{value}: Lucas");
        }
        assert!(!verdict(&value), "{value}");
    }
}

/// Checks that the listed pseudoprimes are the only ones in the range.
#[test]
fn extra_strong_lucas_pseudoprimes_fail_the_base_two_test() {
    // The numbers of OEIS A217719 from 2^16 to 4 * 10^5; recomputed by matrix powers in Python.
    let known = [
        72_389, 73_919, 75_077, 100_127, 113_573, 125_249, 137_549, 137_801, 153_931, 155_819,
        161_027, 162_133, 189_419, 218_321, 231_703, 249_331, 370_229,
    ];
    let composite = |value: &u32| Integer::from(*value).is_probably_prime(25) == IsPrime::No;
    let end = soak::size(140_000, 400_000_u32);
    let passing = (65_537..end).step_by(2).filter(composite).filter(|value| {
        let value = Integer::from(*value);
        let passes = candidate::<3>(&value).passes_lucas();
        assert_eq!(candidate::<5>(&value).passes_lucas(), passes, "{value}");
        passes
    });
    let expected: Vec<u32> = known.into_iter().filter(|value| *value < end).collect();
    assert_eq!(passing.collect::<Vec<_>>(), expected);
    for value in known.map(Integer::from) {
        assert!(!candidate::<5>(&value).passes_base_two(), "{value}: two");
        assert!(!verdict(&value), "{value}");
    }
}

#[test]
fn lucas_pseudoprimes_are_composite() {
    let lucas = [
        323, 377, 1159, 1829, 3827, 5459, 5777, 9071, 9179, 10877, 16109, 18971, 22499,
    ];
    let strong = [
        24569, 25199, 40309, 58519, 75077, 97439, 100_127, 113_573, 115_639, 130_139,
    ];
    for value in lucas.into_iter().chain(strong) {
        assert!(!agrees_with_gmp(&Integer::from(value)), "{value}");
    }
}

/// Checks that each of the three tests accepts primes and, except for its pseudoprimes, rejects
/// composites.
#[test]
fn every_part_decides_on_its_own() {
    let mut random = random();
    for bits in [80, 184, 256, 264_u32] {
        for _ in 0..10 {
            let value = random.bits(bits);
            let prime = candidate::<5>(&value.clone().next_prime());
            assert!(prime.passes_base_two() && prime.passes_lucas());
            assert!((0..ROUNDS).all(|round| prime.passes_round(round)));
            let factor = Integer::from(&value >> (bits / 2)).next_prime();
            let other = Integer::from(&factor + 1).next_prime();
            let composite = candidate::<5>(&(factor * other));
            assert!(!composite.passes_base_two() && !composite.passes_lucas());
            assert!(!(0..ROUNDS).any(|round| composite.passes_round(round)));
        }
    }
}

#[test]
fn carmichael_numbers_are_composite() {
    let small = [
        561, 1105, 1729, 2465, 2821, 6601, 8911, 10585, 15841, 29341, 41041, 46657, 52633, 62745,
        63973, 75361, 101_101, 115_921, 126_217, 162_401, 172_081, 188_461, 252_601, 278_545,
    ];
    for value in small {
        assert!(!agrees_with_gmp(&Integer::from(value)), "{value}");
    }
    // Chernick: (6k + 1)(12k + 1)(18k + 1) with three prime factors.
    let mut found = 0;
    for start in [1_u64 << 20, 1 << 40, 1 << 56] {
        for k in (start..).take(60_000) {
            let factors: [Integer; 3] =
                [6, 12, 18].map(|times: u32| Integer::from(k) * times + 1_u32);
            let passes = |factor: &Integer| factor.is_probably_prime(10) != IsPrime::No;
            if factors.iter().all(passes) {
                let [first, second, third] = factors;
                let value = first * second * third;
                let power = Integer::from(2).pow_mod(&Integer::from(&value - 1), &value);
                assert_eq!(power.unwrap(), 1);
                assert!(!agrees_with_gmp(&value), "{value}");
                found += 1;
            }
        }
    }
    assert!(found > 10, "{found}");
}

/// p (2p - 1) has the most liars of all: a quarter of the bases pass Miller-Rabin.
#[test]
fn products_of_p_and_2p_less_1_are_composite() {
    let (mut two, mut lucas, mut round, mut found) = (0, 0, 0, 0);
    for start in [1_u64 << 20, 1 << 30, 1 << 50, 1 << 62] {
        let mut prime = Integer::from(start);
        for _ in 0..1500 {
            prime = prime.next_prime();
            let other = Integer::from(&prime * 2) - 1_u32;
            if other.is_probably_prime(10) == IsPrime::No {
                continue;
            }
            let value = Integer::from(&prime * &other);
            let candidate = candidate::<3>(&value);
            two += u32::from(candidate.passes_base_two());
            lucas += u32::from(candidate.passes_lucas());
            round += u32::from(candidate.passes_round(0));
            found += 1;
            assert!(!agrees_with_gmp(&value), "{value}");
        }
    }
    let strong = found > 100 && two > 10 && round > 10;
    assert!(strong, "{found} {two} {round}: the test is too weak");
    let refused = two < found && round < found && lucas == 0;
    assert!(refused, "{found} {two} {lucas} {round}");
}

#[test]
fn squares_of_primes_are_composite_and_end_the_search_for_a_parameter() {
    let mut random = random();
    // Wieferich's primes: their squares pass base 2.
    for prime in [1093_u32, 3511] {
        let value = Integer::from(prime).square();
        assert!(candidate::<3>(&value).passes_base_two(), "{prime}");
        assert!(!verdict(&value), "{prime}");
    }
    for bits in [9, 30, 64, 92, 128, 132, 160_u32] {
        for _ in 0..20 {
            let prime = random.bits(bits - 1).next_prime();
            let value = prime.square();
            assert!(!verdict(&value), "{value}");
            if value >= SMALL && value.is_odd() {
                assert_eq!(lucas_parameter::<5>(&limbs(&value)), None, "{value}");
                assert!(!candidate::<5>(&value).passes_lucas(), "{value}");
            }
        }
    }
}

#[test]
fn products_of_two_large_primes_are_composite() {
    let mut random = random();
    for bits in [92, 128, 132, 160_u32] {
        for _ in 0..50 {
            let mut prime = || random.bits(bits - 1).next_prime();
            let value = prime() * prime();
            assert!(!agrees_with_gmp(&value), "{value}");
        }
    }
}

#[test]
fn even_numbers_zero_and_one_are_composite_and_two_is_prime() {
    assert!(verdict(&Integer::from(2)));
    for value in [0, 1] {
        assert!(!verdict(&Integer::from(value)));
    }
    for shift in 2..320 {
        assert!(!verdict(&(Integer::from(1) << shift)), "2^{shift}");
        let threefold = (Integer::from(3) << shift) >> 1;
        assert!(!verdict(&threefold), "3 2^{shift} / 2");
    }
}

#[test]
fn lucas_parameters_are_the_least_ones() {
    let mut random = random();
    for _ in 0..200 {
        let prime = random.bits(265).next_prime();
        let least = (3..10_000_u64).find(|p| Integer::from(p * p - 4).jacobi(&prime) == -1);
        assert_eq!(lucas_parameter::<5>(&limbs(&prime)), least);
    }
}

#[test]
fn powers_agree_with_gmp() {
    let mut random = random();
    for bits in [64, 200, 288, 289, 320_u32] {
        let mut number = random.bits(bits);
        number.set_bit(0, true);
        number.set_bit(bits - 1, true);
        let candidate = candidate::<5>(&number);
        for _ in 0..20 {
            let exponent = random.bits(bits);
            let base = random.bits(bits);
            let power = candidate.power(&candidate.field.to_form(&limbs(&base)), &limbs(&exponent));
            let expected = base.pow_mod(&exponent, &number).unwrap();
            let found = candidate.field.from_form(&power);
            assert_eq!(found, limbs(&expected), "{bits} bits");
            let power = candidate.power_of_two(&limbs(&exponent));
            let expected = Integer::from(2).pow_mod(&exponent, &number).unwrap();
            let found = candidate.field.from_form(&power);
            assert_eq!(found, limbs(&expected), "2, {bits} bits");
        }
    }
}

#[test]
fn bases_depend_on_the_number_and_the_round() {
    let words = hashed_words(&[1, 2, 3, 4, 5], 0);
    assert_ne!(words, hashed_words(&[1, 2, 3, 4, 5], 1));
    assert_ne!(words, hashed_words(&[1, 2, 3, 4, 6], 0));
    assert!(words.iter().all(|word| *word != 0), "every limb is filled");
    assert_ne!(words[0], words[4], "blocks differ");
}

#[test]
fn twos_split_off_at_every_place() {
    for shift in 0..320 {
        let odd = (Integer::from(0x9e37_79b9_7f4a_7c15_u64) << 256_u32) + 1_u32;
        let value = Integer::from(&odd << shift).keep_bits(320);
        if value == 0 {
            continue;
        }
        let twos = value.find_one(0).unwrap();
        let expected = Integer::from(&value >> twos);
        let found = split_twos::<5>(&limbs(&value));
        assert_eq!(found, (limbs(&expected), twos), "{shift}");
    }
}

/// Primality vectors of Wycheproof (`tests/external/README.md`).
mod wycheproof {
    use serde::Deserialize;

    use super::*;

    const VECTORS: &str = include_str!("../../../tests/external/primality_test.json");

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Vectors {
        number_of_tests: u32,
        test_groups: Vec<Group>,
    }

    #[derive(Deserialize)]
    struct Group {
        tests: Vec<Test>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Test {
        tc_id: u32,
        value: String,
        result: String,
    }

    /// Tests the vectors that fit the widths of representatives. Wider vectors are tested by the
    /// same code in 45 limbs.
    ///
    /// Vectors are in two's complement. The 14 negative ones are left out: limbs have no sign.
    #[test]
    fn verdicts_are_those_published() {
        let vectors: Vectors = serde_json::from_str(VECTORS).unwrap();
        let (mut narrow, mut wide, mut negative) = (0, 0, 0);
        for test in vectors.test_groups.iter().flat_map(|group| &group.tests) {
            let bytes = hex::decode(&test.value).unwrap();
            if bytes.first().is_some_and(|byte| *byte >= 0x80) {
                negative += 1;
                continue;
            }
            let value = Integer::from_digits(&bytes, Order::Msf);
            let is_narrow = value.significant_bits() <= 320;
            let verdict = if is_narrow {
                narrow += 1;
                verdict(&value)
            } else {
                wide += 1;
                // Up to 2880 bits: `make test` tests a few of them.
                if wide % soak::size(5, 1) > 0 {
                    continue;
                }
                is_prime::<45>(&limbs(&value))
            };
            let published = match test.result.as_str() {
                "valid" => true,
                "invalid" => false,
                other => panic!("vector {} has the result {other}", test.tc_id),
            };
            assert_eq!(verdict, published, "vector {}", test.tc_id);
        }
        assert_eq!((narrow, wide, negative), (153, 150, 14));
        assert_eq!(narrow + wide + negative, vectors.number_of_tests);
    }
}
