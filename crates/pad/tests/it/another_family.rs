//! A family of schemes that is not built in goes through the same store, author, check and answers.
//!
//! It is a tree PAD with two differences: an update carries a word, which must be the one that the
//! repository was made with, and only single keys can be asked about.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ed25519_dalek::SigningKey;
use pad::{
    Answer, AnswerError, AnsweringRepository, ApplyError, AuthorError, AuthorKey, Authority,
    BatchAuthor, CheckError, CheckpointedRepository, Dictionary, DictionaryId, Difference,
    DurableAuthor, DurableRepository, Heads as _, Key, KeyRange, Keys, Lookup, LookupError,
    NotOffered, Noted, Operation, Proof, RedBlackAuthor, RedbStore, Repository, RepositoryError,
    Response, ResumableRepository, Sha256Ed25519, SignedHead, SigningRecord, SnapshotHead,
    StorableRepository, Store, TreeProof, Untrusted, Update, Value, Verified, VerifyError, Version,
    Workers,
    pad_core::{
        Answers, Attachment, Client, Family, PublicKey, Refusal, SchemeId, codec, codec::Message,
        contradiction::Past, family::VerifiedRoot, history::ConsistencyProof,
    },
    pad_tree::{
        Authenticated, Checkpoint, KeyHistory, PathCopying, RedBlack, RedBlackPathCopying,
        TreeScheme,
    },
    question::Question,
};
use serde::{Deserialize, Serialize};

type S = Sha256Ed25519;
type Tree = RedBlackPathCopying<S>;
type Nodes = PathCopying<Authenticated<S>, RedBlack>;

/// What updates carry, and what the repository is made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Word(String);

impl Attachment for Word {
    const UPDATE_KIND: u8 = 200;
}

#[derive(Clone, Debug)]
struct Setup {
    authority: Authority,
    word: Word,
}

#[derive(Debug)]
struct Server {
    tree: Tree,
    word: Word,
    restored: bool,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    tree: Checkpoint<S, Nodes>,
    word: Word,
}

impl Message for Stored {
    const KIND: u8 = 201;
    const SUITE: u16 = <S as pad::Suite>::ID.0;
}

#[derive(Serialize, Deserialize)]
struct KeyProof(TreeProof<S, Key>);

impl Message for KeyProof {
    const KIND: u8 = 202;
    const SUITE: u16 = <S as pad::Suite>::ID.0;
}

impl Proof for KeyProof {
    type Commitment = VerifiedRoot<S>;
    type Query = Key;
    type Statement = Lookup;
    type Error = VerifyError;

    fn check(self, head: &Self::Commitment, key: &Key) -> Result<Lookup, VerifyError> {
        Ok(Untrusted::new(self.0).verify(head, key)?.into_inner())
    }
}

/// The family, for clients.
struct Words;

impl Family for Words {
    type Suite = S;
    type Key = Word;
    type Error = VerifyError;
    const SCHEME: SchemeId = RedBlack::ID;
    const NAME: &'static str = "words";
}

impl Answers<Key> for Words {
    type Proof = KeyProof;

    fn verify(
        proof: Untrusted<KeyProof>,
        _: &PublicKey<Self>,
        at: &VerifiedRoot<S>,
        key: &Key,
    ) -> Result<Verified<Lookup>, VerifyError> {
        proof.verify(at, key)
    }
}

impl Repository for Server {
    type Suite = S;
    type Attachment = Word;
    type Query = Key;
    type Proof = KeyProof;

    fn latest(&self) -> Version {
        self.tree.latest()
    }

    fn oldest(&self) -> Version {
        self.tree.oldest()
    }

    fn apply(&mut self, update: &Update<S, Word>) -> Result<Version, ApplyError> {
        if update.attachment != self.word {
            return Err(ApplyError::AttachmentMismatch);
        }
        self.tree.apply(&with_word(update.clone(), ()))
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.tree.head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<KeyProof, LookupError> {
        self.tree.prove(version, key).map(KeyProof)
    }
}

impl StorableRepository for Server {
    const EVIDENCE_OUTLIVES_VERSION: bool = false;
    type Setup = Setup;

    fn with_workers(self, workers: Workers) -> Self {
        let tree = self.tree.with_workers(workers);
        Self { tree, ..self }
    }

    fn authority(&self) -> &Authority {
        self.tree.authority()
    }

    fn entries(&self) -> usize {
        self.tree.len()
    }

    fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes()
    }

    fn prove_consistency(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<ConsistencyProof<S>, LookupError> {
        self.tree.heads().prove_consistency(older, newer)
    }

    fn prove_past(&self, older: Version, newer: Version) -> Result<[Past<S>; 2], LookupError> {
        StorableRepository::prove_past(&self.tree, older, newer)
    }
}

impl CheckpointedRepository for Server {
    type Checkpoint = Stored;

    fn new(setup: &Setup) -> Self {
        let (tree, word) = (Tree::new(setup.authority), setup.word.clone());
        let restored = false;
        Self {
            tree,
            word,
            restored,
        }
    }

