//! Known-answer vectors: `docs/vectors/trees/*.json`, one file per scheme and suite, and one
//! constant over many pseudorandom operations per scheme. Tests publish the inputs of each file
//! again.

use std::collections::BTreeMap;

use pad_conformance::{
    Random,
    operation::{key, value},
    pad::{public_key, signing_key, verified_head},
    published::{
        self, Answer, Listed, OperationVector, RefusedUpdate, VectorQuery, check_proof_files,
        check_refused_updates, decode, encode, public_text,
    },
    tree::{Store, tree_author},
};
use pad_core::{
    Authority, Blake3Ed25519, Client, ConsistencyProof, Contradiction, Dictionary, DictionaryId,
    Equivocation, First, Heads as _, InclusionProof, Last, Paper2010, Past, Predecessor, PublicKey,
    Repository, Response, Sha256Ed25519, Successor, Suite, TrustedView, Untrusted, Update, Version,
    codec,
    internals::{Domain, PrefixProof, Testimony},
};
use pad_tree::{
    CacheEverywhere, CacheMedian, CacheNowhere, PathCopying, RedBlack, SkipList, Treap, Tree,
    TreeRepository, TreeScheme, VersionedNodes,
    internals::{Authenticated, BalancingScheme, ProvableQuery},
};
use serde::{Deserialize, Serialize};

/// The byte of which the signing key's seed consists, 32 times.
const SIGNER: u8 = 42;
/// Maximum message length.
const LONGEST: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct Vector {
    comment: String,
    suite: String,
    suite_id: u16,
    scheme: String,
    scheme_id: u16,
    author_seed: String,
    author_key: String,
    dictionary_name: String,
    dictionary_id: String,
    hashes: BTreeMap<String, String>,
    versions: Vec<VersionVector>,
    proofs: Vec<ProofVector>,
    history: Vec<HistoryVector>,
    messages: BTreeMap<String, String>,
    refused_updates: Vec<RefusedUpdate>,
    refused_history: Vec<RefusedHistory>,
    refused_evidence: Vec<RefusedEvidence>,
}

#[derive(Serialize, Deserialize)]
struct VersionVector {
    version: u64,
    operations: Vec<OperationVector>,
    root: String,
    history: String,
    signed_bytes: String,
    signature: String,
    signed_head: String,
    update: String,
}

#[derive(Serialize, Deserialize)]
struct ProofVector {
    name: String,
    version: u64,
    /// Keys of the query, in hexadecimal; `null` for an open end of a range.
    query: Vec<Option<String>>,
    /// The entries that the proof establishes; for lookups, `null` for an absent key.
    answer: Vec<(String, Option<String>)>,
    proof: String,
}

#[derive(Serialize, Deserialize)]
struct HistoryVector {
    kind: String,
    older: u64,
    newer: u64,
    proof: String,
}

#[derive(Serialize, Deserialize)]
struct AccumulatedRoots {
    comment: String,
    runs: u64,
    operations: u64,
    digests: BTreeMap<String, String>,
}

/// A history proof that is refused.
#[derive(Serialize, Deserialize)]
struct RefusedHistory {
    why: String,
    kind: String,
    older: u64,
    newer: u64,
    proof: String,
}

/// A message of kind 5 or 9 that is not valid evidence.
#[derive(Serialize, Deserialize)]
struct RefusedEvidence {
    why: String,
    message: String,
}

fn updates<S: Suite, B: BalancingScheme>(of: &Vector) -> (Vec<Update<S>>, Authority) {
    let mut author = tree_author::<S, B>(DictionaryId::from_name(&of.dictionary_name), SIGNER);
    let updates = of.versions.iter().map(|version| {
        let batch = published::operations(&version.operations);
        author.snapshot_of(batch).unwrap()
    });
    (updates.collect(), author.authority())
}

