//! What commands have in common: opening stores, and asking questions whose answers are verified.

use std::path::{Path, PathBuf};

use clap::Args;
use disk::Access;
use pad::{
    Answer, AnswerError, Key, KeyRange, Keys, Lookup, PublicKey, RangeContents, RedbStore,
    SecretKey, VerifyError, Version, client_view,
    dynamic::{AnyAuthor, AnyRepository, Description, open_author, open_repository},
    question::{HeadText, Question, Refusal, Statement, verify, verify_head},
    selection::RepositoryName,
};

use super::{Failure, files::read_file};

/// The store to ask, and whom to trust.
#[derive(Debug, Args)]
pub(super) struct ReadArguments {
    /// The store's file.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The public key to verify with. Without it, the one that the store names: right for the
    /// owner of the store, worth nothing to anybody else.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Remember the newest version seen in this file, and refuse a store that is behind it or has
    /// another history.
    #[arg(long, value_name = "FILE")]
    view: Option<PathBuf>,
}

/// A server in this process, and a client that trusts it no more than one far away.
pub(super) struct Session {
    pub(super) repository: Box<dyn AnyRepository>,
    public: PublicKey,
}

impl ReadArguments {
    pub(super) fn open(&self) -> Result<Session, Failure> {
        let given = self.public.as_deref().map(load_public).transpose()?;
        let repository = open_repository(&self.store)?;
        let public = match given {
            Some(public) => public,
            None => repository.description()?.public,
        };
        let session = Session { repository, public };
        if let Some(view) = &self.view {
            session.remember(view)?;
        }
        Ok(session)
    }
}

impl Session {
    /// The version asked for, or the latest.
    pub(super) fn version(&self, at: Option<u64>) -> Version {
        at.map_or_else(|| self.repository.latest(), Version::new)
    }

    /// The server's answer as bytes, then what they establish with the public key alone.
    pub(super) fn ask(&self, version: Version, question: &Question) -> Result<Statement, Failure> {
        let answer = self.repository.answer(version, question)?;
        self.verify(version, question, &answer)
    }

    /// Offers the store's latest head to the client's memory, which only moves forward.
    fn remember(&self, path: &Path) -> Result<(), Failure> {
        let stored = path
            .exists()
            .then(|| read_file(path, MAX_VIEW_BYTES))
            .transpose()?;
        let seen = client_view::seen(&self.public, stored.as_deref())?;
        let latest = self.repository.latest();
        if latest == Version::EMPTY {
            let rollback = VerifyError::Rollback {
                seen,
                offered: latest,
            };
            return if seen == latest {
                Ok(())
            } else {
                Err(Refusal::from(rollback).into())
            };
        }
        let head = self.repository.head_message(latest)?;
        let consistency = (Version::EMPTY < seen && seen < latest)
            .then(|| self.repository.consistency_message(seen, latest))
            .transpose()?;
        let view = client_view::advance(
            &self.public,
            stored.as_deref(),
            &head,
            consistency.as_deref(),
        )?;
        disk::replace(path, &view, Access::Usual).map_err(|error| Failure::file(path, &error))
    }

    /// The verified answers to several look-ups: in one question, or in one for each key where the
    /// scheme has no other.
    pub(super) fn lookups(
        &self,
        version: Version,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, Failure> {
        let question = Question::Keys(keys.clone());
        let answer = match self.repository.answer(version, &question) {
            Err(AnswerError::NotOffered(_)) => {
                let asked = keys.as_slice().iter();
                return asked
                    .map(|key| Ok((key.clone(), self.lookup(version, key)?.answer)))
                    .collect();
            }
            answer => answer?,
        };
        match self.verify(version, &question, &answer)? {
            Statement::Lookups(lookups) => Ok(lookups.answers),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    /// Checks an answer with the public key alone.
    pub(super) fn verify(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Failure> {
        Ok(verify(&self.public, version, question, answer)?)
    }

    /// The verified head of a version.
    pub(super) fn head(&self, version: Version) -> Result<HeadText, Failure> {
        let head = self.repository.head_message(version)?;
        Ok(verify_head(&self.public, version, &head)?)
    }

    /// The verified contents of a range.
    pub(super) fn range(
        &self,
        version: Version,
        range: KeyRange,
    ) -> Result<RangeContents, Failure> {
        match self.ask(version, &Question::Range(range))? {
            Statement::Range(contents) => Ok(contents),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    /// The verified answer to a look-up.
    pub(super) fn lookup(&self, version: Version, key: &Key) -> Result<Lookup, Failure> {
        match self.ask(version, &Question::Key(key.clone()))? {
            Statement::Lookup(lookup) => Ok(lookup),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }
}

pub(super) fn load_public(path: &Path) -> Result<PublicKey, Failure> {
    PublicKey::load(path).map_err(|error| Failure::key_file(path, &error))
}

pub(super) fn load_secret(path: &Path) -> Result<SecretKey, Failure> {
    SecretKey::load(path).map_err(|error| Failure::key_file(path, &error))
}

/// Makes the store if it is missing; otherwise checks that it is the one described.
pub(super) fn create_or_match(
    path: &Path,
    public: &PublicKey,
    repository: Option<RepositoryName>,
) -> Result<(), Failure> {
    if path.exists() {
        let found = Description::read(&RedbStore::open(path)?)?;
        check_key(path, &found.public, public)?;
        match repository {
            Some(wanted) if wanted != found.repository => Err(Failure::Input(format!(
                "the store {} is of the kind {}, which cannot be changed to {wanted}",
                path.display(),
                found.repository,
            ))),
            _ => Ok(()),
        }
    } else {
        let chosen = public.scheme.family().repository(repository);
        let repository =
            chosen.map_err(|error| Failure::Input(format!("scheme {}: {error}", public.scheme)))?;
        Ok(Description {
            public: public.clone(),
            repository,
        }
        .create(path)?)
    }
}

/// Opens an existing store as its author.
pub(super) fn open_with_key(path: &Path, key: &SecretKey) -> Result<Box<dyn AnyAuthor>, Failure> {
    let found = Description::read(&RedbStore::open(path)?)?;
    check_key(path, &found.public, key.public())?;
    Ok(open_author(path, key)?)
}

fn check_key(path: &Path, found: &PublicKey, given: &PublicKey) -> Result<(), Failure> {
    if found == given {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Input(
        if found.authority.dictionary == given.authority.dictionary {
            format!("the key is not the one that the store {path} was made with")
        } else {
            format!(
                "the key is for dictionary {}, but the store {path} holds dictionary {}",
                given.authority.dictionary, found.authority.dictionary
            )
        },
    ))
}

/// Far more than a view has.
const MAX_VIEW_BYTES: u64 = 4096;
