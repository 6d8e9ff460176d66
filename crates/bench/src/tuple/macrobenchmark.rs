//! A recorded trace from its first snapshot to its last: tables 10 and 11.

use std::{collections::BTreeMap, path::Path};

use pad::trace::TraceReader;
use pad_core::{Key, Operation, Value, Workers};
use pad_tuple::Speculation;

use super::{
    Setting,
    contender::Contender,
    growing::Sample,
    instrument::Cryptography,
    lookups::Lookups,
    pair::{Job, Pair},
    record::{MacrobenchmarkRecord, Stopped},
};
use crate::{Outcome, author::put_all, timing::rounded};

/// The designs of tables 10 and 11.
pub const DESIGNS: [&str; 5] = [
    "base-superseding",
    "base-lightweight",
    "spec-superseding",
    "spec-lightweight",
    super::pair::TREE,
];

/// The snapshots of a trace.
pub struct Trace {
    name: String,
    snapshots: Vec<Vec<Operation>>,
}

impl Trace {
    /// Reads a trace; of its snapshots only the last ones, if a number is given. The first of those
    /// then also contains what is there by that time.
    pub fn read(path: &Path, last: Option<usize>) -> Outcome<Self> {
        let explain = |error| format!("{}: {error}", path.display());
        let mut snapshots = Vec::new();
        for snapshot in TraceReader::open(path).map_err(explain)? {
            snapshots.push(snapshot.map_err(explain)?.operations);
        }
        if let Some(last) = last.filter(|last| (1..snapshots.len()).contains(last)) {
            let rest = snapshots.split_off(snapshots.len() - last);
            let earlier = std::mem::replace(&mut snapshots, rest);
            if let Some(first) = snapshots.first_mut() {
                let entries = contents(earlier.iter().flatten());
                let loads = entries
                    .into_iter()
                    .map(|(key, value)| Operation::Put(key, value));
                first.splice(0..0, loads);
            }
        }
        let name = path.file_name().map_or_else(String::new, |name| {
            let name = name.to_string_lossy();
            name.split('.').next().unwrap_or_default().to_owned()
        });
        Ok(Self { name, snapshots })
    }

    /// The file's name without extensions.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What a dictionary contains after these operations.
fn contents<'a>(operations: impl Iterator<Item = &'a Operation>) -> BTreeMap<Key, Value> {
    let mut entries = BTreeMap::new();
    for operation in operations {
        match operation {
            Operation::Put(key, value) => drop(entries.insert(key.clone(), value.clone())),
            Operation::Remove(key) => drop(entries.remove(key)),
        }
    }
    entries
}

/// When an author merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epochs {
    /// By the number of tuples: [`Speculation::Balanced`].
    Balanced,
    /// After so many snapshots, as the paper does here.
    Snapshots(usize),
}

impl Epochs {
    fn name(self) -> String {
        match self {
            Self::Balanced => "balanced".to_owned(),
            Self::Snapshots(number) => format!("{number} snapshots"),
        }
    }

    /// The rule for a snapshot, counted from 0.
    fn speculation(self, snapshot: usize) -> Speculation {
        use core::num::NonZeroUsize;
        match self {
            Self::Balanced => Speculation::Balanced,
            Self::Snapshots(number) if snapshot.is_multiple_of(number) => {
                Speculation::Size(NonZeroUsize::MIN)
            }
            Self::Snapshots(_) => Speculation::Size(NonZeroUsize::MAX),
        }
    }
}

/// The paper's epochs in the macro-benchmark.
pub const PAPER_EPOCH: usize = 6;

/// Measures one design.
pub struct Macrobenchmark<'a> {
    /// The design's name.
    pub design: &'a str,
    /// When it merges.
    pub epochs: Epochs,
    /// The trace.
    pub trace: &'a Trace,
    /// The rest.
    pub setting: &'a Setting,
}

