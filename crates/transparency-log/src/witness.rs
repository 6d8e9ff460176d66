//! The request for a cosignature and its answers (`tlog-witness`).
//!
//! * [`AddCheckpoint`]: the body of `POST <prefix>/add-checkpoint`: what the log was when the witness last cosigned,
//!   that it has only grown since, and what it is now.
//! * [`Witness::add_checkpoint`]: what a witness answers, with the state of each log in [`Records`].
//! * [`Answer`]: what the log makes of it.

use std::collections::BTreeMap;

use crate::{
    Checkpoint, CheckpointError, Timestamp,
    note::{Cosigner, LONGEST_NOTE, NoteError, Signature, VerifierKey},
    tree::{TreeError, TreeHead, verify_consistency},
};

mod answer;
#[cfg(feature = "disk")]
mod folder;
mod records;
mod request;

pub use answer::{Answer, AnswerError, LONGEST_ANSWER};
#[cfg(feature = "disk")]
pub use folder::{FolderRecords, FolderRecordsError, file_name};
pub use records::{MemoryRecords, Records};
pub use request::{AddCheckpoint, MOST_PROOF_LINES, RequestError};

/// The type of the body of an answer with a size.
pub const SIZE_CONTENT_TYPE: &str = "text/x.tlog.size";
/// The type of the body of every other answer.
pub const TEXT_CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// Cosigns checkpoints of logs that it knows, each only if it continues the one before.
#[derive(Debug)]
pub struct Witness<R> {
    signer: Cosigner,
    /// The keys of each log, by its origin.
    logs: BTreeMap<String, Vec<VerifierKey>>,
    records: R,
}

/// A witness does not cosign. [`AddError::status`] is what it says over HTTP.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError<E: core::error::Error> {
    /// The request cannot be read.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The note is no checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The witness does not know this log.
    #[error("the log is unknown here")]
    UnknownLog,
    /// The log has not signed the checkpoint, or a signature that should be its own is wrong.
    #[error("no known key of the log has signed the checkpoint")]
    NotSigned(#[source] NoteError),
    /// The request claims to grow from a larger size.
    #[error("the old size is larger than that of the checkpoint")]
    OldSize,
    /// The request does not begin at the size that was last cosigned.
    #[error("the checkpoint last cosigned has {0} entries")]
    Conflict(u64),
    /// The checkpoint has the size of the one that was last cosigned, and another root: the log has forked.
    #[error("the checkpoint last cosigned has the same size of {0} entries and another root")]
    Forked(u64),
    /// The checkpoint does not continue the one that was last cosigned.
    #[error("the checkpoint does not continue the one last cosigned")]
    Inconsistent(#[source] TreeError),
    /// The witness cannot remember what it would cosign, so it does not.
    #[error("the witness cannot record the checkpoint")]
    Record(#[source] E),
}

impl<R: Records> Witness<R> {
    /// A witness that knows no logs yet.
    pub const fn new(signer: Cosigner, records: R) -> Self {
        Self {
            signer,
            logs: BTreeMap::new(),
            records,
        }
    }

    /// Makes a log known, or one more key of it. A log is known by its origin, which should be the name of its key.
    pub fn add_log(&mut self, origin: impl Into<String>, key: VerifierKey) {
        let keys = self.logs.entry(origin.into()).or_default();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }

    /// The key of its cosignatures.
    pub fn verifier(&self) -> VerifierKey {
        self.signer.verifier()
    }

    /// Where it keeps what it has cosigned.
    pub const fn records(&self) -> &R {
        &self.records
    }

    /// Cosigns the checkpoint in a request, at this time. When this returns a cosignature, the checkpoint is on record:
    /// no later request, in this process or another, gets one that does not continue it.
    ///
    /// Cost: two signatures and a proof of at most 63 hashes to verify, one signature to make, one durable write.
    ///
    /// # Errors
    /// Why not.
    pub fn add_checkpoint(
        &self,
        request: &[u8],
        time: Timestamp,
    ) -> Result<Signature, AddError<R::Error>> {
        let request = AddCheckpoint::parse(request)?;
        let checkpoint = Checkpoint::parse(request.note.unverified_text())?;
        let keys = self
            .logs
            .get(checkpoint.origin())
            .ok_or(AddError::UnknownLog)?;
        request.note.open(keys).map_err(AddError::NotSigned)?;
        if request.old_size > checkpoint.size() {
            return Err(AddError::OldSize);
        }
        let new = checkpoint.head();
        let cosignature = self.signer.cosign(&checkpoint, time);
        let mut cosigned = request.note.clone().only_by(keys);
        let added = cosigned.add(cosignature.clone());
        added.map_err(RequestError::Note)?;
        if cosigned.encode().len() > LONGEST_NOTE {
            return Err(RequestError::Note(NoteError::TooLong).into());
        }
        // Nobody sees the cosignature before the checkpoint is on record.
        self.records
            .advance(checkpoint.origin(), &cosigned, |recorded| {
                check(recorded, &new, &request)
            })?;
        Ok(cosignature)
    }
}

/// Whether the checkpoint of a request continues what is on record.
fn check<E: core::error::Error>(
    recorded: &TreeHead,
    new: &TreeHead,
    request: &AddCheckpoint,
) -> Result<(), AddError<E>> {
    if request.old_size != recorded.size {
        return Err(AddError::Conflict(recorded.size));
    }
    if new.size == recorded.size && new.root != recorded.root {
        return Err(AddError::Forked(recorded.size));
    }
    verify_consistency(recorded, new, &request.proof).map_err(AddError::Inconsistent)
}

impl<E: core::error::Error> AddError<E> {
    /// The status of the answer.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Request(_) | Self::Checkpoint(_) | Self::OldSize => 400,
            Self::NotSigned(_) => 403,
            Self::UnknownLog => 404,
            Self::Conflict(_) => 409,
            Self::Forked(_) | Self::Inconsistent(_) => 422,
            Self::Record(_) => 500,
        }
    }

    /// The type of the body of the answer. A log takes a size for an invitation to ask again, which a log that has forked
    /// should not.
    pub const fn content_type(&self) -> &'static str {
        match self {
            Self::Conflict(_) => SIZE_CONTENT_TYPE,
            _ => TEXT_CONTENT_TYPE,
        }
    }

    /// The body of the answer: the size on record where that is what is wrong, else what is wrong.
    pub fn body(&self) -> String {
        match self {
            Self::Conflict(size) => format!("{size}\n"),
            other => format!("{other}\n"),
        }
    }
}
