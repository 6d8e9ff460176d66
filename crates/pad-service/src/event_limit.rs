//! A limit on the number of log events per second.

use core::time::Duration;
use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// Limits log events that clients can cause at will, so that they cannot fill the disk.
#[derive(Debug, Default)]
pub(crate) struct EventLimit(Mutex<Window>);

/// The events of one second.
#[derive(Debug, Default)]
struct Window {
    began: Option<Instant>,
    logged: u32,
    /// Number of events that were skipped since the last logged one.
    skipped: u64,
}

impl EventLimit {
    /// Returns `None` if the next event must be skipped, because [`MOST_EVENTS`] were logged in
    /// this second. Otherwise, returns the number of events that were skipped before it.
    pub(crate) fn take(&self) -> Option<u64> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Option<u64> {
        // No change panics halfway, so a poisoned lock can be used.
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |began| now.saturating_duration_since(began) >= WINDOW;
        if window.began.is_none_or(is_over) {
            window.began = Some(now);
            window.logged = 0;
        }
        if window.logged >= MOST_EVENTS {
            window.skipped = window.skipped.saturating_add(1);
            return None;
        }
        window.logged = window.logged.saturating_add(1);
        Some(core::mem::take(&mut window.skipped))
    }
}

/// Maximum number of events in a window.
const MOST_EVENTS: u32 = 10;
const WINDOW: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_beyond_the_limit_are_counted_and_not_logged() {
        let limit = EventLimit::default();
        let began = Instant::now();
        for _ in 0..MOST_EVENTS {
            assert_eq!(limit.take_at(began), Some(0));
        }
        for _ in 0..3 {
            assert_eq!(limit.take_at(began + WINDOW / 2), None);
        }
        let next = began + WINDOW;
        assert_eq!(limit.take_at(next), Some(3));
        assert_eq!(limit.take_at(next), Some(0));
    }
}
