//! The server's answer to the first request about a file ([`Begin`]).

use std::sync::{Arc, PoisonError};

use flexlist::{FileId, tag::ServerParameters};
use pad_core::AuthorKey;

use super::{
    FileServer,
    accounts::Charge,
    refuse,
    slot::{Slot, digest_of},
};
use crate::{
    message::{Begin, MAX_BEGIN_SECONDS, Refusal, Response, SignedRequest},
    signed::RequestKind,
    store::{
        FileKey,
        records::{FileRecord, Head, Record},
    },
};

/// Upper bound in bytes of the encoded body of a [`Begin`], without the tag scheme's parameters.
const BEGIN_OVERHEAD: usize = 64;

impl FileServer {
    /// Begins a file, and answers with its current status. A repeated request changes nothing.
    pub(super) fn begin(&self, signed: &SignedRequest) -> Result<Response, Refusal> {
        // Anyone can send this request. The length limit bounds the bytes that are copied and
        // hashed.
        let limit = self.limits.parameter_bytes.saturating_add(BEGIN_OVERHEAD);
        refuse::above(
            "bytes of a begin request",
            signed.body.as_ref().len(),
            limit,
        )?;
        let begin: Begin = signed.claimed()?;
        let owner = AuthorKey::from_bytes(&begin.owner).map_err(|_| Refusal::WrongOwner)?;
        signed.verify(RequestKind::Begin, &owner)?;
        let id = FileId::derive(&begin.owner, &begin.salt);
        // A repeated request does not wait for the lock.
        if let Some(response) = self.begun(id, &begin)? {
            return Ok(response);
        }
        self.check_word(&begin)?;
        let parameters = begin.server_parameters.as_ref();
        let limit = self.limits.parameter_bytes;
        refuse::above("bytes of parameters", parameters.len(), limit)?;
        if self
            .accounts
            .check_room(&begin.owner, &self.limits)
            .is_err()
        {
            // Abandoned uploads may use up the limits.
            self.tend_after(1);
        }
        self.accounts.check_room(&begin.owner, &self.limits)?;
        ServerParameters::from_bytes(parameters)?;
        let beginning = self.beginning.lock();
        let _beginning = beginning.unwrap_or_else(PoisonError::into_inner);
        if let Some(response) = self.begun(id, &begin)? {
            return Ok(response);
        }
        self.accounts.check_room(&begin.owner, &self.limits)?;
        let record = FileRecord {
            number: self.store.next_file()?,
            owner: begin.owner,
            server_parameters: begin.server_parameters,
        };
        let head = Head {
            touched: self.clock.now(),
            ..Head::default()
        };
        let slot = Slot::new(id, &record)?;
        let charge = Charge::new(slot.parameter_bytes, &head);
        (self.accounts).reserve(id, &begin.owner, charge, &self.limits)?;
        let number = record.number;
        let key = FileKey { number, id };
        let changes = vec![record.put(key, 0), head.put(key, 0)];
        if let Err(error) = self.store.commit(changes) {
            // The file may have been stored despite the error. Then the request succeeds.
            if !matches!(self.store.has_file(id), Ok(true)) {
                self.accounts.enter(id, &begin.owner, None);
                return Err(error.into());
            }
        }
        self.entries_mut().insert(id, Ok(Arc::new(slot)));
        Ok(Response::State(head.status()))
    }

    /// Refuses the request if its owner is not allowed on this server, or if its expiry time is
    /// invalid.
    fn check_word(&self, begin: &Begin) -> Result<(), Refusal> {
        if !self.owners.allow(&begin.owner) {
            return Err(Refusal::OwnerNotAllowed);
        }
        // Removed files are remembered only as long as an old request could be repeated.
        let now = self.clock.now();
        if begin.expires < now || begin.expires > now.saturating_add(MAX_BEGIN_SECONDS) {
            return Err(Refusal::BeginExpired { now });
        }
        Ok(())
    }

    /// Returns the answer if a file with the identifier `id` exists already, else `None`. Refuses a
    /// request whose parameters differ from the file's.
    fn begun(&self, id: FileId, begin: &Begin) -> Result<Option<Response>, Refusal> {
        let slot = match self.slot(id) {
            Err(Refusal::UnknownFile) => return Ok(None),
            slot => slot?,
        };
        if slot.parameter_digest != digest_of(begin.server_parameters.as_ref()) {
            return Err(Refusal::WrongFileId);
        }
        self.status(&slot).map(Some)
    }
}
