//! Who is asked: a store in this process, or servers far away. What they say is verified in the same way.

use std::{ops::ControlFlow, path::PathBuf, vec};

use clap::Args;
use pad::{
    Answer, AnswerError, Difference, Key, KeyHistory, KeyRange, Keys, Lookup, LookupError,
    PublicKey, RangeContents, Untrusted, Value, Version,
    client_view::{NotFollowed, StoredView},
    dynamic::{AnyClient, AnyRepository, client_of},
    question::{HeadText, NotOffered, Question, Statement, verify_head},
    version_notes::{VersionNotes, only_version, versions_of},
};

use super::{
    Failure, Output, STORE_VARIABLE,
    at::{At, number_or_name},
    session::{TrustArguments, open_store},
};

/// Whom to ask, and whom to trust.
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
    pub(super) fn open(&self, output: &mut Output) -> Result<Session, Failure> {
        #[cfg(feature = "network")]
        if self.asks_servers()? {
            return self.servers.open(&self.trust, output);
        }
        let store = self.store.as_ref();
        let store = store.ok_or_else(|| Failure::input("--store is not given"))?;
        let (repository, view) = open_store(store, &self.trust, output)?;
        let public = view.public().clone();
        let source = Box::new(Local {
            client: client_of(&view)?,
            repository,
            view,
        });
        Ok(Session { source, public })
    }

    /// Opens a session for `ask`. Without `at`, which names a version, it is opened again if a version
    /// was pruned before its answer.
    pub(super) fn open_until_kept<T>(
        &self,
        at: Option<&At>,
        output: &mut Output,
        ask: impl Fn(&Session, &mut Output) -> Result<T, Failure>,
    ) -> Result<(Session, T), Failure> {
        let mut races = 0;
        loop {
            let session = self.open(output)?;
            match ask(&session, output) {
                Err(Failure::NotKept(_)) if at.is_none() && races < MOST_RACES => races += 1,
                asked => return asked.map(|asked| (session, asked)),
            }
        }
    }

    /// Whether servers are asked, and not a store. What is given goes before what the environment says.
    #[cfg(feature = "network")]
    fn asks_servers(&self) -> Result<bool, Failure> {
        let store_is_given = self.store.as_ref().map(|store| {
            std::env::var_os(STORE_VARIABLE).is_none_or(|usual| usual != *store.as_os_str())
        });
        match (store_is_given, self.servers.are_given()) {
            (None, None) => Err(Failure::input(
                "neither --store nor --server is given: whom to ask?",
            )),
            (None, Some(_)) | (Some(false), Some(true)) => Ok(true),
            (Some(_), None) | (Some(true), Some(false)) => {
                self.servers.check_unused()?;
                Ok(false)
            }
            (Some(true), Some(true)) => Err(Failure::input(
                "--store and --server are given: ask one of them",
            )),
            (Some(false), Some(false)) => Err(Failure::input(
                "PAD_STORE and PAD_SERVER are set: --store or --server says which is to be asked",
            )),
        }
    }
}

/// Who answers, and whose answers are verified with the public key alone.
pub(super) trait Source {
    /// The oldest version that can be asked about.
    fn oldest(&self) -> Result<Version, Failure>;

    /// The latest version.
    fn latest(&self) -> Version;

    /// What is said of some versions beside what is signed, unproved.
    fn notes(&self, first: Version, last: Version) -> Result<VersionNotes, Failure>;

    /// The versions of a name, unproved.
    fn versions_of(&self, name: &str) -> Result<Vec<Version>, Failure>;

    /// Whose word that is.
    fn word_of(&self) -> &'static str;

    /// The verified answer to a question, and the bytes that prove it; `None` if the scheme has none to such questions.
    fn answer(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<Option<(Vec<u8>, Statement)>, Failure>;

    /// The verified head of a version.
    fn head(&self, version: Version) -> Result<HeadText, Failure>;

    /// The verified contents of the beginning of a range, as much as one answer is to prove, and where it ends.
    fn page(
        &self,
        version: Version,
        range: &KeyRange,
    ) -> Result<(KeyRange, RangeContents), Failure>;

    /// The versions in which a key changed, unproved.
    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, Failure>;

    /// Notes the keys that differ between two versions, unproved, up to the first failure.
    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut NoteDifference<'_>,
    ) -> Result<(), Failure>;
}

