//! Measures one dictionary with one number of keys.

use comparison::timing::{Timings, median, microseconds};

use crate::{
    Outcome,
    effort::Effort,
    heap,
    load::Load,
    peer::{About, Claim, Key, Peer, Published, Value},
    row::{Figure, Row},
};

/// Callback that receives each result row.
pub type Emit<'a> = &'a mut dyn FnMut(&Row) -> Outcome<()>;

/// Measures a dictionary of `keys` keys, and passes each result row to `emit`. Before a kind of
/// proof is timed, honest proofs are checked, and forged proofs must be rejected.
pub fn measure<P: Peer>(keys: u64, effort: Effort, emit: Emit<'_>) -> Outcome<()> {
    let about = P::about();
    let mut load = Load::new(keys);
    let mut peer = P::new(keys)?;
    let published = peer.publish(&load.first())?;
    let mut bench = Bench {
        about,
        keys,
        effort,
        load,
        peer,
        emit,
    };
    bench.snapshots("load", keys, &[published])?;
    for changes in CHANGES {
        bench.publish(changes)?;
    }
    bench.check()?;
    bench.look_ups()?;
    bench.growth()?;
    let Bench { peer, emit, .. } = bench;
    drop(peer);
    memory::<P>(keys, emit)
}

/// Measures the memory of a new instance after loading all keys.
///
/// Server and author are counted directly after loading, because an author's memory grows with the
/// versions. Memory that a library allocates once per process is not counted, because earlier
/// measurements have allocated it.
fn memory<P: Peer>(keys: u64, emit: Emit<'_>) -> Outcome<()> {
    let first = Load::new(keys).first();
    let before = heap::allocated();
    let mut peer = P::new(keys)?;
    peer.publish(&first)?;
    let all = heap::allocated().saturating_sub(before);
    let stored_bytes = peer.stored_bytes()?;
    peer.forget_author();
    let server = heap::allocated().saturating_sub(before).min(all);
    let figure = Figure {
        operation: "memory",
        keys,
        bytes: Some(server as f64),
        author_bytes: (server < all).then_some((all - server) as f64),
        stored_bytes,
        samples: 1,
        includes: "the heap after loading, keys and parameters included",
        ..Figure::default()
    };
    emit(&Row::new(&P::about(), figure))
}

/// Numbers of changes per snapshot that are measured.
const CHANGES: [usize; 2] = [1, 100];

struct Bench<'a, P: Peer> {
    about: About,
    keys: u64,
    effort: Effort,
    load: Load,
    peer: P,
    emit: Emit<'a>,
}

