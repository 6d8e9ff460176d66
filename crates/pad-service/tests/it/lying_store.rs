//! An attacker replaces the files of a store. The author must sign the true continuation or
//! nothing. A client with the true history must accept no other answer.
//!
//! A new scheme cannot be forgotten: without the soak test, only those that are said to be like
//! others are left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, iter,
    path::Path,
};

use authdict::{
    AnswerError, Key, KeyRange, Keys, Operation, Predecessor, Question, Refusal, SchemeName,
    Server, Sha256Ed25519, SigningRecord, Statement, StoredView, Successor, Value, Verifier,
    Version,
    internals::{SchemeFamily, dynamic::client_of},
};
use pad_conformance::{random::Random, soak};
use pad_core::{SignedHead, SnapshotHead, codec};
use pad_service::{Dictionary, HeadLog};

use crate::{
    fixture::*,
    second_head::{LIKE_OTHERS, for_each_scheme, for_each_scheme_but},
};

/// The values of each key. Only keys of logs have several values.
type Contents = BTreeMap<Key, Vec<Value>>;

/// The batches of an author. Changes that the scheme does not support are left out.
struct Batches {
    /// The batches of versions 1 to 4.
    honest: [Vec<Operation>; 4],
    /// The batches of versions 3 and 4 in another history.
    other: [Vec<Operation>; 2],
}

impl Batches {
    fn of(scheme: SchemeName) -> Self {
        let entry = |key, value| put(key, if scheme.is_set() { "" } else { value });
        let grows = scheme.family().is_append_only();
        let change = |key, value| (!grows).then(|| put(key, value));
        let remove = |key: &str| (!grows).then(|| Operation::Remove(key.try_into().unwrap()));
        let batch = |first, others: [Option<Operation>; 2]| {
            let others = others.into_iter().flatten();
            iter::once(first).chain(others).collect()
        };
        Self {
            honest: [
                batch(entry("apple", "1"), [Some(entry("pear", "2")), None]),
                batch(entry("fig", "3"), [change("apple", "4"), None]),
                batch(entry("quince", "5"), [remove("pear"), None]),
                batch(entry("kiwi", "6"), [remove("apple"), None]),
            ],
            other: [
                batch(entry("medlar", "7"), [remove("fig"), None]),
                batch(entry("lime", "8"), [None, None]),
            ],
        }
    }

    /// Returns the contents of version 0 and of each honest version.
    fn contents(&self, grows: bool) -> Vec<Contents> {
        let mut all = vec![Contents::new()];
        for batch in &self.honest {
            let mut contents = all.last().unwrap().clone();
            for operation in batch {
                match operation {
                    Operation::Put(key, value) => {
                        let values = contents.entry(key.clone()).or_default();
                        if !grows {
                            values.clear();
                        }
                        values.push(value.clone());
                    }
                    Operation::Remove(key) => drop(contents.remove(key)),
                }
            }
            all.push(contents);
        }
        all
    }
}

/// Returns questions of every kind that some scheme answers.
fn questions() -> Vec<Question> {
    let key = |name: &str| Key::try_from(name).unwrap();
    let names = ["apple", "fig", "medlar", "pear", "quince"];
    let keys = Keys::new(names[1..4].iter().map(|name| key(name)).collect()).unwrap();
    let value = |name, value: &str| Question::Value(key(name), value.try_into().unwrap());
    let questions = names.iter().map(|name| Question::Key(key(name)));
    let others = [
        Question::First,
        Question::Last,
        Predecessor(key("fig")).into(),
        Predecessor(key("a")).into(),
        Successor(key("fig")).into(),
        Successor(key("zebra")).into(),
        Question::Keys(keys),
        Question::Range(KeyRange::ALL),
        value("apple", "1"),
        value("quince", ""),
        Question::Growth(Version::new(1)),
    ];
    questions.chain(others).collect()
}

