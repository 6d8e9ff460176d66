//! A challenge of many bytes, its proof and the check: section 4.4.

use std::time::Instant;

use flexlist::{
    FileId, FlexList,
    bytes::Bytes,
    challenge::{Challenge, Context, Leaf, Questions, assign},
    list::{Block, ListState, ProvenBlock, Sha256, verify_indices},
    tag::{BlockTag, Challenged, OwnerKey, TagKind, WriteId, committed_digest},
};
use pad_core::{Digest, Workers};

use super::{
    FlexlistLine, Reporter, Setting,
    blocks::{BLOCK_BYTES, blocks, content},
    counted::{Counted, count},
    limits::NodeHashLimit,
    record::AuditRecord,
};
use crate::{
    Outcome,
    timing::{median, microseconds, rounded},
    workload::Random,
};

/// Measures all schemes.
pub fn run(
    size: u64,
    challenges: u32,
    kinds: &[TagKind],
    setting: &Setting,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    for &kind in kinds {
        reporter.announce(&format!("a key for {kind} tags"));
        let start = Instant::now();
        let owner = OwnerKey::generate(kind, &Workers::all_cores())?;
        let key_seconds = start.elapsed().as_secs_f64();
        reporter.announce(&format!("audit, {kind} tags"));
        let audit = Audit::new(size, challenges, owner)?;
        let mut record = audit.measure(setting)?;
        record.key_seconds = rounded(key_seconds);
        reporter.line(FlexlistLine::Audit(Box::new(record)))?;
    }
    Ok(())
}

/// A file, of which the challenged blocks are really there, with their tags in the list.
pub struct Audit {
    owner: OwnerKey,
    list: FlexList<Sha256>,
    questions: Vec<flexlist::challenge::Sample>,
    indices: Vec<u64>,
    /// The challenged blocks in the order of the file.
    held: Vec<(BlockTag, Vec<u8>)>,
    /// Microseconds for each tag.
    tag_us: f64,
}

impl Audit {
    /// Draws the challenge, then makes the blocks that it meets and their tags; what the other leaves
    /// commit costs the same whatever it is.
    pub fn new(size: u64, challenges: u32, owner: OwnerKey) -> Outcome<Self> {
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
        let mut challenged: Vec<u64> = indices.iter().map(|index| index / BLOCK_BYTES).collect();
        challenged.sort_unstable();
        challenged.dedup();
        let mut blocks: Vec<Block> = blocks(size);
        let (mut held, mut times) = (Vec::new(), Vec::new());
        for position in challenged {
            let bytes = content(&mut Random::new(position), BLOCK_BYTES as usize);
            let write = WriteId(u128::from(position).to_be_bytes());
            let start = Instant::now();
            let tag = owner.tag(write, &bytes)?;
            times.push(microseconds(start.elapsed()));
            blocks[position as usize].tag_digest = Digest(tag.digest());
            held.push((tag, bytes));
        }
        Ok(Self {
            owner,
            list: FlexList::build(&blocks, &Workers::sequential())?,
            questions,
            indices,
            held,
            tag_us: median(times),
        })
    }

    /// The list and the challenged bytes.
    pub fn list(&self) -> (&FlexList<Sha256>, &[u64]) {
        (&self.list, &self.indices)
    }

    /// The server's proof about blocks and tags; the blocks are in memory.
    pub fn prove_tags(&self, challenged: &[Challenged]) -> Outcome<Vec<u8>> {
        let mut prover = self.owner.server_parameters().prover();
        for (challenged, (tag, block)) in challenged.iter().zip(&self.held) {
            prover.absorb(challenged, tag, block)?;
        }
        Ok(prover.finish())
    }

    /// The client's questions to the blocks that the list's proof showed.
    pub fn assign(&self, proven: &[ProvenBlock]) -> Outcome<Vec<Challenged>> {
        let leaf = |block: &ProvenBlock| Leaf {
            start: block.start,
            length: block.length,
        };
        let leaves: Vec<Leaf> = proven.iter().map(leaf).collect();
        Ok(assign(&self.questions, &leaves)?)
    }

