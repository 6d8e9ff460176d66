//! Verification that witnesses have cosigned a dictionary's heads.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use authdict::{
    PublicKey, Question, StoredView, Version, WitnessedError,
    internals::witnessed::{NewestHead, heads_of, newest},
};
use pad_core::DecodeError;
use transparency_log::{
    Checkpoint, Note, Policy, Timestamp,
    note::LONGEST_NOTE,
    policy::{Cosignature, Window},
    proof::{LogProof, LogProofError},
    tile::{Fetch, FetchError as TileError, ReadError, ResourcePath, TileReader},
};

use crate::{
    fetch_error::FetchError, incident::Unusable, not_witnessed::NotWitnessed, resource::Resource,
    session::ServerSession,
};

/// The witness policy that a client requires, and the maximum age of cosignatures.
#[derive(Clone, Debug)]
pub struct Witnesses {
    policy: Policy,
    within: Duration,
    clock: fn() -> SystemTime,
}

/// The latest head of a dictionary that witnesses have cosigned, as an entry of the log of heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CosignedHead {
    /// The version of the latest cosigned head.
    pub newest: Version,
    /// The cosignatures that are recent enough for this client.
    pub cosignatures: Vec<Cosignature>,
    /// The number of witnesses in the policy.
    pub witnesses: usize,
}

impl Witnesses {
    /// Requires a quorum of `policy`, with cosignatures at most `within` old by the clocks of the
    /// witness and the client. A witness's clock may be at most 5 minutes ahead. Other cosignatures
    /// do not count.
    pub fn new(policy: Policy, within: Duration) -> Self {
        Self {
            policy,
            within,
            clock: SystemTime::now,
        }
    }

    /// Reads the time from `clock` instead of from the system's clock.
    #[must_use]
    #[doc(hidden)]
    pub fn with_clock(self, clock: fn() -> SystemTime) -> Self {
        Self { clock, ..self }
    }

    /// Returns the witness policy.
    pub(crate) const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the time window of accepted cosignatures; `None` if the clock is before 1970.
    pub(crate) fn window(&self) -> Option<Window> {
        let now = (self.clock)().duration_since(UNIX_EPOCH).ok()?;
        let now = Timestamp::from_seconds(now.as_secs())?;
        Some(Window::around(now, self.within.as_secs()))
    }

    /// Fetches the latest cosigned head from the log that a server publishes, and verifies it.
    /// Returns the log at its cosigned checkpoint, and the head.
    pub(crate) fn newest(
        &self,
        public: &PublicKey,
        session: &ServerSession<'_>,
        window: Window,
    ) -> Result<(Log, NewestHead), Unusable> {
        let note = match session.get(&Resource::File("checkpoint".into()), LONGEST_NOTE) {
            Err(error) if error.is_askers() => return Err(NotWitnessed::NoLog.into()),
            note => note?,
        };
        let refused = |error: LogProofError| NotWitnessed::from(WitnessedError::from(error));
        let note = Note::parse(&note).map_err(|error| refused(LogProofError::Note(error)))?;
        // The checkpoint is verified before any other resource is requested.
        let accepted = self.policy.verify_within(&note, Some(window));
        let accepted = accepted.map_err(|error| refused(error.into()))?;
        let checkpoint = accepted.checkpoint().clone();
        let Some(last) = checkpoint.size().checked_sub(1) else {
            return Err(NotWitnessed::Log("it has no entry".into()).into());
        };
        let (path, entry) = {
            let mut reader = TileReader::open(Tiles(session), &checkpoint).map_err(unreadable)?;
            let path = reader.prove_inclusion(last, checkpoint.size());
            (
                path.map_err(unreadable)?,
                reader.entry(last).map_err(unreadable)?,
            )
        };
        let proof = LogProof {
            index: last,
            path,
            note,
            extra: Some(entry),
        };
        let newest = newest(
            public,
            &self.policy,
            Some(window),
            proof.encode().as_bytes(),
        );
        let mut newest = newest.map_err(NotWitnessed::from)?;
        newest
            .cosignatures
            .retain(|found| window.contains(found.time));
        let log = Log {
            cosigned: CosignedHead {
                newest: newest.version,
                cosignatures: newest.cosignatures.clone(),
                witnesses: self.policy.witnesses().len(),
            },
            checkpoint,
            bundles: Mutex::default(),
        };
        Ok((log, newest))
    }
}

