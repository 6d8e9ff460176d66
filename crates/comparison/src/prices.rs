//! Providers' prices: a dated price book in TOML, bundled with the crate or a user's own.
//!
//! Source: Crosby & Wallach 2010, section 5.3.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// Prices of computing, sending and storage, in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// One hour of one core.
    pub compute_per_core_hour: f64,
    /// One gigabyte sent.
    pub egress_per_gigabyte: f64,
    /// One gigabyte on a disk for a month.
    pub storage_per_gigabyte_month: f64,
    /// One gigabyte of main memory for a month; 0 where it comes with computing.
    pub memory_per_gigabyte_month: f64,
    /// Bytes in the provider's gigabyte.
    pub bytes_per_gigabyte: f64,
}

impl Prices {
    /// Creates prices of computing and of sending decimal gigabytes; storage and memory are free.
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

    /// Returns the equilibrium rate: bytes per second of computing at which computing and sending
    /// cost the same.
    ///
    /// For a scheme that sends more bytes for each second of its computing (its *bandwidth ratio*),
    /// sending costs more than computing. Source: Crosby & Wallach 2010, section 5.3, which has 190
    /// KB/s.
    pub fn equilibrium(&self) -> f64 {
        self.of_computing(1e6) / self.of_sending(1.0)
    }

    /// Returns prices with computing and memory `compute` times cheaper, and bandwidth `bandwidth`
    /// times cheaper.
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

/// An entry of a price book.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriceEntry {
    /// The entry's name in the book.
    pub name: String,
    /// Provider that charges these prices.
    pub provider: String,
    /// Day on which these prices were valid, `YYYY-MM-DD`.
    pub as_of: String,
    /// Source of the figures.
    pub source: String,
    /// The prices.
    #[serde(flatten)]
    pub prices: Prices,
}

/// Error returned for an unusable price book. Every text names the file, and the entry and key if
/// known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PriceError {
    /// Text that is not TOML.
    #[error("{file}, line {line}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// Problem, as the parser reports it.
        message: String,
    },
    /// Key outside of a table.
    #[error("{file}: '{key}' is not the table of an entry")]
    NotAnEntry {
        /// The file.
        file: String,
        /// The key.
        key: String,
    },
    /// An entry lacks a key.
    #[error("{file}: entry '{entry}' lacks '{key}'")]
    Missing {
        /// The file.
        file: String,
        /// The entry.
        entry: String,
        /// The key.
        key: &'static str,
    },
    /// A key has a value of the wrong type, or a value that is not a price.
    #[error("{file}: entry '{entry}': '{key}' is not {expected}")]
    Wrong {
        /// The file.
        file: String,
        /// The entry.
        entry: String,
        /// The key.
        key: &'static str,
        /// Expected value.
        expected: &'static str,
    },
    /// An entry has an unknown key.
    #[error("{file}: entry '{entry}': unknown key '{key}', it is one of {}", KEYS.join(", "))]
    UnknownKey {
        /// The file.
        file: String,
        /// The entry.
        entry: String,
        /// The key.
        key: String,
    },
    /// The file has no entry of this name.
    #[error("{file} has no entry '{name}', it has {}", known.join(", "))]
    UnknownEntry {
        /// The file.
        file: String,
        /// Requested name.
        name: String,
        /// Names of the entries in the file.
        known: Vec<String>,
    },
    /// The file has no entries.
    #[error("{file} has no entry")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file has several entries, and none was chosen.
    #[error("{file} has several entries, choose one of {}", known.join(", "))]
    Several {
        /// The file.
        file: String,
        /// Names of the entries in the file.
        known: Vec<String>,
    },
}

/// Dated prices of several providers, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceBook {
    file: String,
    entries: BTreeMap<String, PriceEntry>,
}

impl PriceBook {
    /// Name of the entry with the paper's prices.
    pub const PAPER: &'static str = "paper-2010";

