//! Hint files: old proofs of entries, stored next to the objects. With a hint that still matches, a
//! lookup reads fewer blocks.

use std::path::PathBuf;

use authdict::{
    block_directory::{BlockDirectory, EntryId, EntryQuery, Hint},
    pad_core::codec,
};
use clap::Args;
use pad_core::Suite;

use super::{author::write_into, failure};
use crate::cli::{Failure, Result};

/// Options for writing hints.
#[derive(Debug, Args)]
pub(super) struct HintArguments {
    /// Write the hint of each entry to FOLDER as ID.hint.
    ///
    /// Store the hint with its object: a lookup with it reads less (pad directory verify --hint).
    #[arg(long, value_name = "FOLDER")]
    hints: Option<PathBuf>,
}

impl HintArguments {
    /// Rejects `--hints` for a light author, which has no entries to prove.
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
        ids: impl Iterator<Item = EntryId>,
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
