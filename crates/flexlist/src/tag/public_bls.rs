//! Publicly verifiable homomorphic tags of 48 bytes: the public scheme of Shacham and Waters.
//!
//! The group is G1 of BLS12-381 with generator `g`. The secret is `x`, and the points `u_j` are
//! public. Sectors `m_1 .. m_s` have 31 bytes (little-endian, the last one padded with zeros). `w`
//! is the write id and `n` the length of the block:
//!
//! ```text
//! sigma   = x (H(w, n) + sum of m_j u_j)                   the tag, held by the server
//! mu_j    = sum of a_i m_ij,   sigma = sum of a_i sigma_i   the proof: sigma, then mu_1, mu_2, ..
//! check     e(sigma, g2) = e(sum of a_i H(w_i, n_i) + sum of mu_j u_j, x g2)
//! ```
//!
//! `H` is a hash to the curve (RFC 9380). It depends on write id and length, to which the list
//! commits. A block without sector `j` counts as zero in `mu_j`. The verifier derives the number of
//! sums from the lengths.
//!
//! Security holds under the Diffie-Hellman assumption, in the random oracle model, as long as no
//! two blocks have the same write id and length. An attacker without `x` then cannot create a valid
//! proof with sums other than the true ones. Not post-quantum.
//!
//! The owner chooses `u_j = a_j g` and keeps the `a_j`. A tag thus costs one hash to the curve and
//! two multiplications of points, whatever the length of the block. The `u_j` are published: 48
//! bytes for each of the 2115 sectors of the longest block, 64 KiB.
//!
//! Multiplications by `x` and the `a_j` may leak through side channels to other programs on the
//! machine: see the policy of [`bls12`].
//!
//! Source: Shacham & Waters 2013, "Compact proofs of retrievability", section 3.3.

use core::fmt;
use std::sync::{Arc, OnceLock};

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInt, PrimeField, Zero};
use bls12::{
    SecretScalar, generator, hash, pairing,
    point::{self, G1_BYTES, G2_BYTES},
    public,
    scalar::{self, SCALAR_BYTES},
};
use pad_core::{DecodeError, Workers, codec::Fields};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    BlockTag, Challenged, TagError, WriteId,
    scheme::{
        KeyBytes, OpenedBlock, StoredBlock, TagScheme, block_length, check_at_random,
        hashed_message, padded, require_block, require_challenged,
    },
};
use crate::error::AuditError;

#[cfg(test)]
pub(in crate::tag) mod tests;

/// The length of a sector in bytes. A sector is a number below 2^248, and so below the group order.
const SECTOR: usize = 31;
/// [`SECTOR`] as a `u64`.
const SECTOR_LENGTH: u64 = 31;
/// The maximum length of a block in bytes.
const MAX_LENGTH: u64 = 1 << 16;
/// The number of sectors of the longest block.
const MAX_SECTORS: usize = 2115;
/// The domain separation tag of the hash to the curve.
const HASH_TAG: &[u8] = b"FLEXLIST-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";
/// The number of tags that a prover buffers before it adds them to `sigma` in one sum.
const PENDING: usize = 256;

/// The publicly verifiable tag scheme. The committed part of a tag is the write id (16 bytes). The
/// part held by the server is `sigma` (48 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PublicBls;

/// The owner's secret: 32 bytes, from which the scalars `x` and `a_j` (the logarithms of the `u_j`)
/// are derived. Cheap to clone.
#[derive(Clone)]
pub(crate) struct BlsOwnerKey(Arc<Secrets>);

struct Secrets {
    master: Zeroizing<[u8; 32]>,
    secret: SecretScalar,
    logarithms: Zeroizing<Vec<Fr>>,
    public: OnceLock<BlsPublicKey>,
}

/// The public key of server and verifiers: the points `x g2` and `u_j` (one per sector). Cheap to
/// clone.
#[derive(Clone)]
pub(crate) struct BlsPublicKey(Arc<Points>);

struct Points {
    key: G2Affine,
    sectors: Vec<G1Affine>,
}

