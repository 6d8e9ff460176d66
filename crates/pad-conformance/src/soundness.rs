//! Soundness over bytes: no changed, combined or replayed answer of any family makes a client
//! accept a false statement.
//!
//! A passed check does not prove a verifier sound. It finds verifiers that ignore a part of a
//! proof, of the question or of the head. It also finds those that accept a list with a hole, if
//! each entry of the list begins with its key. It does not know the meaning of the other bytes of a
//! proof. It therefore misses a verifier that is deceived only if several values change together.

use pad_core::{
    Answers, Author, Authored, Client, DictionaryId, Key, PublicKey, Response, SchemeId, Server,
    Serves, SnapshotHead, Value, Version, codec,
};

use crate::{
    Action, Oracle, Random,
    changed::changed_at,
    operation::{key, value},
    oracle::Contents,
    pad::signing_key,
    queries::OracleQuestion,
    repository::{SIGNER, STRANGER},
    soak,
    traces::{check_traces, seed},
};

/// Checks that no answer deceives the clients of family `F` about questions of type `Q`.
///
/// The check publishes a fixed trace, and under `make soak` random ones. For every version and
/// several questions, a client receives:
///
/// * the honest answer, which it must accept;
/// * the honest answer with changed, missing, repeated and additional bytes;
/// * the honest answer without an entry of the version, if it contains the entry's key and value;
/// * parts of two answers, in one message;
/// * answers to other questions, and about other versions, dictionaries and authors;
/// * proofs under the heads of such answers, and under a head that the author signed for another
///   scheme.
///
/// The client may refuse each of the others, or accept it as the true statement. Time: some 10^4
/// verifications for each trace.
///
/// # Panics
/// If the client refuses an honest answer, or accepts a false statement. The message names the
/// change.
pub fn check_soundness<F, Q>()
where
    F: Authored<Repository: Serves<Q>> + Answers<Q>,
    Q: OracleQuestion,
{
    check_soundness_of::<F, Q>(&fixed_trace());
    if soak::is_whole() {
        let name = format!("{}: soundness", F::NAME);
        check_traces(&name, 30, 16, check_soundness_of::<F, Q>);
    }
}

/// Returns a trace whose four versions add, change, keep and remove entries.
fn fixed_trace() -> Vec<Action> {
    let put = |name: &str, content: &str| Action::Put(key(name), value(content));
    vec![
        put("b", "1"),
        put("d", "2"),
        put("f", ""),
        put("h", "the value of h"),
        Action::Snapshot,
        put("d", "3"),
        put("bb", "1"),
        Action::Remove(key("h")),
        Action::Snapshot,
        Action::Snapshot,
        Action::Remove(key("b")),
        put("h", "2"),
        Action::Snapshot,
    ]
}

/// Returns a trace with other values, and without some of the keys. The true answers about other
/// dictionaries are then false here, also those that a key is absent.
fn altered(actions: &[Action]) -> Vec<Action> {
    let numbered = actions.iter().enumerate();
    let altered = numbered.filter_map(|(place, action)| match action {
        Action::Put(..) if place % 2 == 1 => None,
        Action::Put(key, _) => Some(Action::Put(key.clone(), value("false"))),
        action => Some(action.clone()),
    });
    altered.collect()
}

/// Checks the answers about the versions of one trace, as [`check_soundness`] does.
fn check_soundness_of<F, Q>(actions: &[Action])
where
    F: Authored<Repository: Serves<Q>> + Answers<Q>,
    Q: OracleQuestion,
{
    let mut random = Random::new(seed());
    let own = Published::<F>::new("conformance", SIGNER, actions);
    let keys: Vec<Key> = own.oracle.interesting_keys().into_iter().collect();
    let others = [("another", SIGNER), ("conformance", STRANGER)];
    let foreign = others
        .map(|(name, signer)| Published::<F>::new(name, signer, &altered(actions)))
        .into_iter()
        .flat_map(|published| published.answers::<Q>(&keys, &mut random))
        .map(|answer| answer.message);
    let foreign: Vec<Vec<u8>> = foreign.collect();
    let honest = own.answers::<Q>(&keys, &mut random);
    let own_messages = honest.iter().map(|answer| answer.message.clone());
    let messages: Vec<Vec<u8>> = own_messages.chain(foreign).collect();
    let mut tally = Tally::default();
    for answer in &honest {
        let victim = Victim {
            client: own.client(own.server.latest()),
            inclusion: own.inclusion(answer.version),
            answer,
        };
        let (client, asked) = (&victim.client, &answer.question);
        let verified = client.check_at(answer.version, &answer.message, asked);
        let verified = verified
            .unwrap_or_else(|error| panic!("the honest answer to {asked:?} is refused: {error:?}"));
        assert_eq!(verified.get(), &answer.truth, "the answer to {asked:?}");
        let contents = own.oracle.at(answer.version);
        let mut copies = changed(&answer.message, &messages, &mut random);
        copies.extend(without_entries(&answer.message, contents));
        for (what, changed) in copies {
            victim.judge(&changed, &|| what.clone(), &mut tally);
        }
        for (number, message) in messages.iter().enumerate() {
            victim.judge(message, &|| format!("answer {number} replayed"), &mut tally);
            for (what, message) in recombined::<F, Q>(&answer.message, message) {
                let what = || format!("{what} of answer {number}");
                victim.judge(&message, &what, &mut tally);
            }
        }
        let other_scheme = under_other_scheme::<F, Q>(&answer.message);
        let what = || "a head of another scheme".to_owned();
        victim.judge(&other_scheme, &what, &mut tally);
    }
    let Tally { refused, accepted } = tally;
    println!("{}: {refused} answers refused, {accepted} true", F::NAME);
    assert!(refused > 0, "no changed answer was refused");
}

