use rug::Complete;

use super::*;
use crate::{
    modular_group::ModularGroup as _,
    modulus::read,
    test_key::{primes, workers},
};

/// Numbers of about `bits` bits that look random, but are the same in every run.
fn number(seed: u32, bits: u32) -> Integer {
    let mut number: Integer = Integer::from(seed) * 2_654_435_761_u32 + 12_345_u32;
    while number.significant_bits() < bits {
        number = number.square() + seed;
    }
    number.keep_bits(bits)
}

/// Raises by GMP.
fn power(base: &Integer, exponent: &Integer, modulus: &Integer) -> Integer {
    Integer::from(base.pow_mod_ref(exponent, modulus).expect("not negative"))
}

/// Checks bases with several exponents each, whose lengths differ between the bases.
fn check<const LIMBS: usize, const ROWS: usize>(
    modulus: &Integer,
    bits: u32,
    bases: u32,
    count: u32,
) {
    let lanes = Group::<LIMBS, ROWS>::new(modulus).expect("odd");
    let of_lane = |lane: u32| -> Vec<Integer> {
        let exponents = (0..count).map(|index| number(lane * 10 + index, bits / lane));
        exponents.collect()
    };
    let exponents: Vec<Vec<Integer>> = (1..=bases).map(of_lane).collect();
    let bases = (1..=bases).map(|seed| number(seed + 7, 5000) % modulus);
    let bases: Vec<Integer> = bases.collect();
    let powers = |(base, exponents): (&Integer, &Vec<Integer>)| -> Vec<Integer> {
        let powers = exponents.iter();
        let powers = powers.map(|exponent| power(base, exponent, modulus));
        powers.collect()
    };
    let expected: Vec<Vec<Integer>> = bases.iter().zip(&exponents).map(powers).collect();

    let by_reference = exponents.iter().map(|exponents| exponents.iter().collect());
    let by_reference: Vec<Vec<&Integer>> = by_reference.collect();
    let slices: Vec<&[&Integer]> = by_reference.iter().map(Vec::as_slice).collect();
    let found = lanes.powers(&bases.iter().collect::<Vec<_>>(), &slices);
    assert_eq!(found, expected, "powers of {bits} bits at once");

    let step: usize = count.try_into().expect("few");
    let first: Vec<Integer> = exponents.iter().flatten().step_by(step).cloned().collect();
    let mut product = Integer::from(1);
    for (base, (exponent, expected)) in bases.iter().zip(first.iter().zip(&expected)) {
        let result = lanes.power(base, exponent);
        assert_eq!(result, expected[0], "a power of {bits} bits");
        product = product * &expected[0] % modulus;
    }
    let result = lanes.multi_power(&bases, &first);
    assert_eq!(result, product, "a product of powers of {bits} bits");

    for times in [0, 1, bits] {
        let exponent = Integer::from(1) << times;
        let result = lanes.square_times(&bases[0], times);
        assert_eq!(result, power(&bases[0], &exponent, modulus));
    }
}

#[test]
fn powers_agree_with_gmp() {
    let [p, q] = primes();
    let ours = p * q;
    let longest = read(&[0xff; 384]);
    let shortest = [1985, 3009].map(|bits| {
        let highest = Integer::from(1) << (bits - 1);
        number(bits, bits - 1) | highest | 1_u32
    });
    let sparse: Integer = (Integer::from(1) << 3071_u32) + 1_u32;
    for (bits, bases, count) in [
        (0, 1, 1),
        (1, 8, 2),
        (64, 3, 1),
        (273, 8, 2),
        // One by one, and in lanes that are not all in use.
        (1000, 5, 2),
        (1000, 6, 2),
        (3000, 2, 2),
    ] {
        check::<40, 5>(&ours, bits, bases, count);
        // Without `soak`, long exponents are raised modulo one number of each width only.
        let is_soak = cfg!(soak);
        if is_soak || bits <= 1000 {
            check::<60, 8>(&longest, bits, bases, count);
        }
        if is_soak || bits <= 273 {
            check::<60, 8>(&sparse, bits, bases, count);
            check::<40, 5>(&shortest[0], bits, bases, count);
            check::<60, 8>(&shortest[1], bits, bases, count);
        }
    }
}

