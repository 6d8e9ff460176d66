//! Dictionaries in memory, for comparison with stored ones.

use std::collections::BTreeMap;

use authdict::{
    BaseSuperseding, Difference, Key, KeyHistory, KeyRange, Keys, Operation, PublicKey, Question,
    RedBlack, SchemeName, Server, SkipList, Spec, SpecLightweight, SpecLightweight3, Treap, Tree,
    Tuple, Value, Version,
    pad_core::{self, Authored, Hosts, Serves, Sha256Ed25519},
    pad_tuple::designs::Base,
};
use pad_conformance::soak;
use pad_core::{Update, codec};

use crate::shop::questions;

type S = Sha256Ed25519;

/// The observable state of a repository.
pub(crate) trait Observable {
    fn versions(&self) -> (Version, Version);
    fn number(&self) -> usize;
    fn answers(&self, version: Version, question: &Question) -> Vec<u8>;
    fn differing(&self, before: Version, after: Version) -> Vec<Difference>;
    fn signed(&self, version: Version) -> Vec<u8>;
    fn changes(&self, key: &Key) -> KeyHistory;
}

impl Observable for Server {
    fn versions(&self) -> (Version, Version) {
        (self.oldest(), self.latest())
    }

    fn number(&self) -> usize {
        self.entries()
    }

    fn answers(&self, version: Version, question: &Question) -> Vec<u8> {
        self.answer(version, question).unwrap()
    }

    fn differing(&self, before: Version, after: Version) -> Vec<Difference> {
        self.diff(before, after).unwrap().into_unverified()
    }

    fn signed(&self, version: Version) -> Vec<u8> {
        self.head_message(version).unwrap()
    }

    fn changes(&self, key: &Key) -> KeyHistory {
        let history = self.history(key).unwrap().into_unverified();
        // A page must be the end of the whole history.
        let page = self.history_page(key, self.latest(), 3).unwrap();
        let page = page.into_unverified();
        let end = history.changes.iter().filter(|at| **at > page.since);
        assert!(end.eq(&page.changes));
        history
    }
}

/// A dictionary in memory, with copies of its contents in each version.
pub(crate) struct Memory {
    server: Box<dyn AnyServer>,
    contents: Vec<BTreeMap<Key, Value>>,
    oldest: Version,
}

impl Memory {
    /// Creates an empty dictionary, without versions.
    pub(crate) fn new(public: &PublicKey) -> Self {
        Self {
            server: server(public),
            contents: vec![BTreeMap::new()],
            oldest: Version::EMPTY,
        }
    }

    /// Creates a dictionary with all versions of a repository that was not pruned.
    pub(crate) fn of(public: &PublicKey, repository: &Server) -> Self {
        let mut memory = Self::new(public);
        memory.follow(repository);
        memory
    }

    /// Applies the updates that this dictionary lacks.
    pub(crate) fn follow(&mut self, repository: &Server) {
        let latest = self.versions().1.number();
        for version in (latest + 1..=repository.latest().number()).map(Version::new) {
            let update = repository.update_message(version).unwrap().unwrap();
            let mut contents = self.contents.last().unwrap().clone();
            for operation in self.server.apply(&update) {
                match operation {
                    Operation::Put(key, value) => contents.insert(key, value),
                    Operation::Remove(key) => contents.remove(&key),
                };
            }
            self.contents.push(contents);
        }
    }

    pub(crate) fn prune(&mut self, oldest: Version) {
        self.server.prune(oldest);
        self.oldest = self.oldest.max(oldest);
    }

    fn at(&self, version: Version) -> &BTreeMap<Key, Value> {
        &self.contents[usize::try_from(version.number()).unwrap()]
    }
}

impl Observable for Memory {
    fn versions(&self) -> (Version, Version) {
        let latest = u64::try_from(self.contents.len() - 1).unwrap();
        (self.oldest, Version::new(latest))
    }

    fn number(&self) -> usize {
        self.at(self.versions().1).len()
    }

    fn answers(&self, version: Version, question: &Question) -> Vec<u8> {
        self.server.answer(version, question)
    }

    fn differing(&self, before: Version, after: Version) -> Vec<Difference> {
        let [before, after] = [before, after].map(|version| self.at(version));
        let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let is_other = |key: &&Key| before.get(*key) != after.get(*key);
        let keys = keys.into_iter().filter(is_other);
        let difference = |key: &Key| Difference {
            key: key.clone(),
            before: before.get(key).cloned(),
            after: after.get(key).cloned(),
        };
        keys.map(difference).collect()
    }