/// Asserts that a statement agrees with the contents of its version.
fn assert_true(contents: &Contents, question: &Question, statement: &Statement) {
    let value = |key: &Key| contents.get(key).and_then(|values| values.last());
    let is_true = match (question, statement) {
        (Question::Key(key), Statement::Lookup(lookup)) => lookup.answer.value() == value(key),
        (Question::Keys(keys), Statement::Lookups(lookups)) => {
            let answers = lookups.answers.iter();
            answers.clone().map(|(key, _)| key).eq(keys.as_slice())
                && answers
                    .into_iter()
                    .all(|(key, answer)| answer.value() == value(key))
        }
        (Question::Range(_), Statement::Range(range)) => {
            let entries = range.entries.iter().map(|(key, value)| (key, Some(value)));
            entries.eq(contents.keys().map(|key| (key, value(key))))
        }
        (question, Statement::Neighbour(found)) => {
            assert_eq!(*question, found.question);
            let mut keys = contents.keys();
            let expected = match question {
                Question::First => keys.next(),
                Question::Last => keys.next_back(),
                Question::Predecessor(below) => keys.rfind(|key| **key < below.0),
                Question::Successor(above) => keys.find(|key| **key > above.0),
                other => panic!("{other:?}"),
            };
            let found = found.entry.as_ref();
            found.map(|(key, value)| (key, Some(value))) == expected.map(|key| (key, value(key)))
        }
        (Question::Key(key), Statement::Values(values)) => {
            values.values == *contents.get(key).unwrap_or(&Vec::new())
        }
        (Question::Key(key), Statement::Absent(_)) => !contents.contains_key(key),
        (Question::Key(key), Statement::Included(_)) => contents.contains_key(key),
        (Question::Value(key, value), Statement::Included(_)) => contents
            .get(key)
            .is_some_and(|values| values.contains(value)),
        (Question::Growth(_), Statement::Grown(_)) => true,
        _ => false,
    };
    assert!(is_true, "{question:?}: {statement:?}");
}

/// Whether schemes of a kind answer a question, for each kind of question that there is.
fn is_answered(question: &Question, scheme: SchemeName) -> bool {
    let is_tree = scheme.family() == SchemeFamily::Tree;
    let is_log = scheme.family().is_append_only();
    let has_accumulators = scheme.name().contains("accumulators");
    match question {
        Question::Key(_) => true,
        Question::Keys(_) | Question::Range(_) => !is_log && !has_accumulators,
        Question::First | Question::Last | Question::Predecessor(_) | Question::Successor(_) => {
            is_tree
        }
        Question::Value(..) | Question::Growth(_) => is_log,
        other => panic!("a new kind of question: {other:?}"),
    }
}

/// Servers and clients of each scheme must refuse the questions that the scheme does not answer. As
/// an answer to another question, an answer must be refused, or prove what is true: two absent keys
/// have one proof if they are in one gap.
#[test]
fn every_scheme_answers_its_questions_and_no_other() {
    // Both kinds of accumulators are tested.
    for_each_scheme_but(&LIKE_OTHERS[1..], |scheme| {
        let author = Author::new(scheme);
        for batch in Batches::of(scheme).honest {
            author.sign("s.pad", vec![batch]).unwrap();
        }
        let server = Server::of_any(author.path("s.pad")).unwrap();
        let view = StoredView::new(author.key.public().clone()).authenticated();
        let client = client_of(&view.follow(&server).unwrap()).unwrap();
        let version = server.latest();
        let mut answers = Vec::new();
        for question in questions() {
            match server.answer(version, &question) {
                Ok(answer) => answers.push((question, answer)),
                Err(AnswerError::NotOffered(_)) => {
                    assert!(!is_answered(&question, scheme), "{scheme:?} {question:?}");
                    for message in [&[], &[0; 99][..]] {
                        let refused = client.check_at(version, &question, message).unwrap_err();
                        assert!(matches!(refused, Refusal::NotOffered(_)), "{refused}");
                    }
                }
                // A log has no proof of a value that it does not contain.
                Err(error) => assert!(matches!(question, Question::Value(..)), "{error}"),
            }
        }
        let truths = answers.iter().map(|(asked, answer)| {
            assert!(is_answered(asked, scheme), "{scheme:?} {asked:?}");
            client.check_at(version, asked, answer).unwrap()
        });
        let truths: Vec<Statement> = truths.collect();
        for (_, answer) in &answers {
            for question in questions() {
                if let Ok(statement) = client.check_at(version, &question, answer) {
                    let place = answers.iter().position(|(asked, _)| *asked == question);
                    assert_eq!(statement, truths[place.unwrap()], "{scheme:?} {question:?}");
                }
            }
        }
    });
}

/// A client with a view at one version, with the expected statements and the verified answers.
struct Follower {
    view: StoredView,
    client: Box<dyn Verifier>,
    truth: Vec<(Version, Question, Statement)>,
    found: BTreeSet<(Version, usize, Vec<u8>)>,
}

