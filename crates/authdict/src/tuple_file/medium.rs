//! The database file with the rows of tuples, which several processes share. Tests keep it in a
//! simulated folder, whose operations can be made to fail.

#[cfg(test)]
use std::sync::Arc;
use std::{
    io,
    path::{Path, PathBuf},
};

#[cfg(test)]
use pad_disk::engine::{Repair, SoleDatabase};
use pad_disk::{
    Access,
    engine::{EngineError, Format, SharedDatabase},
    layer::{FileLayer, Folder},
};
use redb::{ReadTransaction, WriteTransaction};

use super::tables;

/// The location of the database file: a path or, in tests, a simulated folder.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Path(PathBuf),
    #[cfg(test)]
    Within(Arc<dyn FileLayer>),
}

/// The open database file: shared with other processes or, in tests, used by one process.
#[derive(Debug)]
pub(super) enum Database {
    Shared(SharedDatabase),
    #[cfg(test)]
    Sole(SoleDatabase),
}

impl Place {
    /// Returns the path of the database file; `None` if it is in a simulated folder.
    #[allow(clippy::unnecessary_wraps, reason = "in tests there are layers")]
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            #[cfg(test)]
            Self::Within(_) => None,
        }
    }

    pub(super) fn open(&self) -> Result<Database, EngineError> {
        match self {
            Self::Path(path) => Ok(Database::Shared(SharedDatabase::open(path, FORMAT)?)),
            #[cfg(test)]
            Self::Within(layer) => SoleDatabase::open_in(layer, NAME, FORMAT).map(Database::Sole),
        }
    }

    pub(super) fn create(
        &self,
        fill: impl FnOnce(&WriteTransaction) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        match self {
            Self::Path(path) => SharedDatabase::create(path, &FORMAT, fill),
            #[cfg(test)]
            Self::Within(layer) => SoleDatabase::create_in(layer, NAME, &FORMAT, fill),
        }
    }

    /// Makes the directory entry of the database file durable. The process that created the file
    /// may have failed before this step.
    pub(super) fn synchronise_name(&self) -> io::Result<()> {
        match self {
            Self::Path(path) => Folder::of_file(path)?.0.synchronise_names(),
            #[cfg(test)]
            Self::Within(layer) => layer.synchronise_names(),
        }
    }
}

impl Database {
    pub(super) fn read<T, E: From<EngineError>>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Shared(database) => database.read(work),
            #[cfg(test)]
            Self::Sole(database) => work(&database.begin_read()?),
        }
    }

    pub(super) fn write<T, E: From<EngineError>>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Self::Shared(database) => database.write(work),
            #[cfg(test)]
            Self::Sole(database) => database.write(Repair::Full, work),
        }
    }

    pub(super) fn pin(&self) -> Result<(), EngineError> {
        match self {
            Self::Shared(database) => database.pin(),
            #[cfg(test)]
            Self::Sole(_) => Ok(()),
        }
    }

    pub(super) fn release(&self) {
        match self {
            Self::Shared(database) => database.release(),
            #[cfg(test)]
            Self::Sole(_) => {}
        }
    }

    pub(super) fn unpin(&self) {
        match self {
            Self::Shared(database) => database.unpin(),
            #[cfg(test)]
            Self::Sole(_) => {}
        }
    }
}

const FORMAT: Format = Format {
    is_ours: tables::is_ours,
    access: Access::Usual,
    cache_bytes: 64 << 20,
};

/// The name of the database file in a simulated folder.
#[cfg(test)]
const NAME: &str = "store.tuples";
