//! The heads of a dictionary as a public log with witnesses.
//!
//! The log assures a client that its newest head is the newest head shown to any client.
//!
//! Entry `i` of the log is the message of the signed head of version `i + 1`, byte for byte. The
//! log's origin ends with the dictionary's id. A client gets one text: a proof from the log
//! (`tlog-proof`) whose extra data is the message of the newest head. The proof contains the log's
//! checkpoint with cosignatures of witnesses. Each witness has verified that every checkpoint
//! continues the previous checkpoint.
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

/// The newest head in a log, under a checkpoint with enough cosignatures.
#[derive(Clone, Debug)]
pub struct Newest<S: Suite> {
    message: Vec<u8>,
    head: Verified<SnapshotHead<S>>,
    checkpoint: Checkpoint,
    cosignatures: Vec<Cosignature>,
}

/// The newest head in a log, independent of the suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestHead {
    /// The message of the head.
    pub message: Vec<u8>,
    /// Its version.
    pub version: Version,
    /// The checkpoint of the log whose last entry it is.
    pub checkpoint: Checkpoint,
    /// The cosignatures of witnesses, with their times.
    pub cosignatures: Vec<Cosignature>,
}

/// Error for a head that is not proved to be the newest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessedError {
    /// The log's proof is malformed or not accepted.
    #[error(transparent)]
    Log(#[from] LogProofError),
    /// The proof comes without a head.
    #[error("the proof of the newest head does not include the head")]
    NoHead,
    /// The entry is not a signed head.
    #[error("an entry of the log of heads is not a head")]
    Decode(#[from] DecodeError),
    /// The head is not signed by this author for this dictionary, or its version does not match its
    /// index in the log.
    #[error(transparent)]
    Head(#[from] VerifyError),
    /// The policy names several logs of this dictionary; their origins. A server could present an
    /// abandoned log, freshly cosigned.
    #[error(
        "the policy names several logs of this dictionary, of which one may be out of date: {0:?}"
    )]
    SeveralLogs(Vec<String>),
    /// The log belongs to another dictionary; its origin.
    #[error("the log {0:?} belongs to another dictionary")]
    OtherDictionary(String),
    /// The log has later entries.
    #[error("the head is outdated: it is of version {version}, but the log has version {newest}")]
    NotNewest {
        /// The version of the head.
        version: Version,
        /// The newest version.
        newest: Version,
    },
}

/// The origin of the log of a dictionary's heads: `place`, such as a URL without its scheme, and
/// the dictionary's id.
pub fn origin(place: &str, dictionary: DictionaryId) -> String {
    format!("{place}/{dictionary}")
}

fn is_log_of(origin: &str, dictionary: DictionaryId) -> bool {
    let named = origin.rsplit_once('/');
    named.is_some_and(|(_, id)| id == dictionary.to_string())
}

/// Checks that a policy names at most one log of a dictionary, under any number of keys.
///
/// An abandoned log stays fresh forever: any client can have its last checkpoint cosigned again.
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

/// Verifies entry number `index` of a log, from 0 on. It must be the signed head of the version
/// with the next number. For processes that append to a log, and for monitors.
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
    /// Verifies a proof. Its extra data must be the message of a head of this author and
    /// dictionary. The head must be the last entry of the dictionary's log at a checkpoint that the
    /// policy accepts.
    ///
    /// With a window, only witnesses that have cosigned in it count. Without a window, an old
    /// checkpoint is accepted like a new one.
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

    /// The message of the head, for [`Client::advance`](pad_core::Client::advance). The client
    /// refuses it without a proof that it continues the newest head seen.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The head.
    pub const fn head(&self) -> &Verified<SnapshotHead<S>> {
        &self.head
    }

    /// The checkpoint of the log whose last entry is the head.
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The cosignatures of witnesses, with their times.
    pub fn cosignatures(&self) -> &[Cosignature] {
        &self.cosignatures
    }
}

/// Verifies a proof like [`Newest::check`], for the dictionary with this key.
///
/// # Errors
/// The errors of [`Newest::check`].
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

/// Decodes the messages of the heads that an answer claims to be under. The last head is of the
/// queried version. If the question names an older version, its head comes first. Version 0 has no
/// head and yields `None`.
///
/// Nothing is verified. After verifying the answer, a client learns which head the answer is under,
/// if the author has signed several heads for one version.
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

/// Decodes the heads at the beginning of an answer of any family.
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
