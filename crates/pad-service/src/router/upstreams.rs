//! The servers behind a router, and the newest version that one of them has shown.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pad::{PublicKey, Version, question::verify_head};
use pad_client::{FetchError, Resource, Server, Servers, Versions};

use super::NotRouted;

/// The servers behind a router, and the newest version that one of them has shown.
#[derive(Debug)]
pub(super) struct Upstreams {
    pub(super) servers: Servers,
    public: PublicKey,
    /// It never goes back, whoever is asked: clients would take that for a lie. And it has a head that the author has
    /// signed: else one server that names a version which nobody has would keep clients from all others.
    newest: Mutex<Newest>,
}

/// The newest version, and its head as a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Newest {
    pub(super) version: Version,
    pub(super) head: Vec<u8>,
}

impl Upstreams {
    /// Servers of the dictionary of this key; of the one that they name, if none is given.
    pub(super) fn new(list: Vec<Server>, given: Option<PublicKey>) -> Result<Self, NotRouted> {
        if list.is_empty() {
            return Err(NotRouted::NoServer);
        }
        let is_given = given.is_some();
        let mut known = given.map(|key| ("the key that was given".to_owned(), key));
        let mut servers = Vec::with_capacity(list.len());
        let mut left_out = None;
        for server in list {
            let address = server.address();
            match (server.public(), &known) {
                (Err(error), _) => {
                    tracing::warn!(server = %address, %error, "cannot be reached yet");
                }
                (Ok(public), None) => known = Some((address, public)),
                (Ok(public), Some((first, key))) if public != *key => {
                    let first = first.clone();
                    let other = NotRouted::OtherKey {
                        first,
                        other: address.clone(),
                    };
                    if !is_given {
                        return Err(other);
                    }
                    // It lies, or has another dictionary: the others are of use without it.
                    tracing::error!(server = %address, "names another key than the one that was given, and is left out");
                    left_out = Some(other);
                    continue;
                }
                (Ok(_), Some(_)) => {}
            }
            servers.push(server);
        }
        if let (true, Some(other)) = (servers.is_empty(), left_out) {
            return Err(other);
        }
        let (_, public) = known.ok_or(NotRouted::NoKey)?;
        let upstreams = Self {
            servers: Servers::new(servers),
            public,
            newest: Mutex::default(),
        };
        for number in 0..upstreams.servers.all().len() {
            // Whoever does not answer now does later.
            drop(upstreams.refresh(number));
        }
        Ok(upstreams)
    }

    /// Asks a server what it keeps, and for the head of its latest version if that is news.
    pub(super) fn refresh(&self, number: usize) -> Result<(), FetchError> {
        let versions = self.servers.refresh(number)?;
        let server = self.servers.all().get(number);
        let (Some(versions), Some(server)) = (versions, server) else {
            return Ok(());
        };
        let latest = versions.latest;
        if latest <= self.newest().version {
            return Ok(());
        }
        let head = server.get(&Resource::HeadOf(latest), LONGEST_HEAD);
        let shown = head.and_then(|head| self.learn(latest, head));
        shown.inspect_err(|_| self.servers.failed(number))
    }

    /// Remembers the head of a version, if it is the newest and the author has signed it.
    pub(super) fn learn(&self, version: Version, head: Vec<u8>) -> Result<(), FetchError> {
        if verify_head(&self.public, version, &head).is_err() {
            return Err(FetchError::Unusable("head of its latest version"));
        }
        let mut newest = self.lock();
        if version > newest.version {
            *newest = Newest { version, head };
        }
        Ok(())
    }

    /// The newest version that a server has shown.
    pub(super) fn newest(&self) -> Newest {
        self.lock().clone()
    }

    /// What all servers keep together.
    pub(super) fn versions(&self) -> Versions {
        let known = self.servers.known();
        let said = || {
            known
                .iter()
                .filter_map(|(_, versions, _)| versions.as_ref())
        };
        let latest = self.newest().version;
        let oldest = said().map(|versions| versions.oldest).min();
        let follows = said().any(|versions| versions.until.is_none());
        let until = said().filter_map(|versions| versions.until).max();
        Versions {
            oldest: oldest.unwrap_or_default().min(latest),
            latest,
            until: until.filter(|_| !follows).map(|until| until.max(latest)),
            // Who is asked about others says so.
            keys: None,
        }
    }

    // Nothing panics while it changes, so a poisoned one is whole.
    fn lock(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest head that is read, in bytes; the longest there is has 191.
const LONGEST_HEAD: usize = 1 << 10;
