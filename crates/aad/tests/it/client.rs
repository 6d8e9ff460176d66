//! A client that follows a log, and logs that change their past.

use aad::{
    AadCounted, Continuation, InclusionProof, LogAuthor, LogClient, LogRefusal, LogRepository,
    LookupProof, Schedule, Shape,
    proof::{LONGEST_LOOKUP, LONGEST_PROOF},
};
use accumulators::wire;
use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, DecodeError, HeadSigner, Repository as _, VerifyError, Version, Workers, codec,
};

use crate::support::{client_log, key, log, pair};

type Scheme = AadCounted;

/// An author's published log: one entry a version.
fn published(values: &[&str]) -> LogRepository<Scheme> {
    let log = log::<Scheme>([9; 16], Shape::new(4, Schedule::Eager).unwrap());
    let signer = SigningKey::from_bytes(&[1; 32]);
    let public = AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap();
    let workers = Workers::sequential();
    let mut author = LogAuthor::new(
        log.clone(),
        public,
        HeadSigner::new(signer),
        workers.clone(),
    )
    .unwrap();
    let mut server = LogRepository::new(log, public, workers).unwrap();
    for value in values {
        author.append(pair("key", value)).unwrap();
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    server
}

fn client(server: &LogRepository<Scheme>) -> LogClient<Scheme> {
    let author = server.heads().authority().author;
    LogClient::new(client_log(server.entries().log()), author)
}

/// Offers a version with the proofs of a server.
fn advance(
    client: &mut LogClient<Scheme>,
    server: &LogRepository<Scheme>,
    version: u64,
) -> Result<Version, LogRefusal> {
    let (seen, version) = (client.version(), Version::new(version));
    let head = codec::encode(&server.head(version).unwrap());
    if seen == Version::EMPTY || seen == version {
        return client.advance(&head, None);
    }
    let consistency = codec::encode(&server.heads().prove_consistency(seen, version).unwrap());
    let append_only = wire::encode(&server.prove_append_only(seen, version).unwrap());
    let (consistency, append_only) = (&*consistency, &*append_only);
    client.advance(
        &head,
        Some(Continuation {
            consistency,
            append_only,
        }),
    )
}

#[test]
fn a_client_follows_a_log_and_asks_about_any_version() {
    let server = published(&[
        "1", "2", "3", "2", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17",
    ]);
    let mut client = client(&server);
    assert_eq!(client.newest().unwrap_err(), LogRefusal::NoHeadSeen);
    for version in [1, 1, 4, 16, 17] {
        assert_eq!(
            advance(&mut client, &server, version),
            Ok(Version::new(version))
        );
        let size = usize::try_from(version).unwrap();
        let proof = server.prove(Version::new(version), &key("key")).unwrap();
        let values = client.check::<LookupProof<Scheme>>(
            &wire::encode(&proof),
            LONGEST_LOOKUP,
            &client.newest().unwrap(),
            &key("key"),
        );
        assert_eq!(values.unwrap().get().values.len(), size);
    }
    let stored = codec::encode(client.view());
    let view = codec::decode(&stored, stored.len()).unwrap();
    let client = LogClient::resume(client.log().clone(), view).unwrap();
    assert_eq!(client.version(), Version::new(17));

    let (past, newest) = (Version::new(3), client.version());
    let inclusion = codec::encode(&server.heads().prove_inclusion(past, newest).unwrap());
    let past = client.past(past, &inclusion).unwrap();
    let proof = wire::encode(&server.prove(past.version(), &key("key")).unwrap());
    let values = client.check::<LookupProof<Scheme>>(&proof, LONGEST_LOOKUP, &past, &key("key"));
    assert_eq!(values.unwrap().get().values.len(), 3);
    let entry = pair("key", "2");
    let proof = wire::encode(&server.prove_inclusion(past.version(), &entry).unwrap());
    let included = client.check::<InclusionProof<Scheme>>(&proof, LONGEST_PROOF, &past, &entry);
    assert_eq!(included.unwrap().get().position, 1);
    let short = client.check::<InclusionProof<Scheme>>(&proof, 20, &past, &entry);
    let expected = LogRefusal::Decode(DecodeError::TooLarge { limit: 20 });
    assert_eq!(short.unwrap_err(), expected);
}

/// A log that signs a history which contains the older head, over contents that do not contain the older ones.
#[test]
fn a_log_that_changes_its_past_is_not_followed() {
    let honest = published(&["1", "2", "3"]);
    // The same author, whose version 3 forgets version 2's entry.
    let log = honest.entries().log().clone();
    let signer = SigningKey::from_bytes(&[1; 32]);
    let mut changed = aad::Entries::new(log, Workers::sequential()).unwrap();
    for value in ["1", "another", "3"] {
        changed.push(pair("key", value)).unwrap();
    }
    changed.build().unwrap();
    let head = pad_core::SnapshotHead {
        root: changed.digest(3),
        ..honest.head(Version::new(3)).unwrap().head
    };
    let signed = head.sign(&signer).unwrap();

    let mut client = client(&honest);
    advance(&mut client, &honest, 2).unwrap();
    let (from, to) = (Version::new(2), Version::new(3));
    let consistency = codec::encode(&honest.heads().prove_consistency(from, to).unwrap());
    for (append_only, reason) in [
        (
            wire::encode(&changed.prove_append_only(2, 3)),
            VerifyError::OldRootMismatch,
        ),
        (
            wire::encode(&changed.prove_append_only(0, 3)),
            VerifyError::OldRootMismatch,
        ),
        (
            wire::encode(&honest.prove_append_only(from, to).unwrap()),
            VerifyError::RootMismatch,
        ),
        (Vec::new(), VerifyError::Undecodable(DecodeError::Malformed)),
    ] {
        let continuation = Continuation {
            consistency: &consistency,
            append_only: &append_only,
        };
        let refused = client.advance(&codec::encode(&signed), Some(continuation));
        let expected = LogRefusal::NotGrown {
            reason,
            older: Box::new(honest.head(from).unwrap()),
            newer: Box::new(signed),
        };
        assert_eq!(refused, Err(expected));
        assert_eq!(client.version(), from, "the client is as it was");
    }
    let refused = client.advance(&codec::encode(&signed), None);
    assert_eq!(
        refused,
        Err(LogRefusal::Head(VerifyError::MalformedHistoryProof))
    );
    // The honest version still follows, and then the other one is a fork.
    advance(&mut client, &honest, 3).unwrap();
    let refused = client.advance(&codec::encode(&signed), None);
    assert!(matches!(refused, Err(LogRefusal::Fork(_))), "{refused:?}");
    let older = client.advance(&codec::encode(&honest.head(from).unwrap()), None);
    let (seen, offered) = (to, from);
    let rollback = VerifyError::Rollback { seen, offered };
    assert_eq!(older, Err(LogRefusal::Head(rollback)));
}
