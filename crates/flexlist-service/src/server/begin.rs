//! The first word about a file.

use std::sync::{Arc, PoisonError};

use flexlist::{FileId, tag::ServerParameters};
use pad_core::AuthorKey;

use super::{FileServer, refuse, slot::Slot};
use crate::{
    message::{Begin, Refusal, Response, Signed},
    signed::RequestKind,
    store::{
        FileKey,
        records::{FileRecord, Head, Record},
    },
};

/// More than the body of a [`Begin`] has beside the parameters.
const BEGIN_OVERHEAD: usize = 64;

impl FileServer {
    /// Makes room for a file; said again, tells where the file stands.
    pub(super) fn begin(&self, signed: &Signed) -> Result<Response, Refusal> {
        // Nobody's signature is needed to get here: the length bounds what is copied and hashed.
        let limit = self.limits.parameter_bytes.saturating_add(BEGIN_OVERHEAD);
        refuse::above("bytes of a first word", signed.body.as_ref().len(), limit)?;
        let begin: Begin = signed.claimed().map_err(refuse::open)?;
        let owner = AuthorKey::from_bytes(&begin.owner).map_err(|_| Refusal::WrongOwner)?;
        signed
            .verify(RequestKind::Begin, &owner)
            .map_err(refuse::open)?;
        let id = FileId::derive(&begin.owner, &begin.salt);
        // Most who say it again need not wait.
        if let Some(response) = self.begun(id, &begin)? {
            return Ok(response);
        }
        let parameters = begin.server_parameters.as_ref();
        let limit = self.limits.parameter_bytes;
        refuse::above("bytes of parameters", parameters.len(), limit)?;
        self.check_quota(&begin.owner)?;
        let parameters = ServerParameters::from_bytes(parameters).map_err(refuse::tags)?;
        let beginning = self.beginning.lock();
        let _beginning = beginning.unwrap_or_else(PoisonError::into_inner);
        if let Some(response) = self.begun(id, &begin)? {
            return Ok(response);
        }
        let files = self.entries().len().saturating_add(1);
        refuse::above("files", files, self.limits.files)?;
        self.check_quota(&begin.owner)?;
        let record = FileRecord {
            number: (self.store.next_file()).map_err(|error| refuse::store(&error))?,
            owner: begin.owner,
            server_parameters: begin.server_parameters,
        };
        let head = Head::default();
        let number = record.number;
        let key = FileKey { number, id };
        let changes = vec![record.put(key, 0), head.put(key, 0)];
        let slot = Slot::new(id, record).map_err(|error| refuse::store(&error))?;
        (self.store.commit(changes)).map_err(|error| refuse::store(&error))?;
        let slot = slot.with_parameters(parameters);
        self.entries_mut().insert(id, Ok(Arc::new(slot)));
        Ok(Response::Standing(head.standing()))
    }

    /// Refuses another file to an owner who has as many as one may have, or as many unfinished ones.
    fn check_quota(&self, owner: &[u8; 32]) -> Result<(), Refusal> {
        let slots: Vec<Arc<Slot>> = (self.entries().values())
            .filter_map(|entry| entry.as_ref().ok())
            .filter(|slot| slot.record.owner == *owner)
            .cloned()
            .collect();
        let files = slots.len().saturating_add(1);
        refuse::above("files of an owner", files, self.limits.files_per_owner)?;
        let snapshot = self.store.snapshot();
        let snapshot = snapshot.map_err(|error| refuse::store(&error))?;
        // A damaged file counts as finished: nothing that its owner could do would finish it.
        let is_unfinished =
            |slot: &&Arc<Slot>| snapshot.head(slot.key).is_ok_and(|head| head.version == 0);
        let unfinished = slots.iter().filter(is_unfinished).count();
        refuse::above(
            "unfinished uploads of an owner",
            unfinished.saturating_add(1),
            self.limits.unfinished_per_owner,
        )
    }

    /// The answer if there is a file of this id already.
    fn begun(&self, id: FileId, begin: &Begin) -> Result<Option<Response>, Refusal> {
        let slot = match self.slot(id) {
            Err(Refusal::UnknownFile) => return Ok(None),
            slot => slot?,
        };
        if slot.record.server_parameters != begin.server_parameters {
            return Err(Refusal::WrongFileId);
        }
        self.status(&slot).map(Some)
    }
}
