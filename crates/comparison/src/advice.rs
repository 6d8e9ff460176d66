//! Advice on which scheme to choose for a load.
//!
//! Ranks all schemes by monthly cost. Recommends the default, or the cheapest scheme if it saves
//! enough. Lists excluded schemes with their reasons, and the loads at which another scheme would
//! be cheaper.

use serde::{Deserialize, Serialize};

use crate::{
    cost::{Clients, Cost, DAYS_PER_MONTH, Load, Term, count},
    estimates::{Coefficients, Mark},
    measurement::Measurement,
    needs::Need,
    prices::Prices,
    records::Records,
    schemes::{Place, Scheme, SchemeFamily, schemes},
};

/// Name of the default scheme: that of `pad keygen`, in a store.
pub const DEFAULT: &str = "red-black-stored";

/// Dollars per month. The default is recommended if it exceeds the cheapest scheme's cost by less.
pub const SMALL_DOLLARS: f64 = 1.0;

/// Share of the cheapest scheme's cost. The default is recommended if it exceeds this cost by a
/// smaller share.
pub const SMALL_SHARE: f64 = 0.1;

/// Requirements of a user for a scheme: a load, needed properties and limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirements {
    /// The load on the dictionary.
    pub load: Load,
    /// Properties that a scheme must have.
    pub needs: Vec<Need>,
    /// Limits that a scheme must not exceed.
    pub limits: Limits,
}

/// Limits that a scheme must not exceed. `None` stands for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum bytes of memory of each server.
    pub memory_bytes: Option<f64>,
    /// Maximum bytes of a proof. Applies also to proofs of absence if these are needed.
    pub proof_bytes: Option<f64>,
    /// Maximum seconds to make a snapshot and to apply it on a server, in total.
    pub snapshot_seconds: Option<f64>,
    /// Maximum seconds to make and verify a proof, in total.
    pub lookup_seconds: Option<f64>,
}

/// Prices, and assumptions about the work that is charged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tariff {
    /// Prices of computing, sending and storage.
    pub prices: Prices,
    /// Whether clients' computing is charged.
    pub clients: Clients,
    /// Factor by which signatures cost less than measured; 1 for the measured cost.
    pub cryptography: f64,
}

/// Question to which an [`Advice`] is the answer. `pad advise --json` prints both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Requirements for the scheme.
    #[serde(flatten)]
    pub wanted: Requirements,
    /// Prices and charging assumptions.
    #[serde(rename = "charged")]
    pub tariff: Tariff,
}

/// Reason why a scheme is excluded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The scheme lacks this needed property.
    #[error("{} ({})", .0.lack(), .0)]
    Need(Need),
    /// The scheme serves only as a baseline for comparison.
    #[error("only there to be compared with")]
    Baseline,
    /// The scheme is only a type of the library, which keeps versions in memory.
    #[error("a type of the library, only in memory")]
    InMemory,
    /// The records contain no measurement of the scheme.
    #[error("not measured")]
    NotMeasured,
    /// The scheme was measured with only this number of keys. Its cost with the load's number of
    /// keys is unknown.
    #[error("measured with {0} keys only")]
    MeasuredElsewhere(u64),
    /// The scheme lacks a proof that the load needs, or that proof was not measured.
    #[error("has no measured proof of what is asked")]
    NoProofs,
    /// Cheaper cryptography was assumed, but the cost of the scheme's cryptography was not
    /// measured.
    #[error("the share of its cryptography was not measured")]
    UnknownCryptography,
    /// Making a snapshot, or applying it, takes longer than the interval between snapshots.
    #[error("a snapshot takes {seconds:.3} s, longer than the {interval:.3} s between two")]
    SlowerThanSnapshots {
        /// Time to make a snapshot or to apply it, the longer of both, in seconds.
        seconds: f64,
        /// Time from one snapshot to the next, in seconds.
        interval: f64,
    },
    /// A server needs this number of bytes of memory, which exceeds the limit.
    #[error("needs {:.1} MB of memory", .0 / 1e6)]
    #[serde(rename = "memory_bytes")]
    Memory(f64),
    /// The memory of servers is limited, but the memory of the scheme was not measured.
    #[error("its memory was not measured")]
    UnknownMemory,
    /// A proof has this number of bytes, which exceeds the limit.
    #[error("a proof has {0:.0} bytes")]
    ProofBytes(f64),
    /// Making and applying a snapshot takes this number of seconds in total, which exceeds the
    /// limit.
    #[error("a snapshot is there after {0:.3} s")]
    SnapshotSeconds(f64),
    /// Making and verifying a proof takes this number of seconds in total, which exceeds the limit.
    #[error("a lookup takes {:.3} ms", .0 * 1e3)]
    LookupSeconds(f64),
    /// The time of lookups is limited, but a time of the scheme was not measured.
    #[error("a time of its lookups was not measured")]
    UnknownLookup,
}

