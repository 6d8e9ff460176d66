//! `pad directory update` and `pad directory delete`: replace or delete registered objects, as the
//! next version.

use std::path::PathBuf;

use authdict::{
    ApplyError,
    block_directory::{Changes, EntryId},
};
use clap::Args;
use pad_core::Suite;

use super::{
    author::{Author, HintArguments, SignArguments},
    failure,
    light::{self, Light},
    objects::{digest_of_file, given_digest},
    proof_source::ProofSource,
    shown::head_line,
    with_suite,
};
use crate::cli::{Failure, Output, Result};

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

impl Update {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let key = self.sign.keys()?;
        with_suite!(key.public().suite, S => {
            let digest = self.new_digest::<S>()?;
            let id = EntryId::new(self.id);
            if light::is_light(&self.folder) {
                self.hints.check_unused()?;
                let mut changes = Changes::<S>::new();
                changes.update(id, digest);
                let author = Light::open(&self.folder, &self.sign, &key)?;
                return published_light(author, &changes, &self.source, output);
            }
            self.source.check_unused()?;
            let mut author = self.sign.open::<S>(&self.folder, &key)?;
            let updated = author.full.update(id, digest);
            published(author, updated, output, |author| {
                self.hints.write(author.directory(), core::iter::once(id))
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
            let mut ids = self.ids.iter().copied().map(EntryId::new);
            if light::is_light(&self.folder) {
                let mut changes = Changes::<S>::new();
                for id in ids {
                    changes.delete(id);
                }
                let author = Light::open(&self.folder, &self.sign, &key)?;
                return published_light(author, &changes, &self.source, output);
            }
            self.source.check_unused()?;
            let mut author = self.sign.open::<S>(&self.folder, &key)?;
            let deleted = ids.try_for_each(|id| author.full.delete(id));
            published(author, deleted, output, |_| Ok(()))
        })
    }
}

/// Publishes the pending changes, calls `also`, and reports the new version. Fails if `changed`,
/// the result of making the changes, is an error.
fn published<S: Suite>(
    mut author: Author<S>,
    changed: Result<(), ApplyError>,
    output: &mut Output,
    also: impl FnOnce(&Author<S>) -> Result,
) -> Result {
    changed.map_err(|error| failure::changed(author.directory(), &error))?;
    let update = author.publish()?;
    also(&author)?;
    say_changed(&update, author.directory().registered(), output)?;
    author.close()
}

fn published_light<S: Suite>(
    mut author: Light<S>,
    changes: &Changes<S>,
    source: &ProofSource,
    output: &mut Output,
) -> Result {
    let update = author.publish(changes, source)?;
    say_changed(&update, author.registered(), output)
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
