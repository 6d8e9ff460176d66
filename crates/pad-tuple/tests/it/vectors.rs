//! Known-answer vectors: `docs/vectors/tuples/*.json`, one file for each signed design, two more for the
//! other suites, one for proofs of many keys and of ranges, and one for each design with accumulators.
//!
//! `PAD_WRITE_VECTORS=1 cargo test -p pad-tuple --test it vectors` writes them anew. A difference is a
//! change of the format: it needs a decision file and a line in the change log.

#[cfg(feature = "accumulators")]
mod accumulated;
mod proof_files;
mod refused;
mod together;

use core::num::NonZeroUsize;
use std::collections::BTreeMap;

use conformance::{
    operation::{key, value},
    pad::{public_key, signing_key},
    published,
    tuple::TestSecret,
};
use ed25519_dalek::SigningKey;
use pad_core::{
    Blake3Ed25519, Dictionary, DictionaryId, Operation, Paper2010, Repository, Sha256Ed25519,
    Suite, Untrusted, Update, Version, codec,
};
use pad_tuple::{
    Design, Expectation, Lightweight, RefreshScheme, Signed, Speculation, TupleAuthor, TupleProof,
    TupleRepository,
    bls::BlsPublicKey,
    chain,
    designs::{SpecLightweight, SpecLightweight3, SpecLightweightBls},
    proof::ShownTuple,
    statement::{Context, TupleStatement},
    tuple::TupleView,
    update::{TupleAttachment, operations_digest},
};
use serde::{Deserialize, Serialize};

