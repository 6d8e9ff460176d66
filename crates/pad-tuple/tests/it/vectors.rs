//! Known-answer vectors: `docs/vectors/tuples/*.json`. There is one file for each design, signed or
//! with accumulators. Two more are for other suites, and one for proofs of many keys and of ranges.
//! Tests publish the inputs of each file again.

#[cfg(feature = "accumulators")]
mod accumulated;
mod together;

use core::num::NonZeroUsize;
use std::collections::BTreeMap;

use ed25519_dalek::SigningKey;
use pad_conformance::{
    operation::key,
    pad::{public_key, signing_key},
    published::{
        self, Answer, Listed, OperationVector, RefusedUpdate, VectorQuery, check_proof_files,
        check_refused_updates, decode, encode, public_text,
    },
    tuple::TestSecret,
};
use pad_core::{
    Answers, Blake3Ed25519, Client, Dictionary, DictionaryId, Key, KeyRange, Keys, LookupError,
    Paper2010, PublicKey, Question, Repository, Response, Sha256Ed25519, SnapshotHead, Suite,
    Untrusted, Update, VerifyError, Version,
    codec::{self, Message},
};
use pad_tuple::{
    Expectation, Speculation, Tuple, TupleAuthor, TupleProof, TupleRepository,
    designs::{Spec, SpecLightweight, SpecSuperseding},
    internals::{
        AggregateDesign, Context, Design, Lightweight, PublicBytes, RefreshScheme, ShownTuple,
        TupleAttachment, TupleStatement, TupleView, chain,
        update::{self, operations_digest},
    },
};
use serde::{Deserialize, Serialize};

/// The byte of which the seeds of the signing keys and the secret of the chains consist, 32 times.
const SECRET: u8 = 42;
/// Number of tuples in the youngest generation at which generations are merged.
const SIZE: usize = 4;
/// Maximum message length.
const LONGEST: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct Vector {
    comment: String,
    suite: String,
    suite_id: u16,
    design: String,
    scheme_id: u16,
    author_seed: String,
    author_key: String,
    /// The tuple key of designs whose tuples are not signed with the author's key.
    tuple_key: Option<String>,
    chain_secret: String,
    chain_length: u32,
    dictionary_name: String,
    dictionary_id: String,
    hashes: BTreeMap<String, String>,
    versions: Vec<VersionVector>,
    proofs: Vec<ProofVector>,
    refused_updates: Vec<RefusedUpdate>,
}

#[derive(Serialize, Deserialize)]
struct VersionVector {
    version: u64,
    operations: Vec<OperationVector>,
    merged: u8,
    root: String,
    history: String,
    signed_head: String,
    update: String,
}

#[derive(Serialize, Deserialize)]
struct ProofVector {
    version: u64,
    key: String,
    /// The value, or `null` for an absent key.
    answer: Option<String>,
    proof: String,
}

type UpdateOf<S, D> = Update<S, TupleAttachment<<D as Design<S>>::Extension>>;

struct PublishedVersions<S: Suite, D: Design<S>> {
    updates: Vec<UpdateOf<S, D>>,
    server: TupleRepository<S, D>,
}

/// Publishes the versions, and asserts that the server refuses the listed updates of each.
fn make<S: Suite, D: Design<S>>(
    secret: D::Secret,
    dictionary: &str,
    versions: &[VersionVector],
    refused: &[RefusedUpdate],
) -> PublishedVersions<S, D> {
    let mut author: TupleAuthor<S, D, SigningKey> = TupleAuthor::new(
        DictionaryId::from_name(dictionary),
        public_key(SECRET),
        signing_key(SECRET),
        secret,
    )
    .with_speculation(Speculation::Size(NonZeroUsize::new(SIZE).unwrap()));
    let mut server = TupleRepository::new(author.authority(), author.key());
    let updates = versions.iter().map(|version| {
        let batch = published::operations(&version.operations);
        let update = author.snapshot_of(batch).unwrap();
        check_refused_updates(refused, &mut server);
        server.apply(&update).unwrap();
        update
    });
    let updates = updates.collect();
    assert!(refused.len() >= 18);
    PublishedVersions { updates, server }
}

fn own_key(key: &impl PublicBytes) -> Option<String> {
    let bytes = key.to_vec();
    (!bytes.is_empty()).then(|| encode(bytes))
}

