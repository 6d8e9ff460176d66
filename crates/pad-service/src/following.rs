//! Something that is done again and again beside the server.

use core::time::Duration;
use std::{
    sync::mpsc,
    thread::{self, JoinHandle},
};

/// Something that is done again and again; dropped, it stops, once what it does is done.
#[derive(Debug)]
pub struct Following {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Following {
    /// Does this on a thread of its own, each time this long after the time before.
    pub(crate) fn begin(every: Duration, mut work: impl FnMut() + Send + 'static) -> Self {
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(every) == Err(mpsc::RecvTimeoutError::Timeout) {
                work();
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It has said what there was to say.
            let _: thread::Result<()> = thread.join();
        }
    }
}
