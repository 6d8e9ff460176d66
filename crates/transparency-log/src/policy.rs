//! Trust policies (`tlog-policy`): the keys of trusted logs, and the required quorum of witnesses.
//!
//! ```text
//! log <key>
//! witness X1 <key>
//! witness X2 <key>
//! witness X3 <key>
//! group X 2 X1 X2 X3
//! quorum X
//! ```
//!
//! Empty lines and lines that begin with `#` are ignored. A group requires `all`, `any`, or a
//! number of its members. Members are witnesses or groups that an earlier line defines. Each is a
//! member of at most one group. `quorum none` requires no witness. The key of a log or witness may
//! be followed by a URL.
//!
//! Keys of unknown types are skipped ([`Policy::skipped`]), if a known log remains and the quorum
//! can be met without them. A key cannot belong to both a log and a witness, because its holder
//! would vouch for itself.

use crate::{
    Checkpoint, CheckpointError, Timestamp,
    note::{Note, NoteError, Signed, VerifierKey},
};

mod parse;
mod quorum;

pub use parse::PolicyTextError;
use quorum::Rule;

/// A trust policy: trusted logs, and the quorum of witnesses that must cosign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    logs: Vec<TrustedLog>,
    witnesses: Vec<TrustedWitness>,
    rule: Rule,
    skipped: Vec<SkippedKey>,
}

/// A skipped policy line with a key of unknown type. The policy can be met without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedKey {
    /// The line number, from 1.
    pub line: usize,
    /// The number of the key type in `signed-note`.
    pub key_type: u8,
    /// The name of a log's key, which is the log's origin; `None` for a witness.
    pub log: Option<String>,
}

/// A log of a policy. The name of its key is the log's origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedLog {
    /// The key that signs the log's checkpoints.
    pub key: VerifierKey,
    /// The URL of the log, if the policy has one.
    pub url: Option<String>,
}

/// A witness of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedWitness {
    /// The name of the witness in the policy.
    pub name: String,
    /// The key that cosigns.
    pub key: VerifierKey,
    /// The submission URL of the witness, if the policy has one.
    pub url: Option<String>,
}

/// The accepted times of cosignatures, each by its witness's clock: `since` to `until`, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The earliest accepted time.
    pub since: Timestamp,
    /// The time by the caller's clock.
    pub now: Timestamp,
    /// The latest accepted time, with slack for clock skew.
    pub until: Timestamp,
}

impl Window {
    /// Accepted clock skew: seconds by which a witness's clock may be ahead.
    pub const SLACK: u64 = 300;

    /// Returns the window from `within` seconds before `now` to [`Window::SLACK`] seconds after
    /// `now`.
    pub fn around(now: Timestamp, within: u64) -> Self {
        let since = Timestamp::from_seconds(now.seconds().saturating_sub(within));
        let until = Timestamp::from_seconds(now.seconds().saturating_add(Self::SLACK));
        Self {
            since: since.unwrap_or(now),
            now,
            until: until.unwrap_or(now),
        }
    }

    /// Returns whether `time` is within the window.
    pub fn contains(&self, time: Timestamp) -> bool {
        self.since <= time && time <= self.until
    }
}

/// A checkpoint that a policy accepts. Only [`Policy`] creates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    checkpoint: Checkpoint,
    cosignatures: Vec<Cosignature>,
}

/// A witness's verified cosignature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// The name of the witness in the policy.
    pub witness: String,
    /// The time of the cosignature by the witness's clock. If a witness has several cosignatures,
    /// this is the latest time that is not after the window. If all of them are after the window,
    /// it is the earliest time.
    pub time: Timestamp,
}

/// Error returned when a policy does not accept a note.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A signature by a known key is invalid, no known key has signed, or two known keys share a
    /// name and an id.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The note is not a checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// No log of the policy has the given origin.
    #[error("the policy does not include the log {0:?}")]
    UnknownLog(String),
    /// The log with the given origin has not signed its checkpoint.
    #[error("the log {0:?} has not signed the checkpoint")]
    NotSignedByLog(String),
    /// A window was given, but the policy is met without any witness, so the checkpoint has no
    /// trusted time.
    #[error("the policy requires no witness, so the age of the checkpoint is unknown")]
    Undated,
    /// Too few witnesses have cosigned. If a window was given, only cosignatures within it count.
    #[error("{}", quorum_not_met(missing, old, ahead, *now))]
    QuorumNotMet {
        /// The names of witnesses that have not cosigned.
        missing: Vec<String>,
        /// Cosignatures older than the window.
        old: Vec<Cosignature>,
        /// Cosignatures newer than the window.
        ahead: Vec<Cosignature>,
        /// The time by the caller's clock, if a window was given.
        now: Option<Timestamp>,
    },
}

impl Policy {
    /// Returns the trusted logs.
    pub fn logs(&self) -> &[TrustedLog] {
        &self.logs
    }

    /// Returns the trusted witnesses.
    pub fn witnesses(&self) -> &[TrustedWitness] {
        &self.witnesses
    }

    /// Returns the skipped lines, whose keys have unknown types. A caller that requires a single
    /// log per dictionary must count skipped logs too.
    pub fn skipped(&self) -> &[SkippedKey] {
        &self.skipped
    }

