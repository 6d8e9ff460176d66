//! The upload: parts of a stream, and a root of the owner's own.
//!
//! An upload that broke off is begun again with the same source: the parts that the server has are cut
//! and tagged once more but not sent. Their tags must come out as they were, so a write id is not drawn
//! but derived: from a secret of this upload, the block's position and its contents. With the contents in
//! it, a source that changed in between gives other ids: no id is ever used for two contents, which
//! would give away parts of a private key, and the roots differ at the end.

use std::{io::Read, time::SystemTime};

use flexlist::{
    FileState, FlexList, Level,
    chunk::Blocks,
    list::{Block, ListState, Sha256 as ListHash},
    tag::WriteId,
};
use pad_core::HeadSignature;
use sha2::{Digest as _, Sha256};
use signature::Signer;

use super::{
    apply,
    blame::Purpose,
    error::ClientError,
    file::{FileClient, check_standing},
    state::Stage,
    transport::Transport,
};
use crate::{
    message::{Begin, Finish, MAX_PART_BLOCKS, Part, Refusal, Request, Response, SentBlock},
    signed::RequestKind,
};

/// What travels with a block beside its bytes: more than the longest tag of any kind has.
const BLOCK_OVERHEAD: usize = 512;

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Uploads what `source` yields until its end, or goes on with an upload that broke off: `source`
    /// then begins at the beginning all the same. `progress` gets the bytes that are done, after each
    /// part.
    ///
    /// Keeps two parts and about 60 bytes for each block in memory.
    ///
    /// # Errors
    /// [`ClientError::AlreadyUploaded`]; [`ClientError::SourceChanged`], or [`ClientError::Refused`]
    /// with [`Refusal::RootMismatch`], if an earlier attempt had another source; [`ClientError::Io`] of
    /// the source; [`ClientError::Transport`], [`ClientError::Refused`], [`ClientError::Unexpected`];
    /// [`ClientError::Forked`] if the server claims another file; [`ClientError::Tag`],
    /// [`ClientError::List`], [`ClientError::Signer`], [`ClientError::State`].
    pub fn upload<R: Read>(
        &mut self,
        source: R,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileState, ClientError> {
        let Stage::Uploading { secret } = self.state.record().stage else {
            return Err(ClientError::AlreadyUploaded);
        };
        let next_part = self.begin()?;
        let mut upload = Upload {
            secret,
            blocks: self.chunker().blocks(source),
            list: Vec::new(),
            total: 0,
        };
        let mut parts = 0;
        loop {
            let blocks = self.next_part(&mut upload)?;
            if blocks.is_empty() {
                break;
            }
            if next_part.is_some_and(|next_part| parts >= next_part) {
                self.send_part(parts, blocks)?;
            }
            parts = parts.saturating_add(1);
            progress(upload.total);
        }
        if next_part.is_some_and(|next_part| next_part > parts) {
            return Err(ClientError::SourceChanged);
        }
        let list = FlexList::<ListHash>::build(&upload.list, &self.options.workers)?;
        let state = FileState {
            file: self.file(),
            version: 1,
            list: ListState {
                root: list.root(),
                total: list.total(),
            },
        };
        self.finish(parts, &state)?;
        self.state.advance(Stage::Settled(state))?;
        Ok(state)
    }

    /// The part that the server needs next; `None` if it has finished the upload.
    fn begin(&self) -> Result<Option<u64>, ClientError> {
        let begin = Begin {
            owner: self.owner.key.to_bytes(),
            salt: self.state.record().salt,
            server_parameters: self.owner.tags.server_parameters().to_bytes().into(),
            expires: Begin::expires_after(SystemTime::now()),
        };
        let begin = self.sign(RequestKind::Begin, &begin)?;
        match self.transport.exchange(&Request::Begin(begin))? {
            Response::Standing(standing) if standing.version == 0 => Ok(Some(standing.next_part)),
            // Finished, and the answer was lost: nothing is to be sent.
            Response::Standing(_) | Response::Refused(Refusal::UploadFinished) => Ok(None),
            Response::Refused(refusal) => Err(self.refused(Purpose::Begin, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// Cuts and tags the next part of the source; empty at its end.
    fn next_part<R: Read>(&self, upload: &mut Upload<R>) -> Result<Vec<SentBlock>, ClientError> {
        let mut written = Vec::new();
        let mut bytes = 0_usize;
        let first = upload.list.len();
        while bytes < self.options.part_bytes && written.len() < MAX_PART_BLOCKS {
            let Some(block) = upload.blocks.next().transpose().map_err(ClientError::Io)? else {
                break;
            };
            let position = first.saturating_add(written.len());
            bytes = bytes
                .saturating_add(block.len())
                .saturating_add(BLOCK_OVERHEAD);
            written.push((upload.write_id(position, &block), block));
        }
        let tags = self.owner.tags.tag_all(&written, &self.options.workers)?;
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
        match self.transport.exchange(&Request::Part(part))? {
            Response::Standing(standing) if standing.next_part == next => Ok(()),
            // The answer to the first attempt was lost.
            Response::Refused(Refusal::PartOutOfOrder { expected }) if expected == next => Ok(()),
            Response::Refused(refusal) => Err(self.refused(Purpose::Part, refusal)),
            _ => Err(ClientError::Unexpected),
        }
    }

    /// The server agrees that this is version 1.
    fn finish(&self, parts: u64, state: &FileState) -> Result<(), ClientError> {
        let finish = Finish {
            file: state.file,
            parts,
            root: state.list.root,
            total: state.list.total,
        };
        let finish = self.sign(RequestKind::Finish, &finish)?;
        let standing = match self.transport.exchange(&Request::Finish(finish))? {
            Response::Standing(standing) => standing,
            // The answer to the first attempt was lost.
            Response::Refused(Refusal::UploadFinished) => {
                self.standing(&Request::Status { file: state.file })?
            }
            Response::Refused(refusal) => return Err(self.refused(Purpose::Finish, refusal)),
            _ => return Err(ClientError::Unexpected),
        };
        check_standing(&standing, state)
    }
}

/// A source that is cut into blocks, and the list that they make.
struct Upload<R> {
    secret: [u8; 32],
    blocks: Blocks<R>,
    list: Vec<Block>,
    total: u64,
}

impl<R> Upload<R> {
    /// The write id of the block at `position`, counted from 0, with these contents.
    ///
    /// A hash with a secret prefix is a pseudorandom function here: what it is given has one length.
    fn write_id(&self, position: usize, block: &[u8]) -> WriteId {
        let contents: [u8; 32] = Sha256::digest(block).into();
        let mut hash = Sha256::new_with_prefix(b"flexlist/write-id/v1");
        hash.update(self.secret);
        hash.update(u64::try_from(position).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(contents);
        let digest: [u8; 32] = hash.finalize().into();
        let [low, _] = halves(digest);
        WriteId(low)
    }

    fn push(&mut self, block: &SentBlock) {
        let length = apply::length(block);
        let position = u64::try_from(self.list.len()).unwrap_or(u64::MAX);
        self.list.push(Block {
            length,
            tag_digest: apply::digest(block),
            level: Level::initial(position.saturating_add(1)),
            label: 0,
        });
        self.total = self.total.saturating_add(length);
    }
}

/// The two halves of a digest.
fn halves(digest: [u8; 32]) -> [[u8; 16]; 2] {
    let mut halves = [[0; 16]; 2];
    halves.as_flattened_mut().copy_from_slice(&digest);
    halves
}
