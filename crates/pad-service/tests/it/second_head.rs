//! Tests of a server whose author has signed two histories. A client follows one history, and the
//! answers are from the other.

use std::{
    collections::BTreeMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use authdict::{Question, SchemeName, Version, evidence, internals::SchemeFamily};
use pad_client::{Client, ClientError, Fault, internals::Resource};
use pad_conformance::soak;
use pad_service::Dictionary;

use crate::fixture::*;

/// Schemes that a service handles like another scheme with the same kind of store and of answers.
/// The first one has accumulators of the other kind, whose keys take long to check.
pub(crate) const LIKE_OTHERS: [SchemeName; 14] = [
    SchemeName::TupleChainAccumulatorsRsa,
    SchemeName::Treap,
    SchemeName::SkipList,
    SchemeName::TupleBase,
    SchemeName::TupleBaseLightweight,
    SchemeName::TupleSpec,
    SchemeName::TupleSpecSuperseding,
    SchemeName::TupleSpec3Lightweight,
    SchemeName::TupleBaseSupersedingBls,
    SchemeName::TupleAccumulatorsRsa,
    SchemeName::TupleAccumulatorsSupersedingRsa,
    SchemeName::TupleAccumulatorsBilinear,
    SchemeName::TupleChainAccumulatorsBilinear,
    SchemeName::AasFrontier,
];

/// Runs `check` for each scheme that a service can serve (all except directories), with one thread
/// per core. The schemes that are like others are left out, unless `SOAK` selects the caller.
#[track_caller]
pub(crate) fn for_each_scheme(check: impl Fn(SchemeName) + Sync) {
    for_each_scheme_but(&LIKE_OTHERS, check);
}

/// Like [`for_each_scheme`], without the schemes in `like_others`.
#[track_caller]
pub(crate) fn for_each_scheme_but(like_others: &[SchemeName], check: impl Fn(SchemeName) + Sync) {
    let left_out = soak::size(like_others, &[]);
    let schemes = SchemeName::ALL.iter();
    let schemes = schemes.filter(|scheme| scheme.family() != SchemeFamily::Directory);
    let schemes = schemes.filter(|scheme| !left_out.contains(scheme));
    let (schemes, next): (Vec<_>, _) = (schemes.collect(), AtomicUsize::new(0));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(scheme) = schemes.get(next.fetch_add(1, Ordering::SeqCst)) {
                    check(**scheme);
                }
            });
        }
    });
}

/// Returns an entry. In sets, the value is empty.
fn entry(
    scheme: SchemeName,
    key: &'static str,
    value: &'static str,
) -> (&'static str, &'static str) {
    (key, if scheme.is_set() { "" } else { value })
}

/// Asserts that a client reports two histories for its server's answer, with transferable evidence.
fn assert_fork(author: &Author, client: &Client, (version, question): (Version, &Question)) {
    let scheme = author.key.public().scheme;
    let Err(ClientError::AllServersFailed(incidents)) = client.ask(version, question) else {
        panic!("{scheme}: the client believes what the second history says of {version}");
    };
    let kept = fs::read(incidents[0].evidence.as_ref().unwrap()).unwrap();
    let fork = only_fault(incidents);
    assert!(matches!(fork, Fault::Fork(_)), "{scheme}: {fork:?}");
    evidence::check(author.key.public(), &kept).unwrap();
}

#[test]
fn answers_belong_to_the_history_that_the_client_follows() {
    for_each_scheme(|scheme| {
        let author = Author::new(scheme);
        let entry = |key, value| entry(scheme, key, value);
        author.publish(&[entry("apple", "1"), entry("pear", "2")]);
        author.copy("s.pad", "other.pad");
        for (store, first) in [("s.pad", "fig"), ("other.pad", "quince")] {
            let entries = [entry(first, "3"), entry("plum", "4")];
            let puts = entries.map(|(key, value)| vec![put(key, value)]);
            author.sign(store, puts.to_vec()).unwrap();
        }
        let other = authdict::Server::of_any(author.path("other.pad")).unwrap();
        let [older, latest] = [2, 3].map(Version::new);
        let asked = about("fig");
        let mut questions = vec![(older, asked.clone()), (latest, asked.clone())];
        if scheme.family().is_append_only() {
            questions.push((latest, Question::Growth(older)));
        }
        let lies = questions.iter().map(|(version, question)| {
            let answer = other.answer(*version, question).unwrap();
            (Resource::Answer(*version, question.clone()).path(), answer)
        });
        let lies: BTreeMap<_, _> = lies.collect();
        let dictionary = Arc::new(Dictionary::open(&author.path("s.pad")).unwrap());
        let honest = service_of(Arc::clone(&dictionary));
        let liar = start(Liar::new(honest, move |path, mut answer| {
            if let Some(lie) = lies.get(path) {
                answer.body.clone_from(lie);
            }
            answer
        }));
        let mut client = author.client(&[&liar], "view");
        assert_eq!(client.advance().unwrap(), latest, "{scheme}");
        assert_fork(&author, &client, (latest, &asked));
        // Other families accept an answer about an older version by its signature alone.
        if scheme.family().is_append_only() {
            assert_fork(&author, &client, (older, &asked));
            assert_fork(&author, &client, (latest, &Question::Growth(older)));
        }
        drop(liar);

        // An honest server receives the same questions.
        let honest = start(service_of(dictionary));
        let client = author.follower(&[&honest], "honest");
        for version in [Version::EMPTY, Version::new(1), older, latest] {
            client.ask(version, &asked).unwrap();
        }
        if scheme.family().is_append_only() {
            client.ask(latest, &Question::Growth(older)).unwrap();
            let since_first = Question::Growth(Version::new(1));
            client.ask(older, &since_first).unwrap();
        }
    });
}

#[test]
fn versions_newer_than_the_view_are_not_believed_before_they_are_followed() {
    for_each_scheme(|scheme| {
        let author = Author::new(scheme);
        author.publish(&[entry(scheme, "apple", "1")]);
        let server = author.serve();
        let client = author.follower(&[&server], "view");
        author.publish(&[entry(scheme, "fig", "2")]);
        drop(server);
        let dictionary = Arc::new(Dictionary::open(&author.path("s.pad")).unwrap());
        let server = start(service_of(Arc::clone(&dictionary)));
        let view = client.view().clone();
        let mut client = author.client_with(&[&server], view.clone(), "view");
        let (followed, version) = (Version::new(1), Version::new(2));
        let refused = |refused: ClientError| {
            let ClientError::Ahead { version, followed } = refused else {
                panic!("{scheme}: {refused:?}");
            };
            assert_eq!([followed, version], [1, 2].map(Version::new));
        };
        refused(client.ask(version, &about("fig")).unwrap_err());
        refused(client.head(version).unwrap_err());
        let range = authdict::KeyRange::ALL;
        refused(client.page(version, &range).unwrap_err());
        let answer = dictionary.read(|server| server.answer(version, &about("fig")));
        let answer = answer.unwrap();
        let verifier = authdict::internals::dynamic::client_of(&view).unwrap();
        let refused = verifier.check_at(version, &about("fig"), &answer);
        let expected = authdict::Refusal::Ahead { version, followed };
        assert_eq!(refused.unwrap_err(), expected);
        assert_eq!(client.advance().unwrap(), version);
        client.ask(version, &about("fig")).unwrap();
    });
}
