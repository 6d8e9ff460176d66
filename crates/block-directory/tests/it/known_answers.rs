//! Known answers: `docs/vectors/directories/block_directory.json`, and the file in the environment
//! variable `BLOCK_DIRECTORY_VECTORS`.

use block_directory::{
    BlockDirectory, Changes, DirectoryClient, DirectoryProof, Entries, Entry, EntryProof,
    EntryQuery, EntryRange, FullAuthor, Hint, LightAuthor,
    internals::{EntryRequest, RangeRequest, Selection, ShortCircuit, entry_digest, root_digest},
};
use ed25519_dalek::SigningKey;
use pad_core::{
    Blake3Ed25519, DecodeError, Paper2010, Proof as _, Sha256Ed25519, Suite, Untrusted,
    VerifyError, Version,
    codec::{self, Message},
    internals::{DigestBytes, Domain},
};
use serde_json::Value as Json;

use crate::support::{head_of, id};

/// Groups that the tests of the crate `bench` run: the traces of block reads.
const RUN_ELSEWHERE: [&str; 1] = ["trace"];

/// Groups of other vector files that are retired: the layout of scheme 4.
const RETIRED: [&str; 1] = ["keyed"];

/// Groups that this module and [`crate::known_strategies`] run.
const RUN: [&str; 15] = [
    "comment",
    "author",
    "object",
    "hashes",
    "primes",
    "expand",
    "elements",
    "dense",
    "dense_roots",
    "hints",
    "strategies",
    "algebra",
    "refused",
    "poisoned_hint",
    "forged_rest_of_block",
];

pub(crate) fn vectors() -> Vec<Json> {
    pad_conformance::published::read_with("BLOCK_DIRECTORY_VECTORS", "directories/block_directory")
}

/// Calls `check` with each vector file and each case in its group `name`.
pub(crate) fn each_case(name: &str, mut check: impl FnMut(&Json, &Json)) {
    for vectors in vectors() {
        for case in items(&vectors, name) {
            check(&vectors, case);
        }
    }
}

pub(crate) fn items<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    value[name]
        .as_array()
        .unwrap_or_else(|| panic!("{name} is a list"))
}

pub(crate) fn number(value: &Json) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is a number"))
}

pub(crate) fn bytes(value: &Json) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

pub(crate) fn digest<S: Suite>(value: &Json) -> S::Digest {
    S::Digest::from_slice(&bytes(value)).unwrap()
}

fn ids(value: &Json) -> Vec<u64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn signer(vectors: &Json) -> SigningKey {
    SigningKey::from_bytes(&bytes(&vectors["author"]["seed"]).try_into().unwrap())
}

fn name(vectors: &Json) -> &str {
    vectors["author"]["dictionary_name"].as_str().unwrap()
}

/// The digest of an id's object, by the rule of the file.
pub(crate) fn object<S: Suite>(vectors: &Json, number: u64) -> S::Digest {
    let label = vectors["object"].as_str().unwrap();
    S::value(format!("{label}-{number}").as_bytes())
}

/// Calls a generic function with the suite of a vector.
macro_rules! with_suite {
    ($group:expr, $function:ident($($argument:expr),*)) => {
        match number(&$group["suite"]) {
            1 => $function::<Sha256Ed25519>($($argument),*),
            2 => $function::<Blake3Ed25519>($($argument),*),
            3 => $function::<Paper2010>($($argument),*),
            other => panic!("suite {other}"),
        }
    };
}

#[test]
fn every_group_is_run_or_listed() {
    for vectors in vectors() {
        for group in vectors.as_object().unwrap().keys() {
            let group = group.as_str();
            let known = [&RUN[..], &RUN_ELSEWHERE, &RETIRED].concat();
            assert!(known.contains(&group), "{group}");
        }
    }
}

#[test]
fn hashes() {
    each_case("hashes", |_, group| with_suite!(group, check_hashes(group)));
}

fn check_hashes<S: Suite>(group: &Json) {
    let number = number(&group["id"]);
    let live = entry_digest::<S>(id(number), Some(&digest::<S>(&group["object_digest"])));
    assert_eq!(live, digest::<S>(&group["entry_live"]));
    let deleted = entry_digest::<S>(id(number + 1), None);
    assert_eq!(deleted, digest::<S>(&group["entry_deleted_of_next_id"]));
    let both = S::node(Domain::DirectoryNode, &live, &deleted);
    assert_eq!(both, digest::<S>(&group["node_of_both"]));
    let root = &group["root"];
    let computed = root_digest::<S>(self::number(&root["n"]), &digest::<S>(&root["top"]));
    assert_eq!(computed, digest::<S>(&root["root"]));
    let none = digest::<S>(&group["root_of_no_entries"]);
    assert_eq!(root_digest::<S>(0, &S::Digest::default()), none);
}

