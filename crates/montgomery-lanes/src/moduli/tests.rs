//! Every kernel against GMP, on every path that this processor has.

use core::array;

use proptest::{collection::vec, prelude::*};
use rug::{Complete, Integer, integer::Order};

use super::*;

/// Converts to 52-bit limbs.
fn limbs<const LIMBS: usize>(number: &Integer) -> [u64; LIMBS] {
    Numbers::limbs_of(&number.to_digits::<u64>(Order::Lsf)).expect("it fits")
}

fn integer<const LIMBS: usize>(limbs: &[u64; LIMBS]) -> Integer {
    let mut number = Integer::new();
    for limb in limbs.iter().rev() {
        number = (number << LIMB_BITS) + *limb;
    }
    number
}

fn numbers<const LIMBS: usize>(lanes: &[Integer; LANES]) -> Numbers<LIMBS> {
    Numbers::from_lanes(&lanes.each_ref().map(limbs))
}

fn integers<const LIMBS: usize>(numbers: &Numbers<LIMBS>) -> [Integer; LANES] {
    array::from_fn(|lane| integer(&numbers.lane(lane)))
}

fn radix<const LIMBS: usize>() -> Integer {
    Integer::from(1) << (u32::try_from(LIMBS).expect("few") * LIMB_BITS)
}

/// Values at which carries and bounds are extreme, below `bound`: 0, 1, the greatest, all-ones
/// limbs, a lone highest limb, and its half.
fn edge(bound: &Integer, kind: u8) -> Integer {
    let bits = bound.significant_bits();
    match kind % 7 {
        0 => Integer::new(),
        1 => Integer::from(1),
        2 => Integer::from(bound - 1),
        3 => (Integer::from(1) << (bits - 1)) - 1,
        4 => Integer::from(bound - 2),
        5 => Integer::from(1) << (bits - 1).saturating_sub(1),
        _ => Integer::from(bound >> 1),
    }
}

/// An odd modulus of any length up to the bound, at an edge or random.
fn modulus<const LIMBS: usize>(kind: u8, random: &[u64]) -> Integer {
    let most = radix::<LIMBS>() >> 2;
    let random_number = Integer::from_digits(random, Order::Lsf);
    let number = match kind {
        0..14 => edge(&most, kind),
        14..21 => random_number % &most,
        _ => {
            let bits = u64::from(most.significant_bits());
            let length = random.first().map_or(0, |word| word % bits);
            random_number.keep_bits(u32::try_from(length).expect("short"))
        }
    };
    number.max(Integer::from(3)) | 1
}

fn value(kind: u8, random: &[u64], bound: &Integer) -> Integer {
    if kind < 14 {
        edge(bound, kind) % bound
    } else {
        Integer::from_digits(random, Order::Lsf) % bound
    }
}

type Seeds = [(u8, Vec<u64>); LANES];

fn seeds(words: usize) -> impl Strategy<Value = Seeds> {
    vec((0_u8..28, vec(any::<u64>(), words)), LANES)
        .prop_map(|seeds| seeds.try_into().expect("eight"))
}

/// Moduli of the lanes, and the kernels that compute.
struct Given {
    path: Path,
    n: [Integer; LANES],
    twice: [Integer; LANES],
    radix: Integer,
}

impl Given {
    /// Checks that values are below twice the moduli and congruent to what is expected.
    fn loosely<const LIMBS: usize>(
        &self,
        what: &str,
        found: &Numbers<LIMBS>,
        expected: impl Fn(usize) -> Integer,
    ) {
        let path = self.path;
        for (lane, found) in integers(found).into_iter().enumerate() {
            assert!(found < self.twice[lane], "{what}: lane {lane} of {path:?}");
            let expected = expected(lane).modulo(&self.n[lane]);
            let found = found % &self.n[lane];
            assert_eq!(found, expected, "{what}: lane {lane} of {path:?}");
        }
    }

    /// Checks that values are those expected.
    fn exactly<const LIMBS: usize>(
        &self,
        what: &str,
        found: &Numbers<LIMBS>,
        expected: impl Fn(usize) -> Integer,
    ) {
        let path = self.path;
        for (lane, found) in integers(found).into_iter().enumerate() {
            assert_eq!(found, expected(lane), "{what}: lane {lane} of {path:?}");
        }
    }

    /// Divides by `R`.
    fn unradix(&self, number: Integer, lane: usize) -> Integer {
        let inverse = self.radix.invert_ref(&self.n[lane]).expect("odd");
        (number * Integer::from(inverse)).modulo(&self.n[lane])
    }
}

