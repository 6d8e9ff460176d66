//! Crashes at every operation: acknowledged transactions are present, and no transaction is present
//! in part.

#![allow(clippy::arithmetic_side_effects, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use pad_conformance::soak;

use super::*;
use crate::layer::{Operation, Reads};

const BLOBS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("blobs");
const TRANSACTIONS: u64 = 20;
const NAME: &str = "database";

/// One format with a cache for whole transactions, and one with a smaller cache, which writes pages
/// before the transaction ends.
const FORMATS: [Format; 2] = [
    FORMAT,
    Format {
        cache_bytes: 1 << 14,
        ..FORMAT
    },
];

/// Contents of the database after a number of transactions.
type Contents = BTreeMap<u64, Vec<u8>>;

fn size(number: usize) -> u64 {
    u64::try_from(number).unwrap()
}

/// Changes of one transaction: short and long values that are inserted, replaced and removed.
fn changes(transaction: u64) -> Vec<(u64, Option<Vec<u8>>)> {
    let value = |key: u64, length: u64| {
        let mut bytes = vec![u8::try_from(transaction).unwrap(); usize::try_from(length).unwrap()];
        bytes.extend(key.to_be_bytes());
        (key, Some(bytes))
    };
    let mut changes = vec![
        value(transaction, transaction * 7),
        value(transaction % 5, 5_000 + transaction * 300),
        value(100 + transaction % 3, 100),
    ];
    if transaction % 4 == 3 {
        changes.extend((0..transaction / 2).map(|key| (key, None)));
    }
    if transaction % 7 == 5 {
        changes.extend((200..260).map(|key| value(key, 900)));
    }
    changes
}

fn contents_after(transactions: u64) -> Contents {
    let mut contents = Contents::new();
    for (key, value) in (1..=transactions).flat_map(changes) {
        match value {
            Some(value) => drop(contents.insert(key, value)),
            None => drop(contents.remove(&key)),
        }
    }
    contents
}

fn write(database: &SoleDatabase, number: u64) -> Result<(), EngineError> {
    let repair = if number.is_multiple_of(3) {
        Repair::Full
    } else {
        Repair::Quick
    };
    database.write(repair, |transaction| {
        put(transaction, "transactions", number)?;
        let mut blobs = transaction.open_table(BLOBS).map_err(EngineError::of)?;
        for (key, value) in changes(number) {
            match value {
                Some(value) => drop(blobs.insert(key, &*value).map_err(EngineError::of)?),
                None => drop(blobs.remove(key).map_err(EngineError::of)?),
            }
        }
        Ok(())
    })
}

/// Returns the number of transactions in the database. Checks that the database contains all
/// changes of these transactions and no others.
fn transactions(database: &SoleDatabase) -> Result<u64, EngineError> {
    let transaction = database.begin_read()?;
    let number = value(&transaction, "transactions")?.unwrap_or(0);
    let mut found = Contents::new();
    if number > 0 {
        let blobs = transaction.open_table(BLOBS).map_err(EngineError::of)?;
        for entry in blobs.iter().map_err(EngineError::of)? {
            let (key, value) = entry.map_err(EngineError::of)?;
            found.insert(key.value(), value.value().to_vec());
        }
    }
    assert!(found == contents_after(number), "{number} in part");
    Ok(number)
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    is_created: bool,
    is_opened: bool,
    begun: u64,
    acknowledged: u64,
}

impl Progress {
    /// Creates the database and runs until a permanent failure.
    fn run(folder: &SimulatedFolder, format: Format) -> Self {
        let mut progress = Self::default();
        let layer = folder.layer();
        let fill = |transaction: &WriteTransaction| put(transaction, "format", 7);
        progress.is_created = SoleDatabase::create((&layer, NAME), &format, fill).is_ok();
        let database = SoleDatabase::open((&layer, NAME), format);
        progress.is_opened = progress.is_created && database.is_ok();
        if let (true, Ok(database)) = (progress.is_opened, database) {
            progress.go_on(&database, TRANSACTIONS);
        }
        progress
    }

