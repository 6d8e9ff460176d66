//! JSON encoding of notes on versions: names, times, and numbers of changes and entries. Decoding
//! does not verify signatures.

use authdict::{
    Version, VersionNote, VersionNotes,
    internals::version_notes::{LONGEST_NAME, MOST_OF_A_NAME, PAGE, SIGNATURE_BYTES},
};
use serde::{Deserialize, Deserializer};
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
            signature,
        } = note;
        let mut object = json!({
            "version": version.number(),
            "name": name,
            "time": seconds,
            "changes": changes,
            "entries": entries,
        });
        if let (Some(signature), Some(fields)) = (signature, object.as_object_mut()) {
            fields.insert("signature".into(), hex::encode(signature).into());
        }
        object
    });
    notes.collect::<Value>().to_string()
}

/// Returns the last version that a response with notes can cover if it starts at version `first`.
pub const fn last_of_page(first: Version) -> Version {
    Version::new(first.number().saturating_add(PAGE - 1))
}

/// Decodes the notes of versions `first` to `last`. Returns `None` if the JSON is malformed,
/// contains other versions or versions that do not ascend, or contains a name that is too long.
pub(crate) fn notes_from_json(bytes: &[u8], first: Version, last: Version) -> Option<VersionNotes> {
    notes_of(serde_json::from_slice(bytes).ok()?, first, last)
}

/// Decodes one page of notes, which begins with the note of any version. Returns `None` if
/// the JSON is malformed, contains versions of several pages or versions that do not ascend, or
/// contains a name that is too long.
pub fn page_from_json(bytes: &[u8]) -> Option<VersionNotes> {
    let list: Vec<NoteObject> = serde_json::from_slice(bytes).ok()?;
    let first = list.first().map_or(0, |first| first.version);
    let first = Version::new(first);
    notes_of(list, first, last_of_page(first))
}

/// Splits notes into pages for delivery, and encodes each page as JSON of at most
/// [`LONGEST_DELIVERY`] bytes.
pub fn pages_to_json(notes: &VersionNotes) -> Vec<String> {
    let (mut pages, mut page, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    let mut last = Version::EMPTY;
    for (version, note) in notes.iter() {
        // JSON needs at most six bytes for each byte of a name.
        let name = note.name.as_ref().map_or(0, String::len);
        let length = name.saturating_mul(6).saturating_add(LONGEST_FIELDS);
        if version > last || bytes.saturating_add(length) > LONGEST_DELIVERY {
            pages.push(core::mem::take(&mut page));
            (bytes, last) = (0, last_of_page(version));
        }
        bytes = bytes.saturating_add(length);
        page.push((version, note.clone()));
    }
    pages.push(page);
    let pages = pages.into_iter().filter(|page| !page.is_empty());
    pages
        .map(|page| notes_to_json(&page.into_iter().collect()))
        .collect()
}

/// The JSON object of a note. Memory: a few times the bytes of the JSON, also for a hostile list,
/// because other fields are not kept.
#[derive(Deserialize)]
struct NoteObject {
    version: u64,
    #[serde(deserialize_with = "Option::deserialize")]
    name: Option<String>,
    time: u64,
    changes: u64,
    entries: u64,
    #[serde(default, deserialize_with = "text")]
    signature: Option<String>,
}

/// Decodes a text. A missing one is `None`, and `null` is refused.
fn text<'d, D: Deserializer<'d>>(text: D) -> Result<Option<String>, D::Error> {
    String::deserialize(text).map(Some)
}

fn notes_of(list: Vec<NoteObject>, first: Version, last: Version) -> Option<VersionNotes> {
    let mut least = first;
    let note = |object: NoteObject| {
        let version = Version::new(object.version);
        let is_asked_for = (least..=last).contains(&version);
        least = Version::new(version.number().checked_add(1)?);
        let name = object.name;
        let is_short = name.as_ref().is_none_or(|name| name.len() <= LONGEST_NAME);
        let note = VersionNote {
            name,
            seconds: object.time,
            changes: object.changes,
            entries: object.entries,
            signature: match object.signature {
                None => None,
                Some(digits) => Some(signature(&digits)?),
            },
        };
        (is_asked_for && is_short).then_some((version, note))
    };
    list.into_iter().map(note).collect()
}

/// Decodes lowercase hexadecimal digits, so that each signature has one form.
fn signature(digits: &str) -> Option<[u8; SIGNATURE_BYTES]> {
    let bytes = hex::decode(digits).ok()?.try_into().ok()?;
    (hex::encode(bytes) == digits).then_some(bytes)
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

/// Maximum bytes of a page of notes for delivery to a server.
pub const LONGEST_DELIVERY: usize = 1 << 20;
/// Maximum bytes of a note in JSON without the name.
const LONGEST_FIELDS: usize = 304;

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
            signature: name.map(|_| [8; SIGNATURE_BYTES]),
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
        assert_eq!(page_from_json(json.as_bytes()).as_ref(), Some(&notes));
        let [two, three] = [2, 3].map(|at| {
            let one = notes.get(version(at)).unwrap().clone();
            let json = notes_to_json(&[(version(at), one)].into_iter().collect());
            json.trim_matches(['[', ']']).to_owned()
        });
        for bad in [
            format!("[{three},{two}]"),
            format!("[{two},{two}]"),
            format!("[{two},{}]", two.replace(":2,", ":1002,")),
            format!(
                "[{}]",
                two.replace("\"version\":2", "\"version\":18446744073709551615")
            ),
            "[{}]".into(),
            format!("[{}]", two.replace("0808", "08")),
            format!("[{}]", two.replace("0808", "0G08")),
        ] {
            assert_eq!(notes_from_json(bad.as_bytes(), first, last), None, "{bad}");
            assert_eq!(page_from_json(bad.as_bytes()), None, "{bad}");
        }
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
        let all: VersionNotes = (1..=1500)
            .map(|at| (version(at), note(Some(&"\u{1}".repeat(LONGEST_NAME)))))
            .collect();
        let mut received = VersionNotes::default();
        for page in pages_to_json(&all) {
            assert!(page.len() <= LONGEST_DELIVERY);
            received.extend(page_from_json(page.as_bytes()).unwrap());
        }
        assert_eq!(received, all);
        assert!(pages_to_json(&VersionNotes::default()).is_empty());
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
