//! Computation of the values and membership witnesses of sets, with the public or the secret key.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use bls12::generator;
use pad_core::Workers;

use super::{
    Bilinear, all_witnesses::all_witnesses, element::scalars, multi_scalar::multi_scalar_product,
    parameters::Parameters, polynomial, public_key::BilinearPublicKey,
    secret_key::BilinearSecretKey, value::BilinearValue, witness::BilinearWitness,
};
use crate::{
    accumulator::{Accumulator, EitherKey},
    error::AccumulateError,
    scheme::PublicKey,
    set::ElementSet,
};

impl EitherKey<Bilinear> for BilinearPublicKey {
    fn public(&self) -> &Self {
        self
    }
}

impl Accumulator for Bilinear {
    type SecretKey = BilinearSecretKey;

    /// Cost with the public key, for `n` elements: the coefficients of the product of all `X + e`,
    /// and one multi-scalar product of `n + 1` terms.
    fn accumulate(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<BilinearValue, AccumulateError> {
        require_usable(key.public(), set)?;
        BilinearValue::new(point_of(key, &scalars(set.elements()), workers)?)
    }

    fn witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<BilinearWitness, AccumulateError> {
        require_usable(key.public(), set)?;
        let (_, others) = set.one_and_others(element)?;
        BilinearWitness::new(point_of(key, &scalars(others), workers)?)
    }

    /// Cost with the secret key, for each element: three field multiplications and one fixed-base
    /// multiplication.
    fn witnesses(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<BilinearWitness>, AccumulateError> {
        require_usable(key.public(), set)?;
        let scalars = scalars(set.elements());
        let points = if let Some(secret) = key.secret() {
            generator::multiply_all(&secret.products_of_others(&scalars, workers)?, workers)
        } else {
            let parameters = key.public().parameters();
            let capacity = parameters.capacity();
            all_witnesses(parameters.powers_g1(), &scalars, workers)
                .ok_or(AccumulateError::CapacityExceeded { capacity })?
        };
        if points.iter().any(AffineRepr::is_zero) {
            // A witness is the identity if one of the other elements is the negative of the secret.
            return Err(AccumulateError::ElementNotAllowed);
        }
        points.into_iter().map(BilinearWitness::new).collect()
    }
}

impl Parameters {
    /// Computes `[f(s)]_1` for the polynomial `f` with these coefficients, lowest first, and the
    /// secret `s` of these parameters.
    ///
    /// Cost: one multi-scalar multiplication.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if there are more coefficients than published powers
    /// of `s` in G1.
    #[doc(hidden)]
    pub fn evaluate(
        &self,
        coefficients: &[Fr],
        workers: &Workers,
    ) -> Result<G1Projective, AccumulateError> {
        let powers = self.powers_g1().get(..coefficients.len()).ok_or(
            AccumulateError::CapacityExceeded {
                capacity: self.capacity(),
            },
        )?;
        Ok(multi_scalar_product(powers, coefficients, workers))
    }
}

impl BilinearValue {
    /// Creates a value from a point of the subgroup.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] for the identity. Only a set that contains the
    /// negative of the secret has this value.
    pub(crate) fn new(point: G1Affine) -> Result<Self, AccumulateError> {
        if point.is_zero() {
            Err(AccumulateError::ElementNotAllowed)
        } else {
            Ok(Self(point))
        }
    }
}

impl BilinearWitness {
    /// Creates a witness from a point of the subgroup.
    ///
    /// # Errors
    /// [`AccumulateError::WitnessMismatch`] for the identity, which is not a witness of any
    /// element.
    pub(crate) fn new(point: G1Affine) -> Result<Self, AccumulateError> {
        if point.is_zero() {
            Err(AccumulateError::WitnessMismatch)
        } else {
            Ok(Self(point))
        }
    }
}

/// Returns an error if the set does not belong to the key's accumulator, or exceeds the capacity of
/// the key.
pub(super) fn require_usable(
    key: &BilinearPublicKey,
    set: &ElementSet<Bilinear>,
) -> Result<(), AccumulateError> {
    set.require_key(key)?;
    key.require_capacity(set.len())
}

/// Computes `[product of (e + s)]_1` over the given scalars `e`. This is the value of the set of
/// these elements. In a larger set, it is the witness of the elements outside `scalars`.
///
/// # Errors
/// [`AccumulateError::ElementNotAllowed`] if an element is the negative of the secret.
pub(super) fn point_of(
    key: &impl EitherKey<Bilinear>,
    scalars: &[Fr],
    workers: &Workers,
) -> Result<G1Affine, AccumulateError> {
    if let Some(secret) = key.secret() {
        return Ok(secret.multiply(secret.product(scalars, workers)?));
    }
    let coefficients = polynomial::product(scalars, workers);
    let parameters = key.public().parameters();
    let point = parameters.evaluate(&coefficients, workers)?.into_affine();
    if point.is_zero() {
        return Err(AccumulateError::ElementNotAllowed);
    }
    Ok(point)
}
