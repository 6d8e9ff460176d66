//! Compares every role with a list of entries, after every version of random histories.

use block_directory::{
    BlockDirectory, Changes, Entry, EntryProof, EntryQuery, EntryRange, FullAuthor, LightAuthor,
    RequestError, StoreError,
    internals::{EntryRequest, MOST_ENTRIES, entry_digest, root_digest},
};
use pad_core::{
    Blake3Ed25519, DecodeError, LookupError, Paper2010, Repository as _, Sha256Ed25519, Suite,
    Untrusted, Version, codec, internals::Domain,
};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::{
    stored::TINY,
    support::{S, append, head, head_of, id, object, signer, verify},
};

/// The digest of every entry; `None` for a deleted one.
type Oracle<S> = Vec<Option<<S as Suite>::Digest>>;

fn expected<S: Suite>(oracle: &Oracle<S>, number: u64) -> Entry<S::Digest> {
    match oracle.get(usize::try_from(number).unwrap()) {
        Some(Some(object)) => Entry::Live(*object),
        Some(None) => Entry::Deleted,
        None => Entry::Unassigned,
    }
}

struct Roles<S: Suite> {
    oracle: Oracle<S>,
    full: FullAuthor<S>,
    light: LightAuthor<S>,
    server: BlockDirectory<S>,
    random: ChaCha8Rng,
}

