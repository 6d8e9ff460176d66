//! `pad directory create`: creates an empty directory in a folder.

use std::path::{Path, PathBuf};

use authdict::{
    PublicKey, SigningRecord, Version,
    block_directory::{BlockDirectory, CacheBudget},
};
use clap::Args;
use pad_core::Suite;
use serde_json::json;

use super::{check_scheme, light, with_suite};
use crate::cli::{
    Output, Result,
    files::load_public,
    secret::load_secret,
    session::{check_unsigned, record_of},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory create photographs --key directory.key
  pad directory create photographs --public directory.key.pub
  pad directory create author --light --key directory.key")]
pub(in crate::cli) struct Create {
    /// The folder, empty or missing.
    folder: PathBuf,
    /// The author's secret key, from pad keygen --scheme directory.
    #[arg(long, value_name = "FILE", required_unless_present = "public")]
    key: Option<PathBuf>,
    /// The signing record [default: the key's file with .signed appended].
    #[arg(long, value_name = "FILE", requires = "key")]
    record: Option<PathBuf>,
    /// Create a new signing record.
    ///
    /// Safe only if no version was ever signed with this key.
    #[arg(long, requires = "key")]
    new_record: bool,
    /// The author's public key, for a server without the secret key.
    ///
    /// Its versions come from pad directory apply.
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    public: Option<PathBuf>,
    /// Create a light author: a folder with the author's state, and no entries.
    ///
    /// Changes of entries then need a proof from a copy of the directory, which is not trusted.
    /// Create copies with --public.
    #[arg(long, requires = "key", conflicts_with_all = ["public", "step"])]
    light: bool,
    #[command(flatten)]
    layout: Layout,
}

/// The layout of a directory's blocks.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Layout {
    /// Slots per block, as 2^NUMBER; 7 fills pages of 4 096 bytes.
    ///
    /// Roots and proofs do not depend on it.
    #[arg(long, value_name = "NUMBER", default_value_t = 7)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=12))]
    step: u32,
}

impl Create {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let public = self.public_key()?;
        with_suite!(public.suite, S => {
            let (what, step) = if self.light {
                light::create::<S>(&self.folder, &public)?;
                ("a light author of an empty directory", None)
            } else {
                let directory = self.layout.create::<S>(&self.folder, &public)?;
                ("an empty directory", Some(directory.step()))
            };
            let folder = self.folder.display().to_string();
            let dictionary = public.authority.dictionary.to_string();
            let text = format!("{what} in {folder}, of dictionary {dictionary}");
            let object = json!({
                "folder": folder,
                "dictionary": dictionary,
                "author": public.authority.author.to_string(),
                "suite": public.suite.name(),
                "step": step,
                "latest": 0,
                "entries": 0,
            });
            output.say(&text, &object)
        })
    }

    fn public_key(&self) -> Result<PublicKey> {
        if let Some(path) = &self.public {
            let public = load_public(path)?;
            check_scheme(&public, path)?;
            return Ok(public);
        }
        let path = self.key.as_deref().unwrap_or(Path::new(""));
        let key = load_secret(path)?;
        check_scheme(key.public(), path)?;
        let mut record = SigningRecord::open(&record_of(path, self.record.as_deref())?)?;
        check_unsigned(&record, path, &self.folder)?;
        if self.new_record {
            record.begin()?;
        } else {
            record.require(Version::EMPTY)?;
        }
        Ok(key.public().clone())
    }
}

impl Layout {
    /// Creates an empty directory in `folder` for the author with the key `public`. The folder must
    /// be empty or missing.
    pub(super) fn create<S: Suite>(
        self,
        folder: &Path,
        public: &PublicKey,
    ) -> Result<BlockDirectory<S>> {
        let (authority, budget) = (public.authority, CacheBudget::default());
        Ok(BlockDirectory::create(
            folder, authority, self.step, budget,
        )?)
    }
}