/// The seeds of the signing keys and the secret of the chains are 32 times this byte.
const SECRET: u8 = 42;
const DICTIONARY: &str = "vectors";
/// Generations are merged when this many tuples are in the youngest.
const SIZE: usize = 4;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Vector {
    comment: String,
    suite: String,
    suite_id: u16,
    design: String,
    scheme_id: u16,
    author_seed: String,
    author_key: String,
    /// For designs whose tuples are not signed with the author's key.
    tuple_key: Option<String>,
    chain_secret: String,
    chain_length: u32,
    dictionary_name: String,
    dictionary_id: String,
    hashes: BTreeMap<String, String>,
    versions: Vec<VersionVector>,
    proofs: Vec<ProofVector>,
    refused_updates: Vec<refused::RefusedUpdate>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct VersionVector {
    version: u64,
    /// Each operation: the key, and the value or nothing for a removal.
    operations: Vec<(String, Option<String>)>,
    merged: u8,
    root: String,
    history: String,
    signed_head: String,
    update: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ProofVector {
    version: u64,
    key: String,
    /// The value, or nothing for an absent key.
    answer: Option<String>,
    proof: String,
}

const COMMENT: &str = "All byte strings in hexadecimal. The author's Ed25519 seed is author_seed. \
    Operations lead from the version before to this one, in ascending order of keys. What the \
    fields mean: docs/vectors/README.md.";

/// What is put (or, with no value, removed) in each version.
const OPERATIONS: [&[(&str, Option<&str>)]; 7] = [
    &[
        ("apple", Some("3")),
        ("banana", Some("7")),
        ("date", Some("13")),
        ("fig", Some("")),
    ],
    &[("banana", Some("8"))],
    &[("date", None)],
    &[],
    &[("", Some("the empty key")), ("fig", None)],
    &[("zucchini", Some("23"))],
    &[],
];

/// Present, changed, removed, absent, at the ends, in version 0; from either generation.
const QUESTIONS: [(u64, &str); 16] = [
    (0, "banana"),
    (1, "banana"),
    (1, "date"),
    (1, ""),
    (3, "apple"),
    (4, "banana"),
    (4, "cherry"),
    (4, "date"),
    (4, "fig"),
    (4, "zzz"),
    (5, ""),
    (5, "banana"),
    (5, "date"),
    (7, "aardvark"),
    (7, "zucchini"),
    (7, "zzz"),
];

/// The public key of the tuples, if they have one of their own.
trait TupleKey {
    fn text(&self) -> Option<String>;
}

impl TupleKey for () {
    fn text(&self) -> Option<String> {
        None
    }
}

impl TupleKey for BlsPublicKey {
    fn text(&self) -> Option<String> {
        Some(hex::encode(self.to_bytes()))
    }
}

struct Made<S: Suite, D: Design<S>> {
    updates: Vec<Update<S, TupleAttachment<D::Extension>>>,
    server: TupleRepository<S, D>,
}

fn make<S: Suite, D: Design<S, Secret: TestSecret>>() -> Made<S, D> {
    make_with(D::Secret::numbered(SECRET), &OPERATIONS)
}

fn make_with<S: Suite, D: Design<S>>(
    secret: D::Secret,
    versions: &[&[(&str, Option<&str>)]],
) -> Made<S, D> {
    let mut author: TupleAuthor<S, D, SigningKey> = TupleAuthor::new(
        DictionaryId::from_name(DICTIONARY),
        public_key(SECRET),
        signing_key(SECRET),
        secret,
    )
    .with_speculation(Speculation::Size(NonZeroUsize::new(SIZE).unwrap()));
    let mut server = TupleRepository::new(author.authority(), author.key());
    let updates = versions.iter().map(|operations| {
        let batch = operations.iter().map(|(name, content)| match content {
            Some(content) => Operation::Put(key(name), value(content)),
            None => Operation::Remove(key(name)),
        });
        let update = author.snapshot_of(batch.collect()).unwrap();
        server.apply(&update).unwrap();
        update
    });
    let updates = updates.collect();
    Made { updates, server }
}

fn vector<S: Suite, D: Design<S, Secret: TestSecret, Key: TupleKey>>() -> Vector {
    let Made { updates, server } = make::<S, D>();
    let second = &updates[1];
    let hashes = [
        (
            "operations of version 2",
            operations_digest::<S>(&second.operations),
        ),
        (
            "attachment of version 2",
            D::attachment_digest(&second.attachment),
        ),
    ];
    let hashes = hashes.map(|(name, digest)| (name.to_owned(), digest.to_string()));
    let questions = QUESTIONS.iter();
    Vector {
        comment: COMMENT.to_owned(),
        suite: S::NAME.to_owned(),
        suite_id: S::ID.0,
        design: D::NAME.to_owned(),
        scheme_id: D::SCHEME.0,
        author_seed: hex::encode([SECRET; 32]),
        author_key: public_key(SECRET).to_string(),
        tuple_key: server.key().text(),
        chain_secret: hex::encode([SECRET; 32]),
        chain_length: chain::ChainSecret::numbered(SECRET).length(),
        dictionary_name: DICTIONARY.to_owned(),
        dictionary_id: server.authority().dictionary.to_string(),
        hashes: hashes.into(),
        versions: updates.iter().map(version_vector::<S, D>).collect(),
        proofs: questions
            .map(|(version, name)| prove(&server, *version, name))
            .collect(),
        refused_updates: refused::updates::<S, D>(&updates, &server),
    }
}

fn version_vector<S: Suite, D: Design<S>>(
    update: &Update<S, TupleAttachment<D::Extension>>,
) -> VersionVector {
    let head = update.head.head;
    let operations = update.operations.iter().map(|operation| match operation {
        Operation::Put(key, value) => (hex::encode(key), Some(hex::encode(value))),
        Operation::Remove(key) => (hex::encode(key), None),
    });
    VersionVector {
        version: head.version.number(),
        operations: operations.collect(),
        merged: update.attachment.merged,
        root: head.root.to_string(),
        history: head.history.to_string(),
        signed_head: hex::encode(codec::encode(&update.head)),
        update: hex::encode(codec::encode(update)),
    }
}

fn prove<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    version: u64,
    name: &str,
) -> ProofVector {
    let (asked, version_asked) = (key(name), Version::new(version));
    let proof = server.prove(version_asked, &asked).unwrap();
    let message = codec::encode(&proof);
    let expectation = Expectation {
        authority: *server.authority(),
        key: server.key().clone(),
        version: version_asked,
    };
    let lookup = Untrusted::new(proof).verify(&expectation, &asked).unwrap();
    let lookup = lookup.into_inner();
    ProofVector {
        version,
        key: hex::encode(name),
        answer: lookup.answer.value().map(hex::encode),
        proof: hex::encode(message),
    }
}

/// The steps of checking the youngest tuple of the worked example in the format's document: "fig" in
/// version 4.
fn with_example<const GENERATIONS: usize>(mut vector: Vector) -> Vector {
    type S = Sha256Ed25519;
    type D<const GENERATIONS: usize> = Signed<pad_tuple::Ed25519, Lightweight, GENERATIONS>;
    let Made { server, .. } = make::<S, D<GENERATIONS>>();
    let proof: TupleProof<S, D<GENERATIONS>> = server.prove(Version::new(4), &key("fig")).unwrap();
    let ShownTuple::Below {
        lower,
        upper,
        content,
    } = &proof.parts[0].tuple
    else {
        panic!("the youngest generation does not know \"fig\"");
    };
    let view = TupleView {
        generation: 0,
        epochs: &proof.epochs,
        lower: lower.as_bytes(),
        upper: upper.as_ref().map(pad_core::Key::as_bytes),
        content: *content,
    };
    let tuple = view.digest::<S>();
    let shown: <Lightweight as RefreshScheme<S>>::Shown = proof.parts[0].evidence.shown;
    let anchor = chain::walk::<S>(shown.link, &tuple, shown.revealed);
    let statement = TupleStatement::<S> {
        generation: 0,
        since: shown.since,
        until: shown.signed,
        tuple,
        anchor: Some(anchor),
    };
    let signed = statement.signed_bytes(Context::of(server.authority()));
    vector.hashes.extend([
        ("tuple of the example".to_owned(), tuple.to_string()),
        ("anchor of the example".to_owned(), anchor.to_string()),
        ("statement of the example".to_owned(), hex::encode(signed)),
    ]);
    vector
}

/// Compares with the published file, or writes it.
fn check(name: &str, computed: &impl Serialize) {
    published::check(&format!("tuples/{}", name.replace('_', "-")), computed);
}

fn check_files(name: &str, files: &published::ProofFiles) {
    let name = name.replace('_', "-");
    published::check(&format!("proof-files/tuple-{name}"), files);
}

macro_rules! vectors {
    ($name:ident, $($design:tt)+) => {
        #[test]
        fn $name() {
            let mut computed = vector::<Sha256Ed25519, $($design)+>();
            if stringify!($name) == "spec_lightweight" {
                computed = with_example::<2>(computed);
            }
            check(stringify!($name), &computed);
            let files = proof_files::files::<Sha256Ed25519, $($design)+>();
            check_files(stringify!($name), &files);
        }
    };
}

pad_tuple::for_each_tuple!(vectors);

#[test]
fn other_suites() {
    check(
        "spec_lightweight_blake3",
        &vector::<Blake3Ed25519, SpecLightweight>(),
    );
    check(
        "spec_lightweight_paper_2010",
        &vector::<Paper2010, SpecLightweight>(),
    );
    check_files(
        "spec_lightweight_blake3",
        &proof_files::files::<Blake3Ed25519, SpecLightweight>(),
    );
    check_files(
        "spec_lightweight_paper_2010",
        &proof_files::files::<Paper2010, SpecLightweight>(),
    );
}

/// Messages whose size does not depend on the number of keys.
#[test]
fn the_longest_proofs_of_the_vectors_have_these_lengths() {
    fn longest<D: Design<Sha256Ed25519, Secret: TestSecret, Key: TupleKey>>() -> usize {
        let proofs = vector::<Sha256Ed25519, D>().proofs.into_iter();
        proofs.map(|proof| proof.proof.len() / 2).max().unwrap()
    }
    let lengths = [
        longest::<SpecLightweight>(),
        longest::<SpecLightweight3>(),
        longest::<SpecLightweightBls>(),
    ];
    println!("{lengths:?}");
    assert!(lengths.iter().all(|length| *length < 500));
}
