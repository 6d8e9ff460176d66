//! Sources of answers: a local store, or remote servers. All answers are verified in the same way.

use std::{ops::ControlFlow, path::PathBuf, vec};

use authdict::{
    Answer, AnswerError, Difference, HeadText, Key, KeyHistory, KeyRange, Keys, Lookup,
    LookupError, NotFollowed, NotOffered, PublicKey, Question, RangeContents, Server, Statement,
    StoredView, Untrusted, Value, Verifier, Version,
    internals::{dynamic::client_of, verify_head},
};
use clap::Args;

use super::{
    Failure, Output, Result, STORE_VARIABLE,
    at::{VersionNames, VersionSelector},
    session::{TrustArguments, open_store},
};

/// The store or servers to query, and the trust options.
#[derive(Debug, Args)]
pub(super) struct AskArguments {
    /// The store's file.
    #[arg(long, value_name = "FILE", env = STORE_VARIABLE)]
    store: Option<PathBuf>,
    #[cfg(feature = "network")]
    #[command(flatten)]
    servers: super::remote::ServerArguments,
    #[command(flatten)]
    trust: TrustArguments,
}

impl AskArguments {
    pub(super) fn open(&self, output: &mut Output) -> Result<Box<Session>> {
        #[cfg(feature = "network")]
        if self.asks_servers()? {
            return self.servers.open(&self.trust, output);
        }
        let store = self.store.as_ref();
        let store = store.ok_or_else(|| Failure::input("--store is not given"))?;
        let (repository, view) = open_store(store, &self.trust, output)?;
        Ok(Box::new(Local {
            client: client_of(&view)?,
            repository,
            view,
        }))
    }

    /// Opens a session and calls `ask`. Returns both the session and the result. Repeats both like
    /// [`until_kept`].
    pub(super) fn open_until_kept<T>(
        &self,
        at: Option<&VersionSelector>,
        output: &mut Output,
        ask: impl Fn(&Session, &mut Output) -> Result<T>,
    ) -> Result<(Box<Session>, T)> {
        until_kept(at, || {
            let session = self.open(output)?;
            let asked = ask(&*session, output)?;
            Ok((session, asked))
        })
    }

    /// Returns whether to query servers instead of a store. Options take precedence over
    /// environment variables.
    #[cfg(feature = "network")]
    fn asks_servers(&self) -> Result<bool> {
        let store_is_given = self.store.as_ref().map(|store| {
            std::env::var_os(STORE_VARIABLE).is_none_or(|usual| usual != *store.as_os_str())
        });
        match (store_is_given, self.servers.are_given()) {
            (None, None) => Err(Failure::input("neither --store nor --server is given")),
            (None, Some(_)) | (Some(false), Some(true)) => Ok(true),
            (Some(_), None) | (Some(true), Some(false)) => {
                self.servers.check_unused()?;
                Ok(false)
            }
            (Some(true), Some(true)) => {
                Err(Failure::input("--store and --server are both given").help("use one of them"))
            }
            (Some(false), Some(false)) => {
                Err(Failure::input("PAD_STORE and PAD_SERVER are both set")
                    .help("use --store or --server"))
            }
        }
    }
}

/// Calls `ask`. If `at` is `None`, and the latest version is pruned before `ask` is done, calls it
/// again, at most [`MOST_RACES`] times.
pub(super) fn until_kept<A, T>(at: Option<&A>, mut ask: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..MOST_RACES {
        match ask() {
            Err(failure) if at.is_none() && matches!(failure.bare(), Failure::NotKept(_)) => {}
            asked => return asked,
        }
    }
    ask()
}

/// A source of answers about a dictionary. The answers are verified with only the public key.
pub(super) trait Source {
    fn public(&self) -> &PublicKey;

    /// Returns the source of names and dates of versions, and the latest version.
    fn names(&self) -> &dyn VersionNames;

    fn oldest(&self) -> Result<Version>;

