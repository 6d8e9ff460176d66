//! Creation of redb databases, which appear under their paths complete or not at all.

use std::{io, path::Path, sync::Arc};

use redb::{Builder, ConcurrencyMode, WriteTransaction};

use super::{
    backend::{Backend, Health},
    error::EngineError,
    format::Format,
    place::Place,
    transact::{Repair, transact},
};
use crate::{
    Access, Draft,
    layer::{FileLayer, LayerFile, SystemFile, create_anew},
};

/// Creates a database and fills it in one transaction. The database appears under its path complete
/// or not at all, durable when this returns.
pub(super) fn create<E: From<EngineError>>(
    place: &Place,
    format: &Format,
    mode: ConcurrencyMode,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let builder = format.builder(mode);
    match place {
        Place::Path(path) => create_at(path, format.access, &builder, fill),
        Place::Within(layer, name) => create_within(&**layer, name, &builder, fill),
    }
}

fn create_at<E: From<EngineError>>(
    path: &Path,
    access: Access,
    builder: &Builder,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let exists = || EngineError::Exists(path.to_path_buf());
    if path.symlink_metadata().is_ok() {
        return Err(exists().into());
    }
    let draft = Draft::new(path, access).map_err(EngineError::Io)?;
    let file = draft.file().try_clone().map_err(EngineError::Io)?;
    fill_file(Arc::new(SystemFile::new(file)), builder, fill)?;
    draft.keep_new().map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists().into(),
        _ => EngineError::Io(error).into(),
    })
}

/// Files of a layer have names from the start, so the database is written under a temporary name.
fn create_within<E: From<EngineError>>(
    layer: &dyn FileLayer,
    name: &str,
    builder: &Builder,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let draft = format!("{name}{DRAFT}");
    let file = create_draft(layer, name, &draft)?;
    let made = fill_file(Arc::clone(&file), builder, fill).and_then(|()| {
        let keep = || {
            file.synchronise()?;
            layer.rename(&draft, name)?;
            // If the fsync of the folder fails, the file is removed: a later fsync may succeed
            // without having written this name.
            layer
                .synchronise()
                .inspect_err(|_| drop(layer.remove(name)))
        };
        keep().map_err(|error| EngineError::Io(error).into())
    });
    if made.is_err() {
        // The next call removes a leftover draft.
        drop(layer.remove(&draft));
    }
    made
}

fn create_draft(
    layer: &dyn FileLayer,
    name: &str,
    draft: &str,
) -> Result<Arc<dyn LayerFile>, EngineError> {
    if layer.names()?.iter().any(|found| found == name) {
        return Err(EngineError::Exists(layer.path().join(name)));
    }
    Ok(create_anew(layer, draft)?)
}

/// Creates a database in an empty file.
fn fill_file<E: From<EngineError>>(
    file: Arc<dyn LayerFile>,
    builder: &Builder,
    fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let health = Arc::<Health>::default();
    let backend = Backend::new(file, Arc::clone(&health)).map_err(EngineError::of)?;
    {
        let database = builder
            .create_with_backend(backend)
            .map_err(EngineError::of)?;
        transact(&database, Repair::Full, fill)?;
    }
    // The engine does not report write errors on close, and a later fsync of the file does not
    // report them either.
    if health.has_failed() {
        let error = io::Error::other("a new database could not be closed");
        return Err(EngineError::Io(error).into());
    }
    Ok(())
}

/// Suffix of the name of an incomplete database.
const DRAFT: &str = ".new";
