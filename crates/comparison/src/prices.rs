//! Providers' prices: a dated price book in JSON, bundled with the crate or a user's own.
//!
//! Source: Crosby & Wallach 2010, section 5.3.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Prices of computing, sending and storage, in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// Price of an hour of computing on one core.
    pub compute_per_core_hour: f64,
    /// Price of a gigabyte sent to the network.
    pub egress_per_gigabyte: f64,
    /// Price of a gigabyte on a disk for a month.
    pub storage_per_gigabyte_month: f64,
    /// Price of a gigabyte of main memory for a month; 0 if the price of computing includes it.
    pub memory_per_gigabyte_month: f64,
    /// Number of bytes in a gigabyte as the provider counts it.
    pub bytes_per_gigabyte: f64,
}

impl Prices {
    /// Creates prices of computing and of sending. A gigabyte is 10^9 bytes, and storage and memory
    /// are free.
    pub const fn new(compute_per_core_hour: f64, egress_per_gigabyte: f64) -> Self {
        Self {
            compute_per_core_hour,
            egress_per_gigabyte,
            storage_per_gigabyte_month: 0.0,
            memory_per_gigabyte_month: 0.0,
            bytes_per_gigabyte: 1e9,
        }
    }

    /// Returns the dollars for `us` microseconds of one core.
    pub fn of_computing(&self, us: f64) -> f64 {
        us / 1e6 / 3600.0 * self.compute_per_core_hour
    }

    /// Returns the dollars for sending `bytes` bytes.
    pub fn of_sending(&self, bytes: f64) -> f64 {
        bytes / self.bytes_per_gigabyte * self.egress_per_gigabyte
    }

    /// Returns the dollars for `bytes` bytes on a disk for a month.
    pub fn of_storing(&self, bytes: f64) -> f64 {
        bytes / self.bytes_per_gigabyte * self.storage_per_gigabyte_month
    }

    /// Returns the dollars for `bytes` bytes of main memory for a month.
    pub fn of_memory(&self, bytes: f64) -> f64 {
        bytes / self.bytes_per_gigabyte * self.memory_per_gigabyte_month
    }

    /// Returns the equilibrium rate: bytes sent per second of computing at which computing and
    /// sending cost the same.
    ///
    /// If a scheme sends more bytes per second of its computing (its *bandwidth ratio*), sending
    /// costs more than computing. Source: Crosby & Wallach 2010, section 5.3, whose prices give 190
    /// KB/s.
    pub fn equilibrium(&self) -> f64 {
        self.of_computing(1e6) / self.of_sending(1.0)
    }

    /// Returns these prices with computing and memory `compute` times cheaper, and sending
    /// `bandwidth` times cheaper.
    ///
    /// Source: Crosby & Wallach 2010, section 10.
    #[must_use]
    pub fn cheaper(self, compute: f64, bandwidth: f64) -> Self {
        Self {
            compute_per_core_hour: self.compute_per_core_hour / compute,
            memory_per_gigabyte_month: self.memory_per_gigabyte_month / compute,
            egress_per_gigabyte: self.egress_per_gigabyte / bandwidth,
            ..self
        }
    }
}

/// Entry of a price book: one provider's prices on one day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriceEntry {
    /// Name of the entry in the book.
    pub name: String,
    /// Provider that charges these prices.
    pub provider: String,
    /// Day on which these prices were valid, `YYYY-MM-DD`.
    pub as_of: String,
    /// Publication that states these prices.
    pub source: String,
    /// Prices of computing, sending and storage.
    #[serde(flatten)]
    pub prices: Prices,
}

/// Error returned for an unusable price book. The message names the file, and the entry and the key
/// if they are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PriceError(String);

/// Dated prices of several providers, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceBook {
    file: String,
    entries: BTreeMap<String, PriceEntry>,
}

impl PriceBook {
    /// Name of the entry with the prices of Crosby & Wallach 2010.
    pub const PAPER: &'static str = "paper-2010";

    /// Returns the bundled book: prices of providers in 2026, and the prices of Crosby & Wallach
    /// 2010.
    ///
    /// # Panics
    /// Never: a test parses the bundled book.
    pub fn shipped() -> Self {
        Self::parse("the shipped price book", SHIPPED).expect("prices: the shipped book is whole")
    }

    /// Returns the prices of Crosby & Wallach 2010.
    ///
    /// # Panics
    /// Never: a test parses the bundled book.
    pub fn paper() -> Prices {
        let book = Self::shipped();
        let entry = book.entry(Self::PAPER);
        entry.expect("prices: the paper has an entry").prices
    }

