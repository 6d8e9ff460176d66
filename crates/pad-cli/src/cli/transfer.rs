//! `pad export` and `pad apply`: transfer of signed updates in files.

use std::path::PathBuf;

use authdict::{
    Server, Version,
    internals::{
        exchange::{decode_list, encode_list},
        inspect::Kind,
    },
};
use clap::{ArgGroup, Args};
use serde_json::json;

use super::{
    Failure, NewStoreArguments, Output, PUBLIC_VARIABLE, Result, StoreArgument,
    at::VersionSelector,
    files::{OutArguments, load_public, read_file},
    session::create_or_match,
};

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("versions").required(true)))]
#[command(after_help = "\
Examples:
  pad export --store prices.pad --at 12 --out 12.update
  pad export --store prices.pad --from 3 --to 12 --out 3-12.updates
  pad export --store prices.pad --from 1 --out - | \\
    ssh mirror pad apply --store copy.pad --public author.key.pub -")]
pub(super) struct Export {
    #[command(flatten)]
    store: StoreArgument,
    /// Number, name or date of the version of the update; write a name of digits as name:TEXT.
    #[arg(long, value_name = "VERSION", group = "versions")]
    at: Option<VersionSelector>,
    /// Write the updates to all versions from this one on.
    #[arg(long, value_name = "VERSION", group = "versions")]
    from: Option<VersionSelector>,
    /// Last version to write, with --from [default: the latest].
    #[arg(long, value_name = "VERSION", requires = "from")]
    to: Option<VersionSelector>,
    #[command(flatten)]
    out: OutArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad apply --store copy.pad --public author.key.pub 3-12.updates
  pad export --store prices.pad --from 1 --out - | pad apply --store copy.pad -

Versions that the store has already are compared and skipped, with a message.
The same file may be applied again.")]
pub(super) struct Apply {
    #[command(flatten)]
    store: StoreArgument,
    /// The author's public key; needed only for a new store.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    public: Option<PathBuf>,
    #[command(flatten)]
    new: NewStoreArguments,
    /// The update files, in order of version; - for standard input.
    #[arg(required = true)]
    updates: Vec<PathBuf>,
}

impl Export {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        let repository = Server::of_any(&self.store.store)?;
        let latest = repository.latest();
        let version = |at: &VersionSelector, output: &mut Output| at.resolve(&repository, output);
        let (first, last) = match (&self.at, &self.from) {
            (Some(at), _) => {
                let at = version(at, output)?;
                (at, at)
            }
            (None, Some(from)) => {
                let last = self.to.as_ref().map(|to| version(to, output)).transpose()?;
                (version(from, output)?, last.unwrap_or(latest))
            }
            (None, None) => return Err(Failure::input("neither --at nor --from is given")),
        };
        if first > last {
            let text = format!("there are no versions from {first} to {last}");
            return Err(Failure::Input(text));
        }
        let message = if self.from.is_some() {
            several(&repository, first, last)?
        } else {
            update_to(&repository, first)?
        };
        let Some(file) = self.out.write(&message, output)? else {
            return Ok(());
        };
        let bytes = message.len();
        if self.from.is_none() {
            let text = format!("{bytes} bytes in {file} lead to version {first}");
            let object = json!({ "version": first.number(), "bytes": bytes, "file": file });
            return output.say(&text, &object);
        }
        let text = format!("{bytes} bytes in {file} lead to versions {first} to {last}");
        let (from, to) = (first.number(), last.number());
        let object = json!({ "from": from, "to": to, "bytes": bytes, "file": file });
        output.say(&text, &object)
    }
}

fn update_to(repository: &Server, version: Version) -> Result<Vec<u8>> {
    repository.update_message(version)?.ok_or_else(|| {
        let (oldest, latest) = (repository.oldest(), repository.latest());
        Failure::Input(format!(
            "there is no update to version {version}, the store has those after version \
             {oldest} up to version {latest}"
        ))
    })
}

/// Returns the updates that produced versions `first` to `last`, encoded as one list.
fn several(repository: &Server, first: Version, last: Version) -> Result<Vec<u8>> {
    let (mut updates, mut bytes) = (Vec::new(), 0_usize);
    for number in first.number()..=last.number() {
        let update = update_to(repository, Version::new(number))?;
        bytes = bytes.saturating_add(update.len());
        if bytes > MAX_UPDATE_BYTES / 2 {
            return Err(Failure::Input(format!(
                "the updates from version {first} on exceed {} bytes at version {number}",
                MAX_UPDATE_BYTES / 2
            ))
            .help("use a --to below it, and export the others to another file"));
        }
        updates.push(update);
    }
    let message = encode_list(updates.iter().map(Vec::as_slice));
    message.ok_or_else(|| Failure::input("an update is too long for a file with others"))
}

impl Apply {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let path = &self.store.store;
        if let Some(public) = &self.public {
            create_or_match(path, &load_public(public)?, &self.new, output)?;
        }
        let mut repository = Server::of_any(path)?;
        for file in &self.updates {
            let bytes = read_file(file, MAX_UPDATE_BYTES)?;
            match Kind::of(&bytes) {
                Ok(kind) if kind.number == LIST => apply_all(&mut repository, &bytes, output),
                _ => apply(&mut repository, &bytes, output),
            }
            .map_err(|error| error.of_file(file))?;
        }
        Ok(())
    }
}

fn apply_all(repository: &mut Server, list: &[u8], output: &mut Output) -> Result {
    let updates = decode_list(list, list.len())
        .map_err(|error| Failure::Refused(format!("the update is refused: {error}")))?;
    if updates.is_empty() {
        return Err(Failure::input("there are no updates in it"));
    }
    for update in updates {
        apply(repository, update, output)?;
    }
    Ok(())
}

fn apply(repository: &mut Server, update: &[u8], output: &mut Output) -> Result {
    let known = known(repository, update);
    let (version, done) = match known {
        Some(version) => (version, "is there already"),
        None => (repository.apply_message(update)?, "verified and stored"),
    };
    let root = repository.head_text(version)?.root;
    let text = format!("version {version} {done}, root {root}");
    let object = json!({ "version": version.number(), "root": root, "known": known.is_some() });
    output.say(&text, &object)
}

/// Returns the version of `update`, if the store has an update to this version with the same head.
/// An update with another head is refused when it is applied.
fn known(repository: &Server, update: &[u8]) -> Option<Version> {
    let Ok((_, Some(head))) = authdict::internals::inspect::headline(update) else {
        return None;
    };
    if head.version == Version::EMPTY || head.version > repository.latest() {
        return None;
    }
    let is_known = repository.has_update(update).unwrap_or(false);
    is_known.then_some(head.version)
}

const LIST: u8 = 12;
const MAX_UPDATE_BYTES: usize = 1 << 30;
