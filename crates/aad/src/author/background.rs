//! Threads of their own that run work step by step, the most urgent first.

use std::{
    collections::BTreeMap,
    fmt, io,
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// Work that is done step by step.
pub(super) trait Work: Send + 'static {
    /// Does a piece of bounded work; whether nothing is left. Nothing happens if nothing was left before.
    fn step(&mut self) -> bool;
}

/// Threads, and the work that they have; the smallest key is the most urgent.
///
/// Between two steps a thread turns to what is most urgent then. Threads without work sleep. They end when this is dropped, after the
/// step that they are at.
pub(super) struct Background<K, W> {
    shared: Arc<Shared<K, W>>,
    threads: Vec<JoinHandle<()>>,
}

/// The work has panicked, and is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Panicked;

struct Shared<K, W> {
    state: Mutex<State<K, W>>,
    /// Any slot, or the end.
    changed: Condvar,
}

struct State<K, W> {
    slots: BTreeMap<K, Slot<W>>,
    is_over: bool,
}

enum Slot<W> {
    Waiting(W),
    /// A thread has it in hand.
    Running,
    Finished(W),
    Panicked,
}

impl<K: Copy + Ord + Send + 'static, W: Work> Background<K, W> {
    /// Starts so many threads.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub(super) fn new(threads: NonZeroUsize) -> io::Result<Self> {
        let state = State {
            slots: BTreeMap::new(),
            is_over: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        // Dropped with the threads that did start, if one does not.
        let mut background = Self {
            shared,
            threads: Vec::new(),
        };
        for _ in 0..threads.get() {
            let shared = Arc::clone(&background.shared);
            let builder = thread::Builder::new().name("aad builder".into());
            let thread = builder.spawn(move || shared.work())?;
            background.threads.push(thread);
        }
        Ok(background)
    }

    /// Adds work; in place of that with the same key, if there is any.
    pub(super) fn add(&self, key: K, work: W) {
        drop(self.take(key));
        self.shared.lock().slots.insert(key, Slot::Waiting(work));
        self.shared.changed.notify_all();
    }

    /// The keys of all work.
    pub(super) fn keys(&self) -> Vec<K> {
        self.shared.lock().slots.keys().copied().collect()
    }

    /// What `map` makes of all work that no thread has in hand.
    pub(super) fn map<R>(&self, map: impl Fn(&K, &W) -> R) -> Vec<R> {
        let state = self.shared.lock();
        let slots = state.slots.iter();
        slots
            .filter_map(|(key, slot)| match slot {
                Slot::Waiting(work) | Slot::Finished(work) => Some(map(key, work)),
                Slot::Running | Slot::Panicked => None,
            })
            .collect()
    }

    /// Takes work back, finished or not. Waits for the step that a thread is at with it, and no longer.
    ///
    /// # Errors
    /// [`Panicked`].
    pub(super) fn take(&self, key: K) -> Option<Result<W, Panicked>> {
        let mut state = self.shared.lock();
        loop {
            match state.slots.remove(&key)? {
                Slot::Waiting(work) | Slot::Finished(work) => return Some(Ok(work)),
                Slot::Panicked => return Some(Err(Panicked)),
                Slot::Running => {
                    state.slots.insert(key, Slot::Running);
                    state = self.shared.wait(state);
                }
            }
        }
    }
}

impl<K: Copy + Ord, W: Work> Shared<K, W> {
    /// What each thread does.
    fn work(&self) {
        let mut state = self.lock();
        while !state.is_over {
            let Some((key, mut work)) = state.next() else {
                state = self.wait(state);
                continue;
            };
            drop(state);
            let step = || {
                let is_finished = work.step();
                (work, is_finished)
            };
            // What has panicked is dropped, not run again.
            let slot = match catch_unwind(AssertUnwindSafe(step)) {
                Ok((work, false)) => Slot::Waiting(work),
                Ok((work, true)) => Slot::Finished(work),
                Err(_) => Slot::Panicked,
            };
            state = self.lock();
            state.slots.insert(key, slot);
            self.changed.notify_all();
        }
    }
}

impl<K, W> Shared<K, W> {
    /// No code panics with the lock held.
    fn lock(&self) -> MutexGuard<'_, State<K, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<K, W>>) -> MutexGuard<'a, State<K, W>> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Ord, W> State<K, W> {
    /// Takes the most urgent work that waits.
    fn next(&mut self) -> Option<(K, W)> {
        let mut waiting = self.slots.iter_mut();
        let (key, slot) = waiting.find(|(_, slot)| matches!(slot, Slot::Waiting(_)))?;
        match std::mem::replace(slot, Slot::Running) {
            Slot::Waiting(work) => Some((*key, work)),
            _ => None,
        }
    }
}

impl<K, W> Drop for Background<K, W> {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // It catches all panics; if one came through, there is nobody to tell.
            thread.join().unwrap_or_default();
        }
    }
}

impl<K, W> fmt::Debug for Background<K, W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Background({} threads)", self.threads.len())
    }
}

#[cfg(test)]
mod tests;
