//! JSON encoding of unsigned notes on versions: names, times, and numbers of changes and entries.
//! Decoded notes are not verified.

use authdict::{
    Version, VersionNote, VersionNotes,
    internals::version_notes::{LONGEST_NAME, MOST_OF_A_NAME},
};
use serde_json::{Value, json};

/// Encodes version notes as JSON. A response contains at most the notes from its first version to
/// [`last_of_page`] of this version.
pub fn notes_to_json(notes: &VersionNotes) -> String {
    let notes = notes.iter().map(|(version, note)| {
        let VersionNote {
            name,
            seconds,
            changes,
            entries,
        } = note;
        json!({
            "version": version.number(),
            "name": name,
            "time": seconds,
            "changes": changes,
            "entries": entries,
        })
    });
    notes.collect::<Value>().to_string()
}

/// Returns the last version that a response with notes can cover if it starts at version `first`.
pub const fn last_of_page(first: Version) -> Version {
    Version::new(first.number().saturating_add(MOST_NOTES - 1))
}

/// Decodes the notes of versions `first` to `last`. Returns `None` if the JSON is malformed,
/// contains other versions, or contains a name that is too long.
pub(crate) fn notes_from_json(bytes: &[u8], first: Version, last: Version) -> Option<VersionNotes> {
    let list: Vec<Value> = serde_json::from_slice(bytes).ok()?;
    let note = |object: &Value| {
        let number = |name| object.get(name)?.as_u64();
        let name = match object.get("name")? {
            Value::Null => None,
            name => Some(name.as_str()?.to_owned()),
        };
        let version = Version::new(number("version")?);
        let is_asked_for = (first..=last).contains(&version);
        let is_short = name.as_ref().is_none_or(|name| name.len() <= LONGEST_NAME);
        let note = VersionNote {
            name,
            seconds: number("time")?,
            changes: number("changes")?,
            entries: number("entries")?,
        };
        (is_asked_for && is_short).then_some((version, note))
    };
    list.iter().map(note).collect()
}

/// Encodes a list of versions that have one name as a JSON array of numbers.
pub fn versions_to_json(versions: &[Version]) -> String {
    let numbers = versions.iter().map(|version| version.number());
    numbers.collect::<Value>().to_string()
}

/// Decodes a JSON array of version numbers. Returns `None` if the JSON is malformed, or the
/// versions are too many, not ascending, or include 0.
pub(crate) fn versions_from_json(bytes: &[u8]) -> Option<Vec<Version>> {
    let list: Vec<u64> = serde_json::from_slice(bytes).ok()?;
    let is_ascending = list.is_sorted_by(|one, other| one < other);
    let is_right = is_ascending && list.len() <= MOST_OF_A_NAME && list.first() != Some(&0);
    is_right.then(|| list.into_iter().map(Version::new).collect())
}

/// Maximum number of versions covered by one response with notes.
const MOST_NOTES: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_comes_back_and_nothing_that_was_not_asked_for() {
        let note = |name: Option<&str>| VersionNote {
            name: name.map(Into::into),
            seconds: 5,
            changes: 6,
            entries: 7,
        };
        let version = Version::new;
        let notes = [(version(2), note(Some("a\n\"b"))), (version(3), note(None))];
        let notes: VersionNotes = notes.into_iter().collect();
        let (first, last) = (version(1), version(9));
        let json = notes_to_json(&notes);
        let read = |first, last| notes_from_json(json.as_bytes(), version(first), version(last));
        assert_eq!(read(1, 9).as_ref(), Some(&notes));
        assert_eq!(read(1, 2), None);
        assert_eq!(read(3, 9), None);
        assert_eq!(notes_to_json(&VersionNotes::default()), "[]");
        for bad in [
            "{}",
            "[1]",
            "[{}]",
            r#"[{"version":1,"name":2,"time":1,"changes":1,"entries":1}]"#,
        ] {
            assert_eq!(notes_from_json(bad.as_bytes(), first, last), None, "{bad}");
        }
        let long = json.replace("a\\n", &"x".repeat(LONGEST_NAME));
        assert_eq!(notes_from_json(long.as_bytes(), first, last), None);
        let versions = [version(2), version(5)];
        let json = versions_to_json(&versions);
        assert_eq!(versions_from_json(json.as_bytes()), Some(versions.into()));
        for bad in [
            "[5,2]",
            "[2,2]",
            "[0]",
            "[-1]",
            "2",
            "[1,2,3,4,5,6,7,8,9,10,11]",
        ] {
            assert_eq!(versions_from_json(bad.as_bytes()), None, "{bad}");
        }
    }
}
