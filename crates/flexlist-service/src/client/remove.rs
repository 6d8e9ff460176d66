//! Removal of a file.

use pad_core::HeadSignature;
use signature::Signer;

use super::{
    blame::Purpose, error::ClientError, file::FileClient, state::Stage, transport::Transport,
};
use crate::{
    message::{Abort, Delete, Refusal, Request, Response},
    signed::RequestKind,
};

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Removes the file from the server, or aborts its unfinished upload. Replayed requests cannot
    /// restore the file. The client's state file remains, but is of no further use.
    ///
    /// A server that answers that it has no such file counts as having removed it. A client cannot
    /// tell whether the server keeps a copy.
    ///
    /// # Errors
    /// * [`ClientError::Superseded`] or [`ClientError::Outdated`] if another writer has changed the
    ///   file since.
    /// * [`ClientError::Rollback`] if the server has only an older version.
    /// * [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses.
    /// * [`ClientError::Unexpected`] if the response does not match the request.
    /// * [`ClientError::Signer`] if the signer fails.
    /// * The errors of [`settle`](Self::settle).
    pub fn remove(&mut self) -> Result<(), ClientError> {
        let file = self.file();
        if matches!(self.state.record().stage, Stage::Uploading(_)) {
            let abort = self.sign(RequestKind::Abort, &Abort { file })?;
            return match self.queries.transport.exchange(&Request::Abort(abort))? {
                // Finished, but the answer was lost.
                Response::Refused(Refusal::UploadFinished) => self.delete(1),
                response => self.removed(response),
            };
        }
        // The update in progress may have produced another version. An update that was dropped, or
        // cannot be executed now because the disk is full, does not matter.
        match self.settle() {
            Ok(_) | Err(ClientError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        let version = self.version().ok_or(ClientError::NotUploaded)?.version;
        self.delete(version)
    }

    fn delete(&self, version: u64) -> Result<(), ClientError> {
        let file = self.file();
        let delete = self.sign(RequestKind::Delete, &Delete { file, version })?;
        let response = self.queries.transport.exchange(&Request::Delete(delete))?;
        self.removed(response)
    }

    fn removed(&self, response: Response) -> Result<(), ClientError> {
        match response {
            Response::Removed | Response::Refused(Refusal::Removed | Refusal::UnknownFile) => {
                Ok(())
            }
            Response::Refused(refusal) => Err(self.refused(Purpose::Change, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }
}
