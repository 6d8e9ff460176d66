//! Output of commands, as text or as JSON.

use std::{
    io::{self, IsTerminal, StdoutLock, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use authdict::{Key, Value, Version, internals::version_notes::utc};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::{Failure, Result, at::Claim};

mod statement;
mod trace;

/// True if notes on standard error are JSON objects. Applies to the whole process.
static NOTES_ARE_OBJECTS: AtomicBool = AtomicBool::new(false);

/// Returns the current time, in seconds since 1970.
pub(crate) fn now() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    elapsed.map_or(0, |elapsed| elapsed.as_secs())
}

/// The destination and the format of a command's output.
#[allow(
    clippy::struct_excessive_bools,
    reason = "two are options, and three are states of their own"
)]
pub(crate) struct Output {
    json: bool,
    hex: bool,
    /// The fingerprint of the key that verifies answers, if it was read from the store or server
    /// itself. `None` if the user has given the key, in this command or in an earlier command with
    /// this view.
    stores_own: Option<String>,
    /// Whether the key that verifies answers is authenticated as the author's.
    is_authenticated: bool,
    /// The cosignatures of the newest version, as text and as an object, if witnesses are used.
    newest: Option<(String, Json)>,
    /// Versions that were requested by name or date, as JSON objects with the party that mapped the
    /// name or date, such as `store`.
    named: Vec<Json>,
    /// A caveat about the parameters of the queried log.
    caveat: Option<&'static str>,
    /// The caveat, if it was not written yet.
    unsaid: Option<&'static str>,
    /// The number of items of a list, until the object that ends the list is printed.
    items: Option<Json>,
    /// True if the command changes state. Such a command completes even if standard output is
    /// closed.
    goes_on: bool,
    noted: bool,
    sink: StdoutLock<'static>,
}

impl Output {
    pub(crate) fn new(json: bool, hex: bool) -> Self {
        NOTES_ARE_OBJECTS.store(json, Ordering::Relaxed);
        Self {
            json,
            hex,
            stores_own: None,
            is_authenticated: false,
            newest: None,
            named: Vec::new(),
            caveat: None,
            unsaid: None,
            items: None,
            goes_on: false,
            noted: false,
            sink: io::stdout().lock(),
        }
    }

    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Sets the trust basis of all later answers: the fingerprint of the store's own key, or `None`
    /// for an authenticated key.
    pub(crate) fn trust(&mut self, stores_own: Option<String>) {
        self.is_authenticated = stores_own.is_none();
        self.stores_own = stores_own;
    }

    #[cfg(feature = "network")]
    pub(crate) fn newest(&mut self, newest: (String, Json)) {
        self.newest = Some(newest);
    }

    /// Records that a version was requested by name. The answer is about the version's number.
    pub(super) fn named(&mut self, name: &str, version: Version, claim: Claim) {
        let shown = Self::show_text(name);
        let only = if self.is_signed(claim.is_signed) {
            format!(
                "; that no other version has the name is the {}'s word",
                claim.word_of
            )
        } else {
            String::new()
        };
        Self::warn(&format!(
            "{shown} is version {version} by {}{only}; the answer is about the number",
            self.origin(claim.is_signed, claim.word_of)
        ));
        self.named.push(json!({
            "name": name,
            "version": version.number(),
            "word_of": claim.word_of,
            "signed": self.is_signed(claim.is_signed).then_some(true),
        }));
    }

    /// Returns whether a name or time is the author's. This requires a signature (`has_signature`)
    /// that was verified with an authenticated key.
    pub(super) const fn is_signed(&self, has_signature: bool) -> bool {
        has_signature && self.is_authenticated
    }

    /// Names the origin of a name or time: the author's signature, or the word of a store or
    /// server.
    pub(super) fn origin(&self, has_signature: bool, word_of: &str) -> String {
        if self.is_signed(has_signature) {
            "the author's signature".into()
        } else {
            format!("the {word_of}'s word")
        }
    }

