//! Secretly keyed homomorphic tags of 16 bytes: the private scheme of Shacham and Waters.
//!
//! Over the field of `p = 2^127 - 1`, with sectors `m_1 .. m_s` of 15 bytes (little-endian, the
//! last one padded with zeros). `w` is the write id and `n` the length of the block:
//!
//! ```text
//! sigma   = F(w, n) + sum of alpha_j m_j                 the tag, held by the server
//! mu_j    = sum of a_i m_ij,   sigma = sum of a_i sigma_i the proof: sigma, then mu_1, mu_2, ..
//! check     sigma = sum of a_i F(w_i, n_i) + sum of alpha_j mu_j
//! ```
//!
//! `F` and the `alpha_j` are derived by keyed BLAKE3. The list commits to the write id and the
//! length of each block. `F` depends on both, so zeros at the end of a block cannot be mistaken for
//! a longer block.
//!
//! A block without sector `j` counts as zero in `mu_j`. The verifier knows the lengths, and so the
//! expected number of sums. The values of `F` hide the `alpha_j` as long as no two blocks have the
//! same write id and length. Then every `mu` other than the true one passes with probability 1/p,
//! whatever the lengths. Enough true sums for random coefficients determine the blocks, so a server
//! that can answer has them.
//!
//! A verifier can forge tags, since it holds the owner's key.
//!
//! Deviation: the paper computes `F` from the index of the block in the file. Here the write id
//! replaces the index, because indices shift with edits.
//!
//! Source: Shacham & Waters 2013, "Compact proofs of retrievability", section 3.2.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{sync::Arc, vec::Vec};
use core::fmt;

use pad_core::DecodeError;
use zeroize::Zeroizing;

use super::{
    BlockTag, Challenged, TagError, WriteId,
    scheme::{
        KeyBytes, MAX_BLOCK_LENGTH, OpenedBlock, StoredBlock, TagScheme, block_length,
        hashed_message, padded, require_block, require_challenged,
    },
};
use crate::error::AuditError;

mod field;
mod multipliers;
#[cfg(test)]
mod tests;

use field::{Element, SECTOR, dot};
use multipliers::Multipliers;

/// The length of a sector in bytes.
const SECTOR_LENGTH: u64 = 15;
/// The length of a field element in bytes.
const ELEMENT_LENGTH: usize = 16;

/// The tag scheme with a secret key. The committed part of a tag is the write id (16 bytes). The
/// part held by the server is `sigma` (16 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrivateMac;

/// The secret key, which owner and verifier share: 32 bytes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct PrivateMacKey(Arc<Keys>);

struct Keys {
    master: Zeroizing<[u8; 32]>,
    mask: Zeroizing<[u8; 32]>,
    multipliers: Multipliers,
}

impl fmt::Debug for PrivateMacKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PrivateMacKey(..)")
    }
}

impl PrivateMacKey {
    /// Generates a key.
    #[cfg(feature = "std")]
    pub(crate) fn generate() -> Result<Self, TagError> {
        let mut master = Zeroizing::new([0; 32]);
        getrandom::fill(master.as_mut_slice()).map_err(|_| TagError::RandomnessUnavailable)?;
        Ok(Self::from_master(&master))
    }

    fn from_master(master: &[u8; 32]) -> Self {
        let derive = |context| Zeroizing::new(blake3::derive_key(context, master));
        Self(Arc::new(Keys {
            master: Zeroizing::new(*master),
            mask: derive("flexlist v1 private tags: masks of writes"),
            multipliers: Multipliers::new(derive(
                "flexlist v1 private tags: multipliers of sectors",
            )),
        }))
    }

    /// Computes `F(w, n)`, the secret mask in a tag, for the write id `w` and the block's length
    /// `n`.
    fn mask(&self, write: &[u8; 16], length: u64) -> Element {
        let output = blake3::keyed_hash(&self.0.mask, &hashed_message(write, length));
        Element::from_random(output.as_bytes())
    }

    fn sigma(&self, write: &[u8; 16], block: &[u8], length: u64) -> Element {
        let (mut sectors, rest) = block.as_chunks::<SECTOR>();
        let mut sigma = self.mask(write, length);
        let mut stretches = self.0.multipliers.stretches();
        // The multiplier of the rest is the first one that no whole sector uses.
        for stretch in &mut stretches {
            let (now, later) = sectors
                .split_at_checked(stretch.len())
                .unwrap_or((sectors, &[]));
            sigma = sigma.add(dot(stretch, now));
            if let Some(multiplier) = stretch.get(now.len()) {
                if !rest.is_empty() {
                    sigma = sigma.add(dot(core::slice::from_ref(multiplier), &[padded(rest)]));
                }
                break;
            }
            sectors = later;
            if sectors.is_empty() && rest.is_empty() {
                break;
            }
        }
        sigma
    }
}

impl KeyBytes for PrivateMacKey {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.0.master.to_vec())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        let master = bytes.try_into().map_err(|_| DecodeError::LengthMismatch)?;
        Ok(Self::from_master(master))
    }
}

