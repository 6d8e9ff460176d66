//! Derives the load on a dictionary from a recorded trace of its snapshots.

use std::collections::BTreeMap;

use pad_core::{Key, Operation, Value};

use crate::cost::count;

/// Load of a recorded trace. Sizes are those after the last snapshot. `changes` excludes the first
/// snapshot, which loads the initial entries, unless the trace has no other snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceLoad {
    /// Number of snapshots, including the first one.
    pub snapshots: u64,
    /// Number of keys after the last snapshot.
    pub keys: u64,
    /// Mean length of a key in bytes, after the last snapshot.
    pub key_bytes: u64,
    /// Mean length of a value in bytes, after the last snapshot.
    pub value_bytes: u64,
    /// Mean number of keys that a snapshot adds, removes or changes.
    pub changes: u64,
    /// Whether any snapshot contains a removal.
    pub removes: bool,
    /// Days from the first snapshot to the last. `None` unless both are named by dates
    /// `YYYY-MM-DD`, the last after the first.
    pub days: Option<u64>,
}

impl TraceLoad {
    /// Computes the load of a trace. Each snapshot has a name and its operations.
    ///
    /// # Errors
    /// The first error that the iterator returns.
    pub fn of<E>(
        trace: impl IntoIterator<Item = Result<(String, Vec<Operation>), E>>,
    ) -> Result<Self, E> {
        let mut contents: BTreeMap<Key, Value> = BTreeMap::new();
        let (mut snapshots, mut changes, mut first_changes, mut removes) = (0, 0, 0, false);
        let (mut first, mut last) = (None, None);
        for snapshot in trace {
            let (name, operations) = snapshot?;
            snapshots += 1;
            removes |= operations
                .iter()
                .any(|operation| matches!(operation, Operation::Remove(_)));
            changes += changed(&mut contents, operations);
            if snapshots == 1 {
                (first_changes, first) = (changes, day(&name));
            }
            last = day(&name);
        }
        let keys = contents.len() as u64;
        let of_keys = contents.keys().map(|key| key.as_bytes().len() as u64);
        let of_values = contents.values().map(|value| value.as_bytes().len() as u64);
        let (changes, later) = match snapshots {
            0 | 1 => (changes, snapshots),
            _ => (changes - first_changes, snapshots - 1),
        };
        let days = first
            .zip(last)
            .map(|(first, last)| last.saturating_sub(first));
        Ok(Self {
            snapshots,
            keys,
            key_bytes: mean(of_keys.sum(), keys),
            value_bytes: mean(of_values.sum(), keys),
            changes: mean(changes, later),
            removes,
            days: days.filter(|days| *days > 0),
        })
    }

    /// Returns the number of snapshots per day; `None` if `days` is `None`.
    pub fn snapshots_per_day(&self) -> Option<f64> {
        let intervals = self.snapshots.checked_sub(1)?;
        self.days.map(|days| count(intervals) / count(days))
    }
}

/// Applies `operations` to `contents`. Returns the number of keys that have another value
/// afterwards, or were added or removed.
fn changed(contents: &mut BTreeMap<Key, Value>, operations: Vec<Operation>) -> u64 {
    let mut before: BTreeMap<Key, Option<Value>> = BTreeMap::new();
    for operation in operations {
        let (key, value) = match operation {
            Operation::Put(key, value) => (key, Some(value)),
            Operation::Remove(key) => (key, None),
        };
        let replaced = match value {
            Some(value) => contents.insert(key.clone(), value),
            None => contents.remove(&key),
        };
        before.entry(key).or_insert(replaced);
    }
    let is_other = |(key, value): &(&Key, &Option<Value>)| contents.get(*key) != (*value).as_ref();
    before.iter().filter(is_other).count() as u64
}

/// Returns `sum / of`, rounded to the nearest whole number; 0 if `of` is 0.
const fn mean(sum: u64, of: u64) -> u64 {
    match of {
        0 => 0,
        _ => (sum + of / 2) / of,
    }
}

