//! Tens of thousands of mutated proofs, range proofs and witnesses: none is accepted.
//!
//! `FLEXLIST_MUTATIONS` sets the number of mutations, `FLEXLIST_SEED` another seed. Only acceptance
//! counts here; `adversarial.rs` tests that the right error is returned.

use pad_conformance::soak;

use super::{
    super::{
        Block, FlexList, ListState, Operation, ProvenBlock, Sha256, verify_indices, verify_range,
        verify_update,
    },
    forge::{Random, Tree, build},
};
use core::ops::Range;

/// A query to a list.
#[derive(Clone, Debug)]
enum Question {
    Indices(Vec<u64>),
    Range(Range<u64>),
    Update(Vec<Operation>),
}

/// The statement that an answer proves.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Statement {
    Blocks(Vec<ProvenBlock>),
    Next(ListState),
}

impl Question {
    fn answer(&self, list: &FlexList) -> Vec<u8> {
        match self {
            Self::Indices(indices) => list.prove(indices).unwrap(),
            Self::Range(range) => list.prove_range(range.clone()).unwrap(),
            Self::Update(operations) => list.clone().update(operations).unwrap().witness,
        }
    }

    fn verify(&self, answer: &[u8], state: &ListState) -> Option<Statement> {
        Some(match self {
            Self::Indices(indices) => Statement::Blocks(
                verify_indices::<Sha256>(answer, state, indices)
                    .ok()?
                    .into_inner(),
            ),
            Self::Range(range) => Statement::Blocks(
                verify_range::<Sha256>(answer, state, range.clone())
                    .ok()?
                    .into_inner(),
            ),
            Self::Update(operations) => Statement::Next(
                verify_update::<Sha256>(answer, state, operations)
                    .ok()?
                    .into_inner(),
            ),
        })
    }

    /// Computes the statement from the blocks only.
    fn truth(&self, blocks: &[Block], next: &[Block]) -> Statement {
        let mut start = 0;
        let all = blocks.iter().map(|block| {
            start += block.length;
            ProvenBlock {
                start: start - block.length,
                length: block.length,
                tag_digest: block.tag_digest,
            }
        });
        let end = |block: &ProvenBlock| block.start + block.length;
        Statement::Blocks(match self {
            Self::Indices(indices) => all
                .filter(|block| {
                    indices
                        .iter()
                        .any(|i| (block.start..end(block)).contains(i))
                })
                .collect(),
            Self::Range(range) => all
                .filter(|block| block.start < range.end && end(block) > range.start)
                .collect(),
            Self::Update(_) => return Statement::Next(build(next).state()),
        })
    }
}

/// A list, its next version, and a query of each kind with its answer.
struct Scene {
    state: ListState,
    asked: Vec<(Question, Vec<u8>, Statement)>,
    list: FlexList,
}

impl Scene {
    fn new(random: &mut Random, blocks: &[Block]) -> Self {
        let list = build(blocks);
        let mut next = blocks.to_vec();
        let mut questions = vec![Question::Update(random.batch(&mut next))];
        if list.total() > 0 {
            let count = 1 + random.below(6);
            let indices = (0..count).map(|_| random.below(list.total())).collect();
            questions.push(Question::Indices(indices));
            let (first, second) = (random.below(list.total()), random.below(list.total()));
            questions.push(Question::Range(first.min(second)..first.max(second) + 1));
        }
        let state = list.state();
        let asked = questions.into_iter().map(|question| {
            let answer = question.answer(&list);
            let truth = question.truth(blocks, &next);
            assert_eq!(question.verify(&answer, &state).as_ref(), Some(&truth));
            (question, answer, truth)
        });
        Self {
            state,
            asked: asked.collect(),
            list,
        }
    }
}

/// Checks that mutated answers are rejected.
struct Judge<'a> {
    scene: &'a Scene,
    question: &'a Question,
    honest: &'a [u8],
    tried: u64,
}

impl Judge<'_> {
    fn refuse(&mut self, changed: &[u8]) {
        if changed == self.honest {
            return;
        }
        self.tried += 1;
        let accepted = self.question.verify(changed, &self.scene.state);
        assert_eq!(
            accepted,
            None,
            "{:?} was answered by {}",
            self.question,
            hex::encode(changed)
        );
    }

    fn bytes(&mut self, random: &mut Random) {
        let mut changed = self.honest.to_vec();
        for place in 0..changed.len() {
            let good = changed[place];
            // In long answers, one mutation per byte; otherwise every bit of it.
            let bits = if changed.len() > 150 {
                vec![1 + random.byte() % 255]
            } else {
                (0..8).map(|bit| 1 << bit).collect()
            };
            for bits in bits {
                changed[place] = good ^ bits;
                self.refuse(&changed);
            }
            changed[place] = good;
        }
    }

    fn lengths(&mut self, random: &mut Random) {
        for end in 0..self.honest.len() {
            self.refuse(&self.honest[..end]);
        }
        for more in 1..4 {
            let tail: Vec<u8> = (0..more).map(|_| random.byte()).collect();
            self.refuse(&[self.honest, &tail].concat());
        }
        let place = random.index(self.honest.len());
        let length = 1 + random.index(40).min(self.honest.len() - place - 1);
        let (head, tail) = self.honest.split_at(place);
        self.refuse(&[head, &tail[length.min(tail.len())..]].concat());
        self.refuse(&[head, &tail[..length.min(tail.len())], tail].concat());
    }

    /// Replaces nodes by subtrees of other answers, by duplicates, and by their children.
    fn trees(&mut self, random: &mut Random, others: &[Tree]) {
        let honest = Tree::read(self.honest);
        for number in 0..honest.count() {
            let mut changed = honest.clone();
            let node = changed.at(number);
            let own = node.clone();
            *node = own.prune();
            self.refuse(&changed.bytes());
            for child in own.children() {
                *changed.at(number) = child.clone();
                self.refuse(&changed.bytes());
            }
            for twice in duplicated(&own) {
                *changed.at(number) = twice;
                self.refuse(&changed.bytes());
            }
            for other in others {
                let mut other = other.clone();
                let from = random.index(other.count());
                *changed.at(number) = other.at(from).clone();
                self.refuse(&changed.bytes());
            }
        }
        for other in others {
            self.refuse(&other.bytes());
        }
    }
}