/// A proof in progress: `sigma` and the sums `mu_j` of the blocks added so far.
#[derive(Debug, Default)]
pub(crate) struct PrivateMacProver {
    sigma: Element,
    sums: Vec<Element>,
}

impl TagScheme for PrivateMac {
    type OwnerKey = PrivateMacKey;
    type ServerParameters = ();
    type Prover = PrivateMacProver;
    type VerifierKey = PrivateMacKey;

    const MAX_LENGTH: u64 = MAX_BLOCK_LENGTH;

    fn server_parameters(_: &PrivateMacKey) {}

    fn verifier_key(owner: &PrivateMacKey) -> PrivateMacKey {
        owner.clone()
    }

    fn tag(owner: &PrivateMacKey, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        let length = block_length::<Self>(block)?;
        Ok(BlockTag {
            committed: write.0.to_vec().into(),
            held: owner
                .sigma(&write.0, block, length)
                .to_bytes()
                .to_vec()
                .into(),
        })
    }

    fn prover((): &()) -> PrivateMacProver {
        PrivateMacProver::default()
    }

    fn absorb(
        prover: &mut PrivateMacProver,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        require_block::<Self>(challenged, block)?;
        let sigma = held(tag)?;
        let coefficient = coefficient(challenged);
        let (sectors, rest) = block.as_chunks::<SECTOR>();
        let last = (!rest.is_empty()).then(|| padded(rest));
        let count = block.len().div_ceil(SECTOR);
        if prover.sums.len() < count {
            prover.sums.resize(count, Element::default());
        }
        for (sum, sector) in prover.sums.iter_mut().zip(sectors.iter().chain(&last)) {
            *sum = sum.add(coefficient.multiply(Element::from_sector(sector)));
        }
        prover.sigma = prover.sigma.add(coefficient.multiply(sigma));
        Ok(())
    }

    /// Encodes `sigma`, then the sums `mu_j`, in 16 bytes little-endian each.
    fn finish(prover: PrivateMacProver) -> Vec<u8> {
        if prover.sums.is_empty() {
            return Vec::new();
        }
        let elements = core::iter::once(prover.sigma).chain(prover.sums);
        elements.flat_map(Element::to_bytes).collect()
    }

    fn verify(
        key: &PrivateMacKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        let mut masks = Element::default();
        let mut longest = 0;
        for block in blocks {
            let Challenged { start, length, .. } = *block.challenged;
            require_challenged::<Self>(block.challenged)?;
            let write = block.committed.try_into();
            let write = write.map_err(|_| AuditError::MalformedTag { start })?;
            longest = longest.max(length);
            masks = masks.add(coefficient(block.challenged).multiply(key.mask(write, length)));
        }
        let (elements, rest) = proof.as_chunks::<ELEMENT_LENGTH>();
        let sectors = usize::try_from(longest.div_ceil(SECTOR_LENGTH)).ok();
        let Some((sigma, sums)) = elements.split_first() else {
            return match (blocks, rest) {
                ([], []) => Ok(()),
                _ => Err(AuditError::MalformedTagProof),
            };
        };
        if blocks.is_empty() || !rest.is_empty() || sectors != Some(sums.len()) {
            return Err(AuditError::MalformedTagProof);
        }
        let decode = |bytes: &[u8; ELEMENT_LENGTH]| {
            Element::from_bytes(*bytes).ok_or(AuditError::ScalarOutOfRange)
        };
        let sigma = decode(sigma)?;
        let multipliers = key.0.multipliers.stretches().flatten();
        let mut expected = masks;
        for (sum, multiplier) in sums.iter().zip(multipliers) {
            expected = expected.add(decode(sum)?.multiply(Element::from_multiplier(*multiplier)));
        }
        if expected == sigma {
            Ok(())
        } else {
            Err(AuditError::EquationFails)
        }
    }

    /// Checks only the form of tags and the lengths of blocks: `sigma` cannot be verified without
    /// the key.
    fn check_tags((): &(), blocks: &[StoredBlock<'_>]) -> Result<(), TagError> {
        for block in blocks {
            block_length::<Self>(block.data)?;
            held(block.tag)?;
        }
        Ok(())
    }
}

/// Decodes the held part of a tag, `sigma`. Fails if either part of the tag is malformed.
fn held(tag: &BlockTag) -> Result<Element, TagError> {
    let sigma = tag.held.as_ref().try_into().ok();
    match sigma.and_then(Element::from_bytes) {
        Some(sigma) if tag.committed.as_ref().len() == 16 => Ok(sigma),
        _ => Err(TagError::TagMalformed),
    }
}

/// Returns the coefficient of a block: the sum of its hits' coefficients modulo `p`.
fn coefficient(challenged: &Challenged) -> Element {
    let coefficients = challenged.hits.iter().map(|hit| hit.coefficient);
    coefficients.fold(Element::default(), |sum, coefficient| {
        sum.add(Element::reduce(coefficient))
    })
}
