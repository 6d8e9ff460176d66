//! Tables of a log: parameters with the authority, all heads, and updates.
//!
//! | table | key | value |
//! | --- | --- | --- |
//! | `records` | `format` | the format of the file |
//! | `records` | `parameters` | suite, author key, dictionary, scheme, other fixed parameters |
//! | `updates` | version | the message of the update that produced it |
//! | `heads` | version | root, signature |

use pad_core::{
    Authority, HeadLog, HeadSignature, SignedHead, Suite, Untrusted, Version,
    internals::DigestBytes,
};
use redb::{ReadTransaction, ReadableTable as _, TableDefinition, WriteTransaction};

use super::error::StoreError;
use crate::blocks::grid::to_u64;
use pad_disk::engine::EngineError;

const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("records");
pub(crate) const UPDATES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("updates");
const HEADS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("heads");

/// Creates the tables of a new database, and stores its format and parameters.
pub(crate) fn create(transaction: &WriteTransaction, parameters: &[u8]) -> Result<(), EngineError> {
    let mut records = transaction.open_table(RECORDS).map_err(EngineError::of)?;
    for (name, value) in [(FORMAT, LOG), (PARAMETERS, parameters)] {
        records.insert(name, value).map_err(EngineError::of)?;
    }
    transaction.open_table(UPDATES).map_err(EngineError::of)?;
    transaction.open_table(HEADS).map_err(EngineError::of)?;
    Ok(())
}

/// Returns whether the database is a log.
pub(crate) fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    let records = transaction.open_table(RECORDS).map_err(EngineError::of)?;
    let found = records.get(FORMAT).map_err(EngineError::of)?;
    Ok(found.is_some_and(|found| found.value() == LOG))
}

/// Returns the encoded parameters of the directory.
pub(crate) fn parameters(transaction: &ReadTransaction) -> Result<Vec<u8>, StoreError> {
    let records = transaction.open_table(RECORDS).map_err(EngineError::of)?;
    let bytes = records.get(PARAMETERS).map_err(EngineError::of)?;
    let bytes = bytes.ok_or(StoreError::DamagedLog("there are no parameters"))?;
    Ok(bytes.value().to_vec())
}

/// Inserts the signed head of a version: its root and signature.
pub(crate) fn put_head<S: Suite>(
    transaction: &WriteTransaction,
    head: &SignedHead<S>,
) -> Result<(), EngineError> {
    let mut bytes = head.head.root.as_ref().to_vec();
    bytes.extend_from_slice(&head.signature.to_bytes());
    let mut heads = transaction.open_table(HEADS).map_err(EngineError::of)?;
    let entered = heads.insert(head.head.version.number(), bytes.as_slice());
    entered.map(drop).map_err(EngineError::of)
}

/// Reads all heads up to the latest version. Verifies the author's signature on the latest head,
/// which also covers the roots of all heads before it.
pub(crate) fn heads<S: Suite>(
    transaction: &ReadTransaction,
    authority: Authority,
    latest: Version,
) -> Result<HeadLog<S>, StoreError> {
    let damaged = StoreError::DamagedLog;
    let mut rows = Vec::new();
    let table = transaction.open_table(HEADS).map_err(EngineError::of)?;
    for row in table.iter().map_err(EngineError::of)? {
        let (version, bytes) = row.map_err(EngineError::of)?;
        if version.value().checked_sub(1) != Some(to_u64(rows.len())) {
            return Err(damaged("a head is missing"));
        }
        let row = read_head::<S>(bytes.value());
        rows.push(row.ok_or(damaged("a head cannot be decoded"))?);
    }
    let heads = HeadLog::<S>::from_rows(authority, rows);
    if heads.latest() != latest {
        return Err(damaged("a head is missing"));
    }
    if let Some(head) = heads.latest_head() {
        let verified = Untrusted::new(head).verify(&authority, &latest);
        verified.map_err(|_| damaged("the latest head is not the author's"))?;
    }
    Ok(heads)
}

fn read_head<S: Suite>(bytes: &[u8]) -> Option<(S::Digest, HeadSignature)> {
    let (root, signature) = bytes.split_at_checked(S::Digest::LENGTH)?;
    let signature = HeadSignature::from_bytes(signature.try_into().ok()?);
    Some((S::Digest::from_slice(root)?, signature))
}

/// The value of `format` in a log.
const LOG: &[u8] = b"block-directory v2";
const FORMAT: &str = "format";
const PARAMETERS: &str = "parameters";
