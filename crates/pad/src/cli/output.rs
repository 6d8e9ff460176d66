//! What commands print: text for people, or JSON.

use std::io::{self, IsTerminal, StdoutLock, Write};

use pad::{Answer, Key, Value, Version};
use serde_json::{Map, Value as Json, json};

use super::Failure;

/// Where commands write, and in which form.
pub(crate) struct Output {
    json: bool,
    hex: bool,
    sink: StdoutLock<'static>,
}

impl Output {
    pub(crate) fn new(json: bool, hex: bool) -> Self {
        Self {
            json,
            hex,
            sink: io::stdout().lock(),
        }
    }

    /// Whether JSON is asked for.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Whether progress can be shown without disturbing anybody.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }

    /// Prints a text, or an object if JSON is asked for. It is out when this returns.
    pub(crate) fn say(&mut self, text: &str, object: &Json) -> Result<(), Failure> {
        let written = if self.json {
            writeln!(self.sink, "{object}")
        } else {
            writeln!(self.sink, "{text}")
        };
        written
            .and_then(|()| self.sink.flush())
            .map_err(|error| lost(&error))
    }

    /// Prints a line of text, unless JSON is asked for.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        writeln!(self.sink, "{text}").map_err(|error| lost(&error))
    }

    /// Writes bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.sink.write_all(bytes);
        written
            .and_then(|()| self.sink.flush())
            .map_err(|error| lost(&error))
    }

    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.sink.flush().map_err(|error| lost(&error))
    }

    /// A key from the command line.
    pub(crate) fn key(&self, argument: &str) -> Result<Key, Failure> {
        Ok(Key::new(self.bytes(argument)?)?)
    }

    /// A value from the command line.
    pub(crate) fn value(&self, argument: &str) -> Result<Value, Failure> {
        Ok(Value::new(self.bytes(argument)?)?)
    }

    fn bytes(&self, argument: &str) -> Result<Vec<u8>, Failure> {
        if !self.hex {
            return Ok(argument.as_bytes().to_vec());
        }
        hex::decode(argument)
            .map_err(|error| Failure::Input(format!("'{argument}' is not hexadecimal: {error}")))
    }

    /// Bytes for people: as text if they are text, without control characters.
    pub(crate) fn show(&self, bytes: &[u8]) -> String {
        match core::str::from_utf8(bytes) {
            Ok(text) if !self.hex => text.chars().fold(String::new(), |mut shown, letter| {
                if letter.is_control() {
                    shown.extend(letter.escape_default());
                } else {
                    shown.push(letter);
                }
                shown
            }),
            _ => hex::encode(bytes),
        }
    }

    /// Adds bytes to an object: as text under `name`, or as digits under `name_hex` if they are
    /// not text.
    pub(crate) fn add(&self, object: &mut Map<String, Json>, name: &str, bytes: &[u8]) {
        match core::str::from_utf8(bytes) {
            Ok(text) if !self.hex => object.insert(name.into(), text.into()),
            _ => object.insert(format!("{name}_hex"), hex::encode(bytes).into()),
        };
    }

    /// Prints the verified answer to a look-up.
    pub(crate) fn lookup(
        &mut self,
        version: Version,
        key: &Key,
        answer: &Answer,
    ) -> Result<(), Failure> {
        let shown = self.show(key.as_bytes());
        let value = answer.value().map(|value| self.show(value.as_bytes()));
        let text = value.map_or_else(
            || format!("absent   {shown}   [version {version}, verified]"),
            |value| format!("present  {shown} = {value}   [version {version}, verified]"),
        );
        let object = self.lookup_object(version, key, answer);
        self.say(&text, &object)
    }

    pub(crate) fn lookup_object(&self, version: Version, key: &Key, answer: &Answer) -> Json {
        let mut object = Map::new();
        object.insert("version".into(), version.number().into());
        self.add(&mut object, "key", key.as_bytes());
        object.insert("present".into(), answer.value().is_some().into());
        if let Some(value) = answer.value() {
            self.add(&mut object, "value", value.as_bytes());
        }
        object.insert("verified".into(), json!(true));
        Json::Object(object)
    }
}

/// Standard output is gone, as when a pager was left.
fn lost(error: &io::Error) -> Failure {
    Failure::Store(format!("standard output: {error}"))
}
