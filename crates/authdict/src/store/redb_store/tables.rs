//! The tables of a store's file, and the digests that protect their rows.
//!
//! The digests protect against accidents, not against attackers: an attacker that can write the
//! file can also write digests. The author's signatures are verified separately.

use pad_core::codec;
use pad_disk::{Seal, engine::EngineError};
use redb::TableDefinition;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::store::StoreError;

/// The place of a row: its table, group and name. The digest of a row covers its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a>(pub(super) [&'a [u8]; 3]);

impl Place<'_> {
    pub(super) fn digest(&self, body: &[u8]) -> [u8; 32] {
        SEAL.digest(&self.0, body)
    }

    /// Encodes a row for storage: its digest, followed by its contents.
    pub(super) fn sealed(&self, body: &[u8]) -> Vec<u8> {
        SEAL.seal(&self.0, body)
    }

    pub(super) fn unsealed<'r>(&self, row: &'r [u8]) -> Result<&'r [u8], StoreError> {
        let body = SEAL.open(&self.0, row);
        body.ok_or(StoreError::Damaged("checksum mismatch in a row"))
    }

    pub(super) fn seal<T: Serialize>(&self, value: &T) -> Vec<u8> {
        self.sealed(&codec::encode_body(value))
    }

    pub(super) fn unseal<T: Serialize + DeserializeOwned>(
        &self,
        row: &[u8],
    ) -> Result<T, StoreError> {
        codec::decode_body(self.unsealed(row)?).map_err(|_| StoreError::Damaged("unreadable row"))
    }
}

/// Returns the next digest of the chain over all updates. It covers the previous digest, the
/// version and the update.
pub(super) fn chain(before: &[u8; 32], version: u64, update: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"pad/store/update/v1");
    hash.update(before);
    hash.update(version.to_be_bytes());
    hash.update(update);
    hash.finalize().into()
}

pub(super) fn engine(error: impl Into<redb::Error>) -> StoreError {
    EngineError::of(error).into()
}

pub(super) const NO_UPDATES: [u8; 32] = [0; 32];

const SEAL: Seal<32> = Seal::new(b"pad/store/row/v1");

/// Maps (group, name) to the row's digest, followed by the record's value.
pub(super) const RECORDS: TableDefinition<'_, (&str, &[u8]), &[u8]> =
    TableDefinition::new("records");
/// Maps a group to the row's digest, followed by the number of the group's records and their
/// combined digest.
pub(super) const GROUPS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("groups");
/// Maps a version to the digest of all updates up to this version. The digests are stored apart
/// from the updates, which can be as large as a dictionary. So comparing digests does not read
/// updates.
pub(super) const LINKS: TableDefinition<'_, u64, &[u8; 32]> = TableDefinition::new("links");
/// Maps (version, 0), (version, 1), .. to the pieces of the update that produced the version.
/// Updates are split because the engine reads one page of a table when it opens the table, and a
/// page is as large as its contents.
pub(super) const UPDATES: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("updates");
/// Maps 0, 1, .. to the pieces of the stored checkpoint's bytes, in order.
pub(super) const CHECKPOINT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("checkpoint");
/// A single row: its digest, followed by the [summary](super::summary::Summary).
pub(super) const SUMMARY: TableDefinition<'_, (), &[u8]> = TableDefinition::new("summary");
