//! Tests of servers that store only a part of the keys.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use authdict::{
    Key, KeyRange, Keys, Operation, Predecessor, Question, SchemeName, Server, Statement,
    Successor, Value, Version, VersionNote, internals::part::NotTaken,
};
use pad_client::{Fault, FetchError, Remote, internals::Resource};
use pad_service::{Keep, Mirror, NotApplied, Part};
use pad_web::server::{Answer, StatusCode};

use crate::fixture::*;

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

/// Returns the keys from `start` up to `end`. An empty text means no limit.
fn keys(start: &str, end: &str) -> KeyRange {
    let limit = |text: &str| (!text.is_empty()).then(|| key(text));
    KeyRange {
        start: limit(start),
        end: limit(end),
    }
}

/// Creates a part with the keys in `range` that follows `upstreams`. It retains all versions from
/// the first version that it loads.
fn part_of(author: &Author, range: KeyRange, upstreams: Vec<Remote>) -> (Arc<Part>, Mirror) {
    part_keeping(author, range, Keep::All, upstreams)
}

fn part_keeping(
    author: &Author,
    range: KeyRange,
    keep: Keep,
    upstreams: Vec<Remote>,
) -> (Arc<Part>, Mirror) {
    let part = Part::new(author.key.public().clone(), range, keep, 1 << 30).unwrap();
    let part = Arc::new(part);
    let mirror = mirror_into(&part, author, upstreams);
    (part, mirror)
}

fn mirror_into(part: &Arc<Part>, author: &Author, upstreams: Vec<Remote>) -> Mirror {
    let base = author.path("part");
    Mirror::of_part(Arc::clone(part), upstreams, base, Arc::default())
}

fn serve(part: &Arc<Part>) -> TestServer {
    start(service_of(Arc::clone(part)))
}

const NAMES: [&str; 12] = [
    "apple", "banana", "cherry", "date", "elder", "fig", "grape", "kiwi", "lemon", "mango", "pear",
    "plum",
];

const ABSENT: [&str; 5] = ["b", "dusk", "lz", "zoo", "a"];

/// Creates the author of a tree with versions of [`fruit`].
fn fruit_tree(versions: u64) -> Author {
    let name = format!("{versions} fruit");
    Author::shared(&name, |author| fruit(author, versions))
}

/// Publishes `versions` versions, each with a few of the names changed.
fn fruit(author: &Author, versions: u64) {
    for version in 1..=versions {
        let price = version.to_string();
        let place = |step: u64| NAMES[usize::try_from(version * step % 12).unwrap()];
        author.publish(&[(place(1), &price), (place(5), &price), (place(7), &price)]);
    }
}

/// Asserts that a part's answers equal the answers of a full server byte for byte, or that the part
/// refuses to answer.
fn check_answers(author: &Author, server: &TestServer, range: &KeyRange, versions: &[u64]) {
    let whole = Server::of_any(author.path("s.pad")).unwrap();
    let source = connect(server);
    for version in versions.iter().copied().map(Version::new) {
        let kept = NAMES.map(key).into_iter();
        let kept = kept.filter(|name| range.contains(name.as_bytes()));
        let several = Keys::new(kept.collect()).map(Question::Keys);
        let questions = NAMES.into_iter().chain(ABSENT).map(about);
        let mut questions: Vec<Question> = questions.chain(several).collect();
        questions.push(Question::Range(range.clone()));
        // Ranges that exceed the part's range on both sides, or on one side.
        questions.push(Question::Range(KeyRange::ALL));
        let (start, end) = (range.start.clone(), range.end.clone());
        questions.push(Question::Range(KeyRange { start, end: None }));
        questions.push(Question::Range(KeyRange { start: None, end }));
        let mut neighbours = vec![Question::First, Question::Last];
        for name in NAMES.into_iter().chain(ABSENT) {
            neighbours.extend([Predecessor(key(name)).into(), Successor(key(name)).into()]);
        }
        let mut answers = 0;
        for question in neighbours {
            let resource = Resource::Answer(version, question.clone());
            match source.get(&resource, 1 << 20) {
                Ok(answer) => {
                    answers += 1;
                    assert_eq!(answer, whole.answer(version, &question).unwrap());
                    assert!(question.lies_in(range), "{question:?}");
                }
                // The neighbour of a key of the part may be outside of the part.
                Err(refused) => assert!(refused.is_elsewhere(), "{question:?}: {refused}"),
            }
        }
        assert!(answers > 0, "{range:?} {version}");
        for question in questions {
            let resource = Resource::Answer(version, question.clone());
            let answered = source.get(&resource, 1 << 20);
            if question.lies_in(range) {
                let expected = whole.answer(version, &question).unwrap();
                assert_eq!(answered.unwrap(), expected, "{version} {question:?}");
            } else {
                let refused = answered.unwrap_err();
                assert!(refused.is_elsewhere(), "{question:?}: {refused}");
            }
        }
    }
}

