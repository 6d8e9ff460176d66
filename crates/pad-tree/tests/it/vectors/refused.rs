//! What is refused in the place of updates, history proofs and evidence.

use conformance::pad::signing_key;
use pad_core::{
    SignedHead, SnapshotHead,
    head::Authority,
    history::{ConsistencyProof, InclusionProof, PrefixProof},
};

use super::*;

/// Longer than any message here.
const LONGEST: usize = 1 << 16;

/// An update that a server which has the version before it refuses.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RefusedUpdate {
    why: String,
    /// The latest version of the server.
    latest: u64,
    update: String,
}

/// A history proof that is refused.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RefusedHistory {
    why: String,
    kind: String,
    older: u64,
    newer: u64,
    proof: String,
}

/// A message of kind 5 or 9 that is no evidence.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RefusedEvidence {
    why: String,
    message: String,
}

fn signed_anew<S: Suite>(
    update: &Update<S>,
    change: impl Fn(&mut SnapshotHead<S>),
) -> SignedHead<S> {
    let mut head = update.head.head;
    change(&mut head);
    head.sign(&signing_key(SIGNER)).unwrap()
}

/// What is refused in the place of the update of version 3.
#[expect(
    clippy::too_many_lines,
    reason = "a list: a line or two for each refusal"
)]
pub(super) fn updates<S: Suite, B: BalancingScheme>(
    updates: &[Update<S>],
    authority: Authority,
) -> Vec<RefusedUpdate> {
    type St<S, B> = PathCopying<Authenticated<S>, B>;
    let mut server = TreeRepository::<S, St<S, B>>::new(authority);
    let third = &updates[2];
    let changed = |change: &dyn Fn(&mut Update<S>)| {
        let mut update = third.clone();
        change(&mut update);
        update
    };
    let anew = |change: &dyn Fn(&mut SnapshotHead<S>)| {
        changed(&|update| update.head = signed_anew(third, change))
    };
    let mut cases: Vec<(&str, Vec<u8>)> = Vec::new();
    let mut add = |why, update: &Update<S>| cases.push((why, codec::encode(update)));
    add("the version that the server has", &updates[1]);
    add("the version after the next", &updates[3]);
    add(
        "another base",
        &changed(&|update| update.base = Version::new(1)),
    );
    add(
        "no operations",
        &changed(&|update| update.operations.clear()),
    );
    add(
        "operations in another order",
        &changed(&|update| update.operations.reverse()),
    );
    add(
        "an operation twice",
        &changed(&|update| update.operations.push(update.operations[1].clone())),
    );
    add(
        "another value",
        &changed(&|update| {
            update.operations[1] = Operation::Put(key("cherry pie"), value("another"));
        }),
    );
    add(
        "a removal of an absent key",
        &changed(&|update| {
            let absent = Operation::Remove(key("nothing has this key"));
            update.operations.push(absent);
        }),
    );
    add(
        "another head's signature",
        &changed(&|update| update.head.signature = updates[1].head.signature),
    );
    add(
        "signed by another author",
        &changed(&|update| {
            let signer = signing_key(SIGNER + 1);
            update.head = update.head.head.sign(&signer).unwrap();
        }),
    );
    add(
        "signed: another root",
        &anew(&|head| head.root = S::empty_tree()),
    );
    add(
        "signed: another history",
        &anew(&|head| head.history = updates[1].head.head.history),
    );
    add(
        "signed: another dictionary",
        &anew(&|head| head.dictionary = DictionaryId::from_name("another")),
    );
    add(
        "signed: another version",
        &anew(&|head| head.version = Version::new(4)),
    );
    add(
        "signed: another scheme",
        &anew(&|head| head.scheme.0 ^= 0x0100),
    );
    let honest = codec::encode(third);
    cases.push(("without its last byte", honest[..honest.len() - 1].to_vec()));
    cases.push(("one byte more", [&honest[..], &[0]].concat()));
    for update in &updates[..2] {
        server.apply(update).unwrap();
    }
    let refused = cases.into_iter().map(|(why, bytes)| {
        if let Ok(update) = codec::decode::<Update<S>>(&bytes, LONGEST) {
            assert!(server.apply(&update).is_err(), "{why}");
        }
        RefusedUpdate {
            why: why.to_owned(),
            latest: server.latest().number(),
            update: hex::encode(bytes),
        }
    });
    let refused = refused.collect();
    assert!(server.apply(third).is_ok());
    refused
}

/// Whether a message of this kind shows that version `older` is a part of version `newer`.
fn is_history<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
    (kind, older, newer): (&str, u64, u64),
    message: &[u8],
) -> bool {
    let head = |version| verified_head(*server.authority(), server, Version::new(version));
    let (old, new) = (Version::new(older), head(newer));
    match kind {
        "inclusion" => Untrusted::<InclusionProof<S>>::decode(message, LONGEST)
            .is_ok_and(|proof| proof.verify(&new, &old).is_ok()),
        "consistency" => Untrusted::<ConsistencyProof<S>>::decode(message, LONGEST)
            .is_ok_and(|proof| proof.verify(&head(older), &new).is_ok()),
        _ => Untrusted::<PrefixProof<S>>::decode(message, LONGEST)
            .is_ok_and(|proof| proof.verify(&new, &old).is_ok()),
    }
}