    /// Verifies that a trusted log has signed the checkpoint in `note`, and that a quorum of
    /// witnesses has cosigned it.
    ///
    /// Signatures by unknown keys are ignored.
    ///
    /// # Errors
    /// [`PolicyError`] if the policy does not accept the note.
    pub fn verify(&self, note: &Note) -> Result<Accepted, PolicyError> {
        self.verify_within(note, None)
    }

    /// Like [`Policy::verify`], but counts only cosignatures within `window`, each by its witness's
    /// clock.
    ///
    /// The window protects a client from being kept at an old checkpoint. Without the window's
    /// upper bound, a cosignature from the future would count as recent forever.
    ///
    /// # Errors
    /// The errors of [`Policy::verify`]; [`PolicyError::Undated`] if there is a window and the
    /// policy requires no witness.
    pub fn verify_within(
        &self,
        note: &Note,
        window: Option<Window>,
    ) -> Result<Accepted, PolicyError> {
        let checkpoint = Checkpoint::parse(note.unverified_text())?;
        let origin = checkpoint.origin();
        let keys = self.logs.iter().map(|log| &log.key);
        let logs = keys.filter(|key| key.name().as_str() == origin);
        let logs: Vec<VerifierKey> = logs.cloned().collect();
        if logs.is_empty() {
            return Err(PolicyError::UnknownLog(origin.to_owned()));
        }
        let witnesses = self.witnesses.iter().map(|witness| witness.key.clone());
        let keys: Vec<VerifierKey> = logs.iter().cloned().chain(witnesses).collect();
        let signed = note.open(&keys)?.signed;
        if !logs
            .iter()
            .any(|log| signed.iter().any(|signed| is_by(signed, log)))
        {
            return Err(PolicyError::NotSignedByLog(origin.to_owned()));
        }
        let cosignatures = self.cosignatures(&signed, window);
        self.check_quorum(&cosignatures, window)?;
        Ok(Accepted {
            checkpoint,
            cosignatures,
        })
    }

    /// Collects one cosignature per witness, in the order of the policy.
    fn cosignatures(&self, signed: &[Signed], window: Option<Window>) -> Vec<Cosignature> {
        let is_ahead = |time: &Timestamp| window.is_some_and(|window| *time > window.until);
        let last = |witness: &TrustedWitness| {
            let by_it = signed.iter().filter(|signed| is_by(signed, &witness.key));
            let times = by_it.filter_map(|signed| signed.time);
            let (ahead, past): (Vec<_>, Vec<_>) = times.partition(is_ahead);
            let time = past.into_iter().max().or(ahead.into_iter().min())?;
            let witness = witness.name.clone();
            Some(Cosignature { witness, time })
        };
        self.witnesses.iter().filter_map(last).collect()
    }

    fn check_quorum(
        &self,
        cosignatures: &[Cosignature],
        window: Option<Window>,
    ) -> Result<(), PolicyError> {
        let cosigned = |name: &str| cosignatures.iter().find(|found| found.witness == name);
        let is_recent =
            |found: &Cosignature| window.is_none_or(|window| window.contains(found.time));
        let counts = |witness: &TrustedWitness| cosigned(&witness.name).is_some_and(is_recent);
        let counted: Vec<bool> = self.witnesses.iter().map(counts).collect();
        if window.is_some() && self.rule.is_met(&vec![false; counted.len()]) {
            return Err(PolicyError::Undated);
        }
        if self.rule.is_met(&counted) {
            return Ok(());
        }
        let names = self.witnesses.iter().map(|witness| &witness.name);
        let missing = names
            .filter(|name| cosigned(name).is_none())
            .cloned()
            .collect();
        let others = cosignatures.iter().filter(|found| !is_recent(found));
        let (ahead, old) = others.cloned().partition(|found: &Cosignature| {
            window.is_some_and(|window| found.time > window.until)
        });
        Err(PolicyError::QuorumNotMet {
            missing,
            old,
            ahead,
            now: window.map(|window| window.now),
        })
    }
}

impl Accepted {
    /// Returns the accepted checkpoint.
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns one cosignature for each witness of the policy that has cosigned, in the order of
    /// the policy. Includes cosignatures beyond the quorum and outside the window.
    pub fn cosignatures(&self) -> &[Cosignature] {
        &self.cosignatures
    }
}

/// Formats the error. If cosignatures lie outside the window, includes their times and the
/// caller's, because either clock may be wrong.
fn quorum_not_met(
    missing: &[String],
    old: &[Cosignature],
    ahead: &[Cosignature],
    now: Option<Timestamp>,
) -> String {
    let times = |found: &[Cosignature]| {
        let times = found
            .iter()
            .map(|found| format!("{:?} at {}", found.witness, found.time.utc()));
        times.collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("too few witnesses have cosigned: missing are {missing:?}");
    if !old.is_empty() {
        text = format!("{text}, too old are those of {}", times(old));
    }
    if !ahead.is_empty() {
        text = format!("{text}, from the future are those of {}", times(ahead));
    }
    match now {
        Some(now) if !old.is_empty() || !ahead.is_empty() => {
            format!("{text}, and this machine's clock is at {}", now.utc())
        }
        _ => text,
    }
}

fn is_by(signed: &Signed, key: &VerifierKey) -> bool {
    signed.id == key.id() && signed.name == *key.name()
}
