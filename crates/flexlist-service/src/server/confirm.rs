//! Owners' requests that acknowledge or confirm a version, so that earlier data can be deleted.

use super::{FileServer, slot::Slot, update::removals};
use crate::{
    message::{Confirm, OwnerStatement, Refusal, Response, SignedRequest},
    store::{
        records::{Record, StatementRecord},
        tables::Change,
    },
};

impl FileServer {
    /// Executes an owner's acknowledgement. If `version` is the current one, deletes data that only
    /// the version before it needs.
    pub(super) fn acknowledge(&self, slot: &Slot, version: u64) -> Result<Response, Refusal> {
        self.settle(slot, version, |_| Ok(None))
    }

    /// Executes an owner's confirmation: like `acknowledge`, and also stores the owner's signed
    /// statement about the version.
    pub(super) fn confirm(
        &self,
        slot: &Slot,
        confirm: &Confirm,
        signed: SignedRequest,
    ) -> Result<Response, Refusal> {
        let version = confirm.version;
        self.settle(slot, version, |slot| {
            let (root, total) = slot.read(self, |state| Ok((state.head.root, state.head.total)))?;
            if (root, total) != (confirm.root, confirm.total) {
                return Err(Refusal::RootMismatch);
            }
            let snapshot = self.store.snapshot();
            let known = snapshot.and_then(|snapshot| snapshot.vouched(slot.key));
            if known.is_ok_and(|known| known.version == version) {
                return Ok(None);
            }
            let statement = OwnerStatement::Confirm(signed);
            Ok(Some(
                StatementRecord { version, statement }.put(slot.key, 0),
            ))
        })
    }

    /// Answers with the owner's newest signed statement about a version, and the file's status.
    pub(super) fn confirmed(&self, slot: &Slot) -> Result<Response, Refusal> {
        let (status, snapshot) = slot.read(self, |state| {
            state.versions()?;
            // Taken while the lock is held, so that no statement about a later version comes with
            // this status.
            Ok((state.head.status(), self.store.snapshot()?))
        })?;
        let StatementRecord { statement, .. } = snapshot.vouched(slot.key)?;
        Ok(Response::Confirmed { status, statement })
    }

    /// If version `requested` is the current one, deletes data that only the version before it
    /// needs. Also makes the change returned by `word`, if any.
    fn settle(
        &self,
        slot: &Slot,
        requested: u64,
        word: impl FnOnce(&Slot) -> Result<Option<Change>, Refusal>,
    ) -> Result<Response, Refusal> {
        let _turn = slot.turn(self.limits.turn_wait)?;
        let mut head = slot.read(self, |state| state.versions().map(|_| state.head.clone()))?;
        let current = head.version;
        if requested > current {
            return Err(Refusal::UnknownVersion { requested, current });
        }
        if requested < current {
            return Ok(Response::State(head.status()));
        }
        let word = word(slot)?;
        if !head.keeps_previous && word.is_none() {
            return Ok(Response::State(head.status()));
        }
        let mut changes: Vec<Change> = removals(slot, &head.superseded).collect();
        head.keeps_previous = false;
        head.superseded = Vec::new();
        head.superseded_bytes = 0;
        changes.push(head.put(slot.key, 0));
        changes.extend(word);
        // From here on, the previous version cannot be read: its blocks are about to be deleted.
        let retired = slot.change(self, |state| {
            Ok(state
                .versions
                .as_mut()
                .and_then(|versions| versions.previous.take()))
        })?;
        self.committed(slot, &head, self.store.relieve(changes))?;
        slot.change(self, |state| {
            let status = head.status();
            state.head = head;
            if let (Some(versions), Some(retired)) = (&mut state.versions, retired) {
                versions.list.forget(retired);
            }
            Ok(Response::State(status))
        })
    }
}
