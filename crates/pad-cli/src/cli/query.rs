//! `pad versions` lists versions, `pad get` looks up a key, and `pad range` lists the entries in a
//! range of keys.
//!
//! Every answer is verified with the public key before it is printed. The encoded answers of a
//! local store are verified in the same way as a server's.

use std::{
    io::{BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
};

use authdict::{
    Answer, Key, KeyRange, Keys, Operation, Predecessor, Question, Statement, Successor, Version,
    VersionNote, VersionNotes,
    internals::version_notes::{PAGE, utc},
    pad_core::MAX_KEY_LENGTH,
};
use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    Failure, Output, Result,
    at::VersionSelector,
    files::open_input,
    output::{counted, things},
    source::{AskArguments, Session},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad versions --store prices.pad --public author.key.pub
  pad versions --store prices.pad --public author.key.pub --last 10")]
pub(super) struct Versions {
    #[command(flatten)]
    read: AskArguments,
    /// List only the latest NUMBER of versions.
    #[arg(long, value_name = "NUMBER")]
    last: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad get --store prices.pad --public author.key.pub apple
  pad get --store prices.pad --public author.key.pub --at 2024-12-11 apple
  pad get --server https://prices.example --view p.view --at 2026-10-24 apple
  pad get --store images.pad --public author.key.pub --raw logo > logo.png
  cut -d, -f1 orders.csv | pad get --store prices.pad --keys -
  pad get --store prices.pad --public author.key.pub --after apple

A date that is no name selects the newest version up to that day's end (UTC).
With --keys and --json each key is one line. The last line contains \"end\";
without it the list is incomplete.")]
pub(super) struct Get {
    #[command(flatten)]
    read: AskArguments,
    /// Version number, name or date [default: the latest]; write a name of digits as name:TEXT.
    #[arg(long, value_name = "VERSION")]
    at: Option<VersionSelector>,
    /// Write only the value, unchanged; exit status 1 if the key is absent.
    #[arg(long)]
    raw: bool,
    /// Look up each key in FILE, one per line; - for standard input.
    ///
    /// Empty lines are skipped. The answers are in the order of the lines.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "raw"])]
    keys: Option<PathBuf>,
    #[command(flatten)]
    neighbour: NeighbourArguments,
    /// The key to look up.
    #[arg(required_unless_present_any = ["keys", "neighbour"])]
    key: Option<String>,
}

/// Selects an entry by its place in the order of keys.
#[derive(Debug, Args)]
#[group(id = "neighbour", multiple = false, conflicts_with_all = ["key", "keys", "raw"])]
struct NeighbourArguments {
    /// Show the entry with the smallest key (trees).
    #[arg(long)]
    first: bool,
    /// Show the entry with the greatest key (trees).
    #[arg(long)]
    last: bool,
    /// Show the entry with the greatest key below KEY, which need not be present (trees).
    #[arg(long, value_name = "KEY")]
    before: Option<String>,
    /// Show the entry with the smallest key above KEY, which need not be present (trees).
    #[arg(long, value_name = "KEY")]
    after: Option<String>,
}

impl NeighbourArguments {
    fn question(&self, output: &Output) -> Result<Option<Question>> {
        Ok(match (&self.before, &self.after) {
            (Some(key), _) => Some(Predecessor(output.key(key)?).into()),
            (_, Some(key)) => Some(Successor(output.key(key)?).into()),
            _ if self.first => Some(Question::First),
            _ if self.last => Some(Question::Last),
            _ => None,
        })
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad range --store prices.pad --public author.key.pub apple pear
  pad range --store prices.pad --public author.key.pub '' ''
  pad range --store prices.pad --public author.key.pub --prefix gpt-
  pad range --store prices.pad --csv --at 12 '' '' > prices-12.csv

The range includes START and excludes END; '' '' lists everything. With --json
each entry is one line. The last line contains \"end\"; without it the list is
incomplete. With --limit it contains the next key, if there is one.")]
pub(super) struct Range {
    #[command(flatten)]
    read: AskArguments,
    /// Version number, name or date [default: the latest]; write a name of digits as name:TEXT.
    #[arg(long, value_name = "VERSION")]
    at: Option<VersionSelector>,
    /// Write the columns key,value as CSV, which pad import reads.
    ///
    /// Each entry was verified. The list is complete if the exit status is 0. With --hex, the
    /// columns are `key_hex,value_hex`, for bytes that are not UTF-8.
    #[arg(long)]
    csv: bool,
    /// List at most NUMBER of entries, and name the next key.
    #[arg(long, value_name = "NUMBER", conflicts_with = "csv")]
    limit: Option<u64>,
    /// List the keys with the prefix TEXT.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["start", "end"])]
    prefix: Option<String>,
    /// The first key; an empty text for the beginning.
    #[arg(required_unless_present = "prefix")]
    start: Option<String>,
    /// The key to stop before; an empty text for the end.
    #[arg(required_unless_present = "prefix")]
    end: Option<String>,
}

impl Versions {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let session = self.read.open(output)?;
        let names = session.names();
        let (oldest, latest, word_of) = (session.oldest()?, names.latest(), names.word_of());
        let shown = self.last.unwrap_or(u64::MAX);
        let before = latest.number().saturating_sub(shown);
        let first = before.saturating_add(1).max(1);
        let (mut notes, mut known) = (VersionNotes::default(), Version::EMPTY);
        let (mut has_notes, mut has_signed) = (false, false);
        for version in (first..=latest.number()).map(Version::new) {
            if version > known {
                // One page is in memory at a time: a server can invent long names.
                known = Version::new(version.number().saturating_add(PAGE - 1)).min(latest);
                notes = match names.notes(version, known) {
                    // Without notes, the list is still verified.
                    Err(failure) if version.number() > first => {
                        Output::warn(&format!(
                            "further versions are listed without notes: {failure}"
                        ));
                        known = latest;
                        VersionNotes::default()
                    }
                    notes => notes?,
                };
            }
            let head = session.head(version)?;
            let kept = version >= oldest;
            let note = notes.get(version);
            has_notes |= note.is_some();
            has_signed |= note.is_some_and(|note| note.signature.is_some());
            let mut claim = note.map_or_else(|| json!({}), note_object);
            let is_signed = note.is_some_and(|note| output.is_signed(note.signature.is_some()));
            claim["signed"] = is_signed.then_some(true).into();
            claim["word_of"] = word_of.into();
            claim["kept"] = kept.into();
            let object = json!({ "version": version.number(), "root": head.root, "claim": claim });
            let said = note.map_or_else(String::new, |note| note_text(note, is_signed));
            let pruned = if kept {
                String::new()
            } else {
                format!("   (contents pruned, says the {word_of})")
            };
            let text = format!("{version:>8}  {}{said}{pruned}", head.root);
            output.item(&text, object)?;
        }
        output.end(latest.number().saturating_sub(first - 1));
        if latest == Version::EMPTY {
            let text = format!(
                "no version yet, according to the {word_of}: the author signs nothing before \
                 version 1"
            );
            // The absence of versions is not verified.
            return output.say(&text, &json!({ "latest": 0, "verified": false }));
        }
        let word = if has_notes {
            let unless = if output.is_signed(has_signed) {
                " unless signed"
            } else {
                ""
            };
            format!(
                "; times, numbers of changes and entries, and names are the {word_of}'s \
                 word{unless}"
            )
        } else {
            String::new()
        };
        let text = format!("heads {}{word}", output.verdict());
        output.say_verdict(&text, json!({ "latest": latest.number() }))
    }
}

/// Formats a version's note as columns: time, numbers of changes and entries, and name. Signed
/// notes are marked.
fn note_text(note: &VersionNote, is_signed: bool) -> String {
    let name = note.name.as_deref().map(Output::show_text);
    let (time, name) = (utc(note.seconds), name.unwrap_or_default());
    let (changes, entries) = (note.changes.to_string(), note.entries.to_string());
    let text = format!(
        "  {time}  {changes:>6} {:<7}  {entries:>8} {:<7}  {}{name}",
        things(&changes, "change"),
        things(&entries, "entry"),
        if is_signed { "signed  " } else { "" },
    );
    text.trim_end().to_owned()
}

fn note_object(note: &VersionNote) -> Json {
    json!({
        "name": note.name,
        "time": note.seconds,
        "changes": note.changes,
        "entries": note.entries,
    })
}

impl Get {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        if self.raw {
            output.require_text("--raw")?;
        }
        if let Some(path) = &self.keys {
            let keys = KeyLines::open(path)?;
            let session = self.read.open(output)?;
            let version = session.signed_version(self.at.as_ref(), output)?;
            return look_up(&*session, version, keys, output);
        }
        let key = output.key(self.key.as_deref().unwrap_or_default())?;
        let question = self.neighbour.question(output)?;
        let question = question.unwrap_or_else(|| Question::Key(key.clone()));
        let at = self.at.as_ref();
        let (_, (version, statement)) =
            self.read.open_until_kept(at, output, |session, output| {
                let version = session.signed_version(at, output)?;
                Ok((version, session.ask(version, &question)?))
            })?;
        if self.raw {
            return raw(&key, version, statement, output);
        }
        output.statement(statement)
    }
}

/// Writes the value of `key` in a verified `statement` as raw bytes. Fails if the key is absent.
fn raw(key: &Key, version: Version, statement: Statement, output: &mut Output) -> Result {
    let shown = output.show(key.as_bytes());
    let value = match statement {
        Statement::Lookup(lookup) => match lookup.answer {
            Answer::Present(value) => Some(value),
            Answer::Absent => None,
        },
        #[cfg(feature = "log")]
        Statement::Values(values) if values.values.len() > 1 => {
            let count = values.values.len();
            let text = format!("{shown} has {count} values in version {version}");
            return Err(Failure::Input(text).help("list them with pad get without --raw"));
        }
        #[cfg(feature = "log")]
        Statement::Values(mut values) => values.values.pop(),
        #[cfg(feature = "log")]
        Statement::Included(_) => {
            return Err(Failure::input(
                "a member of a set has no value: --raw has nothing to write",
            ));
        }
        #[cfg(feature = "log")]
        Statement::Absent(_) => None,
        _ => return Err(Failure::Refused("the answer is to another question".into())),
    };
    match value {
        Some(value) => output.raw_value(&value),
        None => Err(Failure::Absent(format!(
            "{shown} is absent in version {version}   [{}]",
            output.verdict()
        ))),
    }
}

impl Range {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let range = self.range(output)?;
        let session = self.read.open(output)?;
        let version = session.signed_version(self.at.as_ref(), output)?;
        if self.csv {
            return output.trace(true, |trace| {
                let mut entries = session.entries(version, range);
                while let Some((key, value)) = entries.next()? {
                    trace.write(&Operation::Put(key, value))?;
                }
                Ok(())
            });
        }
        let most = self.limit.unwrap_or(u64::MAX);
        let (count, next) = list(&*session, version, (range, most), output)?;
        let mut object = json!({ "version": version.number() });
        output.end(count);
        let rest = match next {
            None => "no more in between".to_owned(),
            Some(next) => {
                output.add(&mut object, "next", next.as_bytes());
                format!("the next key is {}", output.show(next.as_bytes()))
            }
        };
        let text = format!("{}, {rest}", counted(count, "entry"));
        output.say_at(version, &text, object)
    }

    fn range(&self, output: &Output) -> Result<KeyRange> {
        if let Some(prefix) = &self.prefix {
            return Ok(KeyRange::prefix(output.key(prefix)?));
        }
        let [start, end] = [&self.start, &self.end].map(|text| text.as_deref().unwrap_or_default());
        between(start, end, output)
    }
}

/// Returns the range from `start` up to, but not including, `end`. An empty text means no bound.
pub(super) fn between(start: &str, end: &str, output: &Output) -> Result<KeyRange> {
    let limit = |text| match text {
        "" => Ok(None),
        text => output.key(text).map(Some),
    };
    let range = KeyRange {
        start: limit(start)?,
        end: limit(end)?,
    };
    if range.is_valid() {
        return Ok(range);
    }
    Err(Failure::input(
        "the range is empty: its first key must be below its end",
    ))
}

/// Prints at most `most` entries of a range, each after it was verified. Returns their number, and
/// the first key that was not printed.
fn list(
    session: &Session,
    version: Version,
    (range, most): (KeyRange, u64),
    output: &mut Output,
) -> Result<(u64, Option<Key>)> {
    let mut count = 0_u64;
    let mut entries = session.entries(version, range);
    while let Some((key, value)) = entries.next()? {
        if count == most {
            return Ok((count, Some(key)));
        }
        count = count.saturating_add(1);
        let mut entry = json!({ "version": version.number() });
        output.add(&mut entry, "key", key.as_bytes());
        output.add(&mut entry, "value", value.as_bytes());
        let (shown, value) = (output.show(key.as_bytes()), output.show_value(&value));
        output.item(&format!("{shown} = {value}"), entry)?;
    }
    Ok((count, None))
}

/// Keys in the lines of a file.
struct KeyLines {
    lines: BufReader<Box<dyn Read>>,
    path: Box<Path>,
    read: u64,
}

impl KeyLines {
    fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            lines: BufReader::new(open_input(path)?),
            path: path.into(),
            read: 0,
        })
    }

    /// Reads the next key. Skips empty lines. Returns `None` at the end.
    fn next(&mut self, output: &Output) -> Result<Option<Key>> {
        loop {
            let mut line = Vec::new();
            let most = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX);
            let read = self.lines.by_ref().take(most).read_until(b'\n', &mut line);
            if read.map_err(Failure::at(&self.path))? == 0 {
                return Ok(None);
            }
            self.read = self.read.saturating_add(1);
            if line.ends_with(b"\n") {
                line.pop();
                line.pop_if(|last| *last == b'\r');
            }
            let refused = |reason: &str| {
                let path = self.path.display();
                Failure::Input(format!("{path}: line {}: {reason}", self.read))
            };
            let text = str::from_utf8(&line).map_err(|_| refused("the text is not UTF-8"))?;
            if !text.is_empty() {
                let key = output.key(text).map(Some);
                return key.map_err(|failure| refused(&failure.to_string()));
            }
        }
    }
}

