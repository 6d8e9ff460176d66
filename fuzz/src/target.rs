//! The dictionary under attack: fixed contents, one honest proof for each of some queries.

use pad_conformance::{
    Action, Oracle, TreePad,
    operation::{key, value},
    oracle::{Contents, predecessor, successor},
    pad::verified_head,
    repository::{TraceRun, play},
};
use pad_core::{
    Dictionary, Key, Repository, Sha256Ed25519, SnapshotHead, Untrusted, Value, Verified, codec,
};
use pad_core::{First, KeyRange, Keys, Last, Predecessor, Successor};
use pad_tree::{
    PathCopying, RedBlack, SkipList, Treap, TreeProof,
    internals::{Authenticated, BalancingScheme, TreeQuery},
};

pub type S = Sha256Ed25519;
type Pad<B> = TreePad<S, B, PathCopying<Authenticated<S>, B>>;

/// The statement of a proof of any query: entries, `None` for an absent key.
pub type Answer = Vec<(Key, Option<Value>)>;

/// A query whose proofs are attacked.
#[derive(Clone, Debug)]
pub enum Query {
    Key(Key),
    Keys(Keys),
    Range(KeyRange),
    Predecessor(Predecessor),
    Successor(Successor),
    First,
    Last,
}

/// Calls a generic function with the query inside.
#[macro_export]
macro_rules! with_query {
    ($query:expr, $name:ident => $call:expr) => {
        match $query {
            $crate::target::Query::Key($name) => $call,
            $crate::target::Query::Keys($name) => $call,
            $crate::target::Query::Range($name) => $call,
            $crate::target::Query::Predecessor($name) => $call,
            $crate::target::Query::Successor($name) => $call,
            $crate::target::Query::First => {
                let $name = &pad_core::First;
                $call
            }
            $crate::target::Query::Last => {
                let $name = &pad_core::Last;
                $call
            }
        }
    };
}

/// The latest version of one scheme, with the honest proof of every query.
pub struct Target {
    pub head: Verified<SnapshotHead<S>>,
    pub contents: Contents,
    pub queries: Vec<Query>,
    /// The encoded proofs, in the order of the queries.
    pub proofs: Vec<Vec<u8>>,
}

thread_local! {
    /// The targets of the three schemes.
    pub static TARGETS: [Target; 3] =
        [Target::new::<Treap>(), Target::new::<RedBlack>(), Target::new::<SkipList>()];
}

impl Target {
    fn new<B: BalancingScheme>() -> Self {
        let mut actions: Vec<Action> = (1..=20_u8)
            .map(|number| Action::Put(key([number * 4]), value([number])))
            .collect();
        actions.extend([
            Action::Snapshot,
            Action::Remove(key([40])),
            Action::Snapshot,
        ]);
        let oracle = Oracle::of(&actions);
        let TraceRun { server, author, .. } = play::<Pad<B>>(&actions);
        let version = server.latest();
        let head = verified_head(author.authority(), &server, version);
        let queries = queries();
        let proofs = queries.iter().map(|query| {
            with_query!(query, query => codec::encode(&server.prove_query(version, query).unwrap()))
        });
        let proofs = proofs.collect();
        Self {
            head,
            contents: oracle.at(version).clone(),
            queries,
            proofs,
        }
    }

    /// Verifies a message as a client does.
    pub fn verify(&self, query: &Query, message: &[u8]) -> Option<Answer> {
        fn check<Q: TreeQuery>(target: &Target, query: &Q, message: &[u8]) -> Option<Q::Statement> {
            let proof = Untrusted::<TreeProof<S, Q>>::decode(message, 1 << 20).ok()?;
            proof
                .verify(&target.head, query)
                .ok()
                .map(Verified::into_inner)
        }
        let some = |entry: Option<(Key, Value)>| {
            entry
                .into_iter()
                .map(|(key, value)| (key, Some(value)))
                .collect()
        };
        Some(match query {
            Query::Key(key) => {
                vec![(
                    key.clone(),
                    check(self, key, message)?.answer.value().cloned(),
                )]
            }
            Query::Keys(keys) => {
                let answers = check(self, keys, message)?.answers.into_iter();
                answers
                    .map(|(key, answer)| (key, answer.value().cloned()))
                    .collect()
            }
            Query::Range(range) => {
                let entries = check(self, range, message)?.entries.into_iter();
                entries.map(|(key, value)| (key, Some(value))).collect()
            }
            Query::Predecessor(query) => some(check(self, query, message)?.entry),
            Query::Successor(query) => some(check(self, query, message)?.entry),
            Query::First => some(check(self, &First, message)?.entry),
            Query::Last => some(check(self, &Last, message)?.entry),
        })
    }

    /// Answers a query from the oracle.
    pub fn answer(&self, query: &Query) -> Answer {
        let some = |entry: Option<(&Key, &Value)>| {
            entry
                .into_iter()
                .map(|(key, value)| (key.clone(), Some(value.clone())))
                .collect()
        };
        let look_up = |key: &Key| (key.clone(), self.contents.get(key).cloned());
        match query {
            Query::Key(key) => vec![look_up(key)],
            Query::Keys(keys) => keys.as_slice().iter().map(look_up).collect(),
            Query::Range(range) => {
                let entries = self.contents.range::<[u8], _>(range.bounds());
                entries
                    .map(|(key, value)| (key.clone(), Some(value.clone())))
                    .collect()
            }
            Query::Predecessor(query) => some(predecessor(&self.contents, &query.0)),
            Query::Successor(query) => some(successor(&self.contents, &query.0)),
            Query::First => some(self.contents.first_key_value()),
            Query::Last => some(self.contents.last_key_value()),
        }
    }
}

fn queries() -> Vec<Query> {
    let keys = |bytes: &[u8]| Keys::new(bytes.iter().map(|byte| key([*byte])).collect()).unwrap();
    let range = |start: Option<u8>, end: Option<u8>| {
        let bound = |byte: Option<u8>| byte.map(|byte| key([byte]));
        Query::Range(KeyRange {
            start: bound(start),
            end: bound(end),
        })
    };
    let mut queries: Vec<Query> = [0, 4, 40, 41, 44, 80, 81]
        .iter()
        .map(|byte| Query::Key(key([*byte])))
        .collect();
    queries.extend([
        Query::Keys(keys(&[4, 40, 60, 90])),
        Query::Keys(keys(&[1, 2, 3, 81])),
    ]);
    queries.extend([
        range(None, None),
        range(Some(9), Some(41)),
        range(None, Some(3)),
    ]);
    queries.extend([
        range(Some(80), None),
        range(Some(37), Some(39)),
        range(Some(81), Some(90)),
    ]);
    for byte in [0, 4, 42, 80, 90] {
        queries.push(Query::Predecessor(Predecessor(key([byte]))));
        queries.push(Query::Successor(Successor(key([byte]))));
    }
    queries.extend([Query::First, Query::Last]);
    queries
}
