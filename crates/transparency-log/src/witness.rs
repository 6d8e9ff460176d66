//! Cosignature requests and responses (`tlog-witness`).
//!
//! * [`AddCheckpoint`]: the body of `POST <prefix>/add-checkpoint`, with the last cosigned size, a
//!   consistency proof, and the new checkpoint.
//! * [`Witness::add_checkpoint`]: the witness's side, with the state of each log in [`Records`].
//! * [`Answer`]: the response, verified on the log's side.

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

/// Content type of a response with a size.
#[doc(hidden)]
pub const SIZE_CONTENT_TYPE: &str = "text/x.tlog.size";
/// Content type of all other responses.
#[doc(hidden)]
pub const TEXT_CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// A witness. It cosigns a checkpoint of a configured log only if the checkpoint continues the last
/// one that it cosigned for this log.
#[derive(Debug)]
pub struct Witness<R> {
    signer: Cosigner,
    /// The keys of each log by its origin.
    logs: BTreeMap<String, Vec<VerifierKey>>,
    records: R,
}

/// Error returned when a witness does not cosign. [`AddError::status`] returns the HTTP status for
/// the error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddError<E: core::error::Error> {
    /// The request is malformed.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The note is not a checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The witness does not know this log.
    #[error("the log is unknown to the witness")]
    UnknownLog,
    /// No known key of the log has signed the checkpoint, or a signature by a known key is invalid.
    #[error("no known key of the log has signed the checkpoint")]
    NotSigned(#[source] NoteError),
    /// The old size in the request exceeds the size of its checkpoint.
    #[error("the old size is larger than that of the checkpoint")]
    OldSize,
    /// The old size in the request is not the last cosigned size. Contains the last cosigned size.
    #[error("the checkpoint last cosigned has {0} entries")]
    Conflict(u64),
    /// The checkpoint has the last cosigned size and another root: the log has forked. Contains
    /// this size.
    #[error("the checkpoint last cosigned has the same size of {0} entries and another root")]
    Forked(u64),
    /// The checkpoint does not continue the last cosigned one.
    #[error("the checkpoint does not continue the one last cosigned")]
    Inconsistent(#[source] TreeError),
    /// The checkpoint cannot be recorded, so it is not cosigned.
    #[error("the witness cannot record the checkpoint")]
    Record(#[source] E),
}

impl<R: Records> Witness<R> {
    /// Creates a witness without logs.
    pub const fn new(signer: Cosigner, records: R) -> Self {
        Self {
            signer,
            logs: BTreeMap::new(),
            records,
        }
    }

    /// Adds a log, or another key of a known log. The origin identifies the log and should be the
    /// name of its key.
    pub fn add_log(&mut self, origin: impl Into<String>, key: VerifierKey) {
        let keys = self.logs.entry(origin.into()).or_default();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }

    /// Returns the key that verifies the cosignatures.
    pub fn verifier(&self) -> VerifierKey {
        self.signer.verifier()
    }

    /// Returns the records of cosigned checkpoints.
    pub const fn records(&self) -> &R {
        &self.records
    }

    /// Cosigns the checkpoint in a request at `time`.
    ///
    /// The checkpoint is recorded before the cosignature is returned. If the implementation of
    /// [`Records`] obeys its contract, the witness cosigns no later request unless it continues
    /// that checkpoint.
    ///
    /// Cost: verification of the log's signatures and of a proof of at most 63 hashes, one
    /// signature, one durable write.
    ///
    /// # Errors
    /// [`AddError`] if the witness does not cosign.
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
        // The cosignature is not returned before the checkpoint is recorded.
        self.records
            .advance(checkpoint.origin(), &cosigned, |recorded| {
                check(recorded, &new, &request)
            })?;
        Ok(cosignature)
    }
}

/// Verifies that the checkpoint of a request continues the recorded one.
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
    /// Returns the HTTP status of the response.
    #[doc(hidden)]
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

    /// Returns the content type of the response. A fork is not reported as a size, which would
    /// invite the log to retry.
    #[doc(hidden)]
    pub const fn content_type(&self) -> &'static str {
        match self {
            Self::Conflict(_) => SIZE_CONTENT_TYPE,
            _ => TEXT_CONTENT_TYPE,
        }
    }

    /// Returns the body of the response: the recorded size for [`AddError::Conflict`], otherwise
    /// the error text.
    #[doc(hidden)]
    pub fn body(&self) -> String {
        match self {
            Self::Conflict(size) => format!("{size}\n"),
            other => format!("{other}\n"),
        }
    }
}