/// Looks up each key in `lines` and prints the verified answers in the order of the lines.
///
/// Memory: one page of keys and answers.
fn look_up(
    session: &Session,
    version: Version,
    mut lines: KeyLines,
    output: &mut Output,
) -> Result {
    let (mut keys, mut present) = (0_usize, 0_u64);
    loop {
        let mut page = Vec::new();
        while page.len() < MOST_KEYS
            && let Some(key) = lines.next(output)?
        {
            page.push(key);
        }
        if page.is_empty() {
            break;
        }
        keys = keys.saturating_add(page.len());
        present = present.saturating_add(look_up_page(session, version, &page, output)?);
    }
    let mut object = json!({ "version": version.number() });
    let text = if session.is_append_only() {
        counted(keys, "key")
    } else {
        object["present_keys"] = present.into();
        format!("{}, {present} of them present", counted(keys, "key"))
    };
    output.end(keys);
    output.say_at(version, &text, object)
}

/// Looks up the keys in `page` and prints the answers. Asks about half a page at a time if the
/// answer about the whole would be too long. Returns how many keys are present; in a log, none
/// counts.
fn look_up_page(
    session: &Session,
    version: Version,
    page: &[Key],
    output: &mut Output,
) -> Result<u64> {
    if session.is_append_only() {
        for key in page {
            output.statement(session.ask(version, &Question::Key(key.clone()))?)?;
        }
        return Ok(0);
    }
    let Some(keys) = Keys::new(page.to_vec()) else {
        return Ok(0);
    };
    let answers = match session.lookups(version, &keys) {
        Err(failure) if page.len() > 1 && matches!(failure.bare(), Failure::Input(_)) => {
            let (first, second) = page.split_at(page.len() / 2);
            let present = look_up_page(session, version, first, output)?;
            return Ok(present + look_up_page(session, version, second, output)?);
        }
        answers => answers?,
    };
    let mut present = 0;
    for key in page {
        let place = answers.binary_search_by(|(asked, _)| asked.cmp(key));
        let answer = place.ok().and_then(|place| answers.get(place));
        let (_, answer) =
            answer.ok_or_else(|| Failure::Refused("the answer is to another question".into()))?;
        present += u64::from(matches!(answer, Answer::Present(_)));
        output.listed_lookup(version, key, answer)?;
    }
    Ok(present)
}

/// Number of keys in a page. One proof answers a page, unless a scheme proves one key at a time.
const MOST_KEYS: usize = 256;
/// Maximum length of a line in bytes. With `--hex`, each byte of a key is two digits. The first
/// bytes of a longer line, up to this length, are already too long for a key.
const LONGEST_LINE: usize = 2 * MAX_KEY_LENGTH + 2;
