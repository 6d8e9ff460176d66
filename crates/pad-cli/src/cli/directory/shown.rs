//! Queries of a directory for entries by id, and output of new versions and verified entries.

use authdict::{
    Version,
    block_directory::{
        BlockDirectory, Entries, Entry, EntryId, EntryQuery, EntryRange,
        internals::{MOST_IDS, Selection},
    },
};
use pad_core::{SignedHead, Suite};
use serde_json::{Value as Json, json};

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

pub(super) fn version_line<S: Suite>(
    directory: &BlockDirectory<S>,
    version: Version,
) -> Result<(String, Json)> {
    let head = directory.heads().head(version)?;
    Ok(head_line(&head, directory.registered()))
}

/// Returns the description of a new version with the head `head` and `entries` entries, as text and
/// as JSON fields.
pub(super) fn head_line<S: Suite>(head: &SignedHead<S>, entries: u64) -> (String, Json) {
    let (version, root) = (head.head.version, hex::encode(head.head.root));
    let count = counted(entries, "entry");
    let text = format!("version {version}, root {root}, with {count}");
    let object = json!({ "version": version.number(), "entries": entries, "root": root });
    (text, object)
}

pub(super) fn say_ids<S: Suite>(
    entries: &Entries<S, EntryQuery>,
    looked: LookupDetails,
    output: &mut Output,
) -> Result {
    let ids = entries.query().ids();
    let unassigned = ids.filter(|id| id.number() >= entries.registered);
    let unassigned = unassigned.map(|id| entry::<S::Digest>(id, &Entry::Unassigned));
    say_entries(entries, unassigned.collect(), looked, output)
}

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
    say_entries(entries, unassigned, looked, output)
}

/// Prints verified entries, and then `unassigned`: the queried ids that are not assigned yet, as
/// lines and objects.
fn say_entries<S: Suite, Q: Selection>(
    entries: &Entries<S, Q>,
    unassigned: Vec<(String, Json)>,
    looked: LookupDetails,
    output: &mut Output,
) -> Result {
    let (version, verdict) = (entries.version, output.verdict());
    let mut objects = Vec::new();
    let assigned = entries.registered_entries();
    let assigned = assigned.map(|(id, found)| entry(id, &found));
    for (text, object) in assigned.chain(unassigned) {
        output.text(&text)?;
        objects.push(object);
    }
    let registered = entries.registered;
    let (count, how) = (counted(registered, "entry"), looked.text());
    let text = format!("[version {version} of {count}, {verdict}{how}]");
    let hint = looked.hint;
    let object = json!({
        "version": version.number(),
        "entries": registered,
        "answers": objects,
        "matched": looked.matches,
        "hint": hint.map(|hint| json!({ "matched": hint.matched, "refreshed": hint.refreshed })),
        "read_blocks": looked.blocks_read,
    });
    output.say_verdict(&text, object)
}

/// Details of a lookup: its cost, the use of a hint, and the comparison with an object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LookupDetails {
    /// Whether the given object is the registered object; `None` if no object was given.
    pub(super) matches: Option<bool>,
    blocks_read: Option<u64>,
    hint: Option<HintOutcome>,
}

/// The result of using a hint in a lookup.
#[derive(Clone, Copy, Debug)]
pub(super) struct HintOutcome {
    /// True if the server could use the hint.
    pub(super) matched: bool,
    /// True if a newer hint replaced the given hint.
    pub(super) refreshed: bool,
}

impl LookupDetails {
    pub(super) const fn asked(blocks_read: u64, hint: Option<HintOutcome>) -> Self {
        Self {
            matches: None,
            blocks_read: Some(blocks_read),
            hint,
        }
    }

    fn text(&self) -> String {
        let object = match self.matches {
            Some(true) => "; the object is the one that is registered",
            _ => "",
        };
        let hint = match self.hint {
            Some(hint) if hint.matched => "; the hint matched",
            Some(_) => "; the hint did not match",
            None => "",
        };
        let refreshed = match self.hint {
            Some(hint) if hint.refreshed => " and is refreshed",
            _ => "",
        };
        let blocks = self.blocks_read;
        let blocks = blocks.map(|blocks| format!("; {blocks} blocks read"));
        format!("{object}{hint}{refreshed}{}", blocks.unwrap_or_default())
    }
}

fn entry<D: AsRef<[u8]>>(id: EntryId, entry: &Entry<D>) -> (String, Json) {
    let (status, digest) = match entry {
        Entry::Live(digest) => ("live", Some(hex::encode(digest))),
        Entry::Deleted => ("deleted", None),
        Entry::Unassigned => ("unassigned", None),
    };
    let id = id.number();
    let shown = digest.as_ref().map(|digest| format!("  {digest}"));
    let text = format!("{status:<10}  {id:>8}{}", shown.unwrap_or_default());
    (
        text,
        json!({ "id": id, "status": status, "digest": digest }),
    )
}
