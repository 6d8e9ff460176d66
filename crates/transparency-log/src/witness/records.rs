//! Records of cosigned checkpoints.

use core::convert::Infallible;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use super::AddError;
use crate::{Checkpoint, note::Note, tree::TreeHead};

/// Storage of the last cosigned checkpoint of each log.
///
/// Contract: calls of [`Records::advance`] for one log are serialised across threads and processes.
/// A recorded checkpoint is visible to all later calls, also after a crash.
pub trait Records: Send + Sync {
    /// The error of a failed read or write.
    type Error: core::error::Error + Send + Sync + 'static;

    /// Records a cosigned checkpoint if `check` accepts it. `check` receives the recorded head,
    /// which is the head of the empty log at first.
    ///
    /// The record is durable on return, even if it is unchanged.
    ///
    /// # Errors
    /// The errors of `check`, with the record unchanged; [`AddError::Record`], after which the
    /// checkpoint may or may not be recorded.
    fn advance(
        &self,
        origin: &str,
        cosigned: &Note,
        check: impl FnOnce(&TreeHead) -> Result<(), AddError<Self::Error>>,
    ) -> Result<(), AddError<Self::Error>>;
}

/// In-memory records, lost when the process ends; for tests and for witnesses that never stop.
#[derive(Debug, Default)]
pub struct MemoryRecords {
    notes: Mutex<BTreeMap<String, Note>>,
}

impl Records for MemoryRecords {
    type Error = Infallible;

    fn advance(
        &self,
        origin: &str,
        cosigned: &Note,
        check: impl FnOnce(&TreeHead) -> Result<(), AddError<Infallible>>,
    ) -> Result<(), AddError<Infallible>> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = match notes.get(origin) {
            Some(note) => Checkpoint::parse(note.unverified_text())?.head(),
            None => TreeHead::empty(),
        };
        check(&recorded)?;
        notes.insert(origin.to_owned(), cosigned.clone());
        Ok(())
    }
}