/// Checks all operations of one width on one path.
fn check<const LIMBS: usize>(
    path: Path,
    [for_moduli, for_left, for_right]: &[Seeds; 3],
    bits: [u64; LANES],
) {
    let n: [Integer; LANES] =
        array::from_fn(|lane| modulus::<LIMBS>(for_moduli[lane].0, &for_moduli[lane].1));
    let twice = n.each_ref().map(|n| Integer::from(n << 1));
    let values =
        |seeds: &Seeds| array::from_fn(|lane| value(seeds[lane].0, &seeds[lane].1, &twice[lane]));
    let values = [values(for_left), values(for_right)];
    let moduli = Moduli::<LIMBS>::on(path, &numbers(&n)).expect("odd and not too long");
    let radix = radix::<LIMBS>();
    let given = Given {
        path,
        n,
        twice,
        radix,
    };
    check_residues(&given, &moduli, &values);
    check_greater_values(&given, &moduli, &values);
    check_moves(&given, &moduli, &values, bits);
}

/// Checks what computes with values below twice the moduli.
fn check_residues<const LIMBS: usize>(
    given: &Given,
    moduli: &Moduli<LIMBS>,
    [a, b]: &[[Integer; LANES]; 2],
) {
    let (left, right) = (numbers::<LIMBS>(a), numbers::<LIMBS>(b));
    let Given { n, radix, .. } = given;
    given.loosely("one", moduli.one(), |_| radix.clone());
    given.loosely("product", &moduli.mul(&left, &right), |lane| {
        given.unradix((&a[lane] * &b[lane]).complete(), lane)
    });
    given.loosely("square", &moduli.square_times(&left, 1), |lane| {
        given.unradix(a[lane].square_ref().complete(), lane)
    });
    given.loosely("three squares", &moduli.square_times(&left, 3), |lane| {
        let square = |number: Integer| given.unradix(number.square(), lane);
        square(square(square(a[lane].clone())))
    });
    given.loosely("sum", &moduli.add(&left, &right), |lane| {
        (&a[lane] + &b[lane]).complete()
    });
    given.loosely("difference", &moduli.subtract(&left, &right), |lane| {
        (&a[lane] - &b[lane]).complete()
    });
    given.exactly("reduced", &moduli.reduced(&left), |lane| {
        (&a[lane] % &n[lane]).complete()
    });
    given.loosely("form", &moduli.to_form(&left), |lane| {
        (&a[lane] * radix).complete()
    });
    given.exactly("residue", &moduli.from_form(&left), |lane| {
        given.unradix(a[lane].clone(), lane)
    });
}

/// Checks greater values than residues, up to the bound of each operation.
fn check_greater_values<const LIMBS: usize>(
    given: &Given,
    moduli: &Moduli<LIMBS>,
    [a, _]: &[[Integer; LANES]; 2],
) {
    let Given { n, radix, .. } = given;
    let greatest = Integer::from(radix - 1);
    let all_ones = Numbers::<LIMBS>::splat(&limbs(&greatest));
    given.loosely("form of R - 1", &moduli.to_form(&all_ones), |_| {
        (&greatest * radix).complete()
    });
    let quarter = Integer::from(&greatest >> 2);
    let long = Numbers::<LIMBS>::splat(&limbs(&quarter));
    given.loosely("long factor", &moduli.mul(&numbers(a), &long), |lane| {
        given.unradix((&a[lane] * &quarter).complete(), lane)
    });
    let roots = n.each_ref();
    let roots = roots.map(|n| ((n * radix).complete() - 1_u32).sqrt());
    given.loosely(
        "long square",
        &moduli.square_times(&numbers(&roots), 1),
        |lane| given.unradix(roots[lane].square_ref().complete(), lane),
    );
}

/// Checks what does not reduce: shifts, selections and look-ups.
fn check_moves<const LIMBS: usize>(
    given: &Given,
    moduli: &Moduli<LIMBS>,
    [a, b]: &[[Integer; LANES]; 2],
    bits: [u64; LANES],
) {
    let (left, right) = (numbers::<LIMBS>(a), numbers::<LIMBS>(b));
    let small = numbers::<LIMBS>(&a.each_ref().map(|a| Integer::from(a >> 51)));
    given.exactly("shift", &moduli.shift_left(&small, bits), |lane| {
        Integer::from(&a[lane] >> 51) << u32::try_from(bits[lane]).expect("short")
    });
    let mask = u8::try_from(bits[0] * 5).expect("below 256");
    given.exactly("selection", &moduli.select(mask, &left, &right), |lane| {
        let of = if (mask >> lane) & 1 == 1 { a } else { b };
        of[lane].clone()
    });
    // A few indices have no entry. The greatest one would be that of an entry in fewer bits.
    let indices = bits.map(|bits| if bits == 51 { u64::MAX } else { bits % 18 });
    given.exactly(
        "look-up",
        &moduli.look_up(&[left, right], indices),
        |lane| {
            let entry = usize::try_from(indices[lane]).ok();
            let entry = entry.and_then(|index| a.iter().chain(b).nth(index));
            entry.cloned().unwrap_or_default()
        },
    );
    let mut moved = right;
    moved.set_number(0, &left.number::<8>(7));
    given.exactly("moved lane", &moved, |lane| {
        if lane == 0 {
            a[7].clone()
        } else {
            b[lane].clone()
        }
    });
}