impl Follower {
    /// Verifies the honest server's answers about the versions from `first` on, and checks the
    /// statements.
    fn new(author: &Author, honest: &Server, first: u64, contents: &[Contents]) -> Self {
        let view = StoredView::new(author.key.public().clone()).authenticated();
        let view = view.follow(honest).unwrap();
        let client = client_of(&view).unwrap();
        let mut truth = Vec::new();
        for version in (first..=view.version().number()).map(Version::new) {
            let contents = &contents[usize::try_from(version.number()).unwrap()];
            for question in questions() {
                let Ok(answer) = honest.answer(version, &question) else {
                    continue;
                };
                let statement = client.check_at(version, &question, &answer).unwrap();
                view.check_past(honest, (version, &question), &answer)
                    .unwrap();
                assert_true(contents, &question, &statement);
                truth.push((version, question, statement));
            }
        }
        assert!(truth.len() >= 5);
        Self {
            view,
            client,
            truth,
            found: BTreeSet::new(),
        }
    }

    /// Sends all questions, and returns the number of true answers.
    fn ask(&mut self, server: &Server) -> usize {
        let mut answered = 0;
        for (number, (version, question, expected)) in self.truth.iter().enumerate() {
            let Ok(answer) = server.answer(*version, question) else {
                continue;
            };
            let found = (*version, number, answer);
            if self.found.contains(&found) {
                answered += 1;
                continue;
            }
            let (answer, about) = (&found.2, (*version, question));
            if let Ok(statement) = self.client.check_at(*version, question, answer)
                && self.view.check_past(server, about, answer).is_ok()
            {
                assert_eq!(statement, *expected);
                self.found.insert(found);
                answered += 1;
            }
        }
        if let Ok(view) = self.view.follow(server) {
            assert_eq!(view, self.view);
        }
        answered
    }
}

/// Schemes with all replacements, also without the soak test. The stores of the other schemes have
/// the same files, or only some of them.
const WHOLE: [SchemeName; 2] = [SchemeName::RedBlack, SchemeName::TupleBaseSuperseding];

/// A set of files with which an attacker replaces a store.
struct Lie {
    what: String,
    files: Files,
    /// Whether derived files are missing, or lack versions.
    is_behind: bool,
}

/// An author with three versions, and the true statements about them and about version 4.
struct Subject {
    author: Author,
    /// The changes of version 4.
    next: Vec<Operation>,
    /// The files of the store and the signing record at version 3.
    honest: Files,
    signed: Vec<u8>,
    /// The heads of versions 3 and 4.
    heads: [SnapshotHead<Sha256Ed25519>; 2],
    /// A client with a view at version 3, and a client with a view at version 4.
    third: Follower,
    fourth: Follower,
    /// The updates to version 4 that an honest server has accepted.
    taken: BTreeSet<Vec<u8>>,
}

impl Subject {
    fn new(scheme: SchemeName) -> (Self, Vec<Lie>) {
        let author = Author::new(scheme);
        let batches = Batches::of(scheme);
        let is_part = soak::size(!WHOLE.contains(&scheme), false);
        let contents = batches.contents(scheme.family().is_append_only());
        let mut copies = vec![("an empty store".into(), author.files("s.pad"))];
        for group in batches.honest[..3].chunks(if is_part { 2 } else { 1 }) {
            let version = author.sign("s.pad", group.to_vec()).unwrap();
            copies.push((format!("version {version}"), author.files("s.pad")));
        }
        let (_, honest) = copies.pop().unwrap();
        let signed = fs::read(author.path("s.pad.signed")).unwrap();
        let follower = |first: u64| {
            let server = Server::of_any(author.path("s.pad")).unwrap();
            let head = server.head_message(server.latest()).unwrap();
            let head: SignedHead<_> = codec::decode(&head, head.len()).unwrap();
            let follower = Follower::new(&author, &server, first, &contents);
            (follower, head.head)
        };
        let (third, before) = follower(1);
        author.sign("s.pad", batches.honest[3..].to_vec()).unwrap();
        let (fourth, after) = follower(4);
        let update = author.update("s.pad", 4);

        let mut stores = copies.split_off(soak::size(copies.len() - 1, 0));
        let older = stores.len();
        author.replace("other.pad", &stores[older - 1].1);
        for (number, batch) in (3..).zip(&batches.other[..soak::size(1, 2)]) {
            author.sign("other.pad", vec![batch.clone()]).unwrap();
            let what = format!("version {number} of another history");
            stores.push((what, author.files("other.pad")));
        }
        for is_same_author in [true, false].into_iter().take(soak::size(1, 2)) {
            let another = author.of_another(is_same_author);
            let signed = &batches.honest[..if is_part { 1 } else { 3 }];
            another.sign("s.pad", signed.to_vec()).unwrap();
            let what = format!("another dictionary, the same author: {is_same_author}");
            stores.push((what, another.files("s.pad")));
        }
        let places = soak::size(
            if is_part { 1 } else { 3 },
            if scheme.reads_on_demand() { 20 } else { 8 },
        );
        let lies = lies(&honest, &stores, older, is_part, places);
        let [.., next] = batches.honest;
        let heads = [before, after];
        let taken = BTreeSet::new();
        let mut subject = Self {
            author,
            next,
            honest,
            signed,
            heads,
            third,
            fourth,
            taken,
        };
        subject.take(update);
        (subject, lies)
    }

