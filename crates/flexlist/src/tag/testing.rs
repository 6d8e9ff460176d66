//! Conformance tests for every tag scheme, and generators of test blocks.

use core::fmt;

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::{
    BlockTag, Challenged, Hit, TagError, WriteId,
    scheme::{KeyBytes, OpenedBlock, StoredBlock, TagScheme},
};
use crate::error::AuditError;

/// Returns `length` pseudorandom bytes, determined by `number`.
pub(super) fn bytes(number: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&number.to_be_bytes());
    hasher.finalize_xof().fill(&mut bytes);
    bytes
}

pub(super) fn write(number: u64) -> WriteId {
    WriteId(bytes(number ^ 0xffff_0000, 16).try_into().unwrap())
}

/// Blocks with their tags, created by an honest owner, and a challenge for each block.
#[derive(Clone)]
pub(super) struct Audit {
    pub(super) blocks: Vec<Vec<u8>>,
    pub(super) tags: Vec<BlockTag>,
    pub(super) challenged: Vec<Challenged>,
}

impl Audit {
    /// Creates blocks from pairs of a block length and the offsets of the block's hits.
    pub(super) fn new<S: TagScheme>(owner: &S::OwnerKey, blocks: &[(usize, &[u64])]) -> Self {
        let mut audit = Self {
            blocks: Vec::new(),
            tags: Vec::new(),
            challenged: Vec::new(),
        };
        let mut start = 0;
        for (number, (length, offsets)) in (0..).zip(blocks) {
            let block = bytes(number, *length);
            let coefficient = |index: &u64| {
                let random = bytes(start * 1000 + index, 16);
                // With the highest bit, two coefficients of a block exceed 128 bits.
                u128::from_be_bytes(random.try_into().unwrap()) | 1 << 127
            };
            let hits = offsets.iter().zip(0..).map(|(offset, index)| Hit {
                offset: *offset,
                coefficient: coefficient(&index),
            });
            let length = u64::try_from(*length).unwrap();
            audit.challenged.push(Challenged {
                start,
                length,
                hits: hits.collect(),
            });
            audit
                .tags
                .push(S::tag(owner, write(number), &block).unwrap());
            audit.blocks.push(block);
            start += length;
        }
        audit
    }

    /// Creates blocks with hits at the edges of sectors and chunks.
    pub(super) fn typical<S: TagScheme>(owner: &S::OwnerKey) -> Self {
        Self::new::<S>(
            owner,
            &[
                (1, &[0]),
                (2048, &[2047, 0, 300]),
                (30, &[29]),
                (31, &[3, 3]),
                (256, &[255]),
                (257, &[256]),
                (1500, &[100, 1400]),
            ],
        )
    }

    pub(super) fn stored(&self) -> Vec<StoredBlock<'_>> {
        let pairs = self.tags.iter().zip(&self.blocks);
        pairs.map(|(tag, data)| StoredBlock { tag, data }).collect()
    }

    pub(super) fn prove<S: TagScheme>(&self, owner: &S::OwnerKey) -> Result<Vec<u8>, TagError> {
        let mut prover = S::prover(&S::server_parameters(owner));
        for ((challenged, tag), block) in self.challenged.iter().zip(&self.tags).zip(&self.blocks) {
            S::absorb(&mut prover, challenged, tag, block)?;
        }
        Ok(S::finish(prover))
    }

    /// Verifies `proof` with the owner's key, and asserts that the verifier's key gives the same
    /// result.
    pub(super) fn verify<S: TagScheme>(
        &self,
        owner: &S::OwnerKey,
        proof: &[u8],
    ) -> Result<(), AuditError> {
        let pairs = self.challenged.iter().zip(&self.tags);
        let opened: Vec<OpenedBlock<'_>> = pairs
            .map(|(challenged, tag)| OpenedBlock {
                challenged,
                committed: tag.committed.as_ref(),
            })
            .collect();
        let verdict = S::verify_as_owner(owner, &opened, proof);
        assert_eq!(S::verify(&S::verifier_key(owner), &opened, proof), verdict);
        verdict
    }

    /// Creates a proof of these blocks with their tags, and verifies it.
    pub(super) fn audit<S: TagScheme>(&self, owner: &S::OwnerKey) -> Result<(), AuditError> {
        self.verify::<S>(owner, &self.prove::<S>(owner).unwrap())
    }
}

