//! Checks of every kind of question about one version, for servers that answer every kind.

use pad_core::{
    Answers, Client, First, Hosts, Key, KeyRange, Keys, Last, LookupError, Predecessor, PublicKey,
    Question, Serves, Successor, Value, Version, internals::ProofOf,
};

use crate::{
    Action, Oracle, Random,
    oracle::{Contents, predecessor, successor},
    pad::{Pad, ask, client_at},
    repository::{TraceRun, check_heads, check_unknown_versions, play},
};

/// A server that answers every kind of question about keys.
pub trait AllQuestions:
    Serves<Key>
    + Serves<Keys>
    + Serves<KeyRange>
    + Serves<Predecessor>
    + Serves<Successor>
    + Serves<First>
    + Serves<Last>
{
}

impl<R> AllQuestions for R where
    R: Serves<Key>
        + Serves<Keys>
        + Serves<KeyRange>
        + Serves<Predecessor>
        + Serves<Successor>
        + Serves<First>
        + Serves<Last>
{
}

/// Checks a server that answers about its latest version only. After every snapshot of a trace, all
/// answers must agree with the oracle, and the previous version must be pruned.
pub fn check_latest_versions<P>(actions: &[Action])
where
    P: Pad<Server: AllQuestions + Hosts<Family = P::Family>>,
{
    let snapshots = actions.iter().enumerate();
    let snapshots = snapshots.filter(|(_, action)| **action == Action::Snapshot);
    let ends = core::iter::once(0).chain(snapshots.map(|(place, _)| place + 1));
    for end in ends {
        let played: TraceRun<P> = play(&actions[..end]);
        let (server, oracle) = (&played.server, &played.oracle);
        check_heads(&played);
        check_unknown_versions(&played);
        let public = P::public(&pad_core::Dictionary::authority(&played.author));
        check_version(server, public, oracle, oracle.latest());
        let oldest = oracle.latest();
        if let Some(version) = oldest.previous() {
            let pruned = LookupError::Pruned { version, oldest };
            let refused = server.prove_answer(version, &First);
            assert_eq!(refused.err(), Some(pruned));
        }
    }
}

/// Checks that the verified answers to every kind of question about a version agree with the
/// oracle.
pub fn check_version<R: AllQuestions>(
    server: &R,
    public: PublicKey<R::Family>,
    oracle: &Oracle,
    version: Version,
) {
    let keys: Vec<Key> = oracle.interesting_keys().into_iter().collect();
    let mut random = Random::new(oracle.latest().number() ^ version.number());
    let asked = QueriedVersion {
        server,
        client: client_at(public, server, version),
        version,
    };
    let contents = oracle.at(version);
    check_single(&asked, &keys, contents);
    check_neighbours(&asked, &keys, contents);
    check_multi_lookups(&asked, &keys, contents, &mut random);
    check_ranges(&asked, &keys, contents, &mut random);
}

/// A version to be queried, with its server and a client that verifies the answers.
struct QueriedVersion<'a, R: Hosts> {
    server: &'a R,
    client: Client<R::Family>,
    version: Version,
}

impl<R: Hosts> QueriedVersion<'_, R> {
    fn ask<Q: Question>(&self, query: &Q) -> Q::Statement
    where
        R: Serves<Q>,
        R::Family: Answers<Q>,
    {
        let proof: ProofOf<R, Q> = self
            .server
            .prove_answer(self.version, query)
            .expect("the version is there");
        ask(&self.client, self.server, query, proof)
    }
}

fn check_single<R: AllQuestions>(asked: &QueriedVersion<'_, R>, keys: &[Key], contents: &Contents) {
    for key in keys {
        let lookup = asked.ask(key);
        assert_eq!((lookup.version, &lookup.key), (asked.version, key));
        assert_eq!(lookup.answer.value(), contents.get(key), "{key}");
    }
}

fn check_neighbours<R: AllQuestions>(
    asked: &QueriedVersion<'_, R>,
    keys: &[Key],
    contents: &Contents,
) {
    let owned =
        |entry: Option<(&Key, &Value)>| entry.map(|(key, value)| (key.clone(), value.clone()));
    let first = asked.ask(&First);
    assert_eq!(
        (first.version, first.entry),
        (asked.version, owned(contents.first_key_value()))
    );
    let last = asked.ask(&Last);
    assert_eq!(
        (last.version, last.entry),
        (asked.version, owned(contents.last_key_value()))
    );
    for key in keys {
        let below = asked.ask(&Predecessor(key.clone())).entry;
        assert_eq!(
            below,
            owned(predecessor(contents, key)),
            "predecessor of {key}"
        );
        let above = asked.ask(&Successor(key.clone())).entry;
        assert_eq!(above, owned(successor(contents, key)), "successor of {key}");
    }
}

fn check_multi_lookups<R: AllQuestions>(
    asked: &QueriedVersion<'_, R>,
    keys: &[Key],
    contents: &Contents,
    random: &mut Random,
) {
    for _ in 0..4 {
        let mut chosen: Vec<Key> = keys
            .iter()
            .filter(|_| random.below(3) == 0)
            .cloned()
            .collect();
        chosen.push(keys[0].clone());
        let query = Keys::new(chosen).expect("at least one key");
        let answers = asked.ask(&query).answers;
        assert!(answers.iter().map(|(key, _)| key).eq(query.as_slice()));
        for (key, answer) in &answers {
            assert_eq!(answer.value(), contents.get(key), "{key} among {query:?}");
        }
    }
    assert_eq!(
        asked
            .ask(&Keys::new(keys.to_vec()).expect("keys"))
            .answers
            .len(),
        keys.len()
    );
}

fn check_ranges<R: AllQuestions>(
    asked: &QueriedVersion<'_, R>,
    keys: &[Key],
    contents: &Contents,
    random: &mut Random,
) {
    let count = u64::try_from(keys.len()).expect("few keys");
    let any = |random: &mut Random| {
        let position = usize::try_from(random.below(count)).expect("an index");
        (random.below(5) > 0).then(|| keys[position].clone())
    };
    let mut ranges = vec![KeyRange::ALL];
    ranges.extend((0..12).map(|_| KeyRange {
        start: any(random),
        end: any(random),
    }));
    for range in ranges {
        if !range.is_valid() {
            let refused = asked.server.prove_answer(asked.version, &range);
            assert_eq!(refused.err(), Some(LookupError::InvalidQuery), "{range:?}");
            continue;
        }
        let (start, end) = range.bounds();
        let expected = contents.range::<[u8], _>((start, end));
        let statement = asked.ask(&range);
        assert_eq!(
            (statement.version, &statement.range),
            (asked.version, &range)
        );
        let found = statement.entries.iter().map(|(key, value)| (key, value));
        assert!(found.eq(expected), "{range:?} in version {}", asked.version);
    }
}