    /// Returns the verified answer to a question, with its encoded proof. Returns `None` if the
    /// scheme does not support the question.
    fn answer(&self, version: Version, question: &Question) -> Result<Option<Proved>>;

    /// Returns the verified head of a version, with its signed root as text.
    fn head(&self, version: Version) -> Result<HeadText>;

    /// Returns the first page of `range`: the range that the page covers, and its verified
    /// contents.
    fn page(&self, version: Version, range: &KeyRange) -> Result<(KeyRange, RangeContents)>;

    /// Returns the versions in which a key changed, unverified.
    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>>;

    /// Calls `note` for each key that differs between two versions, unverified. Stops at the first
    /// failure.
    fn differences(&self, before: Version, after: Version, note: &mut NoteDifference<'_>)
    -> Result;
}

/// An encoded proof, and the statement that it proves.
pub(super) type Proved = (Vec<u8>, Statement);

/// Callback for a key that differs between two versions, unverified.
pub(super) type NoteDifference<'n> = dyn FnMut(Untrusted<Difference>) -> Result + 'n;

/// A local store, which is verified like an untrusted server.
struct Local {
    repository: Server,
    client: Box<dyn Verifier>,
    /// The client's view; at version 0 if no view is stored.
    view: StoredView,
}

impl Source for Local {
    fn public(&self) -> &PublicKey {
        self.view.public()
    }

    fn names(&self) -> &dyn VersionNames {
        &self.repository
    }