    /// Opens, queries and checks the store as a server does, and returns the number of true
    /// answers. Asserts that no file changes, except a tuple file that is behind its store.
    fn read(&mut self, lie: &Lie) -> usize {
        self.author.replace("s.pad", &lie.files);
        let mut answered = 0;
        if let Ok(mut repository) = Server::of_any(self.author.path("s.pad")) {
            answered = self.third.ask(&repository);
            drop(repository.check());
        }
        let mut after = self.author.files("s.pad");
        let mut before = lie.files.clone();
        if lie.is_behind {
            after.remove(TUPLES);
            before.remove(TUPLES);
        }
        assert!(after == before, "{}: a reader changed a file", lie.what);
        answered
    }

    /// Lets the author sign version 4, and returns whether it signed.
    fn sign(&mut self, lie: &Lie) -> bool {
        let (author, what) = (&self.author, &lie.what);
        author.replace("s.pad", &lie.files);
        fs::write(author.path("s.pad.signed"), &self.signed).unwrap();
        let signed = author.sign("s.pad", vec![self.next.clone()]);
        let record = SigningRecord::open_or_begin(&author.path("s.pad.signed")).unwrap();
        let newest = record.newest(&author.key.public().authority);
        let newest = newest.unwrap().unwrap().head;
        drop(record);
        let Ok(version) = signed else {
            assert!(self.heads.contains(&newest), "{what}: {newest:?}");
            return false;
        };
        let expected = (Version::new(4), self.heads[1]);
        assert_eq!((version, newest), expected, "{what}");
        self.take(author.update("s.pad", 4));
        true
    }

    /// Applies an update to an honest server at version 3, and asserts that its answers are true.
    fn take(&mut self, update: Vec<u8>) {
        if self.taken.contains(&update) {
            return;
        }
        self.author.replace("honest.pad", &self.honest);
        let mut server = Server::of_any(self.author.path("honest.pad")).unwrap();
        let version = server.apply_message(&update).unwrap();
        assert_eq!(version, Version::new(4));
        let truth = self.fourth.truth.len();
        assert_eq!(self.fourth.ask(&server), truth);
        self.taken.insert(update);
    }
}