impl<P: Peer> Bench<'_, P> {
    fn emit(&mut self, figure: Figure) -> Outcome<()> {
        let keys = self.keys;
        (self.emit)(&Row::new(&self.about, Figure { keys, ..figure }))
    }

    /// Publishes snapshots of `changes` changes each, and reports their figures.
    fn publish(&mut self, changes: usize) -> Outcome<()> {
        let (mut published, mut total_us) = (Vec::new(), 0.0);
        // Logs grow with every change, so the snapshots change at most half as many entries as were
        // loaded.
        let most = self.effort.snapshots.min(self.load.keys() / (2 * changes));
        let budget_us = microseconds(self.effort.figure.budget);
        while published.is_empty() || published.len() < most && total_us < budget_us {
            let next = self.load.next(changes);
            let snapshot = self.peer.publish(&next)?;
            total_us += snapshot.us + snapshot.apply_us.unwrap_or(0.0);
            published.push(snapshot);
        }
        let changes = changes.min(self.load.keys()) as u64;
        self.snapshots("snapshot", changes, &published)
    }

    /// Reports the figures of published snapshots. If the server is separate from the author, also
    /// reports the figures of applying the updates on the server.
    fn snapshots(
        &mut self,
        operation: &'static str,
        changes: u64,
        published: &[Published],
    ) -> Outcome<()> {
        let mean_of = |figure: fn(&Published) -> Option<f64>| {
            let figures: Vec<f64> = published.iter().filter_map(figure).collect();
            (!figures.is_empty()).then(|| (mean(&figures), median(figures)))
        };
        let snapshots = Figure {
            changes: Some(changes),
            samples: published.len(),
            ..Figure::default()
        };
        let times = mean_of(|snapshot| Some(snapshot.us));
        let bytes = mean_of(|snapshot| snapshot.update_bytes.map(|bytes| bytes as f64));
        self.emit(Figure {
            operation,
            us: times.map(|times| times.0),
            median_us: times.map(|times| times.1),
            bytes: bytes.map(|bytes| bytes.0),
            signature_us: mean_of(|snapshot| snapshot.signature_us).map(|times| times.0),
            includes: self.about.snapshot_includes,
            ..snapshots
        })?;
        let Some(apply) = mean_of(|snapshot| snapshot.apply_us) else {
            return Ok(());
        };
        let verify = mean_of(|snapshot| snapshot.verify_signature_us);
        let (us, median_us) = without(apply, verify);
        self.emit(Figure {
            operation: if operation == "load" {
                "apply_load"
            } else {
                "apply"
            },
            us: Some(us),
            median_us: Some(median_us),
            signature_us: verify.map(|times| times.1),
            includes: "the changes at a server, which checks the root; its verification of the \
                       signature apart",
            ..snapshots
        })
    }

    /// Checks that proofs of every kind verify for true answers, and for no other answers.
    fn check(&mut self) -> Outcome<()> {
        for _ in 0..self.effort.proofs {
            let latest = self.load.latest();
            self.check_present(latest)?;
            if self.about.keeps_old_versions() {
                let version = self.load.any_version();
                self.check_present(version)?;
            }
            if self.about.proves_absence() {
                let key = self.load.any_absent();
                let proof = self.peer.prove(latest, &key)?;
                self.peer.verify(latest, (&key, None), proof.clone())?;
                let claim = (&key, Some(&[1; 32]));
                self.refuse((latest, claim), proof, "presence of an absent key")?;
            }
        }
        Ok(())
    }

    fn check_present(&mut self, version: usize) -> Outcome<()> {
        let (key, value) = self.load.any(version);
        let proof = self.peer.prove(version, &key)?;
        self.peer
            .verify(version, (&key, Some(&value)), proof.clone())?;
        let mut other = value;
        other[31] ^= 1;
        let of_other = (version, (&key, Some(&other)));
        self.refuse(of_other, proof.clone(), "another value")?;
        let of_none = (version, (&key, None));
        self.refuse(of_none, proof, "absence of a present key")
    }

    fn refuse(
        &self,
        (version, claim): (usize, Claim<'_>),
        proof: P::Proof,
        what: &str,
    ) -> Outcome<()> {
        match self.peer.verify(version, claim, proof) {
            Ok(()) => Err(format!("{}: a proof shows {what}", self.about.name).into()),
            Err(_) => Ok(()),
        }
    }

    /// Measures proofs of present and absent keys, as far as the dictionary makes them.
    fn look_ups(&mut self) -> Outcome<()> {
        let latest = self.load.latest();
        let present = move |load: &mut Load| (latest, any_present(load, latest));
        self.prove("prove_present", present)?;
        self.verify("verify_present", present)?;
        if self.about.keeps_old_versions() {
            self.prove("prove_old", |load| {
                let version = load.any_version();
                (version, any_present(load, version))
            })?;
        }
        if self.about.proves_absence() {
            let absent = move |load: &mut Load| (latest, (load.any_absent(), None));
            self.prove("prove_absent", absent)?;
            self.verify("verify_absent", absent)?;
        }
        Ok(())
    }

    /// Measures proofs that the latest version contains an older one: the version before it, and
    /// the first one.
    fn growth(&mut self) -> Outcome<()> {
        let latest = self.load.latest();
        for (operations, from, other) in [
            (["prove_growth", "verify_growth"], latest - 1, 1),
            (
                ["prove_growth_of_all", "verify_growth_of_all"],
                1,
                latest - 1,
            ),
        ] {
            let Some(proof) = self.peer.prove_growth(from)? else {
                return Ok(());
            };
            self.peer.verify_growth(from, &proof)?;
            if self.peer.verify_growth(other, &proof).is_ok() {
                return Err(format!("{}: growth from another version", self.about.name).into());
            }
            let bytes = proof.len() as f64;
            let peer = &mut self.peer;
            let times = self.effort.repeat(|| (), |()| peer.prove_growth(from))?;
            self.times(operations[0], &times, Some(bytes))?;
            let peer = &self.peer;
            let times = self
                .effort
                .repeat(|| (), |()| peer.verify_growth(from, &proof))?;
            self.times(operations[1], &times, None)?;
        }
        Ok(())
    }

    fn prove(
        &mut self,
        operation: &'static str,
        mut ask: impl FnMut(&mut Load) -> (usize, Asked),
    ) -> Outcome<()> {
        let (load, peer) = (&mut self.load, &mut self.peer);
        let mut bytes = Vec::new();
        for _ in 0..self.effort.proofs {
            let (version, (key, _)) = ask(load);
            bytes.push(P::encode(&peer.prove(version, &key)?)?.len() as f64);
        }
        let prepare = || ask(load);
        let times = self
            .effort
            .repeat(prepare, |(version, (key, _))| peer.prove(version, &key))?;
        self.times(operation, &times, Some(mean(&bytes)))
    }

    fn verify(
        &mut self,
        operation: &'static str,
        mut ask: impl FnMut(&mut Load) -> (usize, Asked),
    ) -> Outcome<()> {
        let load = &mut self.load;
        let mut proofs = Vec::new();
        for _ in 0..self.effort.proofs {
            let (version, asked) = ask(load);
            let proof = self.peer.prove(version, &asked.0)?;
            proofs.push((version, asked, proof));
        }
        let (peer, mut next) = (&self.peer, 0);
        let prepare = || {
            next = (next + 1) % proofs.len();
            let (version, asked, proof) = &proofs[next];
            (*version, asked, proof.clone())
        };
        let times = self.effort.repeat(prepare, |(version, asked, proof)| {
            peer.verify(version, claim(asked), proof)
        })?;
        self.times(operation, &times, None)
    }

    fn times(
        &mut self,
        operation: &'static str,
        times: &Timings,
        bytes: Option<f64>,
    ) -> Outcome<()> {
        self.emit(Figure {
            operation,
            us: Some(times.mean_us()),
            median_us: Some(times.median_us()),
            bytes,
            samples: times.operations(),
            ..Figure::default()
        })
    }
}

