#![allow(
    clippy::arithmetic_side_effects,
    reason = "of GMP's integers, and of small numbers"
)]

use proptest::prelude::*;
use rug::{Integer, integer::Order, ops::RemRounding};

use super::*;

fn integer(limbs: &[u64]) -> Integer {
    Integer::from_digits(limbs, Order::Lsf)
}

fn limbs<const LIMBS: usize>(value: &Integer) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    value.write_digits(&mut limbs, Order::Lsf);
    limbs
}

/// Compares every operation on two values of any size with GMP.
fn check<const LIMBS: usize>(modulus: [u64; LIMBS], left: [u64; LIMBS], right: [u64; LIMBS]) {
    let context = Montgomery::new(modulus).expect("odd and above 1");
    assert_eq!(context.modulus(), &modulus);
    let n = integer(&modulus);
    let residue = |value: Integer| limbs::<LIMBS>(&value.rem_euc(&n));
    let (x, y) = (integer(&left), integer(&right));
    let (x_form, y_form) = (context.to_form(&left), context.to_form(&right));
    let radix = Integer::from(1) << total_bits::<LIMBS>();
    assert_eq!(x_form, residue(Integer::from(&x * &radix)), "to_form");
    assert_eq!(*context.one(), residue(radix), "one");
    assert_eq!(context.from_form(&x_form), residue(x.clone()), "from_form");
    let back = |form| context.from_form(&form);
    let found = back(context.mul(&x_form, &y_form));
    assert_eq!(found, residue(Integer::from(&x * &y)), "mul");
    let found = back(context.square(&x_form));
    assert_eq!(found, residue(Integer::from(x.square_ref())), "square");
    let found = back(context.double(&x_form));
    assert_eq!(found, residue(Integer::from(&x * 2)), "double");
    let difference = context.subtract(&x_form, &y_form);
    let found = back(difference);
    assert_eq!(found, residue(Integer::from(&x - &y)), "subtract");
    // `mul` allows one factor beyond the modulus.
    let found = back(context.mul(&left, &context.to_form(&context.to_form(&[1; LIMBS]))));
    assert_eq!(found, residue(&x * integer(&[1; LIMBS])));
    if context.has_room() {
        check_loosely(&context, &x_form);
    }
}

/// Checks that the loose square of `form` plus multiples of the modulus, up to the largest allowed
/// multiple, is congruent to the exact square.
fn check_loosely<const LIMBS: usize>(context: &Montgomery<LIMBS>, form: &[u64; LIMBS]) {
    let n = integer(context.modulus());
    for multiple in [0, 1, 2, 0x7fff, 0xffff] {
        let number = limbs::<LIMBS>(&(integer(form) + Integer::from(&n * multiple)));
        let square = integer(&context.square_loosely(&number));
        assert!(square < Integer::from(&n * 2), "below 2n");
        let found = limbs::<LIMBS>(&square.rem_euc(&n));
        assert_eq!(found, context.square(form), "{multiple}");
    }
}

fn edges<const LIMBS: usize>() {
    let ones = [u64::MAX; LIMBS];
    let mut three = [0; LIMBS];
    three[0] = 3;
    let mut top = [0; LIMBS];
    (top[0], top[LIMBS - 1]) = (1, 1 << 63);
    let mut low_ones = ones;
    low_ones[LIMBS - 1] = 0x1ff;
    let mut sparse = [0; LIMBS];
    (sparse[0], sparse[LIMBS - 1]) = (u64::MAX, 1);
    for modulus in [ones, three, top, low_ones, sparse] {
        let mut one = [0; LIMBS];
        one[0] = 1;
        let mut less = modulus;
        less[0] -= 1;
        let operands = [[0; LIMBS], one, less, modulus, ones];
        for left in operands {
            for right in operands {
                check(modulus, left, right);
            }
        }
    }
}

