//! Sample sizes of audits: the number of bytes to challenge for a detection probability.

use core::fmt;

use crate::challenge::MAX_COUNT;

/// A detection target of an audit: to detect the loss of a given fraction of the bytes with at
/// least a given probability.
///
/// Samples are single bytes, drawn with replacement. A sample in a damaged block detects the
/// damage. With hash-only tags, this holds for chunks of 256 bytes instead of blocks. If a fraction
/// f of the file's *bytes* lies in damaged blocks, c samples detect damage with probability
/// `1 - (1 - f)^c`. The length of the file does not matter. A block is weighted by its length in
/// bytes, so a loss of many short blocks counts as a loss of few bytes.
///
/// Sampling does not protect single blocks. Among 500 000 equal blocks, 460 samples detect one lost
/// block with a probability of 0.092 %. Data that must not lose a single block needs an erasure
/// code, repeated audits, or a challenge of every block.
///
/// Source: Esiner et al. 2013, section 4 (460 challenges); Erway et al. 2009, section 6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    fraction: f64,
    probability: f64,
    challenges: u32,
}

/// Error returned for a detection target that no audit can meet.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DetectionError {
    /// The fraction of lost bytes to detect is 0 or less, above 1, or not a number.
    #[error("the lost fraction must be above 0 and at most 1, not {fraction}")]
    FractionOutOfRange {
        /// The requested fraction of lost bytes.
        fraction: f64,
    },
    /// The detection probability is not strictly between 0 and 1. No sample detects every loss, so
    /// 1 is not possible.
    #[error("the probability must be above 0 and below 1, not {probability}")]
    ProbabilityOutOfRange {
        /// The requested detection probability.
        probability: f64,
    },
    /// The target needs more challenged bytes than [`MAX_COUNT`].
    #[error("more than {limit} challenges would be needed")]
    TooManyChallenges {
        /// The maximum number of challenged bytes of one audit.
        limit: u32,
    },
}

impl Detection {
    /// Computes how many bytes to challenge to detect a loss of `fraction` of the bytes with
    /// `probability`. Both are fractions of 1, not percentages.
    ///
    /// # Errors
    /// * [`DetectionError::FractionOutOfRange`] unless `fraction` is above 0 and at most 1.
    /// * [`DetectionError::ProbabilityOutOfRange`] unless `probability` is above 0 and below 1.
    /// * [`DetectionError::TooManyChallenges`] if no allowed count meets the target.
    pub fn new(fraction: f64, probability: f64) -> Result<Self, DetectionError> {
        check_fraction(fraction)?;
        // Written so that NaN is rejected.
        if !(probability > 0.0 && probability < 1.0) {
            return Err(DetectionError::ProbabilityOutOfRange { probability });
        }
        let meets = |count| chance(count, fraction) >= probability;
        if !meets(MAX_COUNT) {
            return Err(DetectionError::TooManyChallenges { limit: MAX_COUNT });
        }
        Ok(Self {
            fraction,
            probability,
            challenges: smallest(meets),
        })
    }

    /// Returns the probability, from 0 to 1, that `count` challenged bytes detect a loss of
    /// `fraction` of the bytes.
    ///
    /// # Errors
    /// [`DetectionError::FractionOutOfRange`] unless `fraction` is above 0 and at most 1.
    pub fn of(count: u32, fraction: f64) -> Result<f64, DetectionError> {
        check_fraction(fraction)?;
        Ok(chance(count, fraction))
    }

    /// The smallest number of challenged bytes that meets the target, at least 1.
    pub fn challenges(&self) -> u32 {
        self.challenges
    }
}

fn check_fraction(fraction: f64) -> Result<(), DetectionError> {
    if fraction > 0.0 && fraction <= 1.0 {
        Ok(())
    } else {
        Err(DetectionError::FractionOutOfRange { fraction })
    }
}

/// Computes the detection probability `1 - (1 - fraction)^count`, without loss of precision for
/// small fractions.
fn chance(count: u32, fraction: f64) -> f64 {
    if count == 0 {
        // Zero times the logarithm of zero is NaN.
        return 0.0;
    }
    -(f64::from(count) * (-fraction).ln_1p()).exp_m1()
}

/// Returns the smallest count up to [`MAX_COUNT`] for which the monotonic predicate `meets` holds.
///
/// Uses a binary search on the formula of the probability. A quotient of logarithms would be
/// rounded wrongly near whole numbers.
fn smallest(meets: impl Fn(u32) -> bool) -> u32 {
    let mut too_few = 0;
    let mut enough = MAX_COUNT;
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if meets(middle) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    enough
}

