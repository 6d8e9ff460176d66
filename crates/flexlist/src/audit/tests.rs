//! Honest audits with every kind of tags, and each known attack.

use pad_core::{Untrusted, Verified, Workers};

use super::*;
use crate::{
    FileId, FlexList, Level,
    list::{Block, Found, Operation},
    tag::{BlockTag, OwnerKey, TagKind, WriteId},
};

/// A server and the owner of its file; honest unless its blocks are tampered with.
struct World {
    key: OwnerKey,
    list: FlexList,
    blocks: Vec<(BlockTag, Vec<u8>)>,
    version: u64,
}

impl World {
    fn new(kind: TagKind) -> Self {
        let key = OwnerKey::generate(kind, &Workers::sequential()).unwrap();
        let blocks: Vec<(BlockTag, Vec<u8>)> = (0_u8..40)
            .map(|number| {
                let data = vec![number; 20 + usize::from(number) * 37];
                (key.tag(WriteId([number; 16]), &data).unwrap(), data)
            })
            .collect();
        let leaves: Vec<Block> = (1_u64..)
            .zip(&blocks)
            .map(|(position, (tag, data))| Block {
                length: u64::try_from(data.len()).unwrap(),
                tag_digest: Digest(tag.digest()),
                level: Level::initial(position),
                label: position - 1,
            })
            .collect();
        let list = FlexList::build(&leaves, &Workers::sequential()).unwrap();
        Self {
            key,
            list,
            blocks,
            version: 7,
        }
    }

    fn state(&self) -> FileState {
        FileState {
            file: FileId([9; 32]),
            version: self.version,
            list: self.list.state(),
        }
    }

    fn auditor(&self) -> Auditor {
        Auditor {
            state: self.state(),
            key: self.key.verifier(),
        }
    }

    fn answer(&self, challenge: &Challenge) -> AuditAnswer {
        let (list_proof, found, challenged) =
            match challenge.questions(&Context::from(&self.state())).unwrap() {
                Questions::Samples(samples) => {
                    let indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
                    let mut found: Vec<_> = indices
                        .iter()
                        .map(|index| self.list.find(*index).unwrap())
                        .collect();
                    found.sort_by_key(|block| block.start);
                    found.dedup();
                    let challenged = assign(&samples, &leaves_of(&found)).unwrap();
                    (self.list.prove(&indices).unwrap(), found, challenged)
                }
                Questions::Blocks(questions) => {
                    let found = self.list.find_range(questions.range()).unwrap();
                    let proof = self.list.prove_range(questions.range()).unwrap();
                    let challenged = questions.assign(&leaves_of(&found)).unwrap();
                    (proof, found, challenged)
                }
            };
        let mut prover = self.key.server_parameters().prover();
        let mut committed = Vec::new();
        for (block, challenged) in found.iter().zip(&challenged) {
            let (tag, data) = &self.blocks[usize::try_from(block.label).unwrap()];
            prover.absorb(challenged, tag, data).unwrap();
            committed.push(tag.committed.clone());
        }
        AuditAnswer {
            list_proof: list_proof.into(),
            committed,
            tag_proof: prover.finish().into(),
        }
    }
}

fn leaves_of(found: &[Found]) -> Vec<Leaf> {
    let leaf = |block: &Found| Leaf {
        start: block.start,
        length: block.length,
    };
    found.iter().map(leaf).collect()
}

fn verify(
    auditor: &Auditor,
    challenge: &Challenge,
    answer: AuditAnswer,
) -> Result<AuditReport, AuditFailure> {
    Untrusted::new(answer)
        .verify(auditor, challenge)
        .map(Verified::into_inner)
}

fn sample(seed: u8, count: u32) -> Challenge {
    let seed = [seed; 32];
    Challenge::Sample { seed, count }
}

fn every(start: u64, end: u64) -> Challenge {
    let seed = [3; 32];
    Challenge::Every { seed, start, end }
}

fn challenges(total: u64) -> [Challenge; 3] {
    [sample(3, 25), every(0, total), every(500, 4000)]
}

const KINDS: [TagKind; 2] = [TagKind::PrivateMac, TagKind::HashOnly];

#[test]
fn honest_answers_say_what_they_cover() {
    for kind in KINDS {
        let world = World::new(kind);
        let total = world.list.total();
        for challenge in challenges(total) {
            let answer = world.answer(&challenge);
            let report = verify(&world.auditor(), &challenge, answer).unwrap();
            assert_eq!(report.state, world.state());
            let blocks = &report.blocks;
            assert!(blocks.windows(2).all(|pair| pair[0].end <= pair[1].start));
            if let Challenge::Every { start, end, .. } = challenge {
                assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(blocks[0].contains(&start));
                assert!(blocks.last().unwrap().contains(&(end - 1)));
            }
        }
    }
}