/// Checks the server after each version, and rebuilds the file.
fn check_all<S: Suite, B: BalancingScheme>(name: &str) {
    let file = format!("trees/{name}");
    let of: Vector = published::read(&file);
    let (updates, authority) = updates::<S, B>(&of);
    let mut server = TreeRepository::<S, PathCopying<Authenticated<S>, B>>::new(authority);
    for update in &updates {
        check_refused_updates(&of.refused_updates, &mut server);
        server.apply(update).unwrap();
    }
    of.check_refused(&server);
    let proofs = of.proofs.into_iter().map(|row| {
        let asked = VectorQuery {
            question: row.name,
            keys: row.query,
            version: row.version,
        };
        let (proof, file) = prove(&server, &asked);
        ProofVector {
            answer: verify(&server, &asked, &file).unwrap(),
            name: asked.question,
            version: asked.version,
            query: asked.keys,
            proof: encode(proof),
        }
    });
    let history = of.history.into_iter().map(|row| {
        let (old, new) = (Version::new(row.older), Version::new(row.newer));
        let proof = if row.kind == "inclusion" {
            codec::encode(&server.heads().prove_inclusion(old, new).unwrap())
        } else {
            codec::encode(&server.heads().prove_consistency(old, new).unwrap())
        };
        let versions = (&*row.kind, row.older, row.newer);
        assert!(is_history(&server, versions, &proof));
        let proof = encode(proof);
        HistoryVector { proof, ..row }
    });
    let computed = Vector {
        suite: S::NAME.to_owned(),
        suite_id: S::ID.0,
        scheme: B::NAME.to_owned(),
        scheme_id: B::ID.0,
        author_seed: encode([SIGNER; 32]),
        author_key: public_key(SIGNER).to_string(),
        dictionary_id: authority.dictionary.to_string(),
        hashes: hashes::<S>(&updates[0].head.head.root),
        versions: updates.iter().map(version_vector).collect(),
        proofs: proofs.collect(),
        history: history.collect(),
        messages: messages(&server, &updates),
        ..of
    };
    published::check(&file, &computed);
    check_proof_files(
        name,
        &public_text((S::NAME, B::NAME), &authority, None),
        |asked| prove(&server, asked).1,
        |asked, file| verify(&server, asked, file),
    );
}

/// One digest for each domain, over the entries of version 1.
fn hashes<S: Suite>(first_root: &S::Digest) -> BTreeMap<String, String> {
    let leaf = |key: &str, value: &str| S::leaf(key.as_bytes(), &S::value(value.as_bytes()));
    let (apple, banana) = (leaf("apple", "3"), leaf("banana", "7"));
    let (number, root) = (1_u64.to_be_bytes(), first_root.as_ref());
    let version_1 = S::hash(Domain::HistoryLeaf, &[&number, root]);
    let twice = S::node(Domain::HistoryNode, &version_1, &version_1);
    let rows = [
        ("value 7", S::value(b"7")),
        ("leaf apple 3", apple),
        ("leaf banana 7", banana),
        ("node of both", S::node(Domain::TreeNode, &apple, &banana)),
        ("empty tree", S::empty_tree()),
        ("key rank of banana", S::hash(Domain::KeyRank, &[b"banana"])),
        ("empty history", S::hash(Domain::EmptyHistory, &[])),
        ("history leaf 1", version_1),
        ("history node of twice leaf 1", twice),
    ];
    let rows = rows.map(|(name, digest)| (name.to_owned(), digest.to_string()));
    rows.into()
}

fn version_vector<S: Suite>(update: &Update<S>) -> VersionVector {
    let head = update.head.head;
    VersionVector {
        version: head.version.number(),
        operations: published::operation_vectors(&update.operations),
        root: head.root.to_string(),
        history: head.history.to_string(),
        signed_bytes: encode(head.signed_bytes()),
        signature: encode(update.head.signature.to_bytes()),
        signed_head: encode(codec::encode(&update.head)),
        update: encode(codec::encode(update)),
    }
}

/// Calls a function with the query of a vector.
macro_rules! with_query {
    ($asked:expr, $function:ident($($argument:expr),*)) => {
        match &*$asked.question {
            "look-up" => $function($($argument,)* &$asked.key()),
            "keys" => $function($($argument,)* &$asked.all_keys()),
            "range" => $function($($argument,)* &$asked.range()),
            "predecessor" => $function($($argument,)* &Predecessor($asked.key())),
            "successor" => $function($($argument,)* &Successor($asked.key())),
            "first" => $function($($argument,)* &First),
            "last" => $function($($argument,)* &Last),
            other => panic!("{other}"),
        }
    };
}

