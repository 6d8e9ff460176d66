//! `pad directory append`, `pad directory update` and `pad directory delete`: register, replace or
//! delete objects, as the next version.

use std::path::{Path, PathBuf};

use authdict::{
    ApplyError, SigningKeys,
    block_directory::{Changes, EntryId},
};
use clap::Args;
use pad_core::Suite;
use serde_json::json;

use super::{
    author::{HintArguments, SignArguments},
    failure,
    light::{self, Light},
    objects::{Object, digest_of_file, given_digest, objects},
    proof_source::ProofSource,
    shown::head_line,
    with_suite,
};
use crate::cli::{Failure, Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory append photographs --key directory.key a.jpg b.jpg
  pad directory append photographs --key directory.key --digests digests.txt")]
pub(in crate::cli) struct Append {
    /// The directory's folder.
    folder: PathBuf,
    #[command(flatten)]
    sign: SignArguments,
    #[command(flatten)]
    hints: HintArguments,
    /// Register the digests in FILE; - for standard input.
    ///
    /// FILE has one digest per line, in hexadecimal digits.
    #[arg(long, value_name = "FILE", conflicts_with = "objects")]
    digests: Option<PathBuf>,
    /// Files whose digests are registered.
    #[arg(required_unless_present = "digests")]
    objects: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory update photographs --key directory.key 7 better.jpg
  pad directory update photographs --key directory.key --hints hints 7 better.jpg
  pad directory update author --key directory.key \\
    --server https://one.example 7 better.jpg")]
pub(in crate::cli) struct Update {
    /// The directory's folder.
    folder: PathBuf,
    #[command(flatten)]
    sign: SignArguments,
    #[command(flatten)]
    hints: HintArguments,
    #[command(flatten)]
    source: ProofSource,
    /// The digest of the new object, instead of its file.
    #[arg(long, value_name = "DIGITS", conflicts_with = "object")]
    digest: Option<String>,
    /// The id of the entry.
    id: u64,
    /// The new object's file.
    #[arg(required_unless_present = "digest")]
    object: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory delete photographs --key directory.key 7
  pad directory delete photographs --key directory.key 7 8 9")]
pub(in crate::cli) struct Delete {
    /// The directory's folder.
    folder: PathBuf,
    #[command(flatten)]
    sign: SignArguments,
    #[command(flatten)]
    source: ProofSource,
    /// The ids of the entries.
    #[arg(required = true)]
    ids: Vec<u64>,
}

/// A change of one entry, by the digest of its object.
enum Change<S: Suite> {
    New(S::Digest),
    Update(EntryId, S::Digest),
    Delete(EntryId),
}

impl Append {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let key = self.sign.keys()?;
        with_suite!(key.public().suite, S => {
            // All objects are read before the directory is changed.
            let objects = objects::<S>(self.digests.as_deref(), self.objects.clone())?;
            let objects = objects.collect::<Result<Vec<_>>>()?;
            if objects.is_empty() {
                return Err(Failure::input("there is no object to register"));
            }
            let changes: Vec<_> = objects.iter().map(|new| Change::New(new.digest)).collect();
            // New entries need no proof.
            let with = (&ProofSource::default(), &self.hints);
            self.sign.publish(&self.folder, &key, &changes, with, |update, entries| {
                say_registered::<S>(&objects, update, entries, output)
            })
        })
    }
}

impl Update {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let key = self.sign.keys()?;
        with_suite!(key.public().suite, S => {
            let change = Change::Update(EntryId::new(self.id), self.new_digest::<S>()?);
            let with = (&self.source, &self.hints);
            self.sign.publish(&self.folder, &key, &[change], with, |update, entries| {
                say_changed::<S>(update, entries, output)
            })
        })
    }

    fn new_digest<S: Suite>(&self) -> Result<S::Digest> {
        match (&self.digest, &self.object) {
            (Some(digits), _) => given_digest::<S>(digits),
            (None, Some(path)) => digest_of_file::<S>(path),
            (None, None) => Err(Failure::input("neither an object nor --digest is given")),
        }
    }
}

impl Delete {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let key = self.sign.keys()?;
        with_suite!(key.public().suite, S => {
            let ids = self.ids.iter().copied().map(EntryId::new);
            let changes: Vec<_> = ids.map(Change::Delete).collect();
            let with = (&self.source, &HintArguments::default());
            self.sign.publish(&self.folder, &key, &changes, with, |update, entries| {
                say_changed::<S>(update, entries, output)
            })
        })
    }
}

impl SignArguments {
    /// Signs `changes` as the next version of the directory in `folder`, which may be that of a
    /// light author. Then calls `say` with the update and the number of entries.
    fn publish<S: Suite>(
        &self,
        folder: &Path,
        key: &SigningKeys,
        changes: &[Change<S>],
        (source, hints): (&ProofSource, &HintArguments),
        say: impl FnOnce(&pad_core::Update<S>, u64) -> Result,
    ) -> Result {
        if light::is_light(folder) {
            hints.check_unused()?;
            let mut all = Changes::new();
            for change in changes {
                match *change {
                    Change::New(digest) => all.append(digest),
                    Change::Update(id, digest) => all.update(id, digest),
                    Change::Delete(id) => all.delete(id),
                }
            }
            let mut author = Light::open(folder, self, key)?;
            let update = author.publish(&all, source)?;
            return say(&update, author.registered());
        }
        source.check_unused()?;
        let (mut author, mut ids) = (self.open::<S>(folder, key)?, Vec::new());
        for change in changes {
            let changed = match *change {
                Change::New(digest) => author.full.append(digest).map_err(ApplyError::from),
                Change::Update(id, digest) => author.full.update(id, digest).map(|()| id),
                Change::Delete(id) => author.full.delete(id).map(|()| id),
            };
            ids.push(changed.map_err(|error| failure::changed(author.directory(), &error))?);
        }
        let update = author.publish()?;
        hints.write(author.directory(), ids)?;
        say(&update, author.directory().registered())?;
        author.close()
    }
}

fn say_registered<S: Suite>(
    new: &[Object<S>],
    update: &pad_core::Update<S>,
    entries: u64,
    output: &mut Output,
) -> Result {
    let first = entries.saturating_sub(u64::try_from(new.len()).unwrap_or(u64::MAX));
    let mut objects = Vec::new();
    for (id, Object { digest, file }) in (first..).zip(new) {
        let digest = hex::encode(digest);
        let name = file.as_ref().map(|file| file.display().to_string());
        let shown = match &name {
            Some(name) => output.show(name.as_bytes()),
            None => digest.clone(),
        };
        output.text(&format!("{id:>8}  {shown}"))?;
        objects.push(json!({ "id": id, "digest": digest, "object": name }));
    }
    let (line, mut said) = head_line(&update.head, entries);
    said["new_entries"] = objects.into();
    output.say(&format!("{line}, {} of them new", new.len()), &said)
}

fn say_changed<S: Suite>(
    update: &pad_core::Update<S>,
    entries: u64,
    output: &mut Output,
) -> Result {
    let (line, mut object) = head_line(&update.head, entries);
    let changes = update.operations.len();
    object["changes"] = changes.into();
    output.say(&format!("{line}, {changes} of them changed"), &object)
}
