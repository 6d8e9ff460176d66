//! `pad directory check` verifies all files of a directory. `pad directory status` prints its
//! state.

use authdict::block_directory::{BlockDirectory, CacheBudget, StoreError};
use clap::Args;
use pad_core::Suite;
use serde_json::json;

use super::{ReadArguments, with_suite};
use crate::cli::{Failure, Output, counted, progress};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory check photographs --public directory.key.pub
  pad directory check photographs --view photographs.view")]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    read: ReadArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory status photographs
  pad directory status photographs --public directory.key.pub")]
pub(in crate::cli) struct Status {
    #[command(flatten)]
    read: ReadArguments,
}

impl Check {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        with_suite!(self.read.suite()?, S => self.check::<S>(output))
    }

    fn check<S: Suite>(&self, output: &mut Output) -> Result<(), Failure> {
        let template = "{bar:40} {pos}/{len} blocks, {elapsed}, {eta} left";
        let bar = progress::bar(output, 0, template);
        let mut blocks = 0;
        let each = |done, all| {
            bar.set_length(all);
            bar.set_position(done);
            blocks = all;
        };
        let checked = BlockDirectory::<S>::check(&self.read.folder, CacheBudget::default(), each);
        bar.finish_and_clear();
        let entries = checked.map_err(|error| match error {
            StoreError::DamagedBlock { .. } | StoreError::RootMismatch(_) => {
                Failure::Refused(format!("the directory does not verify: {error}"))
            }
            error => error.into(),
        })?;
        let (directory, _) = self.read.open::<S>(output)?;
        if directory.registered() != entries {
            let text = "another process changed the directory in the meantime";
            return Err(Failure::Store(text.into()).help("check it again"));
        }
        let version = directory.latest();
        let verdict = output.verdict();
        let text = format!(
            "the directory is whole: {} in {}, up to the signed root of version {version}   \
             [{verdict}]",
            counted(entries, "entry"),
            counted(blocks, "block"),
        );
        let object = json!({ "latest": version.number(), "entries": entries, "blocks": blocks });
        output.say_verdict(&text, object)
    }
}

impl Status {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        with_suite!(self.read.suite()?, S => self.show::<S>(output))
    }

    fn show<S: Suite>(&self, output: &mut Output) -> Result<(), Failure> {
        let (directory, public) = self.read.open::<S>(output)?;
        let head = directory.heads().latest_head();
        let root = head.map(|head| hex::encode(head.head.root));
        let (version, entries) = (directory.latest(), directory.registered());
        let (bytes, step) = (directory.file_bytes()?, directory.step());
        let (dictionary, author) = (public.authority.dictionary, public.authority.author);
        let (suite, verdict) = (public.suite.name(), output.verdict());
        let text = format!(
            "version     {version}   [{verdict}]\n\
             root        {}\n\
             entries     {entries}, deleted ones included\n\
             files       {bytes} bytes, blocks of {} slots\n\
             suite       {suite}\n\
             dictionary  {dictionary}\n\
             author      {author}",
            root.as_deref().unwrap_or("none yet"),
            1_u64 << step,
        );
        let object = json!({
            "latest": version.number(),
            "root": root,
            "entries": entries,
            "bytes": bytes,
            "step": step,
            "suite": suite,
            "dictionary": dictionary.to_string(),
            "author": author.to_string(),
        });
        output.say_verdict(&text, object)
    }
}
