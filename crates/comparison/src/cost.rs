//! Monthly cost of a load, and cost of a lookup with its share of an update.
//!
//! Author and servers are charged for computing time, for bytes sent, and for storage.
//!
//! Source: Crosby & Wallach 2010, sections 5.3, 6.3, 7.3 and 10.

use serde::{Deserialize, Serialize};

use crate::{line::CostLine, measurement::Measurement, prices::Prices};

/// Average number of days in a month.
pub const DAYS_PER_MONTH: f64 = 365.25 / 12.0;

/// Load on a dictionary: its size, its changes and its lookups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Number of keys in the dictionary.
    pub keys: u64,
    /// Bytes of each key.
    pub key_bytes: u64,
    /// Bytes of each value.
    pub value_bytes: u64,
    /// Number of changes in each snapshot.
    pub changes: u64,
    /// Number of snapshots per day.
    pub snapshots_per_day: f64,
    /// Number of lookups per day, over all servers.
    pub lookups_per_day: f64,
    /// Share of lookups that ask for a random old version, 0 to 1; the others ask for the latest.
    pub old_lookups: f64,
    /// Number of servers that store the dictionary. Each of them receives every update.
    pub servers: u64,
    /// Number of versions that each server keeps, at least 1.
    pub kept_versions: f64,
}

impl Load {
    /// Returns the seconds from one snapshot to the next.
    pub fn interval_seconds(&self) -> f64 {
        86_400.0 / self.snapshots_per_day
    }

    /// Returns the bytes of an entry, which is a key with its value.
    pub fn entry_bytes(&self) -> f64 {
        count(self.key_bytes) + count(self.value_bytes)
    }
}

/// Whether clients' computing is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clients {
    /// Clients pay for their own computing, as in the paper.
    PayThemselves,
    /// Clients' computing is charged like all other computing.
    Charged,
}

/// Part of the monthly cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// Computing of the author, to make snapshots.
    #[error("the author's computing")]
    AuthorComputing,
    /// Sending updates to every server.
    #[error("sending updates to servers")]
    UpdatesSent,
    /// Computing of the servers, to apply updates.
    #[error("applying updates")]
    ServerComputing,
    /// Computing of the servers, to make proofs.
    #[error("computing proofs")]
    ProofComputing,
    /// Sending proofs to clients.
    #[error("sending proofs to clients")]
    ProofsSent,
    /// Computing of the clients, to verify.
    #[error("the clients' computing")]
    ClientComputing,
    /// Disk space of the servers: the measured files of a store. For a scheme in memory, the
    /// entries and the updates of the kept versions.
    #[error("disks")]
    Storage,
    /// Main memory of the servers, for the dictionary with the kept versions. A scheme whose memory
    /// was not measured is charged for the entries, with a digest each, but not for versions.
    #[error("memory")]
    Memory,
}

/// Cost of a load in dollars per month, by terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    terms: [(Term, f64); 8],
    line: CostLine,
}

impl Cost {
    /// Computes the cost of `load` from `figures`, which were measured or estimated for this load.
    ///
    /// Returns `None` if the figures lack proofs, or lack the verification time although clients
    /// are charged. Also returns `None` if lookups ask for old versions that the scheme cannot
    /// prove.
    pub fn monthly(
        figures: &Measurement,
        load: &Load,
        prices: &Prices,
        clients: Clients,
    ) -> Option<Self> {
        let [prove_us, client_us] = lookup_us(figures, load, clients)?;
        let proof_bytes = figures.proof_bytes?;
        let (servers, keys) = (count(load.servers), count(load.keys));
        let [snapshots, lookups] =
            [load.snapshots_per_day, load.lookups_per_day].map(|daily| daily * DAYS_PER_MONTH);
        let Measurement {
            author_us,
            apply_us,
            update_bytes,
            ..
        } = *figures;
        let on_disk = keys * figures.file_bytes_per_key.unwrap_or(load.entry_bytes())
            + load.kept_versions * figures.file_bytes_per_snapshot.unwrap_or(update_bytes);
        // If the memory was not measured, assume the least: the entries, with a digest each.
        let least = load.entry_bytes() + DIGEST_BYTES;
        let memory_per_key = figures.memory_bytes_per_key.unwrap_or(least);
        let in_memory = keys * memory_per_key
            + load.kept_versions * figures.memory_bytes_per_snapshot.unwrap_or(0.0);
        let computed = |times: f64, us: f64| times * prices.of_computing(us);
        let sent = |times: f64, bytes: f64| times * prices.of_sending(bytes);
        let updates = snapshots * servers;
        let terms = [
            (Term::AuthorComputing, computed(snapshots, author_us)),
            (Term::UpdatesSent, sent(updates, update_bytes)),
            (Term::ServerComputing, computed(updates, apply_us)),
            (Term::ProofComputing, computed(lookups, prove_us)),
            (Term::ProofsSent, sent(lookups, proof_bytes)),
            (Term::ClientComputing, computed(lookups, client_us)),
            (Term::Storage, servers * prices.of_storing(on_disk)),
            (Term::Memory, servers * prices.of_memory(in_memory)),
        ];
        let each = prices.of_computing(prove_us + client_us) + prices.of_sending(proof_bytes);
        let line = CostLine {
            fixed: terms
                .iter()
                .filter(|(term, _)| !term.is_of_lookups())
                .map(|(_, dollars)| dollars)
                .sum(),
            each,
        };
        Some(Self { terms, line })
    }

