//! Fermat's test of eight candidates at once, with vector instructions.

use core::array;

use montgomery_lanes::{LANES, Moduli, Numbers};
use rug::integer::Order;
use zeroize::Zeroizing;

use crate::{digits::Digits, secret_integer::SecretInteger};

/// Length in bits of a digit of the exponent. A digit of up to 7 takes one shift instead of 7
/// doublings.
const DIGIT_BITS: u32 = 3;

/// Returns for each of at most eight odd numbers `n` whether `2^(n - 1)` is 1 modulo `n`, as for
/// every odd prime. Returns `None` unless the processor has fast lanes and a supported width fits
/// all numbers.
pub(super) fn pass_fermat(numbers: &[SecretInteger]) -> Option<Vec<bool>> {
    if !montgomery_lanes::are_fast() {
        return None;
    }
    in_lanes(numbers)
}

/// Tests in the least width that leaves room for the shifts.
pub(super) fn in_lanes(numbers: &[SecretInteger]) -> Option<Vec<bool>> {
    let bits = numbers.iter().map(|number| number.significant_bits()).max();
    match bits? {
        0..=1024 => in_width::<20>(numbers),
        1025..=1544 => in_width::<30>(numbers),
        _ => None,
    }
}

/// Tests numbers with at least 16 bits less than `LIMBS` limbs.
fn in_width<const LIMBS: usize>(numbers: &[SecretInteger]) -> Option<Vec<bool>> {
    let mut lanes = Zeroizing::new(Numbers::<LIMBS>::ZERO);
    let mut digits = Vec::with_capacity(LANES);
    for lane in 0..LANES {
        // Lanes without a number repeat the first one.
        let number = numbers.get(lane).or_else(|| numbers.first())?;
        let words = Zeroizing::new(number.to_digits::<u64>(Order::Lsf));
        lanes.set(lane, &Zeroizing::new(Numbers::limbs_of(&words)?));
        let less_one = SecretInteger::new(rug::Integer::from(&**number - 1_u32));
        digits.push(Digits::new(&less_one));
    }
    let moduli = Zeroizing::new(Moduli::new(&lanes)?);
    let bits = digits.iter().map(Digits::bits).max()?;
    let mut power = Zeroizing::new(*moduli.one());
    for index in (0..bits.div_ceil(DIGIT_BITS)).rev() {
        // Below 2n, so below 2^8 n after a shift. The square is below 2^16 n^2, so below n R.
        *power = moduli.square_times(&power, DIGIT_BITS);
        let shifts = array::from_fn(|lane| {
            let digits = digits.get(lane);
            digits.map_or(0, |digits| digits.bits_at(index * DIGIT_BITS, DIGIT_BITS))
        });
        *power = moduli.shift_left(&power, shifts);
    }
    let residues = Zeroizing::new(moduli.from_form(&power));
    let pass = |lane| residues.lane(lane).iter().copied().eq(one::<LIMBS>());
    Some((0..numbers.len().min(LANES)).map(pass).collect())
}

/// The limbs of the number 1.
fn one<const LIMBS: usize>() -> impl Iterator<Item = u64> {
    (0..LIMBS).map(|limb| u64::from(limb == 0))
}