/// Makes a proof, and the proof file with its head.
fn prove<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
    asked: &VectorQuery,
) -> (Vec<u8>, Vec<u8>) {
    fn prove<S: Suite, St: Store<S>, Q: ProvableQuery>(
        server: &TreeRepository<S, St>,
        version: Version,
        query: &Q,
    ) -> (Vec<u8>, Vec<u8>) {
        let proof = server.prove_query(version, query).unwrap();
        let message = codec::encode(&proof);
        let response = Response::new(server, version, proof).unwrap();
        (message, codec::encode(&response))
    }
    with_query!(asked, prove(server, Version::new(asked.version)))
}

/// Verifies a proof file as a client does; returns the entries.
fn verify<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
    asked: &VectorQuery,
    file: &[u8],
) -> Option<Answer> {
    fn verify<B: TreeScheme, S: Suite, Q: ProvableQuery<Statement: Listed>>(
        client: &Client<Tree<B, S>>,
        version: Version,
        file: &[u8],
        query: &Q,
    ) -> Option<Answer> {
        let statement = client.check_at(version, file, query).ok()?;
        Some(statement.into_inner().answer())
    }
    let authority = server.authority();
    let public = PublicKey::new(authority.author, authority.dictionary, ());
    let client = Client::<Tree<St::Scheme, S>>::new(public);
    with_query!(asked, verify(&client, Version::new(asked.version), file))
}

/// Returns whether a message of kind `kind` proves that version `older` is a prefix of version
/// `newer`.
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

/// Returns whether a message of kind 5 or 9 is valid evidence against the author.
fn is_evidence<S: Suite>(authority: &Authority, message: &[u8]) -> bool {
    if message[5] == 5 {
        return Untrusted::<Equivocation<S>>::decode(message, LONGEST)
            .is_ok_and(|evidence| evidence.verify(authority, &()).is_ok());
    }
    Untrusted::<Contradiction<S>>::decode(message, LONGEST)
        .is_ok_and(|evidence| evidence.verify(authority, &()).is_ok())
}

impl Vector {
    /// Asserts that clients refuse the other listed messages.
    fn check_refused<S: Suite, St: Store<S>>(&self, server: &TreeRepository<S, St>) {
        for row in &self.refused_history {
            let versions = (&*row.kind, row.older, row.newer);
            let shown = is_history(server, versions, &decode(&row.proof));
            assert!(!shown, "{}: {}", row.kind, row.why);
        }
        for row in &self.refused_evidence {
            let proved = is_evidence::<S>(server.authority(), &decode(&row.message));
            assert!(!proved, "{}", row.why);
        }
        let counts = [
            self.refused_updates.len(),
            self.refused_history.len(),
            self.refused_evidence.len(),
        ];
        assert_eq!(counts, [17, 28, 9]);
    }
}

/// Returns the encoded messages that are not in the other fields of the vectors.
fn messages<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
    updates: &[Update<S>],
) -> BTreeMap<String, String> {
    let first = updates[0].head;
    let mut other = first.head;
    other.root = S::empty_tree();
    let second = other.sign(&signing_key(SIGNER)).unwrap();
    let equivocation = Equivocation { first, second };
    // A head of version 3 from another fork, and version 6's proof about version 3.
    let mut other = updates[2].head.head;
    other.root = S::empty_tree();
    let other = other.sign(&signing_key(SIGNER)).unwrap();
    let (old, new) = (Version::new(3), Version::new(6));
    let past = Past::Root(server.heads().prove_inclusion(old, new).unwrap());
    let contradiction = Contradiction {
        version: old,
        first: Testimony {
            head: other,
            past: Past::Own,
        },
        second: Testimony {
            head: updates[5].head,
            past,
        },
    };
    for evidence in [codec::encode(&equivocation), codec::encode(&contradiction)] {
        assert!(is_evidence::<S>(server.authority(), &evidence));
    }
    let prefix = server.heads().prove_prefix(old, new).unwrap();
    let prefix = codec::encode(&prefix);
    assert!(is_history(server, ("prefix", 3, 6), &prefix));
    let mut view = TrustedView::<S>::new(*server.authority());
    let unused = codec::encode(&view);
    view.advance(Untrusted::new(first), None).unwrap();
    let messages = [
        ("equivocation", codec::encode(&equivocation)),
        ("contradiction", codec::encode(&contradiction)),
        ("prefix proof of version 3 under version 6", prefix),
        ("trusted view, new", unused),
        ("trusted view, version 1", codec::encode(&view)),
    ];
    let messages = messages.map(|(name, message)| (name.to_owned(), encode(message)));
    messages.into()
}