#[test]
fn a_part_answers_about_its_keys_as_all_keys_do_and_follows() {
    for scheme in [
        SchemeName::RedBlack,
        SchemeName::Treap,
        SchemeName::SkipList,
    ] {
        let author = Author::new(scheme);
        fruit(&author, 9);
        let server = author.serve();
        let range = keys("cherry", "lemon");
        let (part, mut mirror) = part_of(&author, range.clone(), vec![connect(&server)]);
        let round = mirror.round().unwrap();
        assert!(round.incidents.is_empty(), "{:?}", round.incidents);
        assert_eq!((round.taken, round.latest), (9, Version::new(9)));
        let mirrored = serve(&part);
        check_answers(&author, &mirrored, &range, &[1, 2, 5, 9]);
        fruit(&author, 5);
        // New versions are on another server.
        let newer = author.serve();
        let mut mirror = mirror_into(&part, &author, vec![connect(&newer)]);
        let round = mirror.round().unwrap();
        drop(newer);
        assert_eq!((round.taken, round.latest), (5, Version::new(14)));
        check_answers(&author, &mirrored, &range, &[9, 10, 14]);
        // Heads of all versions can be fetched, one by one and in lists.
        let source = connect(&mirrored);
        let whole = Server::of_any(author.path("s.pad")).unwrap();
        let heads = Resource::Heads(Version::new(2), Version::new(14));
        let heads = source.get(&heads, 1 << 20).unwrap();
        let heads = authdict::internals::exchange::decode_list(&heads, 1 << 20).unwrap();
        assert_eq!(heads.len(), 13);
        for (head, version) in heads.iter().zip((2..).map(Version::new)) {
            assert_eq!(*head, whole.head_message(version).unwrap());
            let one = source.get(&Resource::HeadOf(version), 1 << 20).unwrap();
            assert_eq!(one, *head);
        }
        // A part provides no updates, accepts no updates, and has no histories.
        let refused = source.push(&author.update("s.pad", 14)).unwrap_err();
        assert!(refused.is_elsewhere(), "{refused}");
        for resource in [
            Resource::Update(Version::new(9)),
            Resource::History(key("fig")),
        ] {
            let refused = source.get(&resource, 1 << 20).unwrap_err();
            assert!(refused.is_elsewhere(), "{refused}");
        }
    }
}

