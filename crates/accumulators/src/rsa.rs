//! The RSA accumulator: the value of a set is `g^(product of its prime representatives) mod N`.
//!
//! The witness of an element is `g`, raised to the product without the element's own prime `r`. One
//! power verifies it: `witness^r = value`. The author of a modulus knows its factors and works on
//! exponents ([`RsaSecretKey`]). All other parties work on residues, with product trees and shared
//! squarings. Both methods yield the same values.
//!
//! ```
//! use std::sync::Arc;
//!
//! use pad_accumulators::{
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
//! See `secret_key` for secrets and constant-time operations.
//!
//! Source: Barić & Pfitzmann 1997; Crosby & Wallach 2010, section 4.3; Tremel 2013, section 2.1.

mod accumulate;
mod all_witnesses;
mod batch;
mod dynamic;
mod element;
mod exponent;
mod non_membership;
mod parameters;
mod powers_of_base;
mod primality;
mod proof_of_exponentiation;
pub(crate) mod representative;
mod secret_exponents;
mod secret_key;
mod sieve;
mod subset_witness;
#[cfg(test)]
pub(crate) mod test_key;
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

/// Marker type that selects the RSA accumulator in this crate's traits.
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

    fn elements(
        key: &RsaPublicKey,
        digests: &[ElementDigest],
    ) -> Result<Vec<RsaElement>, AccumulateError> {
        RsaElement::search_all(key, digests)
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
