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
#[cfg(feature = "network")]
use pad_client::Client;
use pad_core::Suite;
use serde_json::json;

use super::{ReadArguments, open_trusting, suite_of, with_suite};
use crate::cli::{
    Failure, Output, Result, counted, progress, session::TrustArguments, status::Rows,
};

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
        if self
            .servers
            .are_asked(self.folder.as_ref().map(|_| "a folder"))?
        {
            let ask = |client: &Client, version, output: &mut Output| {
                let public = client.public();
                let state = with_suite!(public.suite, S => state_on_servers::<S>(client, version))?;
                say_state(public, version, state, None, output)
            };
            return self.servers.ask_directory(&self.trust, None, output, ask);
        }
        let folder = self.folder.as_ref();
        let folder = folder.ok_or_else(|| Failure::input("no folder is given"))?;
        with_suite!(suite_of(folder)?, S => self.show::<S>(folder, output))
    }

    fn show<S: Suite>(&self, folder: &Path, output: &mut Output) -> Result {
        let (directory, public) = open_trusting::<S>(folder, &self.trust, output)?;
        let head = directory.heads().latest_head();
        let root = head.map(|head| hex::encode(head.head.root));
        let state = (root, directory.registered());
        let files = Some((directory.file_bytes()?, directory.step()));
        say_state(&public, directory.latest(), state, files, output)
    }
}

/// The root of a directory in its latest version, if it has a version, and the number of entries.
type DirectoryState = (Option<String>, u64);

/// Returns the verified state of a directory on servers. The proof that an id beyond the end is not
/// assigned proves the number of entries.
#[cfg(feature = "network")]
fn state_on_servers<S: Suite>(client: &Client, version: Version) -> Result<DirectoryState> {
    if version == Version::EMPTY {
        return Ok((None, 0));
    }
    let root = client.head(version)?.root;
    let end = EntryQuery::one(EntryId::new(u64::MAX));
    Ok((Some(root), client.entries::<S>(version, &end)?.registered))
}

/// Prints the state of a directory. `files` are the total size of its files in bytes, and the
/// height of the blocks; `None` on a server.
fn say_state(
    public: &PublicKey,
    version: Version,
    (root, entries): DirectoryState,
    files: Option<(u64, u32)>,
    output: &mut Output,
) -> Result {
    // Version 0 has no signed head, so any server can claim it.
    let is_signed = version > Version::EMPTY;
    let verdict = if is_signed {
        output.verdict()
    } else {
        "unverified: no signed head".into()
    };
    let mut rows = Rows::default();
    let shown = format!("{version}   [{verdict}]");
    rows.both("version", "latest", shown, version.number());
    let shown = root.as_deref().unwrap_or("none yet").to_owned();
    rows.both("root", "root", shown, root);
    let shown = format!("{entries}, deleted ones included");
    rows.both("entries", "entries", shown, entries);
    if let Some((bytes, step)) = files {
        let slots = 1_u64 << step;
        let shown = format!("{bytes} bytes, blocks of {slots} slots");
        rows.both("files", "bytes", shown, bytes);
    }
    rows.add_identity(public);
    let mut object = rows.object();
    object["step"] = files.map(|(_, step)| step).into();
    if is_signed {
        output.say_verdict(&rows.text(), object)
    } else {
        output.say(&rows.text(), &object)
    }
}
