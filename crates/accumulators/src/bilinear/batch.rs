//! One witness for many elements; [`witness_batch`]: many witnesses verified at once.

mod witness_batch;

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Zero, batch_inversion};
use bls12::{
    point::{self, G1_BYTES},
    threads::run,
};
use pad_core::{DecodeError, Proof, Verified, VerifyError, Workers};

use super::{
    Bilinear, element::BilinearElement, multi_scalar::multi_scalar_product, of_elements,
    parameters::SCHEME, public_key::BilinearPublicKey, secret_key::BilinearSecretKey,
    value::BilinearValue, witness::BilinearWitness,
};
pub use witness_batch::BilinearWitnessBatch;

use crate::{
    accumulator::{Batch, SecretKey},
    error::AccumulateError,
    scheme::PublicKey,
    set::ElementSet,
    snapshot::Snapshot,
    statement::SubsetMembership,
    wire::{self, Reader, Wire},
};

/// `W_S = [product of (e_j + s) for all j outside the subset]_1`, 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearSubsetWitness(G1Affine);

impl BilinearSubsetWitness {
    /// The point.
    pub const fn point(&self) -> G1Affine {
        self.0
    }

    /// Whether `e(W, [product of (e + s) over the subset]_2) = e(V, [1]_2)`.
    ///
    /// # Errors
    /// The subset limit, if the subset is larger.
    fn belongs(
        &self,
        key: &BilinearPublicKey,
        value: BilinearValue,
        subset: &[BilinearElement],
    ) -> Result<bool, usize> {
        let coefficients = of_elements(subset, &Workers::sequential());
        let parameters = key.parameters();
        let product = parameters
            .evaluate_g2(&coefficients)
            .ok_or(parameters.subset_limit())?;
        Ok(parameters.pairs_equal(self.0, product.into_affine(), value.point()))
    }
}

/// Checks `e(W, [product of (e + s) over the subset]_2) = e(V, [1]_2)`.
///
/// Cost: one multi-scalar multiplication in G2, one product of two pairings.
impl Proof for BilinearSubsetWitness {
    type Commitment = Verified<Snapshot<Bilinear>>;
    type Query = [Vec<u8>];
    type Statement = SubsetMembership;
    type Error = VerifyError;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Bilinear>>,
        query: &[Vec<u8>],
    ) -> Result<SubsetMembership, VerifyError> {
        let snapshot = snapshot.get();
        let limit = snapshot.key.parameters().subset_limit();
        // Before the elements are hashed and multiplied.
        if query.len() > limit {
            return Err(VerifyError::TooManyElements { limit });
        }
        let ascending = query.iter().zip(query.iter().skip(1)).all(|(a, b)| a < b);
        if query.is_empty() || !ascending {
            return Err(VerifyError::InvalidQuery);
        }
        let subset = queried(&snapshot.key, query)?;
        let belongs = self
            .belongs(&snapshot.key, snapshot.value, &subset)
            .map_err(|limit| VerifyError::TooManyElements { limit })?;
        if !belongs {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(statement(snapshot, query))
    }
}

fn queried(
    key: &BilinearPublicKey,
    query: &[Vec<u8>],
) -> Result<Vec<BilinearElement>, VerifyError> {
    query
        .iter()
        .map(|element| BilinearElement::queried(key, element))
        .collect()
}

fn statement(snapshot: &Snapshot<Bilinear>, query: &[Vec<u8>]) -> SubsetMembership {
    SubsetMembership {
        accumulator: snapshot.key.id(),
        version: snapshot.version,
        elements: query.to_vec(),
    }
}

/// The compressed point (48 bytes).
impl Wire for BilinearSubsetWitness {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_SUBSET_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&point::encode::<g1::Config, G1_BYTES>(&self.0));
    }

    fn read(_: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        point::decode::<g1::Config, G1_BYTES>(&reader.array()?).map(Self)
    }
}

impl Batch for Bilinear {
    type SubsetWitness = BilinearSubsetWitness;
    type WitnessBatch = BilinearWitnessBatch;

