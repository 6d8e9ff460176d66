//! Forged and stale hints, and dishonest servers and clients.

use block_directory::{
    AnswerError, BlockDirectory, DirectoryClient, Entry, EntryQuery, EntryRange, FullAuthor, Hint,
    internals::{EntryRequest, ShortCircuit},
};
use pad_core::{Refusal, Suite, Untrusted, VerifyError, Version, codec};

use crate::support::{S, accepted, directory, head, id, ids, object};

type D = <S as Suite>::Digest;

fn hint(server: &BlockDirectory<S>, number: u64) -> Hint<S> {
    let proof = server.prove_latest(&ids(&[number])).unwrap();
    let dictionary = server.heads().authority().dictionary;
    Hint::new(dictionary, id(number), server.latest(), &proof).unwrap()
}

/// Check 13: a hint of another directory or another entry must be refused.
#[test]
fn hints_of_others_are_left_out() {
    let (author, server) = directory(40, 2);
    let (hint, held) = (hint(&server, 9), object::<S>(9));
    let authority = *author.authority();
    let mut other = authority;
    other.dictionary = "another".into();
    let offer = |authority, asked, step| hint.clone().offer(authority, id(asked), &held, step);
    assert!(offer(&authority, 9, 2).is_ok());
    assert_eq!(offer(&other, 9, 2), Err(VerifyError::WrongDictionary));
    assert_eq!(
        offer(&authority, 8, 2),
        Err(VerifyError::HintOfAnotherEntry)
    );
    for step in [0, 13, u32::MAX] {
        assert_eq!(offer(&authority, 9, step), Err(VerifyError::InvalidQuery));
    }
    // Impossible sizes.
    for registered in [9, (1 << 48) + 1, u64::MAX] {
        let mut fields: Fields = codec::decode_body(&codec::encode_body(&hint)).unwrap();
        fields.3 = registered;
        let forged: Hint<S> = codec::decode_body(&codec::encode_body(&fields)).unwrap();
        let refused = forged.offer(&authority, id(9), &held, 2);
        assert_eq!(refused, Err(VerifyError::HintOfAnotherEntry));
    }
}

/// Dictionary, id, version, number of entries, entry, siblings.
type Fields = ([u8; 16], u64, u64, u64, Option<D>, Vec<D>);

