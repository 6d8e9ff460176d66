//! The file of a stored keyed directory.
//!
//! Beside the tables of [`crate::store::rows`]:
//!
//! | table | key | value |
//! | --- | --- | --- |
//! | `blocks` | number | a block: [`BlockRecord`] as the body of a message |
//! | `state` | `latest` | version, number of entries |
//! | `state` | `next` | number of the next new block, how often blocks were merged |
//! | `state` | `top` | number and level of the top block; no row if there are no entries |
//!
//! A version is one durable transaction: its update, its head, the blocks that it changes and the state.

use std::{path::Path, sync::Arc};

use disk::{
    Access,
    engine::{EngineError, Format, Repair, SoleDatabase, guarded},
    layer::FileLayer,
};
use pad_core::{HeadLog, Suite, Update, Version, codec, head::Authority};
use redb::{ReadTransaction, ReadableTable as _, ReadableTableMetadata as _, TableDefinition};

use super::{
    BLOCK_TREE,
    block::Child,
    error::BlockDamage,
    record::BlockRecord,
    storage::{Edited, Root},
};
use crate::store::{StoreError, rows};

const BLOCKS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("blocks");
const STATE: TableDefinition<'_, &str, (u64, u64)> = TableDefinition::new("state");

const FORMAT: &[u8] = b"block-tree v1";

/// More bytes than any block has: 64 slots with the longest keys and values.
const LONGEST_BLOCK: usize = 1 << 15;

/// The database.
#[derive(Debug)]
pub(super) struct BlockFile {
    database: SoleDatabase,
}

/// What the file knows when it is opened.
#[derive(Debug)]
pub(super) struct Latest<S: Suite> {
    pub(super) heads: HeadLog<S>,
    pub(super) root: Root<S>,
}

/// Where a file is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    /// Under a path of the operating system.
    Path(&'a Path),
    /// Under a name in a layer of files.
    Layer(&'a Arc<dyn FileLayer>, &'a str),
}

impl BlockFile {
    /// Makes the file of a directory without versions.
    pub(super) fn create<S: Suite>(
        place: Place<'_>,
        authority: &Authority,
    ) -> Result<(), StoreError> {
        let fill = |transaction: &redb::WriteTransaction| {
            rows::create(transaction, FORMAT, &rows::authority_bytes::<S>(authority))?;
            transaction.open_table(BLOCKS).map_err(EngineError::of)?;
            write_root(transaction, Version::EMPTY, &Root::<S>::default())
        };
        let created = match place {
            Place::Path(path) => SoleDatabase::create(path, &BLOCK_FILE, fill),
            Place::Layer(layer, name) => SoleDatabase::create_in(layer, name, &BLOCK_FILE, fill),
        };
        created.map_err(StoreError::Log)
    }

    /// The file, after a crash at its last durable version; nobody else can open it as long as this value lives.
    pub(super) fn open<S: Suite>(place: Place<'_>) -> Result<(Self, Latest<S>), StoreError> {
        let database = match place {
            Place::Path(path) => SoleDatabase::open(path, BLOCK_FILE),
            Place::Layer(layer, name) => SoleDatabase::open_in(layer, name, BLOCK_FILE),
        }?;
        let file = Self { database };
        let latest = file.read(|transaction| read_latest(file.database.path(), transaction))?;
        Ok((file, latest))
    }

    /// Has the engine check every page of a file that nobody has open.
    pub(super) fn check_pages(path: &Path) -> Result<(), StoreError> {
        Ok(SoleDatabase::check(path, &BLOCK_FILE)?)
    }

    /// A block, as it is stored; `None` if the bytes are none.
    pub(super) fn block<S: Suite>(
        &self,
        number: u64,
    ) -> Result<Result<BlockRecord<S>, BlockDamage>, StoreError> {
        self.read(|transaction| {
            let blocks = transaction.open_table(BLOCKS).map_err(EngineError::of)?;
            let bytes = blocks.get(number).map_err(EngineError::of)?;
            Ok(match bytes {
                Some(bytes) => decode(number, bytes.value()),
                None => Err(BlockDamage::Missing { number }),
            })
        })
    }

    /// The numbers of all blocks.
    pub(super) fn numbers(&self) -> Result<Vec<u64>, StoreError> {
        self.read(|transaction| {
            let blocks = transaction.open_table(BLOCKS).map_err(EngineError::of)?;
            let rows = blocks.iter().map_err(EngineError::of)?;
            let numbers = rows.map(|row| Ok(row.map_err(EngineError::of)?.0.value()));
            numbers.collect()
        })
    }

