//! Authors, servers and clients against a list of pairs.

use std::collections::BTreeSet;

use aad::{
    AadCounted, AppendOnlyProof, Appended, Entry, Growth, InclusionProof, LogAuthor, LogRepository,
    LookupProof, Schedule, Shape,
};
use accumulators::wire;
use ed25519_dalek::SigningKey;
use pad_core::{
    ApplyError, AuthorKey, HeadSigner, Key, Operation, Repository as _, Sha256Ed25519, SignedHead,
    Untrusted, Update, Value, Verified, Version, Workers, codec, head::EmptyDictionary,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::support::{client_log, key, log, pair, verify};

type Scheme = AadCounted;
type LogUpdate = Update<Sha256Ed25519, Appended>;

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

fn roles(schedule: Schedule) -> (LogAuthor<Scheme>, LogRepository<Scheme>) {
    let log = log::<Scheme>([7; 16], Shape::new(5, schedule).unwrap());
    let public = AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap();
    let workers = Workers::sequential();
    let signer = HeadSigner::new(signer());
    let author = LogAuthor::new(log.clone(), public, signer, workers.clone()).unwrap();
    (author, LogRepository::new(log, public, workers).unwrap())
}

fn publish(author: &mut LogAuthor<Scheme>, server: &mut LogRepository<Scheme>) {
    let update = codec::encode(&author.snapshot().unwrap());
    assert_eq!(update[5], 128, "the kind of such updates");
    let update: LogUpdate = codec::decode(&update, update.len()).unwrap();
    assert_eq!(server.apply(&update), Ok(author.version()));
}

/// A client's view of a version.
fn at(
    author: &LogAuthor<Scheme>,
    server: &LogRepository<Scheme>,
    version: u64,
) -> aad::LogRoot<Scheme> {
    let log = client_log(author.log());
    if version == 0 {
        let empty = Untrusted::new(EmptyDictionary::new()).verify(&author.authority(), &());
        let root = log.at(&empty.unwrap()).unwrap();
        assert_eq!(root.root(), server.entries().digest(0));
        return root;
    }
    let version = Version::new(version);
    let signed: SignedHead<Sha256Ed25519> = server.head(version).unwrap();
    let head: Verified<_> = Untrusted::new(signed)
        .verify(&author.authority(), &version)
        .unwrap();
    log.at(&head).unwrap()
}

fn random_entry(random: &mut ChaCha8Rng) -> Entry {
    let (key, value) = (random.random_range(0..12), random.random_range(0..4));
    pair(&format!("key {key}"), &"v".repeat(value))
}

/// What the list says about a key.
fn values(entries: &[Entry], key: &Key) -> Vec<Value> {
    let of_key = entries.iter().filter(|entry| entry.key == *key);
    of_key.map(|entry| entry.value.clone()).collect()
}

fn check_against_a_list(schedule: Schedule, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    println!("seed {seed}");
    let (mut author, mut server) = roles(schedule);
    let mut list = Vec::new();
    let mut sizes = vec![0];
    for _ in 0..14 {
        for _ in 0..random.random_range(0..12) {
            let entry = random_entry(&mut random);
            list.push(entry.clone());
            author.append(entry).unwrap();
        }
        publish(&mut author, &mut server);
        sizes.push(list.len());
    }
    for _ in 0..25 {
        let version = random.random_range(0..sizes.len());
        let entries = &list[..sizes[version]];
        let number = u64::try_from(version).unwrap();
        let root = at(&author, &server, number);
        let asked = key(&format!("key {}", random.random_range(0..14)));
        let proof = wire::encode(&server.prove(Version::new(number), &asked).unwrap());
        let answer = verify::<LookupProof<Scheme>>(&proof, &root, &asked).unwrap();
        assert_eq!(answer.values, values(entries, &asked));
        let entry = random_entry(&mut random);
        let proof = server.prove_inclusion(Version::new(number), &entry);
        assert_eq!(proof.is_ok(), entries.contains(&entry));
        if let Ok(proof) = proof {
            let included =
                verify::<InclusionProof<Scheme>>(&wire::encode(&proof), &root, &entry).unwrap();
            assert_eq!(list[usize::try_from(included.position).unwrap()], entry);
        }
        let older = random.random_range(0..=number);
        let proof = server.prove_append_only(Version::new(older), Version::new(number));
        let growth = Growth::new(at(&author, &server, older), root).unwrap();
        verify::<AppendOnlyProof<Scheme>>(&wire::encode(&proof.unwrap()), &growth, &()).unwrap();
    }
    let every: BTreeSet<&Key> = list.iter().map(|entry| &entry.key).collect();
    for key in every {
        let pending: Vec<Value> = author.values(key.as_bytes()).cloned().collect();
        assert_eq!(pending, values(&list, key));
    }
}

#[test]
fn answers_are_those_of_a_list() {
    check_against_a_list(Schedule::Eager, 1);
    check_against_a_list(Schedule::Deferred, 2);
}

#[test]
fn a_server_refuses_what_the_author_did_not_publish_and_stays_as_it_was() {
    let (mut author, mut server) = roles(Schedule::Eager);
    for i in 0..20 {
        author.append(pair(&format!("key {i}"), "value")).unwrap();
    }
    publish(&mut author, &mut server);
    let before = server.entries().digest(20);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();

    let refuse = |server: &mut LogRepository<Scheme>, change: &dyn Fn(&mut LogUpdate)| {
        let mut changed = update.clone();
        change(&mut changed);
        let refused = server.apply(&changed).unwrap_err();
        assert_eq!((server.latest().number(), server.entries().size()), (1, 20));
        assert_eq!(server.entries().digest(20), before);
        refused
    };
    let refused = refuse(&mut server, &|update| {
        update.attachment.entries.push(pair("another", "value"));
    });
    assert_eq!(refused, ApplyError::RootMismatch);
    let refused = refuse(&mut server, &|update| {
        // Enough to make nodes, which are forgotten.
        update.attachment.entries = crate::support::distinct(40);
    });
    assert_eq!(refused, ApplyError::RootMismatch);
    let refused = refuse(&mut server, &|update| {
        update.operations.push(Operation::Remove(key("key 1")));
    });
    assert_eq!(refused, ApplyError::OperationsNotAllowed);
    let refused = refuse(&mut server, &|update| update.head.head.root.0[0] ^= 1);
    assert!(matches!(refused, ApplyError::Head(_)));
    let refused = refuse(&mut server, &|update| update.base = Version::EMPTY);
    assert!(matches!(refused, ApplyError::VersionGap { .. }));

    assert_eq!(server.apply(&update), Ok(Version::new(2)));
    // Older versions are answered as before.
    let root = at(&author, &server, 1);
    let asked = key("key");
    let proof = wire::encode(&server.prove(Version::new(1), &asked).unwrap());
    assert_eq!(
        verify::<LookupProof<Scheme>>(&proof, &root, &asked)
            .unwrap()
            .values,
        []
    );
}

#[test]
fn a_signer_that_fails_loses_nothing() {
    struct Failing;
    impl signature::Signer<pad_core::HeadSignature> for Failing {
        fn try_sign(&self, _: &[u8]) -> Result<pad_core::HeadSignature, signature::Error> {
            Err(signature::Error::new())
        }
    }
    let log = log::<Scheme>([7; 16], Shape::new(5, Schedule::Eager).unwrap());
    let public = AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap();
    let signer = HeadSigner::new(Failing);
    let mut author = LogAuthor::new(log, public, signer, Workers::sequential()).unwrap();
    author.append(pair("key", "value")).unwrap();
    for _ in 0..2 {
        assert!(author.snapshot().is_err());
        assert_eq!(author.version(), Version::EMPTY);
        assert_eq!(author.values(b"key").count(), 1);
    }
}