    fn signed(&self, version: Version) -> Vec<u8> {
        self.server.head(version)
    }

    fn changes(&self, key: &Key) -> KeyHistory {
        let (since, latest) = self.versions();
        let versions = (since.number() + 1..=latest.number()).map(Version::new);
        let is_change = |version: &Version| {
            self.at(*version).get(key) != self.at(version.previous().unwrap()).get(key)
        };
        let changes = versions.filter(is_change).collect();
        KeyHistory { since, changes }
    }
}

/// Asserts that two repositories have equal observable state. Without the soak test, it asks about
/// some versions only, among them the two oldest and the two latest.
pub(crate) fn assert_same(one: &impl Observable, other: &impl Observable) {
    let (oldest, latest) = one.versions();
    assert_eq!((oldest, latest), other.versions());
    assert_eq!(one.number(), other.number());
    let (begin, end, every) = (oldest.number(), latest.number(), soak::size(6, 1));
    let is_chosen =
        |number: &u64| *number < begin + 2 || number + 2 > end || number.is_multiple_of(every);
    for version in (begin..=end).filter(is_chosen).map(Version::new) {
        for question in questions().filter(|_| version > Version::EMPTY) {
            let answer = one.answers(version, &question);
            assert_eq!(answer, other.answers(version, &question));
        }
        let expected = other.differing(oldest, version);
        assert_eq!(one.differing(oldest, version), expected);
    }
    for version in (1..=latest.number()).map(Version::new) {
        assert_eq!(one.signed(version), other.signed(version));
    }
    for key in (0..125).step_by(soak::size(33, 11)).map(crate::shop::name) {
        assert_eq!(one.changes(&key), other.changes(&key));
    }
}

/// A server in memory of any family.
trait AnyServer {
    /// Applies an update, and returns its operations.
    fn apply(&mut self, update: &[u8]) -> Vec<Operation>;
    fn prune(&mut self, oldest: Version);
    fn answer(&self, version: Version, question: &Question) -> Vec<u8>;
    fn head(&self, version: Version) -> Vec<u8>;
}

/// A server in memory of family `F`, and the function that prunes its repository.
struct InMemory<F: Authored> {
    server: pad_core::Server<F>,
    prune: fn(&mut F::Repository, Version),
}

impl<F> AnyServer for InMemory<F>
where
    F: Authored<Suite = S>,
    F::Repository: Serves<Key> + Serves<Keys> + Serves<KeyRange> + Hosts<Family = F>,
{
    fn apply(&mut self, update: &[u8]) -> Vec<Operation> {
        self.server.apply(update).unwrap();
        let update: Update<S, F::Attachment> = codec::decode(update, update.len()).unwrap();
        update.operations
    }

    fn prune(&mut self, oldest: Version) {
        (self.prune)(self.server.repository_mut(), oldest);
    }

    fn answer(&self, version: Version, question: &Question) -> Vec<u8> {
        let answer = match question {
            Question::Key(key) => self.server.answer(version, key),
            Question::Keys(keys) => self.server.answer(version, keys),
            Question::Range(range) => self.server.answer(version, range),
            other => panic!("{other:?}"),
        };
        answer.unwrap()
    }

    fn head(&self, version: Version) -> Vec<u8> {
        self.server.head(version).unwrap()
    }
}

fn server(public: &PublicKey) -> Box<dyn AnyServer> {
    let authority = public.authority;
    macro_rules! server {
        ($family:ty) => {{
            let (author, dictionary) = (authority.author, authority.dictionary);
            let trusted = authdict::pad_core::PublicKey::<$family>::new(author, dictionary, ());
            Box::new(InMemory::<$family> {
                server: pad_core::Server::new(&trusted),
                prune: |repository, oldest| repository.prune(oldest).unwrap(),
            })
        }};
    }
    match public.scheme {
        SchemeName::RedBlack => server!(Tree<RedBlack>),
        SchemeName::Treap => server!(Tree<Treap>),
        SchemeName::SkipList => server!(Tree<SkipList>),
        SchemeName::TupleBase => server!(Tuple<Base>),
        SchemeName::TupleBaseSuperseding => server!(Tuple<BaseSuperseding>),
        SchemeName::TupleSpec => server!(Tuple<Spec>),
        SchemeName::TupleSpecLightweight => server!(Tuple<SpecLightweight>),
        SchemeName::TupleSpec3Lightweight => server!(Tuple<SpecLightweight3>),
        other => panic!("{other}"),
    }
}
