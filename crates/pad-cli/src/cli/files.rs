//! File arguments of commands. `-` means standard input or standard output.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use authdict::PublicKey;
use clap::Args;
use pad_disk::Access;

use super::{Failure, Output, Result};

/// The destination of a command's result.
#[derive(Debug, Args)]
pub(super) struct OutArguments {
    /// The file to write; - for standard output.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl OutArguments {
    /// Writes `bytes` to standard output, or to a file: as a whole or not at all. Returns the path
    /// of the file.
    pub(super) fn write(&self, bytes: &[u8], output: &mut Output) -> Result<Option<String>> {
        if is_standard(&self.out) {
            return output.raw(bytes).map(|()| None);
        }
        if self.out.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(Failure::not_plain(&self.out));
        }
        let written = if self.force {
            pad_disk::replace(&self.out, bytes, Access::Usual)
        } else {
            pad_disk::create(&self.out, bytes, Access::Usual)
        };
        match written {
            Ok(()) => Ok(Some(self.out.display().to_string())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let text = format!("{} exists already", self.out.display());
                Err(Failure::Input(text).help("use --force to replace it"))
            }
            Err(error) => Err(Failure::file(&self.out, &error)),
        }
    }

    /// Rejects invalid combinations of output options. Called before other work.
    pub(super) fn check(&self, output: &Output) -> Result {
        if is_standard(&self.out) && output.is_json() {
            return Err(Failure::input(
                "--out - and --json both write to standard output",
            ));
        }
        Ok(())
    }

    /// Rejects an output file that is the same file as `input`, which the command reads.
    pub(super) fn check_other(&self, input: &Path) -> Result {
        match (self.out.canonicalize(), input.canonicalize()) {
            (Ok(out), Ok(input)) if out == input => Err(Failure::Input(format!(
                "{} is what the command reads",
                self.out.display()
            ))),
            _ => Ok(()),
        }
    }
}

/// Opens a file. `-` means standard input.
pub(super) fn open_input(path: &Path) -> Result<Box<dyn Read>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(fs::File::open(path).map_err(Failure::at(path))?))
}

/// Reads a file of at most `limit` bytes. `-` means standard input.
pub(super) fn read_file(path: &Path, limit: usize) -> Result<Vec<u8>> {
    let (input, mut bytes) = (open_input(path)?, Vec::new());
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = input.take(most).read_to_end(&mut bytes);
    read.map_err(Failure::at(path))?;
    if bytes.len() > limit {
        let path = path.display();
        let text = format!("{path} is longer than {limit} bytes");
        return Err(Failure::Input(text));
    }
    Ok(bytes)
}

/// Reads a file of text of at most `limit` bytes. `-` means standard input.
pub(super) fn read_text(path: &Path, limit: usize) -> Result<String> {
    let text = String::from_utf8(read_file(path, limit)?);
    text.map_err(|_| Failure::Input(format!("{}: this is not text", path.display())))
}

pub(super) fn read_all(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(Failure::at(path))
}

/// Rejects paths that are not regular files, because opening a pipe would block.
pub(super) fn check_plain(path: &Path) -> Result {
    match path.metadata() {
        Err(error) => Err(Failure::file(path, &error)),
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(Failure::not_plain(path)),
    }
}

pub(super) fn load_public(path: &Path) -> Result<PublicKey> {
    PublicKey::load(path).map_err(Failure::key_file(path))
}

pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Rejects a secret file that its group can write, or to which users other than its owner and group
/// have any access. Checks nothing on systems other than Unix.
#[cfg(any(feature = "file", feature = "network", feature = "passphrase"))]
pub(super) fn check_secret(name: &str, path: &Path) -> Result {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = path.metadata().map_err(Failure::at(path))?;
        let mode = metadata.permissions().mode() & 0o777;
        // The group may read the file, because a web server may get its keys through a group.
        if mode & 0o027 != 0 {
            let path = path.display();
            return Err(Failure::Input(format!(
                "{name} {path}: others may read or change it (its mode is {mode:03o})"
            ))
            .help(format!("run chmod 600 {path}, or 640 for a group")));
        }
    }
    Ok(())
}
