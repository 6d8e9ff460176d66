//! Uploads: the owner sends a source in parts, computes the root of the block list itself, and
//! signs it.
//!
//! An interrupted upload is resumed with the same source. Parts that the server already stores are
//! cut and tagged again, but not sent. Their tags must be identical to those sent, so write ids are
//! derived instead of drawn at random. A write id derives from a secret of this upload, the block's
//! position and its contents. Changed contents thus get other ids. Two contents under one id would
//! reveal parts of a private key.
//!
//! If the server has the parts sent, the client detects a changed source before it sends anything.
//! The state file contains a hash of the source up to each of the last two parts sent. The server
//! must have exactly the parts up to one of these two, or no part. Otherwise the owner does not
//! know the contents of the server's parts.

use std::{io::Read, time::SystemTime};

use flexlist::{
    FileState, FlexList, Level,
    internals::Blocks,
    list::{Block, Sha256 as ListHash},
    tag::WriteId,
};
use pad_core::{Digest, HeadSignature};
use sha2::{Digest as _, Sha256};
use signature::Signer;

use super::{
    blame::Purpose,
    error::ClientError,
    file::FileClient,
    state::{Record, SourcePrefix, Stage, UploadState},
    transport::Transport,
};
use crate::{
    count,
    message::{Begin, Finish, MAX_PART_BLOCKS, Part, Refusal, Request, Response, SentBlock},
    signed::RequestKind,
};

