//! The last acknowledged state, in a small file next to the store.
//!
//! A damaged page inside the store can roll everything back by some changes. The pages of an
//! earlier state still exist, and they fit together. This file is written after each durable change
//! and before its acknowledgement. So a store that is behind this file has lost an acknowledged
//! change.

use std::path::{Path, PathBuf};

use pad_core::{Version, codec};
use pad_disk::{Register, RegisterError};
use serde::{Deserialize, Serialize};

use super::summary::{Link, Summary};
use crate::store::{NEWEST_UNREADABLE, StoreError};

/// The store's id, its last acknowledged change, and the link of its latest update.
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

/// The file next to the store at this path.
pub(super) fn path(store: &Path) -> Result<PathBuf, StoreError> {
    Ok(pad_disk::companion(store, ".newest")?)
}

/// The last acknowledged state of the store at this path; `None` without a file.
pub(super) fn known(store: &Path) -> Result<Option<AcknowledgedState>, StoreError> {
    match Register::read(&path(store)?)? {
        Some(value) => Ok(Some(
            codec::decode_body(&value).map_err(|_| NEWEST_UNREADABLE)?,
        )),
        None => Ok(None),
    }
}

/// Refuses a store that is older than its last acknowledged state. A store without the file, or
/// with the file of another store, is accepted.
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

/// Opens the file for writing, so that [`write`] needs no disk space. Creates a missing file, and
/// takes over a file of another store.
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

/// Acknowledges the state after a change.
pub(super) fn write(register: &mut Register, summary: &Summary) -> Result<(), StoreError> {
    Ok(register.write(&codec::encode_body(&AcknowledgedState::of(summary)))?)
}
