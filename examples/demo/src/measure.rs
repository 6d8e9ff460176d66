//! Measures the costs of each dictionary on this machine, for the prices.

use core::time::Duration;
use std::{hint::black_box, time::Instant};

use pad_core::{Key, Version};

use crate::{
    dictionary::Publication,
    prices::Prices,
    report::{Outcome, Table, row},
};

/// A measured figure: the name of its column, number of digits, whether it has a plot, and meaning.
type Figure = (&'static str, usize, bool, &'static str);

#[rustfmt::skip]
pub(crate) const FIGURES: [Figure; 8] = [
    ("keys", 0, false, "Entries of the last version."),
    ("proof bytes", 0, true, "Proof of a present key, without the signed head. Mean over keys in \
         many versions. Shorter is better."),
    ("absence bytes", 0, false, "Proof of an absent key, without the signed head."),
    ("update kB", 1, true, "Update that the author sends for one snapshot, contents and \
         signatures included. Mean over all snapshots. Shorter is better."),
    ("memory MB", 1, true, "Memory with which a server answers about every version. For stored \
         trees only the cache, because their nodes belong on a disk. Shorter is better."),
    ("look-ups/s", 0, true, "Proofs of present keys in many versions, made by a server on \
         one core and encoded with the head. Longer is better."),
    ("verifications/s", 0, true, "Such answers, verified by a client on one core, the head's \
         signature included. Longer is better."),
    ("import s", 2, true, "Time of the author to sign all snapshots one by one, and of the \
         server to apply them. Shorter is better."),
];

/// Returns all figures in one table, with a row for each dictionary.
pub(crate) fn table(all: &[Publication<'_>]) -> Table {
    let mut table = vec![row(["scheme", "repository"])];
    table[0].extend(FIGURES.map(|(column, ..)| column.to_owned()));
    for published in all {
        let mut cells = row([&published.kind.scheme, &published.kind.repository]);
        let figures = FIGURES.iter().zip(published.figures);
        cells.extend(figures.map(|((_, digits, ..), value)| format!("{value:.digits$}")));
        table.push(cells);
    }
    table
}

/// Number of keys from which the rate of lookups is measured. All other figures of answers come
/// from the first `PROOFS` keys, because some proofs of old versions take milliseconds.
const SAMPLE: usize = 2_000;
const PROOFS: usize = 100;

/// Measures the figures of a dictionary, in the order of [`FIGURES`]. Each rate is measured for
/// `budget`.
pub(crate) fn measure(published: &Publication<'_>, budget: Duration) -> Outcome<[f64; 8]> {
    let (dictionary, prices) = (&published.dictionary, published.prices);
    let (sample, mut answers) = (sample(prices), Vec::new());
    let ask = |version: Version, key: &Key| {
        let answer = dictionary.answer(version, key)?;
        dictionary.check(version, key, &answer)?;
        Outcome::Ok(answer)
    };
    let (mut proof_bytes, mut absence_bytes) = (0, 0);
    let head_bytes = dictionary.head(prices.latest())?.len() + 1;
    // All answers are verified before any measurement. An answer consists of one byte, the head,
    // and the proof.
    for (version, key) in sample.iter().take(PROOFS) {
        let answer = ask(*version, key)?;
        let absent = Key::new([key.as_bytes(), &[0]].concat())?;
        absence_bytes += ask(*version, &absent)?.len() - head_bytes;
        proof_bytes += answer.len() - head_bytes;
        answers.push((*version, key, answer));
    }
    let lookups = rate(budget, &sample, |(version, key)| {
        black_box(dictionary.answer(*version, key)).is_ok()
    });
    let verifications = rate(budget, &answers, |(version, key, answer)| {
        black_box(dictionary.check(*version, key, answer)).is_ok()
    });
    Ok([
        to_f64(prices.last().len()),
        to_f64(proof_bytes) / to_f64(PROOFS),
        to_f64(absence_bytes) / to_f64(PROOFS),
        to_f64(published.update_bytes) / to_f64(prices.snapshots.len()) / 1e3,
        to_f64(dictionary.memory_bytes()) / 1e6,
        lookups.ok_or("a look-up failed")?,
        verifications.ok_or("an answer did not verify")?,
        published.time,
    ])
}

/// Returns keys of many versions, the same in every run.
fn sample(prices: &Prices) -> Vec<(Version, Key)> {
    let versions: Vec<_> = prices.versions().zip(&prices.contents).collect();
    let sample = (0..SAMPLE).filter_map(|number| {
        let (version, contents) = versions[number % versions.len()];
        let (key, _) = contents.iter().nth(number * 7_919 % contents.len())?;
        Some((version, key.clone()))
    });
    sample.collect()
}

/// Returns the number of calls of `work` per second, with the `items` in turn; `None` if a call
/// fails.
fn rate<T>(budget: Duration, items: &[T], work: impl Fn(&T) -> bool) -> Option<f64> {
    let start = Instant::now();
    for (item, done) in items.iter().cycle().zip(1_u32..) {
        let elapsed = work(item).then(|| start.elapsed())?;
        if elapsed >= budget {
            return Some(f64::from(done) / elapsed.as_secs_f64());
        }
    }
    None
}

fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}