#[test]
fn edge_operands_agree_with_gmp_in_every_width() {
    edges::<2>();
    edges::<3>();
    edges::<4>();
    edges::<5>();
    edges::<8>();
    edges::<9>(); // Blocks with limbs left over.
    edges::<16>();
    edges::<24>();
}

#[test]
fn a_single_limb_works() {
    for modulus in [3, 5, 255, 0xffff_ffff_ffff_ffc5, u64::MAX] {
        for left in [0, 1, 2, modulus - 1, u64::MAX] {
            check([modulus], [left], [u64::MAX - 7]);
        }
    }
}

#[test]
fn even_moduli_one_and_zero_are_refused() {
    assert!(Montgomery::new([0_u64; 3]).is_none());
    assert!(Montgomery::new([1_u64, 0, 0]).is_none());
    assert!(Montgomery::new([2_u64, 0, 0]).is_none());
    assert!(Montgomery::new([0_u64, 0, 1]).is_none());
    assert!(Montgomery::new([u64::MAX - 1, u64::MAX, u64::MAX]).is_none());
    assert!(Montgomery::<0>::new([]).is_none());
    assert!(Montgomery::new([1_u64, 0, 1]).is_some());
}

#[test]
fn lookup_finds_each_entry_and_nothing_else() {
    let table: [[u64; 3]; 5] = core::array::from_fn(|i| [u64::MAX << i, !0, 1 << i]);
    for (index, entry) in (0..).zip(&table) {
        assert_eq!(lookup(&table, index), *entry);
    }
    for index in [5, 6, 1 << 32, 1 << 63, u64::MAX] {
        assert_eq!(lookup(&table, index), [0; 3]);
    }
    assert_eq!(lookup::<3>(&[], 0), [0; 3]);
}

#[test]
fn select_and_subtract_take_both_ways() {
    assert_eq!(select(mask(true), &[1, 2], &[3, 4]), [1, 2]);
    assert_eq!(select(mask(false), &[1, 2], &[3, 4]), [3, 4]);
    assert_eq!(subtract(&[0, 1], &[1, 0]), ([u64::MAX, 0], false));
    assert_eq!(subtract(&[0, 0], &[1, 0]), ([u64::MAX, u64::MAX], true));
}

#[test]
fn wiping_leaves_nothing_and_debug_shows_nothing() {
    let mut context = Montgomery::new([0x1234_5679_u64, 77, 99]).expect("odd");
    assert_eq!(format!("{context:?}"), "Montgomery<3>");
    context.zeroize();
    assert_eq!((context.modulus, context.negated_inverse), ([0; 3], 0));
    assert_eq!((context.one, context.radix_form), ([0; 3], [0; 3]));
}

/// Limbs with many zeros and ones among them: carries run far.
fn arb_limbs() -> impl Strategy<Value = [u64; 24]> {
    let limb = prop_oneof![3 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX), 1 => Just(1)];
    proptest::collection::vec(limb, 24)
        .prop_map(|limbs| limbs.try_into().expect("as many as asked for"))
}

/// Checks modulus and values of fewer limbs: the lowest ones of each operand.
fn check_lowest<const LIMBS: usize>(operands: &[[u64; 24]; 3]) {
    let [modulus, left, right] = operands.map(|limbs| *limbs.first_chunk().expect("at most 24"));
    check::<LIMBS>(odd(modulus), left, right);
}

fn odd<const LIMBS: usize>(mut modulus: [u64; LIMBS]) -> [u64; LIMBS] {
    modulus[0] |= 3; // Odd and above 1.
    modulus
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn random_operands_agree_with_gmp(operands in [arb_limbs(), arb_limbs(), arb_limbs()]) {
        check_lowest::<3>(&operands);
        check_lowest::<4>(&operands);
        check_lowest::<5>(&operands);
        check_lowest::<11>(&operands);
        check_lowest::<16>(&operands);
        check_lowest::<24>(&operands);
    }
}

/// Returns the number of random cases: few by default, more if `PROPTEST_CASES` is set.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(128)
}
