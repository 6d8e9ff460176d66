//! Operations of a simulated folder, their traffic, and the sector.

/// The bytes that a medium writes whole or not at all.
pub const SECTOR: u64 = 512;

/// What changes a folder or its files, or makes that durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// [`LayerFile::write_at`](crate::layer::LayerFile::write_at).
    Write,
    /// [`LayerFile::set_length`](crate::layer::LayerFile::set_length).
    SetLength,
    /// [`LayerFile::synchronise`](crate::layer::LayerFile::synchronise).
    Synchronise,
    /// [`FileLayer::create`](crate::layer::FileLayer::create).
    Create,
    /// [`FileLayer::rename`](crate::layer::FileLayer::rename).
    Rename,
    /// [`FileLayer::remove`](crate::layer::FileLayer::remove).
    Remove,
    /// [`FileLayer::synchronise`](crate::layer::FileLayer::synchronise).
    SynchroniseFolder,
}

/// Whether what has stopped can still be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// It can.
    Work,
    /// Everything fails.
    Fail,
}

/// What was done with one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Calls of [`LayerFile::write_at`](crate::layer::LayerFile::write_at).
    pub writes: u64,
    /// Their bytes.
    pub bytes_written: u64,
    /// Calls of [`LayerFile::read_at`](crate::layer::LayerFile::read_at).
    pub reads: u64,
    /// Their bytes.
    pub bytes_read: u64,
    /// Calls of [`LayerFile::synchronise`](crate::layer::LayerFile::synchronise).
    pub synchronisations: u64,
}
