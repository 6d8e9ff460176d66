//! Exponential backoff that reports which failures to log.

use core::time::Duration;
use std::time::Instant;

/// Exponential backoff after failures. A failure is to be logged only if its reason differs from
/// that of the failure before, or if a success came in between.
#[derive(Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    /// Start and length of the current pause; `None` after a success.
    left_alone: Option<(Instant, Duration)>,
    /// Reason of the last failure; `None` after a success.
    said: Option<String>,
}

impl Backoff {
    /// Creates a backoff that begins at `first` and doubles with each failure, up to `longest`.
    pub(crate) const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            left_alone: None,
            said: None,
        }
    }

    /// Returns whether the current pause has not ended yet.
    pub(crate) fn is_waiting(&self) -> bool {
        self.left_alone
            .is_some_and(|(since, pause)| since.elapsed() < pause)
    }

    /// Records a failure, and starts a pause. Returns whether the failure is to be logged.
    pub(crate) fn failed(&mut self, reason: String) -> bool {
        let pause = self
            .left_alone
            .map_or(self.first, |(_, pause)| pause.saturating_mul(2));
        self.left_alone = Some((Instant::now(), pause.min(self.longest)));
        let is_news = self.said.as_ref() != Some(&reason);
        self.said = Some(reason);
        is_news
    }

    /// Records a success. Returns whether a failure was recorded since the previous success.
    pub(crate) fn succeeded(&mut self) -> bool {
        self.left_alone = None;
        self.said.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_a_reason_is_said_once() {
        let hour = Duration::from_hours(1);
        let mut backoff = Backoff::new(hour, 3 * hour);
        assert!(!backoff.is_waiting());
        assert!(backoff.failed("full".into()));
        assert!(backoff.is_waiting());
        let length = |backoff: &Backoff| backoff.left_alone.unwrap().1;
        assert_eq!(length(&backoff), hour);
        assert!(!backoff.failed("full".into()));
        assert_eq!(length(&backoff), 2 * hour);
        assert!(backoff.failed("damaged".into()));
        assert_eq!(length(&backoff), 3 * hour);
        assert!(backoff.succeeded());
        assert!(!backoff.is_waiting() && !backoff.succeeded());
        assert!(backoff.failed("damaged".into()));
        assert_eq!(length(&backoff), hour);
        let mut none = Backoff::new(Duration::ZERO, Duration::ZERO);
        assert!(none.failed("full".into()) && !none.is_waiting());
    }
}