/// Returns the number of a day, counted in the Gregorian calendar from 1 March of year 0. `None`
/// unless `name` is a date `YYYY-MM-DD`.
fn day(name: &str) -> Option<u64> {
    let parts = || {
        name.split('-')
            .map(|part| (part.len(), part.parse::<u64>()))
    };
    let is_date = parts().map(|(length, _)| length).eq([4, 2, 2]);
    let mut numbers = parts()
        .map(|(_, number)| number.ok())
        .collect::<Option<Vec<_>>>()?
        .into_iter();
    let (year, month, day) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !is_date || year == 0 || !(1..=12).contains(&month) || !(1..=days).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is the last day of a year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

#[cfg(test)]
mod tests {
    use core::convert::Infallible;

    use super::*;

    fn put(key: &str, value: &str) -> Operation {
        Operation::Put(Key::try_from(key).unwrap(), Value::try_from(value).unwrap())
    }

    fn of(trace: Vec<(&str, Vec<Operation>)>) -> TraceLoad {
        let trace = trace.into_iter();
        let named = trace.map(|(name, operations)| Ok::<_, Infallible>((name.into(), operations)));
        TraceLoad::of(named).unwrap()
    }

    #[test]
    fn a_load_by_hand() {
        let remove = Operation::Remove(Key::try_from("aa").unwrap());
        let load = of(vec![
            (
                "2024-02-27",
                vec![put("aa", "1"), put("bbbb", "1"), put("cc", "12345")],
            ),
            ("2024-02-29", vec![put("dddd", "123"), remove]),
            (
                "2024-03-04",
                vec![
                    put("bbbb", "1"),
                    put("bbbb", "123"),
                    put("cc", "1"),
                    put("dddd", "12"),
                ],
            ),
        ]);
        let expected = TraceLoad {
            snapshots: 3,
            keys: 3,
            key_bytes: 3,
            value_bytes: 2,
            changes: 3,
            removes: true,
            days: Some(6),
        };
        assert_eq!(load, expected);
        assert_eq!(load.snapshots_per_day(), Some(2.0 / 6.0));
    }

    #[test]
    fn what_is_as_before_is_no_change() {
        let remove = |key| Operation::Remove(Key::try_from(key).unwrap());
        let load = of(vec![
            ("1", vec![put("a", "1"), put("b", "1")]),
            // One value that is present, one key that comes and goes, one that goes and comes back,
            // one that is absent.
            (
                "2",
                vec![
                    put("a", "1"),
                    put("c", "1"),
                    remove("c"),
                    remove("b"),
                    put("b", "1"),
                    remove("d"),
                ],
            ),
            // Two values of one key.
            ("3", vec![put("a", "2"), put("a", "3")]),
            (
                "4",
                vec![put("a", "2"), put("b", "2"), remove("a"), put("d", "1")],
            ),
        ]);
        // 0, 1 and 3.
        assert_eq!((load.snapshots, load.changes, load.keys), (4, 1, 2));
        assert!(load.removes);
    }

    #[test]
    fn names_that_are_no_dates() {
        for name in [
            "1",
            "a",
            "2024-13-01",
            "2024-1-1",
            "24-01-01",
            "2024-01-01T00",
            "0000-01-01",
        ] {
            let load = of(vec![
                ("2024-01-01", Vec::new()),
                (name, vec![put("a", "1")]),
            ]);
            assert_eq!(load.days, None, "{name}");
        }
        assert_eq!(of(Vec::new()).snapshots_per_day(), None);
        assert_eq!(of(vec![("a", vec![put("a", "1")])]).changes, 1);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let between = |one, other| day(other).unwrap() - day(one).unwrap();
        assert_eq!(between("2023-01-01", "2024-01-01"), 365);
        assert_eq!(between("2024-01-01", "2025-01-01"), 366);
        assert_eq!(between("1899-12-31", "1900-03-01"), 60);
        assert_eq!(between("2000-02-28", "2000-03-01"), 2);
        for none in [
            "2023-02-29",
            "1900-02-29",
            "2023-04-31",
            "2023-01-32",
            "2023-13-01",
        ] {
            assert_eq!(day(none), None, "{none}");
        }
    }
}