    /// Writes up to transaction `last`. A failed transaction may be present or not: the next
    /// transaction continues from the state found.
    fn go_on(&mut self, database: &SoleDatabase, last: u64) {
        let mut failures = 0;
        while self.acknowledged < last && failures < 5 {
            self.begun = self.acknowledged + 1;
            match write(database, self.begun) {
                Ok(()) => self.acknowledged = self.begun,
                Err(_) => failures += 1,
            }
            if database.has_failed() {
                match database.reopen().and_then(|()| transactions(database)) {
                    Ok(found) => self.acknowledge(found),
                    Err(_) => return,
                }
            }
        }
    }

    /// Opens the database after an accident, if there is one, and compares it with the acknowledged
    /// state.
    fn reopen(&mut self, folder: &SimulatedFolder, format: Format) -> Option<SoleDatabase> {
        let database = match SoleDatabase::open((&folder.layer(), NAME), format) {
            Err(EngineError::Missing(_)) if !self.is_created => return None,
            opened => opened.unwrap(),
        };
        self.acknowledge(transactions(&database).unwrap());
        Some(database)
    }

    /// Checks the number of transactions found, which must be present from now on.
    fn acknowledge(&mut self, found: u64) {
        assert!(
            (self.acknowledged..=self.begun).contains(&found),
            "{found} are there of {self:?}"
        );
        self.acknowledged = found;
    }
}

/// Operations of a run without accidents.
fn operations(format: Format) -> Vec<Operation> {
    let folder = SimulatedFolder::new("whole");
    let progress = Progress::run(&folder, format);
    assert_eq!(progress.acknowledged, TRANSACTIONS);
    folder.operations()
}

/// Returns the operations of a run, by number, at which accidents happen: the first and the last
/// ones, and every `step`th.
fn places(format: Format, step: usize) -> impl Iterator<Item = usize> {
    let last = operations(format).len();
    let is_chosen =
        move |place: &usize| *place <= 20 || place + 3 > last || place.is_multiple_of(step);
    (1..=last).filter(is_chosen)
}

/// Stops a run at an operation, and returns the folder and the progress.
fn stopped_at(operation: usize, format: Format) -> (SimulatedFolder, Progress) {
    let folder = SimulatedFolder::new("stopped");
    let reads = if operation.is_multiple_of(2) {
        Reads::Work
    } else {
        Reads::Fail
    };
    folder.stop_at(operation, reads);
    let progress = Progress::run(&folder, format);
    (folder, progress)
}

#[test]
fn one_handle_has_a_simulated_database() {
    let folder = SimulatedFolder::new("simulated");
    let progress = Progress::run(&folder, FORMAT);
    assert_eq!(progress.acknowledged, TRANSACTIONS);
    let open = || SoleDatabase::open((&folder.layer(), NAME), FORMAT);
    let database = open().unwrap();
    let refused = open().unwrap_err();
    assert!(matches!(refused, EngineError::InUse(path) if path == Path::new("simulated/database")));
    assert_eq!(database.room(), None);
    folder.set_capacity(folder.used() + 5);
    assert_eq!(database.room(), Some(5));
    folder.set_capacity(u64::MAX);
    assert!(database.file_bytes().unwrap() > 4096);
    database.trim().unwrap();
    drop(database);
    SoleDatabase::check((&folder.layer(), NAME), &FORMAT).unwrap();
    assert_eq!(transactions(&open().unwrap()).unwrap(), TRANSACTIONS);
}

#[test]
fn whatever_fails_while_a_database_is_made_is_heard() {
    let fill = |transaction: &WriteTransaction| put(transaction, "format", 7);
    let create =
        |folder: &SimulatedFolder| SoleDatabase::create((&folder.layer(), NAME), &FORMAT, fill);
    let whole = SimulatedFolder::new("whole");
    create(&whole).unwrap();
    let operations = whole.operations();
    assert_eq!(operations.last(), Some(&Operation::SynchroniseFolder));
    for operation in 1..=operations.len() {
        let folder = SimulatedFolder::new("failing");
        folder.fail_at(operation, 0);
        assert!(create(&folder).is_err(), "{operation}");
        if operation < operations.len() {
            assert!(folder.names().unwrap().is_empty(), "{operation}");
            create(&folder).unwrap();
        }
    }
}

