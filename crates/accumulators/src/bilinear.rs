//! The accumulator of bilinear maps over BLS12-381.
//!
//! A set of scalars `e_1, ..., e_n` has the value `V = [product of (e_i + s)]_1`, where `s` is the
//! secret. `[x]_1` and `[x]_2` denote `x` times the generators of the pairing's groups G1 and G2.
//! The witness of `e_i` is the value of the set without `e_i`. Values and witnesses are points of
//! G1, of 48 bytes each.
//!
//! With the secret, a value costs one field multiplication per element and one multiplication of
//! the generator. The public key contains the powers `[s^i]_1`. With them, a value is the product
//! polynomial evaluated at `s`. A verifier needs only `[1]_2` and `[s]_2`.
//!
//! Setting: pairings of type 3. Verification checks `e(W, [e + s]_2) = e(V, [1]_2)` for the witness
//! `W`, the element `e` and the value `V`. The pairing of a value that recurs is kept, so that a
//! client with many membership witnesses of one set computes one pairing for each. Security: the
//! `q`-strong Diffie-Hellman assumption in G1 and G2, where `q` is the number of powers. A party
//! that knows `s` can forge everything.
//!
//! With the secret, a single value or witness is computed from pseudorandom shares of its scalar,
//! and so is each value that a change publishes. All witnesses of a set in one batch are computed
//! without shares (see the policy of [`bls12`]). Results computed with the secret are released
//! without verification. A faulty result does not verify. The exception is a result from a faulty
//! quotient of exponents, which might verify. Such quotients are computed twice: see
//! [`AuthorSet`](crate::AuthorSet).
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use pad_accumulators::{
//!     Accumulator, Authority, Dynamic, ElementSet, Scheme, SecretKey, Snapshot,
//!     bilinear::{Bilinear, BilinearSecretKey},
//! };
//! use ed25519_dalek::SigningKey;
//! use pad_core::{AuthorKey, Untrusted, Version, Workers};
//!
//! // The author: at most 100 elements, subset witnesses for at most 8.
//! let workers = Workers::sequential();
//! let secret = BilinearSecretKey::generate(100, 8, b"members", &workers)?;
//! let signing_key = SigningKey::from_bytes(&[7; 32]);
//! let key = secret.public_key().clone();
//! let mut set =
//!     ElementSet::<Bilinear>::from_elements(&key, &["anna", "berta", "carla"], &workers)?;
//! let value = Bilinear::accumulate(&secret, &set, &workers)?;
//! // The public key yields the same value.
//! assert_eq!(Bilinear::accumulate(&key, &set, &workers)?, value);
//! let witness = Bilinear::witness(&key, &set, b"anna", &workers)?;
//! let sign = |version, value| {
//!     let key = key.clone();
//!     Snapshot::<Bilinear> { key, version, value }.sign(&signing_key)
//! };
//!
//! // A client: trusts the author's key, and verifies value and witness.
//! let author = AuthorKey::from_bytes(signing_key.verifying_key().as_bytes())?;
//! let authority = Authority { author, key: key.clone() };
//! let first = Untrusted::new(sign(Version::new(1), value)?).verify(&authority, &Version::new(1))?;
//! let membership = Untrusted::new(witness).verify(&first, b"anna")?;
//! assert_eq!(membership.get().element, b"anna");
//!
//! // The set changes. Anna's witness is updated without the secret.
//! let (out, new) = (["berta"], ["dora"]);
//! let change = Bilinear::change(&secret, &mut set, &value, &out, &new, &workers)?;
//! let second = sign(Version::new(2), change.after)?;
//! let second = Untrusted::new(second).verify(&authority, &Version::new(2))?;
//! let anna = Bilinear::element(&key, &set.accumulator().digest_of(b"anna"))?;
//! let updated = Bilinear::update_witness(&key, &anna, &witness, &[change])?;
//! assert!(Untrusted::new(updated).verify(&second, b"anna").is_ok());
//! // The old witness verifies only against the old version.
//! assert!(Untrusted::new(witness).verify(&second, b"anna").is_err());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: Nguyen 2005, section 3; Camenisch, Kohlweiss & Soriente 2009, section 4; Tremel 2013,
//! section 3.

#[cfg(feature = "std")]
mod accumulate;
#[cfg(feature = "std")]
mod all_witnesses;
#[cfg(feature = "std")]
mod batch;
#[cfg(feature = "std")]
pub mod ceremony;
pub(crate) mod commitments;
mod consistency;
#[cfg(feature = "std")]
mod dynamic;
mod element;
#[cfg(feature = "std")]
mod exponent;
mod guessable;
mod multi_scalar;
mod non_membership;
mod parameters;
mod parameters_kept;
pub(crate) mod polynomial;
mod public_key;
#[cfg(feature = "std")]
mod secret_key;
mod small_sum;
mod subset_witness;
#[cfg(test)]
mod tests;
#[cfg(feature = "std")]
mod universal;
mod update_data;
mod value;
mod witness;
mod witness_batch;

use pad_core::SchemeId;

use crate::{element::ElementDigest, error::AccumulateError, evidence::Witnessed, scheme::Scheme};

#[cfg(feature = "std")]
pub use self::secret_key::{BilinearKeyParameters, BilinearSecretKey};
pub use self::{
    element::BilinearElement, guessable::GUESSED, non_membership::BilinearNonMembershipWitness,
    parameters::Parameters, public_key::BilinearPublicKey, subset_witness::BilinearSubsetWitness,
    update_data::BilinearUpdateData, value::BilinearValue, witness::BilinearWitness,
    witness_batch::BilinearWitnessBatch,
};

/// Marker type that selects the accumulator of bilinear maps over BLS12-381 in this crate's traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bilinear;

impl Scheme for Bilinear {
    const SCHEME: SchemeId = parameters::SCHEME;
    const NAME: &'static str = "bilinear";

    type PublicKey = BilinearPublicKey;
    type Element = BilinearElement;
    type Value = BilinearValue;
    type UpdateData = BilinearUpdateData;

    fn element(
        _: &BilinearPublicKey,
        digest: &ElementDigest,
    ) -> Result<BilinearElement, AccumulateError> {
        BilinearElement::new(*digest).ok_or(AccumulateError::ElementNotAllowed)
    }

    /// Returns `[1]_1`, the generator of G1. The value of the empty set is the same for every key.
    fn empty_value(_: &BilinearPublicKey) -> BilinearValue {
        BilinearValue::EMPTY
    }
}

impl Witnessed for Bilinear {
    type Witness = BilinearWitness;
    type NonMembershipWitness = BilinearNonMembershipWitness;
    type SubsetWitness = BilinearSubsetWitness;
    type WitnessBatch = BilinearWitnessBatch;
}
