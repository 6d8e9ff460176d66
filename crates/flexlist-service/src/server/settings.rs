//! Settings of a file server, including its limits.

use core::fmt;
use std::{collections::BTreeSet, sync::Arc, time::SystemTime};

use pad_core::Workers;

use super::Limits;

/// Settings of a [`FileServer`](super::FileServer), chosen by the operator.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Resource limits of the server.
    pub limits: Limits,
    /// The threads that rebuild lists of blocks.
    pub workers: Workers,
    /// The owners that may begin uploads.
    pub owners: Owners,
    /// The source of the current time.
    pub clock: Clock,
    /// Bytes of disk space reserved in a file next to the store. When the disk is full, removals,
    /// acknowledgements and recovery use this space.
    pub reserve_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            workers: Workers::all_cores(),
            owners: Owners::Anyone,
            clock: Clock::default(),
            reserve_bytes: DEFAULT_RESERVE,
        }
    }
}

/// The default of `reserve_bytes`: four mebibytes, enough for some hundred small transactions.
const DEFAULT_RESERVE: u64 = 4 << 20;

/// The owners that may begin uploads to a server. The server serves existing files of all owners,
/// and their owners may change and remove them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    /// Any owner may begin uploads.
    #[default]
    Anyone,
    /// Only owners with these Ed25519 public keys may begin uploads.
    Only(BTreeSet<[u8; 32]>),
}

impl Owners {
    pub(super) fn allow(&self, owner: &[u8; 32]) -> bool {
        match self {
            Self::Anyone => true,
            Self::Only(owners) => owners.contains(owner),
        }
    }
}

/// A source of the current time: the system clock, or a function given by a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// Creates a clock from `now`, which returns the time in seconds since 1970.
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns the current time in seconds since 1970.
    pub(super) fn now(&self) -> u64 {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(|| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            now.unwrap_or_default().as_secs()
        })
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Clock({})", self.now())
    }
}
