//! The last acknowledged state of a store, in a small file next to it.
//!
//! A damaged page inside the store can roll the store back by some changes, because the pages of an
//! earlier state still exist and are consistent. The file is written after each durable change,
//! before the change is acknowledged. A store that is behind this file has therefore lost an
//! acknowledged change.

use std::path::{Path, PathBuf};

use pad_core::{Version, codec};
use pad_disk::{Register, RegisterError};
use serde::{Deserialize, Serialize};

use super::summary::{Link, Summary};
use crate::store::{NEWEST_UNREADABLE, StoreError};

/// The contents of the file: the store's id, the number of its last acknowledged change, and its
/// latest version. The [`Link`] of this version also contains the digest of all updates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AcknowledgedState {
    store: [u8; 16],
    change: u64,
    latest: Link,
}

impl AcknowledgedState {
    const fn of(summary: &Summary) -> Self {
        Self {
            store: summary.store,
            change: summary.change,
            latest: summary.latest,
        }
    }
}

/// Returns the path of the file with the acknowledged state, for the store at the path `store`.
pub(super) fn path(store: &Path) -> Result<PathBuf, StoreError> {
    Ok(pad_disk::companion(store, ".newest")?)
}

/// Reads the last acknowledged state of the store at the path `store`, from the file next to it.
/// Returns `None` if this file does not exist.
pub(super) fn known(store: &Path) -> Result<Option<AcknowledgedState>, StoreError> {
    match Register::read(&path(store)?)? {
        Some(value) => Ok(Some(
            codec::decode_body(&value).map_err(|_| NEWEST_UNREADABLE)?,
        )),
        None => Ok(None),
    }
}

/// Refuses a store that is older than its last acknowledged state `known`, or has another latest
/// version at the same change. A store without an acknowledged state, or with the acknowledged
/// state of another store, is accepted.
pub(super) fn check(
    store: &Path,
    known: Option<&AcknowledgedState>,
    summary: &Summary,
) -> Result<(), StoreError> {
    let Some(known) = known.filter(|known| known.store == summary.store) else {
        return Ok(());
    };
    let is_behind = summary.change < known.change;
    let is_other = summary.change == known.change && summary.latest != known.latest;
    if !is_behind && !is_other {
        return Ok(());
    }
    Err(StoreError::Older {
        found: summary.latest(),
        found_change: summary.change,
        acknowledged: Version::new(known.latest.version),
        acknowledged_change: known.change,
        record: path(store)?,
    })
}

/// Opens the file with the acknowledged state for writing, so that [`write`] needs no additional
/// disk space. Creates a missing file, and overwrites the file of another store.
pub(super) fn prepare(store: &Path, summary: &Summary) -> Result<Register, StoreError> {
    let record = path(store)?;
    let value = codec::encode_body(&AcknowledgedState::of(summary));
    let mut register = match Register::open(&record) {
        Err(RegisterError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Register::create(&record, &value)?);
        }
        opened => opened?,
    };
    let known: AcknowledgedState =
        codec::decode_body(register.value()).map_err(|_| NEWEST_UNREADABLE)?;
    if known.store != summary.store {
        register.write(&value)?;
    }
    Ok(register)
}

/// Records the state in `summary`, which a change has produced, as acknowledged.
pub(super) fn write(register: &mut Register, summary: &Summary) -> Result<(), StoreError> {
    Ok(register.write(&codec::encode_body(&AcknowledgedState::of(summary)))?)
}