    fn checkpoint(&self) -> Stored {
        let (tree, word) = (self.tree.checkpoint(), self.word.clone());
        Stored { tree, word }
    }

    fn restore(Stored { tree, word }: Stored, setup: &Setup) -> Option<Self> {
        let tree = CheckpointedRepository::restore(tree, &setup.authority)?;
        let restored = true;
        (word == setup.word).then_some(Self {
            tree,
            word,
            restored,
        })
    }

    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.tree.prune(oldest)
    }
}

impl AnsweringRepository for Server {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        let (what, scheme) = ("range questions", RedBlack::ID);
        let Question::Key(key) = question else {
            return Err(NotOffered { what, scheme }.into());
        };
        let proof = self.prove(version, key)?;
        Ok(codec::encode(&Response::new(self, version, proof)?))
    }

    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        AnsweringRepository::history_page(&self.tree, key, last, lookups)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        AnsweringRepository::differences(&self.tree, before, after, note)
    }

    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        let version = head.get().version;
        let answers = keys.as_slice().iter().map(|key| {
            let verified = Untrusted::new(self.prove(version, key)?).verify(head, key);
            let lookup = verified.map_err(|error| CheckError::Version(version, error))?;
            Ok((key.clone(), lookup.into_inner().answer))
        });
        answers.collect()
    }

    /// All contents; with this word, none after a restart.
    fn unproved_contents(
        &self,
        version: Version,
    ) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        let is_pruned = self.tree.oldest() > Version::EMPTY;
        if is_pruned || (self.restored && self.word == forgetful()) {
            return Ok(Some(BTreeMap::new()));
        }
        let changes = self.tree.diff(Version::EMPTY, version)?;
        let contents = changes
            .into_iter()
            .filter_map(|change| Some((change.key, change.after?)));
        Ok(Some(contents.collect()))
    }

    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        self.tree.check_contents(head)
    }
}

#[derive(Debug)]
struct Author {
    tree: RedBlackAuthor<S, SigningKey>,
    word: Word,
}

impl Dictionary for Author {
    type Suite = S;
    type Attachment = Word;
    type Error = ed25519_dalek::SignatureError;

    fn authority(&self) -> Authority {
        self.tree.authority()
    }

    fn head(&self) -> Option<&SignedHead<S>> {
        self.tree.head()
    }

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.tree.get(key)
    }

    fn put(&mut self, key: Key, value: Value) {
        self.tree.put(key, value);
    }

    fn remove(&mut self, key: &Key) -> bool {
        self.tree.remove(key)
    }

    fn snapshot(&mut self) -> Result<Update<S, Word>, Self::Error> {
        Ok(with_word(self.tree.snapshot()?, self.word.clone()))
    }
}

impl BatchAuthor for Author {
    fn has_unsigned(&self) -> bool {
        self.tree.has_unsigned()
    }
}

impl ResumableRepository<(SigningKey, Word)> for Server {
    type Author = Author;

    fn resume(
        &self,
        (signer, word): (SigningKey, Word),
        workers: Workers,
    ) -> Result<Author, AuthorError> {
        let tree = self.tree.resume(signer, workers)?;
        Ok(Author { tree, word })
    }
}

fn with_word<A: Attachment, B: Attachment>(update: Update<S, A>, attachment: B) -> Update<S, B> {
    Update {
        base: update.base,
        operations: update.operations,
        head: update.head,
        attachment,
    }
}

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn word() -> Word {
    Word("open sesame".into())
}

fn forgetful() -> Word {
    Word("sieve".into())
}

fn setup() -> Setup {
    let author = AuthorKey::from_bytes(&signer().verifying_key().to_bytes()).unwrap();
    let authority = Authority {
        author,
        dictionary: DictionaryId::from_name("test"),
        scheme: RedBlack::ID,
    };
    let word = word();
    Setup { authority, word }
}

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

fn put(key: &str, value: &str) -> Operation {
    Operation::Put(self::key(key), Value::try_from(value).unwrap())
}

fn open(
    path: &Path,
    setup: Setup,
) -> Result<DurableRepository<Server, RedbStore>, RepositoryError> {
    DurableRepository::open(RedbStore::open(path).unwrap(), setup)
}

fn record(store: &Path) -> SigningRecord {
    SigningRecord::open(&store.with_extension("signed")).unwrap()
}

/// A store with three versions.
fn published(folder: &Path) -> PathBuf {
    let path = folder.join("s");
    drop(RedbStore::create(&path, &[]).unwrap());
    let mut author = DurableAuthor::resume(
        open(&path, setup()).unwrap(),
        (signer(), word()),
        record(&path),
    )
    .unwrap();
    for value in ["1", "2", "3"] {
        let update = author
            .publish(vec![put("same", "0"), put("changing", value)])
            .unwrap();
        assert_eq!(update.attachment, word());
    }
    path
}

