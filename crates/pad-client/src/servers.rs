//! The servers of one dictionary, and their order of preference.

use core::time::Duration;
use std::{
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Instant,
};

use authdict::{KeyRange, Question, Version};

use crate::{
    fetch_error::FetchError,
    remote::{Remote, Versions},
};

/// The list of servers of one dictionary, with the versions that each server claims to keep.
///
/// The claims are unverified, and decide only the order. If a server fails, the client tries all
/// other servers, including servers that claim not to keep the version.
#[derive(Debug)]
pub struct Servers {
    list: Vec<Remote>,
    /// Handles with a longer timeout, with the numbers of their servers; created when needed.
    /// Servers whose handle already has the longest timeout are left out.
    patient: OnceLock<Vec<(usize, Remote)>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The index in the list of the server that is preferred among servers that are equally likely
    /// to answer.
    first: usize,
    known: Vec<ServerState>,
}

/// The state of a server as far as the client knows it: claimed versions and recent failures.
#[derive(Clone, Debug, Default)]
struct ServerState {
    versions: Option<Versions>,
    /// Whether the last request for the server's versions failed.
    is_down: bool,
    /// The number of other consecutive failures. A server may report its versions, and still fail
    /// to answer any question.
    failures: u32,
    /// The end of the backoff after consecutive failures.
    rests_until: Option<Instant>,
}

/// The target of a request, which determines the order of the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestTarget<'q> {
    /// The latest version, or data that all servers share.
    Newest,
    /// The head of a version, or proofs from older versions to it. Servers keep the heads of all
    /// versions up to their latest version.
    HeadOf(Version),
    /// The contents of a version.
    ContentsOf(Version),
    /// The answer to a question about a version.
    Answer(Version, &'q Question),
    /// A page of a range in a version, from the start of the range.
    Page(Version, &'q KeyRange),
    /// The update that produced a version. It also requires the contents of the previous version.
    UpdateTo(Version),
}

impl RequestTarget<'_> {
    /// Returns the version that the request is about, if there is one.
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

/// The likelihood that a server can answer. Servers with an earlier variant are asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likely {
    /// The server claims to keep the requested data.
    Has,
    /// The server has made no claim, or may have received the version after its claim.
    May,
    /// The server failed recently.
    Fails,
    /// The server claims not to keep the requested data.
    HasNot,
}

impl Servers {
    /// Creates the list. The first server is preferred until more is known about the servers.
    pub fn new(list: Vec<Remote>) -> Self {
        let known = vec![ServerState::default(); list.len()];
        Self {
            list,
            patient: OnceLock::new(),
            state: Mutex::new(State { first: 0, known }),
        }
    }

    /// Returns all servers in the order of the list.
    pub fn all(&self) -> &[Remote] {
        &self.list
    }

    /// Returns handles with a longer timeout for the servers with the numbers `slow`, in this
    /// order. Leaves out servers whose handle already has the longest timeout.
    pub(crate) fn patient(&self, slow: &[usize]) -> impl Iterator<Item = (usize, &Remote)> {
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

    /// Returns all servers with their indices in the list, in the order in which to try them for
    /// `wanted`.
    pub fn order(&self, wanted: RequestTarget<'_>) -> Vec<(usize, &Remote)> {
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

    /// Returns each server, the versions that it claims to keep, if they are known, and whether it
    /// can be reached.
    ///
    /// Backoffs after failed requests do not count, since a client chooses its requests.
    pub fn known(&self) -> Vec<(&Remote, Option<Versions>, bool)> {
        let state = self.state();
        let both = self.list.iter().zip(&state.known);
        both.map(|(server, known)| (server, known.versions.clone(), !known.is_down))
            .collect()
    }

    /// Records that no connection to the server with index `number` could be made.
    pub fn unreachable(&self, number: usize) {
        self.change(number, |known| known.is_down = true);
        self.failed(number);
    }

    /// Stores the versions that the server with index `number` claims to keep.
    pub fn learn(&self, number: usize, versions: Versions) {
        self.change(number, |known| known.versions = Some(versions));
    }

    /// Fetches and stores the versions that the server `number` claims to keep. Returns `None` if
    /// there is no such server.
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

    /// Records that the server with index `number` has answered, and prefers it for further
    /// requests.
    pub fn answered(&self, number: usize) {
        self.answered_one(number);
        self.state().first = number;
    }

    /// Records that the server with index `number` has answered, without preferring it. For callers
    /// that distribute load among servers.
    pub fn answered_one(&self, number: usize) {
        self.change(number, |known| {
            (known.is_down, known.failures, known.rests_until) = (false, 0, None);
        });
    }

    /// Records that the server with index `number` has failed. During an exponential backoff, the
    /// server is tried after other servers.
    ///
    /// Failures during the backoff are not counted again.
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

    /// Records that the server with index `number` has answered, but is not to be preferred: it is
    /// tried after other servers for a while.
    pub fn answered_badly(&self, number: usize) {
        self.answered_one(number);
        self.failed(number);
    }

    /// Calls [`Servers::answered_badly`] for the server with this address.
    pub(crate) fn answered_badly_at(&self, address: &str) {
        if let Some(number) = self.list.iter().position(|one| one.address() == address) {
            self.answered_badly(number);
        }
    }

    /// Moves the preference to the next server of the list, so that equal servers share the load.
    pub fn turn(&self) {
        let mut state = self.state();
        state.first = state
            .first
            .wrapping_add(1)
            .checked_rem(self.list.len())
            .unwrap_or(0);
    }

    fn change(&self, number: usize, change: impl FnOnce(&mut ServerState)) {
        if let Some(known) = self.state().known.get_mut(number) {
            change(known);
        }
    }

    // No code panics while the lock is held, so the value in a poisoned lock is intact.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerState {
    /// Returns whether the last request for versions failed, or a backoff is active.
    fn fails(&self) -> bool {
        self.is_down || self.is_resting()
    }

    fn is_resting(&self) -> bool {
        self.rests_until.is_some_and(|until| Instant::now() < until)
    }

    fn likely(&self, wanted: RequestTarget<'_>) -> Likely {
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
                RequestTarget::Newest if kept.until.is_some() => Likely::HasNot,
                RequestTarget::Newest => Likely::Has,
                RequestTarget::HeadOf(version) => has(version, Version::EMPTY),
                RequestTarget::ContentsOf(_) | RequestTarget::UpdateTo(_)
                    if kept.keys.is_some() =>
                {
                    Likely::HasNot
                }
                RequestTarget::Answer(_, question)
                    if !kept.keys.as_ref().is_none_or(|keys| question.lies_in(keys)) =>
                {
                    Likely::HasNot
                }
                RequestTarget::Page(_, range)
                    if !kept.keys.as_ref().is_none_or(|keys| begins_in(range, keys)) =>
                {
                    Likely::HasNot
                }
                RequestTarget::ContentsOf(version)
                | RequestTarget::Answer(version, _)
                | RequestTarget::Page(version, _) => has(version, kept.oldest),
                RequestTarget::UpdateTo(version) => {
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

/// Returns whether `range` begins in `keys`.
fn begins_in(range: &KeyRange, keys: &KeyRange) -> bool {
    match &range.start {
        Some(start) => keys.contains(start.as_bytes()),
        None => keys.start.is_none(),
    }
}

#[cfg(test)]
mod tests;
