//! Periodic background tasks.

use core::time::Duration;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread::{self, JoinHandle},
};

/// A periodic background task. Dropping this value waits for the current run, and stops the task.
#[derive(Debug)]
pub struct PeriodicTask {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PeriodicTask {
    /// Runs `work` on a new thread, with a pause of `every` before each run.
    pub(crate) fn begin(every: Duration, mut work: impl FnMut() + Send + 'static) -> Self {
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(every) == Err(mpsc::RecvTimeoutError::Timeout) {
                // A panic has been reported by the hook. It does not end the task.
                drop(catch_unwind(AssertUnwindSafe(&mut work)));
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for PeriodicTask {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been reported.
            let _: thread::Result<()> = thread.join();
        }
    }
}
