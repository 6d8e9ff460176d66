//! Known-answer vectors: `docs/vectors/trees/*.json`, one file per scheme and suite, and one constant over
//! many pseudorandom operations per scheme.
//!
//! `PAD_WRITE_VECTORS=1 cargo test -p pad-tree --test it vectors` writes them anew. A difference is a
//! change of the format: it needs a decision file and a line in the change log.

mod refused;

use std::collections::BTreeMap;

use conformance::{
    Random,
    operation::{key, value},
    pad::{public_key, verified_head},
    pruned::{Content, Mirror},
    published::{self, Asked, ProofFile, ProofFiles, Refusal, public_text, refusals},
    tree::Store,
    tree::tree_author,
};
use pad_core::{
    Blake3Ed25519, Client, Contradiction, Dictionary, DictionaryId, Domain, Equivocation,
    Heads as _, Key, Operation, Paper2010, Past, PublicKey, Repository, Response, Sha256Ed25519,
    Suite, Testimony, TrustedView, Untrusted, Update, Version, codec,
};
use pad_tree::{
    Authenticated, BalancingScheme, CacheEverywhere, CacheMedian, CacheNowhere, First, KeyRange,
    Keys, Last, PathCopying, Predecessor, ProvableQuery, RedBlack, SkipList, Successor, Treap,
    Tree, TreeProof, TreeRepository, TreeScheme, VersionedNodes,
};
use serde::{Deserialize, Serialize};