    fn oldest(&self) -> Result<Version> {
        Ok(self.repository.oldest())
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Option<Proved>> {
        let answer = match self.repository.answer(version, question) {
            Err(AnswerError::NotOffered(_)) => return Ok(None),
            answer => answer.map_err(|error| unanswered(error, version, question))?,
        };
        let statement = self.client.check_at(version, question, &answer)?;
        let asked = (version, question);
        let tied = self.view.check_past(&self.repository, asked, &answer);
        tied.map_err(|error| match error {
            NotFollowed::Refused(refused) => refused.refusal.into(),
            NotFollowed::Silent(error) => error.into(),
            error @ NotFollowed::Behind { .. } => Failure::Refused(error.to_string()),
        })?;
        Ok(Some((answer, statement)))
    }

    fn head(&self, version: Version) -> Result<HeadText> {
        let head = self.repository.head_message(version)?;
        Ok(verify_head(self.view.public(), version, &head)?)
    }

    fn page(&self, version: Version, range: &KeyRange) -> Result<(KeyRange, RangeContents)> {
        let page = self.repository.page(version, range, PAGE_BYTES)?;
        if !page.is_beginning_of(range) {
            let text = "the store does not tell where a page ends";
            return Err(Failure::Store(text.into()));
        }
        let question = Question::Range(page);
        match (self.answer(version, &question)?, question) {
            (Some((_, Statement::Range(contents))), Question::Range(page)) => Ok((page, contents)),
            (None, question) => Err(not_offered(self.view.public(), &question)),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>> {
        Ok(self.repository.history(key)?)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut NoteDifference<'_>,
    ) -> Result {
        let mut failed = None;
        self.repository
            .differences(before, after, &mut |change| match note(change) {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => {
                    failed = Some(failure);
                    ControlFlow::Break(())
                }
            })?;
        failed.map_or(Ok(()), Err)
    }
}

/// Creates the failure for a question that the store did not answer. A log that lacks a value of a
/// key cannot prove this, so the message blames the question.
fn unanswered(error: AnswerError, version: Version, question: &Question) -> Failure {
    match (error, question) {
        (AnswerError::Lookup(LookupError::InvalidQuery), Question::Value(..)) => {
            let text = format!("the store shows no such value in version {version}");
            Failure::Input(text).help("prove the values of the key with pad get")
        }
        (error, _) => error.into(),
    }
}

fn not_offered(public: &PublicKey, question: &Question) -> Failure {
    let (what, scheme) = (question.kind(), public.scheme.id());
    Failure::Input(NotOffered { what, scheme }.to_string())
}

/// An opened source of answers.
pub(super) type Session = dyn Source;

impl Session {
    /// Returns the version that `at` selects, or the latest version. If `at` is a name or a date,
    /// reports the version's number to `output`.
    pub(super) fn version(
        &self,
        at: Option<&VersionSelector>,
        output: &mut Output,
    ) -> Result<Version> {
        match at {
            Some(at) => at.resolve(self.names(), output),
            None => self.newest(),
        }
    }

    /// Returns a version like `version`, but refuses version 0, which has no signature.
    pub(super) fn signed_version(
        &self,
        at: Option<&VersionSelector>,
        output: &mut Output,
    ) -> Result<Version> {
        match self.version(at, output)? {
            Version::EMPTY => Err(Failure::input(
                "version 0 has no signature: the author signs from version 1 on",
            )),
            version => Ok(version),
        }
    }

    /// Returns the latest version. Fails if there is no version.
    pub(super) fn newest(&self) -> Result<Version> {
        match self.names().latest() {
            Version::EMPTY => Err(Failure::Input(format!(
                "the {} has no version yet",
                self.names().word_of()
            ))),
            latest => Ok(latest),
        }
    }

    pub(super) fn is_append_only(&self) -> bool {
        self.public().scheme.family().is_append_only()
    }

    pub(super) fn ask(&self, version: Version, question: &Question) -> Result<Statement> {
        Ok(self.prove(version, question)?.1)
    }

    /// Returns the verified answer like `ask`, together with its encoded proof.
    pub(super) fn prove(&self, version: Version, question: &Question) -> Result<Proved> {
        let answer = self.answer(version, question)?;
        answer.ok_or_else(|| not_offered(self.public(), question))
    }

    /// Returns the verified answers for several keys. If the scheme does not support one question
    /// for several keys, asks one question per key.
    pub(super) fn lookups(&self, version: Version, keys: &Keys) -> Result<Vec<(Key, Answer)>> {
        let question = Question::Keys(keys.clone());
        match self.answer(version, &question)? {
            None => {
                let ask = |key: &Key| Ok((key.clone(), self.lookup(version, key)?.answer));
                keys.as_slice().iter().map(ask).collect()
            }
            Some((_, Statement::Lookups(lookups))) => Ok(lookups.answers),
            Some(_) => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    /// Returns an iterator over the verified entries of a range, in ascending order. It fetches one
    /// page at a time.
    pub(super) fn entries(&self, version: Version, range: KeyRange) -> Entries<'_> {
        Entries {
            session: self,
            version,
            rest: Some(range),
            page: Vec::new().into_iter(),
        }
    }

    pub(super) fn lookup(&self, version: Version, key: &Key) -> Result<Lookup> {
        match self.ask(version, &Question::Key(key.clone()))? {
            Statement::Lookup(lookup) => Ok(lookup),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }
}

/// Iterator over the verified entries of a range. Only one page is in memory at a time.
pub(super) struct Entries<'s> {
    session: &'s Session,
    version: Version,
    /// The part of the range that is not fetched yet; `None` after the last page.
    rest: Option<KeyRange>,
    page: vec::IntoIter<(Key, Value)>,
}

impl Entries<'_> {
    /// Returns the next entry; `None` if the range is proved to contain no further entry.
    pub(super) fn next(&mut self) -> Result<Option<(Key, Value)>> {
        loop {
            if let Some(entry) = self.page.next() {
                return Ok(Some(entry));
            }
            let Some(rest) = &self.rest else {
                return Ok(None);
            };
            let (page, contents) = self.session.page(self.version, rest)?;
            self.rest = (page.end != rest.end).then(|| KeyRange {
                start: page.end,
                end: rest.end.clone(),
            });
            self.page = contents.entries.into_iter();
        }
    }
}

/// Maximum number of times that a session is opened again because the latest version was pruned.
const MOST_RACES: u32 = 3;
/// Approximate bytes of keys and values in a page.
const PAGE_BYTES: usize = 1 << 20;