impl fmt::Debug for BlsOwnerKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BlsOwnerKey(..)")
    }
}

impl fmt::Debug for BlsPublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BlsPublicKey({})", self.0.key)
    }
}

impl BlsOwnerKey {
    /// Generates a key.
    pub(crate) fn generate() -> Result<Self, TagError> {
        let mut master = Zeroizing::new([0; 32]);
        getrandom::fill(master.as_mut_slice()).map_err(|_| TagError::RandomnessUnavailable)?;
        Ok(Self::from_master(&master))
    }

    fn from_master(master: &[u8; 32]) -> Self {
        let mut output = blake3::Hasher::new_derive_key("flexlist v1 public tags: x, then a_j")
            .update(master)
            .finalize_xof();
        let mut bytes = Zeroizing::new([0; 64]);
        let mut scalar = || {
            output.fill(bytes.as_mut_slice());
            Fr::from_le_bytes_mod_order(bytes.as_slice())
        };
        let secret = SecretScalar::new(Zeroizing::new(scalar()));
        // The capacity is reserved: a vector that grows would leave a copy behind.
        let mut logarithms = Zeroizing::new(Vec::with_capacity(MAX_SECTORS));
        logarithms.extend((0..MAX_SECTORS).map(|_| scalar()));
        Self(Arc::new(Secrets {
            master: Zeroizing::new(*master),
            secret,
            logarithms,
            public: OnceLock::new(),
        }))
    }

    /// Returns the public key, computed on first use.
    ///
    /// Cost of the first call: a multiplication of the generator, by precomputed tables, for each
    /// sector.
    fn public(&self) -> BlsPublicKey {
        if let Some(public) = self.0.public.get() {
            return public.clone();
        }
        // Computed outside of `get_or_init`. A pool thread that waits for parallel loops takes
        // other work, which may call this function again and would deadlock.
        let made = BlsPublicKey(Arc::new(Points {
            key: self.0.secret.times(&G2Affine::generator(), b""),
            sectors: generator::multiply_all(&self.0.logarithms, &Workers::all_cores()),
        }));
        self.0.public.get_or_init(|| made).clone()
    }
}

impl KeyBytes for BlsOwnerKey {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.0.master.to_vec())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let master = bytes.try_into().map_err(|_| DecodeError::LengthMismatch)?;
        Ok(Self::from_master(master))
    }
}

/// Encodes the points `x g2` (96 bytes), then the `u_j` (48 bytes each), in compressed form.
impl KeyBytes for BlsPublicKey {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = point::encode::<_, G2_BYTES>(&self.0.key).to_vec();
        for sector in &self.0.sectors {
            bytes.extend_from_slice(&point::encode::<_, G1_BYTES>(sector));
        }
        Zeroizing::new(bytes)
    }

    /// Decodes the points and checks them. Cost: a square root and a subgroup check for each point.
    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let mut reader = Fields::new(bytes);
        let key = reader.array::<G2_BYTES>()?;
        let sectors = reader.take(MAX_SECTORS.saturating_mul(G1_BYTES))?;
        reader.finish()?;
        let (sectors, _) = sectors.as_chunks::<G1_BYTES>();
        let sectors: Result<Vec<_>, _> = sectors.par_iter().map(point::decode).collect();
        Ok(Self(Arc::new(Points {
            key: point::decode(key)?,
            sectors: sectors?,
        })))
    }
}

/// A proof in progress: `sigma` and the sums `mu_j` of the blocks added so far.
pub(crate) struct BlsProver {
    sigma: G1Projective,
    pending: (Vec<G1Affine>, Vec<Fr>),
    sums: Vec<Fr>,
}

impl fmt::Debug for BlsProver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BlsProver({} sectors)", self.sums.len())
    }
}

impl BlsProver {
    fn flush(&mut self) {
        let (points, coefficients) = &mut self.pending;
        self.sigma += public::sum_in_pool(points, coefficients);
        points.clear();
        coefficients.clear();
    }
}

