//! `pad directory apply`: applies signed updates on a server without the secret key.

use std::path::PathBuf;

use authdict::{ApplyError, pad_core::codec};
use clap::Args;
use pad_core::{Suite, Update, internals::UpdateHead};

use super::{failure, shown::version_line, suite_of, with_suite};
use crate::cli::{Failure, Output, Result, files::read_file};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory apply photographs updates/2.update
  pad directory apply photographs updates/3.update updates/4.update")]
pub(in crate::cli) struct Apply {
    /// The directory's folder.
    folder: PathBuf,
    /// The update files, in order of version.
    #[arg(required = true)]
    updates: Vec<PathBuf>,
}

impl Apply {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        with_suite!(suite_of(&self.folder)?, S => self.apply::<S>(output))
    }

    fn apply<S: Suite>(&self, output: &mut Output) -> Result {
        let mut directory = super::open::<S>(&self.folder)?;
        for path in &self.updates {
            let bytes = read_file(path, LONGEST_UPDATE)?;
            let unreadable = |error| {
                let path = path.display();
                Failure::Refused(format!("{path}: the update is refused: {error}"))
            };
            let head = UpdateHead::<S>::peek::<()>(&bytes, bytes.len()).map_err(unreadable)?;
            // Before memory is spent on the operations, which the head's signature does not cover.
            let checked = directory.heads().check(head.base, &head.head);
            let checked = checked.and_then(|()| directory.require_operations(&head));
            checked.map_err(|error| Failure::from(error).of_file(path))?;
            let update = codec::decode::<Update<S>>(&bytes, bytes.len()).map_err(unreadable)?;
            let version = directory.apply(&update).map_err(|error| match error {
                ApplyError::Store(fault) => failure::fault(&directory, fault),
                error => Failure::from(error).of_file(path),
            })?;
            let (line, object) = version_line(&directory, version)?;
            output.say(&format!("{line}, verified and stored"), &object)?;
        }
        let closed = directory.close();
        closed.map_err(|fault| Failure::Store(fault.to_string()))
    }
}

pub(super) const LONGEST_UPDATE: usize = 1 << 28;
