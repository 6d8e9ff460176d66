//! Tests of `Author`, `Server` and `Client`: what they refuse, and which state they keep.

use std::{cell::Cell, fs, path::Path};

use authdict::{
    AnyFamily, AskError, Author, AuthorError, Client, Heads, Key, NotFollowed, OpenClientError,
    Question, RedBlack, Refusal, RepositoryError, SecretKey, Server, SigningRecord,
    SigningRecordError, Source, SpecLightweight, Statement, StoreError, Treap, Tree, Tuple,
    Version,
};
use tempfile::TempDir;

type Prices = Tree<RedBlack>;

/// A dictionary with one version, and the folder with its files.
struct Shop {
    folder: TempDir,
    secret: SecretKey,
    author: Author<Prices>,
}

impl Shop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = SecretKey::create::<Prices>(folder.path().join("key"), "prices").unwrap();
        let author = Author::create(folder.path().join("s.pad"), &secret).unwrap();
        let mut shop = Self {
            folder,
            secret,
            author,
        };
        shop.commit("1.20");
        shop
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn commit(&mut self, price: &str) -> Version {
        self.author.put("apple", price).unwrap();
        self.author.commit().unwrap()
    }

    fn server(&self) -> Server<Prices> {
        Server::open(self.path("s.pad"), self.secret.public()).unwrap()
    }

    fn client(&self) -> Client<Prices> {
        Client::open(self.path("view"), self.secret.public()).unwrap()
    }
}

/// Copies the files of a store, which have a common prefix.
fn copy_store(folder: &Path, from: &str, to: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some(rest) = name.strip_prefix(from) {
            fs::copy(&path, folder.join(format!("{to}{rest}"))).unwrap();
        }
    }
}

/// Returns the error of the signing record, which must be the reason of the refusal.
fn record_error<F>(author: Result<Author<F>, AuthorError>) -> SigningRecordError {
    match author.map(drop).unwrap_err() {
        AuthorError::Record(error) => error,
        error => panic!("{error}"),
    }
}

#[test]
fn roles_can_be_sent_and_shared() {
    fn assert<T: Send + Sync>() {}
    assert::<(Author<Prices>, Server<Prices>, Client<Prices>)>();
    assert::<(Author, Server, Client)>();
}

#[test]
fn any_family_has_the_same_verbs() {
    let shop = Shop::new();
    let server = Server::<AnyFamily>::open(shop.path("s.pad"), shop.secret.public()).unwrap();
    let mut client = Client::<AnyFamily>::new(shop.secret.public()).unwrap();
    let Statement::Lookup(lookup) = client.ask(&server, Key::from(b"apple")).unwrap() else {
        panic!("a tree answers with a lookup");
    };
    assert_eq!(lookup.value(), Some(&"1.20".try_into().unwrap()));
}

#[test]
fn keys_of_other_families_and_dictionaries_are_refused() {
    let shop = Shop::new();
    let (path, public) = (shop.path("s.pad"), shop.secret.public());
    let is_family = |error: &StoreError| matches!(error, StoreError::OtherFamily(_));
    let refused = Server::<Tree<Treap>>::open(&path, public).unwrap_err();
    assert!(matches!(&refused, RepositoryError::Store(error) if is_family(error)));
    let refused = Client::<Tuple<SpecLightweight>>::new(public).unwrap_err();
    assert!(matches!(&refused, OpenClientError::Family(error) if is_family(error)));
    let refused = Author::<Tree<Treap>>::create(shop.path("t.pad"), &shop.secret).unwrap_err();
    assert!(matches!(
        &refused,
        AuthorError::Repository(RepositoryError::Store(error)) if is_family(error)
    ));
    assert!(!shop.path("t.pad").exists());

    let other = SecretKey::random::<Prices>("prices").unwrap();
    let refused = Server::<Prices>::open(&path, other.public()).unwrap_err();
    assert!(matches!(
        refused,
        RepositoryError::Store(StoreError::OtherKey)
    ));
    let server = shop.server();
    shop.client().advance(&server).unwrap();
    let refused = Client::<Prices>::open(shop.path("view"), other.public());
    assert!(matches!(refused, Err(OpenClientError::OtherKey(_))));
}