    /// Parses a price book: a JSON array of objects with the fields of [`PriceEntry`] and
    /// [`Prices`]. Errors and later messages name `file` as its source.
    ///
    /// Memory that is free and a gigabyte of 10^9 bytes are the defaults of
    /// `memory_per_gigabyte_month` and `bytes_per_gigabyte`.
    ///
    /// # Errors
    /// [`PriceError`], naming the file, and the line or the entry.
    pub fn parse(file: &str, text: &str) -> Result<Self, PriceError> {
        let rows: Vec<Row> =
            serde_json::from_str(text).map_err(|error| PriceError(format!("{file}: {error}")))?;
        let mut entries = BTreeMap::new();
        for row in rows {
            let entry = row.check(file)?;
            if let Some(entry) = entries.insert(entry.name.clone(), entry) {
                let problem = format!("{file}: several entries '{}'", entry.name);
                return Err(PriceError(problem));
            }
        }
        if entries.is_empty() {
            return Err(PriceError(format!("{file} has no entry")));
        }
        let file = file.to_owned();
        Ok(Self { file, entries })
    }

    /// Returns the entry with this name.
    ///
    /// # Errors
    /// [`PriceError`] if the book has no such entry.
    pub fn entry(&self, name: &str) -> Result<&PriceEntry, PriceError> {
        self.entries.get(name).ok_or_else(|| {
            let (file, known) = (&self.file, self.names().join(", "));
            PriceError(format!("{file} has no entry '{name}', it has {known}"))
        })
    }

    /// Returns the only entry of the book.
    ///
    /// # Errors
    /// [`PriceError`] if the book has more than one entry.
    pub fn only(&self) -> Result<&PriceEntry, PriceError> {
        let mut entries = self.entries.values();
        if let (Some(entry), None) = (entries.next(), entries.next()) {
            return Ok(entry);
        }
        let (file, known) = (&self.file, self.names().join(", "));
        Err(PriceError(format!(
            "{file} has several entries, choose one of {known}"
        )))
    }

    /// Returns the names of all entries, in alphabetical order.
    pub fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }
}

/// Entry of a price book as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an entry")]
struct Row {
    name: String,
    provider: String,
    as_of: String,
    source: String,
    compute_per_core_hour: f64,
    egress_per_gigabyte: f64,
    storage_per_gigabyte_month: f64,
    #[serde(default)]
    memory_per_gigabyte_month: f64,
    #[serde(default = "decimal_gigabyte")]
    bytes_per_gigabyte: f64,
}

const fn decimal_gigabyte() -> f64 {
    1e9
}

impl Row {
    fn check(self, file: &str) -> Result<PriceEntry, PriceError> {
        for (key, number, least, expected) in [
            (
                "compute_per_core_hour",
                self.compute_per_core_hour,
                0.0,
                DOLLARS,
            ),
            (
                "egress_per_gigabyte",
                self.egress_per_gigabyte,
                0.0,
                DOLLARS,
            ),
            (
                "storage_per_gigabyte_month",
                self.storage_per_gigabyte_month,
                0.0,
                DOLLARS,
            ),
            (
                "memory_per_gigabyte_month",
                self.memory_per_gigabyte_month,
                0.0,
                DOLLARS,
            ),
            ("bytes_per_gigabyte", self.bytes_per_gigabyte, 1.0, BYTES),
        ] {
            if !number.is_finite() || number < least {
                let entry = &self.name;
                let problem = format!("{file}: entry '{entry}': '{key}' is not {expected}");
                return Err(PriceError(problem));
            }
        }
        Ok(PriceEntry {
            name: self.name,
            provider: self.provider,
            as_of: self.as_of,
            source: self.source,
            prices: Prices {
                compute_per_core_hour: self.compute_per_core_hour,
                egress_per_gigabyte: self.egress_per_gigabyte,
                storage_per_gigabyte_month: self.storage_per_gigabyte_month,
                memory_per_gigabyte_month: self.memory_per_gigabyte_month,
                bytes_per_gigabyte: self.bytes_per_gigabyte,
            },
        })
    }
}

const DOLLARS: &str = "a number of dollars, at least 0";
const BYTES: &str = "a number of bytes, at least 1";

const SHIPPED: &str = include_str!("../data/prices.json");

#[cfg(test)]
mod tests;
