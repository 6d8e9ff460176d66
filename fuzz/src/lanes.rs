//! The arithmetic of `montgomery-lanes` against GMP, on numbers of any bytes.
//!
//! Input: the width (1 byte), the kinds of three numbers (1 byte), then the bytes of the modulus
//! and of two factors. Some kinds replace the bytes by a number at which carries are extreme.

use montgomery_lanes::{LANES, LIMB_BITS, Moduli, Modulus, Number, Numbers};
use rug::{Complete, Integer, integer::Order};

/// Checks both layouts at the width that the first byte selects.
///
/// # Panics
/// If a result differs from that of GMP.
pub fn run(data: &[u8]) {
    let [width, kinds, bytes @ ..] = data else {
        return;
    };
    let check = match width % 6 {
        0 => check::<5, 1>,
        1 => check::<8, 1>,
        2 => check::<21, 3>,
        3 => check::<31, 4>,
        4 => check::<40, 5>,
        _ => check::<60, 8>,
    };
    check(*kinds, bytes);
}

fn check<const LIMBS: usize, const ROWS: usize>(kinds: u8, bytes: &[u8]) {
    let limbs = u32::try_from(LIMBS).expect("few limbs");
    let bits = limbs * LIMB_BITS - 2;
    let mut parts = bytes.chunks(usize::try_from(bits).expect("few bits").div_ceil(8));
    let mut of_bytes = || Integer::from_digits(parts.next().unwrap_or_default(), Order::Lsf);
    let highest = Integer::from(1) << (bits - 1);
    let n = of_bytes().keep_bits(bits);
    let n = match kinds % 4 {
        0 => (highest << 1) - 1_u32,
        1 => highest + 1_u32,
        _ => n | 1_u32,
    };
    let Some(one) = number(&n).and_then(|number| Modulus::<ROWS>::new(&number)) else {
        return;
    };
    let twice = Integer::from(&n << 1);
    let mut factor = |kind: u8| {
        let factor = of_bytes() % &twice;
        match kind % 4 {
            0 => Integer::from(&twice - 1_u32),
            1 => Integer::from(&n - 1_u32),
            _ => factor,
        }
    };
    let (a, b) = (factor(kinds / 4), factor(kinds / 16));
    check_one(&one, &n, [&a, &b]);
    check_eight::<LIMBS>(&n, [&a, &b]);
}

fn check_one<const ROWS: usize>(one: &Modulus<ROWS>, n: &Integer, [a, b]: [&Integer; 2]) {
    let limbs = u32::try_from(one.limbs()).expect("few limbs");
    let by = Reduction::new(limbs, n);
    let [left, right] = [a, b].map(|factor| number::<ROWS>(factor).expect("it fits"));
    let found = |number: Number<ROWS>| Integer::from_digits(&number.to_words::<64>(), Order::Lsf);
    by.is(found(one.mul(&left, &right)), (a * b).complete());
    by.is(found(one.square_times(&left, 1)), (a * a).complete());
    let square = by.of((a * a).complete());
    by.is(found(one.square_times(&left, 2)), square.square());
    assert_eq!(found(one.from_form(&left)), by.of(a.clone()), "residue");
}

fn check_eight<const LIMBS: usize>(n: &Integer, [a, b]: [&Integer; 2]) {
    let limbs = |number: &Integer| {
        Numbers::<LIMBS>::limbs_of(&number.to_digits::<u64>(Order::Lsf)).expect("it fits")
    };
    let moduli = Moduli::<LIMBS>::new(&Numbers::splat(&limbs(n))).expect("it suits one number");
    let by = Reduction::new(u32::try_from(LIMBS).expect("few limbs"), n);
    let twice = Integer::from(n << 1);
    // A different value in each lane.
    let values: Vec<Integer> = (0..LANES)
        .map(|lane| (a + b * Integer::from(lane)) % &twice)
        .collect();
    let mut left = Numbers::ZERO;
    for (lane, value) in values.iter().enumerate() {
        left.set(lane, &limbs(value));
    }
    let right = Numbers::splat(&limbs(b));
    let product = moduli.mul(&left, &right);
    let square = moduli.square_times(&left, 1);
    let [sum, difference] = [moduli.add(&left, &right), moduli.subtract(&left, &right)];
    let [reduced, residue] = [moduli.reduced(&left), moduli.from_form(&left)];
    let found = moduli.look_up(&[left, right], [0, 7, 8, 15, 16, u64::MAX, 3, 4]);
    let integer = |numbers: &Numbers<LIMBS>, lane: usize| {
        Integer::from_digits(&Numbers::words_of::<64>(&numbers.lane(lane)), Order::Lsf)
    };
    for (lane, value) in values.iter().enumerate() {
        by.is(integer(&product, lane), (value * b).complete());
        by.is(integer(&square, lane), (value * value).complete());
        assert_eq!(integer(&sum, lane), (value + b).complete() % &twice, "sum");
        let expected = (value - b).complete().modulo(&twice);
        assert_eq!(integer(&difference, lane), expected, "difference");
        assert_eq!(integer(&reduced, lane), Integer::from(value % n), "reduced");
        assert_eq!(integer(&residue, lane), by.of(value.clone()), "residue");
    }
    let zero = Integer::new();
    let entries = [
        &values[0], &values[7], b, b, &zero, &zero, &values[3], &values[4],
    ];
    for (lane, entry) in entries.into_iter().enumerate() {
        assert_eq!(integer(&found, lane), *entry, "look-up");
    }
}

/// Division by `R` modulo `n`.
struct Reduction<'a> {
    n: &'a Integer,
    inverse: Integer,
}

impl<'a> Reduction<'a> {
    fn new(limbs: u32, n: &'a Integer) -> Self {
        let radix = Integer::from(1) << (limbs * LIMB_BITS);
        let inverse = radix.invert(n).expect("odd");
        Self { n, inverse }
    }

    fn of(&self, number: Integer) -> Integer {
        (number * &self.inverse).modulo(self.n)
    }

    /// Asserts that a result below `2n` is `number / R` modulo `n`.
    fn is(&self, found: Integer, number: Integer) {
        assert!(found < Integer::from(self.n << 1), "a result is too large");
        assert_eq!(found % self.n, self.of(number), "a product");
    }
}

fn number<const ROWS: usize>(integer: &Integer) -> Option<Number<ROWS>> {
    Number::from_words(&integer.to_digits::<u64>(Order::Lsf))
}