#[test]
fn edge_bases_and_exponents() {
    let modulus = (Integer::from(1) << 2048_u32) - 1_u32;
    let lanes = Group::<40, 5>::new(&modulus).expect("odd");
    let greatest = Integer::from(&modulus - 1);
    let [zero, one, two] = [0, 1, 2].map(Integer::from);
    let all_ones = Integer::from(&modulus >> 1000);
    let table = [
        (&zero, &zero, &one),
        (&zero, &one, &zero),
        (&one, &greatest, &one),
        (&greatest, &two, &one),
        (&greatest, &one, &greatest),
        (&greatest, &all_ones, &greatest),
    ];
    for (base, exponent, expected) in table {
        assert_eq!(lanes.power(base, exponent), *expected);
    }
    let bases = table.map(|(base, _, _)| base);
    let exponents = table.map(|(_, exponent, _)| [exponent]);
    let expected = table.map(|(_, _, expected)| vec![expected.clone()]);
    let exponents = exponents.each_ref().map(<[&Integer; 1]>::as_slice);
    assert_eq!(lanes.powers(&bases, &exponents), expected);
    assert!(lanes.powers(&[], &[]).is_empty());
    assert_eq!(lanes.powers(&[&two], &[&[]]), [Vec::<Integer>::new()]);
    assert_eq!(lanes.multi_power(&[], &[]), one);
}

#[test]
fn powers_of_tables_agree_with_gmp() {
    let [p, q] = primes();
    let modulus: Integer = p * q;
    let lanes = Group::<40, 5>::new(&modulus).expect("odd");
    let base = Integer::from(7);
    for (stride, count) in [(24, 40), (5, 3), (1, 2)] {
        let entries: Vec<Integer> = (0..count)
            .map(|index| power(&base, &(Integer::from(1) << (stride * index)), &modulus))
            .collect();
        let entries: Vec<&Integer> = entries.iter().collect();
        for bits in [0, 1, stride * count - 1, stride * count] {
            let exponent = (Integer::from(1) << bits) - 1_u32;
            let expected = power(&base, &exponent, &modulus);
            for workers in [Workers::sequential(), workers(2)] {
                let found = lanes.power_of_table(&entries, stride, &exponent, &workers);
                assert_eq!(found, expected, "{bits} bits");
            }
        }
    }
}

#[test]
fn elements_of_one_number_invert() {
    let [p, q] = primes();
    let one = One::<5>::new(&(p * q)).expect("odd");
    let form = one.form(&Integer::from(12_345));
    let product = one.multiply(&form, &one.inverse(&form));
    assert_eq!(one.integer(&product), 1);
}

/// Lanes must be found only for moduli of suitable lengths, and only on processors where lanes are
/// fast.
#[test]
fn lanes_fit_the_modulus() {
    for (bits, suits) in [
        (521, false),
        (1984, false),
        (2047, true),
        (2048, true),
        (3072, true),
        (3073, false),
    ] {
        let modulus = (Integer::from(1) << bits) - 1_u32;
        let found = for_modulus(&modulus).is_some();
        assert_eq!(found, suits && montgomery_lanes::are_fast(), "{bits} bits");
    }
}

/// Negative bases and bases above the modulus must have the powers of their residues.
#[test]
fn any_base_stands_for_its_residue() {
    let [p, q] = primes();
    let modulus: Integer = p * q;
    let lanes = Group::<40, 5>::new(&modulus).expect("odd");
    let exponent = Integer::from(65_537);
    for base in [
        number(1, 2047),
        number(2, 2080),
        number(3, 2100),
        number(4, 9000),
        -number(5, 2000),
    ] {
        let residue = base.modulo_ref(&modulus).complete();
        let expected = power(&residue, &exponent, &modulus);
        assert_eq!(lanes.power(&base, &exponent), expected);
        let eight = vec![&base; 8];
        let exponents = [&exponent];
        let exponents = vec![exponents.as_slice(); 8];
        assert_eq!(lanes.powers(&eight, &exponents), vec![vec![expected]; 8]);
    }
}

/// The other tests of this crate, with lanes switched off: what a processor without them runs.
#[test]
fn all_hold_without_lanes() {
    let output = std::process::Command::new(std::env::current_exe().expect("it runs"))
        .args(["--skip", "all_hold_without_lanes"])
        .env("PAD_LANES", "off")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("running 0 tests"), "{text}");
}