#[test]
fn a_power_cut_at_any_operation_loses_nothing_that_was_acknowledged() {
    for format in FORMATS {
        for operation in places(format, soak::size(5, 1)) {
            let (folder, progress) = stopped_at(operation, format);
            for seed in 0..soak::size(1, 4) {
                let left = folder.after_power_cut(seed);
                let mut progress = progress;
                let Some(database) = progress.reopen(&left, format) else {
                    continue;
                };
                // A second accident during recovery or soon after.
                drop(database);
                let left = folder.after_power_cut(seed);
                left.stop_at(1 + operation % 23, Reads::Work);
                if let Ok(database) = SoleDatabase::open((&left.layer(), NAME), format) {
                    progress.go_on(&database, progress.acknowledged + 3);
                }
                progress.reopen(&left.after_power_cut(seed), format);
            }
        }
    }
}

/// Unsynchronised writes of a killed process can be read, and may be lost later.
#[test]
fn what_was_read_after_a_kill_survives_a_power_cut() {
    for format in FORMATS {
        for operation in places(format, soak::size(5, 1)) {
            let (folder, progress) = stopped_at(operation, format);
            for seed in 0..soak::size(1, 4) {
                let killed = folder.after_kill();
                let mut progress = progress;
                let Some(database) = progress.reopen(&killed, format) else {
                    continue;
                };
                progress.reopen(&killed.after_power_cut(seed), format);
                progress.go_on(&database, progress.acknowledged + 1);
                progress.reopen(&killed.after_power_cut(seed), format);
            }
        }
    }
}

/// After a failed operation, the process still reads all its writes, even writes that never reached
/// the medium.
#[test]
fn an_operation_that_fails_loses_nothing_that_was_acknowledged() {
    for (format, step) in FORMATS.into_iter().zip(soak::size([5, 7], [1, 3])) {
        for operation in places(format, step) {
            let folder = SimulatedFolder::new("failing");
            folder.fail_at(operation, 7);
            let mut progress = Progress::run(&folder, format);
            if progress.is_opened {
                assert_eq!(progress.acknowledged, TRANSACTIONS, "{operation}");
            }
            progress.reopen(&folder.after_power_cut(1), format);
        }
    }
}

#[test]
fn a_power_cut_after_a_synchronisation_that_failed_loses_nothing_that_was_acknowledged() {
    for format in FORMATS {
        let operations = operations(format);
        for (index, kind) in operations.iter().enumerate() {
            if *kind != Operation::Synchronise {
                continue;
            }
            for later in (1..=24).step_by(soak::size(11, 1)) {
                let folder = SimulatedFolder::new("failing");
                folder.fail_at(index + 1, size(later));
                folder.stop_at(index + 1 + later, Reads::Work);
                let progress = Progress::run(&folder, format);
                for seed in 0..2 {
                    let mut progress = progress;
                    progress.reopen(&folder.after_power_cut(seed + size(later)), format);
                }
            }
        }
    }
}

/// A process killed before its next synchronisation cannot learn of lost writes, so these writes do
/// not count as acknowledged.
#[test]
fn what_the_system_failed_to_write_before_a_kill_does_not_count() {
    for format in FORMATS {
        for operation in places(format, soak::size(17, 3)) {
            for later in [0, 1, 5] {
                let folder = SimulatedFolder::new("failing");
                folder.fail_write_back_before(operation, size(operation));
                folder.stop_at(operation + later, Reads::Work);
                let mut progress = Progress::run(&folder, format);
                let killed = folder.after_kill();
                let Some(database) = progress.reopen(&killed, format) else {
                    continue;
                };
                progress.reopen(&killed.after_power_cut(1), format);
                progress.go_on(&database, progress.acknowledged + 1);
                progress.reopen(&killed.after_power_cut(2), format);
            }
        }
    }
}

#[test]
fn a_full_disk_loses_nothing_and_goes_on_when_there_is_room() {
    for format in FORMATS {
        let whole = SimulatedFolder::new("whole");
        Progress::run(&whole, format);
        for capacity in (0..whole.used()).step_by(4096 * 3) {
            let folder = SimulatedFolder::new("full");
            folder.set_capacity(capacity);
            let mut progress = Progress::run(&folder, format);
            progress.reopen(&folder.after_power_cut(capacity), format);
            folder.set_capacity(u64::MAX);
            let Some(database) = progress.reopen(&folder, format) else {
                assert!(folder.names().unwrap().is_empty());
                continue;
            };
            progress.go_on(&database, TRANSACTIONS);
            assert_eq!(progress.acknowledged, TRANSACTIONS, "{capacity}");
            progress.reopen(&folder.after_power_cut(capacity), format);
        }
    }
}
