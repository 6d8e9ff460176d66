//! Homomorphic tags by powers modulo `N`: the scheme of DPDP and FlexDPDP.
//!
//! `N = p q` with safe primes, `g` a square. For a block of `L` bytes:
//!
//! ```text
//! m      = the number of the bytes 0x01 || block, big-endian: 2^(8 L) <= m < 2^(8 L + 1)
//! tag    = g^m mod N                                          committed, as wide as N
//! M      = sum of a_i m_i, over the integers                  the proof
//! check    sum of a_i 2^(8 L_i) <= M <= sum of a_i (2^(8 L_i + 1) - 1)
//!          product of tag_i^(a_i) = g^M mod N
//! ```
//!
//! The leading byte makes the number depend on the length. The range check bounds the work before
//! `g^M` is computed. Two blocks with one tag, or a wrong `M` that passes, give a multiple of the
//! order of `g` and so the factors. **The owner knows the factors and can create two blocks with
//! one tag.** A verifier other than the owner must trust the owner not to do so, or use other tags.
//! Not post-quantum.
//!
//! Deviation: the check compares the squares of both sides. An owner could otherwise change the
//! sign of tags, or multiply them with other elements of order 2. The factors reveal these
//! elements. The server's batch check would then pass by chance, and audits would fail later.
//! Nothing changes for the verifier: a sum that passes only with squares still gives a multiple of
//! the order.
//!
//! Deviation: `M` is encoded in the width of its bound, so that a proof has one encoding.
//!
//! Source: Erway, Küpçü, Papamanthou & Tamassia 2009, section 4; Esiner et al. 2013, section 2.

use core::{fmt, ops::ControlFlow};
use std::sync::Arc;

use pad_core::{DecodeError, Workers, codec::Fields};
use rsa_group::{
    Factors, FaultDetected, KeySize, ModularGroup as _, PrimePair, Progress, ResidueGroup,
    SecretInteger,
    exponentiation::multi_power,
    modulus::{self, read, write_fixed},
    safe_primes,
};
use rug::{Complete, Integer, integer::Order};
use zeroize::Zeroizing;

use super::{
    BlockTag, Challenged, TagError, WriteId,
    scheme::{
        KeyBytes, OpenedBlock, StoredBlock, TagScheme, block_length, check_at_random,
        require_block, require_challenged,
    },
};
use crate::error::AuditError;

#[cfg(test)]
pub(in crate::tag) mod tests;

/// The RSA tag scheme with a modulus of `BITS` bits: 2048 for about 112 bits of security, 3072 for
/// about 128. The committed part of a tag is the whole tag (`BITS / 8` bytes). The part held by the
/// server is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RsaTags<const BITS: u32>;

/// The public key of server and verifiers: the modulus `N` and the base `g`. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct RsaPublicKey<const BITS: u32>(Arc<Group>);

#[derive(Debug)]
struct Group {
    residues: ResidueGroup,
    base: Integer,
}

impl Group {
    fn new(modulus: Integer, base: Integer) -> Self {
        let residues = ResidueGroup::new(modulus);
        Self { residues, base }
    }

    fn modulus(&self) -> &Integer {
        self.residues.modulus()
    }
}

/// The owner's key: the secret factors of `N`, and the public key. Cheap to clone.
#[derive(Clone)]
pub(crate) struct RsaOwnerKey<const BITS: u32> {
    factors: Arc<Factors>,
    public: RsaPublicKey<BITS>,
}

/// Prints the public key only.
impl<const BITS: u32> fmt::Debug for RsaOwnerKey<BITS> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RsaOwnerKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl<const BITS: u32> RsaOwnerKey<BITS> {
    /// Generates a key with a modulus of this `size`, which has `BITS` bits.
    ///
    /// Cost: some seconds for 2048 bits, up to minutes for 3072. The time varies a lot.
    pub(crate) fn generate(size: KeySize, workers: &Workers) -> Result<Self, TagError> {
        let mut progress = |_: Progress| ControlFlow::Continue(());
        let (p, q) = safe_primes::pair(size, workers, &mut progress)?;
        // 128 bits more than the modulus, so that the root is close to uniform.
        let mut root = Zeroizing::new(vec![0; width::<BITS>() + 16]);
        getrandom::fill(&mut root).map_err(|_| TagError::RandomnessUnavailable)?;
        Self::from_primes(p, q, &Integer::from_digits(&root, Order::Msf))
    }