/// Key of a lookup, with the true answer: its value, or `None` if it is absent.
type Asked = (Key, Option<Value>);

fn any_present(load: &mut Load, version: usize) -> Asked {
    let (key, value) = load.any(version);
    (key, Some(value))
}

const fn claim((key, value): &Asked) -> Claim<'_> {
    (key, value.as_ref())
}

/// Subtracts the time to verify the signature from the time to apply an update, which includes it.
/// Arguments and result are pairs of mean and median, in microseconds.
///
/// The median of the verification is subtracted from both, because each verification does the same
/// work. A single verification that is interrupted may take longer than applying.
fn without((us, median_us): (f64, f64), verify: Option<(f64, f64)>) -> (f64, f64) {
    let verify = verify.map_or(0.0, |(_, median)| median);
    ((us - verify).max(0.0), (median_us - verify).max(0.0))
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::{Entry, ensure, limits};

    /// Far more bytes than other tests allocate at the same time.
    const LARGE: usize = 32 << 20;

    /// A test dictionary: the server stores large values, and the author needs as much memory for
    /// each version.
    struct Blocks {
        server: Vec<u8>,
        author: Vec<Vec<u8>>,
        versions: usize,
    }

    impl Peer for Blocks {
        type Proof = (usize, Option<Value>);

        fn about() -> About {
            About {
                name: "blocks",
                package: "peers",
                can_not: &[limits::OLD_VERSIONS, limits::ABSENCE],
                ..About::OURS
            }
        }

        fn new(_: u64) -> Outcome<Self> {
            let (server, author, versions) = (Vec::new(), Vec::new(), 0);
            Ok(Self {
                server,
                author,
                versions,
            })
        }

        fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
            self.versions += 1;
            self.author.push(Vec::with_capacity(LARGE));
            self.server.clear();
            self.server.reserve_exact(2 * LARGE);
            self.server.extend(changes[0].1);
            Ok(Published {
                us: 1.0,
                apply_us: Some(50.0),
                // The second verification was interrupted.
                verify_signature_us: Some(if self.versions == 3 { 1e6 } else { 40.0 }),
                ..Published::default()
            })
        }

        fn prove(&mut self, _: usize, _: &Key) -> Outcome<Self::Proof> {
            let value = self.server.as_slice().try_into()?;
            Ok((self.versions, Some(value)))
        }

        fn verify(&self, version: usize, (_, value): Claim<'_>, proof: Self::Proof) -> Outcome<()> {
            let is_shown = proof == (version, value.copied());
            ensure(is_shown, "another")
        }

        fn encode(_: &Self::Proof) -> Outcome<Vec<u8>> {
            Ok(vec![0; 7])
        }

        fn decode(&self, _: &[u8]) -> Outcome<Self::Proof> {
            Err("nothing is decoded".into())
        }

        fn forget_author(&mut self) {
            self.author = Vec::new();
        }
    }

    /// The reported memory must be that of the stored blocks, and no time may be negative. A single
    /// test, because the memory of the whole process is measured.
    #[test]
    fn memory_is_all_of_one_time_and_no_time_is_below_nothing() {
        let mut rows = Vec::new();
        let mut take = |row: &Row| -> Outcome<()> {
            rows.push(serde_json::to_value(row)?);
            Ok(())
        };
        measure::<Blocks>(1, Effort::QUICK, &mut take).unwrap();
        let memory = rows
            .iter()
            .find(|row| row["operation"] == "memory")
            .unwrap();
        let blocks = |key: &str| memory[key].as_f64().unwrap() / LARGE as f64;
        assert!((blocks("bytes") - 2.0).abs() < 0.1, "{memory}");
        // Memory of the one loaded version.
        assert!((blocks("author_bytes") - 1.0).abs() < 0.1, "{memory}");
        for row in rows {
            for key in ["us", "median_us", "signature_us"] {
                assert!(row[key].as_f64().is_none_or(|us| us >= 0.0), "{key}: {row}");
            }
        }
    }

    #[test]
    fn one_interruption_of_many_verifications_changes_nothing() {
        let one_interrupted = Some((333_360.0, 40.0));
        assert_eq!(without((50.0, 49.0), one_interrupted), (10.0, 9.0));
        assert_eq!(without((50.0, 39.0), Some((40.0, 40.0))), (10.0, 0.0));
        assert_eq!(without((50.0, 39.0), None), (50.0, 39.0));
    }
}