    /// Records that a version was requested by date, like [`Output::named`]. `version` is the
    /// newest version up to the date, and `time` its time. `undated` newer versions have no date.
    pub(super) fn dated(
        &mut self,
        date: &str,
        (version, time, undated): (Version, u64, u64),
        claim: Claim,
    ) {
        let shown = utc(time);
        let undated = match undated {
            0 => String::new(),
            undated => format!("; {} after it without a date", counted(undated, "version")),
        };
        let order = if self.is_signed(claim.is_signed) {
            format!(
                "; that it is the newest up to then is the {}'s word",
                claim.word_of
            )
        } else {
            String::new()
        };
        Self::warn(&format!(
            "{date} selects version {version}, dated {shown} by {}{order}{undated}; the answer is \
             about the number",
            self.origin(claim.is_signed, claim.word_of)
        ));
        self.named.push(json!({
            "name": date,
            "version": version.number(),
            "time": time,
            "word_of": claim.word_of,
            "signed": self.is_signed(claim.is_signed).then_some(true),
        }));
    }

    /// Sets a caveat about log parameters of unknown origin.
    #[cfg(feature = "log")]
    pub(crate) fn caveat(&mut self, caveat: &'static str) {
        self.caveat = Some(caveat);
        self.unsaid = Some(caveat);
    }

    /// Writes the note on an unauthenticated key and the caveat. Called before each line of text;
    /// writes them once.
    fn note(&mut self) {
        if self.noted {
            return;
        }
        self.noted = true;
        if self.stores_own.is_some() {
            let verdict = self.verdict();
            Self::warn(&format!(
                "answers are {verdict}; use --public to give a key"
            ));
        }
        self.note_caveat();
    }

    /// Writes the caveat once, also with JSON output, because programs may read only the field
    /// `verified`.
    fn note_caveat(&mut self) {
        if let Some(caveat) = self.unsaid.take() {
            Self::warn(caveat);
        }
    }

    /// Writes a note to standard error. Write errors are ignored.
    pub(crate) fn warn(text: &str) {
        let line = if NOTES_ARE_OBJECTS.load(Ordering::Relaxed) {
            format!("{}\n", json!({ "note": text }))
        } else {
            format!("pad: note: {text}\n")
        };
        drop(io::stderr().write_all(line.as_bytes()));
    }

    /// Marks the command as changing state.
    pub(crate) fn goes_on(&mut self) {
        self.goes_on = true;
    }

