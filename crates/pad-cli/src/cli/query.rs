//! `pad versions`, `pad get` and `pad range`.
//!
//! Each answer leaves the repository as bytes and is verified with the public key before it is
//! printed.

use clap::Args;
use pad::{KeyRange, Version, question::Question};
use serde_json::{Map, Value as Json, json};

use super::{Failure, Output, source::AskArguments};

#[derive(Debug, Args)]
pub(super) struct Versions {
    #[command(flatten)]
    read: AskArguments,
    /// List only this many of the latest versions.
    #[arg(long, value_name = "NUMBER")]
    last: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct Get {
    #[command(flatten)]
    read: AskArguments,
    /// The version, if not the latest.
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    /// The key.
    key: String,
}

#[derive(Debug, Args)]
pub(super) struct Range {
    #[command(flatten)]
    read: AskArguments,
    /// The version, if not the latest.
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    /// The first key; an empty text for the beginning.
    start: String,
    /// The key to stop before; an empty text for the end.
    end: String,
}

impl Versions {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let session = self.read.open(output)?;
        let (oldest, latest) = (session.oldest()?, session.latest());
        let shown = self.last.unwrap_or(u64::MAX);
        let first = latest
            .number()
            .saturating_sub(shown)
            .saturating_add(1)
            .max(1);
        for version in (first..=latest.number()).map(Version::new) {
            let head = session.head(version)?;
            let kept = version >= oldest;
            let note = if kept { "" } else { "   (contents pruned)" };
            let object = json!({
                "version": version.number(),
                "root": head.root,
                "kept": kept,
            });
            output.say_verdict(&format!("{version:>8}  {}{note}", head.root), object)?;
        }
        if latest == Version::EMPTY {
            return output.text("no version yet: the dictionary is empty");
        }
        output.text(&format!("heads {}", output.verdict()))
    }
}

impl Get {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key)?;
        let session = self.read.open(output)?;
        let statement = session.ask(session.version(self.at)?, &Question::Key(key))?;
        output.statement(statement)
    }
}

impl Range {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let limit = |text: &str| match text {
            "" => Ok(None),
            text => output.key(text).map(Some),
        };
        let range = KeyRange {
            start: limit(&self.start)?,
            end: limit(&self.end)?,
        };
        if !range.is_valid() {
            return Err(Failure::input(
                "the range is empty: its first key must be below its end",
            ));
        }
        let session = self.read.open(output)?;
        let version = session.version(self.at)?;
        let (mut count, mut entries) = (0_u64, Vec::new());
        session.pages(version, range, |key, value| {
            count += 1;
            if output.is_json() {
                let mut entry = Map::new();
                output.add(&mut entry, "key", key.as_bytes());
                output.add(&mut entry, "value", value.as_bytes());
                entries.push(Json::Object(entry));
                return Ok(());
            }
            let (shown, value) = (output.show(key.as_bytes()), output.show(value.as_bytes()));
            output.text(&format!("{shown} = {value}"))
        })?;
        let verdict = output.verdict();
        let text = format!("{count} entries, no more in between   [version {version}, {verdict}]");
        let object = json!({ "version": version.number(), "entries": entries });
        output.say_verdict(&text, object)
    }
}
