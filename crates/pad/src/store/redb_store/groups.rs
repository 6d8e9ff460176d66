//! Groups of records. Each has a row that says how many there are and, as the sum of their digests,
//! which: so one that is missing, changed or older than the others is noticed when they are read.

use redb::{ReadTransaction, ReadableTable, WriteTransaction};
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
    let expected = Total::in_table(&transaction.open_table(GROUPS).map_err(engine)?, group)?;
    let table = transaction.open_table(RECORDS).map_err(engine)?;
    let (mut found, mut total) = (Vec::new(), Total::default());
    for record in table.range((group, &[][..])..).map_err(engine)? {
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
        return Err(StoreError::Damaged("its records are not all there"));
    }
    Ok(found)
}

pub(super) fn write(
    transaction: &WriteTransaction,
    changes: &[RecordChange],
) -> Result<(), StoreError> {
    let mut records = transaction.open_table(RECORDS).map_err(engine)?;
    let mut groups = transaction.open_table(GROUPS).map_err(engine)?;
    for change in changes {
        let (RecordChange::Put { group, name, value }
        | RecordChange::Remove { group, name, value }) = change;
        let place = record_place(group, name);
        let key = (*group, name.as_slice());
        let before = match records.get(key).map_err(engine)? {
            Some(row) => Some(place.unsealed(row.value())?.to_vec()),
            None => None,
        };
        let mut total = Total::in_table(&groups, group)?;
        match change {
            RecordChange::Put { .. } => {
                if before.is_none() {
                    total.count = total.count.saturating_add(1);
                }
                total.toggle(place.digest(value));
                let row = place.sealed(value);
                records.insert(key, row.as_slice()).map_err(engine)?;
            }
            RecordChange::Remove { .. } if before.as_ref() == Some(value) => {
                total.count = total.count.saturating_sub(1);
                records.remove(key).map_err(engine)?;
            }
            RecordChange::Remove { .. } => continue,
        }
        if let Some(before) = before {
            total.toggle(place.digest(&before));
        }
        let row = place_of(group).seal(&total);
        groups.insert(*group, row.as_slice()).map_err(engine)?;
    }
    Ok(())
}

/// The names of all groups, for a check of the whole store.
pub(super) fn names(transaction: &ReadTransaction) -> Result<Vec<String>, StoreError> {
    let table = transaction.open_table(GROUPS).map_err(engine)?;
    let mut names = Vec::new();
    for entry in table.iter().map_err(engine)? {
        names.push(entry.map_err(engine)?.0.value().to_owned());
    }
    Ok(names)
}

const fn place_of(group: &str) -> Place<'_> {
    Place {
        table: "groups",
        group,
        name: &[],
    }
}

const fn record_place<'a>(group: &'a str, name: &'a [u8]) -> Place<'a> {
    Place {
        table: "records",
        group,
        name,
    }
}
