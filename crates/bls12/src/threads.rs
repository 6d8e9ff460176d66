//! Parallel loops of the curve library, on the threads that the caller allows.

use pad_core::Workers;

/// Runs `work` where the curve library's parallel loops use these workers, and no other thread.
///
/// The library takes whichever pool it finds itself in, and the global one outside all pools. With
/// sequential workers that would be every core, so they get a pool of one thread.
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

/// Runs `work`: without the feature `std` the curve library has no parallel loops.
#[cfg(not(feature = "std"))]
pub fn run<R: Send>(workers: &Workers, work: impl FnOnce() -> R + Send) -> R {
    workers.run(work)
}
