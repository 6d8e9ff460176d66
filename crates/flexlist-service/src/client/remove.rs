//! The end of a file.

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
    /// Has the server remove the file, or give up its upload if that is not finished. What was signed
    /// about the file does not bring it back. The state file stays, and is of no use any more.
    ///
    /// A server that answers that it has no such file has done what was asked. Whether it keeps a copy cannot
    /// be told.
    ///
    /// # Errors
    /// [`ClientError::Outdated`] if another writer has changed the file since; [`ClientError::Rollback`]
    /// if the server has an older version only; [`ClientError::Transport`], [`ClientError::Refused`],
    /// [`ClientError::Unexpected`], [`ClientError::Signer`]; what [`settle`](Self::settle) fails with.
    pub fn remove(&mut self) -> Result<(), ClientError> {
        let file = self.file();
        if matches!(self.state.record().stage, Stage::Uploading(_)) {
            let abort = self.sign(RequestKind::Abort, &Abort { file })?;
            return match self.asking.transport.exchange(&Request::Abort(abort))? {
                // Finished, and the answer was lost.
                Response::Refused(Refusal::UploadFinished) => self.delete(1),
                response => self.removed(response),
            };
        }
        // What is under way may have led to another version. If it was dropped, or cannot be carried out
        // now, as on a full disk, it is of no matter.
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
        let response = self.asking.transport.exchange(&Request::Delete(delete))?;
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
