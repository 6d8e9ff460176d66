//! Checks that clients of append-only logs refuse hostile messages: changed bytes, truncated and
//! extended messages, random bytes, and answers to other questions.

use pad_accumulators::wire;
use pad_core::{DictionaryId, Repository as _, Version, codec};
use pad_log::{
    AppendOnlyProof, Entry, Growth, InclusionProof, Log, LogRoot,
    internals::{Contents, proof},
};

use super::{
    Lookups, Roles,
    roles::{KEYS, key, random_entry},
    verify,
};
use crate::Random;

/// A function that returns whether a client accepts a message as the answer to one fixed question.
pub type Verdict<'a> = Box<dyn Fn(&[u8]) -> bool + Send + Sync + 'a>;

/// An honest answer to a question, with a function that checks other messages as answers to the
/// same question.
pub struct Answer<'a> {
    /// The encoded honest answer.
    pub message: Vec<u8>,
    /// Returns whether a client accepts a message as the answer to this question.
    pub is_accepted: Verdict<'a>,
}

/// Returns honest answers to lookups, inclusion questions and append-only questions about `at`, the
/// latest version of a log.
pub fn answers<'a, S: Lookups>(roles: &'a Roles<S>, at: &'a LogRoot<S>) -> Vec<Answer<'a>> {
    let version = at.version();
    let mut answers: Vec<Answer<'a>> = Vec::new();
    let present = roles.list.iter().map(|entry| entry.key.clone());
    for asked in [key(KEYS)].into_iter().chain(present.take(2)) {
        if let Ok(proof) = roles.server.prove(version, &asked) {
            answers.push(Answer {
                message: wire::encode(&proof),
                is_accepted: Box::new(move |bytes| verify::<S::Lookup>(bytes, at, &asked).is_ok()),
            });
        }
    }
    for entry in roles.list.iter().take(1).chain(roles.list.last()) {
        let proof = roles.server.prove_inclusion(version, entry).unwrap();
        answers.push(Answer {
            message: wire::encode(&proof),
            is_accepted: Box::new(move |bytes| {
                verify::<InclusionProof<S>>(bytes, at, entry).is_ok()
            }),
        });
    }
    for from in 0..=version.number() {
        let proof = roles.server.prove_append_only(Version::new(from), version);
        let growth = Growth::new(roles.at(from), at.clone()).unwrap();
        answers.push(Answer {
            message: wire::encode(&proof.unwrap()),
            is_accepted: Box::new(move |bytes| {
                verify::<AppendOnlyProof<S>>(bytes, &growth, &()).is_ok()
            }),
        });
    }
    answers
}

/// Creates a log of two versions with 21 entries, more than fit into a tree of 16 elements.
pub fn roles<S: Lookups>(log: &Log<S>, seed: u64) -> Roles<S> {
    let mut random = Random::new(seed);
    let mut roles = Roles::new(log);
    for number in 0..21 {
        // In dictionaries, key 0 has several values, in the first tree of 16 entries and after it.
        let is_new = S::CONTENTS == Contents::Set || number % 4 > 0;
        let key = key(if is_new { 100 + number } else { 0 });
        let entry = random_entry::<S>(&mut random);
        roles.append(Entry { key, ..entry });
        if number == 12 {
            roles.publish_built();
        }
    }
    roles.publish_built();
    roles
}

/// Runs all checks of this module on one log. Of each honest message, every `step`-th byte is
/// changed in turn.
pub fn check_hostile_bytes<S: Lookups>(log: &Log<S>, step: usize, seed: u64) {
    let roles = roles(log, seed);
    let at = roles.at(roles.latest());
    let answers = answers(&roles, &at);
    let mut random = Random::new(seed);
    check_damage(&answers, step, &mut random);
    check_other_questions(&answers);
    check_other_roots(&roles, seed);
    check_noise::<S>(&answers, &mut random);
}

/// Checks that an honest answer is refused after one of its bytes was changed (every `step`-th byte
/// in turn), and after truncation or extension.
fn check_damage(answers: &[Answer<'_>], step: usize, random: &mut Random) {
    for Answer {
        message,
        is_accepted,
    } in answers
    {
        assert!(is_accepted(message), "the message itself is fine");
        for place in (0..message.len()).step_by(step) {
            let mut damaged = message.clone();
            damaged[place] ^= u8::try_from(1 + random.below(255)).unwrap();
            assert!(!is_accepted(&damaged), "byte {place}");
            assert!(!is_accepted(&message[..place]), "cut to {place}");
        }
        for extra in [1, 32, 48] {
            let mut longer = message.clone();
            longer.resize(message.len() + extra, 0);
            assert!(!is_accepted(&longer), "{extra} bytes more");
        }
    }
}

/// Checks that an honest answer is refused as the answer to another question, unless both questions
/// have the same honest answer, byte for byte.
fn check_other_questions(answers: &[Answer<'_>]) {
    for (place, one) in answers.iter().enumerate() {
        for (other_place, other) in answers.iter().enumerate() {
            let same = one.message == other.message;
            let is_accepted = (other.is_accepted)(&one.message);
            assert_eq!(is_accepted, same, "{place} for {other_place}");
        }
    }
}

/// Checks that a lookup proof is refused for another version or log, unless the honest proof for it
/// consists of the same bytes.
fn check_other_roots<S: Lookups>(all: &Roles<S>, seed: u64) {
    let setup = all.author.log().setup().clone();
    let elsewhere = Log::<S>::new(DictionaryId::from_name("another log"), setup);
    let elsewhere = roles(&elsewhere, seed);
    let asked = key(KEYS);
    let message = |roles: &Roles<S>, version| {
        wire::encode(&roles.server.prove(Version::new(version), &asked).unwrap())
    };
    for version in [1, 2] {
        let proof = message(all, version);
        for (roles, other) in [(all, 1), (all, 2), (&elsewhere, 1), (&elsewhere, 2)] {
            // Challenges cover the id of the log. Messages without challenges depend only on the
            // contents, which may be equal in another log.
            let same = message(roles, other) == proof;
            let accepted = verify::<S::Lookup>(&proof, &roles.at(other), &asked).is_ok();
            assert_eq!(accepted, same, "version {version} for {other}");
        }
    }
}

/// Checks that random bytes after a valid envelope, and random bytes without an envelope, are
/// refused without a panic.
fn check_noise<S: Lookups>(answers: &[Answer<'_>], random: &mut Random) {
    for _ in 0..50 {
        use proof::{KIND_APPEND_ONLY, KIND_INCLUSION, KIND_LOOKUP};
        for kind in [KIND_LOOKUP, KIND_INCLUSION, KIND_APPEND_ONLY] {
            let mut noise = codec::envelope(kind, S::ID.0);
            // The distribution favours sizes that pass the first checks.
            let size = random.next_bits() >> (random.below(60) + 4);
            noise.extend_from_slice(&size.to_be_bytes());
            let length = usize::try_from(random.below(900)).unwrap();
            noise.extend_from_slice(&random.bytes(length));
            assert!(!answers.iter().any(|answer| (answer.is_accepted)(&noise)));
        }
        let length = usize::try_from(random.below(16)).unwrap();
        let short = random.bytes(length);
        assert!(!answers.iter().any(|answer| (answer.is_accepted)(&short)));
    }
}
