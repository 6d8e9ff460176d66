//! `pad history` and `pad diff`: list changes, each of which is verified.

use authdict::{
    Answer, CompleteHistory, Difference, Key, KeyHistory, KeyRange, Keys, Operation, Question,
    Statement, Value, Version, VersionNotes,
    internals::version_notes::{PAGE, utc},
};
use clap::Args;
use serde_json::json;

use super::{
    Failure, Output, Result,
    at::VersionSelector,
    output::counted,
    source::{AskArguments, Entries, Session},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad history --store prices.pad --public author.key.pub apple
  pad history --store prices.pad --public author.key.pub --complete apple

With --json each change is one line. The last line contains \"end\".")]
pub(super) struct History {
    #[command(flatten)]
    read: AskArguments,
    /// Look up the key in every kept version, so that no change is missed.
    #[arg(long)]
    complete: bool,
    /// The key whose changes are listed.
    key: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad diff --store prices.pad --public author.key.pub 11 12
  pad diff --store prices.pad --public author.key.pub --complete \\
    2024-12-10 2024-12-11

With --json each key that differs is one line. The last line contains \"end\".")]
pub(super) struct Diff {
    #[command(flatten)]
    read: AskArguments,
    /// Compare the whole contents, to prove that the list is complete.
    #[arg(long)]
    complete: bool,
    /// Write the columns op,key,value as CSV, which pad import reads.
    ///
    /// The rows are the changes that lead from BEFORE to AFTER. Each was verified in both versions.
    /// Only --complete proves that none is missing. Without it, a note on standard error says so.
    /// With --hex, the columns are `op,key_hex,value_hex`, for bytes that are not UTF-8.
    #[arg(long)]
    csv: bool,
    /// Number, name or date of the earlier version; write a name of digits as name:TEXT.
    before: VersionSelector,
    /// The later version.
    after: VersionSelector,
}

impl History {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let key = output.key(&self.key)?;
        let (session, found) = self.read.open_until_kept(None, output, |session, _| {
            let latest = session.newest()?;
            Ok(if session.is_append_only() {
                // No value is ever removed from a log, so the latest version contains all values.
                VerifiedHistory::Values(session.ask(latest, &Question::Key(key.clone()))?)
            } else if self.complete {
                let lookup = |version| Ok(session.lookup(version, &key)?.answer);
                let oldest = session.oldest()?;
                let history = CompleteHistory::collect::<Failure>(oldest, latest, lookup)?;
                VerifiedHistory::Complete(history)
            } else {
                let (since, changes) = listed_history(session, &key)?;
                VerifiedHistory::Listed(since, latest, changes)
            })
        })?;
        let (since, latest, changes) = match found {
            VerifiedHistory::Values(values) => {
                output.end(0);
                return output.statement(values);
            }
            VerifiedHistory::Complete(history) => {
                return show_complete(&*session, &key, &history, output);
            }
            VerifiedHistory::Listed(since, latest, changes) => (since, latest, changes),
        };
        show_changes(&*session, &key, &changes, output)?;
        let text = format!(
            "{} after version {since}, each {}; completeness is the server's word (--complete \
             proves it)",
            counted(changes.len(), "change"),
            output.verdict(),
        );
        let object = json!({
            "from": since.number(),
            "to": latest.number(),
            "complete": false,
        });
        output.end(changes.len());
        output.say_verdict(&text, object)
    }
}

/// The verified history of a key.
enum VerifiedHistory {
    /// All values of the key, from an append-only log.
    Values(Statement),
    /// All changes from the oldest kept version to the latest. The list is proved complete.
    Complete(CompleteHistory),
    /// The version after which the server's list of changes begins, the latest version, and the
    /// listed changes. The list is not proved complete.
    Listed(Version, Version, Vec<(Version, Answer)>),
}

