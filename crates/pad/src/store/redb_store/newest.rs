//! What was acknowledged last, in a small file beside the store.
//!
//! Inside the store a damaged page can make everything look as it was some changes ago: the pages of
//! an earlier state are still there, and they fit together. This file is written after each durable
//! change and before it is acknowledged, so a store that is behind it has lost what somebody relies on.

use std::path::{Path, PathBuf};

use disk::{Register, RegisterError};
use pad_core::{Version, codec};
use serde::{Deserialize, Serialize};

use super::summary::{Link, Summary};
use crate::store::{NEWEST_UNREADABLE, StoreError};

/// The store, its last acknowledged change, and its updates up to there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Acknowledged {
    store: [u8; 16],
    change: u64,
    latest: Link,
}

impl Acknowledged {
    const fn of(summary: &Summary) -> Self {
        Self {
            store: summary.store,
            change: summary.change,
            latest: summary.latest,
        }
    }
}

/// The file beside the store at this path.
pub(super) fn path(store: &Path) -> Result<PathBuf, StoreError> {
    Ok(disk::beside(store, ".newest")?)
}

/// What was acknowledged last from the store at this path, if that is written down.
pub(super) fn known(store: &Path) -> Result<Option<Acknowledged>, StoreError> {
    match Register::read(&path(store)?)? {
        Some(value) => Ok(Some(
            codec::decode_body(&value).map_err(|_| NEWEST_UNREADABLE)?,
        )),
        None => Ok(None),
    }
}

/// Refuses a store that is older than what was acknowledged from it. A store without the file, or
/// with that of another store, is taken as it is.
pub(super) fn check(
    store: &Path,
    known: Option<&Acknowledged>,
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

/// Opens the file to be written; makes it, or takes over one of another store, where that is needed, so that
/// [`write`] needs no space on the disk.
pub(super) fn prepare(store: &Path, summary: &Summary) -> Result<Register, StoreError> {
    let record = path(store)?;
    let value = codec::encode_body(&Acknowledged::of(summary));
    let mut register = match Register::open(&record) {
        Err(RegisterError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Register::create(&record, &value)?);
        }
        opened => opened?,
    };
    let known: Acknowledged =
        codec::decode_body(register.value()).map_err(|_| NEWEST_UNREADABLE)?;
    if known.store != summary.store {
        register.write(&value)?;
    }
    Ok(register)
}

/// Acknowledges what a change has led to.
pub(super) fn write(register: &mut Register, summary: &Summary) -> Result<(), StoreError> {
    Ok(register.write(&codec::encode_body(&Acknowledged::of(summary)))?)
}
