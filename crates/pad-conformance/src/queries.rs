//! Questions about one version with their true answers, and checks of servers that answer every
//! kind of question.

use core::fmt::Debug;

use pad_core::{
    Answer, Answers, Client, First, Hosts, Key, KeyRange, Keys, Last, Lookup, LookupError, Lookups,
    Neighbour, Predecessor, PublicKey, Question, RangeContents, Serves, Successor, Value, Version,
};

use crate::{
    Oracle, Random,
    oracle::{Contents, predecessor, successor},
    pad::{ask, client_at},
};

/// A question whose true answer follows from a version's contents.
pub trait OracleQuestion: Question<Statement: Debug + PartialEq> {
    /// Returns valid questions about `keys`, which are in ascending order. There is at least one
    /// key.
    fn about(keys: &[Key], random: &mut Random) -> Vec<Self>;

    /// Returns the true statement about a version with the contents `contents`.
    fn truth(&self, version: Version, contents: &Contents) -> Self::Statement;
}

fn answer(contents: &Contents, key: &Key) -> Answer {
    let value = contents.get(key).cloned();
    value.map_or(Answer::Absent, Answer::Present)
}

impl OracleQuestion for Key {
    fn about(keys: &[Key], _: &mut Random) -> Vec<Self> {
        keys.to_vec()
    }

    fn truth(&self, version: Version, contents: &Contents) -> Lookup {
        Lookup {
            version,
            key: self.clone(),
            answer: answer(contents, self),
        }
    }
}

impl OracleQuestion for Keys {
    fn about(keys: &[Key], random: &mut Random) -> Vec<Self> {
        let some = (0..4).map(|_| {
            let chosen = keys.iter().filter(|_| random.below(3) == 0);
            chosen.chain(&keys[..1]).cloned().collect()
        });
        let asked: Vec<Vec<Key>> = some.chain([keys.to_vec()]).collect();
        asked.into_iter().filter_map(Self::new).collect()
    }

    fn truth(&self, version: Version, contents: &Contents) -> Lookups {
        let keys = self.as_slice().iter();
        let answers = keys.map(|key| (key.clone(), answer(contents, key)));
        Lookups {
            version,
            answers: answers.collect(),
        }
    }
}

/// Returns a range between two of `keys`, which may be inverted. Either end may be open.
fn any_range(keys: &[Key], random: &mut Random) -> KeyRange {
    let mut end = || (random.below(5) > 0).then(|| keys[random.index(keys.len())].clone());
    KeyRange {
        start: end(),
        end: end(),
    }
}

impl OracleQuestion for KeyRange {
    fn about(keys: &[Key], random: &mut Random) -> Vec<Self> {
        let ranges = (0..24).map(|_| any_range(keys, random));
        let valid = ranges.filter(Self::is_valid).take(12);
        core::iter::once(Self::ALL).chain(valid).collect()
    }

    fn truth(&self, version: Version, contents: &Contents) -> RangeContents {
        let entries = contents.range::<[u8], _>(self.bounds());
        let entries = entries.map(|(key, value)| (key.clone(), value.clone()));
        RangeContents {
            version,
            range: self.clone(),
            entries: entries.collect(),
        }
    }
}

macro_rules! neighbours {
    ($($question:ty: $about:expr, $entry:expr;)+) => { $(
        impl OracleQuestion for $question {
            fn about(keys: &[Key], _: &mut Random) -> Vec<Self> {
                let about: fn(&[Key]) -> Vec<Self> = $about;
                about(keys)
            }

            fn truth(&self, version: Version, contents: &Contents) -> Neighbour<Self> {
                let entry: for<'a> fn(&Self, &'a Contents) -> Option<(&'a Key, &'a Value)> = $entry;
                let entry = entry(self, contents);
                Neighbour {
                    version,
                    question: Clone::clone(self),
                    entry: entry.map(|(key, value)| (key.clone(), value.clone())),
                }
            }
        }
    )+ };
}

neighbours! {
    First: |_| vec![Self], |_, contents| contents.first_key_value();
    Last: |_| vec![Self], |_, contents| contents.last_key_value();
    Predecessor: |keys| keys.iter().cloned().map(Self).collect(),
        |asked, contents| predecessor(contents, &asked.0);
    Successor: |keys| keys.iter().cloned().map(Self).collect(),
        |asked, contents| successor(contents, &asked.0);
}

/// Checks that the verified answers to every kind of question about a version agree with the
/// oracle.
pub fn check_version<R>(server: &R, public: PublicKey<R::Family>, oracle: &Oracle, version: Version)
where
    R: Serves<Key>
        + Serves<Keys>
        + Serves<KeyRange>
        + Serves<Predecessor>
        + Serves<Successor>
        + Serves<First>
        + Serves<Last>,
{
    let keys: Vec<Key> = oracle.interesting_keys().into_iter().collect();
    let mut asked = QueriedVersion {
        server,
        client: client_at(public, server, version),
        keys: &keys,
        contents: oracle.at(version),
        random: Random::new(oracle.latest().number() ^ version.number()),
    };
    asked.check::<Key>();
    asked.check::<First>();
    asked.check::<Last>();
    asked.check::<Predecessor>();
    asked.check::<Successor>();
    asked.check::<Keys>();
    asked.check::<KeyRange>();
    let ranges = (0..12).map(|_| any_range(&keys, &mut asked.random));
    for range in ranges.filter(|range| !range.is_valid()) {
        let refused = server.prove_answer(version, &range);
        assert_eq!(refused.err(), Some(LookupError::InvalidQuery), "{range:?}");
    }
}

/// A version to be queried, with its server and a client that verifies the answers.
struct QueriedVersion<'a, R: Hosts> {
    server: &'a R,
    client: Client<R::Family>,
    keys: &'a [Key],
    contents: &'a Contents,
    random: Random,
}

impl<R: Hosts> QueriedVersion<'_, R> {
    fn check<Q: OracleQuestion>(&mut self)
    where
        R: Serves<Q>,
        R::Family: Answers<Q>,
    {
        let version = self.client.version();
        for question in Q::about(self.keys, &mut self.random) {
            let proof = self.server.prove_answer(version, &question);
            let proof = proof.expect("the version is there");
            let statement = ask(&self.client, self.server, &question, proof);
            let truth = question.truth(version, self.contents);
            assert_eq!(statement, truth, "{question:?} in version {version}");
        }
    }
}
