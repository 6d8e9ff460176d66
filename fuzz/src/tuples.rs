//! Attacked proofs of two tuple designs: fixed contents, one honest proof for each of some queries
//! about one key, and about several (see `together.rs`).

use pad_conformance::{
    Action, Oracle, TuplePad,
    operation::{key, value},
    repository::{TraceRun, play},
    tuple::{TestSecret, expectation},
};
use pad_core::{
    Authority, Dictionary, Key, Repository, Untrusted, Value, Version,
    codec::{self, ENVELOPE_LENGTH},
};
use pad_tuple::{
    TupleProof,
    designs::{BaseSuperseding, SpecLightweight},
    internals::{Content, Design, Part, ShownTuple},
};

use crate::{target::S, together::Together};

/// The keys of an answer with their values; `None` for an absent key.
pub type Answers = Vec<(Key, Option<Value>)>;

/// Fixed contents under one tuple design, as the fuzz targets attack them.
pub trait TupleTarget {
    /// The honest messages, in the order of the queries.
    fn proofs(&self) -> &[Vec<u8>];
    /// Verifies a message as a client does; returns the answers if it is accepted.
    fn verify(&self, question: usize, message: &[u8]) -> Option<Answers>;
    /// Answers a query from the oracle.
    fn answer(&self, question: usize) -> Answers;
    /// Applies changes to an honest proof; `other` is the query whose parts are spliced in.
    fn change(&self, question: usize, other: usize, changes: &[[u8; 4]]) -> Vec<u8>;
}

thread_local! {
    /// Two designs with different refreshes (superseding and lightweight): first with proofs of one
    /// key, then with proofs of many keys and of ranges.
    pub static TUPLES: [Box<dyn TupleTarget>; 4] = [
        Box::new(FixedContents::<BaseSuperseding>::new()),
        Box::new(FixedContents::<SpecLightweight>::new()),
        Box::new(Together::<BaseSuperseding>::new()),
        Box::new(Together::<SpecLightweight>::new()),
    ];
}

/// Asserts that an accepted answer is true, and that only the honest message is accepted.
pub fn check(target: &dyn TupleTarget, question: usize, message: &[u8]) {
    if let Some(answer) = target.verify(question, message) {
        let truth = target.answer(question);
        assert_eq!(answer, truth, "a lie about {question} was accepted");
        let honest = &target.proofs()[question];
        assert_eq!(
            message, honest,
            "{question} has a proof that was never made"
        );
    }
}

struct FixedContents<D> {
    authority: Authority,
    oracle: Oracle,
    questions: Vec<(Version, Key)>,
    proofs: Vec<Vec<u8>>,
    design: core::marker::PhantomData<D>,
}

pub(crate) fn actions() -> Vec<Action> {
    let mut actions: Vec<Action> = (1..=8_u8)
        .map(|number| Action::Put(key([number * 4]), value([number])))
        .collect();
    actions.push(Action::Snapshot);
    for number in [12_u8, 17, 12, 33, 0] {
        actions.push(Action::Put(key([number]), value([number, 1])));
        actions.push(Action::Snapshot);
        actions.push(Action::Remove(key([number / 2 + 2])));
        actions.push(Action::Snapshot);
    }
    actions
}

impl<D: Design<S, Secret: TestSecret>> FixedContents<D> {
    fn new() -> Self {
        let actions = actions();
        let TraceRun { server, author, .. } = play::<TuplePad<S, D>>(&actions);
        let mut questions = Vec::new();
        for version in [0, 1, 4, 7, 11] {
            for byte in [0, 4, 8, 12, 13, 18, 33, 34] {
                questions.push((Version::new(version), key([byte])));
            }
        }
        let prove = |(version, key): &(Version, Key)| {
            codec::encode(&server.prove(*version, key).expect("the version is there"))
        };
        Self {
            authority: author.authority(),
            oracle: Oracle::of(&actions),
            proofs: questions.iter().map(prove).collect(),
            questions,
            design: core::marker::PhantomData,
        }
    }

