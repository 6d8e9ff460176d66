//! How many threads large work may use, as a value.

use alloc::sync::Arc;
use core::{fmt, num::NonZeroUsize};

/// The threads that large work is spread over: none beside the caller's, or a pool.
///
/// Passed by reference to the operations that can use it, so that one process can compare thread
/// counts. Results never depend on it.
///
/// ```
/// use pad_core::Workers;
/// use std::num::NonZeroUsize;
///
/// let pair = NonZeroUsize::new(2).ok_or("two threads")?;
/// for workers in [Workers::sequential(), Workers::new(pair)?] {
///     assert_eq!(workers.run(|| (1..=10).sum::<u32>()), 55);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Workers(Option<Arc<rayon::ThreadPool>>);

impl Workers {
    /// The calling thread alone.
    pub const fn sequential() -> Self {
        Self(None)
    }

    /// A pool of this many threads; with one, the calling thread alone.
    ///
    /// # Errors
    /// If the operating system refuses to start the threads.
    pub fn new(threads: NonZeroUsize) -> Result<Self, rayon::ThreadPoolBuildError> {
        if threads.get() == 1 {
            return Ok(Self::sequential());
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build()?;
        Ok(Self(Some(Arc::new(pool))))
    }

    /// One thread per core that the process may use, or the calling thread alone if they cannot
    /// be started.
    pub fn all_cores() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self::new(threads).unwrap_or_default()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Runs `work` where rayon's operations use this pool; on the calling thread if sequential.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Workers({})", self.threads())
    }
}
