//! Counted completeness: how often the scalar of a key divides the polynomial of a tree.
//!
//! With `m` elements of the key shown, `A` the tree's polynomial, `k` the key's scalar and `q = A / (X - k)^m`, the evidence shows
//! that the division is exact and that `q(k)` is not zero. So there are `m` elements of the key and no more.
//!
//! Deviation: not in the paper, which shows the prefixes that leave a trie. Appending costs hundreds of times less, and a
//! look-up costs the server a sum over the tree.

use accumulators::{
    AccumulatorId, bilinear::commitments::Claims, transcript::Transcript, wire::Reader,
};
use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};
use bls12::scalar;
use pad_core::{DecodeError, VerifyError};

use crate::{
    certificate::{PointBytes, ScalarBytes},
    walk::undecodable,
};

/// The evidence for one tree, as received.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evidence<'a> {
    /// The key has no element in the tree.
    None {
        value: &'a ScalarBytes,
        quotient: &'a PointBytes,
    },
    /// It has one.
    One {
        rest: &'a PointBytes,
        value: &'a ScalarBytes,
        quotient: &'a PointBytes,
    },
    /// It has `count`, two or more.
    Several {
        count: u32,
        rest: &'a PointBytes,
        division: &'a PointBytes,
        value: &'a ScalarBytes,
        quotient: &'a PointBytes,
    },
}

impl<'a> Evidence<'a> {
    /// Reads the evidence for a tree of which `count` elements of the key were shown.
    pub(crate) fn read(reader: &mut Reader<'a>, count: u32) -> Result<Self, DecodeError> {
        Ok(match count {
            0 => Self::None {
                value: reader.array_ref()?,
                quotient: reader.array_ref()?,
            },
            1 => Self::One {
                rest: reader.array_ref()?,
                value: reader.array_ref()?,
                quotient: reader.array_ref()?,
            },
            count => Self::Several {
                count,
                rest: reader.array_ref()?,
                division: reader.array_ref()?,
                value: reader.array_ref()?,
                quotient: reader.array_ref()?,
            },
        })
    }

    /// Adds the claims that must hold for a tree with this accumulator and a key with this scalar.
    pub(crate) fn claim(
        &self,
        id: AccumulatorId,
        accumulator: &PointBytes,
        key: Fr,
        claims: &mut Claims,
    ) -> Result<(), VerifyError> {
        let tree = claims.commitment(accumulator).map_err(undecodable)?;
        let (rest, value, quotient) = match *self {
            Self::None { value, quotient } => (tree, value, quotient),
            Self::One {
                rest,
                value,
                quotient,
            } => {
                let commitment = claims.commitment(rest).map_err(undecodable)?;
                let multiples = [(tree, Fr::ONE)];
                claims
                    .add(&multiples, Fr::ZERO, key, rest)
                    .map_err(undecodable)?;
                (commitment, value, quotient)
            }
            Self::Several {
                count,
                rest,
                division,
                value,
                quotient,
            } => {
                let commitment = claims.commitment(rest).map_err(undecodable)?;
                let z = challenge(id, accumulator, rest, (key, count));
                let power = (z - key).pow([u64::from(count)]);
                let multiples = [(tree, Fr::ONE), (commitment, -power)];
                claims
                    .add(&multiples, Fr::ZERO, z, division)
                    .map_err(undecodable)?;
                (commitment, value, quotient)
            }
        };
        let y = scalar::decode(value).map_err(undecodable)?;
        if y.is_zero() {
            return Err(VerifyError::ZeroOpening);
        }
        claims
            .add(&[(rest, Fr::ONE)], -y, key, quotient)
            .map_err(undecodable)
    }
}

/// The point at which the division by `(X - k)^count` is checked.
pub(crate) fn challenge(
    id: AccumulatorId,
    accumulator: &PointBytes,
    rest: &PointBytes,
    (key, count): (Fr, u32),
) -> Fr {
    let mut transcript = Transcript::new(id, "aad: counted");
    transcript.absorb(accumulator);
    transcript.absorb(rest);
    transcript.absorb(&scalar::encode(&key));
    transcript.absorb(&count.to_be_bytes());
    transcript.challenge_scalar()
}
