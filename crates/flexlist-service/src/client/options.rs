//! Options of a client for one file: sizes of requests, time limits and threads.

use core::time::Duration;

use pad_core::Workers;

/// Options of a client: sizes of requests, time limits and threads.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Size of a part of an upload: a part is sent once its blocks have at least this number of
    /// bytes, including 512 bytes of overhead per block. A resumed upload must use the same value.
    /// Also the approximate maximum length of an update that [`sync`](super::FileClient::sync)
    /// sends.
    pub part_bytes: usize,
    /// Maximum number of bytes of the file that the client requests in one read request.
    pub read_bytes: u64,
    /// Approximate number of blocks covered by one request of a full audit.
    pub audit_blocks: u64,
    /// Time limit of the search for damaged blocks after a failed audit. The last request may
    /// exceed the limit. A slow server cannot delay the result for longer.
    pub search_time: Duration,
    /// The threads that compute the tags of blocks.
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
