//! `pad directory append`: registers objects as new entries and signs the next version.

use std::path::PathBuf;

use authdict::block_directory::{Changes, EntryId};
use clap::Args;
use pad_core::Suite;
use serde_json::{Value as Json, json};

use super::{
    author::{Author, HintArguments, SignArguments},
    failure,
    light::{self, Light},
    objects::{Object, objects},
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
            if light::is_light(&self.folder) {
                let author = Light::<S>::open(&self.folder, &self.sign, &key)?;
                return self.append_light(author, objects, output);
            }
            let author = self.sign.open::<S>(&self.folder, &key)?;
            self.append(author, objects, output)
        })
    }

    fn append<S: Suite>(
        &self,
        mut author: Author<S>,
        objects: Vec<Object<S>>,
        output: &mut Output,
    ) -> Result {
        let mut registered = Vec::new();
        for object in objects {
            let id = author.full.append(object.digest);
            registered.push((id.map_err(|error| failure::input(&error))?, object));
        }
        let update = author.publish()?;
        let ids = registered.iter().map(|(id, _)| *id);
        self.hints.write(author.directory(), ids)?;
        let line = head_line(&update.head, author.directory().registered());
        say_registered(&registered, line, output)?;
        author.close()
    }

    fn append_light<S: Suite>(
        &self,
        mut author: Light<S>,
        objects: Vec<Object<S>>,
        output: &mut Output,
    ) -> Result {
        self.hints.check_unused()?;
        let ids = (author.registered()..).map(EntryId::new);
        let registered: Vec<_> = ids.zip(objects).collect();
        let mut changes = Changes::<S>::new();
        for (_, object) in &registered {
            changes.append(object.digest);
        }
        // New entries need no proof.
        let update = author.publish(&changes, &ProofSource::default())?;
        let line = head_line(&update.head, author.registered());
        say_registered(&registered, line, output)
    }
}

fn say_registered<S: Suite>(
    registered: &[(EntryId, Object<S>)],
    (line, mut said): (String, Json),
    output: &mut Output,
) -> Result {
    let mut objects = Vec::new();
    for (id, Object { digest, file }) in registered {
        let (id, digest) = (id.number(), hex::encode(digest));
        let name = file.as_ref().map(|file| file.display().to_string());
        let shown = match &name {
            Some(name) => output.show(name.as_bytes()),
            None => digest.clone(),
        };
        output.text(&format!("{id:>8}  {shown}"))?;
        objects.push(json!({ "id": id, "digest": digest, "object": name }));
    }
    let text = format!("{line}, {} of them new", registered.len());
    said["new_entries"] = objects.into();
    output.say(&text, &said)
}
