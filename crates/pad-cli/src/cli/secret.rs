//! Files with secret keys: their permissions and passphrases.

#![cfg_attr(
    not(feature = "passphrase"),
    allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as with the feature"
    )
)]

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use authdict::{SecretFile, SecretKey};
use clap::Args;

#[cfg(feature = "passphrase")]
use super::passphrase::{self, PassphrasePrompt};
use super::{
    Failure, Result,
    files::{check_plain, is_standard},
};

/// Passphrase of a new secret key.
#[derive(Debug, Args)]
pub(super) struct ProtectArguments {
    /// Encrypt the secret key with a passphrase.
    ///
    /// The passphrase is the first line of the file in `PAD_PASSPHRASE_FILE`, or is entered at the
    /// terminal.
    #[cfg(feature = "passphrase")]
    #[arg(long)]
    passphrase: bool,
}

impl ProtectArguments {
    pub(super) const fn is_given(&self) -> bool {
        #[cfg(feature = "passphrase")]
        return self.passphrase;
        #[cfg(not(feature = "passphrase"))]
        false
    }

    /// Asks for the passphrase, if `--passphrase` is given. Called before any long computation.
    ///
    /// Returns a function that encrypts a new key file with it; the path is used in errors.
    pub(super) fn ask(&self) -> Result<impl Fn(&Path, SecretFile) -> Result<SecretFile> + use<>> {
        #[cfg(feature = "passphrase")]
        let passphrase = {
            let ask = || passphrase::ask(PassphrasePrompt::ForNewKey);
            self.passphrase.then(ask).transpose()?
        };
        Ok(move |path: &Path, file: SecretFile| {
            #[cfg(feature = "passphrase")]
            if let Some(passphrase) = &passphrase {
                let encrypted = file.encrypt(passphrase, authdict::Work::USUAL);
                return encrypted.map_err(Failure::key_file(path));
            }
            let _ = path;
            Ok(file)
        })
    }
}

pub(super) fn check_place(option: &str, path: &Path) -> Result {
    if is_standard(path) {
        let text = format!("{option} - : a key needs a file of its own");
        return Err(Failure::Input(text));
    }
    Ok(())
}

pub(super) fn public_path(secret: &Path) -> PathBuf {
    let mut path = OsString::from(secret);
    path.push(".pub");
    path.into()
}

/// Reads the file of a secret key. Asks for its passphrase if it is encrypted.
pub(super) fn read(path: &Path) -> Result<SecretFile> {
    let failure = Failure::key_file(path);
    if path.exists() {
        check_plain(path)?;
    }
    let file = SecretFile::read(path).map_err(failure)?;
    #[cfg(feature = "passphrase")]
    if file.is_encrypted() {
        let passphrase = passphrase::ask(PassphrasePrompt::Of(path))?;
        return file.decrypt(&passphrase).map_err(failure);
    }
    Ok(file)
}

pub(super) fn load_secret(path: &Path) -> Result<SecretKey> {
    SecretKey::from_file(&read(path)?).map_err(Failure::key_file(path))
}

/// Sets, changes or removes the passphrase of a secret key.
#[cfg(feature = "passphrase")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad passphrase author.key
  pad passphrase author.key --remove

Passphrases are entered at the terminal. Without a terminal, PAD_PASSPHRASE_FILE
names a file whose first line is the current passphrase, and
PAD_NEW_PASSPHRASE_FILE one whose first line is the new passphrase. Older copies
of the key file keep the old passphrase.")]
pub(super) struct SetPassphrase {
    /// The secret key's file.
    ///
    /// The key of an author, of an owner of outsourced files, of a witness or of a log.
    #[arg(value_name = "FILE")]
    key: PathBuf,
    /// Remove the passphrase: store the key unencrypted.
    #[arg(long)]
    remove: bool,
}

#[cfg(feature = "passphrase")]
impl SetPassphrase {
    pub(super) fn run(&self, output: &mut super::Output) -> Result {
        output.goes_on();
        let path = &self.key;
        let failure = Failure::key_file(path);
        check_plain(path)?;
        let file = SecretFile::read(path).map_err(failure)?;
        let had = file.is_encrypted();
        if self.remove && !had {
            let path = path.display();
            return Err(Failure::Input(format!("key file {path} has no passphrase")));
        }
        let clear = if had {
            file.decrypt(&passphrase::ask(PassphrasePrompt::Of(path))?)
                .map_err(failure)?
        } else {
            file
        };
        if !clear.is_secret_key() {
            let (path, kind) = (path.display(), clear.kind());
            let text = format!("{path}: this is {kind}, but a secret key is needed");
            return Err(Failure::Input(text));
        }
        clear.check_private().map_err(failure)?;
        let (done, word) = if self.remove {
            clear.replace(path).map_err(failure)?;
            (
                "is unencrypted now: only its permissions protect it",
                "removed",
            )
        } else {
            let passphrase = passphrase::ask(PassphrasePrompt::Anew(path))?;
            let encrypted = clear.encrypt(&passphrase, authdict::Work::USUAL);
            encrypted.map_err(failure)?.replace(path).map_err(failure)?;
            let word = if had { "changed" } else { "set" };
            ("is encrypted: without the passphrase the key is lost", word)
        };
        let path = path.display().to_string();
        let text = format!("secret key  {path}  ({done})");
        let object = serde_json::json!({ "secret_key": path, "passphrase": word });
        output.say(&text, &object)
    }
}
