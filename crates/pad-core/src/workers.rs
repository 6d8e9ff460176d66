//! How many threads large work may use, as a value.

#[cfg(feature = "std")]
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "std")]
use core::num::NonZeroUsize;

#[cfg(feature = "std")]
use rayon::prelude::*;

/// The threads that large work is spread over: none beside the caller's, or a pool.
///
/// Passed by reference to the operations that can use it, so that one process can compare thread
/// counts. Results never depend on it. Without the feature `std` there is the calling thread alone.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use pad_core::Workers;
/// use std::num::NonZeroUsize;
///
/// let pair = NonZeroUsize::new(2).ok_or("two threads")?;
/// for workers in [Workers::sequential(), Workers::new(pair)?] {
///     assert_eq!(workers.run(|| (1..=10).sum::<u32>()), 55);
///     assert_eq!(workers.map(&[1, 2, 3], |number| number * number), [1, 4, 9]);
///     assert_eq!(workers.both(|| 1, || "two"), (1, "two"));
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Workers {
    #[cfg(feature = "std")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Workers {
    /// The calling thread alone.
    pub const fn sequential() -> Self {
        Self {
            #[cfg(feature = "std")]
            pool: None,
        }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        #[cfg(feature = "std")]
        if let Some(pool) = &self.pool {
            return pool.current_num_threads();
        }
        1
    }

    /// Runs `work` where rayon's operations use this pool; on the calling thread if sequential.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "std")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }

    /// What two pieces of work make, at the same time if there are threads for it.
    pub fn both<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "std")]
        if self.pool.is_some() {
            return self.run(|| rayon::join(first, second));
        }
        (first(), second())
    }

    /// What `map` makes of each item, in their order.
    pub fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        map: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
        #[cfg(feature = "std")]
        if self.pool.is_some() {
            return self.run(|| items.par_iter().map(map).collect());
        }
        items.iter().map(map).collect()
    }
}

#[cfg(feature = "std")]
impl Workers {
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
        Ok(Self {
            pool: Some(Arc::new(pool)),
        })
    }

    /// One thread per core that the process may use, or the calling thread alone if they cannot
    /// be started.
    pub fn all_cores() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self::new(threads).unwrap_or_default()
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Workers({})", self.threads())
    }
}
