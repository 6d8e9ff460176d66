//! Several servers of one dictionary, and which of them to ask.

use core::time::Duration;
use std::{
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Instant,
};

use pad::{KeyRange, Version, question::Question};

use crate::{
    fetch_error::FetchError,
    server::{Server, Versions},
};

/// Several servers of one dictionary, and what each has said that it keeps.
///
/// All of it is the servers' word. It only decides who is asked first: whoever does not get an answer goes on to the
/// others, those that have said that they do not keep it among them.
#[derive(Debug)]
pub struct Servers {
    list: Vec<Server>,
    /// Those that are not waited for as long as may be, with their numbers, as servers that are; made when they are needed.
    patient: OnceLock<Vec<(usize, Server)>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The server that is asked first among those that may be asked.
    first: usize,
    known: Vec<Known>,
}

/// What is known of a server.
#[derive(Clone, Debug, Default)]
struct Known {
    versions: Option<Versions>,
    /// Whether the last request for its versions failed.
    is_down: bool,
    /// The number of other failures in a row: a server may report versions and answer nothing else.
    failures: u32,
    /// The end of the backoff after these failures.
    rests_until: Option<Instant>,
}

/// What is wanted of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'q> {
    /// What is newest, or is the same everywhere.
    Newest,
    /// The head of a version, or what leads to it from older ones: servers keep the heads of all versions, up to the
    /// latest that they have.
    HeadOf(Version),
    /// The contents of a version.
    ContentsOf(Version),
    /// The answer to a question about a version.
    Answer(Version, &'q Question),
    /// A page of a range of a version, from the beginning of that on.
    Page(Version, &'q KeyRange),
    /// The update that led to a version, for which the contents of the one before are needed as well.
    UpdateTo(Version),
}

impl Wanted<'_> {
    /// The version that it is about.
    pub const fn version(&self) -> Option<Version> {
        match self {
            Self::Newest => None,
            Self::HeadOf(version)
            | Self::ContentsOf(version)
            | Self::Answer(version, _)
            | Self::Page(version, _)
            | Self::UpdateTo(version) => Some(*version),
        }
    }
}

/// How likely a server is to have something; the first ones are asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likely {
    /// It has said so.
    Has,
    /// It has said nothing, or may have it by now.
    May,
    /// It failed when it was last asked.
    Fails,
    /// It has said that it does not.
    HasNot,
}