/// A scheme with its estimated figures and cost for a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Scheme that the figures and costs are for.
    pub scheme: &'static Scheme,
    /// Estimated times and bytes of each kind of operation under the load.
    pub figures: Measurement,
    /// Caveats about the figures and the cost; empty if there are none.
    pub marks: Vec<Mark>,
    /// Cost of the load in dollars per month.
    pub cost: Cost,
}

impl Candidate {
    /// Returns the microseconds of proving and verifying an answer, without the network. Parts that
    /// were not measured count as 0.
    pub fn lookup_us(&self) -> f64 {
        self.figures.prove_us.unwrap_or(0.0) + self.figures.verify_us.unwrap_or(0.0)
    }

    /// Returns the seconds of making a snapshot and applying it on a server, without the network.
    pub fn snapshot_seconds(&self) -> f64 {
        self.figures.turns_us().iter().sum::<f64>() / 1e6
    }

    /// Returns the bytes of a proof of a present key; 0 if they were not measured.
    pub fn proof_bytes(&self) -> f64 {
        self.figures.proof_bytes.unwrap_or(0.0)
    }

    /// Returns the bytes of memory of a server with all versions that it keeps under `load`; `None`
    /// if memory was not measured.
    pub fn memory_bytes(&self, load: &Load) -> Option<f64> {
        let versions = self.figures.memory_bytes_per_snapshot.unwrap_or(0.0);
        let keys = self.figures.memory_bytes_per_key?;
        Some(count(load.keys) * keys + load.kept_versions * versions)
    }

    /// Returns the reasons for excluding the scheme, given the requirements `wanted`; empty if the
    /// scheme may be chosen.
    fn reasons(&self, wanted: &Requirements) -> Vec<Reason> {
        let (load, limits) = (&wanted.load, &wanted.limits);
        let exceeds = |figure: f64, limit: Option<f64>| limit.is_some_and(|limit| figure > limit);
        let mut reasons = lacks(self.scheme, &wanted.needs);
        let [author_us, apply_us] = self.figures.turns_us();
        let seconds = author_us.max(apply_us) / 1e6;
        let interval = load.interval_seconds();
        if seconds > interval {
            reasons.push(Reason::SlowerThanSnapshots { seconds, interval });
        }
        match self.memory_bytes(load) {
            Some(bytes) if exceeds(bytes, limits.memory_bytes) => {
                reasons.push(Reason::Memory(bytes));
            }
            None if limits.memory_bytes.is_some() => reasons.push(Reason::UnknownMemory),
            _ => {}
        }
        let of_absence = self.figures.absent_proof_bytes;
        let of_absence = of_absence.filter(|_| wanted.needs.contains(&Need::Absence));
        let longest = self.proof_bytes().max(of_absence.unwrap_or(0.0));
        if exceeds(longest, limits.proof_bytes) {
            reasons.push(Reason::ProofBytes(longest));
        }
        if exceeds(self.snapshot_seconds(), limits.snapshot_seconds) {
            reasons.push(Reason::SnapshotSeconds(self.snapshot_seconds()));
        }
        let figures = &self.figures;
        let mut prove_us = figures.prove_us;
        if load.old_lookups > 0.0 {
            let both = prove_us.zip(figures.prove_old_us);
            prove_us = both.map(|(latest, old)| latest.max(old));
        }
        match prove_us.zip(figures.verify_us) {
            Some((prove, verify)) if exceeds((prove + verify) / 1e6, limits.lookup_seconds) => {
                reasons.push(Reason::LookupSeconds((prove + verify) / 1e6));
            }
            None if limits.lookup_seconds.is_some() => reasons.push(Reason::UnknownLookup),
            _ => {}
        }
        reasons
    }
}

