//! A file in blocks, on a server that proves that it stores the file.

use flexlist::{
    FileId, FileState, FlexList, Level,
    audit::{AuditAnswer, Auditor},
    challenge::{Challenge, Context, Leaf, Questions, assign},
    list::Block,
    tag::{OwnerKey, TagKind, WriteId},
};
use pad_core::{Digest, Untrusted, Workers};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The owner cuts a file into blocks and tags them. Owner and server build the list of blocks.
    let key = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential())?;
    let data: Vec<Vec<u8>> = (0..100_u8).map(|number| vec![number; 1000]).collect();
    let mut tags = Vec::new();
    let mut blocks = Vec::new();
    for (number, bytes) in (0_u8..).zip(&data) {
        // Write ids are drawn at random.
        let tag = key.tag(WriteId([number; 16]), bytes)?;
        blocks.push(Block {
            length: 1000,
            tag_digest: Digest(tag.digest()),
            level: Level::initial(u64::from(number) + 1),
            label: u64::from(number),
        });
        tags.push(tag);
    }
    let list = <FlexList>::build(&blocks, &Workers::all_cores())?;

    // The owner keeps only this state and its key.
    let state = FileState {
        file: FileId([7; 32]),
        version: 1,
        list: list.state(),
    };

    // The owner challenges random bytes. It sends only the seed and the count.
    let challenge = Challenge::Sample {
        seed: [42; 32],
        count: 30,
    };

    // The server finds the blocks, and combines them into a proof.
    let Questions::Samples(samples) = challenge.questions(&Context::from(&state))? else {
        panic!()
    };
    let indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
    let mut found = indices
        .iter()
        .map(|index| list.find(*index))
        .collect::<Result<Vec<_>, _>>()?;
    found.sort_by_key(|block| block.start);
    found.dedup();
    let leaves: Vec<Leaf> = found
        .iter()
        .map(|block| Leaf {
            start: block.start,
            length: block.length,
        })
        .collect();
    let mut prover = key.server_parameters().prover();
    for (block, challenged) in found.iter().zip(&assign(&samples, &leaves)?) {
        let number = block.label as usize;
        prover.absorb(challenged, &tags[number], &data[number])?;
    }
    let answer = AuditAnswer {
        list_proof: list.prove(&indices)?.into(),
        committed: found
            .iter()
            .map(|block| tags[block.label as usize].committed.clone())
            .collect(),
        tag_proof: prover.finish().into(),
    };

    // The owner verifies the proof that the server has these blocks.
    let auditor = Auditor {
        state,
        key: key.verifier(),
    };
    let report = Untrusted::new(answer).verify(&auditor, &challenge)?;
    assert!(!report.get().blocks.is_empty());
    println!("the server has the blocks that it was asked for");
    Ok(())
}
