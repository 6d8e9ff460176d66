//! `pad directory import`: registers many objects, from files, folders or lines of digests.

use std::path::PathBuf;

use authdict::{
    SigningKeys, Version,
    block_directory::{AuthorError, BlockDirectory, StoreError, internals::suite_of},
    pad_core::{Frontier, internals::DigestBytes as _},
};
use clap::Args;
use indicatif::ProgressBar;
use pad_core::{SnapshotHead, Suite};
use serde_json::json;

use super::{
    author::{SignArguments, advance},
    create::Layout,
    failure, light,
    objects::{Object, Objects, files_under, objects},
    shown::version_line,
    with_suite,
};
use crate::cli::{Failure, Output, Result, progress, session::HeadSource as _};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory import photographs --key directory.key pictures
  pad directory import photographs --key directory.key --digests digests.txt")]
pub(in crate::cli) struct Import {
    /// The directory's folder; a new directory is created if it contains none.
    folder: PathBuf,
    #[command(flatten)]
    sign: SignArguments,
    #[command(flatten)]
    layout: Layout,
    /// Maximum ENTRIES per version.
    ///
    /// Applies if the directory has versions already or updates are written.
    #[arg(long, value_name = "ENTRIES", default_value_t = 1 << 17)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4_194_304))]
    group: u32,
    /// Skip the first NUMBER objects, registered by an interrupted import.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    skip: usize,
    /// Register the digests in FILE; - for standard input.
    ///
    /// FILE has one digest per line, in hexadecimal digits.
    #[arg(long, value_name = "FILE", conflicts_with = "objects")]
    digests: Option<PathBuf>,
    /// Files, and folders whose files are registered in order of name.
    #[arg(required_unless_present = "digests")]
    objects: Vec<PathBuf>,
}

/// The entries that an import registers in one version, for the report: the first id, the number of
/// entries, and the files.
#[derive(Default)]
struct Registration {
    first: u64,
    count: u64,
    /// The entries that were read from files: id, path and digest.
    named: Vec<(u64, PathBuf, String)>,
}

impl Import {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        light::require_entries(&self.folder)?;
        let keys = self.sign.keys()?;
        with_suite!(keys.public().suite, S => self.import::<S>(&keys, output))
    }

    fn import<S: Suite>(&self, keys: &SigningKeys, output: &mut Output) -> Result {
        let (mut objects, bar) = self.objects::<S>(output)?;
        // `Iterator::skip` is not used, because it would ignore errors.
        for object in objects.by_ref().take(self.skip) {
            drop(object?);
        }
        let mut objects = objects.peekable();
        match objects.next_if(Result::is_err) {
            Some(Err(failure)) => return Err(failure),
            _ if objects.peek().is_none() => {
                return Err(Failure::input("there is no object to register"));
            }
            _ => {}
        }
        if matches!(suite_of(&self.folder), Err(StoreError::Missing(_))) {
            self.sign.author.check_new(&self.folder)?;
            drop(self.layout.create::<S>(&self.folder, keys.public())?);
        }
        let directory = super::open::<S>(&self.folder)?;
        let objects = objects.inspect(|_| bar.inc(1));
        if directory.latest() == Version::EMPTY && self.sign.updates.is_none() {
            return self.load(directory, objects, keys, output);
        }
        drop(directory);
        self.append(objects, keys, output)
    }

    fn objects<S: Suite>(&self, output: &Output) -> Result<(Objects<S>, ProgressBar)> {
        let files = files_under(&self.objects)?;
        let count = if let Some(path) = &self.digests {
            let line = u64::try_from(2 * S::Digest::LENGTH + 1).unwrap_or(1);
            path.metadata().map_or(0, |found| found.len()) / line
        } else {
            u64::try_from(files.len()).unwrap_or(0)
        };
        let template = match count {
            0 => "{spinner} {pos} objects, {elapsed}",
            _ => "{bar:40} {pos}/{len} objects, {elapsed}, {eta} left",
        };
        let bar = progress::bar(output, count, template);
        Ok((objects(self.digests.as_deref(), files)?, bar))
    }

    /// Registers all objects in an empty directory as version 1, in one pass.
    fn load<S: Suite>(
        &self,
        directory: BlockDirectory<S>,
        objects: impl Iterator<Item = Result<Object<S>>>,
        keys: &SigningKeys,
        output: &mut Output,
    ) -> Result {
        let public = directory.own_key()?;
        let mut record = self
            .sign
            .remember(&self.folder, &directory, keys.public())?;
        let mut registered = Registration::default();
        let digests = objects.map(|object| {
            let object = object?;
            registered.add(&object);
            Ok(object.digest)
        });
        let sign = |root| {
            let head = SnapshotHead::<S> {
                scheme: public.authority.scheme,
                dictionary: public.authority.dictionary,
                version: Version::new(1),
                root,
                history: Frontier::<S>::default().root(),
            };
            let signed = head.sign(keys.signer());
            signed.map_err(|error| AuthorError::from(error).into())
        };
        let directory = directory.load_stored::<Failure>(digests, sign)?;
        advance(&mut record, &directory)?;
        registered.say(&directory, output)
    }

    /// Registers objects in an existing directory. Signs as many versions as needed, with at most
    /// `--group` entries each.
    fn append<S: Suite>(
        &self,
        objects: impl Iterator<Item = Result<Object<S>>>,
        keys: &SigningKeys,
        output: &mut Output,
    ) -> Result {
        let mut author = self.sign.open::<S>(&self.folder, keys)?;
        let mut objects = objects.peekable();
        let most = usize::try_from(self.group).unwrap_or(1);
        while objects.peek().is_some() {
            let mut registered = Registration {
                first: author.directory().registered(),
                ..Registration::default()
            };
            for object in objects.by_ref().take(most) {
                let object = object?;
                let id = author.full.append(object.digest);
                id.map_err(|error| failure::input(&error))?;
                registered.add(&object);
            }
            author.publish()?;
            registered.say(author.directory(), output)?;
        }
        author.close()
    }
}

impl Registration {
    fn add<S: Suite>(&mut self, object: &Object<S>) {
        if let Some(file) = &object.file {
            let id = self.first.saturating_add(self.count);
            let digest = hex::encode(object.digest);
            self.named.push((id, file.clone(), digest));
        }
        self.count = self.count.saturating_add(1);
    }

    fn say<S: Suite>(&self, directory: &BlockDirectory<S>, output: &mut Output) -> Result {
        for (id, file, digest) in &self.named {
            let file = file.display().to_string();
            let text = format!("{id:>8}  {}", output.show(file.as_bytes()));
            let object = json!({ "id": id, "object": file, "digest": digest });
            output.say(&text, &object)?;
        }
        let (line, mut object) = version_line(directory, directory.latest())?;
        let last = self.first.saturating_add(self.count).saturating_sub(1);
        object["imported_entries"] = self.count.into();
        object["first_id"] = self.first.into();
        let text = format!("{line}; imported as entries {} to {last}", self.first);
        output.say(&text, &object)
    }
}
