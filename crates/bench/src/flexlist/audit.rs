//! Audit of an outsourced file: a challenge of many bytes, the server's proof and the client's
//! check (section 4.4).

use std::collections::BTreeSet;

use flexlist::{
    FileId, FlexList,
    challenge::{Challenge, Context, Leaf, Questions, assign},
    list::{Block, Sha256, verify_indices},
    tag::{BlockTag, Challenged, OwnerKey, TagKind, WriteId, committed_digest},
};
use pad_core::{Digest, Workers};

use super::{
    blocks::{BLOCK_BYTES, blocks, content},
    counted::{CountingHash, count},
    limits::node_hash_ns,
};
use crate::{line, prelude::*};

/// Reports whether generating a key for tags of this kind takes so long that quick runs leave it
/// out.
pub const fn is_slow(kind: TagKind) -> bool {
    matches!(kind, TagKind::Rsa2048 | TagKind::Rsa3072)
}

/// Measures an audit under each of the tag schemes `kinds`. The file has `size` blocks, and the
/// audit challenges `challenges` bytes.
pub fn run(size: u64, challenges: u32, kinds: &[TagKind], report: &mut Report) -> Outcome<()> {
    for &kind in kinds {
        report.announce(format!("a key for {kind} tags"));
        let (key_us, owner) = stopwatch(|| OwnerKey::generate(kind, &Workers::all_cores()));
        report.announce(format!("audit, {kind} tags"));
        let audit = Audit::new(size, challenges, owner?)?;
        report.measured(audit.measure(key_us / 1e6, report)?)?;
    }
    Ok(())
}

/// A file under audit. Only the challenged blocks have content and tags. The list contains the
/// digests of the tags.
struct Audit {
    owner: OwnerKey,
    list: FlexList<Sha256>,
    questions: Vec<flexlist::challenge::Sample>,
    indices: Vec<u64>,
    /// Tag and content of each challenged block, in the order of the file.
    held: Vec<(BlockTag, Vec<u8>)>,
    /// Median time to make one block's tag, in microseconds.
    tag_us: f64,
}

impl Audit {
    /// Draws a challenge of `challenges` bytes, then makes the challenged blocks and their tags.
    /// The leaves of all other blocks commit to pseudorandom digests, which do not change the cost.
    fn new(size: u64, challenges: u32, owner: OwnerKey) -> Outcome<Self> {
        let challenge = Challenge::Sample {
            seed: [7; 32],
            count: challenges,
        };
        let context = Context {
            file: FileId([1; 32]),
            version: 1,
            root: Digest([2; 32]),
            total: size * BLOCK_BYTES,
        };
        let Questions::Samples(questions) = challenge.questions(&context)? else {
            return Err("a sample has samples".into());
        };
        let indices: Vec<u64> = questions.iter().map(|sample| sample.index).collect();
        let challenged: BTreeSet<u64> = indices.iter().map(|index| index / BLOCK_BYTES).collect();
        let mut blocks: Vec<Block> = blocks(size);
        let (mut held, mut times) = (Vec::new(), Timings::default());
        for position in challenged {
            let bytes = content(&mut Random::new(position), BLOCK_BYTES as usize);
            let write = WriteId(u128::from(position).to_be_bytes());
            let tag = times.time(1, || owner.tag(write, &bytes))?;
            blocks[position as usize].tag_digest = Digest(tag.digest());
            held.push((tag, bytes));
        }
        Ok(Self {
            owner,
            list: FlexList::build(&blocks, &Workers::sequential())?,
            questions,
            indices,
            held,
            tag_us: times.median_us(),
        })
    }

    /// Makes the server's proof that it stores the challenged blocks and their tags. The blocks are
    /// in memory.
    fn prove_tags(&self, challenged: &[Challenged]) -> Outcome<Vec<u8>> {
        let mut prover = self.owner.server_parameters().prover();
        for (challenged, (tag, block)) in challenged.iter().zip(&self.held) {
            prover.absorb(challenged, tag, block)?;
        }
        Ok(prover.finish())
    }

    fn measure(&self, key_seconds: f64, report: &Report) -> Outcome<Line> {
        let node_ns = node_hash_ns(&report.effort());
        let state = self.list.state();
        let proof = self.list.prove(&self.indices)?;
        let (hashes, proven) =
            count(|| verify_indices::<CountingHash>(&proof, &state, &self.indices));
        let proven = proven?;
        // Assigns each challenged byte to the block that contains it, as a client does.
        let leaves = proven.get().iter().map(|block| Leaf {
            start: block.start,
            length: block.length,
        });
        let challenged = assign(&self.questions, &leaves.collect::<Vec<_>>())?;
        let tag_proof = self.prove_tags(&challenged)?;
        // The client's data: the challenges of each block, and its tag that the leaf commits to.
        let committed = self.held.iter().map(|(tag, _)| tag.committed.clone());
        let opened: Vec<_> = challenged.iter().cloned().zip(committed).collect();
        for (block, (_, committed)) in proven.get().iter().zip(&opened) {
            let committed = Digest(committed_digest(committed.as_ref()));
            ensure(block.tag_digest == committed, "a leaf commits another tag")?;
        }
        let has_all = proven.get().len() == opened.len();
        ensure(has_all, "a challenged block is missing")?;
        self.owner.verifier().verify(&opened, &tag_proof)?;

        let verify_list = || verify_indices::<Sha256>(&proof, &state, &self.indices);
        let verifier = self.owner.verifier();
        let prove_list_us = repeat(report, || self.list.prove(&self.indices))?;
        let prove_tags_us = repeat(report, || self.prove_tags(&challenged))?;
        let verify_list_us = repeat(report, verify_list)?;
        let verify_tags_us = repeat(report, || verifier.verify(&opened, &tag_proof))?;
        let owner_verify_tags_us = repeat(report, || self.owner.verify(&opened, &tag_proof))?;
        let committed: usize = opened.iter().map(|(_, bytes)| bytes.0.len()).sum();
        let limit_us = hashes as f64 * node_ns / 1e3;
        Ok(line! {
            experiment: "flexlist_audit", blocks: self.list.block_count(), block_bytes: BLOCK_BYTES,
            challenges: self.indices.len(), challenged_blocks: self.held.len(),
            tags: self.owner.kind().name(), key_seconds, tag_us: self.tag_us,
            list_proof_bytes: proof.len(), committed_bytes: committed,
            tag_proof_bytes: tag_proof.len(),
            total_bytes: proof.len() + committed + tag_proof.len(), prove_list_us, prove_tags_us,
            verify_list_us, verify_list_limit_us: limit_us,
            verify_list_ratio: verify_list_us / limit_us, verify_tags_us, owner_verify_tags_us,
        })
    }
}

/// Returns the median microseconds of repeated calls of `work`.
fn repeat<T, E>(report: &Report, work: impl Fn() -> Result<T, E>) -> Result<f64, E> {
    let mut times = Timings::default();
    for _ in 0..report.rounds(30, 1) {
        times.time(1, &work)?;
    }
    Ok(times.median_us())
}