#[test]
fn parts_together_answer_everything_and_their_pages_join() {
    let author = fruit_tree(12);
    let server = author.serve();
    // The third range ends with absent keys. The fourth range contains no key.
    let ranges = [
        keys("", "cherry"),
        keys("cherry", "lemon"),
        keys("lemon", "p"),
        keys("p", "pa"),
        keys("pa", ""),
    ];
    let parts = ranges.map(|range| {
        let (part, mut mirror) = part_of(&author, range, vec![connect(&server)]);
        assert_eq!(mirror.round().unwrap().latest, Version::new(12));
        serve(&part)
    });
    drop(server);
    let all = parts.each_ref();
    let router = route(&all);
    for servers in [&all[..], &[&router]] {
        let client = author.client_at(servers, "view", 12);
        let whole = Server::of_any(author.path("s.pad")).unwrap();
        for version in [3, 12].map(Version::new) {
            for name in NAMES {
                let statement = client.ask(version, &about(name)).unwrap();
                let answer = whole.answer(version, &about(name)).unwrap();
                let public = author.key.public();
                let expected = authdict::verify(public, version, &about(name), &answer);
                assert_eq!(Ok(statement), expected);
            }
            for asked in [KeyRange::ALL, keys("kz", ""), keys("dz", "peach")] {
                let (mut entries, mut rest) = (Vec::<(Key, Value)>::new(), asked.clone());
                loop {
                    let (page, contents) = client.page(version, &rest).unwrap();
                    assert_eq!(page.start, rest.start);
                    entries.extend(contents.entries);
                    if page.end == asked.end {
                        break;
                    }
                    rest.start = page.end;
                }
                let question = Question::Range(asked);
                let answer = whole.answer(version, &question).unwrap();
                let public = author.key.public();
                match authdict::verify(public, version, &question, &answer).unwrap() {
                    Statement::Range(contents) => assert_eq!(contents.entries, entries),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!(client.take_incidents(), []);
        // These answers need the keys of all parts.
        for range in [KeyRange::ALL, keys("d", "zz")] {
            let range = Question::Range(range);
            let refused = client.ask(Version::new(12), &range).unwrap_err();
            assert!(!refused.is_lie(), "{refused}");
        }
    }
}

#[test]
fn who_comes_late_takes_the_newest_version_alone_from_whoever_has_it() {
    let author = fruit_tree(20);
    let server = author.serve_keeping("last.pad", "last:3");
    let range = keys("b", "m");
    let (first, mut mirror) = part_of(&author, range.clone(), vec![connect(&server)]);
    let round = mirror.round().unwrap();
    assert_eq!((round.taken, round.latest), (1, Version::new(20)));
    let first = serve(&first);
    check_answers(&author, &first, &range, &[20]);
    let versions = connect(&first).versions().unwrap();
    assert_eq!(versions.oldest, Version::new(20));
    assert_eq!(versions.keys, Some(range));
    let gone = Resource::Answer(Version::new(19), about("fig"));
    let gone = connect(&first).get(&gone, 1 << 20).unwrap_err();
    assert!(gone.is_elsewhere(), "{gone}");
    // A narrower part can be loaded from this part, which has no updates.
    let narrower = keys("c", "g");
    let (second, mut mirror) = part_of(&author, narrower.clone(), vec![connect(&first)]);
    assert_eq!(mirror.round().unwrap().latest, Version::new(20));
    let second_server = serve(&second);
    check_answers(&author, &second_server, &narrower, &[20]);
    // A wider part cannot be loaded from it, and reports the reason.
    let (wider, mut mirror) = part_of(&author, keys("a", "z"), vec![connect(&first)]);
    let round = mirror.round().unwrap();
    assert_eq!(round.latest, Version::EMPTY);
    assert!(round.incidents[0].is_elsewhere(), "{:?}", round.incidents);
    assert_eq!(wider.latest(), Version::EMPTY);
}

#[test]
fn versions_are_dropped_as_in_a_store_and_the_last_one_ends_it() {
    let author = fruit_tree(14);
    let server = author.serve();
    for (keep, oldest, latest) in [("last:3", 12, 14), ("4..", 4, 14), ("3..8", 3, 8)] {
        let range = keys("b", "m");
        let keep = keep.parse().unwrap();
        let (part, mut mirror) = part_keeping(&author, range.clone(), keep, vec![connect(&server)]);
        mirror.round().unwrap();
        let served = serve(&part);
        let versions = connect(&served).versions().unwrap();
        assert_eq!(versions.latest, Version::new(latest));
        assert_eq!(versions.oldest, Version::new(oldest));
        check_answers(&author, &served, &range, &[oldest, latest]);
    }
}

#[test]
fn what_an_upstream_forges_is_not_taken_and_an_honest_one_puts_it_right() {
    let author = fruit_tree(6);
    let honest = author.serve();
    for lie in ["answers/", "pages/", "heads/", "updates/", "versions"] {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let liar = author.liar(move |path, mut answer| {
            if path.starts_with(lie) && answer.status == StatusCode::OK {
                counted.fetch_add(1, Ordering::Relaxed);
                // The number of notes in the middle of the versions is of no use to a part.
                let place = match lie {
                    "versions" => 2,
                    _ => answer.body.len() / 2,
                };
                answer.body[place] ^= 1;
            }
            answer
        });
        let range = keys("b", "m");
        let upstreams = vec![connect(&liar), connect(&honest)];
        let (part, mut mirror) = part_of(&author, range.clone(), upstreams);
        let round = mirror.round().unwrap();
        assert_eq!(part.latest(), Version::new(6), "{lie} {round:?}");
        if count.load(Ordering::Relaxed) > 0 {
            assert_eq!(round.incidents.len(), 1, "{lie}: {:?}", round.incidents);
        }
        let served = serve(&part);
        check_answers(&author, &served, &range, &[6]);
    }
}

#[test]
fn an_upstream_whose_pages_show_nothing_is_left() {
    let author = Author::of_tree();
    let many: Vec<String> = (0..200).map(|number| format!("k{number:03}")).collect();
    author.publish_all(&many, "1");
    // Each page ends after its first key, and the server proves only the first page.
    let stubborn = author.forger(&["pages/"], |body| {
        *body = Question::Range(keys("k050", "k051")).encode();
    });
    let (part, mut mirror) = part_of(&author, keys("k050", "k150"), vec![connect(&stubborn)]);
    let round = mirror.round().unwrap();
    assert_eq!(part.latest(), Version::EMPTY);
    let lied = |fault: &Fault| matches!(fault, Fault::Lied(_));
    assert!(lied(&round.incidents[0].fault), "{:?}", round.incidents);
    // A version that is only half loaded is not served.
    let served = serve(&part);
    let asked = Resource::Answer(Version::new(1), about("k050"));
    let refused = connect(&served).get(&asked, 1 << 20).unwrap_err();
    let is_unknown = matches!(refused, FetchError::Refused { status: 404, .. });
    assert!(is_unknown, "{refused}");
}

#[test]
fn a_server_with_short_pages_is_asked_after_others() {
    let author = Author::of_tree();
    let many: Vec<String> = (0..200).map(|number| format!("k{number:03}")).collect();
    author.publish_all(&many, "1");
    let (pages, named) = (AtomicUsize::new(0), many.clone());
    let stubborn = author.forger(&["pages/"], move |body| {
        let number = pages.fetch_add(1, Ordering::Relaxed);
        let page = keys(&named[number], &named[number + 1]);
        *body = Question::Range(page).encode();
    });
    let honest = author.serve();
    let client = author.client_at(&[&stubborn, &honest], "view", 1);
    let mut rest = keys("k000", "");
    let mut lengths = Vec::new();
    while lengths.len() < many.len() {
        let (page, contents) = client.page(Version::new(1), &rest).unwrap();
        lengths.push(contents.entries.len());
        if page.end.is_none() {
            break;
        }
        rest.start = page.end;
    }
    assert_eq!(lengths, [1, 199]);
}

#[test]
fn memory_has_a_limit_and_what_cannot_be_kept_is_refused() {
    let author = Author::of_tree();
    // So few keys that one answer proves all of them.
    let many: Vec<String> = (0..900).map(|number| format!("k{number:05}")).collect();
    author.publish_all(&many, "1");
    let public = author.key.public().clone();
    let small = Part::new(public.clone(), KeyRange::ALL, Keep::All, 4096).unwrap();
    let small = Arc::new(small);
    author.publish(&[("k00001", "2")]);
    let upstream = author.serve();
    let mut mirror = mirror_into(&small, &author, vec![connect(&upstream)]);
    let begun = Instant::now();
    let error = mirror.round().unwrap_err();
    assert!(matches!(error, NotApplied::TooLarge { .. }), "{error}");
    assert_eq!(small.latest(), Version::EMPTY);
    let before = small.memory_bytes();
    assert!(mirror.round().is_err());
    assert_eq!(small.memory_bytes(), before, "nothing more is taken");
    // A later version has room, and is loaded after a pause.
    let removals = many
        .iter()
        .skip(2)
        .map(|key| Operation::Remove(key.as_str().try_into().unwrap()));
    author.sign("s.pad", vec![removals.collect()]).unwrap();
    let upstream = author.serve();
    let mut mirror = mirror_into(&small, &author, vec![connect(&upstream)]);
    let is_loaded = (0..600).any(|_| {
        std::thread::sleep(SECOND / 10);
        mirror.round().is_ok()
    });
    assert!(is_loaded && begun.elapsed() >= SECOND * 10);
    assert_eq!(small.latest(), Version::new(3));
    // Tuple schemes do not support parts. Their mirrors keep all keys.
    let tuples = Author::new(SchemeName::TupleSpecLightweight);
    let of_tuples = tuples.key.public().clone();
    let refused = Part::new(of_tuples, KeyRange::ALL, Keep::All, 1 << 20);
    assert!(matches!(refused, Err(NotTaken::NotOffered(_))));
    let empty = Part::new(public, keys("m", "b"), Keep::All, 1 << 20);
    assert!(matches!(empty, Err(NotTaken::Part(_))));
}

#[test]
fn slow_and_lying_upstreams_hold_up_nobody() {
    let author = fruit_tree(30);
    let pruned = author.serve_keeping("last.pad", "last:2");
    let whole = author.serve();
    let slow = author.liar(|_, answer| {
        std::thread::sleep(SECOND / 20);
        answer
    });
    let liar = author.forger(&["answers/"], |body| body.truncate(body.len() / 2));
    for _ in 0..5 {
        let upstreams = [&slow, &liar, &pruned, &whole].map(connect).into();
        let range = keys("b", "m");
        let (part, mirror) = part_of(&author, range.clone(), upstreams);
        let task = mirror.follow(SECOND / 1000);
        while part.latest() < Version::new(30) {
            std::thread::sleep(SECOND / 100);
        }
        drop(task);
        let served = serve(&part);
        check_answers(&author, &served, &range, &[30]);
    }
}

#[test]
fn what_a_part_cannot_answer_a_router_asks_of_others() {
    let author = fruit_tree(5);
    let nameless = author.copy("s.pad", "nameless.pad");
    let note = VersionNote {
        name: Some("five".into()),
        seconds: 1_700_000_000,
        changes: 3,
        entries: 12,
        signature: None,
    };
    let mut repository = Server::of_any(author.path("s.pad")).unwrap();
    let records: Vec<_> = note.records(Version::new(5)).collect();
    repository.store_mut().write_records(&records).unwrap();
    drop(repository);
    let whole = author.serve();
    let nameless = start(service(&nameless));
    let (part, mut mirror) = part_of(&author, keys("cherry", "lemon"), vec![connect(&whole)]);
    mirror.round().unwrap();
    let part = serve(&part);
    let router = route(&[&part, &nameless, &whole]);
    let source = connect(&router);
    let version = Version::new(5);
    let across = Keys::new(vec![key("apple"), key("fig")]).unwrap();
    // Each server in turn is queried first.
    let questions = [
        Question::Range(keys("d", "zz")),
        Question::Range(KeyRange::ALL),
        Question::Keys(across),
        about("pear"),
        about("fig"),
    ];
    let questions = questions.map(|question| Resource::Answer(version, question));
    for _ in 0..3 {
        let others = [
            Resource::History(key("fig")),
            Resource::Update(version),
            Resource::Named("five".into()),
            Resource::Notes(Version::new(1), version),
            Resource::Named("six".into()),
            Resource::Value(None, key("pear")),
            Resource::Value(Some(version), key("fig")),
        ];
        for resource in questions.iter().chain(&others) {
            let expected = connect(&whole).get(resource, 1 << 20).unwrap();
            assert_eq!(source.get(resource, 1 << 20).unwrap(), expected);
        }
    }
    // Clients that query the servers directly receive the same results.
    let client = author.client(&[&part, &nameless, &whole], "view");
    let named = client.named("five").unwrap().into_unverified();
    assert_eq!(named, [version]);
    assert!(client.named("six").unwrap().into_unverified().is_empty());
    let notes = client.notes(Version::new(1), version).unwrap();
    assert_eq!(notes.into_unverified().get(version), Some(&note));
    assert_eq!(client.take_incidents(), []);
}

#[test]
fn pages_without_entries_and_without_end_are_a_lie() {
    let author = Author::of_tree();
    author.publish(&[("zebra", "1")]);
    let endless = author.liar(|path, mut answer| {
        // Each page ends right after its first key and has no entry.
        if let Ok(Resource::Page(_, range)) = Resource::parse(path) {
            let begin = range.start.as_ref().map_or(&[][..], Key::as_bytes);
            let end = Key::try_from([begin, b"a"].concat().as_slice()).unwrap();
            let (start, end) = (range.start.clone(), Some(end));
            answer.body = Question::Range(KeyRange { start, end }).encode();
        }
        answer
    });
    let alone = author.client(&[&endless], "alone");
    let refused = alone.page(Version::new(1), &KeyRange::ALL).unwrap_err();
    assert!(refused.is_lie(), "{refused}");
    // If there is an honest server too, the client gets the answer.
    let honest = author.serve();
    let both = author.client(&[&endless, &honest], "both");
    let (page, contents) = both.page(Version::new(1), &KeyRange::ALL).unwrap();
    assert_eq!((page, contents.entries.len()), (KeyRange::ALL, 1));
    assert_eq!(both.take_incidents().len(), 1);
}

#[test]
fn what_one_upstream_has_begun_another_one_ends() {
    let author = Author::of_tree();
    let many: Vec<String> = (0..40).map(|number| format!("k{number:03}")).collect();
    author.publish_all(&many, &"x".repeat(100_000));
    for price in ["1", "2", "3"] {
        author.publish(&[("k000", price)]);
    }
    // All versions but the last are pruned, so that only the newest version can be loaded.
    let old = author.copy("s.pad", "old.pad");
    author.publish(&[("k001", "4")]);
    let new = author.copy("s.pad", "new.pad");
    let pruned = |store| {
        let (dictionary, mut mirror) = mirror_keeping(store, "last:1", Vec::new());
        mirror.round().unwrap();
        service_of(dictionary)
    };
    let newer = start(pruned(&new));
    let range = keys("k", "l");
    let (part, ahead) = part_of(&author, range.clone(), vec![connect(&newer)]);
    let between = Arc::new(Mutex::new(None));
    let (answers, noted) = (AtomicUsize::new(0), Arc::clone(&between));
    let ahead = Mutex::new(ahead);
    let slow = start(Liar::new(pruned(&old), move |path, answer| {
        // The other mirror runs a round between two pages of this mirror.
        if path.starts_with("answers/") && answers.fetch_add(1, Ordering::Relaxed) == 1 {
            *noted.lock().unwrap() = Some(ahead.lock().unwrap().round().unwrap());
        }
        answer
    }));
    let follow = |upstream: &TestServer| {
        let mut mirror = mirror_into(&part, &author, vec![connect(upstream)]);
        mirror.round().unwrap()
    };
    let round = follow(&slow);
    assert!(round.incidents.is_empty(), "{:?}", round.incidents);
    assert_eq!((round.taken, round.latest), (1, Version::new(4)));
    // That round did not start to load another version, and its server is not blamed.
    let between = between.lock().unwrap().take().unwrap();
    assert_eq!((between.taken, between.latest), (0, Version::EMPTY));
    assert_eq!(between.incidents, []);
    assert_eq!(follow(&newer).latest, Version::new(5));
    let served = serve(&part);
    let whole = Server::of_any(author.path("s.pad")).unwrap();
    let (version, question) = (Version::new(5), Question::Range(range));
    let asked = Resource::Answer(version, question.clone());
    let answer = connect(&served).get(&asked, 8 << 20).unwrap();
    assert_eq!(answer, whole.answer(version, &question).unwrap());
}

#[test]
fn an_upstream_with_heads_alone_does_not_hold_up_one_that_is_behind() {
    let author = fruit_tree(6);
    let behind = author.copy("s.pad", "behind.pad");
    let range = keys("b", "m");
    let server = start(service(&behind));
    let (part, mut behind) = part_of(&author, range, vec![connect(&server)]);
    fruit(&author, 4);
    let heads_alone = author.liar(|path, answer| {
        let is_content = ["answers/", "pages/", "updates/"];
        if is_content.iter().any(|begin| path.starts_with(begin)) {
            let body = r#"{"code": "pruned", "error": "pruned"}"#;
            return Answer::new(StatusCode::GONE, "application/json", body);
        }
        answer
    });
    let mut ahead = mirror_into(&part, &author, vec![connect(&heads_alone)]);
    let round = ahead.round().unwrap();
    assert!(round.incidents[0].is_elsewhere(), "{:?}", round.incidents);
    assert_eq!(behind.round().unwrap().latest, Version::new(6));
}

#[test]
fn upstreams_that_send_equal_heads_at_once_are_not_blamed() {
    let author = fruit_tree(9);
    let range = keys("b", "m");
    // Parts have no updates, so only heads are fetched.
    let whole = author.serve();
    let (first, mut mirror) = part_of(&author, range.clone(), vec![connect(&whole)]);
    mirror.round().unwrap();
    let (part, other) = part_of(&author, range, vec![connect(&whole)]);
    let (other, rounds) = (Mutex::new(other), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&rounds);
    let served = start(Liar::new(service_of(first), move |path, answer| {
        // The other mirror fetches the heads before this mirror receives them.
        if path.starts_with("heads/1/") && counted.fetch_add(1, Ordering::Relaxed) == 0 {
            other.lock().unwrap().round().unwrap();
        }
        answer
    }));
    let round = mirror_into(&part, &author, vec![connect(&served)]).round();
    assert_eq!(round.unwrap().incidents, []);
    assert!(rounds.load(Ordering::Relaxed) > 0);
    assert_eq!(part.latest(), Version::new(9));
}