/// The widths that programs use, an even and an odd one on each side of the choice between one and
/// two rows, and the smallest.
macro_rules! widths {
    ($($name:ident $limbs:literal,)+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(48))]
            $(
                #[test]
                fn $name(
                    seeds in [seeds($limbs), seeds($limbs), seeds($limbs)],
                    bits in [0_u64..52, 0..52, 0..52, 0..52, 0..52, 0..52, 0..52, 0..52],
                ) {
                    for path in Path::all() {
                        check::<$limbs>(path, &seeds, bits);
                    }
                }
            )+
        }
    };
}

widths! {
    limbs_2 2,
    limbs_5 5,
    limbs_6 6,
    limbs_8 8,
    limbs_11 11,
    limbs_12 12,
    limbs_13 13,
    limbs_21 21,
    limbs_31 31,
    limbs_40 40,
    limbs_60 60,
}

#[test]
fn unsuitable_moduli_are_refused() {
    let most: Integer = radix::<5>() >> 2;
    for (number, suits) in [
        (Integer::new(), false),
        (Integer::from(1), false),
        (Integer::from(2), false),
        (Integer::from(3), true),
        (Integer::from(&most - 1), true),
        (Integer::from(&most + 2), false),
        (Integer::from(&most + 1), false),
    ] {
        let mut lanes = [const { Integer::ZERO }; LANES].map(|_| Integer::from(7));
        lanes[5] = Integer::clone(&number);
        let found = Moduli::<5>::new(&numbers(&lanes)).is_some();
        assert_eq!(found, suits, "{number}");
    }
    assert!(Moduli::<1>::new(&Numbers::splat(&[7])).is_none());
}

proptest! {
    #[test]
    fn words_and_limbs_convert(words in vec(any::<u64>(), 0..8)) {
        let number = Integer::from_digits(&words, Order::Lsf);
        match Numbers::<6>::limbs_of(&words) {
            Some(limbs) => {
                prop_assert_eq!(integer(&limbs), Integer::clone(&number));
                let back: [u64; 5] = Numbers::words_of(&limbs);
                prop_assert_eq!(Integer::from_digits(&back, Order::Lsf), number);
            }
            None => prop_assert!(number.significant_bits() > 6 * LIMB_BITS),
        }
    }
}

#[test]
fn nothing_is_printed() {
    let moduli = Moduli::<5>::new(&Numbers::splat(&[7, 0, 0, 0, 0])).expect("odd");
    let found = format!("{moduli:?} {:?}", moduli.one());
    assert_eq!(found, "Moduli<5> Numbers<5>");
}

proptest! {
    #[test]
    fn words_become_limbs_and_words_again(random in vec(any::<[u64; 6]>(), LANES), spread in 0..7) {
        // All-ones words too: every limb and every shift at its limit.
        let lanes: [[u64; 6]; LANES] = array::from_fn(|lane| match spread {
            0 => [u64::MAX; 6],
            1 => array::from_fn(|word| if word == lane { u64::MAX } else { 0 }),
            _ => random[lane],
        });
        for path in Path::all() {
            let moduli = Moduli::<8>::on(path, &Numbers::splat(&[7; 8])).expect("odd");
            let numbers = moduli.split(&lanes.each_ref());
            for (lane, words) in lanes.iter().enumerate() {
                prop_assert_eq!(Some(numbers.lane(lane)), Numbers::<8>::limbs_of(words));
            }
            prop_assert_eq!(moduli.join::<6>(&numbers), lanes);
            // Too few limbs, and too few words, drop the highest bits.
            let short = Moduli::<2>::on(path, &Numbers::splat(&[7; 2])).expect("odd");
            let kept = lanes.map(|words| [words[0], words[1] & ((1 << 40) - 1)]);
            prop_assert_eq!(short.join::<2>(&short.split(&lanes.each_ref())), kept);
            prop_assert_eq!(moduli.join::<1>(&numbers), lanes.map(|words| [words[0]]));
        }
    }
}