/// A dictionary with the versions of a trace.
struct Published<F: Authored> {
    public: PublicKey<F>,
    server: Server<F>,
    oracle: Oracle,
}

impl<F: Authored> Published<F> {
    /// Publishes the versions of a trace as the dictionary `name`, with the [signing
    /// key](signing_key) of number `signer`.
    fn new(name: &str, signer: u8, actions: &[Action]) -> Self {
        let author = Author::<F>::new(DictionaryId::from_name(name), signing_key(signer));
        let mut author = author.expect("a new author");
        let public = author.public().clone();
        let mut server = Server::new(&public);
        let mut oracle = Oracle::default();
        for action in actions {
            oracle.apply(action);
            if let Some(update) = action.apply(author.dictionary_mut()) {
                let version = server.apply(&codec::encode(&update));
                assert_eq!(version, Ok(oracle.latest()), "an honest update applies");
            }
        }
        Self {
            public,
            server,
            oracle,
        }
    }

    /// Creates a client whose newest version is `version`.
    fn client(&self, version: Version) -> Client<F> {
        let mut client = Client::new(self.public.clone());
        if version != Version::EMPTY {
            let head = self.server.head(version).expect("the version is there");
            let seen = client.advance(&head, None);
            assert_eq!(seen.ok(), Some(version), "the author signed the head");
        }
        client
    }

    /// Returns the encoded proof that an older version is in the history of the latest version;
    /// `None` for version 0 and for the latest version.
    fn inclusion(&self, version: Version) -> Option<Vec<u8>> {
        let latest = self.server.latest();
        let is_past = version != Version::EMPTY && version < latest;
        is_past.then(|| {
            let proof = self.server.inclusion(version, latest);
            proof.expect("the version is there")
        })
    }

    /// Returns the honest answers to several questions about each version and about `keys`.
    fn answers<Q>(&self, keys: &[Key], random: &mut Random) -> Vec<HonestAnswer<Q>>
    where
        F: Authored<Repository: Serves<Q>> + Answers<Q>,
        Q: OracleQuestion,
    {
        let mut answers = Vec::new();
        for (version, contents) in self.oracle.versions_from(Version::EMPTY) {
            let mut questions = Q::about(keys, random);
            // Questions at equal distances would all be about present keys, or all about absent
            // ones.
            while questions.len() > soak::size(4, 8) {
                let surplus = random.index(questions.len());
                questions.swap_remove(surplus);
            }
            for question in questions {
                let message = self.server.answer(version, &question);
                answers.push(HonestAnswer {
                    version,
                    message: message.expect("the version is there"),
                    truth: question.truth(version, contents),
                    question,
                });
            }
        }
        answers
    }
}

/// The encoded answer of an honest server to a question about a version.
struct HonestAnswer<Q: OracleQuestion> {
    version: Version,
    question: Q,
    message: Vec<u8>,
    truth: Q::Statement,
}

/// The numbers of dishonest answers that clients refused, and that they accepted as the true
/// statement.
#[derive(Default)]
struct Tally {
    refused: u64,
    accepted: u64,
}

/// A client that expects the answer to a question.
struct Victim<'a, F: Authored, Q: OracleQuestion> {
    client: Client<F>,
    answer: &'a HonestAnswer<Q>,
    /// The proof that the version is in the history of the client's newest version.
    inclusion: Option<Vec<u8>>,
}

