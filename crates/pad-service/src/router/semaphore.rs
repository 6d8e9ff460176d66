//! A semaphore that limits concurrent large responses.

use std::sync::{Condvar, Mutex, PoisonError};

/// A counting semaphore for threads.
#[derive(Debug)]
pub(super) struct Semaphore {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// A permit of a semaphore. Dropping it returns the permit.
#[derive(Debug)]
pub(super) struct Permit<'p>(&'p Semaphore);

impl Semaphore {
    /// Creates a semaphore with `count` permits, or with one permit if `count` is 0.
    pub(super) fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count.max(1)),
            given_back: Condvar::new(),
        }
    }

    /// Blocks until a permit is available.
    pub(super) fn take(&self) -> Permit<'_> {
        // No change panics halfway, so a poisoned lock can be used.
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.given_back.wait_while(free, |free| *free == 0);
        let mut free = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.saturating_sub(1);
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let free = self.0.free.lock();
        let mut free = free.unwrap_or_else(PoisonError::into_inner);
        *free = free.saturating_add(1);
        drop(free);
        self.0.given_back.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn permits_limit_the_number_inside() {
        for (count, most) in [(0, 1), (1, 1), (3, 3)] {
            let semaphore = Semaphore::new(count);
            let inside = AtomicUsize::new(0);
            let turns = AtomicUsize::new(0);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        for _ in 0..100 {
                            let permit = semaphore.take();
                            assert!(inside.fetch_add(1, Ordering::SeqCst) < most);
                            thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                            drop(permit);
                            turns.fetch_add(1, Ordering::SeqCst);
                        }
                    });
                }
            });
            assert_eq!(turns.into_inner(), 800);
        }
    }
}
