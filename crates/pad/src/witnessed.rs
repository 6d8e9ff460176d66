//! The heads of a dictionary as a public log, which witnesses watch: what tells a client that the newest head it was
//! shown is the newest that anybody was shown.
//!
//! Entry `i` of the log is the message of the signed head of version `i + 1`, byte for byte, and the log's origin ends
//! with the dictionary's id. A client gets one text: a proof from the log (`tlog-proof`) whose extra data is the message
//! of the newest head. The log's checkpoint in it has the cosignatures of witnesses, each of which has seen every
//! checkpoint continue the one before.
//!
//! The log's key is not the author's: see decision 31 of the project.

use std::collections::BTreeSet;

use pad_core::{
    DecodeError, DictionaryId, SignedHead, SnapshotHead, Suite, Untrusted, Verified, VerifyError,
    Version, codec, head::Authority,
};
use transparency_log::{
    Checkpoint, Policy,
    policy::{Cosignature, Window},
    proof::{LogProof, LogProofError},
};

use crate::{keys::PublicKey, question::Question, selection::with_suite};

/// The newest head that a log has, under a checkpoint with enough cosignatures.
#[derive(Clone, Debug)]
pub struct Newest<S: Suite> {
    message: Vec<u8>,
    head: Verified<SnapshotHead<S>>,
    checkpoint: Checkpoint,
    cosignatures: Vec<Cosignature>,
}

/// The same of whichever suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestHead {
    /// The message of the head.
    pub message: Vec<u8>,
    /// Its version.
    pub version: Version,
    /// The log that it is the last entry of.
    pub checkpoint: Checkpoint,
    /// Which witnesses have cosigned, and when.
    pub cosignatures: Vec<Cosignature>,
}

/// A head is not shown to be the newest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessedError {
    /// The log's proof cannot be read, or is not accepted.
    #[error(transparent)]
    Log(#[from] LogProofError),
    /// The proof comes without a head.
    #[error("the proof of the newest head comes without the head")]
    NoHead,
    /// The entry is not a signed head.
    #[error("an entry of the log of heads is not a head")]
    Decode(#[from] DecodeError),
    /// The head is not one of this author and dictionary, or not of the version that its place in the log says.
    #[error(transparent)]
    Head(#[from] VerifyError),
    /// The policy names several logs of this dictionary; their origins. A server could show the one that is no longer
    /// kept, freshly cosigned.
    #[error(
        "the policy names several logs of this dictionary, of which one may be out of date: {0:?}"
    )]
    SeveralLogs(Vec<String>),
    /// The log is another dictionary's; its origin.
    #[error("the log {0:?} is not that of this dictionary")]
    OtherDictionary(String),
    /// The log has later entries.
    #[error("the head is that of version {version}, and the log has {newest}")]
    NotNewest {
        /// The version of the head.
        version: Version,
        /// The newest version.
        newest: Version,
    },
}

/// The origin of the log of a dictionary's heads: a place, such as a URL without its scheme, and the dictionary's id.
pub fn origin(place: &str, dictionary: DictionaryId) -> String {
    format!("{place}/{dictionary}")
}

fn is_log_of(origin: &str, dictionary: DictionaryId) -> bool {
    let named = origin.rsplit_once('/');
    named.is_some_and(|(_, id)| id == dictionary.to_string())
}

/// Checks that a policy names at most one log of a dictionary, under any number of keys.
///
/// An abandoned log stays fresh for ever: any client can have its last checkpoint cosigned again.
///
/// # Errors
/// [`WitnessedError::SeveralLogs`].
pub fn check_policy(policy: &Policy, dictionary: DictionaryId) -> Result<(), WitnessedError> {
    let known = policy.logs().iter().map(|log| log.key.name().as_str());
    let skipped = policy.skipped().iter();
    let origins = known.chain(skipped.filter_map(|skipped| skipped.log.as_deref()));
    let own = origins.filter(|origin| is_log_of(origin, dictionary));
    let own: BTreeSet<&str> = own.collect();
    if own.len() > 1 {
        let own = own.into_iter().map(str::to_owned).collect();
        return Err(WitnessedError::SeveralLogs(own));
    }
    Ok(())
}

