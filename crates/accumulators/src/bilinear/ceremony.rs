//! Parameters from published powers of tau: readers for the files of the public KZG ceremonies.
//!
//! The ceremony of the Ethereum project provides 4096 powers in G1 and 65 in G2. This suffices for
//! sets of up to 4095 elements and subset witnesses for up to 64. Two formats are supported:
//!
//! 1. [`from_json`]: an object with `g1_monomial` (or `setup_G1`) and `g2_monomial` (or
//!    `setup_G2`), each a list of points in hexadecimal digits. Without `g1_monomial`,
//!    `g1_lagrange` (or `setup_G1_lagrange`) is read instead.
//! 2. [`from_text`]: the numbers of points in G1 and in G2, the Lagrange form in G1, and the powers
//!    in G2. Newer files add the powers in G1.
//!
//! If the powers are given, the points of the Lagrange form are neither decoded nor used. Otherwise
//! the powers are computed from the Lagrange form by a Fourier transform over the points. The
//! points may be in natural or in bit-reversed order. The order is found by a check: the sum of the
//! points, weighted with the roots of unity, must be `[s]_1`.
//!
//! The native format of parameters is the layout of [`Parameters`] in [`crate::wire`].
//!
//! Every point used is checked as in [`crate::wire`], and all powers as in [`Parameters`]. The
//! caller states the purpose of the parameters. Accumulators over one file with different purposes
//! have different ids.

#![deny(clippy::arithmetic_side_effects)]

use core::ops::Neg as _;

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine, g1, g2};
use ark_ec::{AffineRepr, CurveGroup, short_weierstrass::Affine};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use bls12::{
    curve::Curve,
    pairing,
    point::{self, G1_BYTES, G2_BYTES},
};
use pad_core::{DecodeError, Workers};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};

use super::{multi_scalar::multi_scalar_product, parameters::Parameters};

/// Maximum length of a file in bytes: enough for a million points in G1.
pub const MAX_FILE: usize = 256 << 20;

/// Maximum number of points in one list.
pub const MAX_POINTS: usize = 1 << 20;

/// Maximum number of points in Lagrange form. The transform takes seconds, so larger files must
/// contain the powers.
pub const MAX_LAGRANGE: usize = 1 << 16;

/// The lists of points that are read from a JSON file. Other members of the file are skipped.
#[derive(Deserialize)]
struct JsonSetup<'a> {
    #[serde(borrow, alias = "setup_G1")]
    g1_monomial: Option<List<'a>>,
    #[serde(borrow, alias = "setup_G1_lagrange")]
    g1_lagrange: Option<List<'a>>,
    #[serde(borrow, alias = "setup_G2")]
    g2_monomial: List<'a>,
}

/// Points in hexadecimal digits, each with the length of a point in G1 or G2. If a string is
/// unsuitable, contains the error of the first such string instead.
struct List<'a>(Result<Vec<&'a str>, DecodeError>);

impl<'a> List<'a> {
    const EMPTY: Self = Self(Ok(Vec::new()));

    fn push(&mut self, text: &'a str, most: usize) {
        let Ok(texts) = &mut self.0 else {
            return;
        };
        if !LENGTHS.contains(&digits(text).len()) {
            self.0 = Err(DecodeError::LengthMismatch);
        } else if texts.len() >= most {
            self.0 = Err(too_many(most));
        } else {
            texts.push(text);
        }
    }
}

/// Number of hexadecimal digits of a point in G1 and in G2.
const LENGTHS: [usize; 2] = [2 * G1_BYTES, 2 * G2_BYTES];

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = List<'de>;

    fn expecting(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("a list of points")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut texts: A) -> Result<List<'de>, A::Error> {
        let mut list = List::EMPTY;
        while let Some(text) = texts.next_element()? {
            list.push(text, MAX_POINTS);
        }
        Ok(list)
    }
}

