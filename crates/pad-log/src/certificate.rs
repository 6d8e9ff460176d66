//! Certificates: evidence that a node's polynomial is the product of its children's polynomials, or
//! that a block's polynomial has the scalars of the block's elements as roots.
//!
//! Certificates relate accumulators that are already *committed*: the hash of a node covers its
//! accumulator. A path of certificates from a root to a block proves that the scalars of the
//! block's elements are roots of the tree's polynomial.
//!
//! Deviation: the paper proves subsets by quotients in G2. Here a product is checked at a random
//! point, so everything is in G1.

use ark_bls12_381::Fr;
use ark_ff::Field;
use bls12::{
    point::G1_BYTES,
    scalar::{self, SCALAR_BYTES},
};
use pad_accumulators::{
    AccumulatorId,
    internals::{Transcript, commitments::Claims},
};
use pad_core::{DecodeError, Digest};

use crate::{prefix::roots_of, scheme::Scheme};

/// The encoding of a point of G1 as received, not yet decoded.
pub(crate) type PointBytes = [u8; G1_BYTES];
/// The encoding of a scalar as received, not yet decoded.
pub(crate) type ScalarBytes = [u8; SCALAR_BYTES];

/// The certificate of a node, with its inputs as received. Points are decoded only after the
/// encodings were hashed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Certificate<'a> {
    /// Certifies that the accumulator of a block commits to the polynomial with the scalars of
    /// `elements` as roots.
    Block {
        inner: Digest<32>,
        accumulator: &'a PointBytes,
        elements: &'a [u8],
        /// Bytes of each element.
        width: usize,
        quotient: &'a PointBytes,
    },
    /// Certifies that the polynomial of a node is the product of its children's polynomials.
    Product {
        inner: Digest<32>,
        left: &'a PointBytes,
        right: &'a PointBytes,
        parent: &'a PointBytes,
        /// The value of the left child's polynomial at the point of [`product_challenge`].
        value: &'a ScalarBytes,
        quotient: &'a PointBytes,
    },
}

impl Certificate<'_> {
    /// Adds the equation of this certificate to `claims`, which are checked together later.
    ///
    /// # Errors
    /// [`DecodeError`] for points and scalars that are not well-formed.
    pub(crate) fn claim<S: Scheme>(
        &self,
        id: AccumulatorId,
        claims: &mut Claims,
    ) -> Result<(), DecodeError> {
        match *self {
            Certificate::Block {
                inner,
                accumulator,
                elements,
                width,
                quotient,
            } => {
                let commitment = claims.commitment(accumulator)?;
                let z = block_challenge(id, &inner, accumulator);
                let roots = elements.chunks(width).flat_map(roots_of::<S>);
                let value: Fr = roots.map(|root| z - root).product();
                claims.add(&[(commitment, Fr::ONE)], -value, z, quotient)
            }
            Certificate::Product {
                inner,
                left,
                right,
                parent,
                value,
                quotient,
            } => {
                let (mut transcript, z) = product_challenge(id, &inner, [left, right, parent]);
                let a = scalar::decode(value)?;
                let g = second_challenge(&mut transcript, &[*value]);
                let left = claims.commitment(left)?;
                let right = claims.commitment(right)?;
                let parent = claims.commitment(parent)?;
                let multiples = [(left, Fr::ONE), (parent, g), (right, -(g * a))];
                claims.add(&multiples, -a, z, quotient)
            }
        }
    }
}

/// Derives the point at which a block's polynomial is opened. The point depends on `inner`, the
/// hash of the elements, so it is not known before the elements are chosen.
pub(crate) fn block_challenge(
    id: AccumulatorId,
    inner: &Digest<32>,
    accumulator: &PointBytes,
) -> Fr {
    Transcript::of(id, "aad: block", &[&inner.0, accumulator]).challenge_scalar()
}

/// Derives the point at which the product of two children's polynomials is checked. Also returns
/// the transcript for [`second_challenge`]. The accumulators belong to the left child, the right
/// child and the parent, in this order.
pub(crate) fn product_challenge(
    id: AccumulatorId,
    inner: &Digest<32>,
    [left, right, parent]: [&PointBytes; 3],
) -> (Transcript, Fr) {
    let mut transcript = Transcript::of(id, "aad: product", &[&inner.0, left, right, parent]);
    let z = transcript.challenge_scalar();
    (transcript, z)
}

/// Derives the coefficient that combines several equations to one. `values` are the claimed values
/// of polynomials at the point of the first challenge.
pub(crate) fn second_challenge(transcript: &mut Transcript, values: &[ScalarBytes]) -> Fr {
    for value in values {
        transcript.absorb(value);
    }
    transcript.challenge_scalar()
}