/// Upper bound of the bytes sent for a block in addition to its contents. More than the longest tag
/// of any kind.
const BLOCK_OVERHEAD: usize = 512;

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Uploads `source` until its end, or resumes an interrupted upload.
    ///
    /// To resume, `source` must start at its beginning again. After each part, `progress` gets the
    /// number of bytes of the source processed so far. Keeps two parts and about 60 bytes per block
    /// in memory. At the end, it builds the list, which takes some hundred bytes per block. Writes
    /// the state file once per part sent, and at the end.
    ///
    /// # Errors
    /// * [`ClientError::AlreadyUploaded`] if the upload is finished.
    /// * [`ClientError::SourceChanged`] if an earlier attempt had another source;
    ///   [`ClientError::MoreParts`] if the number of parts that the server claims does not fit
    ///   those sent. Continue with the original source or state file, or
    ///   [`restart`](Self::restart).
    /// * [`ClientError::Io`] if the source cannot be read.
    /// * [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses.
    /// * [`ClientError::Unexpected`] if the response does not match the request;
    ///   [`ClientError::Statement`] if the server presents an invalid statement of the owner.
    /// * [`ClientError::Forked`] if the server claims another file.
    /// * [`ClientError::Superseded`] or [`ClientError::Outdated`] if the file is uploaded and has
    ///   changed since.
    /// * [`ClientError::Tag`], [`ClientError::List`] or [`ClientError::Signer`] if a part cannot be
    ///   tagged, listed or signed.
    /// * [`ClientError::State`] if the state file cannot be written.
    pub fn upload<R: Read>(
        &mut self,
        source: R,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileState, ClientError> {
        let Stage::Uploading(mut before) = self.state.record().stage.clone() else {
            return Err(ClientError::AlreadyUploaded);
        };
        let sent = before.last.parts;
        let next_part = self.begin()?;
        if let Some(claimed) = next_part.filter(|claimed| !before.can_have(*claimed)) {
            return Err(ClientError::MoreParts { sent, claimed });
        }
        if next_part.is_none() {
            // Only the server's answer was missing. The source is compared afterwards.
            let end = match before.end {
                Some(end) => end,
                None => self.end_of_copy()?,
            };
            before.end = Some(end);
            self.finished(&end)?;
        }
        let mut upload = Upload::new(before.secret, self.chunker().blocks(source));
        let mut prefix = SourcePrefix::default();
        loop {
            let blocks = self.next_part(&mut upload)?;
            if blocks.is_empty() {
                break;
            }
            let before_last = prefix;
            prefix = upload.prefix(prefix.parts.saturating_add(1));
            before.compare(next_part, &prefix)?;
            if next_part.is_some_and(|next_part| before_last.parts >= next_part) {
                let last = prefix;
                self.state.advance(Stage::Uploading(UploadState {
                    before_last,
                    last,
                    ..before
                }))?;
                self.send_part(before_last.parts, blocks)?;
            }
            progress(upload.total);
        }
        before.compare_end(next_part, &prefix)?;
        let list = FlexList::<ListHash>::build(&upload.list, &self.queries.options.workers)?;
        let state = FileState {
            file: self.file(),
            version: 1,
            list: list.state(),
        };
        if before.end.is_some_and(|end| end != state) {
            return Err(changed(&before.last, next_part));
        }
        if self.version().is_some() {
            return Ok(state);
        }
        self.finish(&before, prefix, &state)?;
        Ok(state)
    }

    /// Abandons an unfinished upload, on the server too. Begins a new upload under another file
    /// identifier.
    ///
    /// The new upload may have another source. If the server has finished the upload without the
    /// owner's knowledge, this file is removed too.
    ///
    /// # Errors
    /// * [`ClientError::AlreadyUploaded`] if the upload is finished.
    /// * [`ClientError::Transport`] if no valid response arrives; [`ClientError::Refused`] or
    ///   [`ClientError::Breach`] if the server refuses; [`ClientError::Unexpected`] if the response
    ///   does not match the request. The state file is then unchanged, but the server may have
    ///   removed the upload.
    /// * [`ClientError::Signer`] if the signer fails; [`ClientError::State`] if the state file
    ///   cannot be written.
    /// * [`ClientError::RandomnessUnavailable`] if the operating system provides no random bytes.
    pub fn restart(&mut self) -> Result<(), ClientError> {
        if !matches!(self.state.record().stage, Stage::Uploading(_)) {
            return Err(ClientError::AlreadyUploaded);
        }
        self.remove()?;
        let chunker = *self.chunker();
        let beginning = Record {
            server: self.server().to_owned(),
            ..Self::beginning(&self.owner, chunker)?
        };
        Ok(self.state.replace(beginning)?)
    }

    /// Returns version 1 as signed by the owner, for a server that claims a finished upload which
    /// this state file did not finish. Either another copy of the state file did so, or the server
    /// lies.
    fn end_of_copy(&self) -> Result<FileState, ClientError> {
        let newer = *self.vouched()?.state();
        match newer.version {
            1 => Ok(newer),
            _ => Err(ClientError::Superseded { known: 0, newer }),
        }
    }

    /// Sends the request to begin or resume the upload. Returns the part that the server needs
    /// next, or `None` if the server has finished the upload.
    fn begin(&self) -> Result<Option<u64>, ClientError> {
        let begin = Begin {
            owner: self.owner.key.to_bytes(),
            salt: self.state.record().salt,
            server_parameters: self.owner.tags.server_parameters().to_bytes().into(),
            expires: Begin::expires_after(SystemTime::now()),
        };
        let begin = self.sign(RequestKind::Begin, &begin)?;
        match self.queries.transport.exchange(&Request::Begin(begin))? {
            Response::State(status) if status.version == 0 => Ok(Some(status.next_part)),
            // Finished, but the answer was lost: nothing has to be sent.
            Response::State(_) | Response::Refused(Refusal::UploadFinished) => Ok(None),
            Response::Refused(refusal) => Err(self.refused(Purpose::Begin, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Cuts and tags the blocks of the next part of the source. Returns no blocks at the end of the
    /// source.
    fn next_part<R: Read>(&self, upload: &mut Upload<R>) -> Result<Vec<SentBlock>, ClientError> {
        let mut written = Vec::new();
        let mut bytes = 0_usize;
        let first = upload.list.len();
        while bytes < self.queries.options.part_bytes && written.len() < MAX_PART_BLOCKS {
            let Some(block) = upload.blocks.next().transpose().map_err(ClientError::Io)? else {
                break;
            };
            let position = first.saturating_add(written.len());
            bytes = bytes
                .saturating_add(block.len())
                .saturating_add(BLOCK_OVERHEAD);
            written.push((upload.write_id(position, &block), block));
        }
        let tags = self
            .owner
            .tags
            .tag_all(&written, &self.queries.options.workers)?;
        let mut part = Vec::with_capacity(written.len());
        for ((_, data), tag) in written.into_iter().zip(tags) {
            let data = data.into();
            let block = SentBlock { tag, data };
            upload.push(&block);
            part.push(block);
        }
        Ok(part)
    }

    fn send_part(&self, number: u64, blocks: Vec<SentBlock>) -> Result<(), ClientError> {
        let part = Part {
            file: self.file(),
            number,
            blocks,
        };
        let part = self.sign(RequestKind::Part, &part)?;
        let next = number.saturating_add(1);
        match self.queries.transport.exchange(&Request::Part(part))? {
            Response::State(status) if status.next_part == next => Ok(()),
            // The answer to the first attempt was lost.
            Response::Refused(Refusal::PartOutOfOrder { expected }) if expected == next => Ok(()),
            Response::Refused(refusal) => Err(self.refused(Purpose::Part, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Signs and sends the end of the upload, and verifies that the server agrees on version 1.
    fn finish(
        &mut self,
        before: &UploadState,
        last: SourcePrefix,
        state: &FileState,
    ) -> Result<(), ClientError> {
        let finish = Finish {
            file: state.file,
            parts: last.parts,
            root: state.list.root,
            total: state.list.total,
        };
        let finish = self.sign(RequestKind::Finish, &finish)?;
        let end = Some(*state);
        self.state.advance(Stage::Uploading(UploadState {
            last,
            end,
            ..before.clone()
        }))?;
        match self.queries.transport.exchange(&Request::Finish(finish))? {
            Response::State(status) => {
                self.check_standing(&status, state)?;
                Ok(self.state.advance(Stage::Settled(*state))?)
            }
            // The answer to the first attempt was lost.
            Response::Refused(Refusal::UploadFinished) => self.finished(state),
            Response::Refused(refusal) => Err(self.refused(Purpose::Finish, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Records version 1 (`state`) after the server has accepted the end of the upload. The owner
    /// keeps this version, whatever else the server claims.
    fn finished(&mut self, state: &FileState) -> Result<(), ClientError> {
        let status = self.queries.status(&self.known())?;
        if status.version == 0 {
            return Err(ClientError::Unexpected);
        }
        self.state.advance(Stage::Settled(*state))?;
        self.check_standing(&status, state)
    }
}

impl UploadState {
    /// Reports whether an honest server can have `parts` parts: those up to the last or the last
    /// but one sent, or none. For other numbers, the owner does not know the contents of the parts.
    const fn can_have(&self, parts: u64) -> bool {
        parts == 0 || parts == self.before_last.parts || parts == self.last.parts
    }

    /// Compares `prefix`, a prefix of the source, with the uploaded prefix of the same number of
    /// parts, if the state contains one. `next_part` is the part that the server needs next, or
    /// `None` if it has finished the upload.
    fn compare(&self, next_part: Option<u64>, prefix: &SourcePrefix) -> Result<(), ClientError> {
        for sent in self.held(next_part) {
            if sent.parts == prefix.parts && sent != prefix {
                return Err(changed(sent, next_part));
            }
        }
        Ok(())
    }

    /// Checks that the source is not shorter than the uploaded bytes.
    fn compare_end(
        &self,
        next_part: Option<u64>,
        prefix: &SourcePrefix,
    ) -> Result<(), ClientError> {
        match self.held(next_part).find(|sent| sent.parts > prefix.parts) {
            Some(sent) => Err(changed(sent, next_part)),
            None => Ok(()),
        }
    }

    /// Returns the prefixes of the uploaded source that a resumed source must match.
    ///
    /// Before the end of the upload is signed, these are the prefixes that the server has. There
    /// are none if it dropped its parts. Once the end is signed or the upload is finished, these
    /// are all prefixes, so that one file never gets two ends.
    fn held(&self, next_part: Option<u64>) -> impl Iterator<Item = &SourcePrefix> {
        let held = match next_part {
            Some(next_part) if self.end.is_none() => next_part,
            _ => u64::MAX,
        };
        let last = (held >= self.last.parts).then_some(&self.last);
        let before_last = (held > 0).then_some(&self.before_last);
        before_last
            .into_iter()
            .chain(last)
            .filter(|prefix| prefix.parts > 0)
    }
}

/// Returns the error for a source that differs from the uploaded bytes within the prefix `sent`.
const fn changed(sent: &SourcePrefix, next_part: Option<u64>) -> ClientError {
    ClientError::SourceChanged {
        bytes: sent.bytes,
        finished: next_part.is_none(),
    }
}

/// A source that is cut into blocks, and the list of these blocks.
struct Upload<R> {
    secret: [u8; 32],
    blocks: Blocks<R>,
    list: Vec<Block>,
    total: u64,
    /// Hash over the hashes of all blocks so far.
    contents: Sha256,
}

impl<R> Upload<R> {
    fn new(secret: [u8; 32], blocks: Blocks<R>) -> Self {
        Self {
            secret,
            blocks,
            list: Vec::new(),
            total: 0,
            contents: Sha256::new_with_prefix(b"flexlist/source/v1"),
        }
    }

    /// Returns the prefix of the source that was read so far, as `parts` parts.
    fn prefix(&self, parts: u64) -> SourcePrefix {
        SourcePrefix {
            parts,
            bytes: self.total,
            digest: Digest(self.contents.clone().finalize().into()),
        }
    }

    /// Derives the write id of the block at `position`, counted from 0, from the position, the
    /// contents and the upload's secret. Adds the contents to the hash of the source.
    ///
    /// A hash with a secret prefix is a pseudorandom function here, because all inputs have one
    /// length.
    fn write_id(&mut self, position: usize, block: &[u8]) -> WriteId {
        let contents: [u8; 32] = Sha256::digest(block).into();
        self.contents.update(contents);
        let mut hash = Sha256::new_with_prefix(b"flexlist/write-id/v1");
        hash.update(self.secret);
        hash.update(count(position).to_be_bytes());
        hash.update(contents);
        let digest: [u8; 32] = hash.finalize().into();
        WriteId(digest.first_chunk().copied().unwrap_or_default())
    }

    fn push(&mut self, block: &SentBlock) {
        let level = Level::initial(count(self.list.len()).saturating_add(1));
        self.list.push(block.listed(level, 0));
        self.total = self.total.saturating_add(block.length());
    }
}
