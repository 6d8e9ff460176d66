//! The secret key of the bilinear accumulator and its arithmetic.
//!
//! Values and witnesses are multiples of the generator. Their scalars are publicly known
//! polynomials, evaluated at `s`, so one leaked scalar reveals `s`. See the policy of [`bls12`] for
//! side channels of multiplications, faults and wiping.
//!
//! For a single value or witness, the scalar is split into two pseudorandom shares, so that running
//! times cannot be related to it. For all witnesses in one batch, scalars are not split, which
//! would double the cost. The rule of [`bls12`] matters most there: use secret keys only on a
//! machine with unshared caches.
//!
//! The multiplied point is always the generator, never a point from another party. Results are not
//! checked before they are released. However, `Dynamic::change` refuses a value that does not match
//! the set.
//!
//! Intermediate numbers are overwritten after use: the powers of `s`, the sums `e + s`, and `f(s)`
//! in a change. These numbers are not overwritten:
//!
//! * single exponents `f(s)` and `f(s) / (e + s)`,
//! * the list of `f(s) / (e + s)` for a batch of all witnesses, and its intermediate products.
//!
//! They remain in memory until that memory is reused. Any of them reveals `s` if the set is known.
//! An [`AuthorSet`](crate::AuthorSet) keeps `f(s)` on purpose, and overwrites it on drop.

use std::sync::Arc;

use ark_bls12_381::{Fr, G1Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, scalar_mul::BatchMulPreprocessing};
use ark_ff::{Field, Zero};
use bls12::{
    SecretScalar, count::Counted, generator, product::shifted_product, threads::map_pieces,
};
use pad_core::{DecodeError, Workers};
use zeroize::Zeroizing;

use super::{
    Bilinear,
    parameters::{Parameters, SCHEME},
    public_key::BilinearPublicKey,
};
use crate::{
    accumulator::{EitherKey, SecretKey},
    error::AccumulateError,
    products,
    scheme::PublicKey as _,
    wire::{self, Reader, Wire},
};

/// The secret key of a bilinear accumulator: the secret scalar `s`, and the public key. It cannot
/// be printed, and is wiped on drop.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct BilinearSecretKey {
    secret: Arc<SecretScalar>,
    public_key: BilinearPublicKey,
}

impl BilinearSecretKey {
    /// Generates a key. Sets may have up to `capacity` elements, and subset witnesses may cover up
    /// to `subset_limit` elements. A limit of 0 counts as 1.
    ///
    /// Randomness: 64 bytes of the operating system. Cost: one fixed-base multiplication per
    /// power, spread over the workers. Memory: about 100 bytes per power in G1, 200 in G2.
    ///
    /// # Errors
    /// [`getrandom::Error`] if the operating system provides no random bytes.
    pub fn generate(
        capacity: usize,
        subset_limit: usize,
        label: &[u8],
        workers: &Workers,
    ) -> Result<Self, getrandom::Error> {
        let (secret, sizes) = (SecretScalar::random()?, (capacity, subset_limit));
        Ok(Self::with_scalar(secret, sizes, label, workers))
    }

    /// Creates a key from the scalar `secret`, which must not be zero, and computes the public
    /// parameters.
    pub(super) fn with_scalar(
        secret: SecretScalar,
        (capacity, subset_limit): (usize, usize),
        label: &[u8],
        workers: &Workers,
    ) -> Self {
        let parameters = powers_of(secret.expose(), capacity, subset_limit, workers);
        Self::assemble(secret, BilinearPublicKey::new(Arc::new(parameters), label))
    }

