//! Attacked tuple proofs of many keys and of ranges: fixed contents, one honest proof for each
//! query.

use core::marker::PhantomData;

use pad_conformance::{
    Oracle, TuplePad,
    operation::key,
    repository::{TraceRun, play},
    tuple::{TestSecret, expectation},
};
use pad_core::{
    Authority, Dictionary, Key, Untrusted, Version,
    codec::{self, ENVELOPE_LENGTH},
};
use pad_core::{KeyRange, Keys};
use pad_tuple::{ManyProof, RangeProof, internals::AggregateDesign};

use crate::{
    target::S,
    tuples::{Answers, TupleTarget, actions},
};

/// A query about a version.
enum Question {
    Many(Version, Keys),
    Range(Version, KeyRange),
}

/// Fixed contents under one tuple design, with queries and their honest proofs.
pub(crate) struct Together<D> {
    authority: Authority,
    oracle: Oracle,
    questions: Vec<Question>,
    proofs: Vec<Vec<u8>>,
    design: PhantomData<D>,
}

/// Returns queries about some keys, everything, and a range with ends between keys, each in some
/// versions.
fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for version in [0, 1, 6, 11] {
        let version = Version::new(version);
        let asked = [0, 4, 8, 12, 13, 18, 33, 34].map(|byte| key([byte]));
        let asked = Keys::new(asked.into()).expect("some keys");
        questions.push(Question::Many(version, asked));
        questions.push(Question::Range(version, KeyRange::ALL));
        let (start, end) = (Some(key([10])), Some(key([19])));
        questions.push(Question::Range(version, KeyRange { start, end }));
    }
    questions
}

impl<D: AggregateDesign<S, Secret: TestSecret>> Together<D> {
    pub(crate) fn new() -> Self {
        let actions = actions();
        let TraceRun { server, author, .. } = play::<TuplePad<S, D>>(&actions);
        let questions = questions();
        let prove = |question: &Question| match question {
            Question::Many(version, keys) => {
                codec::encode(&server.prove_keys(*version, keys).expect("a version"))
            }
            Question::Range(version, range) => {
                codec::encode(&server.prove_range(*version, range).expect("a version"))
            }
        };
        Self {
            authority: author.authority(),
            oracle: Oracle::of(&actions),
            proofs: questions.iter().map(prove).collect(),
            questions,
            design: PhantomData,
        }
    }
}

impl<D: AggregateDesign<S, Secret: TestSecret>> TupleTarget for Together<D> {
    fn proofs(&self) -> &[Vec<u8>] {
        &self.proofs
    }

    fn verify(&self, question: usize, message: &[u8]) -> Option<Answers> {
        match &self.questions[question] {
            Question::Many(version, keys) => {
                let trusted = expectation::<S, D>(self.authority, *version);
                let proof = Untrusted::<ManyProof<S, D>>::decode(message, 1 << 20).ok()?;
                let lookups = proof.verify(&trusted, keys).ok()?.into_inner();
                let answers = lookups.answers.into_iter();
                Some(
                    answers
                        .map(|(key, answer)| (key, answer.value().cloned()))
                        .collect(),
                )
            }
            Question::Range(version, range) => {
                let trusted = expectation::<S, D>(self.authority, *version);
                let proof = Untrusted::<RangeProof<S, D>>::decode(message, 1 << 20).ok()?;
                let contents = proof.verify(&trusted, range).ok()?.into_inner();
                let entries = contents.entries.into_iter();
                Some(entries.map(|(key, value)| (key, Some(value))).collect())
            }
        }
    }

    fn answer(&self, question: usize) -> Answers {
        match &self.questions[question] {
            Question::Many(version, keys) => {
                let contents = self.oracle.at(*version);
                let answer = |key: &Key| (key.clone(), contents.get(key).cloned());
                keys.as_slice().iter().map(answer).collect()
            }
            Question::Range(version, range) => {
                let inside = |key: &Key| {
                    range.start.as_ref().is_none_or(|start| key >= start)
                        && range.end.as_ref().is_none_or(|end| key < end)
                };
                let contents = self.oracle.at(*version).iter();
                contents
                    .filter(|(key, _)| inside(key))
                    .map(|(key, value)| (key.clone(), Some(value.clone())))
                    .collect()
            }
        }
    }

    /// Changes bytes. Most changed bodies still decode, because numbers, keys and variants are
    /// short.
    fn change(&self, question: usize, other: usize, changes: &[[u8; 4]]) -> Vec<u8> {
        let (envelope, body) = self.proofs[question].split_at(ENVELOPE_LENGTH);
        let (mut body, other) = (body.to_vec(), &self.proofs[other][ENVELOPE_LENGTH..]);
        for [what, first, second, bits] in changes {
            let place = usize::from(*first) << 3 | usize::from(*bits & 7);
            let place = place % body.len().max(1);
            let length = usize::from(*second) % 100;
            match what % 5 {
                0 if !body.is_empty() => body[place] ^= bits,
                1 => body.insert(place, *bits),
                2 if !body.is_empty() => drop(body.remove(place)),
                3 => drop(body.drain(place..body.len().min(place + length))),
                _ => {
                    let from = place.min(other.len());
                    let until = other.len().min(from + length);
                    body.splice(
                        place..body.len().min(place + length),
                        other[from..until].to_vec(),
                    );
                }
            }
        }
        [envelope, &body].concat()
    }
}
