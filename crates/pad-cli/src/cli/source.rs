//! Who is asked: a store in this process, or servers far away. What they say is verified in the same way.

use std::path::PathBuf;

use clap::Args;
use pad::{
    Answer, AnswerError, Difference, Key, KeyHistory, KeyRange, Keys, Lookup, LookupError,
    PublicKey, RangeContents, Untrusted, Value, Version,
    dynamic::{AnyRepository, verify},
    question::{HeadText, NotOffered, Question, Statement, verify_head},
};

use super::{
    Failure, Output,
    session::{TrustArguments, open_store},
};

/// Whom to ask, and whom to trust.
#[derive(Debug, Args)]
pub(super) struct AskArguments {
    /// The store's file.
    #[cfg_attr(
        feature = "network",
        arg(
            long,
            value_name = "FILE",
            required_unless_present = "server",
            conflicts_with = "server"
        )
    )]
    #[cfg_attr(
        not(feature = "network"),
        arg(long, value_name = "FILE", required = true)
    )]
    store: Option<PathBuf>,
    #[cfg(feature = "network")]
    #[command(flatten)]
    servers: super::remote::ServerArguments,
    #[command(flatten)]
    trust: TrustArguments,
}

impl AskArguments {
    pub(super) fn open(&self, output: &mut Output) -> Result<Session, Failure> {
        if let Some(store) = &self.store {
            let (repository, public) = open_store(store, &self.trust, output)?;
            let source = Box::new(Local {
                repository,
                public: public.clone(),
            });
            return Ok(Session { source, public });
        }
        #[cfg(feature = "network")]
        return self.servers.open(&self.trust, output);
        #[cfg(not(feature = "network"))]
        Err(Failure::input("no --store is given"))
    }
}

/// Who answers, and whose answers are verified with the public key alone.
pub(super) trait Source {
    /// The oldest version that can be asked about.
    fn oldest(&self) -> Result<Version, Failure>;

    /// The latest version.
    fn latest(&self) -> Version;

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

    /// The keys that differ between two versions, unproved.
    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Difference>>, Failure>;
}

/// A server in this process.
struct Local {
    repository: AnyRepository,
    public: PublicKey,
}

impl Source for Local {
    fn oldest(&self) -> Result<Version, Failure> {
        Ok(self.repository.oldest())
    }

    fn latest(&self) -> Version {
        self.repository.latest()
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
        let statement = verify(&self.public, version, question, &answer)?;
        Ok(Some((answer, statement)))
    }

    fn head(&self, version: Version) -> Result<HeadText, Failure> {
        let head = self.repository.head_message(version)?;
        Ok(verify_head(&self.public, version, &head)?)
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
            (None, question) => Err(not_offered(&self.public, &question)),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, Failure> {
        Ok(self.repository.history(key)?)
    }

    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Difference>>, Failure> {
        Ok(self.repository.diff(before, after)?)
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

    /// The keys that differ between two versions, unproved.
    pub(super) fn diff(
        &self,
        before: Version,
        after: Version,
    ) -> Result<Untrusted<Vec<Difference>>, Failure> {
        self.source.diff(before, after)
    }

    /// The version asked for, or the latest.
    pub(super) fn version(&self, at: Option<u64>) -> Result<Version, Failure> {
        match (at, self.source.latest()) {
            (Some(at), _) => Ok(Version::new(at)),
            (None, Version::EMPTY) => Err(Failure::input("the store has no version yet")),
            (None, latest) => Ok(latest),
        }
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

    /// Notes the verified entries of a range in their order, a page at a time: each page begins where the one before ends, so none is missing
    /// between them.
    pub(super) fn pages(
        &self,
        version: Version,
        range: KeyRange,
        mut note: impl FnMut(&Key, &Value) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut rest = range;
        loop {
            let (page, contents) = self.source.page(version, &rest)?;
            let is_last = page.end == rest.end;
            for (key, value) in &contents.entries {
                note(key, value)?;
            }
            if is_last {
                return Ok(());
            }
            rest.start = page.end;
        }
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

/// The keys and values of a page of a range: what is in memory at a time.
const PAGE_BYTES: usize = 1 << 20;