    /// Encodes the secret key for a key file, with the header of
    /// [`wire::encode`](crate::wire::encode). The bytes are wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(wire::encode(self))
    }

    /// Creates the key from `secret`, which must match `public_key`.
    pub(super) fn assemble(secret: SecretScalar, public_key: BilinearPublicKey) -> Self {
        Self {
            secret: Arc::new(secret),
            public_key,
        }
    }

    /// Returns the secret scalar `s`.
    pub(crate) fn scalar(&self) -> Fr {
        *self.secret.expose()
    }

    /// Computes `f(s)`, the product of `e + s` over all `e` in `scalars`.
    ///
    /// Cost: one field multiplication per element, in independent chains of products.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is `-s`.
    pub(crate) fn product(&self, scalars: &[Fr], workers: &Workers) -> Result<Fr, AccumulateError> {
        let secret = self.scalar();
        let length = scalars.len().div_ceil(workers.threads()).max(1);
        let chunks: Vec<&[Fr]> = scalars.chunks(length).collect();
        let products = workers.map(&chunks, |chunk| shifted_product(chunk, &secret));
        let product: Fr = Zeroizing::new(products).iter().product();
        if product.is_zero() {
            return Err(AccumulateError::ElementNotAllowed);
        }
        Ok(product)
    }

    /// Computes for each element, given by its scalar, the product of `e + s` over all other
    /// elements.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is `-s`.
    pub(crate) fn products_of_others(
        &self,
        scalars: &[Fr],
        workers: &Workers,
    ) -> Result<Vec<Fr>, AccumulateError> {
        let shifted = scalars.iter().map(|scalar| *scalar + self.scalar());
        let factors: Zeroizing<Vec<Fr>> = Zeroizing::new(shifted.collect());
        if factors.iter().any(Zero::is_zero) {
            return Err(AccumulateError::ElementNotAllowed);
        }
        let multiply = |left: &Fr, right: &Fr| *left * right;
        Ok(products::products_of_others(
            &factors,
            &Fr::ONE,
            multiply,
            workers,
        ))
    }

    /// Computes `[scalar]_1`. The secret scalar is split into pseudorandom shares against side
    /// channels.
    pub(crate) fn multiply(&self, scalar: Fr) -> G1Affine {
        generator::multiply(&self.secret, &scalar).into_affine()
    }

    /// Computes `[scalar]_1` for each scalar. Each is split into pseudorandom shares against side
    /// channels.
    pub(crate) fn multiply_each(&self, scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
        generator::multiply_each(&self.secret, scalars, workers)
    }
}

/// Computes the public powers of `secret` in G1 and in G2. They suffice for sets of up to
/// `capacity` elements and subsets of up to `subset_limit`. A limit of 0 counts as 1.
///
/// Cost: one fixed-base multiplication per power, spread over the workers.
pub(super) fn powers_of(
    secret: &Fr,
    capacity: usize,
    subset_limit: usize,
    workers: &Workers,
) -> Parameters {
    let (g1_count, g2_count) = (capacity.max(1) + 1, subset_limit.max(1) + 1);
    // Allocated in advance: a vector that grows leaves an unwiped copy behind.
    let count = g1_count.max(g2_count);
    let mut powers = Zeroizing::new(Vec::with_capacity(count));
    powers.extend(core::iter::successors(Some(Fr::ONE), |power| Some(*power * secret)).take(count));
    Counted::Multiples.add(g2_count);
    let g2 = BatchMulPreprocessing::new(G2Projective::generator(), g2_count);
    let powers_for = |count| powers.get(..count).unwrap_or_default();
    let powers_g1 = generator::multiply_all(powers_for(g1_count), workers);
    let powers_g2 = map_pieces(powers_for(g2_count), workers, |powers| g2.batch_mul(powers));
    let s_g2 = powers_g2.get(1).copied().unwrap_or_default();
    Parameters::assemble(powers_g1, powers_g2, s_g2, "accumulator")
}

impl EitherKey<Bilinear> for BilinearSecretKey {
    fn public(&self) -> &BilinearPublicKey {
        &self.public_key
    }

    fn secret(&self) -> Option<&Self> {
        Some(self)
    }
}

/// Parameters of a new key. The default is sets of up to 4095 elements and subset witnesses of one
/// element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearKeyParameters {
    /// Maximum number of elements of a set. 0 counts as 1.
    pub capacity: usize,
    /// Maximum number of elements that one subset witness covers. 0 counts as 1.
    pub subset_limit: usize,
}

impl Default for BilinearKeyParameters {
    fn default() -> Self {
        Self {
            capacity: 4095,
            subset_limit: 1,
        }
    }
}

impl SecretKey for BilinearSecretKey {
    type PublicKey = BilinearPublicKey;
    type Parameters = BilinearKeyParameters;
    type CreateError = getrandom::Error;

    fn create(
        parameters: &BilinearKeyParameters,
        label: &[u8],
        workers: &Workers,
    ) -> Result<Self, getrandom::Error> {
        let BilinearKeyParameters {
            capacity,
            subset_limit,
        } = *parameters;
        Self::generate(capacity, subset_limit, label, workers)
    }

    fn public_key(&self) -> &BilinearPublicKey {
        &self.public_key
    }

    fn with_label(&self, label: &[u8]) -> Self {
        Self {
            secret: Arc::clone(&self.secret),
            public_key: self.public_key.with_label(label),
        }
    }
}

/// Layout: `s` (32 bytes, big-endian). Reading needs the public key, which `s` must match.
impl Wire for BilinearSecretKey {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_SECRET_KEY;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        // Allocated in advance: a vector that grows leaves an unwiped copy behind.
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