/// The signing key's seed is 32 times this byte.
const SIGNER: u8 = 42;
const DICTIONARY: &str = "vectors";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
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
    refused_updates: Vec<refused::RefusedUpdate>,
    refused_history: Vec<refused::RefusedHistory>,
    refused_evidence: Vec<refused::RefusedEvidence>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct VersionVector {
    version: u64,
    /// Each operation: the key, and the value or nothing for a removal.
    operations: Vec<(String, Option<String>)>,
    root: String,
    history: String,
    signed_bytes: String,
    signature: String,
    signed_head: String,
    update: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ProofVector {
    name: String,
    version: u64,
    /// Keys of the query, in hexadecimal; `null` for an open end of a range.
    query: Vec<Option<String>>,
    /// The entries that the proof establishes; for look-ups, `null` for an absent key.
    answer: Vec<(String, Option<String>)>,
    proof: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct HistoryVector {
    kind: String,
    older: u64,
    newer: u64,
    proof: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Accumulated {
    comment: String,
    runs: u64,
    operations: u64,
    digests: BTreeMap<String, String>,
}

const COMMENT: &str = "All byte strings in hexadecimal. The author's Ed25519 seed is author_seed. \
    Operations lead from the version before to this one, in ascending order of keys. What the \
    fields mean: docs/vectors/README.md.";

/// What is put (or, with no value, removed) in each version.
const OPERATIONS: [&[(&str, Option<&str>)]; 6] = [
    // Loads the empty tree at once, with a number of entries that is no power of two.
    &[
        ("apple", Some("3")),
        ("banana", Some("7")),
        ("cherry", Some("11")),
        ("date", Some("13")),
        ("elderberry", Some("")),
        ("fig", Some("17")),
        ("grape", Some("19")),
    ],
    &[("banana", Some("8"))],
    &[
        ("cherry", None),
        (
            "cherry pie",
            Some("a value that is longer than one digest of bytes"),
        ),
    ],
    &[],
    &[
        ("", Some("the empty key")),
        ("date", None),
        ("grape", None),
        ("zucchini", Some("23")),
    ],
    &[
        ("apple", Some("4")),
        ("fig", None),
        ("kiwi", Some("29")),
        ("lemon", Some("31")),
    ],
];

fn updates<S: Suite, B: BalancingScheme>() -> (Vec<Update<S>>, pad_core::head::Authority) {
    let mut author = tree_author::<S, B>(DictionaryId::from_name(DICTIONARY), SIGNER);
    let updates = OPERATIONS.map(|operations| {
        let batch = operations.iter().map(|(name, content)| match content {
            Some(content) => Operation::Put(key(name), value(content)),
            None => Operation::Remove(key(name)),
        });
        author.snapshot_of(batch.collect()).unwrap()
    });
    (updates.to_vec(), author.authority())
}

fn vector<S: Suite, B: BalancingScheme>() -> (Vector, ProofFiles) {
    type St<S, B> = PathCopying<Authenticated<S>, B>;
    let (updates, authority) = updates::<S, B>();
    let mut server = TreeRepository::<S, St<S, B>>::new(authority);
    let mut versions = Vec::new();
    for update in &updates {
        server.apply(update).unwrap();
        versions.push(version_vector(update));
    }
    let mut proofs = Vec::new();
    let mut files = ProofFiles::new(public_text((S::NAME, B::NAME), &authority, None));
    let mut prover = Prover {
        server: &server,
        proofs: &mut proofs,
        files: &mut files,
    };
    prover.prove_all();
    let vector = Vector {
        comment: COMMENT.to_owned(),
        suite: S::NAME.to_owned(),
        suite_id: S::ID.0,
        scheme: B::NAME.to_owned(),
        scheme_id: B::ID.0,
        author_seed: hex::encode([SIGNER; 32]),
        author_key: public_key(SIGNER).to_string(),
        dictionary_name: DICTIONARY.to_owned(),
        dictionary_id: authority.dictionary.to_string(),
        hashes: hashes::<S>(&updates[0].head.head.root),
        versions,
        proofs,
        history: history(&server),
        messages: messages(&server, &updates),
        refused_updates: refused::updates::<S, B>(&updates, authority),
        refused_history: refused::history(&server),
        refused_evidence: refused::evidence(&server, &updates),
    };
    (vector, files)
}

/// One digest for each domain, over the entries of version 1.
fn hashes<S: Suite>(first_root: &S::Digest) -> BTreeMap<String, String> {
    let leaf = |key: &str, value: &str| S::leaf(key.as_bytes(), &S::value(value.as_bytes()));
    let (apple, banana) = (leaf("apple", "3"), leaf("banana", "7"));
    let version_1 = S::hash(
        Domain::HistoryLeaf,
        &[&1_u64.to_be_bytes(), first_root.as_ref()],
    );
    let rows = [
        ("value 7", S::value(b"7")),
        ("leaf apple 3", apple),
        ("leaf banana 7", banana),
        ("node of both", S::node(Domain::TreeNode, &apple, &banana)),
        ("empty tree", S::empty_tree()),
        ("key rank of banana", S::hash(Domain::KeyRank, &[b"banana"])),
        ("empty history", S::hash(Domain::EmptyHistory, &[])),
        ("history leaf 1", version_1),
        (
            "history node of twice leaf 1",
            S::node(Domain::HistoryNode, &version_1, &version_1),
        ),
    ];
    rows.map(|(name, digest)| (name.to_owned(), digest.to_string()))
        .into()
}

fn version_vector<S: Suite>(update: &Update<S>) -> VersionVector {
    let head = update.head.head;
    let operations = update.operations.iter().map(|operation| match operation {
        Operation::Put(key, value) => (hex::encode(key), Some(hex::encode(value))),
        Operation::Remove(key) => (hex::encode(key), None),
    });
    VersionVector {
        version: head.version.number(),
        operations: operations.collect(),
        root: head.root.to_string(),
        history: head.history.to_string(),
        signed_bytes: hex::encode(head.signed_bytes()),
        signature: hex::encode(update.head.signature.to_bytes()),
        signed_head: hex::encode(codec::encode(&update.head)),
        update: hex::encode(codec::encode(update)),
    }
}

struct Prover<'a, S: Suite, St: Store<S>> {
    server: &'a TreeRepository<S, St>,
    proofs: &'a mut Vec<ProofVector>,
    files: &'a mut ProofFiles,
}

type Entries = Vec<(Key, Option<pad_core::Value>)>;

impl<S: Suite, St: Store<S>> Prover<'_, S, St> {
    fn prove_all(&mut self) {
        for name in ["banana", "cherry", "", "aardvark", "zucchini", "zzz"] {
            for version in [0, 1, 3, 6] {
                self.look_up(version, name);
            }
        }
        let keys = Keys::new(["apple", "banana", "cherry", "zzz"].map(key).to_vec()).unwrap();
        let asked = keys.as_slice().iter().cloned().map(Some).collect();
        self.prove("keys", 6, &keys, asked, |statement| {
            statement
                .answers
                .into_iter()
                .map(|(key, answer)| (key, answer.value().cloned()))
                .collect()
        });
        for (start, end) in [
            (Some("b"), Some("f")),
            (None, Some("")),
            (Some("banana"), None),
        ] {
            let range = KeyRange {
                start: start.map(key),
                end: end.map(key),
            };
            let asked = vec![range.start.clone(), range.end.clone()];
            self.prove("range", 5, &range, asked, |statement| {
                some(statement.entries)
            });
        }
        for name in ["", "banana", "b", "zzz"] {
            let asked = || vec![Some(key(name))];
            let (below, above) = (Predecessor(key(name)), Successor(key(name)));
            self.prove("predecessor", 6, &below, asked(), |statement| {
                some(statement.entry)
            });
            self.prove("successor", 6, &above, asked(), |statement| {
                some(statement.entry)
            });
        }
        self.prove("first", 6, &First, vec![], |statement| {
            some(statement.entry)
        });
        self.prove("last", 6, &Last, vec![], |statement| some(statement.entry));
    }

    fn look_up(&mut self, version: u64, name: &str) {
        self.prove(
            "look-up",
            version,
            &key(name),
            vec![Some(key(name))],
            |statement| vec![(statement.key, statement.answer.value().cloned())],
        );
    }

    fn prove<Q: ProvableQuery>(
        &mut self,
        name: &str,
        version: u64,
        query: &Q,
        asked: Vec<Option<Key>>,
        answer: impl Fn(Q::Statement) -> Entries,
    ) {
        let number = Version::new(version);
        let head = verified_head(*self.server.authority(), self.server, number);
        let proof = self.server.prove_query(number, query).unwrap();
        let bytes = codec::encode(&proof);
        let response = Response::new(self.server, number, proof.clone()).unwrap();
        let statement = Untrusted::new(proof)
            .verify(&head, query)
            .unwrap()
            .into_inner();
        let entries = answer(statement).into_iter();
        let query_keys: Vec<_> = asked.into_iter().map(|key| key.map(hex::encode)).collect();
        let answer: Vec<_> = entries
            .map(|(key, value)| (hex::encode(key), value.map(hex::encode)))
            .collect();
        self.publish(
            ProofFile {
                asked: Asked {
                    question: name.to_owned(),
                    keys: query_keys.clone(),
                    version,
                },
                answer: answer.clone(),
                file: hex::encode(codec::encode(&response)),
            },
            &response,
            query,
        );
        self.proofs.push(ProofVector {
            name: name.to_owned(),
            version,
            query: query_keys,
            answer,
            proof: hex::encode(bytes),
        });
    }

    /// Adds a proof file, and, of the first of each kind that has leaves, what must be refused in its place.
    fn publish<Q: ProvableQuery>(
        &mut self,
        file: ProofFile,
        response: &Response<S, TreeProof<S, Q>>,
        query: &Q,
    ) {
        let authority = self.server.authority();
        let public = PublicKey::new(authority.author, authority.dictionary, ());
        let client = Client::<Tree<St::Scheme, S>>::new(public);
        let accepts =
            |version, bytes: &[u8]| client.check_at(Version::new(version), bytes, query).is_ok();
        let bytes = codec::encode(response);
        let asked = file.asked.clone();
        let mirror = Mirror::of(&response.proof);
        let is_first = self
            .files
            .accepted
            .iter()
            .all(|other| other.asked.question != asked.question || other.asked.version == 0);
        self.files.accept(file, &bytes, accepts);
        if is_first && asked.version > 0 {
            let digest = S::empty_tree().as_ref().len();
            let mut changed = refusals(&bytes, digest, published::EVERY);
            changed.extend(changed_trees(&mirror).into_iter().map(|(why, mirror)| {
                let proof = mirror.to_proof::<Q>();
                let head = response.head;
                Refusal::new(why, codec::encode(&Response { head, proof }))
            }));
            self.files.refuse_changes(&asked, changed, accepts);
        }
    }
}

/// Trees that are not the one that a question needs, and proofs that are none.
fn changed_trees<S: Suite>(honest: &Mirror<S>) -> Vec<(&'static str, Mirror<S>)> {
    let change = |change: fn(&mut Mirror<S>)| {
        let mut mirror = honest.clone();
        change(&mut mirror);
        mirror
    };
    let unused = honest.shape.len() * 4 - honest.codes().len();
    let mut made = vec![
        (
            "a byte more of shape",
            change(|mirror| mirror.shape.push(0)),
        ),
        (
            "a leaf twice",
            change(|mirror| mirror.leaves.insert(0, mirror.leaves[0].clone())),
        ),
        (
            "no leaves",
            change(|mirror| {
                mirror.leaves.clear();
                mirror.siblings.clear();
                mirror.shape.clear();
            }),
        ),
        (
            "a value for a digest, or a digest for a value",
            change(|mirror| {
                let content = &mut mirror.leaves[0].content;
                *content = match content {
                    Content::Value(value) => Content::Digest(S::value(value.as_bytes())),
                    Content::Digest(_) => Content::Value(value("7")),
                };
            }),
        ),
    ];
    if unused > 0 {
        let bits = change(|mirror| *mirror.shape.last_mut().unwrap() |= 0x80);
        made.push(("bits of the shape that mean nothing", bits));
    }
    if honest.siblings.len() > 1 {
        made.push((
            "siblings in another order",
            change(|mirror| mirror.siblings.swap(0, 1)),
        ));
        made.push((
            "a sibling less",
            change(|mirror| mirror.siblings.truncate(mirror.siblings.len() - 1)),
        ));
    }
    if honest.leaves.len() > 1 {
        made.push((
            "leaves in another order",
            change(|mirror| mirror.leaves.swap(0, 1)),
        ));
    }
    made
}

fn some(entries: impl IntoIterator<Item = (Key, pad_core::Value)>) -> Entries {
    entries
        .into_iter()
        .map(|(key, value)| (key, Some(value)))
        .collect()
}

fn history<S: Suite, St: Store<S>>(server: &TreeRepository<S, St>) -> Vec<HistoryVector> {
    let mut vectors = Vec::new();
    for newer in 2..=6 {
        for older in 1..newer {
            let (old, new) = (Version::new(older), Version::new(newer));
            let inclusion = codec::encode(&server.heads().prove_inclusion(old, new).unwrap());
            let consistency = codec::encode(&server.heads().prove_consistency(old, new).unwrap());
            for (kind, proof) in [("inclusion", inclusion), ("consistency", consistency)] {
                let proof = hex::encode(proof);
                vectors.push(HistoryVector {
                    kind: kind.to_owned(),
                    older,
                    newer,
                    proof,
                });
            }
        }
    }
    vectors
}

/// The messages that are not in the other fields.
fn messages<S: Suite, St: Store<S>>(
    server: &TreeRepository<S, St>,
    updates: &[Update<S>],
) -> BTreeMap<String, String> {
    let first = updates[0].head;
    let mut other = first.head;
    other.root = S::empty_tree();
    let second = other.sign(&conformance::pad::signing_key(SIGNER)).unwrap();
    let equivocation = Equivocation { first, second };
    // A head of version 3 from another fork, and what version 6 says of version 3.
    let mut other = updates[2].head.head;
    other.root = S::empty_tree();
    let other = other.sign(&conformance::pad::signing_key(SIGNER)).unwrap();
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
    let prefix = server.heads().prove_prefix(old, new).unwrap();
    let mut view = TrustedView::<S>::new(*server.authority());
    let unused = hex::encode(codec::encode(&view));
    view.advance(Untrusted::new(first), None).unwrap();
    BTreeMap::from([
        (
            "equivocation".to_owned(),
            hex::encode(codec::encode(&equivocation)),
        ),
        (
            "contradiction".to_owned(),
            hex::encode(codec::encode(&contradiction)),
        ),
        (
            "prefix proof of version 3 under version 6".to_owned(),
            hex::encode(codec::encode(&prefix)),
        ),
        ("trusted view, new".to_owned(), unused),
        (
            "trusted view, version 1".to_owned(),
            hex::encode(codec::encode(&view)),
        ),
    ])
}

/// Compares with the published file, or writes it.
fn check(name: &str, computed: &impl Serialize) {
    published::check(&format!("trees/{name}"), computed);
}

/// The vectors of a scheme, and its proof files.
fn check_all<S: Suite, B: BalancingScheme>(name: &str) {
    let (vector, files) = vector::<S, B>();
    check(name, &vector);
    published::check(&format!("proof-files/{name}"), &files);
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

/// 100 runs of 1000 pseudorandom operations each, a snapshot after about every eighth: the hash over
/// all roots is one constant per scheme, whatever the store.
#[test]
fn accumulated() {
    const RUNS: u64 = 100;
    const STEPS: u64 = 1000;
    type A = Authenticated<Sha256Ed25519>;
    let mut digests = BTreeMap::new();
    macro_rules! accumulate {
        ($scheme:ident) => {
            let digest = author_roots::<$scheme>(RUNS, STEPS);
            let stores = [
                store_roots::<PathCopying<A, $scheme>>(RUNS, STEPS),
                store_roots::<VersionedNodes<A, $scheme, CacheNowhere>>(RUNS, STEPS),
                store_roots::<VersionedNodes<A, $scheme, CacheMedian>>(RUNS, STEPS),
                store_roots::<VersionedNodes<A, $scheme, CacheEverywhere>>(RUNS, STEPS),
            ];
            assert_eq!(stores, [(); 4].map(|()| digest.clone()));
            digests.insert($scheme::NAME.to_owned(), digest);
        };
    }
    accumulate!(Treap);
    accumulate!(RedBlack);
    accumulate!(SkipList);
    let comment = "SHA-256 with the tag pad/v1/value over the concatenated roots of all versions. \
        Run r draws from SplitMix64 with seed r; each step draws an action below 8 (0 snapshot, 1 or \
        2 remove, else put), then for the latter two a key of one byte below 200 as two hexadecimal \
        digits, then for puts a value of 8 big-endian bytes. A removal of an absent key does nothing. What is \
        drawn below n is the next output modulo n, and the state of SplitMix64 begins as the seed. A snapshot is one \
        update, of what the steps since the last one made of each key; what is left at the end is not signed.";
    let accumulated = Accumulated {
        comment: comment.to_owned(),
        runs: RUNS,
        operations: STEPS,
        digests,
    };
    check("accumulated", &accumulated);
}

/// The hash over the roots that an author signs.
fn author_roots<B: BalancingScheme>(runs: u64, steps: u64) -> String {
    let mut roots = Vec::new();
    each_update::<B>(runs, steps, |_, update| {
        roots.extend_from_slice(update.head.head.root.as_ref());
    });
    Sha256Ed25519::hash(Domain::Value, &[&roots]).to_string()
}

fn store_roots<St: Store<Sha256Ed25519>>(runs: u64, steps: u64) -> String {
    let authority = tree_author::<Sha256Ed25519, St::Scheme>(DictionaryId::from_name("a"), SIGNER);
    let authority = authority.authority();
    let (mut roots, mut server) = (
        Vec::new(),
        TreeRepository::<Sha256Ed25519, St>::new(authority),
    );
    each_update::<St::Scheme>(runs, steps, |run, update| {
        if update.base == Version::EMPTY {
            server = TreeRepository::new(authority);
        }
        let version = server
            .apply(update)
            .unwrap_or_else(|error| panic!("run {run}: {error}"));
        let root = server.contents().root_digest(version).unwrap();
        roots.extend_from_slice(root.as_ref());
    });
    Sha256Ed25519::hash(Domain::Value, &[&roots]).to_string()
}

fn each_update<B: BalancingScheme>(
    runs: u64,
    steps: u64,
    mut take: impl FnMut(u64, &Update<Sha256Ed25519>),
) {
    for run in 0..runs {
        let mut random = Random::new(run);
        let mut author = tree_author::<Sha256Ed25519, B>(DictionaryId::from_name("a"), SIGNER);
        for _ in 0..steps {
            let action = random.below(8);
            if action == 0 {
                take(run, &author.snapshot().unwrap());
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
}