impl<F: Authored + Answers<Q>, Q: OracleQuestion> Victim<'_, F, Q> {
    /// Passes `message` to every way of verification. Panics if the client accepts a statement that
    /// is not true.
    fn judge(&self, message: &[u8], what: &dyn Fn() -> String, tally: &mut Tally) {
        let HonestAnswer {
            version, question, ..
        } = self.answer;
        let signed = self.client.check_at(*version, message, question);
        let past = self.inclusion.as_ref().map(|inclusion| {
            let client = &self.client;
            let past = client.check_past(*version, inclusion, message, question);
            past.ok()
        });
        for verified in [Some(signed.ok()), past].into_iter().flatten() {
            let Some(verified) = verified else {
                tally.refused += 1;
                continue;
            };
            let (found, truth) = (verified.get(), &self.answer.truth);
            assert!(
                found == truth,
                "forged: {} gives {found:?}, not {truth:?}",
                what()
            );
            tally.accepted += 1;
        }
    }
}

/// Returns the two messages that contain the head of one of two answers and the proof of the other.
fn recombined<F: Answers<Q>, Q: OracleQuestion>(
    one: &[u8],
    other: &[u8],
) -> [(&'static str, Vec<u8>); 2] {
    let (mut ours, mut theirs) = (decoded::<F, Q>(one), decoded::<F, Q>(other));
    core::mem::swap(&mut ours.head, &mut theirs.head);
    [
        ("the head", codec::encode(&ours)),
        ("the proof", codec::encode(&theirs)),
    ]
}

/// Returns an answer whose head the author signed for another scheme. The head is that of version 1
/// if the answer has none.
fn under_other_scheme<F: Answers<Q>, Q: OracleQuestion>(message: &[u8]) -> Vec<u8> {
    let mut response = decoded::<F, Q>(message);
    let scheme = SchemeId(F::SCHEME.0.wrapping_add(1));
    let first = SnapshotHead {
        version: Version::new(1),
        ..SnapshotHead::empty(scheme, DictionaryId::from_name("conformance"))
    };
    let head = response.head.map_or(first, |signed| signed.head);
    let head = SnapshotHead { scheme, ..head };
    let signed = head.sign(&signing_key(SIGNER));
    response.head = Some(signed.expect("keys in memory sign"));
    codec::encode(&response)
}

fn decoded<F: Answers<Q>, Q: OracleQuestion>(
    message: &[u8],
) -> Response<F::Suite, <F as Answers<Q>>::Proof> {
    codec::decode(message, message.len()).expect("an honest answer decodes")
}

/// Returns changed copies of the message `honest`, each with a description. `others` are further
/// messages.
fn changed(honest: &[u8], others: &[Vec<u8>], random: &mut Random) -> Vec<(String, Vec<u8>)> {
    let mut changed = Vec::new();
    let step = soak::size(11, 3);
    for position in (random.index(step)..honest.len()).step_by(step) {
        let other = &others[random.index(others.len())];
        let here = changed_at(position, honest, other, random);
        changed.extend(here.map(|(what, message)| (format!("byte {position}: {what}"), message)));
    }
    for noise in [&[0_u8][..], &[255], &random.bytes(40)] {
        changed.push(("bytes behind the end".to_owned(), [honest, noise].concat()));
    }
    changed.retain(|(_, message)| message != honest);
    changed
}

/// Returns copies of the message `honest` from which an entry of `contents` is missing. An entry is
/// its key and value, and perhaps more bytes up to the next key. Any byte before it may be the
/// length of the list, so there is a copy for each with that byte reduced by one.
fn without_entries(honest: &[u8], contents: &Contents) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(usize, &Key, &Value)> = Vec::new();
    for (key, value) in contents
        .iter()
        .filter(|(key, _)| !key.as_bytes().is_empty())
    {
        let encoded = codec::encode_body(key);
        let starts = honest.windows(encoded.len()).enumerate();
        let starts = starts.filter(|(_, window)| *window == encoded);
        found.extend(starts.map(|(start, _)| (start, key, value)));
    }
    found.sort_by_key(|(start, ..)| *start);
    let longest = found.len().max(contents.len());
    let lengths = 1..=u8::try_from(longest).unwrap_or(u8::MAX);
    let mut shorter = Vec::new();
    for (number, (start, key, value)) in found.iter().enumerate() {
        let (before, entry) = honest.split_at(*start);
        let encoded = codec::encode_body(&(key, value));
        let own_end = entry.starts_with(&encoded).then_some(start + encoded.len());
        let next = found.get(number + 1).map(|(next, ..)| *next);
        let next_end = next.filter(|next| Some(*next) != own_end);
        for end in own_end.into_iter().chain(next_end) {
            for (place, length) in before.iter().enumerate() {
                if lengths.contains(length) {
                    let mut message = [before, &honest[end..]].concat();
                    message[place] -= 1;
                    let what = format!("the entry of {key} left out, byte {place} reduced");
                    shorter.push((what, message));
                }
            }
        }
    }
    shorter
}
