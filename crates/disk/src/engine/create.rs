//! New databases.

use std::{io, path::Path};

use redb::{Builder, WriteTransaction};

use super::{error::EngineError, format::Format};
use crate::Draft;

/// Makes a new database and fills it in one transaction. It appears under its path complete or not at
/// all, durable when this returns.
pub(super) fn create<E: From<EngineError>>(
    path: &Path,
    format: &Format,
    builder: &Builder,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let exists = || EngineError::Exists(path.to_path_buf());
    if path.symlink_metadata().is_ok() {
        return Err(exists().into());
    }
    let draft = Draft::new(path, format.access).map_err(EngineError::Io)?;
    let file = draft.file().try_clone().map_err(EngineError::Io)?;
    {
        let database = builder.create_file(file).map_err(EngineError::of)?;
        let mut transaction = database.begin_write().map_err(EngineError::of)?;
        transaction.set_two_phase_commit(true);
        fill(&transaction)?;
        transaction.commit().map_err(EngineError::of)?;
    }
    draft.keep_new().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists().into(),
        _ => EngineError::Io(error).into(),
    })
}