/// A scheme that may not be chosen, with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusion {
    /// Scheme that may not be chosen.
    pub scheme: &'static Scheme,
    /// Reasons for the exclusion; at least one.
    pub reasons: Vec<Reason>,
    /// Estimated figures and cost; `None` if there is no estimate.
    pub candidate: Option<Candidate>,
}

/// Loads at which two schemes cost the same. Each changes only one number of the given load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Crossing {
    /// Lookups per day; `None` if one scheme costs less for any number, or if both always cost the
    /// same.
    pub lookups_per_day: Option<f64>,
    /// Number of keys, searched from a thousandth to a thousand times the load's. `None` if one
    /// scheme costs less in the whole range, or if both always cost the same.
    pub keys: Option<f64>,
    /// Whether both schemes cost the same for any number of lookups and for all searched numbers of
    /// keys.
    pub everywhere: bool,
}

/// Advice on which scheme to choose: all schemes, ranked or excluded.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Schemes that may be chosen, the cheapest first.
    pub ranked: Vec<Candidate>,
    /// Excluded schemes, in the order of [`schemes`].
    pub excluded: Vec<Exclusion>,
}

impl Advice {
    /// Ranks all schemes by the cost that is estimated from the measurements in `records`.
    pub fn new(wanted: &Requirements, tariff: &Tariff, records: &Records) -> Self {
        let mut advice = Self {
            ranked: Vec::new(),
            excluded: Vec::new(),
        };
        for scheme in schemes() {
            let (reasons, candidate) = match estimate(scheme, &wanted.load, tariff, records) {
                Ok(candidate) => (candidate.reasons(wanted), Some(candidate)),
                Err(reason) => {
                    let mut reasons = lacks(scheme, &wanted.needs);
                    reasons.push(reason);
                    (reasons, None)
                }
            };
            match candidate {
                Some(candidate) if reasons.is_empty() => advice.ranked.push(candidate),
                candidate => advice.excluded.push(Exclusion {
                    scheme,
                    reasons,
                    candidate,
                }),
            }
        }
        advice.prefer_stores();
        let total = |candidate: &Candidate| candidate.cost.total();
        advice
            .ranked
            .sort_by(|one, other| total(one).total_cmp(&total(other)));
        advice
    }

    /// Excludes a scheme in memory if the store that `pad keygen` makes for it was measured, too.
    fn prefer_stores(&mut self) {
        let ranked = core::mem::take(&mut self.ranked);
        let of_store = ranked.iter().map(|candidate| candidate.scheme);
        let of_store = of_store.filter(|scheme| scheme.place == Place::Store);
        let stores: Vec<_> = of_store.map(|scheme| scheme.keygen).collect();
        for candidate in ranked {
            let scheme = candidate.scheme;
            if scheme.place == Place::Memory && stores.contains(&scheme.keygen) {
                self.excluded.push(Exclusion {
                    scheme,
                    reasons: vec![Reason::InMemory],
                    candidate: Some(candidate),
                });
            } else {
                self.ranked.push(candidate);
            }
        }
    }

    /// Returns the cheapest scheme; `None` if no scheme may be chosen.
    pub fn cheapest(&self) -> Option<&Candidate> {
        self.ranked.first()
    }

