//! What is assumed: a file that readers can change.

use serde::Deserialize;

use crate::prelude::*;

/// All of it; every key is needed, and no other is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumptions {
    pub load: Load,
    pub continents: Vec<Continent>,
    pub author: Author,
    pub witnesses: Witnesses,
    pub mirrors: Mirrors,
    pub caches: Caches,
    pub network: Network,
    pub machine: Server,
    pub prices: Entries,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    pub keys: f64,
    pub updates_per_second: f64,
    pub lookups_per_second: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Continent {
    pub name: String,
    pub share: f64,
    pub round_trip_ms: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Author {
    pub batch_seconds: f64,
    pub kept_days: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witnesses {
    pub round_trips_ms: Vec<f64>,
    pub quorum: usize,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirrors {
    pub pause_seconds: f64,
    pub least: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caches {
    pub places: u32,
    pub head_seconds: f64,
    pub mirror_round_trip_ms: f64,
    pub reader_round_trip_ms: f64,
    pub exponent: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    pub varying: f64,
    pub overhead: f64,
    pub tls: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub cores: u32,
    pub memory_gigabytes: f64,
    pub disk_reads_per_second: f64,
    pub disk_write_megabytes_per_second: f64,
    pub network_gigabits: f64,
    pub used: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entries {
    pub entries: Vec<String>,
}

impl Assumptions {
    /// Reads a file's text; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Outcome<Self> {
        let read: Self = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
        read.checked().map_err(|error| format!("{file}: {error}"))?;
        Ok(read)
    }

    /// What would make no plan, or none that ends.
    #[allow(clippy::too_many_lines, reason = "one bound after the other")]
    fn checked(&self) -> Result<(), String> {
        let round_trips = self
            .continents
            .iter()
            .map(|continent| continent.round_trip_ms);
        let round_trips = round_trips.chain(self.witnesses.round_trips_ms.iter().copied());
        let within = [
            ("load.keys", self.load.keys, 1e3, 1e12),
            (
                "load.updates_per_second",
                self.load.updates_per_second,
                1.0,
                1e9,
            ),
            (
                "load.lookups_per_second",
                self.load.lookups_per_second,
                1.0,
                1e10,
            ),
            (
                "author.batch_seconds",
                self.author.batch_seconds,
                0.1,
                3600.0,
            ),
            ("author.kept_days", self.author.kept_days, 0.0, 36_500.0),
            (
                "mirrors.pause_seconds",
                self.mirrors.pause_seconds,
                0.001,
                3600.0,
            ),
            ("mirrors.least", self.mirrors.least.into(), 1.0, 1e6),
            ("caches.head_seconds", self.caches.head_seconds, 0.0, 3600.0),
            (
                "caches.mirror_round_trip_ms",
                self.caches.mirror_round_trip_ms,
                0.0,
                1e5,
            ),
            (
                "caches.reader_round_trip_ms",
                self.caches.reader_round_trip_ms,
                0.0,
                1e5,
            ),
            ("caches.exponent", self.caches.exponent, 0.01, 10.0),
            ("network.varying", self.network.varying, 0.0, 10.0),
            ("network.overhead", self.network.overhead, 0.0, 10.0),
            ("network.tls", self.network.tls, 1.0, 100.0),
            ("machine.cores", self.machine.cores.into(), 1.0, 1e4),
            (
                "machine.memory_gigabytes",
                self.machine.memory_gigabytes,
                1.0,
                1e6,
            ),
            (
                "machine.disk_reads_per_second",
                self.machine.disk_reads_per_second,
                1.0,
                1e12,
            ),
            (
                "machine.disk_write_megabytes_per_second",
                self.machine.disk_write_megabytes_per_second,
                0.001,
                1e9,
            ),
            (
                "machine.network_gigabits",
                self.machine.network_gigabits,
                0.001,
                1e6,
            ),
            ("machine.used", self.machine.used, 0.01, 1.0),
        ];
        let shares = self
            .continents
            .iter()
            .map(|continent| ("share", continent.share, 1e-6, 1.0));
        let trips = round_trips.map(|trip| ("a round trip", trip, 0.0, 1e5));
        let mut all = within.into_iter().chain(shares).chain(trips);
        if let Some((name, value, least, most)) =
            all.find(|(_, value, least, most)| !(least..=most).contains(&value))
        {
            return Err(format!(
                "{name} is {value}, and not between {least} and {most}"
            ));
        }
        let sum: f64 = self
            .continents
            .iter()
            .map(|continent| continent.share)
            .sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(format!(
                "the shares of the continents add up to {sum}, and not to 1"
            ));
        }
        if self.witnesses.quorum > self.witnesses.round_trips_ms.len() {
            return Err("the quorum is larger than the number of witnesses".into());
        }
        if self.prices.entries.len() < 2 {
            return Err("prices.entries names fewer than two".into());
        }
        Ok(())
    }

    /// Look-ups a second on a continent.
    pub fn lookups_of(&self, continent: &Continent) -> f64 {
        self.load.lookups_per_second * continent.share
    }

    /// The changes of a version.
    pub fn changes(&self) -> f64 {
        self.load.updates_per_second * self.author.batch_seconds
    }
}
