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

/// Prints verified entries, and then `unassigned`: the queried ids that are not assigned yet, as
/// lines and objects.
pub(super) fn entries<S: Suite, Q: Selection>(
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

/// Renders an entry as a line and as a JSON object.
pub(super) fn entry<D: AsRef<[u8]>>(id: EntryId, entry: &Entry<D>) -> (String, Json) {
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
