//! What an operator decides beside the limits.

use core::fmt;
use std::{collections::BTreeSet, sync::Arc, time::SystemTime};

use pad_core::Workers;

use super::Limits;

/// What an operator decides about a [`FileServer`](super::FileServer).
#[derive(Clone, Debug)]
pub struct Settings {
    /// How much one client may ask.
    pub limits: Limits,
    /// The threads that rebuild lists.
    pub workers: Workers,
    /// Which owners may begin files.
    pub owners: Owners,
    /// What time it is.
    pub clock: Clock,
    /// Bytes of the disk that are set aside in a file beside the store, so that when the disk is full
    /// there is room for what makes room: removals, acknowledgements and recovery.
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

/// Four mebibytes: some hundred small transactions.
const DEFAULT_RESERVE: u64 = 4 << 20;

/// Which owners may begin files. Files that are there are served, and may be changed and removed, all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    /// Whoever makes a key.
    #[default]
    Anyone,
    /// These Ed25519 public keys alone.
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

/// Tells the time: the system's, or a test's.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// A clock that this function reads, in seconds since 1970.
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Seconds since 1970.
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