    /// What the client has of each challenged block: the question, and what its leaf commits.
    pub fn opened(&self, challenged: &[Challenged]) -> Vec<(Challenged, Bytes)> {
        let committed = self.held.iter().map(|(tag, _)| tag.committed.clone());
        challenged.iter().cloned().zip(committed).collect()
    }

    fn measure(&self, setting: &Setting) -> Outcome<AuditRecord> {
        let limit = NodeHashLimit::measure(&setting.effort());
        let state = self.list.state();
        let proof = self.list.prove(&self.indices)?;
        let verified = verify_indices::<Counted>(&proof, &state, &self.indices);
        let (hashes, proven) = count(|| verify_indices::<Counted>(&proof, &state, &self.indices));
        if proven != verified {
            return Err("one proof has two results".into());
        }
        let challenged = self.assign(proven?.get())?;
        let tag_proof = self.prove_tags(&challenged)?;
        let opened = self.opened(&challenged);
        self.check(&proof, &state, &tag_proof)?;

        let repeat = |work: &mut dyn FnMut() -> Outcome<()>| -> Outcome<f64> {
            let mut times = Vec::new();
            for _ in 0..setting.rounds(30, 1) {
                let start = Instant::now();
                work()?;
                times.push(microseconds(start.elapsed()));
            }
            Ok(median(times))
        };
        let prove_list_us = repeat(&mut || {
            self.list.prove(&self.indices)?;
            Ok(())
        })?;
        let prove_tags_us = repeat(&mut || {
            self.prove_tags(&challenged)?;
            Ok(())
        })?;
        let verify_list_us = repeat(&mut || {
            verify_indices::<Sha256>(&proof, &state, &self.indices)?;
            Ok(())
        })?;
        let verifier = self.owner.verifier();
        let verify_tags_us = repeat(&mut || Ok(verifier.verify(&opened, &tag_proof)?))?;
        let owner_verify_tags_us = repeat(&mut || Ok(self.owner.verify(&opened, &tag_proof)?))?;
        let committed: usize = opened.iter().map(|(_, bytes)| bytes.0.len()).sum();
        let limit_us = limit.us(hashes as f64);
        Ok(AuditRecord {
            blocks: self.list.block_count(),
            block_bytes: BLOCK_BYTES,
            challenges: self.indices.len(),
            challenged_blocks: self.held.len(),
            tags: self.owner.kind().name().to_owned(),
            key_seconds: 0.0,
            tag_us: rounded(self.tag_us),
            list_proof_bytes: proof.len(),
            committed_bytes: committed,
            tag_proof_bytes: tag_proof.len(),
            total_bytes: proof.len() + committed + tag_proof.len(),
            prove_list_us: rounded(prove_list_us),
            prove_tags_us: rounded(prove_tags_us),
            verify_list_us: rounded(verify_list_us),
            verify_list_hashes: hashes,
            verify_list_limit_us: rounded(limit_us),
            verify_list_ratio: rounded(verify_list_us / limit_us),
            verify_tags_us: rounded(verify_tags_us),
            owner_verify_tags_us: rounded(owner_verify_tags_us),
            node_hash_ns: rounded(limit.independent_ns),
            machine: setting.machine.clone(),
        })
    }

    /// The whole audit once, as a client goes through it.
    pub fn check(&self, proof: &[u8], state: &ListState, tag_proof: &[u8]) -> Outcome<()> {
        let proven = verify_indices::<Sha256>(proof, state, &self.indices)?;
        let challenged = self.assign(proven.get())?;
        let opened = self.opened(&challenged);
        for (block, (_, committed)) in proven.get().iter().zip(&opened) {
            if block.tag_digest != Digest(committed_digest(committed.as_ref())) {
                return Err("a leaf commits another tag".into());
            }
        }
        if proven.get().len() != opened.len() {
            return Err("a challenged block is missing".into());
        }
        Ok(self.owner.verifier().verify(&opened, tag_proof)?)
    }
}
