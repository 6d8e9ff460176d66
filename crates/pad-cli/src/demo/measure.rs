//! What each dictionary costs, on this machine, for the prices.

use core::time::Duration;
use std::{hint::black_box, time::Instant};

use pad::{
    Key, Version, dynamic::AnyRepository, dynamic::verify, question::Question,
    selection::SchemeName,
};
use serde_json::{Value as Json, json};

use super::{dictionary::Published, prices::Prices};
use crate::cli::Failure;

/// The figures of one dictionary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) scheme: SchemeName,
    versions: u64,
    pub(super) keys: usize,
    import_time: Duration,
    /// The mean over all updates, as they are sent.
    pub(super) update_bytes: f64,
    disk_bytes: u64,
    pub(super) memory_bytes: usize,
    pub(super) proof_bytes: f64,
    absent_bytes: f64,
    pub(super) lookups_per_second: f64,
    pub(super) verifications_per_second: f64,
}

/// The table's columns, and what they mean.
pub(super) const COLUMNS: [(&str, &str); 10] = [
    (
        "scheme",
        "what authenticates the contents: the author's choice",
    ),
    ("keys", "entries of the last version"),
    (
        "import s",
        "the author signs all snapshots, each durable before the next",
    ),
    (
        "update kB",
        "what the author sends for a snapshot, the mean",
    ),
    ("disk MB", "the store's files, without unused space"),
    (
        "memory kB/version",
        "what the server holds in memory, for each version",
    ),
    (
        "proof bytes",
        "of a present key, without the signed head, the mean",
    ),
    ("of absence", "the same of a key that is not there"),
    (
        "look-ups/s",
        "answers for present keys in random versions, one core",
    ),
    (
        "verifications/s",
        "such answers checked by a client, one core",
    ),
];

impl Measured {
    pub(super) fn cells(&self) -> [String; 10] {
        [
            self.scheme.to_string(),
            self.keys.to_string(),
            format!("{:.2}", self.import_time.as_secs_f64()),
            format!("{:.1}", self.update_bytes / 1e3),
            format!("{:.1}", megabytes(self.disk_bytes)),
            format!(
                "{:.0}",
                1e3 * self.memory_megabytes() / self.versions_counted()
            ),
            format!("{:.0}", self.proof_bytes),
            format!("{:.0}", self.absent_bytes),
            format!("{:.0}", self.lookups_per_second),
            format!("{:.0}", self.verifications_per_second),
        ]
    }

    pub(super) fn to_json(self) -> Json {
        json!({
            "scheme": self.scheme.name(),
            "versions": self.versions,
            "keys": self.keys,
            "import_seconds": self.import_time.as_secs_f64(),
            "update_bytes": self.update_bytes,
            "disk_bytes": self.disk_bytes,
            "memory_bytes": self.memory_bytes,
            "proof_bytes": self.proof_bytes,
            "absence_proof_bytes": self.absent_bytes,
            "lookups_per_second": self.lookups_per_second,
            "verifications_per_second": self.verifications_per_second,
        })
    }

    pub(super) fn import_seconds(&self) -> f64 {
        self.import_time.as_secs_f64()
    }

    /// Whether it holds so much less than others, which hold `most` keys, that their figures are not to be compared.
    pub(super) const fn has_few_keys(&self, most: usize) -> bool {
        self.keys < most / 2
    }

    fn versions_counted(&self) -> f64 {
        to_f64(usize::try_from(self.versions).unwrap_or(usize::MAX)).max(1.0)
    }

    pub(super) fn memory_megabytes(&self) -> f64 {
        megabytes(u64::try_from(self.memory_bytes).unwrap_or(u64::MAX))
    }
}