    fn written(&self, written: io::Result<()>) -> Result {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && self.goes_on => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::NobodyReads),
            Err(error) => Err(Failure::Store(format!("standard output: {error}"))),
            Ok(()) => Ok(()),
        }
    }

    /// Returns the verification status of an answer whose proof was verified, as text.
    pub(crate) fn verdict(&self) -> String {
        let verdict = match &self.stores_own {
            None => "verified".into(),
            Some(fingerprint) => format!(
                "consistent with the store's own key {fingerprint}, which is not authenticated"
            ),
        };
        match &self.newest {
            Some((newest, _)) => format!("{verdict}; {newest}"),
            None => verdict,
        }
    }

    /// Adds fields with the verification status, the cosignatures, the caveat and the requested
    /// names of versions to `object`.
    fn add_verdict(&self, object: &mut Json) {
        object["verified"] = self.stores_own.is_none().into();
        object["fingerprint"] = self.stores_own.clone().into();
        object["witnessed"] = self
            .newest
            .as_ref()
            .map(|(_, object)| object.clone())
            .into();
        object["parameters"] = self.caveat.map(|_| "of unknown origin").into();
        object["names"] = (!self.named.is_empty()).then(|| self.named.clone()).into();
    }

    /// Prints `text`, or `object` as JSON, with the verification status.
    pub(crate) fn say_verdict(&mut self, text: &str, mut object: Json) -> Result {
        self.add_verdict(&mut object);
        self.say(text, &object)
    }

    /// Prints `text` with the version of the answer and the verification status, or `object`.
    pub(crate) fn say_at(&mut self, version: Version, text: &str, object: Json) -> Result {
        let text = format!("{text}   [version {version}, {}]", self.verdict());
        self.say_verdict(&text, object)
    }

    /// Returns whether to show progress. It is shown only with text output, and if standard error
    /// is a terminal.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }

    /// Prints `text`, or `object` as JSON, and flushes.
    pub(crate) fn say(&mut self, text: &str, object: &Json) -> Result {
        self.line(text, object.clone())?;
        self.finish()
    }

    fn line(&mut self, text: &str, mut object: Json) -> Result {
        if !self.json {
            return self.text(text);
        }
        self.note_caveat();
        if let Some(items) = self.items.take() {
            object["end"] = true.into();
            object["items"] = items;
        }
        remove_nulls(&mut object);
        let written = writeln!(self.sink, "{object}");
        self.written(written)
    }

    /// Marks the next object as the last one of a list, after `items` other objects.
    pub(crate) fn end(&mut self, items: impl Into<Json>) {
        self.items = Some(items.into());
    }

    /// Prints an item of a list: a line of text, or an object with the field `verified`. Standard
    /// output is not flushed.
    pub(crate) fn item(&mut self, text: &str, mut object: Json) -> Result {
        object["verified"] = self.stores_own.is_none().into();
        self.line(text, object)
    }

    /// Writes the raw bytes of a value. Notes are written to standard error.
    pub(crate) fn raw_value(&mut self, value: &Value) -> Result {
        self.note();
        self.raw(value.as_bytes())
    }

    /// Prints a line of text, unless output is JSON.
    pub(crate) fn text(&mut self, text: &str) -> Result {
        if self.json {
            return Ok(());
        }
        self.note();
        let written = writeln!(self.sink, "{text}");
        self.written(written)
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result {
        let written = self.sink.write_all(bytes);
        let written = written.and_then(|()| self.sink.flush());
        self.written(written)
    }

    pub(crate) const fn stream(&mut self) -> Stream<'_> {
        Stream {
            output: self,
            failure: None,
        }
    }

    pub(crate) fn failed(&self, failure: &Failure) {
        // Names are untrusted, so line breaks and terminal control sequences are escaped.
        let escaped = |text: &str| -> String { text.chars().flat_map(printable).collect() };
        let (text, help) = (escaped(&failure.to_string()), failure.advice().map(escaped));
        let texts = (text.as_str(), help.as_deref());
        say_failure(self.json, failure.class(), texts);
    }

    pub(crate) fn finish(&mut self) -> Result {
        let written = self.sink.flush();
        self.written(written)
    }

    /// Parses a key from the command line, as text, or as hexadecimal digits with `--hex`.
    pub(crate) fn key(&self, argument: &str) -> Result<Key> {
        Ok(Key::new(self.bytes(argument)?)?)
    }

    pub(crate) fn value(&self, argument: &str) -> Result<Value> {
        Ok(Value::new(self.bytes(argument)?)?)
    }

    fn bytes(&self, argument: &str) -> Result<Vec<u8>> {
        if !self.hex {
            return Ok(argument.as_bytes().to_vec());
        }
        hex::decode(argument)
            .map_err(|error| Failure::Input(format!("'{argument}' is not hexadecimal: {error}")))
    }

    /// Formats bytes for human readers. Different byte strings never look alike.
    ///
    /// Plain text is not quoted. Other bytes are quoted, with escapes for unprintable text.
    pub(crate) fn show(&self, bytes: &[u8]) -> String {
        if self.hex {
            return hex::encode(bytes);
        }
        match core::str::from_utf8(bytes) {
            Ok(text) if is_plain(text) => text.to_owned(),
            _ => quoted(bytes),
        }
    }

    /// Formats a value like [`Output::show_short`].
    pub(crate) fn show_value(&self, value: &Value) -> String {
        self.show_short(value.as_bytes())
    }

    /// Formats bytes like [`Output::show`]. Without `--hex`, more than `LONGEST_WHOLE` bytes are
    /// replaced by their beginning, their length and their SHA-256 digest.
    pub(crate) fn show_short(&self, bytes: &[u8]) -> String {
        if self.hex || bytes.len() <= LONGEST_WHOLE {
            return self.show(bytes);
        }
        let mut beginning = bytes.get(..BEGINNING).unwrap_or_default();
        // Text is not cut within a character.
        if let Err(error) = core::str::from_utf8(beginning)
            && error.error_len().is_none()
        {
            beginning = beginning.get(..error.valid_up_to()).unwrap_or_default();
        }
        let (shown, length) = (self.show(beginning), bytes.len());
        let digest = hex::encode(Sha256::digest(bytes));
        format!("{shown}... ({length} bytes, SHA-256 {digest})")
    }

    /// Formats untrusted text like [`Output::show`], but never as hexadecimal digits.
    pub(crate) fn show_text(text: &str) -> String {
        if is_plain(text) {
            text.to_owned()
        } else {
            quoted(text.as_bytes())
        }
    }

    /// Adds bytes to an object: text under `name`, other bytes as hexadecimal digits under
    /// `name_hex`.
    pub(crate) fn add(&self, object: &mut Json, name: &str, bytes: &[u8]) {
        match core::str::from_utf8(bytes) {
            Ok(text) if !self.hex => object[name] = text.into(),
            _ => object[format!("{name}_hex")] = hex::encode(bytes).into(),
        }
    }
}