impl TagScheme for PublicBls {
    type OwnerKey = BlsOwnerKey;
    type ServerParameters = BlsPublicKey;
    type Prover = BlsProver;
    type VerifierKey = BlsPublicKey;

    const MAX_LENGTH: u64 = MAX_LENGTH;

    fn server_parameters(owner: &BlsOwnerKey) -> BlsPublicKey {
        owner.public()
    }

    fn verifier_key(owner: &BlsOwnerKey) -> BlsPublicKey {
        owner.public()
    }

    /// Computes the tag of a block. Cost: a hash to the curve, a multiplication of that hash, and a
    /// multiplication of the generator in two shares by precomputed tables.
    fn tag(owner: &BlsOwnerKey, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        let length = block_length::<Self>(block)?;
        let Secrets {
            secret, logarithms, ..
        } = &*owner.0;
        let pairs = logarithms.iter().zip(sectors(block));
        let exponent: Fr = pairs.map(|(logarithm, sector)| sector * logarithm).sum();
        let exponent = Zeroizing::new(exponent * secret.expose());
        let message = hashed_message(&write.0, length);
        let hash = hash::hash_to_g1(&message, HASH_TAG);
        let sigma = generator::multiply(secret, &exponent) + secret.times(&hash, &message);
        Ok(BlockTag {
            committed: write.0.to_vec().into(),
            held: point::encode::<_, G1_BYTES>(&sigma.into_affine())
                .to_vec()
                .into(),
        })
    }

    fn prover(_: &BlsPublicKey) -> BlsProver {
        BlsProver {
            sigma: G1Projective::zero(),
            pending: (Vec::with_capacity(PENDING), Vec::with_capacity(PENDING)),
            sums: Vec::new(),
        }
    }

    fn absorb(
        prover: &mut BlsProver,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        require_block::<Self>(challenged, block)?;
        let sigma = held(tag)?;
        let coefficient = coefficient(challenged);
        let count = block.len().div_ceil(SECTOR);
        if prover.sums.len() < count {
            prover.sums.resize(count, Fr::zero());
        }
        for (sum, sector) in prover.sums.iter_mut().zip(sectors(block)) {
            *sum += sector * coefficient;
        }
        prover.pending.0.push(sigma);
        prover.pending.1.push(coefficient);
        if prover.pending.0.len() >= PENDING {
            prover.flush();
        }
        Ok(())
    }

    /// Encodes `sigma` (48 bytes, compressed), then the sums `mu_j` (32 bytes each, big-endian).
    fn finish(mut prover: BlsProver) -> Vec<u8> {
        if prover.sums.is_empty() {
            return Vec::new();
        }
        prover.flush();
        let mut proof = point::encode::<_, G1_BYTES>(&prover.sigma.into_affine()).to_vec();
        for sum in prover.sums {
            proof.extend_from_slice(&scalar::encode(&sum));
        }
        proof
    }

    /// Verifies a proof. Cost: a hash to the curve for each block, two multi-scalar
    /// multiplications, and two pairings.
    fn verify(
        key: &BlsPublicKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        let mut writes = Vec::with_capacity(blocks.len());
        let mut coefficients = Vec::with_capacity(blocks.len());
        let mut longest = 0;
        for block in blocks {
            let Challenged { start, length, .. } = *block.challenged;
            require_challenged::<Self>(block.challenged)?;
            let write: Result<&[u8; 16], _> = block.committed.try_into();
            writes.push((
                write.map_err(|_| AuditError::MalformedTag { start })?,
                length,
            ));
            coefficients.push(coefficient(block.challenged));
            longest = longest.max(length);
        }
        let Some((sigma, sums)) = split(proof, longest)? else {
            return Ok(());
        };
        let sigma = point::decode(sigma).map_err(|error| match error {
            DecodeError::PointIsIdentity => AuditError::PointIsIdentity,
            DecodeError::PointOutsideSubgroup => AuditError::PointOutsideSubgroup,
            _ => AuditError::PointInvalid,
        })?;
        let sums: Result<Vec<Fr>, _> = sums.iter().map(scalar::decode).collect();
        let sums = sums.map_err(|_| AuditError::ScalarOutOfRange)?;

        let hashes = writes
            .par_iter()
            .map(|(write, length)| hash::map(&hashed_message(write, *length), HASH_TAG));
        let hashes = G1Projective::normalize_batch(&hashes.collect::<Vec<_>>());
        // The hashes are not in the subgroup yet, so coefficients must not be reduced modulo the
        // group order. They are far below it.
        let hashes = public::sum_in_pool(&hashes, &coefficients);
        let hashes = hashes.into_affine().clear_cofactor();
        let points = key.0.sectors.get(..sums.len()).unwrap_or(&key.0.sectors);
        let total = public::sum_in_pool(points, &sums) + hashes;
        let left = [sigma, (-total).into_affine()];
        let right = [G2Affine::generator(), key.0.key];
        if pairing::pairs_to_one(left, right) {
            Ok(())
        } else {
            Err(AuditError::EquationFails)
        }
    }

