//! Groups of named records in the store's file.
//!
//! For each group, a row contains the number of its records and the exclusive-or of their digests.
//! A read of the whole group therefore detects a missing, changed or stale record.

use pad_core::Version;
use redb::{ReadTransaction, ReadableTable, Table, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::tables::{GROUPS, Place, RECORDS, engine};
use crate::store::{Record, RecordChange, StoreError};

/// The number of records of a group, and the exclusive-or of their digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Total {
    count: u64,
    digest: [u8; 32],
}

impl Total {
    fn toggle(&mut self, digest: [u8; 32]) {
        for (sum, byte) in self.digest.iter_mut().zip(digest) {
            *sum ^= byte;
        }
    }

    fn in_table(
        table: &impl ReadableTable<&'static str, &'static [u8]>,
        group: &str,
    ) -> Result<Self, StoreError> {
        match table.get(group).map_err(engine)? {
            Some(row) => place_of(group).unseal(row.value()),
            None => Ok(Self::default()),
        }
    }
}

pub(super) fn count(transaction: &ReadTransaction, group: &str) -> Result<u64, StoreError> {
    let table = transaction.open_table(GROUPS).map_err(engine)?;
    Ok(Total::in_table(&table, group)?.count)
}

pub(super) fn records(
    transaction: &ReadTransaction,
    group: &str,
) -> Result<Vec<Record>, StoreError> {
    let groups = transaction.open_table(GROUPS).map_err(engine)?;
    let records = transaction.open_table(RECORDS).map_err(engine)?;
    in_tables(&records, &groups, group)
}

/// Returns the records of a group with names from `first` to `last`, both included, and checks the
/// digest of each. A missing record is not detected.
pub(super) fn between(
    transaction: &ReadTransaction,
    group: &str,
    (first, last): (&[u8], &[u8]),
) -> Result<Vec<Record>, StoreError> {
    let records = transaction.open_table(RECORDS).map_err(engine)?;
    if first > last {
        return Ok(Vec::new());
    }
    let found = records.range((group, first)..=(group, last));
    let found = found.map_err(engine)?.map(|record| {
        let (key, row) = record.map_err(engine)?;
        let (_, name) = key.value();
        let value = record_place(group, name).unsealed(row.value())?;
        Ok((name.to_vec(), value.to_vec()))
    });
    found.collect()
}

fn in_tables(
    records: &impl ReadableTable<(&'static str, &'static [u8]), &'static [u8]>,
    groups: &impl ReadableTable<&'static str, &'static [u8]>,
    group: &str,
) -> Result<Vec<Record>, StoreError> {
    let expected = Total::in_table(groups, group)?;
    let (mut found, mut total) = (Vec::new(), Total::default());
    for record in records.range((group, &[][..])..).map_err(engine)? {
        let (key, row) = record.map_err(engine)?;
        let (in_group, name) = key.value();
        if in_group != group {
            break;
        }
        let place = record_place(group, name);
        let value = place.unsealed(row.value())?;
        total.count = total.count.saturating_add(1);
        total.toggle(place.digest(value));
        found.push((name.to_vec(), value.to_vec()));
    }
    if total != expected {
        return Err(StoreError::Damaged(
            "checksum mismatch of a group of records",
        ));
    }
    Ok(found)
}

pub(super) fn write(
    transaction: &WriteTransaction,
    latest: Version,
    changes: &[RecordChange],
) -> Result<(), StoreError> {
    let mut tables = Tables {
        latest,
        records: transaction.open_table(RECORDS).map_err(engine)?,
        groups: transaction.open_table(GROUPS).map_err(engine)?,
    };
    changes.iter().try_for_each(|change| tables.apply(change))
}

/// The open tables of one write transaction that changes records.
struct Tables<'t> {
    /// The latest version in the store, as of this transaction.
    latest: Version,
    records: Table<'t, (&'static str, &'static [u8]), &'static [u8]>,
    groups: Table<'t, &'static str, &'static [u8]>,
}

impl Tables<'_> {
    fn apply(&mut self, change: &RecordChange) -> Result<(), StoreError> {
        match change {
            RecordChange::Put { group, name, value } => self.set(group, name, Some(value)),
            RecordChange::Remove { group, name, value } => {
                if self.value(group, name)?.as_ref() == Some(value) {
                    self.set(group, name, None)?;
                }
                Ok(())
            }
            RecordChange::PutAtLatest {
                group,
                name,
                value,
                is_numbered,
            } => {
                let value = [&self.latest.number().to_be_bytes(), &value[..]].concat();
                if *is_numbered {
                    let name = [&self.next_number(group)?.to_be_bytes(), &name[..]].concat();
                    self.set(group, &name, Some(&value))
                } else {
                    self.set(group, name, Some(&value))
                }
            }
            RecordChange::Renumber { group, from, to } => {
                for (name, mut value) in in_tables(&self.records, &self.groups, group)? {
                    match value.first_chunk_mut() {
                        Some(number) if *number == from.to_be_bytes() => {
                            *number = to.to_be_bytes();
                            self.set(group, &name, Some(&value))?;
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
        }
    }

    /// Returns the number for the name of the next numbered record of a group. It is one more than
    /// the number in the last record's name, or 0 for an empty group.
    fn next_number(&self, group: &str) -> Result<u64, StoreError> {
        let behind = format!("{group}\0");
        let of_group = (group, &[][..])..(behind.as_str(), &[][..]);
        let last = self.records.range(of_group).map_err(engine)?.next_back();
        let Some(last) = last.transpose().map_err(engine)? else {
            return Ok(0);
        };
        let number = last.0.value().1.first_chunk();
        let number = number.ok_or(StoreError::Damaged("a record has no number"))?;
        Ok(u64::from_be_bytes(*number).saturating_add(1))
    }

    fn value(&self, group: &str, name: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let row = self.records.get((group, name)).map_err(engine)?;
        let value = row.map(|row| Ok(record_place(group, name).unsealed(row.value())?.to_vec()));
        value.transpose()
    }

    /// Sets the value of a record to `value`, or removes the record if `value` is `None`.
    fn set(&mut self, group: &str, name: &[u8], value: Option<&[u8]>) -> Result<(), StoreError> {
        let (place, key) = (record_place(group, name), (group, name));
        let mut total = Total::in_table(&self.groups, group)?;
        if let Some(before) = self.value(group, name)? {
            total.count = total.count.saturating_sub(1);
            total.toggle(place.digest(&before));
        }
        if let Some(value) = value {
            total.count = total.count.saturating_add(1);
            total.toggle(place.digest(value));
            let row = place.sealed(value);
            self.records.insert(key, row.as_slice()).map_err(engine)?;
        } else {
            self.records.remove(key).map_err(engine)?;
        }
        let row = place_of(group).seal(&total);
        self.groups.insert(group, row.as_slice()).map_err(engine)?;
        Ok(())
    }
}

/// Returns the names of all groups of records, for a check of the whole store.
pub(super) fn names(transaction: &ReadTransaction) -> Result<Vec<String>, StoreError> {
    let table = transaction.open_table(GROUPS).map_err(engine)?;
    let mut names = Vec::new();
    for entry in table.iter().map_err(engine)? {
        names.push(entry.map_err(engine)?.0.value().to_owned());
    }
    Ok(names)
}

const fn place_of(group: &str) -> Place<'_> {
    Place([b"groups", group.as_bytes(), b""])
}

const fn record_place<'a>(group: &'a str, name: &'a [u8]) -> Place<'a> {
    Place([b"records", group.as_bytes(), name])
}