/// A log of heads at one cosigned checkpoint.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) cosigned: CosignedHead,
    checkpoint: Checkpoint,
    /// Cache of verified bundles by their index. A bundle contains up to 256 consecutive entries of
    /// the log.
    bundles: Mutex<BTreeMap<u64, Bundle>>,
}

type Bundle = Arc<Vec<Vec<u8>>>;

impl Log {
    /// Returns the encoded head of a version, if it is cached.
    pub(crate) fn known(&self, version: Version) -> Option<Vec<u8>> {
        let (bundle, place) = place_of(version)?;
        let bundles = self.bundles.lock().unwrap_or_else(PoisonError::into_inner);
        bundles.get(&bundle)?.get(place).cloned()
    }

    /// Fetches the head of a version from an untrusted server, and verifies it against the log's
    /// checkpoint.
    pub(crate) fn fetch(
        &self,
        version: Version,
        session: &ServerSession<'_>,
    ) -> Result<Vec<u8>, Unusable> {
        let none = || NotWitnessed::Log(format!("version {version} is not in it"));
        let (index, place) = place_of(version).ok_or_else(none)?;
        let mut reader = TileReader::open(Tiles(session), &self.checkpoint).map_err(unreadable)?;
        let bundle = reader.bundle(index).map_err(unreadable)?;
        let head = bundle.get(place).cloned().ok_or_else(none)?;
        let mut bundles = self.bundles.lock().unwrap_or_else(PoisonError::into_inner);
        if bundles.len() >= MOST_BUNDLES {
            bundles.pop_first();
        }
        bundles.insert(index, Arc::new(bundle));
        Ok(head)
    }
}

/// Checks that the heads in a verified answer equal `heads` from the log: one for each version in
/// the question, and `None` for version 0.
pub(crate) fn check_heads(
    public: &PublicKey,
    (asked, question): (Version, &Question),
    answer: &[u8],
    heads: &[Option<Vec<u8>>],
) -> Result<(), Unusable> {
    let shown = heads_of(public, question, answer);
    let shown =
        shown.map_err(|error: DecodeError| Unusable::from(authdict::Refusal::from(error)))?;
    let versions = question.versions(asked);
    for ((version, logged), shown) in versions.into_iter().zip(heads).zip(&shown) {
        if logged != shown {
            return Err(other_head(public, version, [logged, shown]));
        }
    }
    if heads.len() == shown.len() {
        return Ok(());
    }
    Err(NotWitnessed::OtherHead(asked).into())
}

/// Returns the index of the bundle that contains a version's head, and the head's index in this
/// bundle.
fn place_of(version: Version) -> Option<(u64, usize)> {
    let index = version.number().checked_sub(1)?;
    Some((index >> 8, usize::try_from(index % 256).ok()?))
}

/// Creates the fault for a head `shown` by a server that differs from the entry `logged` for its
/// version. If the author has signed both, they are evidence against the author.
pub(crate) fn other_head(
    public: &PublicKey,
    version: Version,
    [logged, shown]: [&Option<Vec<u8>>; 2],
) -> Unusable {
    let error = NotWitnessed::OtherHead(version);
    let (Some(logged), Some(shown)) = (logged, shown) else {
        return error.into();
    };
    let seen = StoredView::new(public.clone()).advance(logged, None, None);
    let Some(seen) = seen.ok().filter(|seen| seen.version() == version) else {
        return NotWitnessed::NotLogged(version).into();
    };
    let refused = seen.advance(shown, None, None).err();
    match refused.and_then(|refused| refused.evidence) {
        Some(evidence) => Unusable::fork(&error, evidence),
        None => error.into(),
    }
}

/// The resources of a log that a server publishes next to its dictionary.
struct Tiles<'v, 's>(&'v ServerSession<'s>);

impl Fetch for Tiles<'_, '_> {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, TileError> {
        let fetched = self
            .0
            .get(&Resource::File(path.to_string()), path.longest());
        fetched.map_err(|error| {
            if error.is_askers() {
                TileError::NotFound
            } else {
                TileError::Failed(Box::new(error))
            }
        })
    }
}

fn unreadable(error: ReadError) -> Unusable {
    let error = match error {
        ReadError::Fetch {
            source: TileError::Failed(error),
            ..
        } => match error.downcast::<FetchError>() {
            Ok(error) => return (*error).into(),
            Err(error) => error.to_string(),
        },
        error => error.to_string(),
    };
    NotWitnessed::Log(error).into()
}

/// Maximum number of bundles of 256 heads in the cache.
const MOST_BUNDLES: usize = 64;

#[cfg(test)]
mod tests;
