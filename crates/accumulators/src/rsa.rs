//! The RSA accumulator: the value of a set is `g^(product of its prime representatives) mod N`.
//!
//! The witness of an element is the same power without the element's own prime `r`, so it verifies
//! by one power: `witness^r = value`. The author of an own modulus knows its factors and works on
//! exponents ([`RsaSecretKey`]); everybody else works on residues, by product trees and shared
//! squarings. Both reach the same values.
//!
//! ```
//! use std::sync::Arc;
//!
//! use accumulators::{
//!     Accumulator, ElementSet,
//!     rsa::{Parameters, RepresentativeRule, Rsa, RsaPublicKey},
//! };
//! use pad_core::Workers;
//!
//! // A modulus whose factors have never been published.
//! let parameters = Parameters::rsa_2048(RepresentativeRule::Wide)?;
//! let key = RsaPublicKey::new(Arc::new(parameters), b"guests");
//! let workers = Workers::sequential();
//! let guests = ElementSet::<Rsa>::from_elements(&key, &["ada", "grace"], &workers)?;
//! let value = Rsa::accumulate(&key, &guests, &workers)?;
//! let witness = Rsa::witness(&key, &guests, b"ada", &workers)?;
//! assert_ne!(value.residue(), witness.residue());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is secret and what runs in constant time is said in [`secret_key`].
//!
//! Source: Barić & Pfitzmann 1997; Crosby & Wallach 2010, section 4.3; Tremel 2013, section 2.1.

mod accumulate;
mod all_witnesses;
mod batch;
mod dynamic;
mod element;
mod non_membership;
pub mod parameters;
mod powers_of_base;
mod primality;
mod proof_of_exponentiation;
pub mod representative;
mod secret_exponents;
pub mod secret_key;
mod sieve;
mod subset_witness;
#[cfg(test)]
mod test_key;
#[cfg(test)]
mod tests;
mod universal;
mod update_data;
mod value;
mod witness;
mod witness_batch;

use pad_core::SchemeId;

pub use element::RsaElement;
pub use non_membership::RsaNonMembershipWitness;
pub use parameters::{Parameters, RsaPublicKey};
pub use powers_of_base::PowersOfBase;
pub use representative::RepresentativeRule;
pub use rsa_group::{KeySize, Progress, Residue};
pub use secret_key::{KeyError, RsaKeyParameters, RsaSecretKey};
pub use subset_witness::RsaSubsetWitness;
pub use update_data::RsaUpdateData;
pub use value::RsaValue;
pub use witness::RsaWitness;
pub use witness_batch::RsaWitnessBatch;

use crate::{element::ElementDigest, error::AccumulateError, evidence::Witnessed, scheme::Scheme};

/// The RSA accumulator, as a type that the traits of this crate are implemented for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rsa;

impl Scheme for Rsa {
    const SCHEME: SchemeId = parameters::SCHEME;
    const NAME: &'static str = "rsa";

    type PublicKey = RsaPublicKey;
    type Element = RsaElement;
    type Value = RsaValue;
    type UpdateData = RsaUpdateData;

    fn element(key: &RsaPublicKey, digest: &ElementDigest) -> Result<RsaElement, AccumulateError> {
        RsaElement::search(key, digest)
    }

    fn empty_value(key: &RsaPublicKey) -> RsaValue {
        RsaValue::new(key.parameters().base().clone())
    }
}

impl Witnessed for Rsa {
    type Witness = RsaWitness;
    type NonMembershipWitness = RsaNonMembershipWitness;
    type SubsetWitness = RsaSubsetWitness;
    type WitnessBatch = RsaWitnessBatch;
}