    fn check_tags(parameters: &BlsPublicKey, blocks: &[StoredBlock<'_>]) -> Result<(), TagError> {
        // Components outside the subgroup would pass the batch check too often.
        let strict = |block: &StoredBlock<'_>| {
            let sigma = block.tag.held.as_ref().try_into().ok();
            sigma.is_some_and(|sigma| {
                point::decode::<ark_bls12_381::g1::Config, G1_BYTES>(sigma).is_ok()
            })
        };
        if !blocks.par_iter().all(strict) {
            return Err(TagError::TagMalformed);
        }
        check_at_random::<Self>(parameters, parameters, blocks)
    }
}

/// The encoded parts of a proof: the point `sigma`, and the sums `mu_j`.
type ProofParts<'a> = (&'a [u8; G1_BYTES], &'a [[u8; SCALAR_BYTES]]);

/// Splits a proof into the point and the sums. `longest` is the length in bytes of the longest
/// challenged block. Returns `None` for an empty proof of no blocks.
fn split(proof: &[u8], longest: u64) -> Result<Option<ProofParts<'_>>, AuditError> {
    if longest == 0 && proof.is_empty() {
        return Ok(None);
    }
    let count = usize::try_from(longest.div_ceil(SECTOR_LENGTH)).ok();
    let (sigma, sums) = proof
        .split_first_chunk::<G1_BYTES>()
        .ok_or(AuditError::MalformedTagProof)?;
    match sums.as_chunks::<SCALAR_BYTES>() {
        (sums, []) if longest > 0 && Some(sums.len()) == count => Ok(Some((sigma, sums))),
        _ => Err(AuditError::MalformedTagProof),
    }
}

/// Decodes the held part of a tag, `sigma`: a point of the curve, not necessarily of the subgroup.
fn held(tag: &BlockTag) -> Result<G1Affine, TagError> {
    let sigma: Option<&[u8; G1_BYTES]> = tag.held.as_ref().try_into().ok();
    match sigma.map(point::decode_on_curve) {
        Some(Ok(sigma)) if tag.committed.as_ref().len() == 16 => Ok(sigma),
        _ => Err(TagError::TagMalformed),
    }
}

/// Returns the coefficient of a block: the sum of its hits' coefficients. It is below the group
/// order for fewer than 2^126 hits.
fn coefficient(challenged: &Challenged) -> Fr {
    let hits = challenged.hits.iter();
    hits.map(|hit| Fr::from(hit.coefficient)).sum()
}

/// Iterates over the sectors of a block, as elements of the scalar field.
fn sectors(block: &[u8]) -> impl Iterator<Item = Fr> {
    block.chunks(SECTOR).map(|sector| {
        let bytes: [u8; SCALAR_BYTES] = padded(sector);
        let mut limbs = [0; 4];
        for (limb, bytes) in limbs.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *limb = u64::from_le_bytes(*bytes);
        }
        Fr::from_bigint(BigInt::new(limbs)).unwrap_or_default()
    })
}
