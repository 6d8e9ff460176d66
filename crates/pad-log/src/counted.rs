//! Counted completeness: proofs that a tree contains a certain number of elements of a key. The
//! number is the multiplicity of the key's scalar as a root of the tree's polynomial.
//!
//! Let the proof contain `m` elements of the key. Let `A` be the tree's polynomial, `k` the key's
//! scalar and `q = A / (X - k)^m`. The evidence proves that the division is exact and that `q(k)`
//! is not zero. The tree therefore contains exactly `m` elements of the key.
//!
//! Deviation: not in the paper, which proves prefixes that leave a trie. With counting, appending
//! costs hundreds of times less, but a look-up costs the server a sum over the tree.

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};
use bls12::scalar;
use pad_accumulators::{
    AccumulatorId,
    internals::{Transcript, commitments::Claims},
    wire::Reader,
};
use pad_core::{DecodeError, VerifyError};

use crate::certificate::{PointBytes, ScalarBytes};

/// Evidence that a tree contains exactly `count` elements of a key, as received and not yet
/// decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// The number of elements of the key in the tree.
    count: u32,
    /// The commitment to `q`, the tree's polynomial divided by `(X - k)^count`, if `count` is at
    /// least 1.
    rest: Option<&'a PointBytes>,
    /// The quotient that proves the division by `(X - k)^count` exact, if `count` is at least 2.
    /// For one element that quotient is `q` itself.
    division: Option<&'a PointBytes>,
    value: &'a ScalarBytes,
    quotient: &'a PointBytes,
}

impl<'a> Evidence<'a> {
    /// Reads the evidence for a tree of which the proof contains `count` elements of the key.
    pub(crate) fn read(reader: &mut Reader<'a>, count: u32) -> Result<Self, DecodeError> {
        let mut point_if = |is_there: bool| is_there.then(|| reader.array_ref()).transpose();
        Ok(Self {
            count,
            rest: point_if(count > 0)?,
            division: point_if(count > 1)?,
            value: reader.array_ref()?,
            quotient: reader.array_ref()?,
        })
    }

    /// Adds the equations of this evidence to `claims`. They must hold for a tree with this
    /// `accumulator` and a key with the scalar `key`.
    pub(crate) fn claim(
        &self,
        id: AccumulatorId,
        accumulator: &PointBytes,
        key: Fr,
        claims: &mut Claims,
    ) -> Result<(), VerifyError> {
        let mut rest = claims.commitment(accumulator)?;
        if let Some(bytes) = self.rest {
            let tree = core::mem::replace(&mut rest, claims.commitment(bytes)?);
            if let Some(division) = self.division {
                let z = challenge(id, accumulator, bytes, (key, self.count));
                let power = (z - key).pow([u64::from(self.count)]);
                claims.add(&[(tree, Fr::ONE), (rest, -power)], Fr::ZERO, z, division)?;
            } else {
                claims.add(&[(tree, Fr::ONE)], Fr::ZERO, key, bytes)?;
            }
        }
        let y = scalar::decode(self.value)?;
        if y.is_zero() {
            return Err(VerifyError::ZeroOpening);
        }
        claims.add(&[(rest, Fr::ONE)], -y, key, self.quotient)?;
        Ok(())
    }
}

/// Derives the point at which the division of a tree's polynomial by `(X - k)^count` is checked.
pub(crate) fn challenge(
    id: AccumulatorId,
    accumulator: &PointBytes,
    rest: &PointBytes,
    (key, count): (Fr, u32),
) -> Fr {
    let (key, count) = (scalar::encode(&key), count.to_be_bytes());
    let parts: [&[u8]; 4] = [accumulator, rest, &key, &count];
    Transcript::of(id, "aad: counted", &parts).challenge_scalar()
}
