//! Whom to trust (`tlog-policy`): logs by their keys, and how many of which witnesses must have cosigned.
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
//! Lines may be empty or begin with `#`. A group is met by `all`, `any`, or a number of its members, which are witnesses or groups
//! from lines above it, each a member of one group at most. `quorum none` asks for no witness. Logs and witnesses
//! may have a URL behind their key.
//!
//! Keys of types that are not known here are passed over ([`Policy::skipped`]), as long as the policy names a log and its
//! quorum can be met without them. No key is a log's and a witness's: one signer would vouch for itself.

use crate::{
    Checkpoint, CheckpointError, Timestamp,
    note::{Note, NoteError, Signed, VerifierKey},
};

mod parse;
mod quorum;

pub use parse::PolicyTextError;
use quorum::Rule;

/// Which logs somebody trusts, and how many of which witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    logs: Vec<TrustedLog>,
    witnesses: Vec<TrustedWitness>,
    rule: Rule,
    skipped: Vec<SkippedKey>,
}

/// A line of a policy with a key of a type that is not known here. The policy can be met without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedKey {
    /// The line, from 1 on.
    pub line: usize,
    /// The type of the key, a number of `signed-note`.
    pub key_type: u8,
    /// The name of the key if it is a log's, which is the log's origin.
    pub log: Option<String>,
}

/// A log of a policy. The name of its key is its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedLog {
    /// The key that signs its checkpoints.
    pub key: VerifierKey,
    /// Where it is, if the policy says so.
    pub url: Option<String>,
}

/// A witness of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedWitness {
    /// What the policy calls it.
    pub name: String,
    /// The key that cosigns.
    pub key: VerifierKey,
    /// Where checkpoints are submitted to it, if the policy says so.
    pub url: Option<String>,
}

/// Which times of cosignatures are recent, each by its witness's clock: from `since` to `until`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The earliest time.
    pub since: Timestamp,
    /// The time by the caller's clock.
    pub now: Timestamp,
    /// The latest time: clocks differ a little.
    pub until: Timestamp,
}

impl Window {
    /// Seconds by which a witness's clock may be ahead.
    pub const SLACK: u64 = 300;

    /// Returns the times from `seconds` before `now` to [`Window::SLACK`] after it.
    pub fn around(now: Timestamp, within: u64) -> Self {
        let since = Timestamp::from_seconds(now.seconds().saturating_sub(within));
        let until = Timestamp::from_seconds(now.seconds().saturating_add(Self::SLACK));
        Self {
            since: since.unwrap_or(now),
            now,
            until: until.unwrap_or(now),
        }
    }

    /// Whether a time is recent.
    pub fn contains(&self, time: Timestamp) -> bool {
        self.since <= time && time <= self.until
    }
}

/// A checkpoint that a policy accepts. There is no other way to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    checkpoint: Checkpoint,
    cosignatures: Vec<Cosignature>,
}

/// The verified cosignature of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// What the policy calls the witness.
    pub witness: String,
    /// When it cosigned, by its own clock. Of several cosignatures the last that is not from the future.
    pub time: Timestamp,
}

/// A policy does not accept a note.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A known key's signature is wrong, or no known key has signed.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The note is no checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// No log of the policy has this origin.
    #[error("the policy does not know the log {0:?}")]
    UnknownLog(String),
    /// The log has not signed its checkpoint.
    #[error("the log {0:?} has not signed the checkpoint")]
    NotSignedByLog(String),
    /// The policy is met without any witness, so that nobody says how old the checkpoint is.
    #[error("the policy asks no witness, so that nobody says how old the checkpoint is")]
    Undated,
    /// Too few witnesses have cosigned, or too few recently enough.
    #[error("{}", quorum_not_met(missing, old, ahead, *now))]
    QuorumNotMet {
        /// The witnesses of the policy that have not cosigned.
        missing: Vec<String>,
        /// Those whose cosignatures are older than asked for.
        old: Vec<Cosignature>,
        /// Those whose cosignatures are from the future.
        ahead: Vec<Cosignature>,
        /// The time by the caller's clock, if a window was given.
        now: Option<Timestamp>,
    },
}

impl Policy {
    /// The logs.
    pub fn logs(&self) -> &[TrustedLog] {
        &self.logs
    }

    /// The witnesses.
    pub fn witnesses(&self) -> &[TrustedWitness] {
        &self.witnesses
    }

    /// Returns the lines with keys of unknown types, which are skipped. Logs among them count when a
    /// caller checks that a dictionary has one log only.
    pub fn skipped(&self) -> &[SkippedKey] {
        &self.skipped
    }

    /// `threshold` of these witnesses for these logs: what a policy with one group says. The witnesses have the names of
    /// their keys.
    ///
    /// # Errors
    /// What is wrong with such a policy, for example [`PolicyTextError::Threshold`] if there are fewer witnesses.
    pub fn threshold(
        logs: &[VerifierKey],
        threshold: usize,
        witnesses: &[VerifierKey],
    ) -> Result<Self, PolicyTextError> {
        parse::threshold(logs, threshold, witnesses)
    }

    /// Checks that a log of the policy has signed the checkpoint in a note, and that enough witnesses have cosigned it.
    /// Signatures by other keys are passed over.
    ///
    /// # Errors
    /// Why not.
    pub fn verify(&self, note: &Note) -> Result<Accepted, PolicyError> {
        self.verify_within(note, None)
    }

    /// The same, counting only witnesses that have cosigned in this window, each by its own clock. This is what keeps a
    /// client from being held at an old checkpoint: without an upper bound, a cosignature from the future would be
    /// recent for ever.
    ///
    /// # Errors
    /// As [`Policy::verify`]; [`PolicyError::Undated`] if there is a window, and the policy needs no witness.
    pub fn verify_within(
        &self,
        note: &Note,
        window: Option<Window>,
    ) -> Result<Accepted, PolicyError> {
        let checkpoint = Checkpoint::parse(note.unverified_text())?;
        let origin = checkpoint.origin();
        let logs: Vec<VerifierKey> = self.keys_of(origin).cloned().collect();
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

    fn keys_of<'a>(&'a self, origin: &'a str) -> impl Iterator<Item = &'a VerifierKey> {
        let keys = self.logs.iter().map(|log| &log.key);
        keys.filter(move |key| key.name().as_str() == origin)
    }

    /// In the order of the policy, one for each witness.
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
    /// What the log says.
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// The witnesses of the policy that have cosigned, in its order: also more than it asks for, also old ones.
    pub fn cosignatures(&self) -> &[Cosignature] {
        &self.cosignatures
    }
}

/// Names both clocks where times decide: either may be wrong.
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
            format!("{text}, and this machine's clock says {}", now.utc())
        }
        _ => text,
    }
}

fn is_by(signed: &Signed, key: &VerifierKey) -> bool {
    signed.id == key.id() && signed.name == *key.name()
}
