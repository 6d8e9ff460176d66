//! Bytes that a client receives at each visit to a growing log.
//!
//! A client with one key returns after some versions. It checks that nothing was removed, and
//! fetches all values of its key. Bytes of our log are those of encoded messages. Bytes of the
//! baselines are computed from encoded proofs and the numbers of entries and versions. A client
//! verifies the messages of the first visit for each result line. The paper measures another
//! workload.
//!
//! Source: Tomescu et al. 2019, section 6.2.1.

use pad_accumulators::wire;
use pad_core::{HistoryLog, Key, Sha256Ed25519, SignedHead, SnapshotHead, Version, codec};
use pad_log::{
    Continuation, DictionaryScheme, Entries, LONGEST_LOOKUP, LogClient, LookupProof, Schedule,
};

use super::{
    AadBench,
    baselines::{PlainLog, Snapshots},
    grown::{self, GrowingLog},
    log,
};
use crate::{line, prelude::*};

/// Measured numbers of entries per version.
const EACH_VERSION: [u64; 2] = [1, 100];

/// Maximum number of versions between two visits of a client, a power of two.
const MOST_VERSIONS: usize = 4_096;

/// Number of random visits whose bytes are averaged in one result line.
const VISITS: usize = 8;

impl<S: DictionaryScheme> AadBench<'_, S> {
    /// Measures the bytes of a client's visits to logs of `sizes` entries.
    pub(super) fn bandwidth(&mut self, sizes: &[u64]) -> Outcome<()> {
        let most = self.report.rounds(MOST_VERSIONS, 16) as u64;
        let longest = sizes.iter().max().copied().unwrap_or_default() + most;
        self.report
            .announce(format!("{}: a log of {longest} for visits", S::NAME));
        let log = log::<S>(self.parameters.clone(), Schedule::Eager)?;
        let entries = grown::distinct(longest);
        let snapshots = Snapshots::new(sizes.iter().min().copied().unwrap_or(2) / 2, longest)?;
        let plain = PlainLog::new(&entries);
        let mut grown = GrowingLog::new(&log, entries, self.workers)?;
        grown.grow(longest, 1 << 12)?;
        for each in EACH_VERSION {
            let entries = grown.author.entries();
            let mut history = HistoryLog::default();
            for version in 1..=entries.size() / each {
                history.append(&entries.digest(version * each));
            }
            let visits = Visits {
                entries,
                each,
                history,
                plain: &plain,
                snapshots: &snapshots,
            };
            for &size in sizes {
                let mut lines: Vec<Line> = Vec::new();
                for versions in (0..=most.ilog2()).map(|exponent| 1 << exponent) {
                    self.report
                        .announce(format!("visits to {size}, {versions} versions of {each}"));
                    lines.extend(visits.line(size, versions, self.report)?);
                }
                for line in lines.iter().cloned() {
                    self.measured(line)?;
                }
                for other in ["ct_like_bytes", "coniks_like_bytes"] {
                    self.measured(crossing(&lines, (size, each), other))?;
                }
            }
        }
        Ok(())
    }
}

/// The measured log, as if it had a version after every `each` entries, regardless of the versions
/// that its author published. Next to it the two baseline logs over the same entries.
struct Visits<'a, S: DictionaryScheme> {
    entries: &'a Entries<S>,
    each: u64,
    history: HistoryLog<Sha256Ed25519>,
    plain: &'a PlainLog,
    snapshots: &'a Snapshots,
}

