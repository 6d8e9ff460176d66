//! The log of a stored directory: its parameters, all heads, and the updates since the last
//! checkpoint, in one database.

use std::{path::Path, sync::Arc};

use pad_core::{Authority, HeadLog, SignedHead, Suite, SuiteId, Update, Version, codec};
use pad_disk::{
    Access,
    engine::{EngineError, Format, Repair, SoleDatabase, guarded},
    layer::FileLayer,
};
use redb::{ReadTransaction, ReadableTable as _, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::{
    error::StoreError,
    rows::{self, UPDATES},
};
use crate::{blocks::grid::to_u64, entry::DIRECTORY, hint::MOST_STEP};

/// The table with the keys `latest` and `checkpoint`. Each value is a version and its number of
/// entries.
const STATE: TableDefinition<'_, &str, (u64, u64)> = TableDefinition::new("state");

pub(super) const NAME: &str = "log.redb";
/// The file name of the log while it is being created.
pub(super) const DRAFT: &str = "log.redb.new";

/// Parameters that are fixed when a directory is created: its authority (author key, dictionary and
/// scheme), and the size of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parameters {
    pub(crate) authority: Authority,
    pub(crate) step: u32,
}

/// The contents of a log, as read when it is opened.
#[derive(Debug)]
pub(crate) struct LogContents<S: Suite> {
    pub(crate) heads: HeadLog<S>,
    /// The version of the last checkpoint, and its number of entries. The files of blocks contain
    /// at least this version.
    pub(crate) checkpoint: (Version, u64),
}

/// The log of a stored directory: the database that contains it.
#[derive(Debug)]
pub(crate) struct Log {
    database: SoleDatabase,
}

impl Log {
    /// Creates a log durably, including its file name. The directory starts at version 0, or at the
    /// version 1 given as `loaded`: its head and its number of entries.
    pub(crate) fn create<S: Suite>(
        layer: &Arc<dyn FileLayer>,
        parameters: Parameters,
        loaded: Option<(&SignedHead<S>, u64)>,
    ) -> Result<(), StoreError> {
        SoleDatabase::create((layer, NAME), &LOG_FORMAT, |transaction| {
            rows::create(transaction, &parameters.to_bytes::<S>())?;
            begin(transaction, loaded)
        })
    }

    /// Records version 1, with `registered` entries, as loaded: the files of blocks contain it
    /// durably.
    ///
    /// # Errors
    /// [`StoreError::DamagedLog`] if the log contains a version already.
    pub(crate) fn load<S: Suite>(
        &self,
        head: &SignedHead<S>,
        registered: u64,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let state = transaction.open_table(STATE).map_err(EngineError::of)?;
            let latest = state.get(LATEST).map_err(EngineError::of)?;
            if latest.is_none_or(|latest| latest.value().0 != 0) {
                return Err(StoreError::DamagedLog("it has a version already"));
            }
            drop(state);
            begin(transaction, Some((head, registered)))
        })
    }

    /// Opens the log of a folder, and reads its parameters and contents. No other process can open
    /// the log while the returned value exists.
    pub(crate) fn open<S: Suite>(
        layer: &Arc<dyn FileLayer>,
    ) -> Result<(Self, Parameters, LogContents<S>), StoreError> {
        let log = Self::open_database(layer)?;
        let read = log.read(|transaction| {
            let parameters = read_parameters::<S>(layer.path(), transaction)?;
            Ok((parameters, read_heads(transaction, parameters)?))
        });
        let (parameters, logged) = read?;
        Ok((log, parameters, logged))
    }

    /// Checks every page of the log in a folder whose directory is not open.
    pub(crate) fn check(folder: &Path) -> Result<(), StoreError> {
        Ok(SoleDatabase::check(&folder.join(NAME), &LOG_FORMAT)?)
    }

    /// Returns the cryptographic suite of the directory in this folder.
    pub(crate) fn suite(layer: &Arc<dyn FileLayer>) -> Result<SuiteId, StoreError> {
        let log = Self::open_database(layer)?;
        log.read(|transaction| {
            let suite = rows::parameters(transaction)?.first_chunk().copied();
            let suite = suite.ok_or(StoreError::DamagedLog("there are no parameters"))?;
            Ok(SuiteId(u16::from_be_bytes(suite)))
        })
    }

    fn open_database(layer: &Arc<dyn FileLayer>) -> Result<Self, StoreError> {
        let database = SoleDatabase::open((layer, NAME), LOG_FORMAT);
        let database = database.map_err(|error| match error {
            EngineError::Missing(_) => StoreError::Missing(layer.path().to_path_buf()),
            error => error.into(),
        })?;
        Ok(Self { database })
    }

    /// Calls `each` with the updates after version `after` up to version `until`, in order.
    pub(crate) fn replay<S: Suite>(
        &self,
        after: Version,
        until: Version,
        mut each: impl FnMut(Update<S>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read(|transaction| {
            let updates = transaction.open_table(UPDATES).map_err(EngineError::of)?;
            let mut next = after;
            for row in updates
                .range(after.number() + 1..=until.number())
                .map_err(EngineError::of)?
            {
                let (version, message) = row.map_err(EngineError::of)?;
                let expected = next
                    .next()
                    .ok_or(StoreError::DamagedLog("no more versions"))?;
                if version.value() != expected.number() {
                    return Err(StoreError::DamagedLog("an update is missing"));
                }
                let limit = message.value().len();
                let update = codec::decode(message.value(), limit);
                each(update.map_err(|_| StoreError::DamagedLog("an update cannot be decoded"))?)?;
                next = expected;
            }
            if next == until {
                Ok(())
            } else {
                Err(StoreError::DamagedLog("an update is missing"))
            }
        })
    }

    /// Returns the encoded update that produced a version, if it is still in the log.
    pub(crate) fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|transaction| {
            let updates = transaction.open_table(UPDATES).map_err(EngineError::of)?;
            let message = updates.get(version.number()).map_err(EngineError::of)?;
            Ok(message.map(|message| message.value().to_vec()))
        })
    }

    /// Makes the versions that these updates produce durable, all or none. `registered` is the
    /// number of entries in the last version. Returns the total length of the updates in bytes.
    pub(crate) fn append<S: Suite>(
        &self,
        updates: &[Update<S>],
        registered: u64,
    ) -> Result<u64, StoreError> {
        let Some(last) = updates.last() else {
            return Ok(0);
        };
        let mut bytes = 0;
        self.write(|transaction| {
            let mut state = transaction.open_table(STATE).map_err(EngineError::of)?;
            let latest = state.get(LATEST).map_err(EngineError::of)?;
            let latest = latest.map(|latest| latest.value().0);
            let first = updates.first().map(|update| update.base.number());
            if first != latest {
                return Err(StoreError::DamagedLog(
                    "its latest version is not the one before the update",
                ));
            }
            let mut table = transaction.open_table(UPDATES).map_err(EngineError::of)?;
            for update in updates {
                let (message, version) = (codec::encode(update), update.head.head.version);
                bytes += to_u64(message.len());
                let stored = table.insert(version.number(), message.as_slice());
                stored.map_err(EngineError::of)?;
                rows::put_head(transaction, &update.head)?;
            }
            let at = (last.head.head.version.number(), registered);
            state.insert(LATEST, at).map_err(EngineError::of)?;
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Records a checkpoint: the files of blocks contain everything up to `version` durably.
    /// Removes all updates before the update of `version`, which stays because it may have to be
    /// sent again.
    pub(crate) fn checkpoint(&self, version: Version, registered: u64) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut updates = transaction.open_table(UPDATES).map_err(EngineError::of)?;
            updates
                .retain_in(..version.number(), |_, _| false)
                .map_err(EngineError::of)?;
            let mut state = transaction.open_table(STATE).map_err(EngineError::of)?;
            let at = (version.number(), registered);
            state.insert(CHECKPOINT, at).map_err(EngineError::of)?;
            Ok(())
        })
    }

    /// Returns the size of the database file in bytes.
    pub(crate) fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.database.file_bytes()?)
    }

    fn read<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        guarded(|| work(&self.database.begin_read()?)).unwrap_or(Err(EngineError::Panicked.into()))
    }

    fn write(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.database.write(Repair::Quick, work)
    }
}

