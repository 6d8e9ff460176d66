//! Arithmetic modulo one number against GMP, on every path that this processor has.

use proptest::{collection::vec, prelude::*};
use rug::{Complete, Integer, integer::Order};

use super::*;

fn number<const ROWS: usize>(integer: &Integer) -> Number<ROWS> {
    Number::from_words(&integer.to_digits::<u64>(Order::Lsf)).expect("it fits")
}

fn integer<const ROWS: usize>(number: &Number<ROWS>) -> Integer {
    let words: [u64; 64] = number.to_words();
    Integer::from_digits(&words, Order::Lsf)
}

/// Values at which carries are extreme, and random ones.
fn value(kind: u8, random: &[u64], bound: &Integer) -> Integer {
    let bits = bound.significant_bits();
    match kind {
        0 => Integer::new(),
        1 => Integer::from(1),
        2 => Integer::from(bound - 1),
        3 => (Integer::from(1) << (bits - 1)) - 1,
        4 => Integer::from(1) << bits.saturating_sub(2),
        _ => Integer::from_digits(random, Order::Lsf) % bound,
    }
}

fn check<const ROWS: usize>(path: Path, n: &Integer, a: &Integer, b: &Integer) {
    let modulus = Modulus::<ROWS>::on(path, &number(n)).expect("odd and not too long");
    let limbs = (n.significant_bits() + 2).div_ceil(LIMB_BITS);
    let radix = Integer::from(1) << (limbs * LIMB_BITS);
    let inverse = Integer::from(radix.invert_ref(n).expect("odd"));
    let twice = Integer::from(n << 1);
    let check = |what: &str, found: &Number<ROWS>, expected: Integer| {
        let found = integer(found);
        assert!(found < twice, "{what} on {path:?}");
        assert_eq!(found % n, expected.modulo(n), "{what} on {path:?}");
    };
    let (left, right) = (number::<ROWS>(a), number::<ROWS>(b));
    check("one", modulus.one(), radix.clone());
    let product = modulus.mul(&left, &right);
    check("product", &product, (a * b).complete() * &inverse);
    let square = |number: Integer| (number.square() * &inverse).modulo(n);
    let squares = modulus.square_times(&left, 2);
    check("squares", &squares, square(square(a.clone())));
    check("form", &modulus.to_form(&left), (a * &radix).complete());
    let residue = integer(&modulus.from_form(&left));
    let expected = (a * &inverse).complete().modulo(n);
    assert_eq!(residue, expected, "residue on {path:?}");
}

/// Numbers of up to `416 ROWS - 2` bits.
fn check_width<const ROWS: usize>(kinds: [u8; 3], bits: u32, words: &[Vec<u64>; 3]) {
    let most = 416 * u32::try_from(ROWS).expect("few") - 2;
    let bound = Integer::from(1) << (2 + bits % (most - 1));
    let n = value(kinds[0], &words[0], &bound).max(Integer::from(3)) | 1;
    let twice = Integer::from(&n << 1);
    let a = value(kinds[1], &words[1], &twice);
    let b = value(kinds[2], &words[2], &twice);
    for path in Path::all() {
        check::<ROWS>(path, &n, &a, &b);
    }
}

proptest! {
    #[test]
    fn all_widths(
        kinds in [0_u8..12, 0..12, 0..12],
        bits: u32,
        words in [vec(any::<u64>(), 52), vec(any::<u64>(), 52), vec(any::<u64>(), 52)],
    ) {
        check_width::<1>(kinds, bits, &words);
        check_width::<5>(kinds, bits, &words);
        check_width::<8>(kinds, bits, &words);
        // The greatest lengths, in which every limb counts.
        check_width::<5>(kinds, 5 * 416 - 4, &words);
        check_width::<8>(kinds, 8 * 416 - 4, &words);
    }
}

#[test]
fn unsuitable_moduli_are_refused() {
    let most: Integer = Integer::from(1) << 414_u32;
    for (integer, suits) in [
        (Integer::new(), false),
        (Integer::from(1), false),
        (Integer::from(4), false),
        (Integer::from(3), true),
        (Integer::from(&most - 1), true),
        (Integer::from(&most + 1), false),
    ] {
        let modulus = Modulus::<1>::new(&number(&integer));
        assert_eq!(modulus.is_some(), suits, "{integer}");
    }
}