    /// How many blocks there are.
    pub(super) fn count(&self) -> Result<u64, StoreError> {
        self.read(|transaction| {
            let blocks = transaction.open_table(BLOCKS).map_err(EngineError::of)?;
            Ok(blocks.len().map_err(EngineError::of)?)
        })
    }

    /// The message of the update that led to a version.
    pub(super) fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|transaction| Ok(rows::update(transaction, version)?))
    }

    /// Makes a version durable, or nothing of it.
    pub(super) fn commit<S: Suite>(
        &self,
        edited: &Edited<S>,
        update: &Update<S>,
    ) -> Result<(), StoreError> {
        let write = || {
            self.database.write(Repair::Quick, |transaction| {
                let mut blocks = transaction.open_table(BLOCKS).map_err(EngineError::of)?;
                for number in &edited.gone {
                    blocks.remove(number).map_err(EngineError::of)?;
                }
                for (number, block) in &edited.changed {
                    let bytes = codec::encode_body(&BlockRecord::of(block));
                    blocks
                        .insert(number, bytes.as_slice())
                        .map_err(EngineError::of)?;
                }
                rows::append(transaction, core::slice::from_ref(update))?;
                write_root(transaction, update.head.head.version, &edited.root)
            })
        };
        Ok(guarded(write).unwrap_or(Err(EngineError::Panicked))?)
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Result<u64, StoreError> {
        Ok(self.database.file_bytes()?)
    }

    fn read<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        guarded(|| work(&self.database.begin_read()?)).unwrap_or(Err(EngineError::Panicked.into()))
    }
}

fn decode<S: Suite>(number: u64, bytes: &[u8]) -> Result<BlockRecord<S>, BlockDamage> {
    let record = (bytes.len() <= LONGEST_BLOCK).then(|| codec::decode_body(bytes));
    let record = record.and_then(Result::ok);
    record.ok_or(BlockDamage::Malformed { number })
}

fn write_root<S: Suite>(
    transaction: &redb::WriteTransaction,
    latest: Version,
    root: &Root<S>,
) -> Result<(), EngineError> {
    let mut state = transaction.open_table(STATE).map_err(EngineError::of)?;
    let mut put = |name, row| {
        let entered = state.insert(name, row);
        entered.map(drop).map_err(EngineError::of)
    };
    put(LATEST, (latest.number(), root.entries))?;
    put(NEXT, (root.next, root.merges))?;
    match root.top {
        Some((top, level)) => put(TOP, (top.number, u64::from(level))),
        None => state.remove(TOP).map(drop).map_err(EngineError::of),
    }
}

fn read_latest<S: Suite>(
    path: &Path,
    transaction: &ReadTransaction,
) -> Result<Latest<S>, StoreError> {
    let damaged = StoreError::DamagedLog;
    let parameters = rows::parameters(transaction)?;
    let authority = rows::read_authority::<S>(&parameters, BLOCK_TREE);
    let Some((authority, [])) = authority else {
        return Err(StoreError::OtherFormat {
            folder: path.to_path_buf(),
            found: "another suite or scheme".into(),
        });
    };
    let state = transaction.open_table(STATE).map_err(EngineError::of)?;
    let row = |name| -> Result<Option<(u64, u64)>, StoreError> {
        let found = state.get(name).map_err(EngineError::of)?;
        Ok(found.map(|found| found.value()))
    };
    let missing = || damaged("a state is missing");
    let (latest, entries) = row(LATEST)?.ok_or_else(missing)?;
    let (next, merges) = row(NEXT)?.ok_or_else(missing)?;
    let heads = rows::heads::<S>(transaction, authority, Version::new(latest))?;
    let digest = heads
        .latest_head()
        .map_or_else(S::empty_tree, |signed| signed.head.root);
    let top = match row(TOP)? {
        Some((number, level)) => {
            let level = u8::try_from(level).map_err(|_| damaged("the level of the top block"))?;
            Some((Child { number, digest }, level))
        }
        None if digest == S::empty_tree() => None,
        None => return Err(damaged("there is no top block")),
    };
    let root = Root {
        top,
        next,
        entries,
        merges,
    };
    Ok(Latest { heads, root })
}

fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    rows::is_of(transaction, FORMAT)
}

const LATEST: &str = "latest";
const NEXT: &str = "next";
const TOP: &str = "top";

const BLOCK_FILE: Format = Format {
    is_ours,
    access: Access::Private,
    cache_bytes: 32 << 20,
};
