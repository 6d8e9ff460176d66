//! The threads for large computations, passed to functions as a value.

#![allow(
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    reason = "indices of slices in memory, and results of work that always ran"
)]

#[cfg(feature = "std")]
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "std")]
use core::{num::NonZeroUsize, ops::Range};

/// The threads for large computations: only the calling thread, or a thread pool.
///
/// Workers are passed by reference to the operations that can use them, so that one process can
/// compare thread counts. Results never depend on the number of threads. Without the feature `std`
/// only the calling thread is used.
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
    /// Creates workers without a pool: only the calling thread works.
    pub const fn sequential() -> Self {
        Self {
            #[cfg(feature = "std")]
            pool: None,
        }
    }

    /// The number of threads of the pool; 1 without a pool.
    pub fn threads(&self) -> usize {
        #[cfg(feature = "std")]
        if let Some(pool) = &self.pool {
            return pool.current_num_threads();
        }
        1
    }

    /// Runs `work` in this pool, which is then the current rayon pool. Without a pool, runs `work`
    /// on the calling thread.
    ///
    /// # Panics
    /// If `work` panics.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "std")]
        if let Some(pool) = &self.pool {
            let (mut work, mut result) = (Some(work), None);
            install(pool, &mut || result = work.take().map(|work| work()));
            return result.expect("workers: installed work was run");
        }
        work()
    }

    /// Runs `first` and `second`, in parallel if there is a pool, and returns both results.
    ///
    /// # Panics
    /// If one of them panics.
    pub fn both<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "std")]
        if self.pool.is_some() {
            let (mut first, mut second) = (Some(first), Some(second));
            let (mut one, mut other) = (None, None);
            let mut do_one = || one = first.take().map(|first| first());
            let mut do_other = || other = second.take().map(|second| second());
            self.run(|| join(&mut do_one, &mut do_other));
            let both = one.zip(other);
            return both.expect("workers: joined work was run");
        }
        (first(), second())
    }

    /// Applies `map` to each item, in parallel if there is a pool. Results are in the items' order.
    pub fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        map: impl Fn(&T) -> R + Sync + Send,
    ) -> Vec<R> {
        #[cfg(feature = "std")]
        if self.pool.is_some() {
            let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
            let piece = items.len().div_ceil(self.threads().saturating_mul(PIECES));
            let work = |first, piece: &mut [Option<R>]| {
                for (result, item) in piece.iter_mut().zip(items.iter().skip(first)) {
                    *result = Some(map(item));
                }
            };
            self.run(|| for_each_piece(&mut results, piece, &work));
            return results.into_iter().flatten().collect();
        }
        items.iter().map(map).collect()
    }
}

/// The number of pieces into which [`Workers::map`] splits its items for each thread. A thread that
/// has finished its own pieces takes pieces of other threads.
#[cfg(feature = "std")]
const PIECES: usize = 32;

/// Calls [`rayon::ThreadPool::install`] without type parameters, so that rayon's code is compiled
/// once for all callers.
#[cfg(feature = "std")]
fn install(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

/// Calls [`rayon::join`] without type parameters, so that rayon's code is compiled once for all
/// callers.
#[cfg(feature = "std")]
fn join(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

/// Splits `items` into pieces of `piece` items. Calls `work` on each piece, with the position of
/// its first item.
///
/// The threads of the current rayon pool share the pieces. The last piece may be shorter. The type
/// of `work` is erased, so that callers with many type parameters do not compile rayon for each.
///
/// # Panics
/// If `work` panics.
///
/// ```
/// use pad_core::internals::for_each_piece;
///
/// let mut squares = [0; 10];
/// for_each_piece(&mut squares, 4, &|first, piece| {
///     assert!(first % 4 == 0 && piece.len() <= 4);
///     for (square, number) in piece.iter_mut().zip(first..) {
///         *square = number * number;
///     }
/// });
/// assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
/// ```
#[cfg(feature = "std")]
pub fn for_each_piece<T: Send>(
    items: &mut [T],
    piece: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    halve(0, items, piece.max(1), work);
}

#[cfg(feature = "std")]
fn halve<T: Send>(
    start: usize,
    items: &mut [T],
    piece: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    if items.len() <= piece {
        return work(start, items);
    }
    let middle = items.len().div_ceil(piece) / 2 * piece;
    let (first, second) = items.split_at_mut(middle);
    let mut do_first = || halve(start, first, piece, work);
    let mut do_second = || halve(start + middle, second, piece, work);
    join(&mut do_first, &mut do_second);
}

/// Splits `range` into subranges of `piece` positions, of which the last may be shorter. Calls
/// `work` on each, in parallel as [`for_each_piece`] does.
///
/// # Panics
/// If `work` panics.
#[cfg(feature = "std")]
pub fn for_each_range(range: Range<usize>, piece: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let piece = piece.max(1);
    if range.len() <= piece {
        return work(range);
    }
    let middle = range.start + range.len().div_ceil(piece) / 2 * piece;
    let mut do_first = || for_each_range(range.start..middle, piece, work);
    let mut do_second = || for_each_range(middle..range.end, piece, work);
    join(&mut do_first, &mut do_second);
}

#[cfg(feature = "std")]
impl Workers {
    /// Creates a pool of `threads` threads. With one thread, no pool is created and the calling
    /// thread works.
    ///
    /// # Errors
    /// The error of the thread pool if the operating system refuses to start the threads.
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

    /// Creates a pool with one thread per core that the process may use. Falls back to the calling
    /// thread if the threads cannot be started.
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
