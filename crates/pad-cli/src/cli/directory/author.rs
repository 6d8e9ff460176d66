//! Signing of directory versions. Before a version is published, it is made durable, and its head
//! is recorded in a file next to the key.
//!
//! The author also writes hint files: old proofs of entries, stored next to the objects. With a
//! hint that still matches, a lookup reads fewer blocks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use authdict::{
    PublicKey, SigningKeys, SigningRecord, Version,
    block_directory::{AuthorError, BlockDirectory, EntryId, EntryQuery, FullAuthor, Hint},
    pad_core::codec,
};
use clap::Args;
use pad_core::{Suite, Update};
use pad_disk::{
    Access,
    layer::{FileLayer as _, Folder},
};

use super::{check_scheme, failure};
use crate::cli::{
    Failure, Result,
    session::{AuthorArguments, HeadSource as _, check_key},
};

/// The author's key, and the destination of signed updates.
#[derive(Debug, Args)]
pub(super) struct SignArguments {
    #[command(flatten)]
    pub(super) author: AuthorArguments,
    /// Write the signed update to FOLDER as VERSION.update.
    ///
    /// Other servers apply it with pad directory apply.
    #[arg(long, value_name = "FOLDER")]
    pub(super) updates: Option<PathBuf>,
}

/// The author of a directory: the directory with its signer, the signing record, and the folder for
/// signed updates.
pub(super) struct Author<S: Suite> {
    pub(super) full: FullAuthor<S>,
    record: SigningRecord,
    updates: Option<PathBuf>,
}

impl SignArguments {
    pub(super) fn keys(&self) -> Result<SigningKeys> {
        let keys = self.author.keys()?;
        check_scheme(keys.public(), &self.author.key_file())?;
        Ok(keys)
    }

    /// Opens the signing record of `directory`, and records the latest head of `directory` in it.
    ///
    /// Refuses a directory whose key is not `public`, and a directory whose latest version is older
    /// than the recorded one.
    pub(super) fn remember<S: Suite>(
        &self,
        folder: &Path,
        directory: &BlockDirectory<S>,
        public: &PublicKey,
    ) -> Result<SigningRecord> {
        check_key(folder, &directory.own_key()?, public)?;
        let latest = directory.latest();
        let mut record = self.author.record_for(latest)?;
        let heads = directory.heads();
        record.check(heads.authority(), latest, |version| {
            heads.head(version).ok()
        })?;
        // After a crash, the directory may be one head ahead of the record. The record is then
        // advanced to it.
        advance(&mut record, directory)?;
        Ok(record)
    }

    pub(super) fn open<S: Suite>(&self, folder: &Path, keys: &SigningKeys) -> Result<Author<S>> {
        let directory = super::open::<S>(folder)?;
        let record = self.remember(folder, &directory, keys.public())?;
        self.write_latest(&directory)?;
        Ok(Author {
            full: FullAuthor::resume(directory, keys.signer().clone()),
            record,
            updates: self.updates.clone(),
        })
    }

    /// Writes the update of the latest version, if its file is missing. The next version would
    /// remove the directory's only copy, without which no server can apply a later version.
    ///
    /// The file is missing if the command that signed the version was killed before it wrote the
    /// file.
    fn write_latest<S: Suite>(&self, directory: &BlockDirectory<S>) -> Result {
        let (latest, Some(folder)) = (directory.latest(), &self.updates) else {
            return Ok(());
        };
        if folder.join(update_name(latest)).exists() {
            // The command that wrote the file may have been killed before the name was durable.
            return synchronise_names(folder);
        }
        match directory.logged_update(latest)? {
            Some(update) => write_update(folder, latest, &update),
            // Version 0, or a version that was loaded.
            None => Ok(()),
        }
    }
}

/// Records the latest head of `directory`, before this head is published.
pub(super) fn advance<S: Suite>(
    record: &mut SigningRecord,
    directory: &BlockDirectory<S>,
) -> Result {
    if let Some(head) = directory.heads().latest_head() {
        record.advance(&codec::encode(&head))?;
    }
    Ok(())
}

impl<S: Suite> Author<S> {
    pub(super) const fn directory(&self) -> &BlockDirectory<S> {
        self.full.directory()
    }

    /// Signs the pending changes as the next version. On return the version is durable, its head is
    /// recorded, and its update is written if `--updates` is given.
    pub(super) fn publish(&mut self) -> Result<Update<S>> {
        let update = self.full.snapshot().map_err(|error| match error {
            AuthorError::Store(fault) => failure::fault(self.directory(), fault),
            error => error.into(),
        })?;
        advance(&mut self.record, self.full.directory())?;
        if let Some(folder) = &self.updates {
            let version = update.head.head.version;
            write_update(folder, version, &codec::encode(&update))?;
        }
        Ok(update)
    }

    /// Closes the directory cleanly, so that the next opening has nothing to replay.
    pub(super) fn close(self) -> Result {
        let closed = self.full.into_directory().close();
        closed.map_err(|fault| Failure::Store(fault.to_string()))
    }
}

/// Options for writing hints.
#[derive(Debug, Default, Args)]
pub(super) struct HintArguments {
    /// Write the hint of each entry to FOLDER as ID.hint.
    ///
    /// Store the hint with its object: a lookup with it reads less (pad directory verify --hint).
    #[arg(long, value_name = "FOLDER")]
    hints: Option<PathBuf>,
}

impl HintArguments {
    pub(super) fn check_unused(&self) -> Result {
        if self.hints.is_none() {
            return Ok(());
        }
        Err(Failure::input("--hints: a light author has no entries")
            .help("a lookup with a missing hint creates it"))
    }

    /// Writes hints for entries of the latest version, if `--hints` is given.
    pub(super) fn write<S: Suite>(
        &self,
        directory: &BlockDirectory<S>,
        ids: Vec<EntryId>,
    ) -> Result {
        let Some(folder) = &self.hints else {
            return Ok(());
        };
        let dictionary = directory.heads().authority().dictionary;
        for id in ids {
            let proof = directory.prove_latest(&EntryQuery::one(id));
            let proof = proof.map_err(|error| failure::lookup(directory, error))?;
            // A registered entry always has a hint.
            if let Some(hint) = Hint::new(dictionary, id, directory.latest(), &proof) {
                let name = format!("{}.hint", id.number());
                write_into(folder, &name, &codec::encode(&hint))?;
            }
        }
        Ok(())
    }
}

pub(super) fn write_update(folder: &Path, version: Version, update: &[u8]) -> Result {
    write_into(folder, &update_name(version), update)
}

pub(super) fn update_name(version: Version) -> String {
    format!("{version}.update")
}

/// Writes a file `name` into `folder`, and replaces an existing file. Creates a missing folder.
pub(super) fn write_into(folder: &Path, name: &str, bytes: &[u8]) -> Result {
    let is_new = !folder.exists();
    fs::create_dir_all(folder).map_err(Failure::at(folder))?;
    let path = folder.join(name);
    pad_disk::replace(&path, bytes, Access::Usual).map_err(Failure::at(&path))?;
    if is_new {
        synchronise(folder)?;
    }
    Ok(())
}

/// Makes the names in `folder` durable.
pub(super) fn synchronise_names(folder: &Path) -> Result {
    let names = Folder::open(folder).and_then(|layer| layer.synchronise_names());
    names.map_err(Failure::at(folder))
}

/// Makes the names in `folder`, and its own name, durable.
fn synchronise(folder: &Path) -> Result {
    let names = Folder::open(folder).and_then(|layer| layer.synchronise());
    names.map_err(Failure::at(folder))
}