impl<S: DictionaryScheme> Visits<'_, S> {
    /// Returns the mean bytes of visits that come `versions` versions after the client's earlier
    /// visit. At the earlier visit the log has between half and all of `size` entries. `None` if
    /// the grown log has too few versions.
    fn line(&self, size: u64, versions: u64, report: &Report) -> Outcome<Option<Line>> {
        let longest = self.entries.size() / self.each;
        let first = (size / 2).div_ceil(self.each);
        let end = (size / self.each).min(longest.saturating_sub(versions)) + 1;
        if end <= first {
            return Ok(None);
        }
        let mut random = Random::new(size + versions);
        // A lookup in a long log takes the server seconds.
        let visits = report.rounds(if size > 1 << 14 { 3 } else { VISITS }, 1);
        let mut mean = [0.0; 7];
        for visit in 0..visits {
            let from = first + random.below(end - first);
            let bytes = self.visit((from, from + versions), &mut random, visit == 0)?;
            for (mean, part) in mean.iter_mut().zip(bytes) {
                *mean += part / visits as f64;
            }
        }
        let [head, history, append_only, look_up, plain, inclusion, tree] = mean;
        let entries = (versions * self.each) as f64;
        Ok(Some(line! {
            experiment: "aad_bandwidth", n: size, entries_per_version: self.each, versions, visits,
            head_bytes: head, history_bytes: history, append_only_bytes: append_only,
            look_up_bytes: look_up, aad_bytes: head + history + append_only + look_up,
            ct_like_bytes: head + plain + entries * PlainLog::ENTRY_BYTES,
            ct_like_inclusion_bytes: head + plain + inclusion, tree_look_up_bytes: tree,
            coniks_like_bytes: history + versions as f64 * (head + tree),
        }))
    }

    /// Returns the bytes of one visit.
    ///
    /// Four figures are of our log: the signed head, the consistency proof, the append-only proof
    /// and the lookup proof. Two are of a [`PlainLog`]: the consistency proof and an inclusion
    /// proof. The last one is of a lookup proof in [`Snapshots`].
    fn visit(
        &self,
        (from, to): (u64, u64),
        random: &mut Random,
        is_checked: bool,
    ) -> Outcome<[f64; 7]> {
        let (old, new) = (from * self.each, to * self.each);
        let own = random.below(old);
        let key = &self.entries.entry(own).ok_or("no such entry")?.key;
        let head = codec::encode(&self.head(to)?);
        let consistency = (self.history).prove_consistency(Version::new(from), Version::new(to));
        let consistency = codec::encode(&consistency.ok_or("no such versions")?);
        let append_only = wire::encode(&self.entries.prove_append_only(old, new));
        let look_up = wire::encode(&self.entries.prove_values(new, key.as_bytes())?);
        if is_checked {
            let continuation = Continuation {
                consistency: &consistency,
                append_only: &append_only,
            };
            self.check(from, (&head, continuation), (key, &look_up))?;
            self.plain.check(old, new, own)?;
        }
        let any = old + self.each * (1 + random.below(to - from));
        let own_messages = [&head, &consistency, &append_only, &look_up];
        let [head, history, append_only, look_up] = own_messages.map(|it| it.len() as f64);
        let [plain, inclusion] = self.plain.proof_bytes(old, new, own)?;
        let tree = self.snapshots.look_up_bytes(any);
        Ok([head, history, append_only, look_up, plain, inclusion, tree])
    }

    fn head(&self, version: u64) -> Outcome<SignedHead<Sha256Ed25519>> {
        let head = SnapshotHead {
            version: Version::new(version),
            root: self.entries.digest(version * self.each),
            history: self.history.root(version - 1).ok_or("no such version")?,
            ..SnapshotHead::empty(S::ID, self.entries.log().dictionary())
        };
        Ok(head.sign(&signing_key())?)
    }

    /// Verifies the messages of a visit as a client that has seen version `from`. Fails unless the
    /// lookup finds exactly one value.
    fn check(
        &self,
        from: u64,
        (head, continuation): (&[u8], Continuation<'_>),
        (key, look_up): (&Key, &[u8]),
    ) -> Outcome<()> {
        let mut client = LogClient::new(self.entries.log().clone(), author_key());
        client.advance(&codec::encode(&self.head(from)?), None)?;
        client.advance(head, Some(continuation))?;
        let newest = client.newest()?;
        let values = client.check::<LookupProof<S>>(look_up, LONGEST_LOOKUP, &newest, key)?;
        ensure(values.get().values.len() == 1, "not one value")
    }
}

/// Finds the number of versions between visits from which on our log takes fewer bytes per visit
/// than a baseline. `other` is the key of the baseline's bytes, `size` the number of entries and
/// `each` the number of entries per version.
///
/// Interpolates linearly between two measured numbers of versions. The number is null if our log
/// takes fewer bytes at all measured numbers, or at none.
fn crossing(lines: &[Line], (size, each): (u64, u64), other: &str) -> Line {
    let saved = |line: &Line| line.figure(other) - line.figure("aad_bytes");
    let crossed = lines
        .windows(2)
        .find(|pair| saved(&pair[0]) < 0.0 && saved(&pair[1]) >= 0.0);
    let versions = crossed.map(|pair| {
        let [before, after] =
            [&pair[0], &pair[1]].map(|line| (line.figure("versions"), saved(line)));
        before.0 + (after.0 - before.0) * before.1 / (before.1 - after.1)
    });
    line! {
        experiment: "aad_bandwidth_crossing", n: size, entries_per_version: each,
        beside: other.trim_end_matches("_bytes"), versions,
        entries: versions.map(|versions| versions * each as f64),
        is_always_smaller: lines.iter().all(|line| saved(line) >= 0.0),
    }
}
