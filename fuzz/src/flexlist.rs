//! Any bytes as evidence about a fixed list. Checks that verification does not panic and accepts
//! only true evidence.
//!
//! Input: the kind of evidence (1 byte), the query (1 byte), and the bytes. The kinds are a proof
//! of indices, a proof of a range, and a witness.

use core::ops::Range;

use flexlist::{
    FlexList, Level,
    list::{
        Block, ListState, MAX_TOTAL, Operation, Sha256, verify_indices, verify_range, verify_update,
    },
};
use pad_core::{Digest, Workers};

const BLOCKS: u8 = 24;
/// Number of queries of each kind.
const QUESTIONS: u8 = 16;

fn block(number: u8) -> Block {
    let number = u64::from(number);
    // Most levels are those of a build, some are higher, and some adjacent ones are zero.
    let level = match number % 9 {
        0 => Level::try_from(20).expect("below 63"),
        7 | 8 => Level::default(),
        _ => Level::initial(number),
    };
    Block {
        length: 1 + number % 5,
        tag_digest: Digest([number.to_le_bytes()[0]; 32]),
        level,
        label: number,
    }
}

fn list() -> FlexList {
    let blocks: Vec<Block> = (1..=BLOCKS).map(block).collect();
    FlexList::build(&blocks, &Workers::sequential()).expect("a list")
}

fn indices(question: u8, total: u64) -> Vec<u64> {
    let first = u64::from(question) * 31 % total;
    let count = 1 + u64::from(question % 4);
    (0..count).map(|it| (first + it * it * 7) % total).collect()
}

fn range(question: u8, total: u64) -> Range<u64> {
    let start = u64::from(question) * 29 % total;
    start..total.min(start + 1 + u64::from(question))
}

fn operations(question: u8, list: &FlexList) -> Vec<Operation> {
    let index = u64::from(question) * 17 % list.total();
    let found = list.find(index).expect("a block");
    let insert = Operation::Insert {
        index: found.start,
        block: block(question + 60),
    };
    let modify = Operation::Modify {
        index,
        length: 9,
        tag_digest: Digest([99; 32]),
        label: 0,
    };
    match question % 4 {
        0 => vec![insert],
        1 => vec![modify],
        2 => vec![Operation::Remove { index }],
        _ => vec![insert, Operation::Remove { index }, modify],
    }
}

/// A list, its states, and honest evidence.
struct Scene {
    list: FlexList,
    state: ListState,
    /// The states after the operations of each query.
    next: Vec<ListState>,
    /// The honest inputs, by kind and query.
    honest: Vec<Vec<Vec<u8>>>,
}

thread_local! {
    static SCENE: Scene = Scene::new();
}

impl Scene {
    fn new() -> Self {
        let list = list();
        let (state, total) = (list.state(), list.total());
        let mut next = Vec::new();
        let mut honest = vec![Vec::new(); 3];
        for question in 0..QUESTIONS {
            let asked = indices(question, total);
            let proof = list.prove(&asked).expect("a proof");
            honest[0].push(proof);
            let proof = list.prove_range(range(question, total));
            honest[1].push(proof.expect("a proof"));
            let mut server = list.clone();
            let change = server.update(&operations(question, &list));
            honest[2].push(change.expect("an update").witness);
            next.push(server.state());
        }
        Self {
            list,
            state,
            next,
            honest,
        }
    }

    /// Returns whether the evidence is accepted. Panics if accepted evidence is false.
    fn accepts(&self, kind: u8, question: u8, body: &[u8]) -> bool {
        let (state, total) = (&self.state, self.list.total());
        let asked = indices(question, total);
        let proven = match kind {
            0 => verify_indices::<Sha256>(body, state, &asked),
            1 => verify_range::<Sha256>(body, state, range(question, total)),
            _ => {
                let operations = operations(question, &self.list);
                let Ok(next) = verify_update::<Sha256>(body, state, &operations) else {
                    return false;
                };
                let expected = self.next[usize::from(question)];
                assert_eq!(*next.get(), expected, "another state was accepted");
                return true;
            }
        };
        let Ok(proven) = proven else {
            return false;
        };
        for block in proven.get() {
            let found = self.list.find(block.start).expect("a block starts here");
            assert_eq!(
                (block.start, block.length, block.tag_digest),
                (found.start, found.length, found.tag_digest),
                "a lie about a block was accepted"
            );
        }
        true
    }
}