    /// Returns the [`DEFAULT`] scheme; `None` if it is excluded.
    pub fn default_scheme(&self) -> Option<&Candidate> {
        self.ranked
            .iter()
            .find(|candidate| candidate.scheme.name == DEFAULT)
    }

    /// Returns the recommended scheme; `None` if no scheme may be chosen.
    ///
    /// This is the default if it is not excluded, and costs less than [`SMALL_DOLLARS`] or
    /// [`SMALL_SHARE`] more than the cheapest scheme. Otherwise it is the cheapest scheme.
    pub fn winner(&self) -> Option<&Candidate> {
        let cheapest = self.cheapest()?;
        let least = cheapest.cost.total();
        let most = (least + SMALL_DOLLARS).max(least * (1.0 + SMALL_SHARE));
        let default = self.default_scheme();
        default
            .filter(|default| default.cost.total() < most)
            .or(Some(cheapest))
    }

    /// Returns the cheapest scheme, and its saving in dollars per month compared with the winner.
    /// `None` if no scheme costs less.
    pub fn cheaper(&self) -> Option<(&Candidate, f64)> {
        let (cheapest, winner) = (self.cheapest()?, self.winner()?);
        let saved = difference(winner.cost.total(), cheapest.cost.total());
        (saved > 0.0).then_some((cheapest, saved))
    }

    /// Returns the cheapest scheme apart from the winner; `None` if there is none.
    pub fn runner_up(&self) -> Option<&Candidate> {
        let winner = self.winner()?.scheme.name;
        self.ranked.iter().find(|other| other.scheme.name != winner)
    }

    /// Returns the cheapest scheme that does not belong to the winner's family; `None` if there is
    /// none.
    pub fn other_family(&self) -> Option<&Candidate> {
        let family = self.winner()?.scheme.family;
        self.ranked
            .iter()
            .find(|other| other.scheme.family != family)
    }
}

/// Main differences between the costs of two candidates: one term each way, in dollars per month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Term on which the first candidate saves most, with the saving; `None` if it saves on no
    /// term.
    pub saves: Option<(Term, f64)>,
    /// Term on which the first candidate costs most in addition, with the additional cost; `None`
    /// if it costs more on no term.
    pub pays: Option<(Term, f64)>,
}

impl Balance {
    /// Compares the cost of the candidate `first` with that of `other`.
    pub fn of(first: &Candidate, other: &Candidate) -> Self {
        let pairs = first.cost.terms().iter().zip(other.cost.terms());
        let saved: Vec<_> = pairs
            .map(|((term, one), (_, other))| (*term, other - one))
            .collect();
        let largest = |sign: f64| {
            let signed = saved.iter().map(|(term, dollars)| (*term, sign * dollars));
            let positive = signed.filter(|(_, dollars)| *dollars > 0.0);
            positive.max_by(|one, other| one.1.total_cmp(&other.1))
        };
        Self {
            saves: largest(1.0),
            pays: largest(-1.0),
        }
    }
}

/// Computes loads at which two candidates cost the same: by the number of lookups, and by the
/// number of keys.
///
/// The cost is linear in the number of lookups, so that number is computed directly. The number of
/// keys is found by bisection.
pub fn crossing(
    pair: (&Candidate, &Candidate),
    load: &Load,
    tariff: &Tariff,
    records: &Records,
) -> Crossing {
    let lines = [pair.0, pair.1].map(|candidate| candidate.cost.line());
    let is_line = difference(lines[0].fixed, lines[1].fixed) == 0.0
        && difference(lines[0].each, lines[1].each) == 0.0;
    let lookups = lines[0].crossing(&lines[1]).filter(|_| !is_line);
    let of_keys = |factor: f64| {
        let keys = times(load.keys, factor);
        let load = Load {
            keys,
            changes: load.changes.min(keys),
            ..*load
        };
        let total = |scheme| Some(estimate(scheme, &load, tariff, records).ok()?.cost.total());
        Some(difference(total(pair.0.scheme)?, total(pair.1.scheme)?))
    };
    let factors =
        (0..=2 * STEPS).map(|step| 10_f64.powf(3.0 * (f64::from(step) / f64::from(STEPS) - 1.0)));
    let everywhere = is_line
        && factors
            .filter_map(of_keys)
            .all(|difference| difference == 0.0);
    let root = nearest_root(of_keys).filter(|_| !everywhere);
    Crossing {
        lookups_per_day: lookups.map(|monthly| monthly / DAYS_PER_MONTH),
        keys: root.map(|factor| count(times(load.keys, factor))),
        everywhere,
    }
}

