//! `pad history` and `pad diff`: what changed, each change verified.

use std::collections::BTreeMap;

use clap::Args;
use pad::{Answer, Change, Key, KeyRange, Keys, RangeContents, Version};
use serde_json::{Map, Value as Json, json};

use super::{
    Failure, Output,
    session::{ReadArguments, Session},
};

#[derive(Debug, Args)]
pub(super) struct History {
    #[command(flatten)]
    read: ReadArguments,
    /// Look the key up in every version, so that the list is proved to be complete.
    #[arg(long)]
    complete: bool,
    /// The key.
    key: String,
}

#[derive(Debug, Args)]
pub(super) struct Diff {
    #[command(flatten)]
    read: ReadArguments,
    /// Compare the whole contents, so that the list is proved to be complete.
    #[arg(long)]
    complete: bool,
    /// The earlier version.
    before: u64,
    /// The later version.
    after: u64,
}

impl History {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key)?;
        let session = self.read.open()?;
        let changes = if self.complete {
            complete_history(&session, &key)?
        } else {
            listed_history(&session, &key)?
        };
        let mut objects = Vec::new();
        for (version, answer) in &changes {
            let text = answer.value().map_or_else(
                || "removed".into(),
                |value| format!("= {}", output.show(value.as_bytes())),
            );
            output.text(&format!("version {version:>6}  {text}"))?;
            objects.push(output.lookup_object(*version, &key, answer));
        }
        let complete = completeness(self.complete);
        let text = format!("{} changes, each verified; {complete}", changes.len());
        let object = json!({ "changes": objects, "complete": self.complete, "verified": true });
        output.say(&text, &object)
    }
}

impl Diff {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let (before, after) = (Version::new(self.before), Version::new(self.after));
        let session = self.read.open()?;
        let changes = if self.complete {
            let all = |version| session.range(version, KeyRange::ALL);
            compare(&all(before)?, &all(after)?)
        } else {
            let changes = session.repository.diff(before, after)?;
            verify_changes(&session, (before, after), &changes)?;
            changes
        };
        let mut objects = Vec::new();
        for Change { key, before, after } in &changes {
            let show = |value: &pad::Value| output.show(value.as_bytes());
            let shown = output.show(key.as_bytes());
            output.text(&match (before, after) {
                (None, Some(new)) => format!("+ {shown} = {}", show(new)),
                (Some(old), None) => format!("- {shown} = {}", show(old)),
                (Some(old), Some(new)) => format!("~ {shown} = {} (was {})", show(new), show(old)),
                (None, None) => continue,
            })?;
            let mut object = Map::new();
            output.add(&mut object, "key", key.as_bytes());
            if let Some(old) = before {
                output.add(&mut object, "before", old.as_bytes());
            }
            if let Some(new) = after {
                output.add(&mut object, "after", new.as_bytes());
            }
            objects.push(Json::Object(object));
        }
        let complete = completeness(self.complete);
        let text = format!("{} keys differ, each verified; {complete}", changes.len());
        let object = json!({
            "before": before.number(),
            "after": after.number(),
            "changes": objects,
            "complete": self.complete,
            "verified": true,
        });
        output.say(&text, &object)
    }
}

/// Every version of the key that the server lists, each proved in it and in the version before.
fn listed_history(session: &Session, key: &Key) -> Result<Vec<(Version, Answer)>, Failure> {
    let oldest = session.repository.oldest();
    let mut changes = Vec::new();
    for version in session.repository.history(key)? {
        let answer = session.lookup(version, key)?.answer;
        let before = version.previous().filter(|before| *before >= oldest);
        // The same value may be put again, which leaves no trace in the contents.
        if let Some(before) = before.filter(|_| answer == Answer::Absent)
            && session.lookup(before, key)?.answer == Answer::Absent
        {
            return Err(Failure::Refused(format!(
                "the key was not removed in version {version}"
            )));
        }
        changes.push((version, answer));
    }
    Ok(changes)
}

/// The key's answer in every kept version, where it is another than in the version before.
fn complete_history(session: &Session, key: &Key) -> Result<Vec<(Version, Answer)>, Failure> {
    let (oldest, latest) = (session.repository.oldest(), session.repository.latest());
    let mut last = Answer::Absent;
    let mut changes = Vec::new();
    for version in (oldest.number()..=latest.number()).map(Version::new) {
        let answer = session.lookup(version, key)?.answer;
        if answer != last {
            changes.push((version, answer.clone()));
            last = answer;
        }
    }
    Ok(changes)
}

/// Proves what the server says that changed, in both versions.
fn verify_changes(
    session: &Session,
    (before, after): (Version, Version),
    changes: &[Change],
) -> Result<(), Failure> {
    let keys = changes.iter().map(|change| change.key.clone()).collect();
    let Some(keys) = Keys::new(keys) else {
        return Ok(());
    };
    let (old, new) = (
        session.lookups(before, &keys)?,
        session.lookups(after, &keys)?,
    );
    let same = changes
        .iter()
        .zip(old.iter().zip(&new))
        .all(|(change, (old, new))| {
            change.before.as_ref() == old.1.value() && change.after.as_ref() == new.1.value()
        });
    if same && old.len() == changes.len() {
        return Ok(());
    }
    Err(Failure::Refused(
        "verification failed: the listed changes are not the signed ones".into(),
    ))
}

/// The changes between two whole contents.
fn compare(before: &RangeContents, after: &RangeContents) -> Vec<Change> {
    let mut changes: BTreeMap<&Key, Change> = BTreeMap::new();
    let change = |key: &Key| Change {
        key: key.clone(),
        before: None,
        after: None,
    };
    for (key, value) in &before.entries {
        changes.entry(key).or_insert_with(|| change(key)).before = Some(value.clone());
    }
    for (key, value) in &after.entries {
        changes.entry(key).or_insert_with(|| change(key)).after = Some(value.clone());
    }
    changes
        .into_values()
        .filter(|change| change.before != change.after)
        .collect()
}

const fn completeness(complete: bool) -> &'static str {
    if complete {
        "none is missing"
    } else {
        "that none is missing is the server's word (--complete proves it)"
    }
}
