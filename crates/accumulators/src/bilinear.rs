//! The accumulator of bilinear maps over BLS12-381.
//!
//! A set of scalars `e_1, ..., e_n` has the value `V = [product of (e_i + s)]_1`, where `s` is the
//! secret and `[x]_1`, `[x]_2` are the `x`-fold generators of the groups of the pairing. The witness
//! of `e_i` is the value of the others. Both are points of G1: 48 bytes. With the secret a value
//! costs one field multiplication per element; with the public key, the powers `[s^i]_1`, it is the
//! product polynomial at `s`. A verifier needs `[1]_2` and `[s]_2` alone.
//!
//! Setting: pairings of type 3, so the equations move the multiplication by `e` to the side of the
//! witness, `e(e W - V, [1]_2) e(W, [s]_2) = 1`. Security: the `q`-strong Diffie-Hellman assumption in G1 and
//! G2, with `q` the number of powers. With `s` everything can be forged.
//!
//! With the secret, single values and witnesses, and those of a change, are made from shares of their
//! scalars; all witnesses at once are not (the policy of [`bls12`]). Results made with the secret are not verified before they are released: a faulty
//! one does not verify.
//!
//! ```
//! use accumulators::{
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
//! let value = Bilinear::accumulate_with_secret(&secret, &set, &workers)?;
//! // The public key leads to the same value.
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
//! // The set changes; Anna's witness follows without the secret.
//! let (out, new) = (["berta"], ["dora"]);
//! let change = Bilinear::change_with_secret(&secret, &mut set, &value, &out, &new, &workers)?;
//! let second = sign(Version::new(2), change.after)?;
//! let second = Untrusted::new(second).verify(&authority, &Version::new(2))?;
//! let anna = Bilinear::element(&key, &set.accumulator().digest_of(b"anna"))?;
//! let updated = Bilinear::update_witness(&key, &anna, &witness, &[change])?;
//! assert!(Untrusted::new(updated).verify(&second, b"anna").is_ok());
//! // The old one is good for the old version only.
//! assert!(Untrusted::new(witness).verify(&second, b"anna").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: Nguyen 2005, section 3; Camenisch, Kohlweiss & Soriente 2009, section 4; Tremel 2013,
//! section 3.

mod all_witnesses;
mod batch;
pub mod ceremony;
mod consistency;
mod dynamic;
mod element;
mod guessable;
mod multi_scalar;
mod parameters;
mod polynomial;
mod public_key;
mod secret_key;
mod small_sum;
#[cfg(test)]
mod tests;
mod universal;
mod value;
mod witness;

use ark_bls12_381::{Fr, G1Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::Field;
use bls12::generator;
use pad_core::{SchemeId, Workers};

use crate::{
    accumulator::{Accumulator, SecretKey},
    element::ElementDigest,
    error::AccumulateError,
    scheme::Scheme,
    set::ElementSet,
};

pub use self::{
    batch::{BilinearSubsetWitness, BilinearWitnessBatch},
    dynamic::BilinearUpdateData,
    element::BilinearElement,
    parameters::Parameters,
    public_key::BilinearPublicKey,
    secret_key::BilinearSecretKey,
    universal::BilinearNonMembershipWitness,
    value::BilinearValue,
    witness::BilinearWitness,
};
pub use guessable::GUESSED;

/// The accumulator of bilinear maps over BLS12-381.
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

    /// `[1]_1`.
    fn empty_value(_: &BilinearPublicKey) -> BilinearValue {
        BilinearValue::EMPTY
    }
}

impl Accumulator for Bilinear {
    type SecretKey = BilinearSecretKey;
    type Witness = BilinearWitness;

    /// Cost: the product polynomial, and one multi-scalar product of `n + 1` terms.
    fn accumulate(
        key: &BilinearPublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<BilinearValue, AccumulateError> {
        require_usable(key, set)?;
        let coefficients = of_elements(set.elements(), workers);
        let point = key.parameters().evaluate(&coefficients, workers)?;
        BilinearValue::new(point.into_affine())
    }

    fn accumulate_with_secret(
        secret: &BilinearSecretKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<BilinearValue, AccumulateError> {
        require_usable(secret.public_key(), set)?;
        let product = secret.product(set.elements(), workers)?;
        BilinearValue::new(secret.multiply(product))
    }

    fn witness(
        key: &BilinearPublicKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<BilinearWitness, AccumulateError> {
        require_usable(key, set)?;
        let position = set.position(element)?;
        witness_without(key, set, position, workers)
    }

    fn witness_with_secret(
        secret: &BilinearSecretKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<BilinearWitness, AccumulateError> {
        require_usable(secret.public_key(), set)?;
        let element = set
            .elements()
            .get(set.position(element)?)
            .ok_or(AccumulateError::ElementAbsent)?;
        let product = secret.product(set.elements(), workers)?;
        let divisor = (element.scalar() + secret.scalar())
            .inverse()
            .ok_or(AccumulateError::ElementNotAllowed)?;
        BilinearWitness::new(secret.multiply(product * divisor))
    }

    fn witnesses(
        key: &BilinearPublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<BilinearWitness>, AccumulateError> {
        require_usable(key, set)?;
        let scalars = scalars(set.elements());
        let powers = key.parameters().powers_g1();
        let capacity = key.parameters().capacity();
        let points = all_witnesses::all_witnesses(powers, &scalars, workers)
            .ok_or(AccumulateError::CapacityExceeded { capacity })?;
        allowed(points)
    }

    /// Cost: three field multiplications and one fixed-base multiplication for each element.
    fn witnesses_with_secret(
        secret: &BilinearSecretKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<BilinearWitness>, AccumulateError> {
        require_usable(secret.public_key(), set)?;
        let others = secret.products_of_others(set.elements(), workers)?;
        allowed(generator::multiply_all(&others, workers))
    }
}

fn require_usable(
    key: &BilinearPublicKey,
    set: &ElementSet<Bilinear>,
) -> Result<(), AccumulateError> {
    set.require_key(key)?;
    key.require_capacity(set.len())
}

fn scalars(elements: &[BilinearElement]) -> Vec<Fr> {
    elements.iter().map(BilinearElement::scalar).collect()
}

/// The coefficients of the product of `X + e` over the elements, lowest first.
fn of_elements(elements: &[BilinearElement], workers: &Workers) -> Vec<Fr> {
    polynomial::product(&scalars(elements), workers)
}

/// The witness of the element at this position: the value of the others.
fn witness_without(
    key: &BilinearPublicKey,
    set: &ElementSet<Bilinear>,
    position: usize,
    workers: &Workers,
) -> Result<BilinearWitness, AccumulateError> {
    let mut scalars = scalars(set.elements());
    scalars.swap_remove(position);
    let coefficients = polynomial::product(&scalars, workers);
    let point = key.parameters().evaluate(&coefficients, workers)?;
    allowed(vec![point.into_affine()])?
        .pop()
        .ok_or(AccumulateError::ElementAbsent)
}

/// The witnesses at these points.
///
/// # Errors
/// [`AccumulateError::ElementNotAllowed`] if one is the identity: another element is `-s`.
fn allowed(points: Vec<G1Affine>) -> Result<Vec<BilinearWitness>, AccumulateError> {
    if points.iter().any(AffineRepr::is_zero) {
        return Err(AccumulateError::ElementNotAllowed);
    }
    points.into_iter().map(BilinearWitness::new).collect()
}
