//! Dictionaries in stores on disk, as `pad keygen` and `pad import` create them.
//!
//! Author and server have a store each, in a temporary folder. A snapshot is durable before the
//! author sends the update, and before the server answers about it.

use authdict::{
    Author, DictionaryId, LogParameters, Question, SchemeName, SecretKey, Server, SigningKeys,
    SigningRecord, Statement, SuiteName, Verifier,
    internals::dynamic::{client, create_store_with},
};
use pad_core::{Answer, HeadSigner, Key, Operation, Sha256Ed25519, Version, codec};
use pad_log::{Schedule, Shape};
use tempfile::TempDir;

use super::{
    Roles,
    log::{last, top_level},
};
use crate::{
    Outcome,
    dictionary::{
        MeasuredRepository, UpdateOf, ends_cycle, has_longer_chains, head_bytes, needed_head_bytes,
    },
};

/// Author and server of a stored dictionary.
pub struct StoredRoles {
    author: Author,
    server: Server,
    client: Box<dyn Verifier>,
    /// Bytes of the head that a client needs with each proof.
    head_bytes: usize,
    /// As in [`Roles::memory_bytes`].
    memory_bytes: Option<usize>,
    ends_cycle: fn(u64, &[u8]) -> bool,
    has_longer_chains: fn(u64) -> bool,
    _folder: TempDir,
}

/// Answer of a server as a message, and the version that it is about.
pub type StoredAnswer = (Version, Vec<u8>);

impl StoredRoles {
    /// Creates author and server of an empty dictionary of a scheme, as `pad keygen` names it. The
    /// scheme has the proofs and cycles of the repository `R`.
    pub fn new<R: MeasuredRepository>(scheme: SchemeName, signer: HeadSigner) -> Outcome<Self> {
        let key = SecretKey::from_seed(SUITE, scheme, dictionary(), &SEED)?;
        let empty = Self::empty(&key, signer, None)?;
        Ok(Self {
            head_bytes: needed_head_bytes::<R>(),
            memory_bytes: Some(0),
            ends_cycle: |snapshot, update| {
                codec::decode::<UpdateOf<R>>(update, update.len())
                    .is_ok_and(|update| ends_cycle::<R>(snapshot, &update))
            },
            has_longer_chains: has_longer_chains::<R>,
            ..empty
        })
    }

    /// Creates author and server of an empty log of a scheme, as `pad keygen` names it, for at most
    /// `most_entries` entries. This process generates the public parameters itself.
    pub fn log(scheme: SchemeName, most_entries: u64, signer: HeadSigner) -> Outcome<Self> {
        let top = top_level(most_entries)?;
        let shape = Shape::new(top, Schedule::Eager).ok_or("no such shape")?;
        let parameters = LogParameters::generate_insecure(scheme, top)?;
        let own = parameters.setup(scheme, shape).ok_or("too many entries")?;
        let key = SecretKey::from_parts(SUITE, scheme, dictionary(), &SEED, Some(own))?;
        Self::empty(&key, signer, Some(&parameters))
    }

    fn empty(
        key: &SecretKey,
        signer: HeadSigner,
        parameters: Option<&LogParameters>,
    ) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let store = |name: &str| -> Outcome<_> {
            let path = folder.path().join(name);
            let record = parameters.map(LogParameters::record);
            create_store_with(&path, key.public(), record)?;
            Ok(path)
        };
        let (signs, serves) = (store("author")?, store("server")?);
        let record = SigningRecord::open_or_begin(&folder.path().join("signed"))?;
        Ok(Self {
            author: Author::of_any(signs, SigningKeys::from(key).with_signer(signer), record)?,
            server: Server::of_any(serves)?,
            client: client(key.public())?,
            head_bytes: head_bytes::<Sha256Ed25519>(),
            memory_bytes: None,
            ends_cycle: |_, _| true,
            has_longer_chains: |_| false,
            _folder: folder,
        })
    }
}

/// Suite of all stored dictionaries.
const SUITE: SuiteName = SuiteName::Sha256Ed25519;
/// Seed of the author's key.
const SEED: [u8; 32] = [7; 32];

fn dictionary() -> DictionaryId {
    DictionaryId::from_name("comparison")
}

impl Roles for StoredRoles {
    type Changes = Vec<Operation>;
    type Update = Vec<u8>;
    type Question = Question;
    type Head = ();
    type Proof = StoredAnswer;
    const NEEDS_HEAD: bool = false;
    const IS_STORED: bool = true;

    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Vec<Operation>> {
        Ok(operations)
    }

    /// Signs the changes, makes them durable, and reads the update that the author sends.
    fn publish(&mut self, changes: Vec<Operation>) -> Outcome<Vec<u8>> {
        self.author.stage(changes)?;
        let version = self.author.flush(&[])?;
        let update = self.author.server().update_message(version)?;
        Ok(update.ok_or("the author's store has no update")?)
    }

    fn update_bytes(&self, update: &Vec<u8>) -> usize {
        update.len()
    }

    fn apply(&mut self, update: &Vec<u8>) -> Outcome<()> {
        self.server.apply_message(update)?;
        Ok(())
    }

    fn latest(&self) -> Version {
        self.server.latest()
    }

    fn question(&self, key: &Key) -> Question {
        Question::Key(key.clone())
    }

    /// Checks that the version exists. Each answer contains its head.
    fn head(&self, version: Version) -> Outcome<()> {
        self.server.head_message(version)?;
        Ok(())
    }

    fn prove(&self, version: Version, question: &Question) -> Outcome<StoredAnswer> {
        Ok((version, self.server.answer(version, question)?))
    }

    /// Counts the same bytes as for a dictionary in memory: without the head, and without the byte
    /// that announces it.
    fn proof_bytes(&self, (version, answer): &StoredAnswer) -> usize {
        let head = self.server.head_message(*version);
        let head = head.map_or(0, |head| head.len() + 1);
        answer.len() - head + self.head_bytes
    }

    fn verify(
        &self,
        (): &(),
        (version, answer): StoredAnswer,
        question: &Question,
    ) -> Outcome<Answer> {
        match self.client.check_at(version, question, &answer)? {
            Statement::Lookup(lookup) => Ok(lookup.answer),
            Statement::Values(values) => Ok(last(values.values)),
            _ => Err("the answer is not a look-up".into()),
        }
    }

    fn check(&self, version: Version, key: &Key) -> Outcome<Answer> {
        let question = self.question(key);
        self.verify(&(), self.prove(version, &question)?, &question)
    }

    /// Returns 0 if the server reads contents on demand, with a cache of fixed size. Returns `None`
    /// for a log, which is in memory as a whole.
    fn memory_bytes(&self) -> Option<usize> {
        self.memory_bytes
    }

    fn file_bytes(&self) -> Outcome<Option<u64>> {
        Ok(Some(self.server.file_bytes()?))
    }

    fn ends_cycle(&self, snapshot: u64, update: &Vec<u8>) -> bool {
        (self.ends_cycle)(snapshot, update)
    }

    fn has_longer_chains(&self, cycles: u64) -> bool {
        (self.has_longer_chains)(cycles)
    }
}