/// Rebuilds the file of a design, including the worked example of the format document.
fn check_all<S, D>(name: &str)
where
    S: Suite,
    D: AggregateDesign<S, Secret: TestSecret, Key: PublicBytes>,
{
    let name = name.replace('_', "-");
    let file = format!("tuples/{name}");
    let of: Vector = published::read(&file);
    let made = of.made::<S, D>();
    let PublishedVersions { updates, server } = &made;
    let second = &updates[1];
    let operations = operations_digest::<S>(&second.operations).to_string();
    let attachment = D::attachment_digest(&second.attachment).to_string();
    let mut hashes = BTreeMap::from([
        ("operations of version 2".to_owned(), operations),
        ("attachment of version 2".to_owned(), attachment),
    ]);
    if name == "spec-lightweight" {
        hashes.extend(example(&of));
    }
    let own = own_key(server.key());
    let computed = Vector {
        suite: S::NAME.to_owned(),
        suite_id: S::ID.0,
        design: D::NAME.to_owned(),
        scheme_id: D::SCHEME.0,
        author_seed: encode([SECRET; 32]),
        author_key: public_key(SECRET).to_string(),
        tuple_key: own.clone(),
        chain_secret: encode([SECRET; 32]),
        chain_length: chain::ChainSecret::numbered(SECRET).length(),
        dictionary_id: server.authority().dictionary.to_string(),
        hashes,
        versions: updates.iter().map(version_vector::<S, D>).collect(),
        proofs: proofs(server, of.proofs),
        ..of
    };
    published::check(&file, &computed);
    let scheme = format!("tuple-{}", D::NAME);
    check_proof_files(
        &format!("tuple-{name}"),
        &public_text((S::NAME, &scheme), server.authority(), own.as_deref()),
        |asked| prove_file(server, asked),
        |asked, file| verify_file(server, asked, file),
    );
}

impl Vector {
    fn made<S: Suite, D: Design<S, Secret: TestSecret>>(&self) -> PublishedVersions<S, D> {
        let secret = D::Secret::numbered(SECRET);
        let (versions, refused) = (&self.versions, &self.refused_updates);
        make(secret, &self.dictionary_name, versions, refused)
    }
}

fn version_vector<S: Suite, D: Design<S>>(update: &UpdateOf<S, D>) -> VersionVector {
    let head = update.head.head;
    VersionVector {
        version: head.version.number(),
        operations: published::operation_vectors(&update.operations),
        merged: update.attachment.merged,
        root: head.root.to_string(),
        history: head.history.to_string(),
        signed_head: encode(codec::encode(&update.head)),
        update: encode(codec::encode(update)),
    }
}

fn expect<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    version: u64,
) -> Expectation<D::Key> {
    Expectation {
        authority: *server.authority(),
        key: server.key().clone(),
        version: Version::new(version),
    }
}

/// Makes and verifies lookup proofs.
fn proofs<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    asked: Vec<ProofVector>,
) -> Vec<ProofVector> {
    let proofs = asked.into_iter().map(|row| {
        let (asked, expectation) = (key(decode(&row.key)), expect(server, row.version));
        let proof = server.prove(expectation.version, &asked).unwrap();
        let message = codec::encode(&proof);
        assert!(D::NAME.contains("accumulators") || message.len() < 500);
        let lookup = Untrusted::new(proof).verify(&expectation, &asked).unwrap();
        ProofVector {
            answer: lookup.into_inner().answer.value().map(encode),
            proof: encode(message),
            ..row
        }
    });
    proofs.collect()
}

/// The proof file of a version.
fn response<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    version: Version,
    proof: Result<impl Message, LookupError>,
) -> Vec<u8> {
    codec::encode(&Response::new(server, version, proof.unwrap()).unwrap())
}

fn prove_file<S: Suite, D: AggregateDesign<S>>(
    server: &TupleRepository<S, D>,
    asked: &VectorQuery,
) -> Vec<u8> {
    let version = Version::new(asked.version);
    match &*asked.question {
        "keys" => {
            let proof = server.prove_keys(version, &asked.all_keys());
            response(server, version, proof)
        }
        "range" => {
            let proof = server.prove_range(version, &asked.range());
            response(server, version, proof)
        }
        _ => prove_look_up(server, asked),
    }
}

fn prove_look_up<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    asked: &VectorQuery,
) -> Vec<u8> {
    let version = Version::new(asked.version);
    response(server, version, server.prove(version, &asked.key()))
}

