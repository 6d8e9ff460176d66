//! The heads of a dictionary as a public append-only log with witnesses.
//!
//! The log assures a client that its newest head is the newest head that was shown to any client.
//!
//! Entry `i` of the log is the message of the signed head of version `i + 1`, byte for byte. The
//! log's origin ends with the dictionary's id. A client receives one text: a proof from the log
//! (`tlog-proof`) whose extra data is the message of the newest head. The proof contains the log's
//! checkpoint, with the cosignatures of witnesses. Each witness has verified that every checkpoint
//! continues the previous checkpoint.
//!
//! The log has a key other than the author's, for the reasons in
//! `docs/decisions/0031-heads-in-a-transparency-log.md`.

use std::collections::BTreeSet;

use pad_core::{
    Authority, DecodeError, DictionaryId, SignedHead, SnapshotHead, Suite, Untrusted, Verified,
    VerifyError, Version, codec,
};
use transparency_log::{
    Checkpoint, Policy,
    policy::{Cosignature, Window},
    proof::{LogProof, LogProofError},
};

use crate::{keys::PublicKey, question::Question, selection::with_suite};

/// The newest head of a dictionary, proved by a log checkpoint with enough cosignatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewestHead {
    /// The signed head as a message.
    pub message: Vec<u8>,
    /// The version of the head.
    pub version: Version,
    /// The checkpoint of the log of heads (its size and root hash). The head is the last entry of
    /// the log at this size.
    pub checkpoint: Checkpoint,
    /// The cosignatures of witnesses on the checkpoint, with their times.
    pub cosignatures: Vec<Cosignature>,
}

/// Error returned for a head that is not proved to be the newest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessedError {
    /// The proof from the log is malformed, or is not accepted under the policy.
    #[error(transparent)]
    Log(#[from] LogProofError),
    /// The proof from the log contains no extra data, which should be the head.
    #[error("the proof of the newest head does not include the head")]
    NoHead,
    /// The extra data of the proof, or the log entry, is not a signed head.
    #[error("an entry of the log of heads is not a head")]
    Decode(#[from] DecodeError),
    /// The head is not signed by this author for this dictionary, or its version does not match its
    /// index in the log.
    #[error(transparent)]
    Head(#[from] VerifyError),
    /// The policy names several logs of this dictionary, with these origins. A server could present
    /// an abandoned log with fresh cosignatures.
    #[error(
        "the policy names several logs of this dictionary, of which one may be out of date: {0:?}"
    )]
    SeveralLogs(Vec<String>),
    /// The log with this origin belongs to another dictionary.
    #[error("the log {0:?} belongs to another dictionary")]
    OtherDictionary(String),
    /// The head is not the newest, because the log contains entries after it.
    #[error("the head is outdated: it is of version {version}, but the log has version {newest}")]
    NotNewest {
        /// The version of the head.
        version: Version,
        /// The newest version in the log.
        newest: Version,
    },
}

/// Returns the origin of the log of a dictionary's heads. It consists of `place`, such as a URL
/// without its scheme, and the dictionary's id.
pub fn origin(place: &str, dictionary: DictionaryId) -> String {
    format!("{place}/{dictionary}")
}

fn is_log_of(origin: &str, dictionary: DictionaryId) -> bool {
    let named = origin.rsplit_once('/');
    named.is_some_and(|(_, id)| id == dictionary.to_string())
}

/// Checks that a client's policy of trusted logs and witnesses names at most one log of a
/// dictionary. The policy may name this log under any number of keys.
///
/// The age of cosignatures does not expose an abandoned log, because any client can have its last
/// checkpoint cosigned again.
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

/// Verifies the entry with number `index`, counted from 0, of a dictionary's log of heads. The
/// entry must be the signed head of version `index + 1`. For processes that append to a log, and
/// for monitors.
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

/// Verifies a proof from a log, for the dictionary with the public key `public`. The proof's extra
/// data must be the message of a head of this author and dictionary. The head must be the last
/// entry of the dictionary's log at a checkpoint that the policy accepts.
///
/// With a time window, only witnesses that have cosigned in the window count. Without a window, an
/// old checkpoint is accepted like a new checkpoint.
///
/// # Errors
/// [`WitnessedError`].
pub fn newest(
    public: &PublicKey,
    policy: &Policy,
    window: Option<Window>,
    proof: &[u8],
) -> Result<NewestHead, WitnessedError> {
    with_suite!(public.suite, S => newest_in::<S>(&public.authority, policy, window, proof))
}

fn newest_in<S: Suite>(
    authority: &Authority,
    policy: &Policy,
    window: Option<Window>,
    proof: &[u8],
) -> Result<NewestHead, WitnessedError> {
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
    let head = check_entry::<S>(authority, logged.index(), message)?;
    Ok(NewestHead {
        message: message.to_vec(),
        version: head.get().version,
        checkpoint: checkpoint.clone(),
        cosignatures: logged.accepted().cosignatures().to_vec(),
    })
}

/// Extracts the heads that an answer contains, each encoded as a message. The last one is the head
/// of the queried version. For [`Question::Growth`], the head of the older version comes first. An
/// item is `None` for version 0, which has no head.
///
/// Nothing is verified. If the author has signed several heads for one version, a client learns
/// from this function which of these heads a verified answer contains.
///
/// # Errors
/// [`DecodeError`].
pub fn heads_of(
    public: &PublicKey,
    question: &Question,
    answer: &[u8],
) -> Result<Vec<Option<Vec<u8>>>, DecodeError> {
    let body = answer.get(codec::ENVELOPE_LENGTH..);
    let body = body.ok_or(DecodeError::Malformed)?;
    with_suite!(public.suite, S => {
        type OptionalHead = Option<SignedHead<S>>;
        let heads = if let Question::Growth(_) = question {
            let (older, newer) = codec::decode_start::<(OptionalHead, OptionalHead)>(body)?;
            vec![older, newer]
        } else {
            vec![codec::decode_start::<OptionalHead>(body)?]
        };
        let messages = heads.iter().map(|head| head.as_ref().map(codec::encode));
        Ok(messages.collect())
    })
}

/// The maximum length in bytes of a signed head as a message; no head of any suite is longer.
const LONGEST_HEAD: usize = 1024;