    /// Returns the total dollars per month.
    pub fn total(&self) -> f64 {
        self.terms.iter().map(|(_, dollars)| dollars).sum()
    }

    /// Returns each term with its dollars per month.
    pub const fn terms(&self) -> &[(Term, f64)] {
        &self.terms
    }

    /// Returns the dollars per month of the term `wanted`; 0 if the cost has no such term.
    pub fn of(&self, wanted: Term) -> f64 {
        let of_term = self.terms.iter().filter(|(term, _)| *term == wanted);
        of_term.map(|(_, dollars)| dollars).sum()
    }

    /// Returns the largest term and its share of the total, 0 to 1; `None` if every term is 0.
    pub fn dominant(&self) -> Option<(Term, f64)> {
        let terms = self.terms.iter();
        let (term, dollars) = terms.max_by(|one, other| one.1.total_cmp(&other.1))?;
        let share = dollars / self.total();
        (*dollars > 0.0).then_some((*term, share))
    }

    /// Returns the cost as a linear function of the number of lookups per month. It has the fixed
    /// dollars per month, and the dollars of each lookup.
    pub const fn line(&self) -> CostLine {
        self.line
    }
}

/// Bytes of a digest.
const DIGEST_BYTES: f64 = 32.0;

impl Term {
    const fn is_of_lookups(self) -> bool {
        matches!(
            self,
            Self::ProofComputing | Self::ProofsSent | Self::ClientComputing
        )
    }
}

/// Returns the microseconds of the server and of the client for an average lookup.
fn lookup_us(figures: &Measurement, load: &Load, clients: Clients) -> Option<[f64; 2]> {
    let share = |part: f64, figure: Option<f64>| {
        if part > 0.0 {
            figure.map(|figure| part * figure)
        } else {
            Some(0.0)
        }
    };
    let prove_us = share(1.0 - load.old_lookups, figures.prove_us)?
        + share(load.old_lookups, figures.prove_old_us)?;
    let client_us = match clients {
        Clients::PayThemselves => 0.0,
        Clients::Charged => figures.verify_us?,
    };
    Some([prove_us, client_us])
}

/// Bytes that a scheme sends per second of its computing. If a ratio exceeds
/// [`Prices::equilibrium`], sending costs more than computing.
///
/// Source: Crosby & Wallach 2010, section 5.4, tables 5, 9 and 10.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BandwidthRatios {
    /// Bytes of an update divided by the seconds that author and server take for it.
    pub update: f64,
    /// Bytes of a proof divided by the seconds that the server takes for it; `None` if the figures
    /// lack proofs.
    pub lookup: Option<f64>,
}

impl BandwidthRatios {
    /// Computes the ratios from the measured figures of a scheme.
    pub fn of(figures: &Measurement) -> Self {
        let per_second = |bytes: f64, us: f64| bytes / (us / 1e6);
        let lookup = figures.proof_bytes.zip(figures.prove_us);
        Self {
            update: per_second(figures.update_bytes, figures.author_us + figures.apply_us),
            lookup: lookup.map(|(bytes, us)| per_second(bytes, us)),
        }
    }
}

impl Measurement {
    /// Returns the measurement with signatures `times` times cheaper. `None` if the signatures'
    /// share of the author's time was not measured.
    ///
    /// Where their share of the server's or client's time was not measured, that time is unchanged,
    /// so it is an upper bound. Hash chains count as hashing.
    ///
    /// Source: Crosby & Wallach 2010, section 10.
    #[must_use]
    pub fn with_cheaper_cryptography(&self, times: f64) -> Option<Self> {
        let author = self.author_cryptography_us?;
        let cheaper = |all: f64, of_it: Option<f64>| {
            (all - of_it.unwrap_or(0.0) * (1.0 - 1.0 / times)).max(0.0)
        };
        let share = |of_it: Option<f64>| of_it.map(|us| us / times);
        Some(Self {
            author_us: cheaper(self.author_us, Some(author)),
            apply_us: cheaper(self.apply_us, self.apply_cryptography_us),
            verify_us: self
                .verify_us
                .map(|all| cheaper(all, self.verify_cryptography_us)),
            author_cryptography_us: share(Some(author)),
            apply_cryptography_us: share(self.apply_cryptography_us),
            verify_cryptography_us: share(self.verify_cryptography_us),
            ..self.clone()
        })
    }
}

/// Converts a count to a floating-point number.
pub(crate) const fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