/// Returns the node placed below or after itself.
fn duplicated(node: &Tree) -> Vec<Tree> {
    let boxed = || Box::new(node.clone());
    match node {
        Tree::Inner(level, below, after) => vec![
            Tree::Inner(*level, boxed(), after.clone()),
            Tree::Inner(*level, below.clone(), boxed()),
            Tree::Inner(*level, after.clone(), below.clone()),
        ],
        Tree::Leaf(length, tag, _) => vec![Tree::Leaf(*length, *tag, Some(boxed()))],
        Tree::Left(_) => vec![Tree::Left(Some(boxed()))],
        Tree::Right | Tree::Pruned(..) => vec![Tree::Inner(1, boxed(), boxed())],
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn no_changed_answer_is_accepted() {
    let wanted = number("FLEXLIST_MUTATIONS", soak::size(60_000, 200_000));
    let seed = number("FLEXLIST_SEED", 0x0f1e_2d3c);
    println!("FLEXLIST_MUTATIONS={wanted} FLEXLIST_SEED={seed}");
    let mut random = Random(seed);
    let (mut tried, mut lists) = (0, 0);
    while tried < wanted {
        lists += 1;
        let length = random.index(40);
        let mut blocks = random.blocks(length);
        let scene = Scene::new(&mut random, &blocks);
        let _changes = random.batch(&mut blocks);
        let later = Scene::new(&mut random, &blocks);
        let foreign_length = random.index(40);
        let foreign = random.blocks(foreign_length);
        let foreign = Scene::new(&mut random, &foreign);
        for (question, honest, _) in &scene.asked {
            let scenes = [&scene, &later, &foreign].into_iter();
            let others = scenes.flat_map(|scene| &scene.asked);
            let others = others.filter(|(_, answer, _)| answer != honest);
            let mut others: Vec<Tree> = others.map(|(_, it, _)| Tree::read(it)).collect();
            others.extend([Tree::of(&scene.list), Tree::of(&later.list)]);
            let mut judge = Judge {
                scene: &scene,
                question,
                honest,
                tried: 0,
            };
            judge.bytes(&mut random);
            judge.lengths(&mut random);
            judge.trees(&mut random, &others);
            tried += judge.tried;
        }
    }
    println!("{tried} changed answers about {lists} lists, all refused");
}

#[test]
fn an_answer_answers_its_own_question_only() {
    let mut random = Random(number("FLEXLIST_SEED", 7));
    let (mut answered, mut refused) = (0, 0);
    let rounds = soak::size(20, 60);
    for _ in 0..rounds {
        let length = 1 + random.index(12);
        let blocks = random.blocks(length);
        let list = build(&blocks);
        let mut questions = Vec::new();
        for _ in 0..8 {
            let mut next = blocks.clone();
            let scene = Question::Update(random.batch(&mut next));
            questions.push((scene.truth(&blocks, &next), scene));
            let count = 1 + random.below(3);
            let indices = (0..count).map(|_| random.below(list.total())).collect();
            let indices = Question::Indices(indices);
            questions.push((indices.truth(&blocks, &[]), indices));
            let (first, second) = (random.below(list.total()), random.below(list.total()));
            let range = Question::Range(first.min(second)..first.max(second) + 1);
            questions.push((range.truth(&blocks, &[]), range));
        }
        for (_, asked) in &questions {
            let answer = asked.answer(&list);
            for (truth, other) in &questions {
                if other.answer(&list) == answer {
                    // Two queries may need the same part of the list.
                    let statement = other.verify(&answer, &list.state());
                    assert_eq!(statement.as_ref(), Some(truth));
                    answered += 1;
                } else {
                    assert_eq!(other.verify(&answer, &list.state()), None, "{other:?}");
                    refused += 1;
                }
            }
        }
    }
    println!("{answered} answered, {refused} refused");
    let least = [10_000, 1_000].map(|number| number * rounds / 60);
    assert!(
        refused > least[0] && answered > least[1],
        "{refused} {answered}"
    );
}
