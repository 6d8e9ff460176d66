//! `pad get --keys`: look-ups of many keys, a page at a time.

use std::{
    io::{BufRead as _, BufReader, Read},
    path::Path,
};

use authdict::{Answer, Key, Keys, Question, Version, pad_core::MAX_KEY_LENGTH};
use serde_json::json;

use super::{Failure, Output, Result, files::open_input, output::counted, source::Session};

pub(super) struct KeyLines {
    lines: BufReader<Box<dyn Read>>,
    path: Box<Path>,
    read: u64,
}

impl KeyLines {
    pub(super) fn open(path: &Path) -> Result<Self> {
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
pub(super) fn look_up(
    session: &Session,
    version: Version,
    mut lines: KeyLines,
    output: &mut Output,
) -> Result {
    let mut found = Found::default();
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
        found.page(session, version, &page, output)?;
    }
    let Found { keys, present } = found;
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

/// Numbers of the keys that were looked up. In a log, no key counts as present.
#[derive(Default)]
struct Found {
    keys: u64,
    present: u64,
}

impl Found {
    /// Looks up the keys in `page` and prints the answers. Asks about half a page at a time if the
    /// answer about the whole would be too long.
    fn page(
        &mut self,
        session: &Session,
        version: Version,
        page: &[Key],
        output: &mut Output,
    ) -> Result {
        if session.is_append_only() {
            for key in page {
                self.keys = self.keys.saturating_add(1);
                output.statement(session.ask(version, &Question::Key(key.clone()))?)?;
            }
            return Ok(());
        }
        let Some(keys) = Keys::new(page.to_vec()) else {
            return Ok(());
        };
        let answers = match session.lookups(version, &keys) {
            Err(failure) if page.len() > 1 && matches!(failure.bare(), Failure::Input(_)) => {
                let (first, second) = page.split_at(page.len() / 2);
                self.page(session, version, first, output)?;
                return self.page(session, version, second, output);
            }
            answers => answers?,
        };
        for key in page {
            let place = answers.binary_search_by(|(asked, _)| asked.cmp(key));
            let answer = place.ok().and_then(|place| answers.get(place));
            let (_, answer) = answer
                .ok_or_else(|| Failure::Refused("the answer is to another question".into()))?;
            self.keys = self.keys.saturating_add(1);
            let is_present = matches!(answer, Answer::Present(_));
            self.present = self.present.saturating_add(is_present.into());
            output.listed_lookup(version, key, answer)?;
        }
        Ok(())
    }
}

/// Number of keys in a page. One proof answers a page, unless a scheme proves one key at a time.
const MOST_KEYS: usize = 256;
/// Maximum length of a line in bytes. With `--hex`, each byte of a key is two digits. The first
/// bytes of a longer line, up to this length, are already too long for a key.
const LONGEST_LINE: usize = 2 * MAX_KEY_LENGTH + 2;