#[test]
fn roots_of_many_sizes() {
    each_case("dense_roots", |vectors, group| {
        with_suite!(group, check_root(vectors, group));
    });
}

/// Checks that loading at once and appending lead to one root.
fn check_root<S: Suite>(vectors: &Json, group: &Json) {
    let (entries, root) = (number(&group["n"]), digest::<S>(&group["root"]));
    assert_eq!(root_digest::<S>(entries, &digest::<S>(&group["top"])), root);
    let mut author = FullAuthor::<S>::new(name(vectors), signer(vectors)).unwrap();
    let objects = || (0..entries).map(|number| object::<S>(vectors, number));
    let head = author.load(objects()).unwrap();
    assert_eq!(head.head.root, root);
    let server = BlockDirectory::<S>::new(*author.authority(), 7).unwrap();
    let server = server.load(&head, objects()).unwrap();
    assert_eq!(server.registered(), entries);
    let mut light = LightAuthor::<S>::new(name(vectors), signer(vectors)).unwrap();
    let mut changes = Changes::new();
    objects().for_each(|object| changes.append(object));
    let update = light.publish(&changes, None, |_, _| Ok::<(), DecodeError>(()));
    assert_eq!(update.unwrap().head, head);
}

#[test]
fn histories_of_all_roles() {
    each_case("dense", |vectors, group| {
        with_suite!(group, check_history(vectors, group));
    });
}

/// An operation of a vector: the digest of a live entry, or `None` for a deleted one.
fn operation<S: Suite>(operation: &Json) -> (u64, Option<S::Digest>) {
    let shown = operation[1].as_str().filter(|text| *text != "deleted");
    let shown = shown.map(|text| S::Digest::from_slice(&hex::decode(text).unwrap()).unwrap());
    (number(&operation[0]), shown)
}

fn check_history<S: Suite>(vectors: &Json, group: &Json) {
    let mut full = FullAuthor::<S>::new(name(vectors), signer(vectors)).unwrap();
    let mut light = LightAuthor::<S>::new(name(vectors), signer(vectors)).unwrap();
    let mut server = BlockDirectory::<S>::new(*full.authority(), 2).unwrap();
    for version in items(group, "versions") {
        let registered = server.registered();
        let mut changes = Changes::new();
        for (number, shown) in items(version, "operations").iter().map(operation::<S>) {
            match shown {
                Some(object) if number < registered => {
                    full.update(id(number), object).unwrap();
                    changes.update(id(number), object);
                }
                Some(object) => {
                    assert_eq!(full.append(object), Ok(id(number)));
                    changes.append(object);
                }
                None => {
                    full.delete(id(number)).unwrap();
                    changes.delete(id(number));
                }
            }
        }
        let question = changes.question().unwrap();
        let witness = question.map(|question| server.prove_latest(&question).unwrap());
        let message = witness.as_ref().map(codec::encode).map(hex::encode);
        assert_eq!(message.as_deref(), version["witness"].as_str());
        let update = full.snapshot().unwrap();
        assert_eq!(codec::encode(&update), bytes(&version["update"]));
        assert_eq!(update.head.head.root, digest::<S>(&version["root"]));
        assert_eq!(update.head.head.history, digest::<S>(&version["history"]));
        let signed = update.head.head.signed_bytes();
        assert_eq!(signed, bytes(&version["signed_bytes"]));
        let keep = |_: &_, _: &_| Ok::<(), DecodeError>(());
        let published = light.publish(&changes, witness.map(Untrusted::new), keep);
        assert_eq!(published.unwrap(), update);
        let peaks = items(version, "author_peaks").iter().map(digest::<S>);
        assert_eq!(light.peaks(), peaks.collect::<Vec<_>>());
        let expected = Version::new(number(&version["version"]));
        assert_eq!(server.apply(&update), Ok(expected));
        assert_eq!(server.registered(), number(&version["n"]));
    }
    check_proofs(group, &server);
    check_answers(group, &server);
}

/// The entry of an id in a vector.
fn answer<S: Suite>(answer: &Json) -> Entry<S::Digest> {
    match answer.as_str().unwrap() {
        "deleted" => Entry::Deleted,
        "unassigned" => Entry::Unassigned,
        text => Entry::Live(S::Digest::from_slice(&hex::decode(text).unwrap()).unwrap()),
    }
}

