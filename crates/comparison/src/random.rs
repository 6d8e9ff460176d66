//! Pseudorandom numbers that are the same on every machine: uniform, or with Zipf's distribution.

/// A stream of pseudorandom numbers (`SplitMix64`), the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the stream with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number of the stream, uniform over all 64-bit numbers.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }

    /// Returns a number below `bound`, which must be far below 2^64 for nearly uniform numbers.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Returns a uniform number from 0 up to, but not including, 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Scrambles a number with the output function of `SplitMix64`, a bijection.
pub(crate) const fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Increment of `SplitMix64`. It is odd, so that multiplication by it is a bijection.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Zipf distribution below a bound: number `i` is drawn with a frequency proportional to `1 / (i +
/// 1)^exponent`.
///
/// Time of a draw: constant, whatever the bound.
///
/// Source: Hörmann, Derflinger 1996, "Rejection-inversion to generate variates from monotone
/// discrete distributions".
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    bound: f64,
    exponent: f64,
    /// Bounds of the number drawn: [`integral`] at 1.5 less the weight 1 of the first rank, and
    /// [`integral`] at the end of the last rank.
    ends: (f64, f64),
    /// Largest difference `rank - place` at which a rank is accepted without a further test.
    squeeze: f64,
}

impl Zipf {
    /// Creates a distribution over the numbers below `bound`. `bound` is at least 1, and `exponent`
    /// is above 0.
    pub fn new(bound: u64, exponent: f64) -> Self {
        let integral = |place: f64| integral(exponent, place);
        let second = integral(2.5) - 2_f64.powf(-exponent);
        Self {
            bound: bound.max(1) as f64,
            exponent,
            ends: (integral(1.5) - 1.0, integral(bound.max(1) as f64 + 0.5)),
            squeeze: 2.0 - inverse(exponent, second),
        }
    }

    /// Draws a number below the bound.
    #[allow(clippy::cast_sign_loss, reason = "ranks are at least 1")]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let (first, last) = self.ends;
        loop {
            let drawn = last + random.fraction() * (first - last);
            let place = inverse(self.exponent, drawn);
            let rank = place.round().clamp(1.0, self.bound);
            let is_below = rank - place <= self.squeeze
                || drawn >= integral(self.exponent, rank + 0.5) - rank.powf(-self.exponent);
            if is_below {
                return rank as u64 - 1;
            }
        }
    }
}

/// Returns the integral of `1 / x^exponent` from 1 to `place`.
fn integral(exponent: f64, place: f64) -> f64 {
    let logarithm = place.ln();
    let power = (1.0 - exponent) * logarithm;
    if power.abs() < SMALL {
        logarithm * (1.0 + power / 2.0)
    } else {
        logarithm * power.exp_m1() / power
    }
}

/// Returns the place at which [`integral`] has this value.
fn inverse(exponent: f64, value: f64) -> f64 {
    let power = (value * (1.0 - exponent)).max(-1.0);
    let logarithm = if power.abs() < SMALL {
        value * (1.0 - power / 2.0)
    } else {
        value * power.ln_1p() / power
    };
    logarithm.exp()
}

/// Bound below which a power is so small that two terms of a series replace the exact formula.
const SMALL: f64 = 1e-8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_drawn_as_often_as_the_exponent_says() {
        for exponent in [0.5, 1.0, 1.3] {
            let (bound, draws) = (100_u64, 200_000);
            let zipf = Zipf::new(bound, exponent);
            let mut random = Random::new(11);
            let mut counts = vec![0_u32; 100];
            for _ in 0..draws {
                counts[usize::try_from(zipf.draw(&mut random)).unwrap()] += 1;
            }
            let weight = |rank: u64| (rank as f64).powf(-exponent);
            let sum: f64 = (1..=bound).map(weight).sum();
            for rank in [1, 2, 3, 10, 50, 100] {
                let expected = weight(rank) / sum * f64::from(draws);
                let drawn = f64::from(counts[usize::try_from(rank - 1).unwrap()]);
                let tolerance = 5.0 * expected.sqrt();
                assert!(
                    (drawn - expected).abs() < tolerance,
                    "{exponent}: {rank}: {drawn} for {expected}"
                );
            }
        }
    }

    #[test]
    fn a_single_number_is_always_drawn() {
        let mut random = Random::new(1);
        assert!((0..100).all(|_| Zipf::new(1, 1.0).draw(&mut random) == 0));
    }
}