/// Reads parameters from a JSON file, for use with `purpose`.
///
/// Cost: a point decompression and subgroup check per point, spread over the workers, and the check
/// of the powers. Without powers in G1, also a transform of the `n` points with `n log n / 2`
/// multiplications.
///
/// # Errors
/// * [`DecodeError::TooLarge`] beyond [`MAX_FILE`] or [`MAX_POINTS`], or beyond [`MAX_LAGRANGE`] if
///   the Lagrange form is needed.
/// * [`DecodeError::Malformed`] if the file has another format, or a character that is not a
///   hexadecimal digit.
/// * [`DecodeError::LengthMismatch`] if a point has the wrong length, and the errors of decoding
///   points.
/// * [`DecodeError::ParametersInvalid`] if the points are not the powers of one secret, or the
///   purpose does not have 1 to 64 bytes. The same error is returned if the length of a Lagrange
///   form is not a power of two.
/// * [`DecodeError::SecretGuessable`] if the secret is guessable.
pub fn from_json(text: &[u8], purpose: &str, workers: &Workers) -> Result<Parameters, DecodeError> {
    require_size(text)?;
    let setup: JsonSetup<'_> = serde_json::from_slice(text).map_err(|_| DecodeError::Malformed)?;
    let powers_g2 = points::<g2::Config, G2_BYTES>(&setup.g2_monomial.0?, workers)?;
    let powers_g1 = match (setup.g1_monomial, setup.g1_lagrange) {
        (Some(powers), _) => points::<g1::Config, G1_BYTES>(&powers.0?, workers)?,
        (None, Some(lagrange)) => powers_of_lagrange(&lagrange.0?, &powers_g2, workers)?,
        (None, None) => return Err(DecodeError::Malformed),
    };
    Parameters::new(powers_g1, powers_g2, purpose, workers)
}

/// Reads parameters from a text file, for use with `purpose`.
///
/// Cost: that of [`from_json`].
///
/// # Errors
/// The errors of [`from_json`].
pub fn from_text(text: &[u8], purpose: &str, workers: &Workers) -> Result<Parameters, DecodeError> {
    require_size(text)?;
    let text = core::str::from_utf8(text).map_err(|_| DecodeError::Malformed)?;
    let mut words = text.split_ascii_whitespace();
    let mut count = || -> Result<usize, DecodeError> {
        let word = words.next().ok_or(DecodeError::Malformed)?;
        word.parse().map_err(|_| DecodeError::Malformed)
    };
    let (in_g1, in_g2) = (count()?, count()?);
    // Allocates for the words in the text, regardless of the counts.
    let mut given = List::EMPTY;
    for word in words {
        given.push(word, 3 * MAX_POINTS);
        if given.0.is_err() {
            break;
        }
    }
    let points_given = given.0?;
    let (lagrange, rest) = points_given
        .split_at_checked(in_g1)
        .ok_or(DecodeError::Malformed)?;
    let (powers_g2, powers_g1) = rest.split_at_checked(in_g2).ok_or(DecodeError::Malformed)?;
    let powers_g2 = points::<g2::Config, G2_BYTES>(powers_g2, workers)?;
    let powers_g1 = if powers_g1.is_empty() {
        powers_of_lagrange(lagrange, &powers_g2, workers)?
    } else if powers_g1.len() == in_g1 {
        points::<g1::Config, G1_BYTES>(powers_g1, workers)?
    } else {
        return Err(DecodeError::Malformed);
    };
    Parameters::new(powers_g1, powers_g2, purpose, workers)
}

const fn require_size(text: &[u8]) -> Result<(), DecodeError> {
    if text.len() > MAX_FILE {
        return Err(DecodeError::TooLarge { limit: MAX_FILE });
    }
    Ok(())
}

/// Returns the error for a list of more than `points` points. Its limit is in bytes: the length of
/// that many points in G1.
const fn too_many(points: usize) -> DecodeError {
    DecodeError::TooLarge {
        limit: points.saturating_mul(G1_BYTES),
    }
}

