//! Queries of a directory for entries by id, as given on the command line.

use authdict::block_directory::{
    Entries, Entry, EntryId, EntryQuery, EntryRange, internals::MOST_IDS,
};
use pad_core::Suite;
use serde_json::json;

use super::shown::{self, LookupDetails};
use crate::cli::{Failure, Output, Result, counted};

/// A query for a list of ids, or for a range of ids.
#[derive(Clone, Debug)]
pub(super) enum EntrySelection {
    Ids(EntryQuery),
    Range(EntryRange),
}

impl EntrySelection {
    /// Creates a query for `range` if it is given, and for `ids` otherwise. The ids can be in any
    /// order.
    pub(super) fn new(ids: &[u64], range: Option<Bounds>) -> Result<Self> {
        if let Some(Bounds(start, end)) = range {
            let range = EntryRange::new(EntryId::new(start), EntryId::new(end));
            let range = range.map_err(|_| {
                Failure::Input(format!(
                    "--range {start}..{end}: it is empty, the first id must be below its end"
                ))
            })?;
            return Ok(Self::Range(range));
        }
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let query = EntryQuery::new(ids);
        let query = query.map_err(|_| {
            Failure::Input(format!("1 to {MOST_IDS} ids are proved at once"))
                .help("use --range for consecutive ids")
        })?;
        Ok(Self::Ids(query))
    }

    /// Returns a description of the query.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Ids(query) => match query.single() {
                Some(id) => format!("entry {}", id.number()),
                None => counted(query.ids().len(), "entry"),
            },
            Self::Range(range) => {
                let (start, end) = range.bounds();
                format!("entries {} to {}", start.number(), end.number() - 1)
            }
        }
    }
}

/// Prints the verified entries with the queried ids.
pub(super) fn say_ids<S: Suite>(
    entries: &Entries<S, EntryQuery>,
    looked: LookupDetails,
    output: &mut Output,
) -> Result {
    let ids = entries.query().ids();
    let unassigned = ids.filter(|id| id.number() >= entries.registered);
    let unassigned = unassigned.map(|id| shown::entry::<S::Digest>(id, &Entry::Unassigned));
    shown::entries(entries, unassigned.collect(), looked, output)
}

/// Prints the verified entries of a range.
pub(super) fn say_range<S: Suite>(
    entries: &Entries<S, EntryRange>,
    looked: LookupDetails,
    output: &mut Output,
) -> Result {
    let (start, end) = entries.query().bounds();
    let (first, end) = (start.number().max(entries.registered), end.number());
    let mut unassigned = Vec::new();
    if first < end {
        let last = end - 1;
        unassigned.push((
            format!("unassigned  {first:>8} to {last}"),
            json!({ "first_id": first, "last_id": last, "status": "unassigned" }),
        ));
    }
    shown::entries(entries, unassigned, looked, output)
}

/// The half-open range of ids `A..B`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds(u64, u64);

impl core::str::FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bounds = text
            .split_once("..")
            .and_then(|(start, end)| Some(Self(start.parse().ok()?, end.parse().ok()?)));
        bounds.ok_or_else(|| "a range is two ids, 3..7 for the entries 3 to 6".into())
    }
}
