//! Verified reads of a file.

use core::ops::Range;
use std::io::Write;

use flexlist::{
    AuditError,
    internals::KnownBlock,
    list::{ProvenBlock, Sha256, verify_range},
    tag::committed_digest,
};
use pad_core::HeadSignature;
use signature::Signer;

use super::{
    blame::Purpose, error::ClientError, file::FileClient, queries::VersionQueries,
    transport::Transport,
};
use crate::message::{ReadBlock, Refusal, Request, Response};

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Returns the bytes of the file in `range`, verified.
    ///
    /// # Errors
    /// The errors of [`read_to`](Self::read_to).
    pub fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, ClientError> {
        let mut bytes = Vec::new();
        self.read_to(range, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes the bytes of the file in `range` to `sink`, block by block as they are verified.
    /// After an error, `sink` contains a verified prefix of these bytes.
    ///
    /// # Errors
    /// * [`ClientError::OutOfRange`] if the range exceeds the file; [`ClientError::NotUploaded`]
    ///   before the upload is finished.
    /// * [`ClientError::Proof`] or [`ClientError::Blocks`] if the server's proof or a block is
    ///   invalid.
    /// * [`ClientError::Breach`] if the server refuses to answer; [`ClientError::Refused`] if it
    ///   cannot answer for now.
    /// * [`ClientError::Rollback`], [`ClientError::Superseded`] or [`ClientError::Outdated`] if it
    ///   claims another version.
    /// * [`ClientError::Unexpected`] if the response does not match the request;
    ///   [`ClientError::Transport`] if no valid response arrives.
    /// * [`ClientError::Io`] if the sink fails.
    /// * The errors of [`readable`](Self::readable).
    pub fn read_to(&mut self, range: Range<u64>, sink: &mut impl Write) -> Result<(), ClientError> {
        let state = self.readable()?;
        self.at(&state).read_to(range, sink)
    }
}

impl<T: Transport> VersionQueries<'_, T> {
    /// Writes the bytes in `range` to `sink`, block by block as they are verified.
    pub(super) fn read_to(
        &self,
        range: Range<u64>,
        sink: &mut impl Write,
    ) -> Result<(), ClientError> {
        let total = self.state.list.total;
        let end = range.end.max(range.start);
        if end > total {
            return Err(ClientError::OutOfRange { end, total });
        }
        let wanted = range.clone();
        self.visit_blocks(range, &mut |block| {
            let bytes = block.part(wanted.clone());
            sink.write_all(bytes).map_err(ClientError::Io)
        })
    }

    /// Calls `visit` with each block that overlaps `range`, verified, in file order.
    pub(super) fn visit_blocks(
        &self,
        range: Range<u64>,
        visit: &mut dyn FnMut(KnownBlock) -> Result<(), ClientError>,
    ) -> Result<(), ClientError> {
        let mut start = range.start;
        let mut window = self.queries.options.read_bytes.max(1);
        while start < range.end {
            let end = start.saturating_add(window).min(range.end);
            match self.blocks(start..end) {
                Ok(blocks) => {
                    for block in blocks {
                        // Continues after the block, which may end past the window.
                        start = start.max(block.end());
                        visit(block)?;
                    }
                }
                // An answer consists of whole blocks, and may be longer than the requested range.
                Err(ClientError::Refused(Refusal::TooLarge(_))) if window > 1 => {
                    window = window.div_ceil(2);
                }
                Err(ClientError::Refused(refusal)) => {
                    let known = &self.known;
                    return Err(self.queries.refused(known, Purpose::Question, refusal));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Requests and returns the blocks that overlap `range`, verified.
    ///
    /// Returns any refusal as [`ClientError::Refused`]. The caller decides which side is at fault,
    /// because a smaller request may succeed.
    pub(super) fn blocks(&self, range: Range<u64>) -> Result<Vec<KnownBlock>, ClientError> {
        let state = &self.state;
        let request = Request::Read {
            file: state.file,
            version: state.version,
            start: range.start,
            end: range.end,
        };
        let (list_proof, blocks) = match self.queries.transport.exchange(&request)? {
            Response::Read { list_proof, blocks } => (list_proof, blocks),
            Response::Refused(refusal) => return Err(ClientError::Refused(refusal)),
            _ => return Err(ClientError::Unexpected),
        };
        let proven = verify_range::<Sha256>(list_proof.as_ref(), &state.list, range)?;
        let (expected, actual) = (proven.get().len(), blocks.len());
        if expected != actual {
            return Err(AuditError::TagCountMismatch { expected, actual }.into());
        }
        let pairs = proven.get().iter().zip(blocks);
        pairs
            .map(|(proven, block)| Ok(self.check(proven, block)?))
            .collect()
    }

    /// Verifies that a block sent by the server is the block that the list contains.
    fn check(&self, proven: &ProvenBlock, block: ReadBlock) -> Result<KnownBlock, AuditError> {
        let start = proven.start;
        let ReadBlock { committed, data } = block;
        if committed_digest(committed.as_ref()) != proven.tag_digest.0 {
            return Err(AuditError::TagDigestMismatch { start });
        }
        if u64::try_from(data.0.len()) != Ok(proven.length) {
            return Err(AuditError::BlockMismatch { start });
        }
        let kind = self.queries.tags.kind();
        kind.check_block(start, committed.as_ref(), data.as_ref())?;
        let bytes = data.0;
        Ok(KnownBlock { start, bytes })
    }
}