/// Returns `one - other`; 0 if the costs differ only by rounding.
fn difference(one: f64, other: f64) -> f64 {
    let more = one - other;
    if more.abs() <= 1e-9 * one.max(other) {
        0.0
    } else {
        more
    }
}

/// Finds a factor at which the function `of` changes its sign: the factor nearest to 1, by ratio.
///
/// Searches from a thousandth to a thousand. Returns 1 if the function is 0 at 1; `None` if no sign
/// change was found.
fn nearest_root(of: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    let here = of(1.0)?;
    if here == 0.0 {
        return Some(1.0);
    }
    let changes = |factor: f64| of(factor).is_some_and(|there| there * here <= 0.0);
    for step in 1..=STEPS {
        for sign in [1.0, -1.0] {
            let exponent = |step: u32| sign * 3.0 * f64::from(step) / f64::from(STEPS);
            let (mut near, mut far) = (exponent(step - 1), exponent(step));
            if !changes(10_f64.powf(far)) {
                continue;
            }
            for _ in 0..20 {
                let middle = f64::midpoint(near, far);
                if changes(10_f64.powf(middle)) {
                    far = middle;
                } else {
                    near = middle;
                }
            }
            return Some(10_f64.powf(far));
        }
    }
    None
}

const STEPS: u32 = 30;

/// Multiplies a number of keys by `factor`. Rounds the product, and returns at least 1.
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "conversions of floating-point numbers saturate, and this one is positive"
)]
fn times(keys: u64, factor: f64) -> u64 {
    ((count(keys) * factor).round() as u64).max(1)
}

fn lacks(scheme: &Scheme, needs: &[Need]) -> Vec<Reason> {
    let lacking = needs.iter().filter(|need| !need.is_met(&scheme.properties));
    let mut reasons: Vec<_> = lacking.copied().map(Reason::Need).collect();
    match (scheme.family, scheme.keygen) {
        (SchemeFamily::Baseline, _) => reasons.push(Reason::Baseline),
        (_, None) => reasons.push(Reason::InMemory),
        (_, Some(_)) => {}
    }
    reasons
}

/// Estimates figures and cost of a scheme under a load, regardless of the user's needs.
///
/// # Errors
/// [`Reason`] why there is no estimate, for example that the scheme was not measured.
pub fn estimate(
    scheme: &'static Scheme,
    load: &Load,
    tariff: &Tariff,
    records: &Records,
) -> Result<Candidate, Reason> {
    let coefficients = Coefficients::of(scheme.name, records).ok_or(Reason::NotMeasured)?;
    if let Some(only) = coefficients.too_far(load.keys) {
        return Err(Reason::MeasuredElsewhere(only));
    }
    let estimate = coefficients.estimate(load.keys, load.changes, load.key_bytes, load.value_bytes);
    let (mut figures, mut marks) = (estimate.figures, estimate.marks);
    if scheme.place == Place::Memory && scheme.keygen.is_some() {
        marks.push(Mark::InMemory);
    }
    if tariff.cryptography.total_cmp(&1.0).is_ne() {
        let cheaper = figures.with_cheaper_cryptography(tariff.cryptography);
        figures = cheaper.ok_or(Reason::UnknownCryptography)?;
    }
    let cost =
        Cost::monthly(&figures, load, &tariff.prices, tariff.clients).ok_or(Reason::NoProofs)?;
    Ok(Candidate {
        scheme,
        figures,
        marks,
        cost,
    })
}

#[cfg(test)]
mod tests;