/// Changed proofs that version 3 is a part of version 6.
pub(super) fn history<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
) -> Vec<RefusedHistory> {
    let width = S::empty_tree().as_ref().len();
    let (old, new) = (Version::new(3), Version::new(6));
    let heads = server.heads();
    let inclusion = codec::encode(&heads.prove_inclusion(old, new).unwrap());
    let consistency = codec::encode(&heads.prove_consistency(old, new).unwrap());
    let prefix = codec::encode(&heads.prove_prefix(old, new).unwrap());
    // Where the number of digests of the last list stands.
    let second = 8 + 1 + usize::from(consistency[8]) * width;
    let proofs = [
        ("inclusion", inclusion, 8 + width),
        ("consistency", consistency, second),
        ("prefix", prefix, 8),
    ];
    let mut refused = Vec::new();
    for (kind, honest, count) in proofs {
        assert!(is_history(server, (kind, 3, 6), &honest), "{kind}");
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut message = honest.clone();
            change(&mut message);
            message
        };
        let end = honest.len();
        let mut cases = vec![
            (
                "another digest",
                3,
                6,
                changed(&|bytes| bytes[end - 1] ^= 1),
            ),
            (
                "a digest less",
                3,
                6,
                changed(&|bytes| {
                    bytes[count] -= 1;
                    bytes.truncate(end - width);
                }),
            ),
            (
                "a digest more",
                3,
                6,
                changed(&|bytes| {
                    bytes[count] += 1;
                    bytes.extend_from_slice(S::empty_tree().as_ref());
                }),
            ),
            ("of another older version", 2, 6, honest.clone()),
            ("of another newer version", 3, 5, honest.clone()),
            ("without its last byte", 3, 6, honest[..end - 1].to_vec()),
            ("one byte more", 3, 6, [&honest[..], &[0]].concat()),
            ("another kind", 3, 6, changed(&|bytes| bytes[5] ^= 4)),
            ("another context", 3, 6, changed(&|bytes| bytes[7] ^= 3)),
        ];
        if kind == "inclusion" {
            let another = changed(&|bytes| bytes[8] ^= 1);
            cases.push(("another root", 3, 6, another));
        }
        for (why, older, newer, message) in cases {
            let shown = is_history(server, (kind, older, newer), &message);
            assert!(!shown, "{kind}: {why}");
            refused.push(RefusedHistory {
                why: why.to_owned(),
                kind: kind.to_owned(),
                older,
                newer,
                proof: hex::encode(message),
            });
        }
    }
    refused
}

/// What proves nothing against the author.
pub(super) fn evidence<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
    updates: &[Update<S>],
) -> Vec<RefusedEvidence> {
    let authority = server.authority();
    let (third, last) = (&updates[2], updates[5].head);
    let other = signed_anew(third, |head| head.root = S::empty_tree());
    let by_another = other.head.sign(&signing_key(SIGNER + 1)).unwrap();
    let elsewhere = signed_anew(third, |head| {
        head.dictionary = DictionaryId::from_name("another");
    });
    let pairs = [
        ("twice the same head", third.head, third.head),
        ("heads of different versions", third.head, last),
        ("a head of another author", third.head, by_another),
        ("a head of another dictionary", third.head, elsewhere),
    ];
    let mut refused = Vec::new();
    for (why, first, second) in pairs {
        let equivocation = Equivocation { first, second };
        let message = hex::encode(codec::encode(&equivocation));
        let verdict = Untrusted::new(equivocation).verify(authority, &());
        assert!(verdict.is_err(), "{why}");
        let why = why.to_owned();
        refused.push(RefusedEvidence { why, message });
    }
    let (old, new) = (Version::new(3), Version::new(6));
    let root = || Past::Root(server.heads().prove_inclusion(old, new).unwrap());
    let history = || Past::History(server.heads().prove_prefix(old, new).unwrap());
    let of_another = Past::Root(
        server
            .heads()
            .prove_inclusion(Version::new(2), new)
            .unwrap(),
    );
    let testimony = |head, past| Testimony { head, past };
    let cases = [
        (
            "testimonies that agree",
            3,
            testimony(third.head, Past::Own),
            testimony(last, root()),
        ),
        (
            "a root and a history",
            3,
            testimony(last, root()),
            testimony(last, history()),
        ),
        (
            "about another version",
            4,
            testimony(other, Past::Own),
            testimony(last, root()),
        ),
        (
            "a proof of another version",
            3,
            testimony(other, Past::Own),
            testimony(last, of_another),
        ),
        (
            "a head of another author",
            3,
            testimony(by_another, Past::Own),
            testimony(last, root()),
        ),
    ];
    for (why, version, first, second) in cases {
        let contradiction = Contradiction {
            version: Version::new(version),
            first,
            second,
        };
        let message = hex::encode(codec::encode(&contradiction));
        let verdict = Untrusted::new(contradiction).verify(authority, &());
        assert!(verdict.is_err(), "{why}");
        let why = why.to_owned();
        refused.push(RefusedEvidence { why, message });
    }
    refused
}