    /// Creates the key with the safe primes `p` and `q`, and `g = root^2 mod N`.
    pub(crate) fn from_primes(p: Integer, q: Integer, root: &Integer) -> Result<Self, TagError> {
        let modulus = (&p * &q).complete();
        if modulus <= 0 {
            return Err(TagError::UnsuitablePrimes);
        }
        let base = root.square_ref().complete() % &modulus;
        Self::from_parts([p, q], base)
    }

    fn from_parts(primes: [Integer; 2], base: Integer) -> Result<Self, TagError> {
        let primes = PrimePair::new(primes, BITS)?;
        let modulus = primes.modulus();
        let factors = Factors::new(primes, &base)?;
        if base >= modulus {
            return Err(TagError::UnsuitableBase);
        }
        Ok(Self {
            factors: Arc::new(factors),
            public: RsaPublicKey(Arc::new(Group::new(modulus, base))),
        })
    }

    fn power(&self, exponent: Integer) -> Result<Integer, FaultDetected> {
        let Group { residues, base } = &*self.public.0;
        let exponent = SecretInteger::new(exponent);
        self.factors.power(residues, base, exponent)
    }
}

/// Encodes the factors `p` and `q < p`, each half as wide as `N`, then the base `g`, as wide as
/// `N`; all big-endian.
impl<const BITS: u32> KeyBytes for RsaOwnerKey<BITS> {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let width = width::<BITS>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 * width));
        for prime in self.factors.primes() {
            write_fixed(prime, width.div_ceil(2), &mut bytes);
        }
        write_fixed(&self.public.0.base, width, &mut bytes);
        bytes
    }

    /// Decodes and checks a key. Cost: primality tests of both factors.
    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let width = width::<BITS>();
        let mut reader = Fields::new(bytes);
        let larger = reader.take(width.div_ceil(2))?;
        let smaller = reader.take(width.div_ceil(2))?;
        let base = reader.take(width)?;
        reader.finish()?;
        if smaller >= larger {
            return Err(DecodeError::NonCanonical.into());
        }
        Self::from_parts([larger, smaller].map(read), read(base))
    }
}

/// Encodes the modulus `N`, then the base `g`, equally wide; both big-endian.
impl<const BITS: u32> KeyBytes for RsaPublicKey<BITS> {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let width = width::<BITS>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 * width));
        write_fixed(self.0.modulus(), width, &mut bytes);
        write_fixed(&self.0.base, width, &mut bytes);
        bytes
    }

    /// Decodes a public key. Cannot check that `N` is a product of two safe primes and `g` a
    /// square.
    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let width = width::<BITS>();
        let mut reader = Fields::new(bytes);
        let modulus = read(reader.take(width)?);
        let base = read(reader.take(width)?);
        reader.finish()?;
        modulus::require_usable(&modulus, BITS..=BITS)?;
        let usable = base > 1
            && base < (&modulus - 1_u32).complete()
            && base.gcd_ref(&modulus).complete() == 1;
        if usable {
            Ok(Self(Arc::new(Group::new(modulus, base))))
        } else {
            Err(DecodeError::ParametersInvalid.into())
        }
    }
}

/// A proof in progress: the weighted sum of the blocks added so far, and its bound.
#[derive(Debug, Default)]
pub(crate) struct RsaProver {
    /// The sum `M` of the blocks' numbers, weighted by their coefficients.
    sum: Integer,
    /// The maximum of `M` for blocks of these lengths with these coefficients.
    bound: Integer,
}

impl<const BITS: u32> TagScheme for RsaTags<BITS> {
    type OwnerKey = RsaOwnerKey<BITS>;
    type ServerParameters = RsaPublicKey<BITS>;
    type Prover = RsaProver;
    type VerifierKey = RsaPublicKey<BITS>;

    /// The maximum block length: 1 MiB. To verify, a party other than the owner raises `g` to a
    /// number slightly longer than the longest challenged block.
    const MAX_LENGTH: u64 = 1 << 20;

    fn server_parameters(owner: &Self::OwnerKey) -> RsaPublicKey<BITS> {
        owner.public.clone()
    }

    fn verifier_key(owner: &Self::OwnerKey) -> RsaPublicKey<BITS> {
        owner.public.clone()
    }

    /// Computes the tag of a block. Cost: two modular powers with exponents of half the modulus'
    /// length, by precomputed tables.
    fn tag(owner: &Self::OwnerKey, _: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        block_length::<Self>(block)?;
        let tag = owner.power(number(block))?;
        let mut committed = Vec::with_capacity(width::<BITS>());
        write_fixed(&tag, width::<BITS>(), &mut committed);
        Ok(BlockTag {
            committed: committed.into(),
            held: Vec::new().into(),
        })
    }

    fn prover(_: &RsaPublicKey<BITS>) -> RsaProver {
        RsaProver::default()
    }