/// Verifies one piece of evidence.
pub fn run(data: &[u8]) {
    let [kind, question, body @ ..] = data else {
        return;
    };
    let (kind, question) = (kind % 3, question % QUESTIONS);
    SCENE.with(|scene| {
        if scene.accepts(kind, question, body) {
            let honest = &scene.honest[usize::from(kind)][usize::from(question)];
            assert_eq!(body, honest, "a second proof of {kind} {question}");
        }
    });
}

/// Returns the honest evidence as inputs, for the committed corpus.
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    SCENE.with(|scene| {
        let mut seeds = Vec::new();
        for (kind, honest) in (0_u8..).zip(&scene.honest) {
            for (question, body) in (0_u8..).zip(honest).step_by(3) {
                assert!(scene.accepts(kind, question, body), "honest");
                let input = [&[kind, question], &body[..]].concat();
                seeds.push((format!("{kind}-{question}"), input));
            }
        }
        seeds
    })
}

/// Applies operations of any kind, and compares list, witness and rebuilt list with a plain vector
/// of blocks.
///
/// Input: operations of four bytes each (kind, place, length, level), in batches.
pub fn run_operations(data: &[u8]) {
    let mut blocks: Vec<Block> = Vec::new();
    let mut list: FlexList = FlexList::build(&[], &Workers::sequential()).expect("empty");
    for batch in data.as_chunks::<4>().0.chunks(5).take(12) {
        let (before, before_blocks) = (list.state(), blocks.clone());
        let mut too_long = false;
        let operations: Vec<Operation> = (batch.iter())
            .map(|it| {
                let operation = step(*it, &mut blocks);
                too_long |= total(&blocks) > MAX_TOTAL;
                operation
            })
            .collect();
        let Ok(change) = list.update(&operations) else {
            assert!(
                too_long || batch.iter().any(|it| it[0] % 8 > 5),
                "a batch that can be carried out was refused"
            );
            assert_eq!(list.state(), before, "a refused batch changes nothing");
            blocks = before_blocks;
            continue;
        };
        assert_eq!(list.blocks(), blocks);
        let next = verify_update::<Sha256>(&change.witness, &before, &operations);
        assert_eq!(*next.expect("an honest witness").get(), list.state());
        let built: FlexList =
            FlexList::build(&blocks, &Workers::sequential()).expect("not too long");
        assert_eq!(list.state(), built.state());
        if batch[0][1] % 7 == 0 {
            list.undo(change.previous);
            assert_eq!(list.state(), before);
            blocks = before_blocks;
            assert_eq!(list.blocks(), blocks);
        } else {
            list.forget(change.previous);
        }
    }
}

/// Returns the total length of all blocks, saturating: a batch may contain several of the longest
/// blocks.
fn total(blocks: &[Block]) -> u64 {
    let lengths = blocks.iter().map(|it| it.length);
    lengths.fold(0, u64::saturating_add)
}

/// Makes an operation, and applies it to the plain vector if it is valid.
fn step([kind, place, length, level]: [u8; 4], blocks: &mut Vec<Block>) -> Operation {
    let start = |at: usize| total(&blocks[..at]);
    let new = Block {
        length: match length {
            0 => MAX_TOTAL,
            _ => length.into(),
        },
        tag_digest: Digest([length; 32]),
        level: Level::try_from(level % 63).expect("below 63"),
        label: 7,
    };
    match kind % 8 {
        6 => {
            return Operation::Remove {
                index: start(blocks.len()),
            };
        }
        7 => {
            return Operation::Insert {
                index: start(blocks.len()).saturating_add(1),
                block: new,
            };
        }
        3..6 if !blocks.is_empty() => {}
        _ => {
            let at = usize::from(place) % (blocks.len() + 1);
            let index = start(at);
            blocks.insert(at, new);
            return Operation::Insert { index, block: new };
        }
    }
    let at = usize::from(place) % blocks.len();
    let within = u64::from(level) % blocks[at].length;
    let index = start(at).saturating_add(within);
    if kind % 8 == 3 {
        blocks.remove(at);
        return Operation::Remove { index };
    }
    blocks[at] = Block {
        level: blocks[at].level,
        ..new
    };
    Operation::Modify {
        index,
        length: new.length,
        tag_digest: new.tag_digest,
        label: new.label,
    }
}
