//! Tables that the databases of all stored directories have in common: parameters with the
//! authority, all heads, and updates.
//!
//! | table | key | value |
//! | --- | --- | --- |
//! | `records` | `format` | the format of the file |
//! | `records` | `parameters` | suite, scheme, dictionary, author key, other fixed parameters |
//! | `updates` | version | the message of the update that produced it |
//! | `heads` | version | root, signature |

use pad_core::{
    AuthorKey, Authority, DictionaryId, HeadLog, HeadSignature, SchemeId, SignedHead, SnapshotHead,
    Suite, Untrusted, Update, Version, codec, internals::DigestBytes,
};
use redb::{ReadTransaction, ReadableTable as _, TableDefinition, WriteTransaction};

use super::error::StoreError;
use pad_disk::engine::EngineError;

const RECORDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("records");
pub(crate) const UPDATES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("updates");
const HEADS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("heads");

/// Creates the tables of a new database, and stores its format and parameters.
pub(crate) fn create(
    transaction: &WriteTransaction,
    format: &[u8],
    parameters: &[u8],
) -> Result<(), EngineError> {
    let mut records = transaction.open_table(RECORDS).map_err(EngineError::of)?;
    for (name, value) in [(FORMAT, format), (PARAMETERS, parameters)] {
        records.insert(name, value).map_err(EngineError::of)?;
    }
    transaction.open_table(UPDATES).map_err(EngineError::of)?;
    transaction.open_table(HEADS).map_err(EngineError::of)?;
    Ok(())
}

/// Returns whether the database has this format.
pub(crate) fn is_of(transaction: &ReadTransaction, format: &[u8]) -> Result<bool, EngineError> {
    let records = transaction.open_table(RECORDS).map_err(EngineError::of)?;
    let found = records.get(FORMAT).map_err(EngineError::of)?;
    Ok(found.is_some_and(|found| found.value() == format))
}

/// Returns the encoded parameters of the directory.
pub(crate) fn parameters(transaction: &ReadTransaction) -> Result<Vec<u8>, StoreError> {
    let records = transaction.open_table(RECORDS).map_err(EngineError::of)?;
    let bytes = records.get(PARAMETERS).map_err(EngineError::of)?;
    let bytes = bytes.ok_or(StoreError::DamagedLog("there are no parameters"))?;
    Ok(bytes.value().to_vec())
}

/// Encodes suite and authority (scheme, dictionary and author key), the first bytes of the
/// parameters.
pub(crate) fn authority_bytes<S: Suite>(authority: &Authority) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&S::ID.0.to_be_bytes());
    bytes.extend_from_slice(&authority.scheme.0.to_be_bytes());
    bytes.extend_from_slice(&authority.dictionary.to_bytes());
    bytes.extend_from_slice(&authority.author.to_bytes());
    bytes
}

/// Decodes the authority at the beginning of encoded parameters. Returns it with the remaining
/// bytes, or `None` unless suite and scheme match.
pub(crate) fn read_authority<S: Suite>(
    bytes: &[u8],
    expected: SchemeId,
) -> Option<(Authority, &[u8])> {
    let (suite, rest) = bytes.split_first_chunk::<2>()?;
    let (scheme, rest) = rest.split_first_chunk::<2>()?;
    let (dictionary, rest) = rest.split_first_chunk::<16>()?;
    let (author, rest) = rest.split_first_chunk::<32>()?;
    let authority = Authority {
        author: AuthorKey::from_bytes(author).ok()?,
        dictionary: DictionaryId::from_bytes(*dictionary),
        scheme: SchemeId(u16::from_be_bytes(*scheme)),
    };
    let is_ours = u16::from_be_bytes(*suite) == S::ID.0 && authority.scheme == expected;
    is_ours.then_some((authority, rest))
}

/// Inserts updates and the heads of their versions. Returns the total length of the encoded updates
/// in bytes.
pub(crate) fn append<S: Suite>(
    transaction: &WriteTransaction,
    updates: &[Update<S>],
) -> Result<u64, EngineError> {
    let mut table = transaction.open_table(UPDATES).map_err(EngineError::of)?;
    let mut bytes = 0;
    for update in updates {
        let message = codec::encode(update);
        bytes += crate::blocks::grid::to_u64(message.len());
        let version = update.head.head.version.number();
        table
            .insert(version, message.as_slice())
            .map_err(EngineError::of)?;
        put_head(transaction, &update.head)?;
    }
    Ok(bytes)
}

/// Returns the encoded update that produced a version, if the database contains it.
pub(crate) fn update(
    transaction: &ReadTransaction,
    version: Version,
) -> Result<Option<Vec<u8>>, EngineError> {
    let updates = transaction.open_table(UPDATES).map_err(EngineError::of)?;
    let message = updates.get(version.number()).map_err(EngineError::of)?;
    Ok(message.map(|message| message.value().to_vec()))
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
    let mut heads = HeadLog::<S>::new(authority);
    let table = transaction.open_table(HEADS).map_err(EngineError::of)?;
    for row in table.iter().map_err(EngineError::of)? {
        let (version, bytes) = row.map_err(EngineError::of)?;
        let version = Version::new(version.value());
        let head = read_head::<S>(bytes.value());
        let (root, signature) = head.ok_or(damaged("a head cannot be decoded"))?;
        if Some(version) != heads.latest().next() {
            return Err(damaged("a head is missing"));
        }
        // A placeholder: the head log derives the real history from the roots.
        let history = root;
        heads.append(&SignedHead {
            head: SnapshotHead {
                scheme: authority.scheme,
                dictionary: authority.dictionary,
                version,
                root,
                history,
            },
            signature,
        });
    }
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

const FORMAT: &str = "format";
const PARAMETERS: &str = "parameters";