/// Takes a key that is said to differ.
pub(super) type NoteDifference<'n> = dyn FnMut(Untrusted<Difference>) -> Result<(), Failure> + 'n;

/// A server in this process.
struct Local {
    repository: AnyRepository,
    client: Box<dyn AnyClient>,
    /// Returns the view of the client, which is empty if none is stored.
    view: StoredView,
}

impl Source for Local {
    fn oldest(&self) -> Result<Version, Failure> {
        Ok(self.repository.oldest())
    }

    fn latest(&self) -> Version {
        self.repository.latest()
    }

    fn notes(&self, first: Version, last: Version) -> Result<VersionNotes, Failure> {
        Ok(VersionNotes::read(self.repository.store(), first, last)?)
    }

    fn versions_of(&self, name: &str) -> Result<Vec<Version>, Failure> {
        Ok(versions_of(self.repository.store(), name)?)
    }

    fn word_of(&self) -> &'static str {
        "store"
    }

    fn answer(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<Option<(Vec<u8>, Statement)>, Failure> {
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

    fn head(&self, version: Version) -> Result<HeadText, Failure> {
        let head = self.repository.head_message(version)?;
        Ok(verify_head(self.view.public(), version, &head)?)
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
    ) -> Result<(KeyRange, RangeContents), Failure> {
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

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, Failure> {
        Ok(self.repository.history(key)?)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut NoteDifference<'_>,
    ) -> Result<(), Failure> {
        let mut failed = None;
        self.repository.differences(before, after, &mut |change| {
            note(change).map_or_else(
                |failure| {
                    failed = Some(failure);
                    ControlFlow::Break(())
                },
                ControlFlow::Continue,
            )
        })?;
        failed.map_or(Ok(()), Err)
    }
}

/// A value that is not there has no proof.
fn unanswered(error: AnswerError, version: Version, question: &Question) -> Failure {
    match (error, question) {
        (AnswerError::Lookup(LookupError::InvalidQuery), Question::Value(..)) => {
            Failure::Input(format!(
                "the store shows no such value in version {version}; pad get proves which there are"
            ))
        }
        (error, _) => error.into(),
    }
}

/// The scheme has no answer to such questions.
fn not_offered(public: &PublicKey, question: &Question) -> Failure {
    let (what, scheme) = (question.kind(), public.scheme.id());
    Failure::Input(NotOffered { what, scheme }.to_string())
}

/// Somebody who is asked, and a client that trusts nobody's answers.
pub(super) struct Session {
    source: Box<dyn Source>,
    public: PublicKey,
}

impl Session {
    /// Asks this source, and trusts this key.
    #[cfg(feature = "network")]
    pub(super) fn new(source: Box<dyn Source>, public: PublicKey) -> Self {
        Self { source, public }
    }

    /// The oldest version that can be asked about.
    pub(super) fn oldest(&self) -> Result<Version, Failure> {
        self.source.oldest()
    }

    /// The latest version.
    pub(super) fn latest(&self) -> Version {
        self.source.latest()
    }

    /// The versions in which a key changed, unproved.
    pub(super) fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, Failure> {
        self.source.history(key)
    }

    /// Notes the keys that differ between two versions, unproved, up to the first failure.
    pub(super) fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut NoteDifference<'_>,
    ) -> Result<(), Failure> {
        self.source.differences(before, after, note)
    }

    /// What is said of some versions beside what is signed, unproved.
    pub(super) fn notes(&self, first: Version, last: Version) -> Result<VersionNotes, Failure> {
        self.source.notes(first, last)
    }

    /// Whose word that is.
    pub(super) fn word_of(&self) -> &'static str {
        self.source.word_of()
    }

    /// The version asked for, or the latest. Of a name it is said which number that is.
    pub(super) fn version(&self, at: Option<&At>, output: &mut Output) -> Result<Version, Failure> {
        match at {
            Some(at) => self.resolve(at, output),
            None => self.newest(),
        }
    }

    /// Returns the version asked about. Refuses version 0, which has no signature.
    pub(super) fn signed_version(
        &self,
        at: Option<&At>,
        output: &mut Output,
    ) -> Result<Version, Failure> {
        match self.version(at, output)? {
            Version::EMPTY => Err(Failure::input(
                "version 0 has no signature: the author signs from version 1 on",
            )),
            version => Ok(version),
        }
    }

    /// The latest version, if there is one.
    pub(super) fn newest(&self) -> Result<Version, Failure> {
        match self.source.latest() {
            Version::EMPTY => Err(Failure::Input(format!(
                "the {} has no version yet",
                self.source.word_of()
            ))),
            latest => Ok(latest),
        }
    }

    /// The version that is meant. Of a name it is said which number that is.
    pub(super) fn resolve(&self, at: &At, output: &mut Output) -> Result<Version, Failure> {
        let name = match at {
            At::Number(version) => {
                let named = || self.source.versions_of(&version.to_string());
                return number_or_name(*version, self.source.latest(), named);
            }
            At::Name(name) => name,
        };
        let version = only_version(name, self.source.versions_of(name)?)?;
        output.named(name, version, self.source.word_of());
        Ok(version)
    }

    /// Whether the store holds a log.
    pub(super) fn is_append_only(&self) -> bool {
        self.public.scheme.family().is_append_only()
    }

    /// What a version says about a question, verified.
    pub(super) fn ask(&self, version: Version, question: &Question) -> Result<Statement, Failure> {
        self.prove(version, question)
            .map(|(_, statement)| statement)
    }

    /// The same with the bytes that prove it.
    pub(super) fn prove(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<(Vec<u8>, Statement), Failure> {
        let answer = self.source.answer(version, question)?;
        answer.ok_or_else(|| not_offered(&self.public, question))
    }

    /// The verified answers to several look-ups: in one question, or in one for each key where the
    /// scheme has no other.
    pub(super) fn lookups(
        &self,
        version: Version,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, Failure> {
        let question = Question::Keys(keys.clone());
        match self.source.answer(version, &question)? {
            None => {
                let asked = keys.as_slice().iter();
                asked
                    .map(|key| Ok((key.clone(), self.lookup(version, key)?.answer)))
                    .collect()
            }
            Some((_, Statement::Lookups(lookups))) => Ok(lookups.answers),
            Some(_) => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    /// The verified head of a version.
    pub(super) fn head(&self, version: Version) -> Result<HeadText, Failure> {
        self.source.head(version)
    }

    /// The entries of a range of a version, each verified: read a page at a time, in ascending order.
    pub(super) fn entries(&self, version: Version, range: KeyRange) -> Entries<'_> {
        Entries {
            session: self,
            version,
            rest: Some(range),
            page: Vec::new().into_iter(),
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

/// The verified entries of a range, of which a page is in memory at a time.
pub(super) struct Entries<'s> {
    session: &'s Session,
    version: Version,
    /// What no page was asked for yet; `None` once it is all here.
    rest: Option<KeyRange>,
    page: vec::IntoIter<(Key, Value)>,
}

impl Entries<'_> {
    /// The next entry; `None` when there are proved to be no more.
    pub(super) fn next(&mut self) -> Result<Option<(Key, Value)>, Failure> {
        loop {
            if let Some(entry) = self.page.next() {
                return Ok(Some(entry));
            }
            let Some(rest) = &self.rest else {
                return Ok(None);
            };
            let (page, contents) = self.session.source.page(self.version, rest)?;
            self.rest = (page.end != rest.end).then(|| KeyRange {
                start: page.end,
                end: rest.end.clone(),
            });
            self.page = contents.entries.into_iter();
        }
    }
}

/// Maximum number of sessions that are opened again because a version was pruned.
const MOST_RACES: u32 = 3;
/// The keys and values of a page of a range: what is in memory at a time.
const PAGE_BYTES: usize = 1 << 20;
