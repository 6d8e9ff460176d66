//! How much a client asks for and sends at once.

use core::time::Duration;

use pad_core::Workers;

/// How much a client asks for and sends at once.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The bytes of blocks and tags after which a part of an upload is sent. An upload that is resumed
    /// must have the same.
    pub part_bytes: usize,
    /// How many bytes of the file are read at once.
    pub read_bytes: u64,
    /// About how many blocks one question of a full audit covers.
    pub audit_blocks: u64,
    /// How long damaged blocks are searched for after an audit has failed, the last question not
    /// included: a server that takes its time does not keep the verdict back for longer.
    pub search_time: Duration,
    /// The threads that tag blocks.
    pub workers: Workers,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            part_bytes: 4 << 20,
            read_bytes: 8 << 20,
            audit_blocks: 2048,
            search_time: Duration::from_mins(2),
            workers: Workers::all_cores(),
        }
    }
}
