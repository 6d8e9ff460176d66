//! `pad directory append`: registers objects as new entries and signs the next version.

use std::path::PathBuf;

use authdict::block_directory::{Changes, EntryId};
use clap::Args;
use pad_core::Suite;
use serde_json::{Value as Json, json};

use super::{
    author::{Author, SignArguments},
    failure,
    hints::HintArguments,
    light::{self, Light},
    objects::{DigestLines, digest_of_file},
    proof_source::ProofSource,
    shown::{head_line, version_line},
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

/// An object to register: its file name, if there is one, and its digest.
type Object<S> = (Option<String>, <S as Suite>::Digest);

impl Append {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let key = self.sign.keys()?;
        with_suite!(key.public().suite, S => {
            // All objects are read before the directory is changed.
            let objects = self.objects::<S>()?;
            if light::is_light(&self.folder) {
                let author = Light::<S>::open(&self.folder, &self.sign, &key)?;
                return self.append_light(author, objects, output);
            }
            let author = self.sign.open::<S>(&self.folder, &key)?;
            self.append(author, objects, output)
        })
    }

    fn objects<S: Suite>(&self) -> Result<Vec<Object<S>>> {
        let objects: Result<Vec<_>> = if let Some(path) = &self.digests {
            let digests = DigestLines::<S>::open(path)?;
            digests.map(|digest| Ok((None, digest?))).collect()
        } else {
            let named = |path: &PathBuf| {
                let name = path.display().to_string();
                Ok((Some(name), digest_of_file::<S>(path)?))
            };
            self.objects.iter().map(named).collect()
        };
        let objects = objects?;
        if objects.is_empty() {
            return Err(Failure::input("there is no object to register"));
        }
        Ok(objects)
    }

    fn append<S: Suite>(
        &self,
        mut author: Author<S>,
        objects: Vec<Object<S>>,
        output: &mut Output,
    ) -> Result {
        let mut registered = Vec::new();
        for (name, digest) in objects {
            let id = author.full.append(digest);
            let id = id.map_err(|error| failure::input(&error))?;
            registered.push((id, name, digest));
        }
        let version = author.publish()?.head.head.version;
        let ids = registered.iter().map(|(id, ..)| *id);
        self.hints.write(author.directory(), ids)?;
        let line = version_line(author.directory(), version)?;
        say_registered::<S>(&registered, line, output)?;
        author.close()
    }

    /// Registers objects with a light author.
    fn append_light<S: Suite>(
        &self,
        mut author: Light<S>,
        objects: Vec<Object<S>>,
        output: &mut Output,
    ) -> Result {
        self.hints.check_unused()?;
        let (mut changes, mut registered) = (Changes::<S>::new(), Vec::new());
        for (id, (name, digest)) in (author.registered()..).zip(objects) {
            changes.append(digest);
            registered.push((EntryId::new(id), name, digest));
        }
        // New entries need no proof.
        let update = author.publish(&changes, &ProofSource::default())?;
        let line = head_line(&update.head, author.registered());
        say_registered::<S>(&registered, line, output)
    }
}

/// A registered object: its id, its file name, if there is one, and its digest.
type Registered<S> = (EntryId, Option<String>, <S as Suite>::Digest);

/// Prints registered objects, and the description of their version.
fn say_registered<S: Suite>(
    registered: &[Registered<S>],
    (line, mut said): (String, Json),
    output: &mut Output,
) -> Result {
    let mut objects = Vec::new();
    for (id, name, digest) in registered {
        let digest = hex::encode(digest);
        let text = format!(
            "{:>8}  {}",
            id.number(),
            shown_name(name.as_deref(), &digest, output)
        );
        output.text(&text)?;
        objects.push(object(*id, name.as_deref(), &digest));
    }
    let text = format!("{line}, {} of them new", registered.len());
    said["new_entries"] = objects.into();
    output.say(&text, &said)
}

/// Returns the displayed name of an object: its file name, or its digest if there is no file.
fn shown_name(name: Option<&str>, digest: &str, output: &Output) -> String {
    name.map_or_else(|| digest.to_owned(), |name| output.show(name.as_bytes()))
}

fn object(id: EntryId, name: Option<&str>, digest: &str) -> Json {
    json!({ "id": id.number(), "digest": digest, "object": name })
}
