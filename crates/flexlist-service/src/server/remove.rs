//! Removal of files at the signed request of their owners, and removal of abandoned uploads.

use core::sync::atomic::Ordering;

use flexlist::FileId;
use pad_disk::engine::{EngineError, guarded};
use serde::{Serialize, de::DeserializeOwned};

use super::{FileServer, accounts::Charge, slot::Slot};
use crate::{
    message::{Abort, Delete, MAX_BEGIN_SECONDS, Refusal, Response, SignedRequest},
    signed::RequestKind,
    store::{
        StoreError,
        records::{Head, Record as _, RemovalRecord},
        tables::Change,
    },
};

/// Maximum number of abandoned uploads removed in one call of [`FileServer::tend`], each in its own
/// transaction. The request that triggered the call waits.
const BURIED_AT_ONCE: usize = 64;
/// Maximum number of expired records of removed files deleted in one call of [`FileServer::tend`],
/// all in one transaction.
const FORGOTTEN_AT_ONCE: usize = 4096;

/// Interval, in seconds, between searches for abandoned uploads to remove and expired records to
/// delete.
pub(super) const TENDING_INTERVAL: u64 = 60;

impl FileServer {
    /// Executes an owner's request to abandon an unfinished upload.
    pub(super) fn abort(&self, signed: &SignedRequest) -> Result<Response, Refusal> {
        self.remove_for_owner::<Abort>(signed, RequestKind::Abort, |_, head| {
            if head.version == 0 {
                return Ok(());
            }
            Err(Refusal::UploadFinished)
        })
    }

    /// Executes an owner's request to remove a file, if the file is at the version that the owner
    /// knows.
    pub(super) fn delete(&self, signed: &SignedRequest) -> Result<Response, Refusal> {
        self.remove_for_owner::<Delete>(signed, RequestKind::Delete, |delete, head| {
            let (base, current) = (delete.version, head.version);
            if current == 0 {
                let next_part = head.next_part;
                return Err(Refusal::UploadUnfinished { next_part });
            }
            if base == current {
                return Ok(());
            }
            Err(Refusal::StaleBase { base, current })
        })
    }

    fn remove_for_owner<T: Serialize + DeserializeOwned>(
        &self,
        signed: &SignedRequest,
        kind: RequestKind,
        check: impl FnOnce(&T, &Head) -> Result<(), Refusal>,
    ) -> Result<Response, Refusal> {
        let file = signed.claimed_file()?;
        let slot = match self.slot(file) {
            Err(Refusal::Removed) => return self.removed_before(signed, kind, file),
            slot => slot?,
        };
        let request: T = signed.open(kind, &slot.owner)?;
        let _turn = slot.turn(self.limits.turn_wait)?;
        // A damaged file may be removed too, even if its head cannot be read.
        let head = match slot.read(self, |state| Ok(state.head.clone())) {
            Err(Refusal::StoreFailed(_)) => {
                let snapshot = self.store.snapshot();
                match snapshot.and_then(|snapshot| snapshot.head(slot.key)) {
                    Ok(head) => Some(head),
                    // The error may pass. Without the head, a replayed request could remove a newer
                    // version.
                    Err(error) if error.may_pass() => return Err(error.into()),
                    Err(_) => None,
                }
            }
            Err(Refusal::Removed) => return Ok(Response::Removed),
            head => Some(head?),
        };
        if let Some(head) = head {
            check(&request, &head)?;
        }
        let removed = RemovalRecord {
            owner: slot.owner.to_bytes(),
            until: self.clock.now().saturating_add(MAX_BEGIN_SECONDS),
        };
        self.bury(&slot, Some(removed))?;
        Ok(Response::Removed)
    }

    /// Answers a request to remove a file that is removed already. Verifies the owner's signature
    /// first.
    fn removed_before(
        &self,
        signed: &SignedRequest,
        kind: RequestKind,
        file: FileId,
    ) -> Result<Response, Refusal> {
        let removed = self.accounts.removed(file).ok_or(Refusal::UnknownFile)?;
        let owner = pad_core::AuthorKey::from_bytes(&removed.owner);
        let owner = owner.map_err(|_| Refusal::WrongOwner)?;
        signed.verify(kind, &owner)?;
        Ok(Response::Removed)
    }