impl<S: Suite> Roles<S> {
    fn new(seed: u64) -> Self {
        let full = FullAuthor::<S>::new("oracle", signer()).unwrap();
        Self {
            oracle: Vec::new(),
            server: BlockDirectory::new(*full.authority(), 2).unwrap(),
            full,
            light: LightAuthor::new("oracle", signer()).unwrap(),
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Makes one version of random operations with both authors, and applies it at the server.
    fn publish(&mut self) {
        let mut changes = Changes::new();
        let registered = self.oracle.len();
        for _ in 0..self.random.random_range(0..12) {
            let number = self.random.random_range(0..1000);
            let place = self.random.random_range(0..=registered * 2 + 1);
            let at = id(u64::try_from(place).unwrap());
            let fresh = object::<S>(number + 1_000_000);
            match self.oracle.get(place).copied() {
                Some(Some(_)) if place < registered && number % 3 == 0 => {
                    self.full.delete(at).unwrap();
                    changes.delete(at);
                    self.oracle[place] = None;
                }
                Some(Some(_)) if place < registered => {
                    self.full.update(at, fresh).unwrap();
                    changes.update(at, fresh);
                    self.oracle[place] = Some(fresh);
                }
                Some(None) => assert!(self.full.update(at, fresh).is_err()),
                _ => {
                    let next = u64::try_from(self.oracle.len()).unwrap();
                    assert_eq!(self.full.append(fresh), Ok(id(next)));
                    changes.append(fresh);
                    self.oracle.push(Some(fresh));
                }
            }
        }
        let question = changes.question().unwrap();
        let witness =
            question.map(|query| Untrusted::new(self.server.prove_latest(&query).unwrap()));
        let update = self.full.snapshot().unwrap();
        let keep = |_: &_, _: &_| Ok::<(), DecodeError>(());
        let light = self.light.publish(&changes, witness, keep).unwrap();
        assert_eq!(codec::encode(&light), codec::encode(&update));
        let version = update.base.next().unwrap();
        assert_eq!(self.server.apply(&update), Ok(version));
        assert_eq!(self.light.registered(), self.server.registered());
        assert!(codec::encode(self.light.state()).len() < 4096);
    }

    /// Checks every single entry and some ids beyond, some sets, and some ranges.
    fn check_everything(&mut self) {
        let registered = u64::try_from(self.oracle.len()).unwrap();
        for number in (0..registered + 3).chain([1 << 32, MOST_ENTRIES, u64::MAX]) {
            self.check_ids(vec![number]);
        }
        for _ in 0..8 {
            let share = self.random.random_range(1..=100);
            let all = 0..registered + 2;
            let some = all.filter(|_| self.random.random_range(0..100) < share);
            let some: Vec<u64> = some.collect();
            if !some.is_empty() {
                self.check_ids(some);
            }
            let start = self.random.random_range(0..=registered + 1);
            let end = start + self.random.random_range(1..=registered + 2);
            self.check_range(start, end);
        }
        self.check_range(0, u64::MAX);
    }

    fn check_ids(&self, asked: Vec<u64>) {
        let query = EntryQuery::new(asked.clone()).unwrap();
        let proof = codec::encode(&self.server.prove_latest(&query).unwrap());
        let proof = Untrusted::<EntryProof<S>>::decode(&proof, proof.len()).unwrap();
        let head = head_of::<S>(self.server.heads().latest_head().unwrap().head.root);
        let entries = proof.verify(&head, &query).unwrap().into_inner();
        for number in asked {
            let expected = expected::<S>(&self.oracle, number);
            assert_eq!(entries.of(id(number)), Some(expected));
        }
    }

    fn check_range(&self, start: u64, end: u64) {
        let range = EntryRange::new(id(start), id(end)).unwrap();
        let proof = self.server.prove_latest(&range).unwrap();
        let head = head_of::<S>(self.server.heads().latest_head().unwrap().head.root);
        let entries = Untrusted::new(proof).verify(&head, &range).unwrap();
        let shown: Vec<_> = entries.get().registered_entries().collect();
        let registered = u64::try_from(self.oracle.len()).unwrap();
        let asked = start.min(registered)..end.min(registered);
        let all: Vec<_> = asked
            .map(|number| (id(number), expected::<S>(&self.oracle, number)))
            .collect();
        assert_eq!(shown, all);
    }
}

fn random_histories<S: Suite>(versions: usize) {
    for seed in 0..3 {
        let mut roles = Roles::<S>::new(seed);
        for _ in 0..versions {
            roles.publish();
            roles.check_everything();
        }
    }
}

#[test]
fn histories_match_a_list_of_entries() {
    random_histories::<Sha256Ed25519>(24);
    random_histories::<Blake3Ed25519>(4);
    random_histories::<Paper2010>(4);
}

/// Compares the roots of every size up to 300 with the definition of the tree, without blocks.
#[test]
fn roots_are_those_of_the_definition() {
    type S = Sha256Ed25519;
    fn tree(leaves: &[<S as Suite>::Digest]) -> <S as Suite>::Digest {
        let [leaf] = leaves else {
            let (left, right) = leaves.split_at(1 << (leaves.len() - 1).ilog2());
            return S::node(Domain::DirectoryNode, &tree(left), &tree(right));
        };
        *leaf
    }
    let mut light = LightAuthor::<S>::new("sizes", signer()).unwrap();
    let mut leaves = Vec::new();
    for number in 0..300 {
        let object = object::<S>(number);
        leaves.push(entry_digest::<S>(id(number), Some(&object)));
        let mut changes = Changes::new();
        changes.append(object);
        let update = light.publish(&changes, None, |_, _| Ok::<(), DecodeError>(()));
        let root = update.unwrap().head.head.root;
        assert_eq!(root, root_digest::<S>(number + 1, &tree(&leaves)));
    }
}

/// A server must refuse queries about versions that it has dropped or does not have yet.
#[test]
fn old_and_unknown_versions_are_refused() {
    let mut roles = Roles::<Sha256Ed25519>::new(9);
    roles.publish();
    roles.publish();
    let (old, latest, unknown) = (Version::new(1), Version::new(2), Version::new(3));
    let query = EntryQuery::one(id(0));
    assert!(roles.server.prove(latest, &query).is_ok());
    assert_eq!(roles.server.oldest(), latest);
    let (version, oldest) = (old, latest);
    let pruned = LookupError::Pruned { version, oldest };
    assert_eq!(roles.server.prove(old, &query), Err(pruned));
    let version = unknown;
    let missing = LookupError::UnknownVersion { version, latest };
    assert_eq!(roles.server.prove(unknown, &query), Err(missing));
    let request = EntryRequest::<Sha256Ed25519>::new(unknown, query, None);
    let answer = roles.server.answer(&codec::encode(&request.unwrap()));
    assert_eq!(answer, Err(RequestError::Lookup(missing)));
}

/// Changes of many blocks are hashed in groups of blocks. The root is that of a directory that is
/// loaded with the same entries.
#[test]
fn large_versions_have_the_roots_of_loads() {
    const BEFORE: u64 = 20_000;
    const AFTER: u64 = 20_300;
    const SHIFT: u64 = 1 << 40;
    let of = |number: u64| {
        let is_changed = number < BEFORE && number % 2 == 1;
        object::<S>(if is_changed { number + SHIFT } else { number })
    };
    let mut loaded = FullAuthor::<S>::new("directory", signer()).unwrap();
    loaded.load((0..AFTER).map(of)).unwrap();

    let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
    let first = author.load((0..BEFORE).map(object::<S>)).unwrap();
    let servers = [1, 2, 12].map(|step| {
        let server = BlockDirectory::<S>::new(*author.authority(), step).unwrap();
        server.load(&first, (0..BEFORE).map(object::<S>)).unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    let objects = (0..BEFORE).map(|number| Ok::<_, StoreError>(object::<S>(number)));
    let (path, authority) = (folder.path(), *author.authority());
    let stored = BlockDirectory::create_loaded(path, authority, (7, TINY), objects, |_| Ok(first));
    for number in (1..BEFORE).step_by(2) {
        author.update(id(number), of(number)).unwrap();
    }
    append(&mut author, BEFORE..AFTER);
    let update = author.snapshot().unwrap();
    assert_eq!(update.head.head.root, head(loaded.directory()).get().root);
    for mut server in servers.into_iter().chain([stored.unwrap()]) {
        server.apply(&update).unwrap();
        for number in [0, 1, 4_097, BEFORE - 1, AFTER - 1].map(id) {
            let query = EntryQuery::one(number);
            let message = codec::encode(&server.prove_latest(&query).unwrap());
            let found = verify(&message, &head(&server), &query).unwrap();
            assert_eq!(found.of(number), Some(Entry::Live(of(number.number()))));
        }
    }
}
