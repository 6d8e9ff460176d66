//! The secret key: what the author alone may know, and its arithmetic.
//!
//! Values and witnesses are multiples of the generator by scalars that are polynomials, known to
//! everybody, at `s`: one of them leaked whole gives `s` away. What a multiplication shows to who
//! shares the machine, what a fault does and what is overwritten: the policy of [`bls12`]. Single
//! results are split into shares, all witnesses at once are not: make those where nobody shares the
//! machine's caches. What is multiplied is always the generator, never a point that somebody gave.
//! Results are not checked before they are released, but the values of a change are refused unless
//! the first is the one before it.
//!
//! What is overwritten beside: the powers of `s`, the sums `e + s`, `f(s)` in a change. What is not:
//! single exponents `f(s)` and `f(s) / (e + s)`, the list of the latter for all witnesses at once
//! and the products on the way to it, which live on the heap until it is reused. One of these with
//! the set gives `s`.

use std::sync::Arc;

use ark_bls12_381::{Fr, G1Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, Zero};
use bls12::{SecretScalar, generator};
use pad_core::{DecodeError, Workers};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    element::BilinearElement,
    parameters::{Parameters, SCHEME},
    public_key::BilinearPublicKey,
};
use crate::{
    accumulator::SecretKey,
    error::AccumulateError,
    products,
    wire::{self, Reader, Wire},
};

/// The secret `s`, and the public key. Not printable, wiped when dropped.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct BilinearSecretKey {
    secret: Arc<SecretScalar>,
    public_key: BilinearPublicKey,
}

impl BilinearSecretKey {
    /// A new key for sets of up to `capacity` elements and subset witnesses of up to
    /// `subset_limit`, at least one each.
    ///
    /// Randomness: 64 bytes of the operating system. Cost: one fixed-base multiplication per
    /// power, spread over the workers. Memory: 96 bytes per power in G1, 192 in G2.
    ///
    /// # Errors
    /// If the operating system gives no randomness.
    pub fn generate(
        capacity: usize,
        subset_limit: usize,
        label: &[u8],
        workers: &Workers,
    ) -> Result<Self, getrandom::Error> {
        Ok(Self::with_scalar(
            SecretScalar::random()?,
            (capacity, subset_limit),
            label,
            workers,
        ))
    }

    /// The key of this secret, which is not zero.
    pub(super) fn with_scalar(
        secret: SecretScalar,
        (capacity, subset_limit): (usize, usize),
        label: &[u8],
        workers: &Workers,
    ) -> Self {
        let parameters = Parameters::from_secret(secret.expose(), capacity, subset_limit, workers);
        Self::assemble(secret, BilinearPublicKey::new(Arc::new(parameters), label))
    }

    /// The key in an envelope, for a key file. Wiped when dropped.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(wire::encode(self))
    }

    /// The key of a secret that belongs to the public key.
    pub(super) fn assemble(secret: SecretScalar, public_key: BilinearPublicKey) -> Self {
        Self {
            secret: Arc::new(secret),
            public_key,
        }
    }

    /// `s`.
    pub(crate) fn scalar(&self) -> Fr {
        *self.secret.expose()
    }

    /// `f(s)`, the product of `e + s` for all elements.
    ///
    /// Cost: one field multiplication per element, in lanes that do not wait for each other.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is `-s`.
    pub(crate) fn product(
        &self,
        elements: &[BilinearElement],
        workers: &Workers,
    ) -> Result<Fr, AccumulateError> {
        let secret = self.scalar();
        let product = if workers.threads() == 1 {
            shifted_product(elements, secret)
        } else {
            let length = elements.len().div_ceil(workers.threads()).max(1);
            workers.run(|| {
                elements
                    .par_chunks(length)
                    .map(|chunk| shifted_product(chunk, secret))
                    .product()
            })
        };
        if product.is_zero() {
            return Err(AccumulateError::ElementNotAllowed);
        }
        Ok(product)
    }

    /// For each element the product of `e + s` for all others.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is `-s`.
    pub(crate) fn products_of_others(
        &self,
        elements: &[BilinearElement],
        workers: &Workers,
    ) -> Result<Vec<Fr>, AccumulateError> {
        let factors: Zeroizing<Vec<Fr>> = Zeroizing::new(
            elements
                .iter()
                .map(|element| element.scalar() + self.scalar())
                .collect(),
        );
        if factors.iter().any(Zero::is_zero) {
            return Err(AccumulateError::ElementNotAllowed);
        }
        Ok(products::products_of_others(
            &factors,
            &Fr::ONE,
            |left, right| *left * right,
            workers,
        ))
    }

    /// `[scalar]_1`, the scalar split into shares.
    pub(crate) fn multiply(&self, scalar: Fr) -> G1Affine {
        generator::multiply(&self.secret, &scalar).into_affine()
    }

    /// `[scalar]_1` for each scalar, each split into shares.
    pub(crate) fn multiply_each(&self, scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
        generator::multiply_each(&self.secret, scalars, workers)
    }
}

/// The product of `e + shift` over the elements: the longest chain of multiplications that wait
/// for each other is a quarter of their number.
fn shifted_product(elements: &[BilinearElement], shift: Fr) -> Fr {
    let mut lanes = [Fr::ONE; 4];
    for chunk in elements.chunks(lanes.len()) {
        for (lane, element) in lanes.iter_mut().zip(chunk) {
            *lane *= element.scalar() + shift;
        }
    }
    lanes.iter().product()
}

impl SecretKey for BilinearSecretKey {
    type PublicKey = BilinearPublicKey;

    fn public_key(&self) -> &BilinearPublicKey {
        &self.public_key
    }

    fn with_label(&self, label: &[u8]) -> Self {
        use crate::scheme::PublicKey as _;
        Self {
            secret: Arc::clone(&self.secret),
            public_key: self.public_key.with_label(label),
        }
    }
}

/// `s` (32 bytes, big-endian). Read with the public key, to which it must belong.
impl Wire for BilinearSecretKey {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_SECRET_KEY;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        // Room first: a vector that grows leaves a copy behind.
        bytes.reserve_exact(32);
        bytes.extend_from_slice(self.secret.to_bytes().as_slice());
    }

    fn read(key: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let bytes = Zeroizing::new(reader.array()?);
        let secret = SecretScalar::from_bytes(&bytes)?;
        let expected = secret.times(&G1Affine::generator(), b"");
        if key.parameters().powers_g1().get(1) != Some(&expected) {
            return Err(DecodeError::WrongParameters);
        }
        Ok(Self::assemble(secret, key.clone()))
    }
}