impl Job for Macrobenchmark<'_> {
    type Output = Outcome<MacrobenchmarkRecord>;

    fn run<P: Pair>(self) -> Self::Output {
        let before = self.setting.limits();
        let run = Run::<P::Timed>::new(self.trace, self.epochs, self.setting)?;
        let limits = before.mean(self.setting.limits());
        let verify_us = P::signature_us(&self.setting.effort())
            .map_or(limits.verify_signature_us, |(_, verify_us)| verify_us);
        let processed = run.samples.len();
        let applied = &self.trace.snapshots[..processed];
        let entries: Vec<(Key, Value)> = contents(applied.iter().flatten()).into_iter().collect();
        let lookups = Lookups::<P::Timed> {
            repository: &run.repository,
            effort: self.setting.effort(),
            entries: &|index| entries[index as usize].clone(),
            number: entries.len() as u64,
            versions: 1,
        };
        let lookups = lookups.measure(&limits, (!P::ACCUMULATES).then_some(verify_us))?;
        let sum = |figure: fn(&Sample) -> f64| run.samples.iter().map(figure).sum::<f64>();
        let (author_us, server_us) = (
            sum(|sample| sample.author_us),
            sum(|sample| sample.apply_us),
        );
        let bytes = sum(|sample| sample.update_bytes);
        Ok(MacrobenchmarkRecord {
            trace: self.trace.name.clone(),
            design: self.design.to_owned(),
            epochs: match P::Plain::GENERATIONS {
                1 => "none".to_owned(),
                _ => self.epochs.name(),
            },
            snapshots: self.trace.snapshots.len() as u64,
            processed: processed as u64,
            stopped: run.stopped,
            operations: applied.iter().map(|batch| batch.len() as u64).sum(),
            keys: entries.len() as u64,
            author_seconds: rounded(author_us / 1e6),
            server_seconds: rounded(server_us / 1e6),
            update_bytes: rounded(bytes / processed as f64),
            signatures: whole(run.cryptography.signatures),
            chain_steps: whole(run.cryptography.chain_steps),
            signatures_saved_by_speculation: None,
            times_without_speculation: None,
            update_kilobytes_per_second: rounded(bytes * 1e3 / (author_us + server_us)),
            lookup_kilobytes_per_second: rounded(lookups.proof_bytes * 1e3 / lookups.prove_us),
            lookups,
            prices: self.setting.prices,
            machine: self.setting.machine.clone(),
        })
    }
}

/// A sum of counts.
#[allow(clippy::cast_sign_loss, reason = "counts are not negative")]
const fn whole(count: f64) -> u64 {
    count as u64
}

/// A repository after the trace, and what its snapshots took.
struct Run<C: Contender> {
    repository: C::Repository,
    samples: Vec<Sample>,
    cryptography: Cryptography,
    stopped: Stopped,
}

impl<C: Contender> Run<C> {
    fn new(trace: &Trace, epochs: Epochs, setting: &Setting) -> Outcome<Self> {
        let mut author = C::author(&Workers::sequential());
        let mut run = Self {
            repository: C::repository(),
            samples: Vec::new(),
            cryptography: Cryptography::default(),
            stopped: Stopped::Finished,
        };
        let stopwatch = setting.stopwatch();
        for (number, operations) in trace.snapshots.iter().enumerate() {
            author = C::with_speculation(author, epochs.speculation(number));
            let operations = operations.clone();
            let mut own = Cryptography::default();
            let (sample, _) = Sample::take::<C>(&mut run.repository, || {
                let (cryptography, update) = Cryptography::of(|| {
                    put_all(&mut author, operations);
                    C::snapshot(&mut author)
                });
                own = cryptography;
                update
            })?;
            run.cryptography += own;
            run.samples.push(sample);
            let is_last = number + 1 == trace.snapshots.len();
            if let Some(stopped) = stopwatch.stops().filter(|_| !is_last) {
                run.stopped = stopped;
                break;
            }
        }
        Ok(run)
    }
}

impl MacrobenchmarkRecord {
    /// Compares a design that speculates with the same design without, if both saw the whole trace.
    pub fn compare_with(&mut self, base: &Self) {
        if self.processed == base.processed {
            let saved = 1.0 - self.signatures as f64 / base.signatures as f64;
            self.signatures_saved_by_speculation = Some(rounded(saved));
            self.times_without_speculation =
                Some(rounded(base.author_seconds / self.author_seconds));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_last_snapshots_begin_with_what_is_there() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let rows = "snapshot,op,key,value\n1,put,a,1\n2,put,b,2\n2,delete,a,\n3,put,c,3\n";
        file.write_all(rows.as_bytes()).unwrap();
        let all = Trace::read(file.path(), None).unwrap();
        assert_eq!(all.snapshots.len(), 3);
        let last = Trace::read(file.path(), Some(1)).unwrap();
        let keys: Vec<&str> = last.snapshots[0]
            .iter()
            .map(|operation| str::from_utf8(operation.key().as_bytes()).unwrap())
            .collect();
        assert_eq!((last.snapshots.len(), keys), (1, vec!["b", "c"]));
    }

    #[test]
    fn epochs_of_six_snapshots_merge_every_sixth() {
        let rule = |snapshot| Epochs::Snapshots(6).speculation(snapshot);
        assert_eq!(rule(6), rule(0));
        assert!((1..6).all(|snapshot| rule(snapshot) != rule(6)));
    }
}
