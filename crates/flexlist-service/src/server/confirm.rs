//! What the owner has verified: versions that may be let go, and one that he vouches for.

use super::{FileServer, slot::Slot, update::removals};
use crate::{
    message::{Confirm, OwnerStatement, Refusal, Response, Signed},
    store::{
        records::{Record, Vouched},
        tables::Change,
    },
};

impl FileServer {
    /// Gives up what only the version before `version` needs, if that is the current one.
    pub(super) fn acknowledge(&self, slot: &Slot, version: u64) -> Result<Response, Refusal> {
        self.settle(slot, version, |_| Ok(None))
    }

    /// The same, and keeps the owner's signed statement about the version.
    pub(super) fn confirm(
        &self,
        slot: &Slot,
        confirm: &Confirm,
        signed: Signed,
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
            Ok(Some(Vouched { version, statement }.put(slot.key, 0)))
        })
    }

    /// The newest version that the owner vouched for.
    pub(super) fn confirmed(&self, slot: &Slot) -> Result<Response, Refusal> {
        let (status, snapshot) = slot.read(self, |state| {
            state.versions()?;
            // While the lock is held, so that no later version's word comes with this status.
            Ok((state.head.status(), self.store.snapshot()?))
        })?;
        let Vouched { statement, .. } = snapshot.vouched(slot.key)?;
        Ok(Response::Confirmed { status, statement })
    }

    /// Gives up what only the version before `version` needs, if that is the current one, and makes
    /// the change that `word` finds necessary.
    fn settle(
        &self,
        slot: &Slot,
        version: u64,
        word: impl FnOnce(&Slot) -> Result<Option<Change>, Refusal>,
    ) -> Result<Response, Refusal> {
        let _turn = slot.turn(self.limits.turn_wait)?;
        let mut head = slot.read(self, |state| state.versions().map(|_| state.head.clone()))?;
        let current = head.version;
        if version > current {
            return Err(Refusal::UnknownVersion {
                requested: version,
                current,
            });
        }
        if version < current {
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
        // From here on nobody reads the version before, whose blocks are about to go.
        let retired = slot.change(self, |state| {
            Ok(state
                .versions
                .as_mut()
                .and_then(|versions| versions.previous.take()))
        })?;
        self.relieve(slot, &head, changes)?;
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
