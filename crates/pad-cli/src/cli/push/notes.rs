//! Delivery of notes on versions, such as names and dates, to servers.

use std::path::Path;

use authdict::{
    SigningKeys, StoreError, Version, VersionNotes,
    internals::version_notes::{PAGE, sign_page},
};
use pad_client::internals::{NotesOutcome, pages_to_json};

use super::{Delivery, PushSource};
use crate::cli::{Failure, Output, Result, output::counted, secret::load_secret};

/// The author's keys, which sign notes for delivery.
#[derive(Default)]
pub(super) struct NotesKey<'k> {
    given: Option<&'k SigningKeys>,
    /// The key's file. It is read only if a server lacks notes, because this may prompt for a
    /// passphrase.
    file: Option<&'k Path>,
    read: Option<SigningKeys>,
}

impl<'k> NotesKey<'k> {
    /// Creates a key that is already loaded.
    pub(super) fn loaded(key: &'k SigningKeys) -> Self {
        Self {
            given: Some(key),
            ..Self::default()
        }
    }

    /// Creates a key that is read from a file; absent without a file.
    pub(super) fn in_file(file: Option<&'k Path>) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// Returns the key, if there is one. Reads the file at most once.
    fn get(&mut self) -> Result<Option<&SigningKeys>> {
        if let Some(file) = self.file.take() {
            self.read = Some((&load_secret(file)?).into());
        }
        Ok(self.given.or(self.read.as_ref()))
    }
}

impl PushSource<'_> {
    /// Sends the notes that a server lacks, from the newest versions on. Returns the number of
    /// notes that were new to the server.
    ///
    /// The server takes the notes after the versions. An interrupted push loses no note, because
    /// the next push compares the numbers of notes again.
    pub(super) fn bring_notes(&self, delivery: &Delivery, key: &mut NotesKey<'_>) -> Result<u64> {
        let Delivery {
            server,
            brought,
            lacking,
            ..
        } = delivery;
        let Some(lacking) = lacking else {
            return Ok(0);
        };
        // The server lacks the notes of the versions just brought, even if it has more notes than
        // this store in all. An earlier push may have brought the latest version without its note.
        let latest = self.repository.latest().number();
        let sure = (*brought).max(1).min(latest);
        let newest = [latest.saturating_sub(sure).saturating_add(1), latest].map(Version::new);
        let [from, to] = newest;
        let newest = VersionNotes::read(self.repository.store(), from, to)?;
        let newest = u64::try_from(newest.iter().count()).unwrap_or(u64::MAX);
        let known = if *brought > 0 { newest } else { 0 };
        if lacking.number == 0 && (newest == 0 || lacking.is_complete) {
            return Ok(0);
        }
        let address = server.address();
        let Some(key) = key.get()? else {
            let number = lacking.number.max(known);
            if number > 0 {
                let count = counted(number, "version");
                Output::warn(&format!(
                    "{address} lacks the names and dates of {count}; use --key to send them"
                ));
            }
            return Ok(0);
        };
        if key.public().authority != self.public.authority {
            return Err(StoreError::OtherKey.into());
        }
        let mut sent = NotesOutcome::default();
        let (mut last, mut size) = (latest, lacking.number.max(sure).min(PAGE));
        while (sent.taken < lacking.number || latest - last < sure) && last > 0 {
            let first = last.saturating_sub(size.saturating_sub(1)).max(1);
            let [from, to] = [first, last].map(Version::new);
            let notes = VersionNotes::read(self.repository.store(), from, to)?;
            let mut unsent = u64::try_from(notes.iter().count()).unwrap_or(u64::MAX);
            for page in pages_to_json(&notes) {
                let outcome = server.push_notes(&sign_page(key, page.as_bytes())?)?;
                let counted = outcome.taken.saturating_add(outcome.different);
                unsent = unsent.checked_sub(counted).ok_or_else(|| {
                    Failure::Refused(format!("{address} counts more notes than were sent"))
                })?;
                sent.taken = sent.taken.saturating_add(outcome.taken);
                sent.different = sent.different.saturating_add(outcome.different);
            }
            last = first.saturating_sub(1);
            // The missing notes are usually those of the newest versions.
            size = size.saturating_mul(2).min(PAGE);
        }
        if sent.different > 0 {
            let count = counted(sent.different, "version");
            Output::warn(&format!("{address} keeps other names or dates of {count}"));
        }
        Ok(sent.taken)
    }
}
