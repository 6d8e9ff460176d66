//! Append-only logs: a key keeps all its values, and a later version contains all entries of
//! earlier versions.
//!
//! Questions about ranges, differences, histories and several keys are [`NotOffered`] for logs.

use pad_accumulators::wire;
use pad_core::{
    Authority, DecodeError, Sha256Ed25519, SignedHead, SnapshotHead, Suite, Untrusted, Verified,
    VerifyError, Version,
};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, AppendOnlyProof, Entry, Growth,
    InclusionProof, LONGEST_GROWTH, LONGEST_LOOKUP, Log, Scheme, Setup,
};

use super::{AnyClient, load_view, require_seen};
use crate::{
    keeper::{FamilyKeeper, SigningKeeper},
    keys::PublicKey,
    parameters::LogParameters,
    question::{NotOffered, Question, Refusal, Statement},
    repository::RepositoryError,
    selection::SchemeName,
    store::{AnyStore, StoreError},
    verifier::Verifier,
};

mod answers;
mod repository;

pub(crate) use answers::LONGEST_ANSWER;
use answers::QueryableScheme;

type Head = Verified<SnapshotHead<Sha256Ed25519>>;

/// Evaluates the expression after the arrow with `$type` as the type of the log scheme `$scheme`, a
/// [`SchemeName`]. Returns `None` for schemes of other families.
macro_rules! with_log_scheme {
    ($scheme:expr, $type:ident => $work:expr) => {
        with_log_scheme!(
            $scheme, $type => $work; AadCounted, AadFrontier, AasCounted, AasFrontier
        )
    };
    ($scheme:expr, $type:ident => $work:expr; $($name:ident),+) => {
        match $scheme {
            $(SchemeName::$name => {
                type $type = $name;
                Some($work)
            })+
            _ => None,
        }
    };
}

/// Creates the keeper of the log with this public key, and reads its parameters from the store. The
/// caller opens the keeper afterwards. Returns `None` for schemes of other families, and if logs do
/// not support suite `S`.
pub(crate) fn keeper<S: Suite>(
    public: &PublicKey,
    store: AnyStore,
) -> Result<Option<Box<dyn SigningKeeper>>, RepositoryError> {
    if !has_suite::<S>() {
        return Ok(None);
    }
    let setup = LogParameters::read(&*store)?.setup_of(public);
    let setup = setup.ok_or(StoreError::Damaged(
        "the parameters do not match the log's public key",
    ))?;
    let kept = with_log_scheme!(public.scheme, L => in_store::<L>(&public.authority, setup, store));
    Ok(kept.transpose()?)
}

fn in_store<S: QueryableScheme>(
    authority: &Authority,
    setup: Setup,
    store: AnyStore,
) -> Result<Box<dyn SigningKeeper>, StoreError> {
    let log = Log::<S>::new(authority.dictionary, setup);
    match repository::empty(log, authority.author) {
        Ok(repository) => Ok(Box::new(FamilyKeeper::new(*authority, repository, store))),
        Err(_) => Err(StoreError::Damaged("too few parameters for the log")),
    }
}

/// Creates the client of the log with this public key, like [`super::client`]. Returns `None` for
/// schemes of other families, if logs do not support suite `S`, or if the log's own key is missing.
pub(super) fn client<S: Suite>(public: &PublicKey, seen: &[u8]) -> AnyClient {
    if !has_suite::<S>() {
        return Ok(None);
    }
    let seen = load_view(public, seen)?.newest_signed();
    let reader = with_log_scheme!(public.scheme, L => {
        let reader = LogReader::<L>::new(public);
        reader.map(|reader| -> Box<dyn Verifier> { Box::new(LogReader { seen, ..reader }) })
    });
    Ok(reader.flatten())
}

/// Returns whether logs support suite `S`. They support only [`Sha256Ed25519`].
fn has_suite<S: Suite>() -> bool {
    S::ID == Sha256Ed25519::ID
}

/// Checks the proof that the newer version of a log contains all entries of the older version. The
/// signatures of both heads were verified before.
pub(crate) fn check_growth(
    public: &PublicKey,
    heads: [&Head; 2],
    append_only: Option<&[u8]>,
) -> Result<(), Refusal> {
    let append_only = append_only.unwrap_or_default();
    let checked = with_log_scheme!(public.scheme, L => {
        let reader = LogReader::<L>::new(public).ok_or(DecodeError::Malformed)?;
        reader.check_growth(heads, append_only)
    });
    let [older, newer] = heads.map(|head| head.get().version);
    let not_grown = |reason| Refusal::NotGrown {
        older,
        newer,
        reason,
    };
    checked.ok_or(DecodeError::Malformed)?.map_err(not_grown)
}

/// Client of a log, which trusts the author's public key and the log's parameters.
#[derive(Debug)]
struct LogReader<S: Scheme> {
    authority: Authority,
    log: Log<S>,
    /// The newest head seen; its signature is verified.
    seen: Option<SignedHead<Sha256Ed25519>>,
}

impl<S: Scheme> LogReader<S> {
    fn new(public: &PublicKey) -> Option<Self> {
        let setup = public.scheme_key.as_ref()?.get::<Setup>()?;
        let log = Log::new(public.authority.dictionary, setup.clone());
        Some(Self::of(public.authority, log))
    }

    const fn of(authority: Authority, log: Log<S>) -> Self {
        Self {
            authority,
            log,
            seen: None,
        }
    }

    fn check_growth(&self, [older, newer]: [&Head; 2], proof: &[u8]) -> Result<(), VerifyError> {
        let growth = Growth::new(self.log.at(older)?, self.log.at(newer)?)?;
        let proof: Untrusted<AppendOnlyProof<S>> = wire::decode(&(), proof, LONGEST_GROWTH)?;
        proof.verify(&growth, &()).map(drop)
    }
}

impl<S: QueryableScheme> Verifier for LogReader<S> {
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        let seen = self.seen.map_or(Version::EMPTY, |seen| seen.head.version);
        require_seen(seen, version)?;
        match question {
            Question::Key(key) => self.check_lookup(version, key, answer),
            Question::Value(key, value) => {
                let (key, value) = (key.clone(), value.clone());
                let asked = (version, &Entry { key, value });
                let included =
                    self.check_answer::<InclusionProof<S>>(asked, answer, LONGEST_LOOKUP);
                included.map(Statement::Included)
            }
            Question::Growth(older) => {
                let grown = self.check_grown([*older, version], answer);
                grown.map(Statement::Grown)
            }
            question => Err(not_offered::<S>(question.kind()).into()),
        }
    }
}

fn not_offered<S: Scheme>(what: &'static str) -> NotOffered {
    NotOffered {
        what,
        scheme: S::ID,
    }
}
