//! Mirroring of a part of the keys, from heads and proofs.

use authdict::{
    ApplyError, Key, Keys, LookupError, NotFollowed, Question, Refusal, RepositoryError,
    StoredView, Version,
    internals::{
        dynamic::longest_answer,
        part::{NotTaken, PartProgress},
    },
};
use pad_client::{
    Fault, FetchError, HttpError,
    internals::{ServerSession, Unusable},
};

use super::{MirrorTarget, StopReason};
use crate::{dictionary::NotApplied, metrics::Metrics, part::Part};

impl MirrorTarget for Part {
    fn latest(&self) -> Version {
        self.latest()
    }

    fn until(&self) -> Option<Version> {
        self.keep().until()
    }

    fn needs_each_version(&self) -> bool {
        false
    }

    fn seen(&self) -> Result<StoredView, NotFollowed<LookupError>> {
        StoredView::new(self.public().clone()).follow(self.read().as_ref())
    }

    fn take(
        &self,
        visit: &ServerSession<'_>,
        wanted: Version,
        metrics: &Metrics,
        taken: &mut usize,
    ) -> Result<bool, StopReason> {
        let latest = self.latest();
        let behind = wanted.number().saturating_sub(latest.number());
        let next = Version::new(latest.number().saturating_add(1));
        // A version that is being loaded is completed first. Restarting with each new version might
        // never complete any version.
        let begun = self.read().loading();
        let aim = begun.filter(|begun| *begun < wanted).unwrap_or(wanted);
        let (aim, loaded) = if behind <= MOST_STEPS && begun.is_none_or(|begun| begun == next) {
            (next, self.step(visit, next))
        } else {
            (aim, self.jump(visit, aim))
        };
        let loaded = match loaded {
            Err(StopReason::Upstream(unusable))
                if aim < wanted && is_elsewhere(&unusable.fault) =>
            {
                // This server has dropped the version. Another server may provide its contents.
                if !self.is_stalled() {
                    return Ok(false);
                }
                self.jump(visit, wanted)?
            }
            // A later version may have room. The pauses between attempts grow, because each one
            // may fetch as many bytes as fit into the memory.
            Err(StopReason::Store(NotApplied::TooLarge { .. }))
                if aim < wanted && self.is_stalled() =>
            {
                self.jump(visit, wanted)?
            }
            loaded => loaded?,
        };
        // If the version was not loaded, another thread follows a server that is ahead.
        if loaded {
            metrics.count_update(true);
            *taken = taken.saturating_add(1);
        }
        Ok(loaded)
    }

    fn prune(&self) -> Result<Option<Version>, NotApplied> {
        let mut part = self.write();
        let first = self.keep().prune_to(part.oldest(), part.latest());
        if let Some(first) = first {
            part.prune(first).map_err(RepositoryError::from)?;
        }
        Ok(first)
    }
}

impl Part {
    /// Loads the version `next`. Its update serves as a hint about changed keys, if the server has
    /// the update and it is short. Returns whether the version was loaded.
    fn step(&self, visit: &ServerSession<'_>, next: Version) -> Result<bool, StopReason> {
        let update = match visit.update(next, LONGEST_UPDATE) {
            Ok(update) => update,
            Err(error) => {
                let unusable = Unusable::from(error);
                // Without the update, changes are found by proofs.
                if is_elsewhere(&unusable.fault) || is_too_long(&unusable.fault) {
                    return self.jump(visit, next);
                }
                return Err(unusable.into());
            }
        };
        let (version, changed) = match self.write().follow_update(&update) {
            // Another thread may have loaded the version in the meantime. This one has then loaded
            // nothing.
            Err(NotTaken::Head(ApplyError::VersionGap { .. })) => return Ok(false),
            followed => followed.map_err(refused)?,
        };
        if version != next {
            return Err(Unusable::lie("the update leads to another version").into());
        }
        visit.forget();
        self.load_version(visit, version, &changed)
    }

    /// Loads the version `wanted` without loading the versions before it. Returns whether it was
    /// loaded.
    fn jump(&self, visit: &ServerSession<'_>, wanted: Version) -> Result<bool, StopReason> {
        loop {
            let known = self.read().latest_head();
            if known >= wanted {
                break;
            }
            let first = Version::new(known.number().saturating_add(1));
            for head in visit.heads(first, wanted)? {
                let mut part = self.write();
                match part.follow_head(&head) {
                    Ok(_) => {}
                    // Another thread has already fetched these heads.
                    Err(NotTaken::Head(ApplyError::VersionGap { .. }))
                        if part.latest_head() > known => {}
                    Err(error) => return Err(refused(error)),
                }
            }
            visit.forget();
        }
        self.load_version(visit, wanted, &[])
    }

    /// Loads a version whose head is known, beginning with the keys in `changed`.
    ///
    /// Returns `false` if another thread has loaded `version` or a later version, or makes progress
    /// with a later version.
    fn load_version(
        &self,
        visit: &ServerSession<'_>,
        version: Version,
        changed: &[Key],
    ) -> Result<bool, StopReason> {
        let begins = {
            let mut part = self.write();
            let other = part.loading().filter(|other| *other != version);
            if part.latest() >= version
                || other.is_some_and(|other| other > version && !self.is_stalled())
            {
                return Ok(false);
            }
            let begins = part.loading().is_none() || other.is_some();
            if begins {
                part.load(version).map_err(refused)?;
                self.begin();
            } else {
                self.join();
            }
            begins
        };
        let loaded = self.fill(visit, version, changed);
        if begins && loaded.is_err() {
            // The lock is held, so that no other load begins meanwhile.
            let part = self.read();
            if part.loading() == Some(version) {
                self.give_up();
            }
        }
        loaded
    }