impl Parameters {
    fn to_bytes<S: Suite>(self) -> Vec<u8> {
        let parameters = codec::encode_body(&self);
        [S::ID.0.to_be_bytes().as_slice(), parameters.as_slice()].concat()
    }

    /// Decodes parameters. Returns `None` unless their suite is `S` and their values are valid.
    fn from_bytes<S: Suite>(bytes: &[u8]) -> Option<Self> {
        let (suite, parameters) = bytes.split_first_chunk()?;
        let parameters: Self = codec::decode_body(parameters).ok()?;
        let is_ours = u16::from_be_bytes(*suite) == S::ID.0;
        let is_valid =
            parameters.authority.scheme == DIRECTORY && (1..=MOST_STEP).contains(&parameters.step);
        (is_ours && is_valid).then_some(parameters)
    }
}

fn read_parameters<S: Suite>(
    folder: &Path,
    transaction: &ReadTransaction,
) -> Result<Parameters, StoreError> {
    let bytes = rows::parameters(transaction)?;
    Parameters::from_bytes::<S>(&bytes).ok_or_else(|| StoreError::OtherFormat {
        folder: folder.to_path_buf(),
        found: "another suite or scheme".into(),
    })
}

/// Reads all heads, and the version and number of entries of the last checkpoint.
fn read_heads<S: Suite>(
    transaction: &ReadTransaction,
    parameters: Parameters,
) -> Result<LogContents<S>, StoreError> {
    let damaged = StoreError::DamagedLog;
    let state = transaction.open_table(STATE).map_err(EngineError::of)?;
    let at = |name| -> Result<(Version, u64), StoreError> {
        let found = state.get(name).map_err(EngineError::of)?;
        let (version, registered) = found.ok_or(damaged("a state is missing"))?.value();
        Ok((Version::new(version), registered))
    };
    let (latest, checkpoint) = (at(LATEST)?.0, at(CHECKPOINT)?);
    if checkpoint.0 > latest || checkpoint.1 > crate::entry::MOST_ENTRIES {
        return Err(damaged("the checkpoint is ahead of the latest version"));
    }
    let heads = rows::heads(transaction, parameters.authority, latest)?;
    Ok(LogContents { heads, checkpoint })
}

/// Records the start of a directory: version 0, or the version 1 given as `loaded`.
fn begin<S: Suite>(
    transaction: &WriteTransaction,
    loaded: Option<(&SignedHead<S>, u64)>,
) -> Result<(), StoreError> {
    let at = loaded.map_or((0, 0), |(_, registered)| (1, registered));
    if let Some((head, _)) = loaded {
        rows::put_head(transaction, head)?;
    }
    let mut state = transaction.open_table(STATE).map_err(EngineError::of)?;
    state.insert(LATEST, at).map_err(EngineError::of)?;
    state.insert(CHECKPOINT, at).map_err(EngineError::of)?;
    Ok(())
}

const LATEST: &str = "latest";
const CHECKPOINT: &str = "checkpoint";

const LOG_FORMAT: Format = Format {
    is_ours: rows::is_ours,
    access: Access::Private,
    cache_bytes: 32 << 20,
};