impl Servers {
    /// These servers; the first one is asked first as long as nothing is known of them.
    pub fn new(list: Vec<Server>) -> Self {
        let known = vec![Known::default(); list.len()];
        Self {
            list,
            patient: OnceLock::new(),
            state: Mutex::new(State { first: 0, known }),
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Server] {
        &self.list
    }

    /// The servers of these numbers that can be waited for longer, in the order of the numbers.
    pub(crate) fn patient(&self, slow: &[usize]) -> impl Iterator<Item = (usize, &Server)> {
        let all = self.patient.get_or_init(|| {
            let numbered = self.list.iter().enumerate();
            numbered
                .filter_map(|(number, server)| Some((number, server.patient()?)))
                .collect()
        });
        let find = move |wanted: &usize| all.iter().find(|(number, _)| number == wanted);
        slow.iter()
            .filter_map(find)
            .map(|(number, server)| (*number, server))
    }

    /// All of them with their numbers, in the order in which they are to be asked.
    pub fn order(&self, wanted: Wanted<'_>) -> Vec<(usize, &Server)> {
        let state = self.state();
        let numbered = self.list.iter().enumerate();
        let turned = numbered.cycle().skip(state.first).take(self.list.len());
        let mut order: Vec<_> = turned.collect();
        order.sort_by_key(|(number, _)| {
            let known = state.known.get(*number);
            known.map_or(Likely::May, |known| known.likely(wanted))
        });
        order
    }

    /// What each has said that it keeps, and whether it was of use when it was last asked.
    pub fn known(&self) -> Vec<(&Server, Option<Versions>, bool)> {
        let state = self.state();
        let both = self.list.iter().zip(&state.known);
        both.map(|(server, known)| (server, known.versions.clone(), !known.fails()))
            .collect()
    }

    /// Remembers what a server has said that it keeps.
    pub fn learn(&self, number: usize, versions: Versions) {
        self.change(number, |known| known.versions = Some(versions));
    }

    /// Asks a server what it keeps.
    ///
    /// # Errors
    /// [`FetchError`].
    pub fn refresh(&self, number: usize) -> Result<Option<Versions>, FetchError> {
        let Some(server) = self.list.get(number) else {
            return Ok(None);
        };
        let versions = server.versions();
        self.change(number, |known| {
            known.is_down = versions.is_err();
            if let Ok(versions) = &versions {
                known.versions = Some(versions.clone());
            }
        });
        versions.map(Some)
    }

    /// Remembers that a server was of use: it is the first to be asked from now on.
    pub fn answered(&self, number: usize) {
        self.answered_one(number);
        self.state().first = number;
    }

    /// Remembers that a server was of use, where all of them share the work.
    pub fn answered_one(&self, number: usize) {
        self.change(number, |known| {
            (known.is_down, known.failures, known.rests_until) = (false, 0, None);
        });
    }

    /// Remembers that a server was of no use: it is asked late for a while, which doubles each time.
    ///
    /// Requests that fail in the meantime count as the same failure.
    pub fn failed(&self, number: usize) {
        self.change(number, |known| {
            if known.is_resting() {
                return;
            }
            let rest = REST
                .saturating_mul(1 << known.failures.min(16))
                .min(LONGEST_REST);
            known.failures = known.failures.saturating_add(1);
            known.rests_until = Instant::now().checked_add(rest);
        });
    }

    /// Has the next server be the first to be asked, so that servers alike share the work.
    pub fn turn(&self) {
        let mut state = self.state();
        state.first = state
            .first
            .wrapping_add(1)
            .checked_rem(self.list.len())
            .unwrap_or(0);
    }

    fn change(&self, number: usize, change: impl FnOnce(&mut Known)) {
        if let Some(known) = self.state().known.get_mut(number) {
            change(known);
        }
    }

    // Nothing panics while it changes, so a poisoned one is whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Whether it failed or lied when it was last asked, or not long before.
    fn fails(&self) -> bool {
        self.is_down || self.is_resting()
    }

    fn is_resting(&self) -> bool {
        self.rests_until.is_some_and(|until| Instant::now() < until)
    }

    fn likely(&self, wanted: Wanted<'_>) -> Likely {
        let likely = self.versions.as_ref().map_or(Likely::May, |kept| {
            let has = |version, oldest| {
                if version < oldest || kept.until.is_some_and(|until| version > until) {
                    Likely::HasNot
                } else if version > kept.latest {
                    Likely::May
                } else {
                    Likely::Has
                }
            };
            match wanted {
                Wanted::Newest if kept.until.is_some() => Likely::HasNot,
                Wanted::Newest => Likely::Has,
                Wanted::HeadOf(version) => has(version, Version::EMPTY),
                Wanted::ContentsOf(_) | Wanted::UpdateTo(_) if kept.keys.is_some() => {
                    Likely::HasNot
                }
                Wanted::Answer(_, question)
                    if !kept.keys.as_ref().is_none_or(|keys| question.lies_in(keys)) =>
                {
                    Likely::HasNot
                }
                Wanted::Page(_, range)
                    if !kept.keys.as_ref().is_none_or(|keys| begins_in(range, keys)) =>
                {
                    Likely::HasNot
                }
                Wanted::ContentsOf(version)
                | Wanted::Answer(version, _)
                | Wanted::Page(version, _) => has(version, kept.oldest),
                Wanted::UpdateTo(version) => {
                    let before = version.previous().unwrap_or_default();
                    has(version, kept.oldest).max(has(before, kept.oldest))
                }
            }
        });
        if self.fails() {
            likely.max(Likely::Fails)
        } else {
            likely
        }
    }
}

/// The backoff after a server's first failure.
const REST: Duration = Duration::from_secs(5);
/// The longest backoff.
const LONGEST_REST: Duration = Duration::from_mins(5);

/// Whether a range begins in another one.
fn begins_in(range: &KeyRange, keys: &KeyRange) -> bool {
    match &range.start {
        Some(start) => keys.contains(start.as_bytes()),
        None => keys.start.is_none(),
    }
}

#[cfg(test)]
mod tests;