    fn subset_witness(
        key: &BilinearPublicKey,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<BilinearSubsetWitness, AccumulateError> {
        let (_, others) = split(key, set, subset)?;
        let coefficients = of_elements(&others, workers);
        let point = key.parameters().evaluate(&coefficients, workers)?;
        witness_at(point.into_affine())
    }

    fn subset_witness_with_secret(
        secret: &BilinearSecretKey,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<BilinearSubsetWitness, AccumulateError> {
        let (_, others) = split(secret.public_key(), set, subset)?;
        let product = secret.product(&others, workers)?;
        witness_at(secret.multiply(product))
    }

    /// The sum of `W_i / product of (e_j - e_i) for all other j`, by partial fractions of
    /// `1 / product of (e_i + s)`. Verified against the value before it is given out.
    ///
    /// Cost: field operations quadratic in the subset, one multi-scalar product, one verification.
    fn aggregate(
        key: &BilinearPublicKey,
        value: &BilinearValue,
        witnesses: &[(BilinearElement, BilinearWitness)],
    ) -> Result<BilinearSubsetWitness, AccumulateError> {
        if witnesses.is_empty() {
            return Err(AccumulateError::EmptySubset);
        }
        require_subset(key, witnesses.len())?;
        let elements: Vec<BilinearElement> = witnesses
            .iter()
            .map(|(element, _)| element.clone())
            .collect();
        let points: Vec<G1Affine> = witnesses
            .iter()
            .map(|(_, witness)| witness.point())
            .collect();
        let mut weights: Vec<Fr> = elements
            .iter()
            .map(|own| {
                let differences = elements.iter().map(|other| other.scalar() - own.scalar());
                // The element itself is the one difference that may be zero, and is left out.
                let mut zeros = 0;
                let product: Fr = differences
                    .filter(|difference| {
                        zeros += usize::from(difference.is_zero());
                        !difference.is_zero()
                    })
                    .product();
                if zeros == 1 { product } else { Fr::zero() }
            })
            .collect();
        if weights.iter().any(Zero::is_zero) {
            return Err(AccumulateError::DuplicateElement);
        }
        let sequential = Workers::sequential();
        run(&sequential, || batch_inversion(&mut weights));
        let point = multi_scalar_product(&points, &weights, &sequential);
        let witness = BilinearSubsetWitness(point.into_affine());
        match witness.belongs(key, *value, &elements) {
            Ok(true) => Ok(witness),
            Ok(false) => Err(AccumulateError::WitnessMismatch),
            Err(limit) => Err(AccumulateError::SubsetTooLarge { limit }),
        }
    }
}

/// The elements of the subset, and all others.
fn split(
    key: &BilinearPublicKey,
    set: &ElementSet<Bilinear>,
    subset: &[Vec<u8>],
) -> Result<(Vec<BilinearElement>, Vec<BilinearElement>), AccumulateError> {
    set.require_key(key)?;
    key.require_capacity(set.len())?;
    let positions = set.positions(subset)?;
    require_subset(key, positions.len())?;
    let mut chosen = vec![false; set.len()];
    for position in positions {
        if let Some(mark) = chosen.get_mut(position) {
            *mark = true;
        }
    }
    let (inside, outside): (Vec<_>, Vec<_>) = set
        .elements()
        .iter()
        .zip(chosen)
        .partition(|(_, chosen)| *chosen);
    let elements = |pairs: Vec<(&BilinearElement, bool)>| {
        pairs
            .into_iter()
            .map(|(element, _)| element.clone())
            .collect()
    };
    Ok((elements(inside), elements(outside)))
}

fn require_subset(key: &BilinearPublicKey, elements: usize) -> Result<(), AccumulateError> {
    let limit = key.parameters().subset_limit();
    if elements > limit {
        return Err(AccumulateError::SubsetTooLarge { limit });
    }
    Ok(())
}

fn witness_at(point: G1Affine) -> Result<BilinearSubsetWitness, AccumulateError> {
    if point.is_zero() {
        return Err(AccumulateError::ElementNotAllowed);
    }
    Ok(BilinearSubsetWitness(point))
}
