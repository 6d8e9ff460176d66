//! Membership witnesses of the bilinear accumulator: points of G1.

use ark_bls12_381::G1Affine;
use pad_core::{Proof, Verified, VerifyError};

use super::{Bilinear, element::BilinearElement, value::wire_as_point};
use crate::{snapshot::Snapshot, statement::Membership, wire};

/// Evidence that an element is in a set: `W = [product of (e_j + s)]_1` over all other elements
/// `e_j`, 48 bytes. Never the identity.
///
/// Source: Nguyen 2005, section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearWitness(pub(super) G1Affine);

impl BilinearWitness {
    /// Returns the point `W` of G1.
    #[doc(hidden)]
    pub const fn point(&self) -> G1Affine {
        self.0
    }
}

/// Checks `e(W, [e + s]_2) = e(V, [1]_2)`, for the element `e` and the value `V`.
///
/// Cost: one multiplication, one product of two pairings; see [`bls12::quotient`].
impl Proof for BilinearWitness {
    type Commitment = Verified<Snapshot<Bilinear>>;
    type Query = [u8];
    type Statement = Membership;
    type Error = VerifyError;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Bilinear>>,
        query: &[u8],
    ) -> Result<Membership, VerifyError> {
        let snapshot = snapshot.get();
        let element = BilinearElement::queried(&snapshot.key, query)?;
        let quotients = snapshot.key.parameters().quotients();
        if !quotients.holds(self.0, &element.scalar(), snapshot.value.point()) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.membership(query))
    }
}

wire_as_point!(BilinearWitness, wire::KIND_WITNESS);