fn check_proofs<S: Suite>(group: &Json, server: &BlockDirectory<S>) {
    let check_answers = |entries: &dyn Fn(u64) -> Option<Entry<S::Digest>>, case: &Json| {
        for expected in items(case, "answers") {
            let found = entries(number(&expected[0]));
            assert_eq!(found, Some(answer::<S>(&expected[1])));
        }
    };
    for case in items(group, "proofs") {
        let query = EntryQuery::new(ids(&case["ids"])).unwrap();
        let entries = check_proof(server, &query, &bytes(&case["proof"]));
        check_answers(&|number| entries.of(id(number)), case);
    }
    for case in items(group, "ranges") {
        let (start, end) = (id(number(&case["start"])), id(number(&case["end"])));
        let range = EntryRange::new(start, end).unwrap();
        let entries = check_proof(server, &range, &bytes(&case["proof"]));
        check_answers(&|number| entries.of(id(number)), case);
    }
}

/// Checks that the server makes this message and that a client accepts it.
fn check_proof<S: Suite, Q: Selection>(
    server: &BlockDirectory<S>,
    query: &Q,
    message: &[u8],
) -> Entries<S, Q> {
    let proof = server.prove_latest(query).unwrap();
    assert_eq!(codec::encode(&proof), message);
    let root = server.heads().latest_head().unwrap().head.root;
    let proof = Untrusted::<DirectoryProof<S, Q>>::decode(message, query.longest_proof());
    let entries = proof.unwrap().verify(&head_of::<S>(root), query);
    entries.unwrap().into_inner()
}

fn check_answers<S: Suite>(group: &Json, server: &BlockDirectory<S>) {
    for case in items(group, "answers") {
        let request = bytes(&case["request"]);
        let message = bytes(&case["answer"]);
        assert_eq!(server.answer(&request).unwrap(), message);
        if let Ok(decoded) = codec::decode::<EntryRequest<S>>(&request, 16_384) {
            assert_eq!(codec::encode(&decoded), request);
            if decoded.chain().is_none() {
                check_accepted(server, &decoded, &message);
            }
        } else {
            let decoded = codec::decode::<RangeRequest<S>>(&request, 64).unwrap();
            assert_eq!(codec::encode(&decoded), request);
        }
    }
}

/// Checks that a client at the version of the request accepts the answer.
fn check_accepted<S: Suite>(server: &BlockDirectory<S>, request: &EntryRequest<S>, answer: &[u8]) {
    let mut client = DirectoryClient::<S>::new(*server.heads().authority(), 2);
    if request.known() != Version::EMPTY {
        let known = server.heads().head(request.known()).unwrap();
        let mut view = *client.view();
        view.advance(Untrusted::new(known), None).unwrap();
        client = DirectoryClient::resume(view, 2);
    }
    let (pending, asked) = client.ask(request.ids().clone());
    assert_eq!(asked, codec::encode(request));
    let found = client.accept(&pending, answer).unwrap();
    assert_eq!(found.entries.get().version, server.latest());
    assert_eq!(client.view().version(), server.latest());
}

#[test]
fn hints() {
    each_case("hints", check_hint);
}

type S = Sha256Ed25519;

/// A directory of objects in order, as in the vectors of hints.
fn of_objects(vectors: &Json, objects: u64, step: u32) -> (FullAuthor<S>, BlockDirectory<S>) {
    let mut author = FullAuthor::<S>::new(name(vectors), signer(vectors)).unwrap();
    (0..objects).for_each(|number| assert!(author.append(object::<S>(vectors, number)).is_ok()));
    let mut server = BlockDirectory::new(*author.authority(), step).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    (author, server)
}

fn check_hint(vectors: &Json, case: &Json) {
    let step = u32::try_from(number(&case["step"])).unwrap();
    let at = id(number(&case["id"]));
    let (mut author, mut server) = of_objects(vectors, number(&case["n_of_hint"]), step);
    let hint: Hint<S> = codec::decode(&bytes(&case["hint"]), 2048).unwrap();
    let proof = server.prove_latest(&EntryQuery::one(at)).unwrap();
    let made = Hint::new(author.authority().dictionary, at, hint.version(), &proof).unwrap();
    assert_eq!(made, hint);
    let registered = server.registered();
    for (number, shown) in items(case, "changes").iter().map(operation::<S>) {
        match shown {
            Some(object) if number < registered => author.update(id(number), object).unwrap(),
            Some(object) => assert!(author.append(object).is_ok()),
            None => author.delete(id(number)).unwrap(),
        }
    }
    server.apply(&author.snapshot().unwrap()).unwrap();
    let head = server.heads().latest_head().unwrap().head;
    assert_eq!(head.root, digest::<S>(&case["root"]));
    let held = object::<S>(vectors, at.number());
    let offer = hint.offer(author.authority(), at, &held, step).unwrap();
    let request = EntryRequest::new(Version::EMPTY, EntryQuery::one(at), Some(offer.chain()));
    let request = codec::encode(&request.unwrap());
    let chain = case["chain"].as_array().unwrap().iter().map(bytes);
    assert!(request.ends_with(&chain.flatten().collect::<Vec<_>>()));
    let full = codec::encode(&server.prove_latest(&EntryQuery::one(at)).unwrap());
    assert_eq!(full, bytes(&case["full"]));
    let answer = server.answer(&request).unwrap();
    let (body, is_short) = match case["short"].as_str() {
        Some(short) => (hex::decode(short).unwrap(), true),
        None => (full, false),
    };
    assert!(answer.ends_with(&body[codec::ENVELOPE_LENGTH..]));
    if is_short {
        let short: ShortCircuit<S> = codec::decode(&body, 2048).unwrap();
        let combined = offer.complete(&short).unwrap();
        let message = codec::encode(combined.as_unverified());
        assert_eq!(message, bytes(&case["combined"]));
        let entries = combined.verify(&head_of::<S>(head.root), &EntryQuery::one(at));
        assert_eq!(entries.unwrap().get().of(at), Some(Entry::Live(held)));
    }
}

