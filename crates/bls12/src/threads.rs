//! Restricts the parallel loops of the curve library to the threads that the caller chooses.

use pad_core::Workers;

/// Runs `work` so that the parallel loops of the curve library use only the threads of `workers`.
///
/// The library uses the pool of the calling thread, or the global pool if that thread is in none.
/// The global pool uses every core, so sequential workers get a pool of one thread.
#[cfg(feature = "std")]
pub fn run<R: Send>(workers: &Workers, work: impl FnOnce() -> R + Send) -> R {
    use std::sync::LazyLock;

    static SINGLE: LazyLock<Option<rayon::ThreadPool>> =
        LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().ok());
    match &*SINGLE {
        Some(single) if workers.threads() == 1 => single.install(work),
        _ => workers.run(work),
    }
}

/// Runs `work` on the calling thread. Without the feature `std` the curve library has no parallel
/// loops.
#[cfg(not(feature = "std"))]
pub fn run<R: Send>(workers: &Workers, work: impl FnOnce() -> R + Send) -> R {
    workers.run(work)
}