/// Verifies a proof file as a client does; returns the answer.
fn verify_file<S: Suite, D: AggregateDesign<S>>(
    server: &TupleRepository<S, D>,
    asked: &VectorQuery,
    file: &[u8],
) -> Option<Answer> {
    match &*asked.question {
        "keys" => answer(&client(server), asked, file, &asked.all_keys()),
        "range" => answer(&client(server), asked, file, &asked.range()),
        _ => verify_look_up(server, asked, file),
    }
}

fn verify_look_up<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    asked: &VectorQuery,
    file: &[u8],
) -> Option<Answer> {
    answer(&client(server), asked, file, &asked.key())
}

fn client<S: Suite, D: Design<S>>(server: &TupleRepository<S, D>) -> Client<Tuple<D, S>> {
    let (authority, key) = (server.authority(), server.key().clone());
    Client::new(PublicKey::new(authority.author, authority.dictionary, key))
}

fn answer<S: Suite, D: Design<S>, Q: Question<Statement: Listed>>(
    client: &Client<Tuple<D, S>>,
    asked: &VectorQuery,
    file: &[u8],
    query: &Q,
) -> Option<Answer>
where
    Tuple<D, S>: Answers<Q>,
{
    let verdict = client.check_at(Version::new(asked.version), file, query);
    Some(verdict.ok()?.into_inner().answer())
}

/// The steps of checking the youngest tuple of the format document's worked example: "fig" in
/// version 4.
fn example(of: &Vector) -> [(String, String); 3] {
    type S = Sha256Ed25519;
    let PublishedVersions { server, .. } = of.made::<S, SpecLightweight>();
    let proof: TupleProof<S, SpecLightweight> = server.prove(Version::new(4), &key("fig")).unwrap();
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
        upper: upper.as_ref().map(Key::as_bytes),
        content: *content,
    };
    let tuple = view.digest::<S>();
    let shown: <Lightweight as RefreshScheme<S>>::TupleData = proof.parts[0].evidence.shown;
    let anchor = chain::walk::<S>(shown.link, &tuple, shown.revealed);
    let statement = TupleStatement::<S> {
        generation: 0,
        since: shown.since,
        until: shown.signed,
        tuple,
        anchor: Some(anchor),
    };
    let signed = statement.signed_bytes(Context::of(server.authority()));
    [
        ("tuple of the example".to_owned(), tuple.to_string()),
        ("anchor of the example".to_owned(), anchor.to_string()),
        ("statement of the example".to_owned(), encode(signed)),
    ]
}

macro_rules! vectors {
    ($name:ident, $design:ty) => {
        #[test]
        fn $name() {
            check_all::<Sha256Ed25519, $design>(stringify!($name));
        }
    };
}

pad_tuple::for_each_tuple!(vectors);

#[test]
fn other_suites() {
    check_all::<Blake3Ed25519, SpecLightweight>("spec-lightweight-blake3");
    check_all::<Paper2010, SpecLightweight>("spec-lightweight-paper-2010");
}

/// Clients refuse signatures of other tuples, even in the right number. Servers do not check
/// signatures individually.
#[test]
fn what_servers_take_unchecked_no_client_believes() {
    type S = Sha256Ed25519;
    fn check<D: Design<S, Secret: TestSecret>>(name: &str) {
        let PublishedVersions { updates, server } = published::read::<Vector>(name).made::<S, D>();
        let mut empty = TupleRepository::<S, D>::new(*server.authority(), server.key().clone());
        let last = &updates[updates.len() - 1].attachment;
        let mut changed = updates[1].clone();
        changed.attachment.extensions[0] = last.extensions[0].clone();
        assert_ne!(changed.attachment, updates[1].attachment);
        let operations = operations_digest::<S>(&changed.operations);
        let attachment = D::attachment_digest(&changed.attachment);
        let head = SnapshotHead {
            root: update::root::<S>(&operations, &attachment),
            ..changed.head.head
        };
        changed.head = head.sign(&signing_key(SECRET)).unwrap();
        empty.apply(&updates[0]).unwrap();
        let version = empty.apply(&changed).unwrap();
        for name in ["apple", "banana", "zzz"] {
            let asked = key(name);
            let proof = empty.prove(version, &asked).unwrap();
            let verdict = Untrusted::new(proof).verify(&expect(&empty, version.number()), &asked);
            let error = verdict.unwrap_err();
            assert_eq!(error, VerifyError::SignatureInvalid, "{name}");
        }
    }
    check::<Spec>("tuples/spec");
    check::<SpecSuperseding>("tuples/spec-superseding");
}