/// Returns replacements of an honest store: mixtures with `stores`, and changed bytes.
///
/// The first `older` stores are earlier states of the honest store. `is_part` omits rows that
/// differ little between schemes.
fn lies(
    honest: &Files,
    stores: &[(String, Files)],
    older: usize,
    is_part: bool,
    places: u64,
) -> Vec<Lie> {
    let mut lies = Vec::new();
    let mut mix = |what: &str, number: usize, [store, newest, derived]: [Option<&Files>; 3]| {
        let files = honest
            .keys()
            .chain(stores[number].1.keys())
            .filter_map(|end| {
                let from = match end.as_str() {
                    "" => store,
                    NEWEST => newest,
                    _ => derived,
                };
                Some((end.clone(), from?.get(end)?.clone()))
            });
        let what = format!("{what} of {}", stores[number].0);
        let is_behind = number < older && store == Some(honest);
        lies.push((what, files.collect(), is_behind));
    };
    for (number, (_, files)) in stores.iter().enumerate() {
        let (files, honest) = (Some(files), Some(honest));
        mix("all files", number, [files; 3]);
        if number < older || !is_part {
            mix("all files but the newest", number, [files, None, files]);
        }
        mix("an earlier store", number, [files, honest, files]);
        mix("derived files", number, [honest, honest, files]);
    }
    let ends = stores.iter().flat_map(|(_, files)| files.keys());
    for end in honest.keys().chain(ends).collect::<BTreeSet<_>>() {
        if is_part && end == NEWEST {
            continue;
        }
        let mut change = |what: &str, bytes: Option<&Vec<u8>>, is_behind| {
            let mut files = honest.clone();
            match bytes {
                Some(bytes) => files.insert(end.clone(), bytes.clone()),
                None => files.remove(end),
            };
            lies.push((format!("file {end:?} {what}"), files, is_behind));
        };
        let stores = if is_part { &[] } else { stores };
        for (number, (what, files)) in stores.iter().enumerate() {
            change(&format!("of {what}"), files.get(end), number < older);
        }
        change("missing", None, true);
        let Some(bytes) = honest.get(end).filter(|bytes| !bytes.is_empty()) else {
            continue;
        };
        let length = u64::try_from(bytes.len()).unwrap();
        let mut random = Random::new(length);
        for _ in 0..places {
            let place = random.below(length);
            let mut bytes = bytes.clone();
            bytes[usize::try_from(place).unwrap()] ^= 1 << random.below(8);
            change(&format!("with byte {place} changed"), Some(&bytes), false);
        }
    }
    let mut seen = BTreeSet::from([honest.clone()]);
    lies.retain(|(_, files, _)| seen.insert(files.clone()));
    let lie = |(what, files, is_behind)| Lie {
        what,
        files,
        is_behind,
    };
    lies.into_iter().map(lie).collect()
}

/// The suffixes of the names of a store's files.
const NEWEST: &str = ".newest";
const TUPLES: &str = ".tuples";

#[test]
fn an_author_continues_the_true_history_and_clients_believe_nothing_else() {
    for_each_scheme(|scheme| {
        let (mut subject, lies) = Subject::new(scheme);
        let (mut answered, mut signed) = (0, 0);
        for lie in &lies {
            answered += subject.read(lie);
            signed += usize::from(subject.sign(lie));
        }
        // Some replacements have no effect, and others are refused.
        let asked = lies.len() * subject.third.truth.len();
        let is_mixed = 0 < answered && answered < asked;
        assert!(is_mixed, "{scheme}: {answered} of {asked}");
        let is_mixed = 0 < signed && signed < lies.len();
        assert!(is_mixed, "{scheme}: {signed} signed");
    });
}

#[test]
fn a_log_of_heads_continues_truly_or_signs_nothing() {
    let author = Author::of_tree();
    let open = |store: &str, folder: &Path| {
        let dictionary = Dictionary::open(&author.path(store)).unwrap();
        HeadLog::open(folder, author.log_signer(), None, &dictionary)
    };
    let folder = author.path("log");
    let mut copies = Vec::new();
    for price in ["1", "2", "3"] {
        let version = author.publish(&[("apple", price)]);
        drop(open("s.pad", &folder).unwrap());
        copies.push((format!("version {version}"), read_files(&folder)));
        if version == Version::new(2) {
            author.copy("s.pad", "other.pad");
        }
    }
    let (_, honest) = copies.pop().unwrap();
    author.publish(&[("apple", "4")]);
    let expected = open("s.pad", &folder).unwrap().file(CHECKPOINT).unwrap();
    let older = copies.len();
    author.publish_in("other.pad", &[("apple", "5")]);
    let other = author.path("other");
    drop(open("other.pad", &other).unwrap());
    copies.push(("another history".into(), read_files(&other)));

    let lies = lies(&honest, &copies, older, false, soak::size(3, 20));
    let mut continued = 0;
    for Lie { what, files, .. } in &lies {
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        write_files(&folder, files);
        let opened = open("s.pad", &folder);
        if let Ok(log) = &opened
            && !log.has_failed()
        {
            assert_eq!(log.file(CHECKPOINT).unwrap(), expected, "{what}");
            continued += 1;
            continue;
        }
        drop(opened);
        let after = read_files(&folder);
        for name in [CHECKPOINT, "signed"] {
            let expected = files.get(name);
            assert_eq!(after.get(name), expected, "{what}: {name} was written");
        }
    }
    assert!(0 < continued && continued < lies.len(), "{continued}");
}

const CHECKPOINT: &str = "checkpoint";