    /// Removes a file, and stores `removed` as the record of the removal, if given. The caller must
    /// hold the file's turn, the lock on changes of the file.
    fn bury(&self, slot: &Slot, removed: Option<RemovalRecord>) -> Result<(), Refusal> {
        let file = slot.key;
        let body = removed.map(|removed| removed.body());
        let gone = Change::Gone {
            file,
            removed: body,
        };
        slot.leave();
        if let Err(error) = self.store.relieve(vec![gone]) {
            // The removal may have been committed despite the error. Then the request succeeds.
            if !matches!(self.store.has_file(file.id), Ok(false)) {
                slot.forget();
                return Err(error.into());
            }
        }
        slot.bury();
        self.memory.leave(file.id);
        self.accounts.enter(file.id, &slot.owner.to_bytes(), None);
        if let Some(removed) = removed {
            self.accounts.remember(file.id, removed);
        }
        // Last, so that the file is at any time either present or remembered as removed.
        self.entries_mut().remove(&file.id);
        self.store.set_live(self.accounts.bytes());
        Ok(())
    }

    /// Removes uploads that got no part for [`Limits::upload_idle`](super::Limits). Deletes the
    /// records of removed files whose retention time is over.
    ///
    /// Processes a bounded number of files per call. [`FileServer::handle`] calls this function
    /// about once a minute, and once a second while more files are waiting.
    #[doc(hidden)]
    pub fn tend(&self) {
        // Files that cannot be read now are processed the next time.
        let _ = guarded(|| self.tend_files());
    }

    fn tend_files(&self) {
        let now = self.clock.now();
        self.tended.store(now, Ordering::Relaxed);
        let since = now.saturating_sub(self.limits.upload_idle.as_secs());
        let mut abandoned = self.accounts.abandoned(since);
        let mut forgettable = self.accounts.forgettable(now);
        if abandoned.len() > BURIED_AT_ONCE || forgettable.len() > FORGOTTEN_AT_ONCE {
            // The rest follow in a second.
            let sooner = now.saturating_sub(TENDING_INTERVAL.saturating_sub(1));
            self.tended.store(sooner, Ordering::Relaxed);
        }
        abandoned.truncate(BURIED_AT_ONCE);
        forgettable.truncate(FORGOTTEN_AT_ONCE);
        for file in abandoned {
            let Ok(slot) = self.slot(file) else { continue };
            // Another request has the turn: the upload is still active.
            let Ok(_turn) = slot.turn(core::time::Duration::ZERO) else {
                continue;
            };
            let head = slot.read(self, |state| Ok(state.head.clone()));
            let charge = head.map(|head| Charge::new(slot.parameter_bytes, &head));
            let is_old = |charge: &Charge| charge.unfinished_since.is_some_and(|last| last < since);
            if charge.is_ok_and(|charge| is_old(&charge)) {
                // If it cannot be removed now, the next call tries again.
                drop(self.bury(&slot, None));
            }
        }
        if !forgettable.is_empty() && self.store.forget(&forgettable).is_ok() {
            for file in forgettable {
                self.accounts.forget(file);
            }
        }
    }

    /// Returns the number of removed files that still have blocks in the store. The blocks are
    /// deleted in the background.
    ///
    /// # Errors
    /// [`StoreError`] of the store as a whole.
    #[doc(hidden)]
    pub fn leftovers(&self) -> Result<u64, StoreError> {
        guarded(|| self.store.leftovers()).unwrap_or(Err(EngineError::Panicked.into()))
    }

    /// Calls [`FileServer::tend`] if the last call was at least `seconds` ago.
    pub(super) fn tend_after(&self, seconds: u64) {
        let now = self.clock.now();
        let last = self.tended.load(Ordering::Relaxed);
        if now.saturating_sub(last) < seconds && now >= last {
            return;
        }
        let claimed =
            (self.tended).compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
        if claimed.is_ok() {
            self.tend();
        }
    }
}
