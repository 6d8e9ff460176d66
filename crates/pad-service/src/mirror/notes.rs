//! Mirroring of notes on versions. Notes without a signature are the word of the upstream server.

use authdict::Version;
use authdict::internals::version_notes::PAGE;
use pad_client::internals::ServerSession;

use super::Mirror;
use crate::dictionary::{Dictionary, NotApplied};

/// Next page of notes to request from an upstream server that has more notes than the mirror. Pages
/// are requested from the newest versions to the oldest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NotesCursor {
    /// The last version of the page; version 0 for the mirror's latest version.
    last: Version,
}

impl Dictionary {
    /// Requests pages of notes, if the upstream server claims to have more notes than the mirror.
    /// Ends with the first page that contains nothing new, or after [`MOST_PAGES`] pages. The next
    /// round continues. So a server that claims notes and sends none causes one request in each
    /// round.
    pub(super) fn fill_from(
        &self,
        visit: &ServerSession<'_>,
        cursor: &mut NotesCursor,
    ) -> Result<(), NotApplied> {
        let claimed = visit.versions().notes.unwrap_or_default();
        for _ in 0..MOST_PAGES {
            if self.note_count()?.is_none_or(|own| own >= claimed) {
                break;
            }
            let latest = self.latest();
            let last = match cursor.last {
                Version::EMPTY => latest,
                last => last.min(latest),
            };
            if last == Version::EMPTY {
                break;
            }
            let first = last.number().saturating_sub(PAGE - 1).max(1);
            cursor.last = Version::new(first.saturating_sub(1));
            if self.take_page(visit, (Version::new(first), last))?.1 == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Requests the notes of versions `first` to `last`, which the mirror has just applied.
    pub(super) fn follow_notes(
        &self,
        visit: &ServerSession<'_>,
        (first, last): (Version, Version),
    ) -> Result<(), NotApplied> {
        let mut next = first;
        while next <= last {
            let (end, _) = self.take_page(visit, (next, last))?;
            next = Version::new(end.number().saturating_add(1));
        }
        Ok(())
    }

    /// Requests and stores one page of notes. Returns the last version of the page, and the number
    /// of new notes. A server that sends no usable page has no notes here. It is still of use for
    /// updates, so this is no fault.
    fn take_page(
        &self,
        visit: &ServerSession<'_>,
        (first, last): (Version, Version),
    ) -> Result<(Version, u64), NotApplied> {
        let page = visit.notes(self.public(), (first, last));
        visit.forget();
        match page {
            Ok((end, notes)) => Ok((end, self.take_notes(&notes)?.taken)),
            Err(error) => {
                let upstream = visit.server().address();
                tracing::debug!(%upstream, fault = ?error.fault, "no notes on versions");
                Ok((last, 0))
            }
        }
    }
}

impl Mirror {
    /// Requests notes on a copy that contains the last version to copy. The author may deliver
    /// notes after that version. Ends after [`MOST_LATE_ROUNDS`] rounds, since versions may never
    /// have notes. Failures of upstream servers are ignored.
    pub(super) fn fill_late_notes(&mut self) -> Result<(), NotApplied> {
        if self.late_rounds >= MOST_LATE_ROUNDS || !self.copy.lacks_notes()? {
            return Ok(());
        }
        self.late_rounds = self.late_rounds.saturating_add(1);
        for upstream in &self.upstreams {
            if let Ok(visit) = ServerSession::latest(upstream) {
                let cursor = self.cursors.entry(upstream.address()).or_default();
                self.copy.fill_notes(&visit, cursor)?;
            }
        }
        Ok(())
    }
}

/// Maximum number of pages of missing notes that a server can send in one round. Each page causes
/// one request and one durable change.
const MOST_PAGES: u32 = 16;
/// Maximum number of rounds that request missing notes after the last version to copy.
const MOST_LATE_ROUNDS: u32 = 10_000;