/// Prints all changes from the oldest kept version to the latest.
fn show_complete(
    session: &Session,
    key: &Key,
    history: &CompleteHistory,
    output: &mut Output,
) -> Result {
    let (oldest, latest) = (history.from(), history.to());
    if !history.is_from_the_beginning() {
        let text = match history.first() {
            Answer::Absent => "absent".into(),
            first @ Answer::Present(_) => value_text(first, output),
        };
        output.text(&format!(
            "version {oldest:>6}  {text}   (here or earlier: contents before this version are \
             pruned)"
        ))?;
    }
    show_changes(session, key, history.changes(), output)?;
    let (number, verdict) = (history.changes().len(), output.verdict());
    let changes = counted(number, "change");
    let text = if history.is_from_the_beginning() {
        format!("{changes} up to version {latest}, each {verdict}; none is missing")
    } else {
        format!(
            "{changes} after version {oldest} up to version {latest}, each {verdict}; complete \
             from version {oldest} on, earlier changes are unknown"
        )
    };
    let first = (!history.is_from_the_beginning())
        .then(|| output.lookup_object(oldest, key, history.first()));
    let object = json!({
        "from": oldest.number(),
        "to": latest.number(),
        "complete": true,
        "at_start": first,
    });
    output.end(number);
    output.say_verdict(&text, object)
}

/// Prints changes of `key`: each version with its answer, and with its name and time.
fn show_changes(
    session: &Session,
    key: &Key,
    changes: &[(Version, Answer)],
    output: &mut Output,
) -> Result {
    let word_of = session.names().word_of();
    let (mut notes, mut known) = (VersionNotes::default(), Version::EMPTY);
    for (version, answer) in changes {
        if *version > known {
            known = Version::new(version.number().saturating_add(PAGE - 1));
            let last = changes.last().map_or(known, |(last, _)| known.min(*last));
            notes = session.names().notes(*version, last)?;
        }
        let note = notes.get(*version);
        let shown = note.map(|note| {
            let name = note.name.as_deref().map(Output::show_text);
            let name = name.map_or_else(String::new, |name| format!("{name}, "));
            let by = output.origin(note.signature.is_some(), word_of);
            format!("   (by {by}: {name}{})", utc(note.seconds))
        });
        let text = value_text(answer, output);
        let text = format!("version {version:>6}  {text}{}", shown.unwrap_or_default());
        let mut object = output.lookup_fields(*version, key, answer);
        let claim = note.map(|note| {
            json!({
                "word_of": word_of,
                "name": note.name,
                "time": note.seconds,
                "signed": output.is_signed(note.signature.is_some()).then_some(true),
            })
        });
        object["claim"] = claim.into();
        output.item(&text, object)?;
    }
    Ok(())
}

fn value_text(answer: &Answer, output: &Output) -> String {
    answer.value().map_or_else(
        || "removed".into(),
        |value| format!("= {}", output.show_value(value)),
    )
}

impl Diff {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let session = self.read.open(output)?;
        let before = session.version(Some(&self.before), output)?;
        let after = session.version(Some(&self.after), output)?;
        if self.csv {
            output.trace(false, |trace| {
                self.each(&*session, (before, after), |change| {
                    Ok(trace.write(&leading_to_after(change))?)
                })
            })?;
            if !self.complete {
                Output::warn(completeness(self.complete));
            }
            return Ok(());
        }
        let mut count = 0_usize;
        self.each(&*session, (before, after), |change| {
            count = count.saturating_add(1);
            show_difference(change, output)
        })?;
        let complete = completeness(self.complete);
        let verdict = output.verdict();
        let text = format!("{count} keys differ, each {verdict}; {complete}");
        let object = json!({
            "from": before.number(),
            "to": after.number(),
            "complete": self.complete,
        });
        output.end(count);
        output.say_verdict(&text, object)
    }

    fn each(
        &self,
        session: &Session,
        (before, after): (Version, Version),
        mut take: impl FnMut(&Difference) -> Result,
    ) -> Result {
        if self.complete {
            let entries = |version| session.entries(version, KeyRange::ALL);
            return compare(entries(before), entries(after), |change| take(&change));
        }
        listed_differences(session, (before, after), |changes| {
            changes.iter().try_for_each(&mut take)
        })
    }
}