    fn decode(&self, question: usize) -> TupleProof<S, D> {
        codec::decode_body(&self.proofs[question][ENVELOPE_LENGTH..]).expect("an honest proof")
    }
}

impl<D: Design<S, Secret: TestSecret>> TupleTarget for FixedContents<D> {
    fn proofs(&self) -> &[Vec<u8>] {
        &self.proofs
    }

    fn verify(&self, question: usize, message: &[u8]) -> Option<Answers> {
        let (version, key) = &self.questions[question];
        let expectation = expectation::<S, D>(self.authority, *version);
        let proof = Untrusted::<TupleProof<S, D>>::decode(message, 1 << 20).ok()?;
        let lookup = proof.verify(&expectation, key).ok()?.into_inner();
        Some(vec![(lookup.key, lookup.answer.value().cloned())])
    }

    fn answer(&self, question: usize) -> Answers {
        let (version, key) = &self.questions[question];
        let value = self.oracle.at(*version).get(key).cloned();
        vec![(key.clone(), value)]
    }

    fn change(&self, question: usize, other: usize, changes: &[[u8; 4]]) -> Vec<u8> {
        let (mut changed, other) = (self.decode(question), self.decode(other));
        for change in changes {
            apply(*change, &mut changed, &other);
        }
        codec::encode(&changed)
    }
}

fn apply<D: Design<S>>(
    [what, first, second, bits]: [u8; 4],
    proof: &mut TupleProof<S, D>,
    other: &TupleProof<S, D>,
) {
    let (first, second) = (usize::from(first), usize::from(second));
    let (parts, others) = (proof.parts.len().max(1), other.parts.len().max(1));
    match what % 10 {
        0 => {
            if let Some(epoch) = proof.epochs.first_mut() {
                *epoch ^= u64::from(bits) << (first % 8 * 8);
            }
        }
        1 => proof.epochs.clone_from(&other.epochs),
        2 => proof.epochs.push(bits.into()),
        3 if first < proof.parts.len() => drop(proof.parts.remove(first)),
        4 => {
            if let Some(part) = other.parts.get(second % others) {
                proof
                    .parts
                    .insert(first % (proof.parts.len() + 1), part.clone());
            }
        }
        5 if !proof.parts.is_empty() => proof.parts.swap(first % parts, second % parts),
        6 => {
            let foreign = other.parts.get(second % others);
            if let (Some(part), Some(foreign)) = (proof.parts.get_mut(first % parts), foreign) {
                part.evidence = foreign.evidence.clone();
            }
        }
        7 => {
            if let Some(part) = proof.parts.get_mut(first % parts) {
                change_evidence(part, second, bits);
            }
        }
        8 => {
            if let Some(part) = proof.parts.get_mut(first % parts) {
                change_tuple(&mut part.tuple, second, bits);
            }
        }
        9 => proof.seal = other.seal.clone(),
        _ => {}
    }
}

fn change_evidence<D: Design<S>>(part: &mut Part<S, D>, place: usize, bits: u8) {
    let mut bytes = codec::encode_body(&part.evidence);
    let place = place % bytes.len();
    bytes[place] ^= bits;
    if let Ok(changed) = codec::decode_body(&bytes) {
        part.evidence = changed;
    }
}

fn change_tuple(tuple: &mut ShownTuple<S>, what: usize, bits: u8) {
    let (upper, below) = match tuple {
        ShownTuple::At { upper, content } => {
            match what % 8 {
                0 => *content = Content::Nothing,
                1 => *content = Content::Removed,
                2 => *content = Content::Value(value([bits])),
                _ => {}
            }
            (upper, None)
        }
        ShownTuple::Below {
            lower,
            upper,
            content,
        } => (upper, Some((lower, content))),
    };
    match what % 8 {
        3 => *upper = None,
        4 => *upper = Some(key([bits])),
        5 => {
            if let Some((lower, _)) = below {
                *lower = key([bits]);
            }
        }
        6 => {
            if let Some((_, content)) = below {
                *content = Content::Nothing;
            }
        }
        7 => {
            if let Some((_, content)) = below {
                *content = Content::Removed;
            }
        }
        _ => {}
    }
}