    fn absorb(
        prover: &mut RsaProver,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        require_block::<Self>(challenged, block)?;
        if tag.committed.as_ref().len() != width::<BITS>() || !tag.held.as_ref().is_empty() {
            return Err(TagError::TagMalformed);
        }
        let coefficient = coefficient(challenged);
        let [_, most] = range(&coefficient, challenged.length);
        prover.bound += most;
        prover.sum += number(block) * coefficient;
        Ok(())
    }

    /// Encodes the sum `M`, big-endian, as wide as its bound.
    fn finish(prover: RsaProver) -> Vec<u8> {
        let mut proof = Vec::new();
        let width = prover.bound.significant_digits::<u8>();
        write_fixed(&prover.sum, width, &mut proof);
        proof
    }

    /// Verifies a proof. Cost: a product of powers of tags, plus one squaring per bit of the
    /// longest block and coefficient.
    fn verify(
        key: &RsaPublicKey<BITS>,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        let Group { residues, base } = &*key.0;
        verify::<BITS>(
            residues,
            blocks,
            proof,
            |sum| Ok(residues.power(base, &sum)),
        )
    }

    /// Verifies a proof with the factors. Cost: a product of powers of tags, plus two powers of
    /// half the modulus' length by precomputed tables.
    fn verify_as_owner(
        owner: &Self::OwnerKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        verify::<BITS>(&owner.public.0.residues, blocks, proof, |sum| {
            owner.power(sum).map_err(|_| AuditError::InvalidKey)
        })
    }

    fn check_tags(
        parameters: &RsaPublicKey<BITS>,
        blocks: &[StoredBlock<'_>],
    ) -> Result<(), TagError> {
        check_at_random::<Self>(parameters, parameters, blocks)
    }
}

/// Verifies a proof. `power` raises the base `g` to an exponent, modulo `N`.
fn verify<const BITS: u32>(
    group: &ResidueGroup,
    blocks: &[OpenedBlock<'_>],
    proof: &[u8],
    power: impl FnOnce(Integer) -> Result<Integer, AuditError>,
) -> Result<(), AuditError> {
    let mut tags = Vec::with_capacity(blocks.len());
    let mut coefficients = Vec::with_capacity(blocks.len());
    let [mut least, mut most] = [Integer::new(), Integer::new()];
    for block in blocks {
        let Challenged { start, length, .. } = *block.challenged;
        require_challenged::<RsaTags<BITS>>(block.challenged)?;
        if block.committed.len() != width::<BITS>() {
            return Err(AuditError::MalformedTag { start });
        }
        let tag = read(block.committed);
        if tag >= *group.modulus() {
            return Err(AuditError::TagOutOfRange { start });
        }
        let coefficient = coefficient(block.challenged);
        let [low, high] = range(&coefficient, length);
        least += low;
        most += high;
        tags.push(tag);
        coefficients.push(coefficient);
    }
    if proof.len() != most.significant_digits::<u8>() {
        return Err(AuditError::MalformedTagProof);
    }
    let sum = read(proof);
    if sum < least || sum > most {
        return Err(AuditError::SumOutOfRange);
    }
    let product = multi_power(group, &tags, &coefficients);
    if group.square(&product) == group.square(&power(sum)?) {
        Ok(())
    } else {
        Err(AuditError::EquationFails)
    }
}

/// Converts a block into its number `m`: the bytes 0x01, then the block, big-endian.
fn number(block: &[u8]) -> Integer {
    let mut number = Integer::from_digits(block, Order::Msf);
    let bits = u32::try_from(block.len()).unwrap_or(u32::MAX);
    number.set_bit(bits.saturating_mul(8), true);
    number
}

/// Returns the least and the greatest value of `coefficient * m`, where `m` is the number of a
/// block of this `length`. The caller must have checked the length.
fn range(coefficient: &Integer, length: u64) -> [Integer; 2] {
    let bits = u32::try_from(length.saturating_mul(8)).unwrap_or(u32::MAX);
    let least = (coefficient << bits).complete();
    let most = (&least << 1_u32).complete() - coefficient;
    [least, most]
}

/// Returns the coefficient of a block: the sum of its hits' coefficients.
fn coefficient(challenged: &Challenged) -> Integer {
    let hits = challenged.hits.iter();
    hits.map(|hit| Integer::from(hit.coefficient)).sum()
}

/// The width of the modulus in bytes.
const fn width<const BITS: u32>() -> usize {
    #[expect(
        clippy::as_conversions,
        reason = "a constant of some thousands; TryFrom is not const"
    )]
    {
        BITS.div_ceil(8) as usize
    }
}
