//! Patience with what fails: longer pauses each time, and one line in the log.

use core::time::Duration;
use std::time::Instant;

/// What fails is left alone for longer each time, and what is wrong with it is said once.
#[derive(Debug)]
pub(crate) struct Pauses {
    first: Duration,
    longest: Duration,
    /// How long it is left alone after a failure, and since when.
    left_alone: Option<(Instant, Duration)>,
    /// What went wrong last, and was said.
    said: Option<String>,
}

impl Pauses {
    /// Pauses from this long on, each twice the one before, up to the longest.
    pub(crate) const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            left_alone: None,
            said: None,
        }
    }

    /// Whether it is to be left alone for now.
    pub(crate) fn is_pausing(&self) -> bool {
        self.left_alone
            .is_some_and(|(since, pause)| since.elapsed() < pause)
    }

    /// It has failed, for this reason: whether that is news.
    pub(crate) fn failed(&mut self, reason: String) -> bool {
        let pause = self
            .left_alone
            .map_or(self.first, |(_, pause)| pause.saturating_mul(2));
        self.left_alone = Some((Instant::now(), pause.min(self.longest)));
        let is_news = self.said.as_ref() != Some(&reason);
        self.said = Some(reason);
        is_news
    }

    /// It has not failed: whether it had before.
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
        let mut pauses = Pauses::new(hour, 3 * hour);
        assert!(!pauses.is_pausing());
        assert!(pauses.failed("full".into()));
        assert!(pauses.is_pausing());
        let length = |pauses: &Pauses| pauses.left_alone.unwrap().1;
        assert_eq!(length(&pauses), hour);
        assert!(!pauses.failed("full".into()));
        assert_eq!(length(&pauses), 2 * hour);
        assert!(pauses.failed("damaged".into()));
        assert_eq!(length(&pauses), 3 * hour);
        assert!(pauses.succeeded());
        assert!(!pauses.is_pausing() && !pauses.succeeded());
        assert!(pauses.failed("damaged".into()));
        assert_eq!(length(&pauses), hour);
        let mut none = Pauses::new(Duration::ZERO, Duration::ZERO);
        assert!(none.failed("full".into()) && !none.is_pausing());
    }
}
