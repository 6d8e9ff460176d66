//! `pad directory check` verifies all files of a directory. `pad directory status` prints its
//! state.

use std::path::{Path, PathBuf};

#[cfg(feature = "network")]
use authdict::block_directory::{EntryId, EntryQuery};
use authdict::{
    PublicKey, Version,
    block_directory::{BlockDirectory, CacheBudget, StoreError},
};
use clap::Args;
use pad_core::Suite;
use serde_json::json;

#[cfg(feature = "network")]
use super::remote;
use super::{ReadArguments, open_trusting, suite_of, with_suite};
use crate::cli::{Failure, Output, Result, counted, progress, session::TrustArguments};

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
  pad directory status --server https://one.example \\
    --public directory.key.pub")]
pub(in crate::cli) struct Status {
    /// The directory's folder.
    folder: Option<PathBuf>,
    #[cfg(feature = "network")]
    #[command(flatten)]
    servers: crate::cli::remote::ServerArguments,
    #[command(flatten)]
    trust: TrustArguments,
}

/// The state of a directory in its latest version.
struct DirectoryState {
    version: Version,
    root: Option<String>,
    entries: u64,
    /// The total size of the files in bytes, and the height of the blocks; `None` on a server.
    files: Option<(u64, u32)>,
}

impl Check {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        with_suite!(suite_of(&self.read.folder)?, S => self.check::<S>(output))
    }

    fn check<S: Suite>(&self, output: &mut Output) -> Result {
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
        let (directory, _) = open_trusting::<S>(&self.read.folder, &self.read.trust, output)?;
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
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        #[cfg(feature = "network")]
        if remote::asks_servers(&self.servers, self.folder.as_ref().map(|_| "a folder"))? {
            let servers = (&self.servers, &self.trust);
            return remote::ask_servers(servers, None, output, |client, version, output| {
                let public = client.public();
                let state = with_suite!(public.suite, S => state_on_servers::<S>(client, version))?;
                state.say(public, output)
            });
        }
        let folder = self.folder.as_ref();
        let folder = folder.ok_or_else(|| Failure::input("no folder is given"))?;
        with_suite!(suite_of(folder)?, S => self.show::<S>(folder, output))
    }

    fn show<S: Suite>(&self, folder: &Path, output: &mut Output) -> Result {
        let (directory, public) = open_trusting::<S>(folder, &self.trust, output)?;
        let head = directory.heads().latest_head();
        let state = DirectoryState {
            version: directory.latest(),
            root: head.map(|head| hex::encode(head.head.root)),
            entries: directory.registered(),
            files: Some((directory.file_bytes()?, directory.step())),
        };
        state.say(&public, output)
    }
}

/// Returns the verified state of a directory on servers. The proof that an id beyond the end is not
/// assigned proves the number of entries.
#[cfg(feature = "network")]
fn state_on_servers<S: Suite>(
    client: &pad_client::Client,
    version: Version,
) -> Result<DirectoryState> {
    let (mut root, mut entries) = (None, 0);
    if version > Version::EMPTY {
        root = Some(client.head(version)?.root);
        let end = EntryQuery::one(EntryId::new(u64::MAX));
        entries = client.entries::<S>(version, &end)?.registered;
    }
    Ok(DirectoryState {
        version,
        root,
        entries,
        files: None,
    })
}

impl DirectoryState {
    fn say(&self, public: &PublicKey, output: &mut Output) -> Result {
        let Self {
            version, entries, ..
        } = self;
        let (dictionary, author) = (public.authority.dictionary, public.authority.author);
        let suite = public.suite.name();
        // Version 0 has no signed head, so any server can claim it.
        let is_signed = *version > Version::EMPTY;
        let verdict = if is_signed {
            output.verdict()
        } else {
            "unverified: no signed head".into()
        };
        let files = self.files.map_or_else(String::new, |(bytes, step)| {
            let slots = 1_u64 << step;
            format!("files       {bytes} bytes, blocks of {slots} slots\n")
        });
        let text = format!(
            "version     {version}   [{verdict}]\n\
             root        {}\n\
             entries     {entries}, deleted ones included\n\
             {files}\
             suite       {suite}\n\
             dictionary  {dictionary}\n\
             author      {author}",
            self.root.as_deref().unwrap_or("none yet"),
        );
        let object = json!({
            "latest": version.number(),
            "root": self.root,
            "entries": entries,
            "bytes": self.files.map(|(bytes, _)| bytes),
            "step": self.files.map(|(_, step)| step),
            "suite": suite,
            "dictionary": dictionary.to_string(),
            "author": author.to_string(),
            "verified": false,
        });
        if is_signed {
            output.say_verdict(&text, object)
        } else {
            output.say(&text, &object)
        }
    }
}