    /// Returns the bundled book: prices of providers in 2026, and the paper's prices of 2010.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn shipped() -> Self {
        Self::parse("the shipped price book", SHIPPED).expect("prices: the shipped book is whole")
    }

    /// Returns the paper's prices.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn paper() -> Prices {
        let book = Self::shipped();
        let entry = book.entry(Self::PAPER);
        entry.expect("prices: the paper has an entry").prices
    }

    /// Parses a book; errors name `file`.
    ///
    /// # Errors
    /// [`PriceError`], naming file, entry and key.
    pub fn parse(file: &str, text: &str) -> Result<Self, PriceError> {
        let table: Table = text.parse().map_err(|error| syntax(file, text, &error))?;
        let mut entries = BTreeMap::new();
        for (name, value) in table {
            let Value::Table(fields) = value else {
                return Err(PriceError::NotAnEntry {
                    file: file.into(),
                    key: name,
                });
            };
            let fields = Fields {
                file,
                entry: &name,
                table: &fields,
            };
            let entry = fields.read()?;
            entries.insert(name, entry);
        }
        let file = file.to_owned();
        if entries.is_empty() {
            return Err(PriceError::Empty { file });
        }
        Ok(Self { file, entries })
    }

    /// Returns the entry `name`.
    ///
    /// # Errors
    /// [`PriceError::UnknownEntry`].
    pub fn entry(&self, name: &str) -> Result<&PriceEntry, PriceError> {
        self.entries
            .get(name)
            .ok_or_else(|| PriceError::UnknownEntry {
                file: self.file.clone(),
                name: name.into(),
                known: self.names(),
            })
    }

    /// Returns the only entry.
    ///
    /// # Errors
    /// [`PriceError::Several`].
    pub fn only(&self) -> Result<&PriceEntry, PriceError> {
        let mut entries = self.entries.values();
        match (entries.next(), entries.next()) {
            (Some(entry), None) => Ok(entry),
            _ => Err(PriceError::Several {
                file: self.file.clone(),
                known: self.names(),
            }),
        }
    }

    /// Returns the names of the entries, in order.
    pub fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }
}

/// Reader of the keys of one entry.
struct Fields<'a> {
    file: &'a str,
    entry: &'a str,
    table: &'a Table,
}

impl Fields<'_> {
    fn read(&self) -> Result<PriceEntry, PriceError> {
        if let Some(key) = self.table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(PriceError::UnknownKey {
                file: self.file.into(),
                entry: self.entry.into(),
                key: key.clone(),
            });
        }
        let prices = Prices {
            compute_per_core_hour: self.price("compute_per_core_hour")?,
            egress_per_gigabyte: self.price("egress_per_gigabyte")?,
            storage_per_gigabyte_month: self.price("storage_per_gigabyte_month")?,
            memory_per_gigabyte_month: self.or("memory_per_gigabyte_month", 0.0, Self::price)?,
            bytes_per_gigabyte: self.or("bytes_per_gigabyte", 1e9, |fields, key| {
                fields.number(key, 1.0, "a number of bytes, at least 1")
            })?,
        };
        Ok(PriceEntry {
            name: self.entry.into(),
            provider: self.text("provider")?,
            as_of: self.text("as_of")?,
            source: self.text("source")?,
            prices,
        })
    }

    fn get(&self, key: &'static str) -> Result<&Value, PriceError> {
        self.table.get(key).ok_or_else(|| PriceError::Missing {
            file: self.file.into(),
            entry: self.entry.into(),
            key,
        })
    }

    fn wrong(&self, key: &'static str, expected: &'static str) -> PriceError {
        PriceError::Wrong {
            file: self.file.into(),
            entry: self.entry.into(),
            key,
            expected,
        }
    }

    fn price(&self, key: &'static str) -> Result<f64, PriceError> {
        self.number(key, 0.0, "a number of dollars, at least 0")
    }

    fn number(
        &self,
        key: &'static str,
        least: f64,
        expected: &'static str,
    ) -> Result<f64, PriceError> {
        let number = match self.get(key)? {
            Value::Float(number) => *number,
            Value::Integer(number) => *number as f64,
            _ => f64::NAN,
        };
        if number.is_finite() && number >= least {
            Ok(number)
        } else {
            Err(self.wrong(key, expected))
        }
    }

    fn or(
        &self,
        key: &'static str,
        default: f64,
        read: fn(&Self, &'static str) -> Result<f64, PriceError>,
    ) -> Result<f64, PriceError> {
        if self.table.contains_key(key) {
            read(self, key)
        } else {
            Ok(default)
        }
    }

    fn text(&self, key: &'static str) -> Result<String, PriceError> {
        match self.get(key)? {
            Value::String(text) => Ok(text.clone()),
            // TOML parses a date without quotation marks as a date.
            Value::Datetime(date) => Ok(date.to_string()),
            _ => Err(self.wrong(key, "a text")),
        }
    }
}

fn syntax(file: &str, text: &str, error: &toml::de::Error) -> PriceError {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or(text);
    PriceError::Syntax {
        file: file.into(),
        line: before.matches('\n').count() + 1,
        message: error.message().replace('\n', " "),
    }
}

const SHIPPED: &str = include_str!("../data/prices.toml");

const KEYS: [&str; 8] = [
    "provider",
    "as_of",
    "source",
    "compute_per_core_hour",
    "egress_per_gigabyte",
    "storage_per_gigabyte_month",
    "memory_per_gigabyte_month",
    "bytes_per_gigabyte",
];

#[cfg(test)]
mod tests;