#[test]
fn lost_and_changed_blocks_are_noticed() {
    for kind in KINDS {
        let mut world = World::new(kind);
        let every = challenges(world.list.total())[1];
        let auditor = world.auditor();
        let honest = world.blocks[30].0.clone();
        for byte in &mut world.blocks[30].1 {
            *byte ^= 1;
        }
        if kind == TagKind::HashOnly {
            // The server opens a tree over its own data, and claims that it is the committed one.
            world.blocks[30].0 = world
                .key
                .tag(WriteId([30; 16]), &world.blocks[30].1)
                .unwrap();
        }
        let mut answer = world.answer(&every);
        answer.committed[30] = honest.committed;
        let changed = verify(&auditor, &every, answer).unwrap_err();
        let start = world
            .list
            .blocks()
            .iter()
            .take(30)
            .map(|block| block.length)
            .sum();
        let expected = match kind {
            TagKind::HashOnly => AuditError::BlockMismatch { start },
            _ => AuditError::EquationFails,
        };
        assert_eq!(changed, AuditFailure::Tags(expected));
    }
}

#[test]
fn answers_to_anything_else_are_refused() {
    let mut world = World::new(TagKind::PrivateMac);
    let auditor = world.auditor();
    let [sampled, every, part] = challenges(world.list.total());
    let (other_seed, fewer) = (sample(4, 25), sample(3, 24));
    for asked in [sampled, every, part, other_seed, fewer] {
        for answered in [sampled, every, part, other_seed, fewer] {
            let accepted = verify(&auditor, &asked, world.answer(&answered)).is_ok();
            assert_eq!(accepted, asked == answered, "{asked:?} {answered:?}");
        }
    }
    // Another version of the same contents has other challenges.
    let old = world.answer(&sampled);
    world.version += 1;
    assert!(verify(&world.auditor(), &sampled, old).is_err());
    // So does another file.
    let mut elsewhere = world.auditor();
    elsewhere.state.file = FileId([8; 32]);
    assert!(verify(&elsewhere, &sampled, world.answer(&sampled)).is_err());
    // The answer is for the version before the current one.
    let before = world.answer(&every);
    let change = world
        .list
        .update(&[Operation::Remove { index: 0 }])
        .unwrap();
    let refused = verify(&world.auditor(), &challenges(world.list.total())[1], before);
    assert_eq!(refused, Err(AuditFailure::List(ProofError::TotalMismatch)));
    world.list.forget(change.previous);
}

#[test]
fn every_field_matters() {
    for kind in KINDS {
        let world = World::new(kind);
        let auditor = world.auditor();
        for challenge in challenges(world.list.total()) {
            let honest = world.answer(&challenge);
            let expected = honest.committed.len();
            let refused = |change: &dyn Fn(&mut AuditAnswer)| {
                let mut answer = honest.clone();
                change(&mut answer);
                assert_ne!(answer, honest);
                verify(&auditor, &challenge, answer).unwrap_err()
            };
            let miscounted =
                |actual| AuditFailure::Tags(AuditError::TagCountMismatch { expected, actual });
            let fewer = refused(&|answer| drop(answer.committed.pop()));
            assert_eq!(fewer, miscounted(expected - 1));
            let more = refused(&|answer| answer.committed.push(Bytes::default()));
            assert_eq!(more, miscounted(expected + 1));
            let swapped = refused(&|answer| answer.committed.swap(0, expected - 1));
            assert!(matches!(
                swapped,
                AuditFailure::Tags(AuditError::TagDigestMismatch { .. })
            ));
            let every = pad_conformance::soak::size(11, 1);
            for place in (0..honest.list_proof.0.len()).step_by(every) {
                let error = refused(&|answer| answer.list_proof.0[place] ^= 1 << (place % 8));
                assert!(matches!(error, AuditFailure::List(_)), "{error}");
            }
            for place in (0..honest.tag_proof.0.len()).step_by(every) {
                let error = refused(&|answer| answer.tag_proof.0[place] ^= 1 << (place % 8));
                assert!(matches!(error, AuditFailure::Tags(_)), "{error}");
            }
            let error = refused(&|answer| answer.tag_proof.0.push(0));
            assert_eq!(error, AuditFailure::Tags(AuditError::MalformedTagProof));
            let error = refused(&|answer| answer.list_proof.0.push(0));
            assert_eq!(error, AuditFailure::List(ProofError::TrailingBytes));
        }
    }
}

#[test]
fn what_the_file_does_not_allow_is_not_blamed_on_the_server() {
    let world = World::new(TagKind::PrivateMac);
    let answer = world.answer(&challenges(world.list.total())[0]);
    let verdict = verify(&world.auditor(), &sample(0, 0), answer);
    let no_samples = AuditFailure::Challenge(ChallengeError::NoSamples);
    assert_eq!(verdict, Err(no_samples));
}