    /// Fetches the missing contents of the version that is being loaded: key by key up to a limit,
    /// and then in pages. Returns `false` if another version is now being loaded.
    fn fill(
        &self,
        visit: &ServerSession<'_>,
        version: Version,
        changed: &[Key],
    ) -> Result<bool, StopReason> {
        let mut probes = if self.latest() == Version::EMPTY {
            0
        } else {
            MOST_PROBES
        };
        for some in changed.chunks(MOST_KEYS) {
            let Some(keys) = Keys::new(some.to_vec()) else {
                continue;
            };
            match self.ask(visit, version, &Question::Keys(keys)) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // With long values, the response may be too large. Then pages are requested.
                Err(StopReason::Upstream(unusable)) if is_too_long(&unusable.fault) => break,
                Err(stopped) => return Err(stopped),
            }
        }
        let (mut before, mut in_vain) = (None, 0_u32);
        loop {
            // The last answer may have exceeded the memory limit.
            self.check_memory()?;
            let progress = {
                let mut part = self.write();
                if part.loading() != Some(version) {
                    return Ok(part.latest() == version);
                }
                let progress = part.progress().map_err(refused)?;
                if matches!(progress, PartProgress::Kept(_)) {
                    self.completed();
                }
                progress
            };
            let missing = match progress {
                PartProgress::Kept(_) => return Ok(true),
                PartProgress::Missing(missing) => missing,
            };
            in_vain = if before.as_ref() == Some(&missing) {
                in_vain.saturating_add(1)
            } else {
                0
            };
            if in_vain > MOST_IN_VAIN {
                return Err(Unusable::lie("its proofs do not show what is missing").into());
            }
            let first = missing.start.clone().unwrap_or_default();
            let question = match Keys::new(vec![first]) {
                Some(key) if probes > 0 && in_vain == 0 => {
                    probes = probes.saturating_sub(1);
                    Question::Keys(key)
                }
                _ => Question::Range(visit.page(version, &missing)?),
            };
            before = Some(missing);
            if !self.ask(visit, version, &question)? {
                return Ok(false);
            }
        }
    }

    /// Queries a server about the version being loaded, and stores the proved contents. Returns
    /// `false` if another version is now being loaded.
    fn ask(
        &self,
        visit: &ServerSession<'_>,
        version: Version,
        question: &Question,
    ) -> Result<bool, StopReason> {
        self.check_memory()?;
        let most = longest_answer(self.public(), question).min(LONGEST_ANSWER);
        let answer = visit.answer(version, question, most)?;
        match self.write().take(version, question, &answer) {
            Ok(()) => {}
            Err(NotTaken::Superseded(_)) => return Ok(false),
            Err(error) => return Err(refused(error)),
        }
        self.progressed();
        visit.forget();
        Ok(true)
    }

    /// Returns an error if the part, without abandoned contents, exceeds its memory limit.
    fn check_memory(&self) -> Result<(), StopReason> {
        let most = self.most_bytes();
        if self.memory_bytes() > most {
            self.write().drop_abandoned();
        }
        let needed = self.memory_bytes();
        if needed > most {
            return Err(StopReason::Store(NotApplied::TooLarge { needed, most }));
        }
        Ok(())
    }
}

/// Returns the fault of a server whose data was rejected.
fn refused(error: NotTaken) -> StopReason {
    match error {
        NotTaken::Decode(error) => Refusal::from(error).into(),
        error => Unusable::lie(error.to_string()).into(),
    }
}

/// Returns whether the server reports that it does not keep the data. Other servers may have the
/// data.
fn is_elsewhere(fault: &Fault) -> bool {
    matches!(fault, Fault::Silent(error) if error.is_elsewhere())
}

/// Returns whether the response is longer than the limit.
fn is_too_long(fault: &Fault) -> bool {
    match fault {
        Fault::Silent(FetchError::Http(HttpError::ResponseTooLarge { .. })) => true,
        Fault::Silent(error) => error.is("too_long"),
        _ => false,
    }
}

/// Maximum number of missing versions for which each version is loaded. If more versions are
/// missing, only the newest version is loaded.
const MOST_STEPS: u64 = 1000;
/// Maximum number of queries for single keys of a version, before pages are requested.
const MOST_PROBES: u32 = 64;
/// Maximum bytes of an update to fetch. A longer update may be mostly about keys outside the part.
const LONGEST_UPDATE: usize = 4 << 20;
/// Maximum number of keys in one query; equal to the limit of servers.
const MOST_KEYS: usize = 1000;
/// Maximum number of consecutive responses that prove none of the missing contents. Such responses
/// occur when another thread loads the same contents.
const MOST_IN_VAIN: u32 = 3;
/// Maximum bytes of a response. A page contains one value, or at most a mebibyte.
const LONGEST_ANSWER: usize = 64 << 20;