fn digits(text: &str) -> &str {
    text.strip_prefix("0x").unwrap_or(text)
}

/// Decodes points from hexadecimal digits, with or without `0x`.
fn points<C: Curve, const N: usize>(
    texts: &[&str],
    workers: &Workers,
) -> Result<Vec<Affine<C>>, DecodeError> {
    if texts.len() > MAX_POINTS {
        return Err(too_many(MAX_POINTS));
    }
    let encodings: Vec<[u8; N]> = texts
        .iter()
        .map(|text| {
            let mut bytes = [0; N];
            match hex::decode_to_slice(digits(text), &mut bytes) {
                Ok(()) => Ok(bytes),
                Err(hex::FromHexError::InvalidHexCharacter { .. }) => Err(DecodeError::Malformed),
                Err(_) => Err(DecodeError::LengthMismatch),
            }
        })
        .collect::<Result<_, _>>()?;
    point::decode_all(&encodings, workers)
}

/// Computes `[s^j]_1` for all `j < n` from `[L_i(s)]_1`, where the `L_i` are the Lagrange
/// polynomials of the `n`-th roots of unity. `s^j` is the sum of `w^(i j) L_i(s)` over `i`, which
/// is a Fourier transform.
fn powers_of_lagrange(
    texts: &[&str],
    powers_g2: &[G2Affine],
    workers: &Workers,
) -> Result<Vec<G1Affine>, DecodeError> {
    let size = texts.len();
    if size > MAX_LAGRANGE {
        return Err(too_many(MAX_LAGRANGE));
    }
    if !size.is_power_of_two() || size < 2 {
        return Err(DecodeError::ParametersInvalid);
    }
    let domain = Radix2EvaluationDomain::<Fr>::new(size).ok_or(DecodeError::ParametersInvalid)?;
    let s_g2 = powers_g2.get(1).ok_or(DecodeError::ParametersInvalid)?;
    let mut lagrange = points::<g1::Config, G1_BYTES>(texts, workers)?;
    // Files differ in the order of the roots: natural, or by reversed bits of the index.
    if !is_natural_order(&lagrange, &domain, *s_g2, workers) {
        lagrange = in_reversed_bits(&lagrange);
        // The points do not match `s_g2` in either order, so the transform would be wasted.
        if !is_natural_order(&lagrange, &domain, *s_g2, workers) {
            return Err(DecodeError::ParametersInvalid);
        }
    }
    let mut powers: Vec<G1Projective> = lagrange.iter().map(|point| (*point).into()).collect();
    domain.fft_in_place(&mut powers);
    Ok(G1Projective::normalize_batch(&powers))
}

/// Returns whether the Lagrange points are in natural order, not in bit-reversed order. They are if
/// the sum of `w^i L_i` is `[s]_1`, which a pairing compares with `s_g2`.
fn is_natural_order(
    lagrange: &[G1Affine],
    domain: &Radix2EvaluationDomain<Fr>,
    s_g2: G2Affine,
    workers: &Workers,
) -> bool {
    let roots: Vec<Fr> = domain.elements().collect();
    let s_g1 = multi_scalar_product(lagrange, &roots, workers).into_affine();
    let negated_generator = G1Affine::generator().neg();
    pairing::pairs_to_one([s_g1, negated_generator], [G2Affine::generator(), s_g2])
}

/// Returns the points with those at index `i` moved to the index that has the bits of `i` in
/// reverse order.
fn in_reversed_bits(points: &[G1Affine]) -> Vec<G1Affine> {
    let bits = points.len().trailing_zeros();
    (0..points.len())
        .filter_map(|index| {
            let shift = usize::BITS.checked_sub(bits)?;
            points
                .get(index.reverse_bits().checked_shr(shift)?)
                .copied()
        })
        .collect()
}