fn leading_to_after(change: &Difference) -> Operation {
    let key = change.key.clone();
    match &change.after {
        Some(value) => Operation::Put(key, value.clone()),
        None => Operation::Remove(key),
    }
}

fn show_difference(change: &Difference, output: &mut Output) -> Result {
    let Difference { key, before, after } = change;
    let show = |value: &Value| output.show_value(value);
    let shown = output.show(key.as_bytes());
    let text = match (before, after) {
        (None, Some(new)) => format!("+ {shown} = {}", show(new)),
        (Some(old), None) => format!("- {shown} = {}", show(old)),
        (Some(old), Some(new)) => format!("~ {shown} = {} (was {})", show(new), show(old)),
        (None, None) => return Ok(()),
    };
    let mut object = json!({});
    output.add(&mut object, "key", key.as_bytes());
    if let Some(old) = before {
        output.add(&mut object, "before", old.as_bytes());
    }
    if let Some(new) = after {
        output.add(&mut object, "after", new.as_bytes());
    }
    output.item(&text, object)
}

/// Passes the differences that the server lists to `show`, in batches. Before a batch is passed, it
/// is verified in both versions.
fn listed_differences(
    session: &Session,
    (before, after): (Version, Version),
    mut show: impl FnMut(&[Difference]) -> Result,
) -> Result {
    let (mut changes, mut bytes, mut last) = (Vec::new(), 0_usize, None);
    let mut shown = |changes: &mut Vec<Difference>| {
        require_after(last.as_ref(), changes)?;
        last = changes.last().map(|change| change.key.clone());
        verify_changes(session, (before, after), changes)?;
        show(changes)?;
        changes.clear();
        Ok(())
    };
    session.differences(before, after, &mut |change| {
        let change = change.into_unverified();
        bytes = bytes.saturating_add(length(&change));
        changes.push(change);
        if changes.len() < MOST_CHANGES && bytes < MOST_BYTES {
            return Ok(());
        }
        bytes = 0;
        shown(&mut changes)
    })?;
    shown(&mut changes)
}

/// Maximum number of differences in a batch that is verified together.
const MOST_CHANGES: usize = 1 << 12;

/// Number of bytes of keys and values at which a batch of differences is complete.
const MOST_BYTES: usize = 1 << 20;

fn length(change: &Difference) -> usize {
    let values = [&change.before, &change.after];
    let values = values.map(|value| value.as_ref().map_or(0, |value| value.as_bytes().len()));
    change.key.as_bytes().len() + values[0] + values[1]
}

/// Verifies the changes of `key` that the server lists. Each change is verified in its version and
/// in the previous version.
///
/// Returns the version after which the list begins, and the verified changes.
fn listed_history(session: &Session, key: &Key) -> Result<(Version, Vec<(Version, Answer)>)> {
    let KeyHistory { since, changes } = session.history(key)?.into_unverified();
    let mut proved = Vec::new();
    for version in changes {
        let answer = session.lookup(version, key)?.answer;
        let before = version.previous().filter(|before| *before >= since);
        let before = before.map(|before| session.lookup(before, key));
        match before.transpose()? {
            Some(before) if before.answer != answer => proved.push((version, answer)),
            Some(_) if answer == Answer::Absent => {
                let text = format!("the key was not removed in version {version}");
                return Err(Failure::Refused(text));
            }
            // The value has not changed. An equal value was put again, or the server listed an
            // arbitrary version.
            Some(_) => {}
            None => {
                let text = format!("version {version} is listed as a change after version {since}");
                return Err(Failure::Refused(text));
            }
        }
    }
    Ok((since, proved))
}

/// Refuses a batch of differences that does not start after `last`, the last key before it.
fn require_after(last: Option<&Key>, changes: &[Difference]) -> Result {
    let first = changes.first().map(|change| &change.key);
    if last.is_some() && first.is_some() && last >= first {
        return Err(Failure::Refused(
            "verification failed: the listed changes are not in ascending order of keys".into(),
        ));
    }
    Ok(())
}

