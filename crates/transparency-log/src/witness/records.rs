//! What a witness has cosigned.

use core::convert::Infallible;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use super::AddError;
use crate::{Checkpoint, note::Note, tree::TreeHead};

/// The checkpoint of each log that was last cosigned.
///
/// The law: calls of [`Records::advance`] for one log happen one after the other, whoever makes them, in whatever process. What one
/// of them has put on record is there for all that come later, also after a crash.
pub trait Records: Send + Sync {
    /// Why something cannot be recorded.
    type Error: core::error::Error + Send + Sync + 'static;

    /// Puts a cosigned checkpoint of a log on record if `check` accepts it as the next one after what is on record, which is
    /// the log without entries at first. It is durable when this returns; also if it is what was on record before.
    ///
    /// # Errors
    /// Those of `check`, and then nothing has changed; [`AddError::Record`], and then it may be on record.
    fn advance(
        &self,
        origin: &str,
        cosigned: &Note,
        check: impl FnOnce(&TreeHead) -> Result<(), AddError<Self::Error>>,
    ) -> Result<(), AddError<Self::Error>>;
}

/// Records that are gone with the process: for tests, and for witnesses that never stop.
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
