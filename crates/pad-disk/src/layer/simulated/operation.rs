//! Operations of a simulated folder, I/O counters, and the sector size.

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

/// I/O counters of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of calls of [`LayerFile::write_at`](crate::layer::LayerFile::write_at).
    pub writes: u64,
    /// Number of bytes passed to `write_at`, including failed calls.
    pub bytes_written: u64,
    /// Number of calls of [`LayerFile::read_at`](crate::layer::LayerFile::read_at).
    pub reads: u64,
    /// Number of bytes requested from `read_at`, including failed calls.
    pub bytes_read: u64,
    /// Number of calls of [`LayerFile::synchronise`](crate::layer::LayerFile::synchronise).
    pub synchronisations: u64,
}