/// Checks that honest proofs verify for any lengths and hits, and that proofs of no block are
/// empty.
pub(super) fn check_honest<S: TagScheme>(owner: &S::OwnerKey, cases: u32) {
    let blocks = prop::collection::vec(
        (
            1..3000_usize,
            prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        ),
        0..6,
    );
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::with_cases(cases), rng);
    runner
        .run(&blocks, |blocks| {
            let offsets: Vec<(usize, Vec<u64>)> = blocks
                .iter()
                .map(|(length, hits)| {
                    let offset = |hit: &prop::sample::Index| u64::try_from(hit.index(*length));
                    (
                        *length,
                        hits.iter().map(|hit| offset(hit).unwrap()).collect(),
                    )
                })
                .collect();
            let blocks: Vec<(usize, &[u64])> = offsets
                .iter()
                .map(|(length, hits)| (*length, hits.as_slice()))
                .collect();
            let audit = Audit::new::<S>(owner, &blocks);
            let proof = audit.prove::<S>(owner).unwrap();
            prop_assert_eq!(audit.verify::<S>(owner, &proof), Ok(()));
            prop_assert_eq!(proof.is_empty(), blocks.is_empty());
            let parameters = S::server_parameters(owner);
            prop_assert_eq!(S::check_tags(&parameters, &audit.stored()), Ok(()));
            Ok(())
        })
        .unwrap();
}

/// Checks that changed proofs and changed committed parts of tags are rejected, as are wrong
/// lengths of either. Changes about `steps` bytes of a proof.
pub(super) fn check_mutations<S: TagScheme>(owner: &S::OwnerKey, steps: usize) {
    let honest = Audit::typical::<S>(owner);
    let proof = honest.prove::<S>(owner).unwrap();
    assert_eq!(honest.verify::<S>(owner, &proof), Ok(()));
    for position in (0..proof.len()).step_by(proof.len().div_ceil(steps)) {
        let mut changed = proof.clone();
        changed[position] ^= 0x10;
        let verdict = honest.verify::<S>(owner, &changed);
        assert!(verdict.is_err(), "byte {position} of the proof");
    }
    let longer = [proof.as_slice(), &[0]].concat();
    let doubled = [proof.as_slice(), &proof].concat();
    for wrong in [
        &proof[..proof.len() - 1],
        // Fewer or more whole elements.
        &proof[..proof.len() - 32],
        &[proof.as_slice(), &[0; 16]].concat(),
        &[proof.as_slice(), &[0; 32]].concat(),
        &proof[1..],
        &[],
        &longer,
        &doubled,
    ] {
        let verdict = honest.verify::<S>(owner, wrong);
        assert_eq!(verdict, Err(AuditError::MalformedTagProof));
    }
    for index in 0..honest.tags.len() {
        let start = honest.challenged[index].start;
        let length = honest.tags[index].committed.0.len();
        for wrong in [length - 1, length + 1, 0] {
            let mut changed = honest.clone();
            changed.tags[index].committed.0.resize(wrong, 0);
            let verdict = changed.verify::<S>(owner, &proof);
            assert_eq!(verdict, Err(AuditError::MalformedTag { start }));
        }
        let mut changed = honest.clone();
        changed.tags[index].committed.0[length - 1] ^= 1;
        assert!(changed.verify::<S>(owner, &proof).is_err(), "tag {index}");
    }
    for (length, hit) in [(0, 0), (S::MAX_LENGTH + 1, 0)] {
        let mut changed = honest.clone();
        changed.challenged[1].length = length;
        changed.challenged[1].hits[0].offset = hit;
        let verdict = changed.verify::<S>(owner, &proof);
        assert_eq!(verdict, Err(AuditError::LengthUnsupported { start: 1 }));
    }
    let mut changed = honest;
    changed.challenged[1].hits[0].offset = 2048;
    let verdict = changed.verify::<S>(owner, &proof);
    assert_eq!(verdict, Err(AuditError::HitOutsideBlock { start: 1 }));
    let none = Audit::new::<S>(owner, &[]);
    let verdict = none.verify::<S>(owner, &[0]);
    assert_eq!(verdict, Err(AuditError::MalformedTagProof));
}