/// Verifies listed differences: looks up their keys in both versions, and fails if a value is not
/// as listed.
fn verify_changes(
    session: &Session,
    (before, after): (Version, Version),
    changes: &[Difference],
) -> Result {
    let keys = changes.iter().map(|change| change.key.clone()).collect();
    let Some(keys) = Keys::new(keys) else {
        return Ok(());
    };
    let (old, new) = (
        session.lookups(before, &keys)?,
        session.lookups(after, &keys)?,
    );
    if are_verified(changes, &old, &new) {
        return Ok(());
    }
    Err(Failure::Refused(
        "verification failed: the listed changes are not the signed ones".into(),
    ))
}

/// Returns whether `changes` lists exactly the verified lookups of the older and of the newer
/// version, which are in ascending order of keys, and whether each of these pairs differs.
fn are_verified(changes: &[Difference], old: &[(Key, Answer)], new: &[(Key, Answer)]) -> bool {
    let listed = (changes.iter()).map(|it| (&it.key, it.before.as_ref(), it.after.as_ref()));
    let verified = old.iter().zip(new);
    let differ = changes.iter().all(|it| it.before != it.after);
    differ && listed.eq(verified.map(|((key, old), (_, new))| (key, old.value(), new.value())))
}

/// Passes the differences between two verified contents to `show`, in ascending order of keys. Only
/// one page of each is in memory.
fn compare(
    mut before: Entries<'_>,
    mut after: Entries<'_>,
    mut show: impl FnMut(Difference) -> Result,
) -> Result {
    let (mut old, mut new) = (before.next()?, after.next()?);
    loop {
        let keys = [&old, &new].into_iter().flatten().map(|(key, _)| key);
        let Some(key) = keys.min().cloned() else {
            return Ok(());
        };
        let taken = |entry: &mut Option<(Key, Value)>| {
            let taken = entry.take_if(|(found, _)| *found == key);
            taken.map(|(_, value)| value)
        };
        let (was, is) = (taken(&mut old), taken(&mut new));
        let advances = [was.is_some(), is.is_some()];
        if was != is {
            show(Difference {
                key,
                before: was,
                after: is,
            })?;
        }
        // Only after a verified difference is shown, the next page may fail.
        if advances[0] {
            old = before.next()?;
        }
        if advances[1] {
            new = after.next()?;
        }
    }
}

const fn completeness(complete: bool) -> &'static str {
    if complete {
        "none is missing"
    } else {
        "completeness is the server's word (--complete proves it)"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_listed_under_other_keys_are_not_verified() {
        let key = |text: &str| Key::try_from(text).unwrap();
        let value = |text: &str| Value::try_from(text).unwrap();
        let change = |name: &str, is: &str| Difference {
            key: key(name),
            before: None,
            after: Some(value(is)),
        };
        let old = [(key("a"), Answer::Absent), (key("b"), Answer::Absent)];
        let new = [
            (key("a"), Answer::Present(value("1"))),
            (key("b"), Answer::Present(value("2"))),
        ];
        let [first, second] = [change("a", "1"), change("b", "2")];
        assert!(are_verified(&[first.clone(), second.clone()], &old, &new));
        // The values of the sorted keys, in an order of keys that is not sorted.
        let swapped = [change("b", "1"), change("a", "2")];
        assert!(!are_verified(&swapped, &old, &new));
        assert!(!are_verified(std::slice::from_ref(&first), &old, &new));
        assert!(!are_verified(&[first.clone(), second, first], &old, &new));
        assert!(require_after(None, &[change("a", "1")]).is_ok());
        assert!(require_after(Some(&key("a")), &[]).is_ok());
        assert!(require_after(Some(&key("a")), &[change("b", "2")]).is_ok());
        assert!(require_after(Some(&key("a")), &[change("a", "1")]).is_err());
        assert!(require_after(Some(&key("b")), &[change("a", "1")]).is_err());
        let unchanged = Difference {
            key: key("a"),
            before: None,
            after: None,
        };
        assert!(!are_verified(&[unchanged], &old[..1], &old[..1]));
    }
}