const LONGEST_WHOLE: usize = 1024;
const BEGINNING: usize = 64;

/// Standard output as a writer. It keeps the failure that its caller sees only as an I/O error.
pub(crate) struct Stream<'a> {
    output: &'a mut Output,
    failure: Option<Failure>,
}

impl Stream<'_> {
    /// Returns the failure of this writer, if there is one. Otherwise returns `as_said`, the result
    /// of the code that used the writer.
    pub(crate) fn ended(self, as_said: Result) -> Result {
        self.failure.map_or(as_said, Err)
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.raw(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(failure) => {
                let error = io::Error::other(failure.to_string());
                self.failure = Some(failure);
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Removes null fields: a field that does not apply is absent.
fn remove_nulls(json: &mut Json) {
    match json {
        Json::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(remove_nulls);
        }
        Json::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// Reports a failure on standard error: the message, and a line `help:` if there is advice. Write
/// errors are ignored, because the exit status still reports the failure.
pub(crate) fn say_failure(
    json: bool,
    (exit, kind): (u8, &str),
    (text, help): (&str, Option<&str>),
) {
    let lines = if json {
        let mut error = json!({ "exit": exit, "kind": kind, "message": text });
        if let Some(help) = help {
            error["help"] = help.into();
        }
        format!("{}\n", json!({ "error": error }))
    } else {
        let help = help.map_or_else(String::new, |help| format!("help: {help}\n"));
        format!("pad: {text}\n{help}")
    };
    drop(io::stderr().write_all(lines.as_bytes()));
}

/// Formats a number with its noun: `1 change`, `2 entries`.
pub(crate) fn counted(number: impl Copy + ToString, thing: &str) -> String {
    let number = number.to_string();
    let things = things(&number, thing);
    format!("{number} {things}")
}

/// Returns the singular or plural of `thing` for `number`.
pub(crate) fn things(number: &str, thing: &str) -> String {
    match thing.strip_suffix('y') {
        _ if number == "1" => thing.to_owned(),
        Some(stem) if !stem.ends_with('e') => format!("{stem}ies"),
        _ => format!("{thing}s"),
    }
}

fn printable(letter: char) -> impl Iterator<Item = char> {
    let plain = letter == '"' || letter == '\'' || letter == '\\' || is_visible(letter);
    let escaped = (!plain).then(|| letter.escape_default());
    plain
        .then_some(letter)
        .into_iter()
        .chain(escaped.into_iter().flatten())
}

fn is_visible(letter: char) -> bool {
    let blank = matches!(
        letter,
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
    );
    !blank && letter.escape_debug().len() == 1
}

/// Returns whether a text needs no quotes. Such a text consists of ASCII letters, digits and a few
/// marks, with single spaces inside.
fn is_plain(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " ._/|:+-@#%".contains(letter);
    !text.is_empty() && text.trim() == text && !text.contains("  ") && text.chars().all(is_plain)
}

/// Quotes bytes: text with the escapes of a Rust string, other bytes as `\xNN`.
fn quoted(bytes: &[u8]) -> String {
    let mut shown = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => shown.extend(['\\', letter]),
                letter => shown.extend(printable(letter)),
            }
        }
        for byte in chunk.invalid() {
            shown.push_str("\\x");
            shown.push_str(&hex::encode([*byte]));
        }
    }
    shown.push('"');
    shown
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn times_by_hand() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), text);
        }
        // A witness may send any number as its time.
        assert!(utc(u64::MAX).ends_with('Z'));
    }

    /// Inverts the escapes described in docs/command-line.md.
    fn unquoted(shown: &str) -> Vec<u8> {
        let inner = shown
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let Some(inner) = inner else {
            return shown.as_bytes().to_vec();
        };
        let (mut bytes, mut rest) = (Vec::new(), inner.chars());
        while let Some(letter) = rest.next() {
            if letter != '\\' {
                bytes.extend(letter.to_string().as_bytes());
                continue;
            }
            match rest.next().unwrap() {
                'n' => bytes.push(b'\n'),
                'r' => bytes.push(b'\r'),
                't' => bytes.push(b'\t'),
                'x' => {
                    let digits: String = rest.by_ref().take(2).collect();
                    bytes.extend(hex::decode(digits).unwrap());
                }
                'u' => {
                    assert_eq!(rest.next(), Some('{'));
                    let digits: String =
                        rest.by_ref().take_while(|letter| *letter != '}').collect();
                    let number = u32::from_str_radix(&digits, 16).unwrap();
                    bytes.extend(char::from_u32(number).unwrap().to_string().as_bytes());
                }
                quoted @ ('"' | '\\') => bytes.extend(quoted.to_string().as_bytes()),
                other => panic!("{other} in {shown}"),
            }
        }
        bytes
    }

    #[test]
    fn different_bytes_never_look_alike() {
        let output = Output::new(false, false);
        let samples: Vec<Vec<u8>> = [
            "apple",
            "6170706c65",
            "",
            " ",
            "a b",
            "a  b",
            " a",
            "a ",
            "\"a\"",
            "\\x00",
            "\0",
            "\u{202e}b",
            "\\u{202e}b",
            "a = b",
            "'",
            "\\'",
            "\n",
            "\\n",
            "é",
            "e\u{301}",
            "\u{301}",
            "中",
            "\u{a0}",
            "\u{200b}",
            "\u{3164}",
            "\u{2800}",
            "= v",
            "a =",
            "3 (was 2)",
            "x   [version 3, verified]",
        ]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .chain([
            vec![0xff],
            vec![0xff, 0xfe],
            vec![b'a', 0x80],
            b"\\xff".to_vec(),
        ])
        .collect();
        let mut seen = HashMap::new();
        for sample in &samples {
            let shown = output.show(sample);
            assert!(shown.chars().all(|letter| !letter.is_control()), "{shown}");
            assert!(
                !shown.contains(['\u{202e}', '\u{200b}', '\u{a0}']),
                "{shown}"
            );
            if let Some(other) = seen.insert(shown.clone(), sample) {
                panic!("{sample:?} and {other:?} are both shown as {shown}");
            }
        }
        for sample in &samples {
            assert_eq!(unquoted(&output.show(sample)), *sample);
        }
        assert_eq!(output.show(b"fruit/apple pie"), "fruit/apple pie");
        assert_eq!(output.show(&[0xff, b'"']), r#""\xff\"""#);
        assert_eq!(output.show("\u{202e}".as_bytes()), r#""\u{202e}""#);
    }
}