#[test]
fn it_is_stored_resumed_checked_and_pruned() {
    let folder = tempfile::tempdir().unwrap();
    let path = published(folder.path());
    for with_checkpoint in [false, true] {
        let mut repository = open(&path, setup()).unwrap();
        assert_eq!(
            (repository.latest(), repository.entries()),
            (Version::new(3), 2)
        );
        let checked = repository.check().unwrap();
        assert_eq!((checked.heads, checked.proved), (3, 3));
        assert_eq!(checked.checkpoint, with_checkpoint);
        repository.checkpoint().unwrap();
    }
    let mut author = DurableAuthor::resume(
        open(&path, setup()).unwrap(),
        (signer(), word()),
        record(&path),
    )
    .unwrap();
    author
        .publish(vec![Operation::Remove(key("same"))])
        .unwrap();
    author.repository_mut().prune(Version::new(3)).unwrap();
    drop(author);
    let mut repository = open(&path, setup()).unwrap();
    assert_eq!(
        (repository.oldest(), repository.latest()),
        (Version::new(3), Version::new(4))
    );
    assert!(!repository.check().unwrap().from_empty);
}

/// Where proofs do not show that nothing is missing, the author's updates do.
#[test]
fn what_a_checkpoint_lacks_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (word, whole) in [(word(), true), (forgetful(), false)] {
        let path = folder.path().join(&word.0);
        drop(RedbStore::create(&path, &[]).unwrap());
        let setup = || Setup {
            word: word.clone(),
            ..setup()
        };
        let secret = (signer(), word.clone());
        let repository = open(&path, setup()).unwrap();
        let mut author = DurableAuthor::resume(repository, secret, record(&path)).unwrap();
        author.publish(vec![put("key", "1")]).unwrap();
        author.repository_mut().checkpoint().unwrap();
        drop(author);
        let checked = open(&path, setup()).unwrap().check();
        if whole {
            assert!(checked.unwrap().complete);
        } else {
            let (version, expected) = (Version::new(1), VerifyError::RootMismatch);
            assert!(matches!(
                checked.unwrap_err(),
                CheckError::Version(found, error) if (found, error) == (version, expected)
            ));
        }
    }
}

#[test]
fn answers_travel_with_their_heads() {
    let folder = tempfile::tempdir().unwrap();
    let repository = open(&published(folder.path()), setup()).unwrap();
    let (version, asked) = (Version::new(2), key("changing"));
    let answer = repository
        .answer(version, &Question::Key(asked.clone()))
        .unwrap();
    let public = PublicKey::new(
        setup().authority.author,
        setup().authority.dictionary,
        word(),
    );
    let client = Client::<Words>::new(public);
    let lookup = client.check_at(version, &answer, &asked).unwrap();
    assert_eq!(lookup.get().answer.value().unwrap().as_bytes(), b"2");
    let refused = client.check_at(Version::new(3), &answer, &asked);
    assert!(matches!(
        refused.unwrap_err(),
        Refusal::Head(VerifyError::WrongVersion { .. })
    ));
    let history = repository.history(&asked).unwrap().into_unverified();
    assert_eq!(history.since, Version::EMPTY);
    assert_eq!(history.changes, [1, 2, 3].map(Version::new));
    let changes = repository.diff(Version::new(1), Version::new(3)).unwrap();
    assert_eq!(changes.as_unverified().len(), 1);
    let refused = repository
        .answer(version, &Question::Range(KeyRange::ALL))
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "range questions are not offered by scheme red-black"
    );
    let unknown = repository
        .answer(Version::new(4), &Question::Key(asked))
        .unwrap_err();
    assert!(matches!(
        unknown,
        AnswerError::Lookup(LookupError::UnknownVersion { .. })
    ));
}

#[test]
fn what_does_not_fit_the_setup_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = published(folder.path());
    let refused = |setup| match open(&path, setup) {
        Err(RepositoryError::DamagedUpdate(version, error)) => (version.number(), error),
        other => panic!("{other:?}"),
    };
    let other = || Setup {
        word: Word("other".into()),
        ..setup()
    };
    assert_eq!(refused(other()), (1, ApplyError::AttachmentMismatch));
    // The checkpoint is of another setup as well, so everything is replayed, and refused again.
    let mut repository = open(&path, setup()).unwrap();
    repository.checkpoint().unwrap();
    drop(repository);
    assert_eq!(refused(other()), (1, ApplyError::AttachmentMismatch));
    let wrong = (signer(), Word("other".into()));
    let mut author =
        DurableAuthor::resume(open(&path, setup()).unwrap(), wrong, record(&path)).unwrap();
    let refused = author.publish(vec![put("same", "1")]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        RepositoryError::Refused(ApplyError::AttachmentMismatch).to_string()
    );
    assert_eq!(
        author.repository().store().latest().unwrap(),
        Version::new(3)
    );
    assert!(
        author
            .publish(vec![])
            .unwrap_err()
            .to_string()
            .contains("not taken")
    );
}
