//! Append-only logs as dictionaries. If a key is put again, the log contains both values, and the
//! last one counts as the answer.

use pad_accumulators::{SecretKey as _, bilinear::BilinearSecretKey, wire};
use pad_core::{
    Answer, Authority, HeadSigner, Key, Operation, Sha256Ed25519, Untrusted, Update, Value,
    Version, Workers, codec,
};
use pad_log::{
    Appended, DictionaryScheme, Entry, LONGEST_LOOKUP, Log, LogAuthor, LogClient, LogRepository,
    LogRoot, LookupProof, Schedule, Setup, Shape,
};

use super::Roles;
use crate::{Outcome, dictionary::head_bytes, primitives::author_key};

/// Author and server of a log in memory, each on one thread.
pub struct LogRoles<S: DictionaryScheme> {
    author: LogAuthor<S>,
    repository: LogRepository<S>,
    authority: Authority,
}

impl<S: DictionaryScheme> LogRoles<S> {
    /// Creates author and server of an empty log for at most `most_entries` entries. This process
    /// generates the public parameters itself, and so knows their secret.
    pub fn new(most_entries: u64, signer: HeadSigner) -> Outcome<Self> {
        let top = top_level(most_entries)?;
        let powers = usize::from(S::ROOTS) << top;
        let secret = BilinearSecretKey::generate(powers, 1, b"comparison", &Workers::all_cores())?;
        let shape = Shape::new(top, Schedule::Eager).ok_or("no such shape")?;
        let setup = Setup::new(secret.public_key().shared_parameters(), shape);
        let log = Log::<S>::new("comparison".into(), setup);
        let alone = Workers::sequential();
        let author = LogAuthor::new(log.clone(), author_key(), signer, alone.clone())?;
        Ok(Self {
            authority: author.authority(),
            author,
            repository: LogRepository::new(log, author_key(), alone)?,
        })
    }
}

/// Returns the level of the largest tree of a log for at most `most_entries` entries.
pub fn top_level(most_entries: u64) -> Outcome<u8> {
    let top = most_entries.max(LEAST).next_power_of_two().ilog2();
    Ok(u8::try_from(top)?)
}

/// Smallest number of entries that the largest tree of a log must have room for.
const LEAST: u64 = 16;

impl<S: DictionaryScheme> Roles for LogRoles<S> {
    type Changes = Vec<Entry>;
    type Update = Update<Sha256Ed25519, Appended>;
    type Question = Key;
    type Head = LogRoot<S>;
    type Proof = LookupProof<S>;
    const NEEDS_HEAD: bool = true;

    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Vec<Entry>> {
        let entry = |operation| match operation {
            Operation::Put(key, value) => Ok(Entry { key, value }),
            Operation::Remove(_) => Err("a log removes nothing".into()),
        };
        operations.into_iter().map(entry).collect()
    }

    fn publish(&mut self, changes: Vec<Entry>) -> Outcome<Self::Update> {
        for entry in changes {
            self.author.append(entry)?;
        }
        Ok(self.author.snapshot()?)
    }

    fn update_bytes(&self, update: &Self::Update) -> usize {
        codec::encode(update).len()
    }

    fn apply(&mut self, update: &Self::Update) -> Outcome<()> {
        self.repository.apply(update)?;
        Ok(())
    }

    fn latest(&self) -> Version {
        self.repository.latest()
    }

    fn question(&self, key: &Key) -> Key {
        key.clone()
    }

    fn head(&self, version: Version) -> Outcome<LogRoot<S>> {
        let head = Untrusted::new(self.repository.head(version)?);
        let head = head.verify(&self.authority, &version)?;
        Ok(self.author.log().at(&head)?)
    }

    fn prove(&self, version: Version, question: &Key) -> Outcome<LookupProof<S>> {
        Ok(pad_core::Repository::prove(
            &self.repository,
            version,
            question,
        )?)
    }

    fn proof_bytes(&self, proof: &LookupProof<S>) -> usize {
        wire::encode(proof).len() + head_bytes::<Sha256Ed25519>()
    }

    fn verify(&self, head: &LogRoot<S>, proof: LookupProof<S>, question: &Key) -> Outcome<Answer> {
        let values = Untrusted::new(proof).verify(head, question)?;
        Ok(last(values.into_inner().values))
    }

    fn check(&self, version: Version, key: &Key) -> Outcome<Answer> {
        let log = self.author.log().clone();
        let mut client = LogClient::<S>::new(log, author_key());
        let head = codec::encode(&self.repository.head(version)?);
        client.advance(&head, None)?;
        let proof = wire::encode(&self.prove(version, key)?);
        let newest = client.newest()?;
        let values = client.check::<LookupProof<S>>(&proof, LONGEST_LOOKUP, &newest, key)?;
        Ok(last(values.into_inner().values))
    }
}

/// Returns the answer that the values of a key stand for: the last one.
pub fn last(mut values: Vec<Value>) -> Answer {
    values.pop().map_or(Answer::Absent, Answer::Present)
}
