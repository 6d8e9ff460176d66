//! Operations of a simulated folder, and the sector size.

/// Sector size in bytes: the unit that a medium writes completely or not at all.
pub const SECTOR: u64 = 512;

/// An operation that changes a folder or its files, or that makes changes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A call of [`LayerFile::write_at`](crate::layer::LayerFile::write_at).
    Write,
    /// A call of [`LayerFile::set_length`](crate::layer::LayerFile::set_length).
    SetLength,
    /// A call of [`LayerFile::synchronise`](crate::layer::LayerFile::synchronise).
    Synchronise,
    /// A call of [`FileLayer::create`](crate::layer::FileLayer::create).
    Create,
    /// A call of [`FileLayer::rename`](crate::layer::FileLayer::rename).
    Rename,
    /// A call of [`FileLayer::remove`](crate::layer::FileLayer::remove).
    Remove,
    /// A call of [`FileLayer::synchronise`](crate::layer::FileLayer::synchronise).
    SynchroniseFolder,
}

/// Behaviour of reads after the folder has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Reads still succeed.
    Work,
    /// Reads fail too.
    Fail,
}
