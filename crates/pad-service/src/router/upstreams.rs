//! Upstream servers of a router, and the newest version with a verified head.

use std::sync::{Mutex, MutexGuard, PoisonError};

use authdict::{PublicKey, Version, internals::verify_head};
use pad_client::{
    FetchError, Remote, Versions,
    internals::{Resource, Servers},
};

use super::NotRouted;

/// Upstream servers of a router, and the newest version with a verified head.
#[derive(Debug)]
pub(super) struct Upstreams {
    pub(super) servers: Servers,
    public: PublicKey,
    /// Newest version. It never decreases, because clients would treat a decrease as a rollback.
    ///
    /// The author's signature on its head is verified. Otherwise, one server with an invented
    /// version would make all other servers look outdated.
    newest: Mutex<Newest>,
}

/// The newest version and its encoded head.
#[derive(Clone, Debug, Default)]
pub(super) struct Newest {
    pub(super) version: Version,
    pub(super) head: Vec<u8>,
}

impl Upstreams {
    /// Combines the servers whose key is `given`, and the servers that cannot be reached yet.
    /// Without a given key, fails if a reachable server does not have the key of the first
    /// reachable one.
    pub(super) fn new(list: Vec<Remote>, given: Option<PublicKey>) -> Result<Self, NotRouted> {
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
                    // This server lies, or serves another dictionary. The other servers are usable.
                    tracing::error!(server = %address, "names another key than the one that was \
                        given, and is left out");
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
        Ok(Self {
            servers: Servers::new(servers),
            public,
            newest: Mutex::default(),
        })
    }

    /// Refreshes the versions that the server with index `number` claims to keep. If its latest
    /// version is newer than the newest known version, also fetches the head.
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

    /// Records the head of `version` if `version` is newer than the newest known version. Fails if
    /// the author has not signed the head.
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

    /// Returns the newest version with a verified head.
    pub(super) fn newest(&self) -> Newest {
        self.lock().clone()
    }

    /// Returns the range of versions that the servers keep together.
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
            // The range of keys is not restricted. Servers refuse requests for other keys
            // themselves.
            keys: None,
            notes: said().filter_map(|versions| versions.notes).max(),
        }
    }

    // No change panics halfway, so a poisoned lock can be used.
    fn lock(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum bytes of a head. The longest existing head has 191 bytes.
const LONGEST_HEAD: usize = 1 << 10;