/// Checks that entry number `index` of a log, from 0 on, is what it has to be: for whoever appends to one, and for
/// whoever watches one.
///
/// # Errors
/// [`WitnessedError::Decode`], [`WitnessedError::Head`].
pub fn check_entry<S: Suite>(
    authority: &Authority,
    index: u64,
    entry: &[u8],
) -> Result<Verified<SnapshotHead<S>>, WitnessedError> {
    let head = Untrusted::<SignedHead<S>>::decode(entry, LONGEST_HEAD)?;
    Ok(head.verify(authority, &Version::new(index.saturating_add(1)))?)
}

impl<S: Suite> Newest<S> {
    /// Checks a proof: its extra data is the message of a head of this author and dictionary, which is the last entry
    /// of the dictionary's log at a checkpoint that the policy accepts. With a window, only witnesses count that
    /// have cosigned in it; without one, an old checkpoint is as good as a new one.
    ///
    /// # Errors
    /// [`WitnessedError`].
    pub fn check(
        authority: &Authority,
        policy: &Policy,
        window: Option<Window>,
        proof: &[u8],
    ) -> Result<Self, WitnessedError> {
        check_policy(policy, authority.dictionary)?;
        let proof = LogProof::parse(proof)?;
        let message = proof.extra.as_deref().ok_or(WitnessedError::NoHead)?;
        let logged = proof.verify_within(policy, message, window)?;
        let checkpoint = logged.accepted().checkpoint();
        if !is_log_of(checkpoint.origin(), authority.dictionary) {
            let origin = checkpoint.origin().to_owned();
            return Err(WitnessedError::OtherDictionary(origin));
        }
        if !logged.is_last() {
            return Err(WitnessedError::NotNewest {
                version: Version::new(logged.index().saturating_add(1)),
                newest: Version::new(checkpoint.size()),
            });
        }
        Ok(Self {
            message: message.to_vec(),
            head: check_entry(authority, logged.index(), message)?,
            checkpoint: checkpoint.clone(),
            cosignatures: logged.accepted().cosignatures().to_vec(),
        })
    }

    /// The message of the head, for [`Client::advance`](pad_core::Client::advance), which refuses it without a proof that it
    /// continues what the client has seen.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The head.
    pub const fn head(&self) -> &Verified<SnapshotHead<S>> {
        &self.head
    }

    /// The log that it is the last entry of.
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Which witnesses have cosigned, and when.
    pub fn cosignatures(&self) -> &[Cosignature] {
        &self.cosignatures
    }
}

/// The newest head by a proof, as [`Newest::check`] finds it, of the dictionary with this key.
///
/// # Errors
/// As [`Newest::check`].
pub fn newest(
    public: &PublicKey,
    policy: &Policy,
    window: Option<Window>,
    proof: &[u8],
) -> Result<NewestHead, WitnessedError> {
    with_suite!(public.suite, S => {
        let newest = Newest::<S>::check(&public.authority, policy, window, proof)?;
        Ok(NewestHead {
            version: newest.head.get().version,
            message: newest.message,
            checkpoint: newest.checkpoint,
            cosignatures: newest.cosignatures,
        })
    })
}

/// The messages of the heads that an answer says it is under: of the version asked about, and before it of the older
/// one where the question names one. `None` stands for version 0, which has none.
///
/// Nothing is verified. Whoever has verified the answer learns which of the heads that an author may have signed for a version
/// it goes by.
///
/// # Errors
/// [`DecodeError`].
pub fn heads_of(
    public: &PublicKey,
    question: &Question,
    answer: &[u8],
) -> Result<Vec<Option<Vec<u8>>>, DecodeError> {
    with_suite!(public.suite, S => heads_in::<S>(question, answer))
}

/// Answers of every family begin with their heads.
fn heads_in<S: Suite>(
    question: &Question,
    answer: &[u8],
) -> Result<Vec<Option<Vec<u8>>>, DecodeError> {
    type Optional<S> = Option<SignedHead<S>>;
    let body = answer.get(codec::ENVELOPE_LENGTH..);
    let body = body.ok_or(DecodeError::Malformed)?;
    let heads = if let Question::Growth(_) = question {
        let (older, newer) = codec::decode_start::<(Optional<S>, Optional<S>)>(body)?;
        vec![older, newer]
    } else {
        vec![codec::decode_start::<Optional<S>>(body)?]
    };
    let messages = heads.iter().map(|head| head.as_ref().map(codec::encode));
    Ok(messages.collect())
}

/// Longer than the message of any head.
const LONGEST_HEAD: usize = 1024;