/// A poisoned hint does not match. The proof combined from it does not verify.
#[test]
fn a_poisoned_hint() {
    for vectors in vectors() {
        let case = &vectors["poisoned_hint"];
        let at = id(number(&case["id"]));
        let step = u32::try_from(number(&case["step"])).unwrap();
        let honest: Hint<S> = codec::decode(&bytes(&case["honest_hint"]), 2048).unwrap();
        let poisoned: Hint<S> = codec::decode(&bytes(&case["hint"]), 2048).unwrap();
        let (author, server) = of_objects(&vectors, 40, step);
        let short: ShortCircuit<S> = codec::decode(&bytes(&case["short"]), 2048).unwrap();
        let combined: EntryProof<S> = codec::decode(&bytes(&case["combined"]), 2048).unwrap();
        let held = object::<S>(&vectors, at.number());
        let made = honest.offer(author.authority(), at, &held, step).unwrap();
        assert!(made.complete(&short).is_ok());
        let refused = poisoned.clone().offer(author.authority(), at, &held, step);
        assert_eq!(refused, Err(VerifyError::HintOfAnotherObject));
        let root = head_of::<S>(digest::<S>(&case["root"]));
        let refused = combined.clone().check(&root, &EntryQuery::one(at));
        assert_eq!(refused, Err(VerifyError::RootMismatch));
        // A client with the false object offers the hint, and nothing matches. The object's digest
        // follows the envelope, the size and the count in the proof.
        let false_object = &codec::encode(&combined)[codec::ENVELOPE_LENGTH + 3..][..32];
        let false_object = <S as Suite>::Digest::from_slice(false_object).unwrap();
        let offer = poisoned.offer(author.authority(), at, &false_object, step);
        let chain = Some(offer.unwrap().chain());
        let request = EntryRequest::new(Version::EMPTY, EntryQuery::one(at), chain);
        let answer = server.answer_entries(&request.unwrap()).unwrap();
        let full = server.prove_latest(&EntryQuery::one(at)).unwrap();
        let body = codec::encode_body(&full);
        assert!(codec::encode(&answer).ends_with(&body));
    }
}

/// Each message is refused with the model's error, or with that of an earlier check.
#[test]
fn refused_messages() {
    each_case("refused", |_, case| {
        let (why, message) = (case["why"].as_str().unwrap(), bytes(&case["message"]));
        let refused = refusal(case, &message);
        let undecodable = VerifyError::Undecodable;
        let expected = match case["model_says"].as_str().unwrap() {
            "another root" => match refused {
                // The size changes the number of siblings or entries, which is checked before the
                // root.
                VerifyError::MalformedShape | VerifyError::CountMismatch => refused,
                _ => VerifyError::RootMismatch,
            },
            "the reserved digest" => VerifyError::ReservedDigest,
            "a sibling is missing" | "a sibling is left over" => VerifyError::MalformedShape,
            "not one entry for each id" => VerifyError::CountMismatch,
            "the query makes no sense" => VerifyError::InvalidQuery,
            "trailing bytes" => undecodable(DecodeError::TrailingBytes),
            "malformed" => undecodable(DecodeError::Malformed),
            "non-canonical" => undecodable(DecodeError::NonCanonical),
            "wrong kind" => {
                let (expected, actual) = (<EntryProof<S> as Message>::KIND, message[5]);
                undecodable(DecodeError::WrongKind { expected, actual })
            }
            other => panic!("{other} is no known reason"),
        };
        assert_eq!(refused, expected, "{why}");
    });
}

fn refusal(case: &Json, message: &[u8]) -> VerifyError {
    let query = match EntryQuery::new(ids(&case["ids"])) {
        Ok(query) => query,
        Err(error) => return error,
    };
    let root = head_of::<S>(digest::<S>(&case["root"]));
    crate::support::verify(message, &root, &query).unwrap_err()
}
