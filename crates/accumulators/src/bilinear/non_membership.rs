//! Non-membership witnesses of the bilinear accumulator.
//!
//! For the set's polynomial `f` and an element `e` that is not in the set, `v = f(-e)` is not zero,
//! and `X + e` divides `f(X) - v`. The witness is `v` and `W = [(f(s) - v) / (s + e)]_1`.
//!
//! A remainder `v = 0` is rejected, since only elements of the set have it. A witness with `v`
//! other than 0 for an element of the set, with the membership witness `W_e`, would give
//! `(W_e - W) / v = [1 / (e + s)]_1`, which breaks the strong Diffie-Hellman assumption.
//!
//! `W` is the identity only for the empty set, where `f = 1` and `v = 1`. Decoding therefore
//! accepts the identity only with `v = 1`. Such a witness verifies only for the empty set's value,
//! since the equation becomes `V = [1]_1`.
//!
//! Source: Damgård & Triandopoulos 2008, section 3.2.

use alloc::vec::Vec;

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ff::{Field, Zero};
use bls12::{
    point::{self, G1_BYTES},
    scalar,
};
use pad_core::{DecodeError, Proof, Verified, VerifyError};

use super::{
    Bilinear, element::BilinearElement, parameters::SCHEME, public_key::BilinearPublicKey,
};
use crate::{
    snapshot::Snapshot,
    statement::NonMembership,
    wire::{self, Reader, Wire},
};

/// Evidence that an element is not in a set: `W` and `v`, 80 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearNonMembershipWitness {
    pub(super) quotient: G1Affine,
    pub(super) remainder: Fr,
}

impl BilinearNonMembershipWitness {
    /// Returns `W = [(f(s) - v) / (s + e)]_1`: the quotient of the set's polynomial `f` by `X + e`,
    /// evaluated at the secret `s`.
    #[doc(hidden)]
    pub const fn quotient(&self) -> G1Affine {
        self.quotient
    }

    /// Returns `v = f(-e)`: the remainder of the set's polynomial `f` divided by `X + e`. It is not
    /// zero.
    #[doc(hidden)]
    pub const fn remainder(&self) -> Fr {
        self.remainder
    }
}

/// Checks `e(W, [s + e]_2) e([v]_1, [1]_2) = e(V, [1]_2)`, for the element `e` and the set's value
/// `V`.
///
/// Cost: two multiplications, one product of two pairings; see [`bls12::quotient`].
impl Proof for BilinearNonMembershipWitness {
    type Commitment = Verified<Snapshot<Bilinear>>;
    type Query = [u8];
    type Statement = NonMembership;
    type Error = VerifyError;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Bilinear>>,
        query: &[u8],
    ) -> Result<NonMembership, VerifyError> {
        let snapshot = snapshot.get();
        let element = BilinearElement::queried(&snapshot.key, query)?;
        if self.remainder.is_zero() {
            return Err(VerifyError::RemainderOutOfRange);
        }
        let quotients = snapshot.key.parameters().quotients();
        let (shift, value) = (element.scalar(), snapshot.value.point());
        if !quotients.holds_with_rest(self.quotient, &shift, &self.remainder, value) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.non_membership(query))
    }
}

/// Layout: `W` as a compressed point (48 bytes), `v` (32 bytes, big-endian, from 1 to `r - 1`). `W`
/// is the identity if and only if the set is empty.
impl Wire for BilinearNonMembershipWitness {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_NON_MEMBERSHIP_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&point::encode::<g1::Config, G1_BYTES>(&self.quotient));
        bytes.extend_from_slice(&scalar::encode(&self.remainder));
    }

    fn read(_: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let quotient = point::decode::<g1::Config, G1_BYTES>(&reader.array()?);
        let remainder = scalar::decode(&reader.array()?)?;
        if remainder.is_zero() {
            return Err(DecodeError::ScalarOutOfRange);
        }
        let quotient = match quotient {
            Err(DecodeError::PointIsIdentity) if remainder == Fr::ONE => G1Affine::identity(),
            other => other?,
        };
        Ok(Self {
            quotient,
            remainder,
        })
    }
}
