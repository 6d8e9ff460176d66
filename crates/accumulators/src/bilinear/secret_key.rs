//! The secret key: what the author alone may know, and its arithmetic.
//!
//! What is constant time here: nothing. Field arithmetic is but for its inversions; the curve
//! library's multiplications take time and table entries that depend on the scalar, and the scalars
//! here are values at `s` of polynomials that everybody knows: one of them leaked whole gives `s`
//! away. Single results are therefore the sum of two multiplications whose scalars are each
//! pseudorandom, split anew for every scalar. All witnesses at once are not split, as that
//! would double their cost: make them where nobody shares the machine's caches.
//!
//! What a fault does: no result is checked before it is released, but the values of a change are
//! refused unless the first is the one before it. What is multiplied is always the generator,
//! never a point that somebody gave. A wrong scalar or a wrong digit gives another multiple of it:
//! a value for which no witness verifies, or a witness that does not verify, and no equation as
//! easy as that of a faulty RSA signature by the Chinese remainder theorem. A fault within the
//! arithmetic of points may leave the curve or the subgroup, where multiples tell about their
//! scalar; shares make that scalar pseudorandom, but who can inject faults at will is not
//! excluded by this. Verify what was made if the machine is not trusted.
//!
//! What is wiped: `s`, its encodings, its powers, the sums `e + s`, `f(s)` in a change and its
//! shares. What is not: copies of single scalars in registers and on the stack, what the curve
//! library makes of scalars (their digits, its tables hold none), single exponents `f(s)` and
//! `f(s) / (e + s)`, the list of the latter for all witnesses at once and the products on the way
//! to it, which live on the heap until it is reused. One of these with the set gives `s`.

use std::sync::{Arc, OnceLock};

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup, scalar_mul::BatchMulPreprocessing};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField, Zero};
use pad_core::{DecodeError, Domain, Sha256Ed25519, Suite, Workers};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    element::BilinearElement,
    parameters::{Parameters, SCHEME},
    public_key::BilinearPublicKey,
    single_core::run,
};
use crate::{
    accumulator::SecretKey,
    error::AccumulateError,
    products,
    wire::{self, Reader, Wire},
};

/// Multiples of one point, for many multiplications of it.
type Table = BatchMulPreprocessing<G1Projective>;

/// From this number of results on the larger table is made.
const MANY: usize = 4096;

/// The secret `s`, and the public key. Not printable, wiped when dropped.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct BilinearSecretKey {
    secret: Arc<Secret>,
    public_key: BilinearPublicKey,
}