/// Check 14: a hint must be refused if the client's object is not the one in the hint. A chain
/// starts at the digest of the client's object.
#[test]
fn a_swapped_object_is_noticed_at_once() {
    let (author, server) = directory(40, 2);
    let refused = hint(&server, 9).offer(author.authority(), id(9), &object::<S>(8), 2);
    assert_eq!(refused, Err(VerifyError::HintOfAnotherObject));
    // A deleted entry has no object.
    let (mut author, mut server) = directory(40, 2);
    author.delete(id(9)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let refused = hint(&server, 9).offer(author.authority(), id(9), &object::<S>(9), 2);
    assert_eq!(refused, Err(VerifyError::HintOfAnotherObject));
}

fn short(registered: u64, height: u32, siblings: Vec<D>) -> ShortCircuit<S> {
    codec::decode_body(&codec::encode_body(&(registered, height, siblings))).unwrap()
}

/// Check 15: an answer at a height that the client did not offer must be refused.
#[test]
fn heights_that_were_not_offered_are_refused() {
    let (author, server) = directory(40, 2);
    let offer = hint(&server, 9).offer(author.authority(), id(9), &object::<S>(9), 2);
    let offer = offer.unwrap();
    // The closed subtrees around entry 9 of 40 have at most 32 entries, so heights 2 and 4 are
    // offered.
    for height in [0, 1, 3, 5, 6, 7, 48, 64, u32::MAX] {
        let refused = offer.complete(&short(40, height, Vec::new()));
        assert_eq!(refused, Err(VerifyError::HeightNotOffered { height }));
    }
    assert!(offer.complete(&short(40, 4, Vec::new())).is_ok());
}

/// Check 16: the proof combined from hint and answer is verified like any other proof.
#[test]
fn combined_proofs_are_verified_in_full() {
    let (author, server) = directory(40, 2);
    let held = object::<S>(9);
    let offer = hint(&server, 9)
        .offer(author.authority(), id(9), &held, 2)
        .unwrap();
    let path = codec::encode_body(&server.prove_latest(&ids(&[9])).unwrap());
    let (_, _, siblings): (u64, Vec<Option<D>>, Vec<D>) = codec::decode_body(&path).unwrap();
    let above = siblings[..siblings.len() - 4].to_vec();
    let verified = |answer: ShortCircuit<S>| {
        let proof = offer.complete(&answer).unwrap();
        let entries = proof.verify(&head(&server), &EntryQuery::one(id(9)));
        entries.map(|entries| entries.get().of(id(9)))
    };
    let honest = verified(short(40, 4, above.clone()));
    assert_eq!(honest, Ok(Some(Entry::Live(held))));
    let another_size = verified(short(41, 4, above.clone()));
    assert_eq!(another_size, Err(VerifyError::RootMismatch));
    let mut changed = above.clone();
    changed[0] = object::<S>(1);
    assert_eq!(
        verified(short(40, 4, changed)),
        Err(VerifyError::RootMismatch)
    );
    let another_height = verified(short(40, 2, above));
    assert_eq!(another_height, Err(VerifyError::MalformedShape));
}

/// Check 28: chains are compared only with closed subtrees of registered entries. Other chains get
/// an ordinary proof.
#[test]
fn hostile_chains_get_ordinary_proofs() {
    let (_, server) = directory(40, 2);
    let chains = [(9_u64, 1_u32), (9, 2), (9, 12), (39, 2), (40, 2)];
    for (asked, step) in chains.into_iter().chain([(1 << 47, 2), (u64::MAX, 12)]) {
        for length in [0, 1, 4, 48] {
            let mut body = codec::encode_body(&(0_u64, vec![asked]));
            body.push(1);
            body.extend(codec::encode_body(&(step, vec![D::default(); length])));
            let mut request = codec::envelope(165, S::ID.0);
            request.extend(body);
            let answer = server.answer(&request).unwrap();
            let proof = codec::encode_body(&server.prove_latest(&ids(&[asked])).unwrap());
            assert!(answer.ends_with(&proof));
        }
    }
}

/// An open subtree is not compared, even if its digest is right. Its place in the tree moves with
/// each append.
#[test]
fn open_subtrees_do_not_match() {
    let (_, server) = directory(6, 2);
    // Entries 4 and 5 are the open subtree of height 2 around entry 4. They are also the uppermost
    // sibling in the proof of entry 0.
    let sibling = codec::encode_body(&server.prove_latest(&ids(&[0])).unwrap());
    let (_, _, siblings): (u64, Vec<Option<D>>, Vec<D>) = codec::decode_body(&sibling).unwrap();
    let proof = codec::encode_body(&server.prove_latest(&ids(&[4])).unwrap());
    for digest in siblings {
        let chain = codec::decode_body(&codec::encode_body(&(2_u32, vec![digest]))).unwrap();
        let request = EntryRequest::<S>::new(Version::EMPTY, ids(&[4]), Some(chain)).unwrap();
        let answer = codec::encode(&server.answer_entries(&request).unwrap());
        assert!(answer.ends_with(&proof));
    }
}

/// A server must answer a chain whose step differs from its own with a full proof. A chain with its
/// own step must match.
#[test]
fn chains_of_another_step_do_not_match() {
    let (author, server) = directory(8, 2);
    let offer = hint(&server, 1)
        .offer(author.authority(), id(1), &object::<S>(1), 1)
        .unwrap();
    let wrong_step = EntryRequest::new(Version::EMPTY, ids(&[1]), Some(offer.chain())).unwrap();
    let answer = codec::encode(&server.answer_entries(&wrong_step).unwrap());
    let proof = codec::encode_body(&server.prove_latest(&ids(&[1])).unwrap());
    assert!(answer.ends_with(&proof));
    let (_, server) = directory(8, 1);
    let answer = codec::encode(&server.answer_entries(&wrong_step).unwrap());
    assert!(!answer.ends_with(&proof), "height 2 matches");
    let end = &answer[answer.len() - 34..];
    assert_eq!(end[..2], [2, 1], "height 2, one sibling");
}

/// A client of a directory of 100 entries, and a hint for entry 9.
fn client_with_hint() -> ClientAndHint {
    let (author, server) = directory(100, 2);
    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let found = accepted(client.ask(ids(&[9])), &server, &mut client);
    let hint = codec::encode(&found.refreshed.unwrap());
    (client, hint, server, author)
}

type ClientAndHint = (
    DirectoryClient<S>,
    Vec<u8>,
    BlockDirectory<S>,
    FullAuthor<S>,
);

/// After changes elsewhere a hint still matches lower down. After a change of an adjacent entry it
/// matches nowhere. Both answers verify.
#[test]
fn stale_hints_match_what_did_not_change() {
    let (client, hint, mut server, mut author) = client_with_hint();
    for (changed, matches) in [(90, true), (20, true), (12, true), (10, false)] {
        author
            .update(id(changed), object::<S>(changed + 500))
            .unwrap();
        author.append(object::<S>(changed + 600)).unwrap();
        server.apply(&author.snapshot().unwrap()).unwrap();
        let mut client = client.clone();
        let (pending, request) = client.ask_with_hint(id(9), &object::<S>(9), &hint);
        let answer = server.answer(&request).unwrap();
        let found = client.accept(&pending, &answer).unwrap();
        let entry = found.entries.get().of(id(9));
        assert_eq!(entry, Some(Entry::Live(object::<S>(9))));
        let proof = codec::encode_body(&server.prove_latest(&ids(&[9])).unwrap());
        assert_eq!(!answer.ends_with(&proof), matches, "{changed}");
        // The hint is refreshed to the version of the answer in both cases.
        assert_eq!(found.refreshed.unwrap().version(), server.latest());
    }
}

/// A hint that matched and is of the latest version is kept. A hint that did not match is replaced,
/// whatever version it names.
#[test]
fn hints_are_refreshed_unless_they_matched() {
    let (client, hint, server, _) = client_with_hint();
    let look_up = |hint: &[u8]| {
        let asked = client.ask_with_hint(id(9), &object::<S>(9), hint);
        accepted(asked, &server, &mut client.clone())
    };
    assert_eq!(look_up(&hint).refreshed, None);
    let mut fields: Fields = codec::decode_body(&hint[codec::ENVELOPE_LENGTH..]).unwrap();
    fields.2 = u64::MAX;
    for sibling in &mut fields.5 {
        *sibling = object::<S>(0);
    }
    let mut poisoned = hint[..codec::ENVELOPE_LENGTH].to_vec();
    poisoned.extend(codec::encode_body(&fields));
    let refreshed = look_up(&poisoned).refreshed.unwrap();
    assert_eq!(codec::encode(&refreshed), hint);
    assert_eq!(codec::encode(&look_up(b"no hint").refreshed.unwrap()), hint);
}

/// A server claims a false match. The client cannot tell whether hint or server is at fault, and
/// asks again.
#[test]
fn a_false_match_is_nobody_s_proof() {
    let (mut client, hint, mut server, mut author) = client_with_hint();
    let (pending, request) = client.ask_with_hint(id(9), &object::<S>(9), &hint);
    let honest = server.answer(&request).unwrap();
    let mut lying = honest.clone();
    let last = lying.len() - 1;
    lying[last] ^= 1;
    let refused = client.accept(&pending, &lying);
    let expected = AnswerError::HintFailed(VerifyError::RootMismatch);
    assert_eq!(refused, Err(expected));
    assert!(client.accept(&pending, &honest).is_ok());
    // The entry has another object now. The chain of the old object matches nowhere.
    author.update(id(9), object::<S>(900)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let asked = client.ask_with_hint(id(9), &object::<S>(9), &hint);
    let entries = accepted(asked, &server, &mut client).entries;
    assert_eq!(entries.get().of(id(9)), Some(Entry::Live(object::<S>(900))));
}

/// Check 29: an answer in a form that the request does not allow must be refused.
#[test]
fn answers_of_another_form_are_refused() {
    let (mut client, hint, server, _) = client_with_hint();
    let range = EntryRange::new(id(9), id(10)).unwrap();
    let (with_hint, asked_with_hint) = client.ask_with_hint(id(9), &object::<S>(9), &hint);
    let (without, asked) = client.ask(ids(&[9]));
    let (pending_range, asked_range) = client.ask_range(range);
    let [short, full, ranged] =
        [asked_with_hint, asked, asked_range].map(|request| server.answer(&request).unwrap());
    let mismatch = || AnswerError::Refused(Refusal::Proof(VerifyError::AnswerMismatch));
    assert_eq!(client.accept(&without, &short), Err(mismatch()));
    assert_eq!(client.accept(&without, &ranged), Err(mismatch()));
    assert_eq!(client.accept(&with_hint, &ranged), Err(mismatch()));
    assert_eq!(client.accept_range(&pending_range, &full), Err(mismatch()));
    assert_eq!(client.accept_range(&pending_range, &short), Err(mismatch()));
    assert!(client.accept(&with_hint, &full).is_ok());
    let mut unknown = full.clone();
    // No news, then the variant.
    unknown[codec::ENVELOPE_LENGTH + 1] = 9;
    assert_eq!(client.accept(&without, &unknown), Err(mismatch()));
    // The ordinary proof verifies under the head.
    let proof = Untrusted::new(server.prove_latest(&ids(&[9])).unwrap());
    assert!(proof.verify(&head(&server), &ids(&[9])).is_ok());
}
