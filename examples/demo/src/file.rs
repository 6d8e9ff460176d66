//! Demonstrates a file on an untrusted server: edited, read, audited, damaged and rolled back.

use core::ops::Range;

use flexlist::{
    Chunker, FileId, FileState, FlexList, Level,
    audit::{AuditAnswer, Auditor},
    challenge::{Challenge, Context, Leaf, Questions},
    list::{Block, Operation, Sha256, verify_range, verify_update},
    tag::{BlockTag, OwnerKey, TagKind, WriteId, committed_digest},
};
use pad_core::{Digest, Untrusted, Workers, codec};

use crate::report::{Act, Outcome, lies};

/// The server: the list of blocks, and all blocks with their tags. A block's label is its index
/// among them.
#[derive(Clone)]
struct Server(FlexList, Vec<(BlockTag, Vec<u8>)>);

/// The owner: its key, and the state of the file.
struct Owner(OwnerKey, FileState);

/// The byte offset at which the owner inserts a sentence. On the server's disk, a bit flips in the
/// block that contains the byte offset `DAMAGED`.
const PLACE: u64 = 123_456;
const DAMAGED: u64 = 200_000;

/// Uploads a file, edits it and audits it. Then the server's disk fails, and an old copy replaces
/// the store.
pub(crate) fn show() -> Outcome<Act> {
    // All lines differ.
    let line = |line: u32| format!("line {line}: {:032x}\n", u128::from(line).pow(4)).into_bytes();
    let mut file: Vec<u8> = (0..10_000).flat_map(line).collect();
    let (mut owner, mut server) = upload(&file)?;
    let older = server.clone();
    let sentence = b"one more sentence";
    owner.insert(&mut server, PLACE, sentence)?;
    let place = usize::try_from(PLACE)?;
    file.splice(place..place, *sentence);
    let whole = 0..owner.1.list.total;
    if owner.read(&server, whole.clone())?.concat() != file {
        return Err("the server has another file".into());
    }
    let blocks = owner.audit(&server, whole.clone())?;
    let damaged = usize::try_from(server.0.find(DAMAGED)?.label)?;
    server.1[damaged].1[0] ^= 1;

    let read = owner.read(&server, DAMAGED..DAMAGED + 10);
    let audited = owner.audit(&server, whole);
    let old = owner.audit(&older, 0..DAMAGED);
    let lies = lies! {
        "damaged byte, read": "a bit of the file changed on the server's disk", read;
        "damaged byte, audited": "the same bit, in an audit of the whole file", audited;
        "old copy": "replaced its store by a copy from before the edit", old;
    };
    let (bytes, kept, n) = (file.len(), codec::encode_body(&owner.1).len(), lies.len());
    let text = format!(
        "A file of {bytes} bytes on a server: uploaded, edited in its middle, read back whole, \
         and\n\
         audited. The owner keeps {kept} bytes and its key. In the audit the server proved that \
         it\n\
         stores {blocks} blocks. {n} of {n} faults noticed."
    );
    Ok(Act("Outsourced file", text, Vec::new(), lies))
}

/// Cuts a file into blocks with tags, and builds their list.
fn upload(file: &[u8]) -> Outcome<(Owner, Server)> {
    let key = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential())?;
    let (mut blocks, mut stored) = (Vec::new(), Vec::new());
    for bytes in Chunker::default().split(file) {
        let (block, tag) = tagged(&key, bytes, stored.len())?;
        blocks.push(block);
        stored.push((tag, bytes.to_vec()));
    }
    let list = FlexList::build(&blocks, &Workers::all_cores())?;
    let state = FileState {
        file: FileId([7; 32]),
        version: 1,
        list: list.state(),
    };
    Ok((Owner(key, state), Server(list, stored)))
}

/// Makes a block of the list, and its tag. The write id is made from the label. No label is used
/// twice.
fn tagged(key: &OwnerKey, bytes: &[u8], label: usize) -> Outcome<(Block, BlockTag)> {
    let label = u64::try_from(label)?;
    let tag = key.tag(WriteId(u128::from(label).to_be_bytes()), bytes)?;
    let block = Block {
        length: u64::try_from(bytes.len())?,
        tag_digest: Digest(tag.digest()),
        level: Level::initial(label + 1),
        label,
    };
    Ok((block, tag))
}

impl Owner {
    /// Inserts bytes at the index `index` of the file. The server sends the nodes of the list that
    /// the change reads, from which the owner computes the new root.
    fn insert(&mut self, server: &mut Server, index: u64, inserted: &[u8]) -> Outcome {
        let start = usize::try_from(index - server.0.find(index)?.start)?;
        let mut bytes = self.read(server, index..index + 1)?.concat();
        bytes.splice(start..start, inserted.iter().copied());
        let (block, tag) = tagged(&self.0, &bytes, server.1.len())?;
        server.1.push((tag, bytes));
        let operations = [Operation::Modify {
            index,
            length: block.length,
            tag_digest: block.tag_digest,
            label: block.label,
        }];
        let applied = server.0.update(&operations)?;
        let state = verify_update::<Sha256>(&applied.witness, &self.1.list, &operations)?;
        server.0.forget(applied.previous);
        self.1.list = state.into_inner();
        self.1.version += 1;
        Ok(())
    }

    /// Reads and verifies the blocks that overlap a range.
    fn read(&self, server: &Server, range: Range<u64>) -> Outcome<Vec<Vec<u8>>> {
        let proof = server.0.current().prove_range(range.clone())?;
        let sent = server.0.find_range(range.clone())?;
        let proven = verify_range::<Sha256>(&proof, &self.1.list, range)?.into_inner();
        let read = proven.iter().zip(sent).map(|(block, found)| {
            let (tag, bytes) = &server.1[usize::try_from(found.label)?];
            let committed = tag.committed.as_ref();
            if committed_digest(committed) != block.tag_digest.0 {
                return Err("another block was sent".into());
            }
            self.0.kind().check_block(block.start, committed, bytes)?;
            Ok(bytes.clone())
        });
        read.collect()
    }

    /// Audits the blocks of a range; returns their number.
    fn audit(&self, server: &Server, range: Range<u64>) -> Outcome<usize> {
        let Range { start, end } = range;
        let seed = [42; 32];
        let challenge = Challenge::Every { seed, start, end };
        // The server's part of the audit.
        let found = server.0.find_range(start..end)?;
        let leaves = found.iter().map(|block| Leaf {
            start: block.start,
            length: block.length,
        });
        let Questions::Blocks(questions) = challenge.questions(&Context::from(&self.1))? else {
            return Err("the challenge asks for samples".into());
        };
        let challenged = questions.assign(&leaves.collect::<Vec<_>>())?;
        let (mut prover, mut committed) = (self.0.server_parameters().prover(), Vec::new());
        for (block, challenged) in found.iter().zip(&challenged) {
            let (tag, bytes) = &server.1[usize::try_from(block.label)?];
            prover.absorb(challenged, tag, bytes)?;
            committed.push(tag.committed.clone());
        }
        let answer = AuditAnswer {
            list_proof: server.0.current().prove_range(start..end)?.into(),
            committed,
            tag_proof: prover.finish().into(),
        };
        // The owner's part of the audit.
        let (state, key) = (self.1, self.0.verifier());
        let auditor = Auditor { state, key };
        let report = Untrusted::new(answer).verify(&auditor, &challenge)?;
        Ok(report.get().blocks.len())
    }
}