/// `s` and tables of multiples of the generator, shared by the keys of all labels.
struct Secret {
    scalar: Zeroizing<Fr>,
    small: OnceLock<Table>,
    large: OnceLock<Table>,
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
        let mut bytes = Zeroizing::new([0_u8; 64]);
        let mut scalar = Zeroizing::new(Fr::ZERO);
        while scalar.is_zero() {
            getrandom::fill(bytes.as_mut_slice())?;
            *scalar = Fr::from_be_bytes_mod_order(bytes.as_slice());
        }
        Ok(Self::with_scalar(
            scalar,
            (capacity, subset_limit),
            label,
            workers,
        ))
    }

    /// The key of this secret, which is not zero.
    pub(super) fn with_scalar(
        scalar: Zeroizing<Fr>,
        (capacity, subset_limit): (usize, usize),
        label: &[u8],
        workers: &Workers,
    ) -> Self {
        let parameters = Parameters::from_secret(&scalar, capacity, subset_limit, workers);
        Self::assemble(scalar, BilinearPublicKey::new(Arc::new(parameters), label))
    }

    /// The key in an envelope, for a key file. Wiped when dropped.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(wire::encode(self))
    }

    /// The key of a secret that belongs to the public key.
    pub(super) fn assemble(scalar: Zeroizing<Fr>, public_key: BilinearPublicKey) -> Self {
        let secret = Secret {
            scalar,
            small: OnceLock::new(),
            large: OnceLock::new(),
        };
        Self {
            secret: Arc::new(secret),
            public_key,
        }
    }

    /// `s`.
    pub(crate) fn scalar(&self) -> Fr {
        *self.secret.scalar
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

    /// `[scalar]_1`, by two multiplications with shares of the scalar.
    pub(crate) fn multiply(&self, scalar: Fr, workers: &Workers) -> G1Affine {
        let share = self.share(scalar);
        let table = self.table(1, workers);
        let shares = run(workers, || table.batch_mul(&[share, scalar - share]));
        shares.into_iter().sum::<G1Projective>().into_affine()
    }

    /// `[scalar]_1` for each scalar, the scalars not split.
    pub(crate) fn multiply_all(&self, scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
        let table = self.table(scalars.len(), workers);
        run(workers, || table.batch_mul(scalars))
    }

    /// `[scalar]_1` for each scalar, by two multiplications each with shares of the scalar.
    pub(crate) fn multiply_each(&self, scalars: &[Fr], workers: &Workers) -> Vec<G1Affine> {
        let mut shares = Zeroizing::new(Vec::with_capacity(scalars.len().saturating_mul(2)));
        for scalar in scalars {
            let share = self.share(*scalar);
            shares.extend([share, *scalar - share]);
        }
        let table = self.table(shares.len(), workers);
        run(workers, || {
            let products = table.batch_mul(&shares);
            let (pairs, _) = products.as_chunks::<2>();
            let sums: Vec<G1Projective> = pairs
                .iter()
                .map(|[left, right]| G1Projective::from(*left) + right)
                .collect();
            G1Projective::normalize_batch(&sums)
        })
    }

    /// A pseudorandom scalar that depends on the secret and this scalar.
    fn share(&self, scalar: Fr) -> Fr {
        let input = |scalar: Fr| Zeroizing::new(scalar.into_bigint().to_bytes_be());
        let (secret, scalar) = (input(self.scalar()), input(scalar));
        let mut wide = Zeroizing::new([0_u8; 64]);
        for (half, index) in wide.chunks_mut(32).zip([0_u8, 1]) {
            let parts: [&[u8]; 4] = [b"share", &[index], &secret, &scalar];
            half.copy_from_slice(&Sha256Ed25519::hash(Domain::AccumulatorExpand, &parts).0);
        }
        Fr::from_be_bytes_mod_order(wide.as_slice())
    }

    /// A table fit for this number of results, made when it is first needed.
    fn table(&self, results: usize, workers: &Workers) -> &Table {
        // The library chooses the width of the windows from these numbers: 8 bits (0.8 MB, made in
        // milliseconds) and 11 bits (4.7 MB).
        let (table, sized_for) = if results < MANY {
            (&self.secret.small, MANY)
        } else {
            (&self.secret.large, 1 << 16)
        };
        table.get_or_init(|| run(workers, || Table::new(G1Projective::generator(), sized_for)))
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
        use crate::accumulator::PublicKey as _;
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
        let scalar = Zeroizing::new(self.scalar().into_bigint().to_bytes_be());
        bytes.extend_from_slice(&scalar);
    }

    fn read(key: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let scalar = Zeroizing::new(read_scalar(reader)?);
        let expected: G1Affine = (G1Projective::generator() * *scalar).into_affine();
        if key.parameters().powers_g1().get(1) != Some(&expected) {
            return Err(DecodeError::WrongParameters);
        }
        Ok(Self::assemble(scalar, key.clone()))
    }
}

/// A scalar in its 32 bytes, big-endian.
///
/// # Errors
/// [`DecodeError::ScalarOutOfRange`] for zero and for the group order or more.
pub(crate) fn read_scalar(reader: &mut Reader<'_>) -> Result<Fr, DecodeError> {
    let mut limbs = [0_u64; 4];
    for limb in limbs.iter_mut().rev() {
        *limb = reader.u64()?;
    }
    Fr::from_bigint(ark_ff::BigInt::new(limbs))
        .filter(|scalar| !scalar.is_zero())
        .ok_or(DecodeError::ScalarOutOfRange)
}