#[test]
fn treap() {
    check_all::<Sha256Ed25519, Treap>("treap");
}

#[test]
fn red_black() {
    check_all::<Sha256Ed25519, RedBlack>("red-black");
}

#[test]
fn skip_list() {
    check_all::<Sha256Ed25519, SkipList>("skip-list");
}

#[test]
fn other_suites() {
    check_all::<Blake3Ed25519, RedBlack>("red-black-blake3");
    check_all::<Paper2010, Treap>("treap-paper-2010");
}

/// Hashes all roots of 100 runs of 1000 pseudorandom operations each, with a snapshot after about
/// every eighth. The result is one constant per scheme, for every store.
#[test]
fn accumulated() {
    const RUNS: u64 = 100;
    const STEPS: u64 = 1000;
    type A = Authenticated<Sha256Ed25519>;
    let mut digests = BTreeMap::new();
    macro_rules! accumulate {
        ($scheme:ident) => {
            let updates = random_updates::<$scheme>(RUNS, STEPS);
            let digest = author_roots(&updates);
            let stores = [
                store_roots::<VersionedNodes<A, $scheme, CacheMedian>>,
                store_roots::<PathCopying<A, $scheme>>,
                store_roots::<VersionedNodes<A, $scheme, CacheNowhere>>,
                store_roots::<VersionedNodes<A, $scheme, CacheEverywhere>>,
            ];
            for roots in &stores[..pad_conformance::soak::size(1, 4)] {
                assert_eq!(roots(&updates), digest);
            }
            digests.insert($scheme::NAME.to_owned(), digest);
        };
    }
    accumulate!(Treap);
    accumulate!(RedBlack);
    accumulate!(SkipList);
    let name = "trees/accumulated";
    let of: AccumulatedRoots = published::read(name);
    assert_eq!((of.runs, of.operations), (RUNS, STEPS));
    published::check(name, &AccumulatedRoots { digests, ..of });
}

/// The hash over the roots that an author signs.
fn author_roots(updates: &[(u64, Update<Sha256Ed25519>)]) -> String {
    let mut roots = Vec::new();
    for (_, update) in updates {
        roots.extend_from_slice(update.head.head.root.as_ref());
    }
    Sha256Ed25519::hash(Domain::Value, &[&roots]).to_string()
}

fn store_roots<St: Store<Sha256Ed25519>>(updates: &[(u64, Update<Sha256Ed25519>)]) -> String {
    let authority = tree_author::<Sha256Ed25519, St::Scheme>(DictionaryId::from_name("a"), SIGNER);
    let authority = authority.authority();
    let mut server = TreeRepository::<Sha256Ed25519, St>::new(authority);
    let mut roots = Vec::new();
    for (run, update) in updates {
        if update.base == Version::EMPTY {
            server = TreeRepository::new(authority);
        }
        let version = server.apply(update);
        let version = version.unwrap_or_else(|error| panic!("run {run}: {error}"));
        let root = server.contents().root_digest(version).unwrap();
        roots.extend_from_slice(root.as_ref());
    }
    Sha256Ed25519::hash(Domain::Value, &[&roots]).to_string()
}

/// All updates, each with the number of its run.
fn random_updates<B: BalancingScheme>(runs: u64, steps: u64) -> Vec<(u64, Update<Sha256Ed25519>)> {
    let mut updates = Vec::new();
    for run in 0..runs {
        let mut random = Random::new(run);
        let mut author = tree_author::<Sha256Ed25519, B>(DictionaryId::from_name("a"), SIGNER);
        for _ in 0..steps {
            let action = random.below(8);
            if action == 0 {
                updates.push((run, author.snapshot().unwrap()));
                continue;
            }
            let key = key(format!("{:02x}", random.below(200)));
            if action < 3 {
                author.remove(&key);
            } else {
                author.put(key, value(random.next_bits().to_be_bytes()));
            }
        }
    }
    updates
}