/// Checks, for an algebraic scheme, that proofs fail the equation if a block does not match its
/// tag.
pub(super) fn check_wrong_data<S: TagScheme>(owner: &S::OwnerKey) {
    let honest = Audit::typical::<S>(owner);
    for index in 0..honest.blocks.len() {
        for position in [0, honest.blocks[index].len() - 1] {
            let mut changed = honest.clone();
            changed.blocks[index][position] ^= 1;
            assert_eq!(changed.audit::<S>(owner), Err(AuditError::EquationFails));
        }
    }
    // Coefficients are summed: a different one changes the whole sum.
    let proof = honest.prove::<S>(owner).unwrap();
    let mut changed = honest.clone();
    changed.challenged[1].hits[2].coefficient ^= 1 << 90;
    assert!(changed.verify::<S>(owner, &proof).is_err());
    // All hits in one block make up one coefficient.
    let mut together = honest;
    let hit = together.challenged[3].hits[0];
    together.challenged[3].hits = vec![hit];
    assert!(together.verify::<S>(owner, &proof).is_err());
    // Two blocks of one length swapped, with their tags.
    let two = Audit::new::<S>(owner, &[(700, &[5]), (700, &[6])]);
    let mut swapped = two.clone();
    swapped.blocks.swap(0, 1);
    swapped.tags.swap(0, 1);
    let proof = swapped.prove::<S>(owner).unwrap();
    let verdict = two.verify::<S>(owner, &proof);
    assert_eq!(verdict, Err(AuditError::EquationFails));
    assert_eq!(swapped.verify::<S>(owner, &proof), Ok(()));
    // The blocks swapped without their tags.
    let mut swapped = two;
    swapped.blocks.swap(0, 1);
    assert_eq!(swapped.audit::<S>(owner), Err(AuditError::EquationFails));
}

/// Checks, for a scheme that binds write ids, that a block with another write id or length is
/// rejected.
pub(super) fn check_writes<S: TagScheme>(owner: &S::OwnerKey) {
    let honest = Audit::typical::<S>(owner);
    // An old block and its tag at the position of a newer write of the same bytes.
    let mut replayed = honest.clone();
    replayed.tags[1].committed = S::tag(owner, write(99), &honest.blocks[1])
        .unwrap()
        .committed;
    assert_eq!(replayed.audit::<S>(owner), Err(AuditError::EquationFails));
    // More or fewer zeros at the end, with the same sectors.
    let mut audit = Audit::new::<S>(owner, &[(20, &[0])]);
    for length in [19_usize, 21] {
        let mut block = audit.blocks[0].clone();
        block[18] = 0;
        block[19] = 0;
        audit.tags[0] = S::tag(owner, write(0), &block).unwrap();
        block.resize(length, 0);
        let mut other = audit.clone();
        other.challenged[0].length = u64::try_from(length).unwrap();
        other.blocks[0] = block;
        assert_eq!(other.audit::<S>(owner), Err(AuditError::EquationFails));
    }
}

/// A change that makes an audit invalid.
type Change = fn(&mut Audit);

/// Checks that the prover and the computation of tags reject invalid input.
pub(super) fn check_refusals<S: TagScheme>(owner: &S::OwnerKey) {
    let honest = Audit::typical::<S>(owner);
    let malformed = TagError::TagMalformed;
    let changes: [(Change, TagError); 5] = [
        (|audit| audit.blocks[2].push(0), TagError::BlockMismatch),
        (|audit| audit.blocks[2].clear(), TagError::BlockEmpty),
        (|audit| audit.tags[2].committed.0.truncate(0), malformed),
        (|audit| audit.tags[2].committed.0.truncate(5), malformed),
        (|audit| audit.tags[2].held.0.push(0), malformed),
    ];
    for (change, error) in changes {
        let mut changed = honest.clone();
        change(&mut changed);
        assert_eq!(changed.prove::<S>(owner), Err(error));
    }
    assert_eq!(S::tag(owner, write(0), &[]), Err(TagError::BlockEmpty));
    let (length, limit) = (S::MAX_LENGTH + 1, S::MAX_LENGTH);
    let long = vec![0; usize::try_from(length).unwrap()];
    let too_long = Err(TagError::BlockTooLong { length, limit });
    assert_eq!(S::tag(owner, write(0), &long), too_long);
    let parameters = S::server_parameters(owner);
    let check = |audit: &Audit| S::check_tags(&parameters, &audit.stored());
    let mut changed = honest.clone();
    changed.tags[1].held.0.push(0);
    assert_eq!(check(&changed), Err(malformed));
    let mut changed = honest;
    changed.blocks[1].clear();
    assert!(check(&changed).is_err());
}

/// Checks that the encoding of a key round-trips. Other bytes are rejected or are canonical.
pub(super) fn check_bytes<K: KeyBytes + fmt::Debug>(key: &K) {
    let bytes = key.to_bytes();
    assert_eq!(K::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    let malformed = |bytes: &[u8]| matches!(K::from_bytes(bytes), Err(TagError::Malformed(_)));
    assert!(malformed(&[bytes.as_slice(), &[0]].concat()));
    if let Some((_, short)) = bytes.split_last() {
        assert!(malformed(short));
        assert!(malformed(&[]));
    }
    for value in [0, 0xff, 0x5a] {
        let hostile = vec![value; bytes.len()];
        if let Ok(key) = K::from_bytes(&hostile) {
            assert_eq!(key.to_bytes().as_slice(), hostile);
        }
    }
}
