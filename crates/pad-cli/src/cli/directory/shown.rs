//! Output of `pad directory`: new versions, and verified entries.

use authdict::{
    Version,
    block_directory::{BlockDirectory, Entries, Entry, EntryId, internals::Selection},
};
use pad_core::{SignedHead, Suite};
use serde_json::{Value as Json, json};

use crate::cli::{Output, Result, counted};

/// Returns the description of a new version of a directory, as text and as JSON fields.
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
    let text = format!(
        "version {version}, root {root}, with {}",
        counted(entries, "entry")
    );
    let object = json!({ "version": version.number(), "entries": entries, "root": root });
    (text, object)
}

/// Prints verified entries, and then the queried ids that are not assigned yet.
pub(super) fn entries<S: Suite, Q: Selection>(
    entries: &Entries<S, Q>,
    unassigned: &[UnassignedIds],
    looked: LookupDetails,
    output: &mut Output,
) -> Result {
    let (version, verdict) = (entries.version, output.verdict());
    let mut objects = Vec::new();
    for (id, entry) in entries.registered_entries() {
        let (text, object) = shown(id, &entry);
        output.text(&text)?;
        objects.push(object);
    }
    for ids in unassigned {
        output.text(&ids.text())?;
        objects.push(ids.object());
    }
    let registered = entries.registered;
    let how = looked.text();
    let text = format!(
        "[version {version} of {}, {verdict}{how}]",
        counted(registered, "entry")
    );
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
    /// Creates the details of a lookup that read `blocks_read` blocks. No object has been compared
    /// yet.
    pub(super) const fn asked(blocks_read: u64, hint: Option<HintOutcome>) -> Self {
        Self {
            matches: None,
            blocks_read: Some(blocks_read),
            hint,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if self.matches == Some(true) {
            text.push_str("; the object is the one that is registered");
        }
        if let Some(hint) = self.hint {
            text.push_str(if hint.matched {
                "; the hint matched"
            } else {
                "; the hint did not match"
            });
            text.push_str(if hint.refreshed {
                " and is refreshed"
            } else {
                ""
            });
        }
        if let Some(blocks) = self.blocks_read {
            text.push_str("; ");
            text.push_str(&blocks.to_string());
            text.push_str(" blocks read");
        }
        text
    }
}

/// Queried ids that are not assigned to an entry yet: one id, or the half-open range from the first
/// id to the second.
pub(super) enum UnassignedIds {
    One(EntryId),
    From(EntryId, EntryId),
}

impl UnassignedIds {
    fn text(&self) -> String {
        match self {
            Self::One(id) => format!("unassigned  {:>8}", id.number()),
            Self::From(start, end) => {
                format!("unassigned  {:>8} to {}", start.number(), end.number() - 1)
            }
        }
    }

    fn object(&self) -> Json {
        match self {
            Self::One(id) => json!({ "id": id.number(), "status": "unassigned" }),
            Self::From(start, end) => json!({
                "first_id": start.number(),
                "last_id": end.number() - 1,
                "status": "unassigned",
            }),
        }
    }
}

fn shown<D: AsRef<[u8]>>(id: EntryId, entry: &Entry<D>) -> (String, Json) {
    let id = id.number();
    match entry {
        Entry::Live(digest) => {
            let digest = hex::encode(digest);
            (
                format!("live        {id:>8}  {digest}"),
                json!({ "id": id, "status": "live", "digest": digest }),
            )
        }
        Entry::Deleted => (
            format!("deleted     {id:>8}"),
            json!({ "id": id, "status": "deleted" }),
        ),
        Entry::Unassigned => (
            format!("unassigned  {id:>8}"),
            json!({ "id": id, "status": "unassigned" }),
        ),
    }
}