/// Measures a dictionary; each rate gets this much time, because some are slow on old versions.
pub(super) fn measure(dictionary: &Published<'_>, budget: Duration) -> Result<Measured, Failure> {
    let repository = dictionary.author.repository();
    let sample = sample(dictionary.prices);
    // Verified before anything is timed.
    let mut proofs = Vec::new();
    let mut answers = Vec::new();
    for (version, question) in sample.iter().take(PROOF_SAMPLE) {
        let answer = repository.answer(*version, question)?;
        verify(&dictionary.public, *version, question, &answer)?;
        if let Question::Key(key) = question {
            proofs.push(repository.proof_body(*version, key)?.len());
        }
        answers.push((*version, question, answer));
    }
    let absent_bytes = absent_bytes(dictionary, &sample)?;
    let lookups_per_second = rate(budget, sample.iter(), |(version, question)| {
        black_box(repository.answer(*version, question)).is_ok()
    })?;
    let verifications_per_second = rate(budget, answers.iter(), |(version, question, answer)| {
        black_box(verify(&dictionary.public, *version, question, answer)).is_ok()
    })?;
    Ok(Measured {
        scheme: dictionary.scheme,
        versions: repository.latest().number(),
        keys: repository.entries(),
        import_time: dictionary.import_time,
        update_bytes: update_bytes(repository)?,
        disk_bytes: repository.file_bytes()?,
        memory_bytes: repository.memory_bytes(),
        proof_bytes: mean(&proofs),
        absent_bytes,
        lookups_per_second,
        verifications_per_second,
    })
}

/// The mean length of an update as it is sent.
fn update_bytes(repository: &AnyRepository) -> Result<f64, Failure> {
    let mut updates = Vec::new();
    for version in (1..=repository.latest().number()).map(Version::new) {
        let update = repository.update_message(version)?;
        updates.push(update.map_or(0, |update| update.len()));
    }
    Ok(mean(&updates))
}

/// The mean length of the proof for a key that is right above one of the sample, and not there.
fn absent_bytes(
    dictionary: &Published<'_>,
    sample: &[(Version, Question)],
) -> Result<f64, Failure> {
    let mut proofs = Vec::new();
    for (version, question) in sample.iter().take(ABSENT_SAMPLE) {
        let Question::Key(key) = question else {
            continue;
        };
        let absent = Key::new([key.as_bytes(), &[0]].concat())?;
        dictionary.look_up(*version, &absent)?;
        let proof = dictionary
            .author
            .repository()
            .proof_body(*version, &absent)?;
        proofs.push(proof.len());
    }
    Ok(mean(&proofs))
}

fn mean(lengths: &[usize]) -> f64 {
    to_f64(lengths.iter().sum()) / to_f64(lengths.len().max(1))
}

/// Present keys in pseudorandom versions, the same for every dictionary.
fn sample(prices: &Prices) -> Vec<(Version, Question)> {
    let contents: Vec<Vec<&Key>> = prices
        .contents
        .iter()
        .map(|contents| contents.keys().collect())
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(limit.max(1)).unwrap_or(1)).unwrap_or(0)
    };
    let mut sample = Vec::new();
    while sample.len() < SAMPLE {
        let position = below(contents.len());
        let Some(keys) = contents.get(position) else {
            continue;
        };
        let Some(key) = keys.get(below(keys.len())) else {
            continue;
        };
        let version = u64::try_from(position + 1).map(Version::new);
        let Ok(version) = version else { continue };
        sample.push((version, Question::Key((*key).clone())));
    }
    sample
}

/// How often per second `work` can be done, over and over on the items.
fn rate<T>(
    budget: Duration,
    items: impl Iterator<Item = T> + Clone,
    work: impl Fn(T) -> bool,
) -> Result<f64, Failure> {
    let start = Instant::now();
    for (item, done) in items.cycle().zip(1_usize..) {
        if !work(item) {
            return Err(Failure::Refused("an answer did not verify".into()));
        }
        let elapsed = start.elapsed();
        if elapsed >= budget {
            return Ok(to_f64(done) / elapsed.as_secs_f64());
        }
    }
    Ok(0.0)
}

fn megabytes(bytes: u64) -> f64 {
    to_f64(usize::try_from(bytes).unwrap_or(usize::MAX)) / 1e6
}

/// Exact up to 2^53, far above anything counted here.
#[allow(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "counts are below 2^53"
)]
const fn to_f64(count: usize) -> f64 {
    count as f64
}

const SAMPLE: usize = 20_000;
/// Some proofs of old versions take milliseconds.
const PROOF_SAMPLE: usize = 300;
const ABSENT_SAMPLE: usize = 100;