/// A key from a file may have signed versions before, so it requires its signing record.
#[test]
fn a_key_from_a_file_is_not_used_without_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("author.key");
    let made = SecretKey::random::<Prices>("prices").unwrap();
    assert_eq!(made.path(), None);
    made.save(&path).unwrap();
    let secret = SecretKey::load(&path).unwrap();
    assert_eq!(secret.path(), Some(path.as_path()));

    let store = folder.path().join("s.pad");
    let refused = record_error(Author::<Prices>::create(&store, &secret));
    assert!(matches!(refused, SigningRecordError::Forgotten { .. }));
    assert!(!store.exists(), "a refused author leaves no store");
    let record = folder.path().join("author.key.signed");
    SigningRecord::create(&record).unwrap();
    let mut author = Author::<Prices>::create(&store, &secret).unwrap();
    author.put("apple", "1").unwrap();
    assert_eq!(author.commit().unwrap(), Version::new(1));
    drop(author);

    // A key is also refused if its record is lost, or was never begun.
    fs::remove_file(&record).unwrap();
    for _ in 0..2 {
        let refused = record_error(Author::<Prices>::open(&store, &secret));
        assert!(matches!(refused, SigningRecordError::Forgotten { .. }));
        drop(SigningRecord::open(&record).unwrap());
    }
}

#[test]
fn an_old_copy_of_a_store_is_not_signed_for() {
    let mut shop = Shop::new();
    copy_store(shop.folder.path(), "s.pad", "old");
    shop.commit("1.30");
    let Shop {
        folder,
        secret,
        author,
    } = shop;
    drop(author);
    for end in ["", ".nodes", ".nodes.heads", ".newest"] {
        fs::remove_file(folder.path().join(format!("s.pad{end}"))).unwrap();
    }
    copy_store(folder.path(), "old", "s.pad");
    let refused = record_error(Author::<Prices>::open(folder.path().join("s.pad"), &secret));
    assert!(matches!(refused, SigningRecordError::OlderStore { .. }));
}

#[test]
fn one_author_signs_at_a_time_and_what_it_signed_is_no_longer_a_change() {
    let mut shop = Shop::new();
    // Two authors must not sign at once.
    let refused = record_error(Author::<Prices>::open(shop.path("s.pad"), &shop.secret));
    assert!(matches!(refused, SigningRecordError::InUse(_)));
    shop.author.put("pear", "2").unwrap();
    shop.author.remove("apple").unwrap();
    assert_eq!(shop.author.changes().len(), 2);
    assert!(shop.author.put("k".repeat(5000).as_str(), "").is_err());
    assert_eq!(shop.author.commit().unwrap(), Version::new(2));
    assert!(shop.author.changes().is_empty());
    let (server, mut client) = (shop.server(), shop.client());
    let found = client.ask(&server, Key::from(b"apple")).unwrap();
    assert_eq!(found.value(), None);
}

#[test]
fn clients_that_share_a_view_never_go_back() {
    let mut shop = Shop::new();
    copy_store(shop.folder.path(), "s.pad", "old");
    let old = Server::<Prices>::open(shop.path("old"), shop.secret.public()).unwrap();
    let (mut first, mut second) = (shop.client(), shop.client());
    first.advance(&old).unwrap();
    second.advance(&old).unwrap();
    shop.commit("1.30");
    let server = shop.server();
    assert_eq!(first.advance(&server).unwrap(), Version::new(2));
    // The view in the file is newer than this client and the server.
    let refused = second.advance(&old).unwrap_err();
    let behind = |error: &AskError<_>| match error {
        AskError::Heads(NotFollowed::Behind { seen, .. }) => *seen == Version::new(2),
        _ => false,
    };
    assert!(behind(&refused));
    assert_eq!(second.version(), Version::new(1));
    assert_eq!(shop.client().version(), Version::new(2));
    // If the file is set back, a running client keeps its newer view.
    let mut rolled = shop.client();
    fs::remove_file(shop.path("view")).unwrap();
    assert!(behind(&rolled.advance(&old).unwrap_err()));
    let ahead = second.ask_at(&server, Version::new(2), Key::from(b"apple"));
    assert!(matches!(
        ahead,
        Err(AskError::Refused(refused)) if matches!(refused.refusal, Refusal::Ahead { .. })
    ));
}