impl fmt::Display for Detection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "at least {} % chance to notice a loss of {} % of the bytes",
            percent(self.probability),
            percent(self.fraction)
        )
    }
}

/// Formats `part` (0 to 1) as a percentage, with exactly the decimal digits of `part`.
///
/// Moves the decimal point in the text. A multiplication would round, and 99.99999999 must not
/// become 100.
fn percent(part: f64) -> String {
    let text = part.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let padded = format!("{decimals:0<2}");
    let (hundredths, rest) = padded.split_at_checked(2).unwrap_or((&padded, ""));
    let whole = format!("{whole}{hundredths}");
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    if rest.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{rest}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_counts_of_the_literature() {
        for (fraction, probability, count) in [
            (0.01, 0.99, 459),
            (0.01, 0.999, 688),
            (0.001, 0.99, 4_603),
            (0.05, 0.99, 90),
            (0.1, 0.99, 44),
            (1.0, 0.5, 1),
            (0.5, 0.5, 1),
            (0.5, 0.75, 2),
        ] {
            let detection = Detection::new(fraction, probability).unwrap();
            assert_eq!(detection.challenges(), count, "{detection}");
        }
    }

    #[test]
    fn counts_give_probabilities() {
        let close = |count, fraction, expected: f64, within: f64| {
            let probability = Detection::of(count, fraction).unwrap();
            assert!(
                (probability - expected).abs() < within,
                "{count}: {probability}"
            );
        };
        close(460, 0.01, 0.990_18, 5e-6);
        close(300, 0.01, 0.951, 5e-4);
        close(460, 0.001, 0.369, 5e-4);
        close(460, 1.0 / 500_000.0, 0.000_92, 5e-7);
        close(0, 1.0, 0.0, f64::MIN_POSITIVE);
        close(1, 1.0, 1.0, f64::EPSILON);
        close(u32::MAX, 0.5, 1.0, f64::EPSILON);
    }

    #[test]
    fn what_cannot_be_demanded_is_refused() {
        for fraction in [0.0, -0.1, 1.000_001, f64::INFINITY] {
            let refused = DetectionError::FractionOutOfRange { fraction };
            assert_eq!(Detection::new(fraction, 0.9), Err(refused));
            assert_eq!(Detection::of(1, fraction), Err(refused));
        }
        for probability in [0.0, 1.0, -0.5, 2.0, f64::NEG_INFINITY] {
            let refused = DetectionError::ProbabilityOutOfRange { probability };
            assert_eq!(Detection::new(0.1, probability), Err(refused));
        }
        assert!(matches!(
            Detection::new(f64::NAN, 0.5),
            Err(DetectionError::FractionOutOfRange { .. })
        ));
        assert!(matches!(
            Detection::new(0.5, f64::NAN),
            Err(DetectionError::ProbabilityOutOfRange { .. })
        ));
        for (fraction, probability) in [(1e-7, 0.99), (f64::MIN_POSITIVE, 0.000_1)] {
            let refused = Err(DetectionError::TooManyChallenges { limit: MAX_COUNT });
            assert_eq!(Detection::new(fraction, probability), refused);
        }
    }

    #[test]
    fn demands_read_as_percent() {
        let shown =
            |fraction, probability| Detection::new(fraction, probability).unwrap().to_string();
        let words = "at least 99 % chance to notice a loss of 1 % of the bytes";
        assert_eq!(shown(0.01, 0.99), words);
        let words = "at least 99.9 % chance to notice a loss of 0.1 % of the bytes";
        assert_eq!(shown(0.001, 0.999), words);
        for (part, text) in [
            (1.0, "100"),
            (0.1, "10"),
            (0.07, "7"),
            (0.000_015, "0.0015"),
            (0.999_999_999_9, "99.99999999"),
        ] {
            assert_eq!(percent(part), text);
        }
    }

    proptest! {
        /// The count meets the demand and one fewer does not, by a formula of its own.
        #[test]
        fn the_count_is_the_smallest(
            fraction in 0.000_1_f64..1.0,
            probability in 0.001_f64..0.999_9,
        ) {
            let count = Detection::new(fraction, probability).unwrap().challenges();
            let missed =
                |count: u32| (0..count).fold(1.0_f64, |missed, _| missed * (1.0 - fraction));
            let error = 1e-9;
            prop_assert!(1.0 - missed(count) >= probability - error);
            prop_assert!(1.0 - missed(count - 1) < probability + error);
            prop_assert!(Detection::of(count, fraction).unwrap() >= probability);
            prop_assert!(Detection::of(count - 1, fraction).unwrap() < probability);
        }
    }
}