/// A server that returns one history to the first client, and another history to later clients.
struct LyingServer<'s> {
    faces: [&'s Server<Prices>; 2],
    asked: Cell<usize>,
    /// Whether answers are longer than any that the client accepts.
    is_long: bool,
}

impl LyingServer<'_> {
    fn face(&self) -> &Server<Prices> {
        self.faces[self.asked.get().saturating_sub(1).min(1)]
    }
}

impl Heads for LyingServer<'_> {
    type Error = <Server<Prices> as Heads>::Error;

    fn offered(&self) -> Result<Version, Self::Error> {
        self.asked.set(self.asked.get() + 1);
        Heads::offered(self.face())
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, Self::Error> {
        Heads::head_message(self.face(), version)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, Self::Error> {
        Heads::consistency_message(self.face(), older, newer)
    }

    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, Self::Error> {
        Ok(None)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, Self::Error> {
        Heads::past_messages(self.face(), older, newer)
    }
}

impl Source for LyingServer<'_> {
    fn answer_message(
        &self,
        version: Version,
        question: &Question,
        most: usize,
    ) -> Result<Vec<u8>, Self::Error> {
        let mut answer = self.face().answer(version, question)?;
        if self.is_long {
            answer.resize(most + 1, 0);
        }
        Ok(answer)
    }
}

#[test]
fn answers_longer_than_any_are_refused() {
    let shop = Shop::new();
    let server = shop.server();
    let long = LyingServer {
        faces: [&server; 2],
        asked: Cell::new(0),
        is_long: true,
    };
    let refused = shop.client().ask(&long, Key::from(b"apple"));
    let Err(AskError::Refused(refused)) = refused else {
        panic!("{refused:?}");
    };
    assert!(refused.refusal.to_string().contains("exceeds"), "{refused}");
}

/// A key must sign only one history: it has one signing record, even if there are several stores.
#[test]
fn a_key_signs_one_history() {
    let mut shop = Shop::new();
    let other = shop.path("other.pad");
    let refused = record_error(Author::<Prices>::create(&other, &shop.secret));
    assert!(matches!(refused, SigningRecordError::InUse(_)));
    shop.commit("1.30");
    let Shop { folder, secret, .. } = &shop;
    let no_file = SecretKey::random::<Prices>("prices").unwrap();
    let refused = Author::<Prices>::create(&other, &no_file);
    assert!(matches!(refused, Err(AuthorError::NoRecord)));
    let again = SecretKey::create::<Prices>(folder.path().join("key"), "prices");
    assert!(again.is_err(), "a key is not overwritten");
    let secret = SecretKey::load(secret.path().unwrap()).unwrap();
    let path = folder.path().join("other.pad");
    drop(shop.author);
    let refused = record_error(Author::<Prices>::create(&path, &secret));
    assert!(matches!(refused, SigningRecordError::OlderStore { .. }));
    assert!(!path.exists(), "a refused author leaves no store");
}

/// Another client may replace the view in a client's file by one of another history, or of another
/// key. The first client must not take over this view.
#[test]
fn a_client_takes_over_no_other_history_from_its_file() {
    let mut shop = Shop::new();
    copy_store(shop.folder.path(), "s.pad", "fork");
    shop.commit("1.30");
    let mut first = shop.client();
    first.advance(&shop.server()).unwrap();

    let record = SigningRecord::open(&shop.path("fork.signed")).unwrap();
    let refused = Author::<Prices>::open_with(shop.path("fork"), &shop.secret, record);
    let refused = record_error(refused);
    assert!(matches!(refused, SigningRecordError::Forgotten { .. }));
    let record = SigningRecord::open_or_begin(&shop.path("fork.signed")).unwrap();
    let mut fork = Author::<Prices>::open_with(shop.path("fork"), &shop.secret, record).unwrap();
    for price in ["6", "7"] {
        fork.put("apple", price).unwrap();
        fork.commit().unwrap();
    }
    fs::remove_file(shop.path("view")).unwrap();
    let expected = Version::new(3);
    assert_eq!(shop.client().advance(fork.server()).unwrap(), expected);
    let refused = first.advance(fork.server()).unwrap_err();
    assert!(refused.evidence().is_some(), "{refused}");
    assert_eq!(first.version(), Version::new(2));
    // The client also refuses a server that returns to each of the two views a history that fits
    // the view.
    let (own, fork) = (shop.server(), fork.server());
    let two_faced = LyingServer {
        faces: [fork, &own],
        asked: Cell::new(0),
        is_long: false,
    };
    let refused = first.advance(&two_faced).unwrap_err();
    assert!(matches!(refused, AskError::Refused(_)), "{refused}");
    assert_eq!(first.version(), Version::new(2));

    let other = SecretKey::random::<Prices>("prices").unwrap();
    let mut late = Client::<Prices>::open(shop.path("late"), other.public()).unwrap();
    let mut own = Client::<Prices>::open(shop.path("late"), shop.secret.public()).unwrap();
    own.advance(&shop.server()).unwrap();
    let refused = late.advance(&shop.server()).unwrap_err();
    assert!(matches!(refused, AskError::View(_)), "{refused}");
}

/// Changes that a log rejects stay pending, and the caller can remove them.
#[cfg(feature = "log")]
#[test]
fn changes_that_were_not_signed_are_still_there() {
    use authdict::{Log, SchemeName, pad_log::AadCounted};

    use crate::log;
    type Entries = Log<AadCounted>;

    let folder = tempfile::tempdir().unwrap();
    let parameters = log::small(SchemeName::AadCounted);
    let own = log::setup(SchemeName::AadCounted, &parameters);
    let key = folder.path().join("key");
    let secret = SecretKey::create_with::<Entries>(key, "entries", own).unwrap();
    let path = folder.path().join("s.pad");
    let refused = Author::<Entries>::create(&path, &secret).unwrap_err();
    assert!(matches!(
        refused,
        AuthorError::Repository(RepositoryError::Store(StoreError::NoParameters))
    ));
    let mut author = Author::<Entries>::create_with(path, &secret, &parameters).unwrap();
    author.put("apple", "1").unwrap();
    author.remove("apple").unwrap();
    for _ in 0..2 {
        assert!(matches!(author.commit(), Err(AuthorError::NotOffered(_))));
        assert_eq!(author.changes().len(), 2);
    }
    let mut changes = author.take_changes();
    changes.truncate(1);
    assert_eq!(author.stage(changes).unwrap(), Version::new(1));
    assert_eq!(author.commit().unwrap(), Version::new(2));
    assert_eq!(author.server().entries(), 1);
}

#[test]
fn changes_can_be_taken_back() {
    let mut shop = Shop::new();
    shop.author.put("pear", "2").unwrap();
    assert_eq!(shop.author.take_changes().len(), 1);
    assert_eq!(shop.author.commit().unwrap(), Version::new(2));
    assert_eq!(shop.server().entries(), 1);
    let server = shop.server();
    let client = shop.client();
    let ahead = client.ask_at(&server, Version::new(1), Key::from(b"apple"));
    let Err(AskError::Refused(refused)) = ahead else {
        panic!("nothing was followed yet");
    };
    assert!(matches!(refused.refusal, Refusal::Ahead { .. }));
}

/// The author drops a batch that exceeds the parameters, so it is not signed later.
#[cfg(feature = "accumulators")]
#[test]
fn what_was_taken_back_is_not_signed_later() {
    use authdict::{AccumulatorsBilinear, SchemeName, SuiteName, Zeroizing};
    type Guests = Tuple<AccumulatorsBilinear>;

    let folder = tempfile::tempdir().unwrap();
    let scheme = SchemeName::TupleAccumulatorsBilinear;
    let small = SecretKey::generate_for(4, SuiteName::Sha256Ed25519, scheme, None).unwrap();
    let own = Zeroizing::new(small.scheme_secret().unwrap().to_vec());
    let key = folder.path().join("key");
    let secret = SecretKey::create_with::<Guests>(key, "guests", Some(own)).unwrap();
    let mut author = Author::<Guests>::create(folder.path().join("s.pad"), &secret).unwrap();
    for number in 0..200 {
        author.put(format!("guest {number}").as_str(), "1").unwrap();
    }
    assert!(matches!(author.commit(), Err(AuthorError::Tuple(_))));
    assert_eq!(author.take_changes().len(), 200);
    author.put("ada", "1").unwrap();
    assert_eq!(author.commit().unwrap(), Version::new(1));
    assert_eq!(author.server().entries(), 1);
}
