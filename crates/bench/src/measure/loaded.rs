//! Author and server of one scheme under a workload: after its load, and after all its snapshots.

use std::time::Duration;

use comparison::{Scheme, Work};

use crate::{
    Outcome,
    measure::{
        lookups::Lookups,
        roles::Roles,
        run::{Run, Sample},
    },
    workload::{Contents, Random},
};

/// Author and server after the load. [`LoadedRun::follow`] publishes the measured snapshots.
pub struct LoadedRun<T: Roles> {
    /// Run with author and server, and the costs of the snapshots so far.
    pub run: Run<T>,
    /// Entries that the server must have, by version.
    pub contents: Contents,
    /// Time of author and server together to load one key, in microseconds. `None` if the workload
    /// begins empty.
    pub load_us_per_key: Option<f64>,
    space: Space,
}

/// Bytes that a server's dictionary occupies, or by which it has grown, in memory and in files. The
/// first is `None` if the server does not count its memory, the second for a dictionary in memory.
type Space = [Option<f64>; 2];

/// Returns the bytes that the server occupies.
fn space(roles: &impl Roles) -> Outcome<Space> {
    let memory = roles.memory_bytes().map(|bytes| bytes as f64);
    Ok([memory, roles.file_bytes()?.map(|bytes| bytes as f64)])
}

/// Divides the bytes by `number`, or by 1 if that is 0.
fn divided(space: Space, number: u64) -> Space {
    space.map(|bytes| bytes.map(|bytes| bytes / number.max(1) as f64))
}

impl<T: Roles> LoadedRun<T> {
    /// Loads the keys, if the workload begins with a load. `limit` bounds the time of the snapshots
    /// after the load.
    pub fn new(work: &dyn Work, limit: Duration, roles: T) -> Outcome<Self> {
        let (mut run, mut contents) = (Run::of(roles, limit), Contents::default());
        let mut load_us_per_key = None;
        if work.loads() {
            let operations = work.operations(1);
            contents.apply(&operations);
            run.publish(operations)?;
            let load = Sample::sum(&run.samples);
            load_us_per_key = Some((load.author_us + load.apply_us) / contents.len() as f64);
            run.restart();
        }
        Ok(Self {
            space: space(&run.roles)?,
            run,
            contents,
            load_us_per_key,
        })
    }

    /// Returns lookups of this server, which has a dictionary of `scheme`.
    pub fn lookups<'a>(&'a self, scheme: &'a Scheme) -> Lookups<'a, T> {
        Lookups {
            roles: &self.run.roles,
            contents: &self.contents,
            properties: &scheme.properties,
        }
    }

    /// Publishes the measured snapshots, then more until their cycle ends. A cycle is an epoch of
    /// speculation, or a hash chain. Stops early if time or memory run out.
    ///
    /// Then publishes half a cycle that is not counted. The reason is that lookups are measured
    /// next, and proofs are unusually small right after generations were merged.
    pub fn follow(mut self, work: &dyn Work) -> Outcome<FinishedRun<T>> {
        let first = self.run.roles.latest().number() + 1;
        let (mut whole, mut cycles, mut end) = (0_usize, 0, Space::default());
        let (mut random, mut proof_bytes) = (Random::new(3), Vec::new());
        for version in first.. {
            let is_beyond = version > work.versions();
            let half_a_cycle = whole.checked_div(cycles).map_or(0, |cycle| cycle / 2);
            let is_halfway = self.run.samples.len() >= whole + half_a_cycle;
            let is_done = whole as u64 + first > work.versions() && is_halfway;
            if (is_beyond && (is_done || !work.goes_on()))
                || (version > first && self.run.is_over())
            {
                break;
            }
            let operations = work.operations(version);
            self.contents.apply(&operations);
            let update = self.run.publish(operations)?;
            proof_bytes.push(self.proof_bytes(&mut random)?);
            let roles = &self.run.roles;
            if roles.ends_cycle(version + 1 - first, &update) {
                (whole, cycles) = (self.run.samples.len(), cycles + 1);
                end = space(&self.run.roles)?;
            }
        }
        if cycles == 0 {
            whole = self.run.samples.len();
            end = space(&self.run.roles)?;
        }
        let grown = core::array::from_fn(|kind| Some(end[kind]? - self.space[kind]?));
        proof_bytes.truncate(whole.max(1));
        let proofs = proof_bytes.len().max(1) as f64;
        Ok(FinishedRun {
            loaded: self,
            proof_bytes: proof_bytes.iter().sum::<f64>() / proofs,
            whole,
            cycles: cycles as u64,
            grown,
        })
    }

    /// Returns the bytes of the proof of a random key in the latest version; 0 if there is no key.
    fn proof_bytes(&self, random: &mut Random) -> Outcome<f64> {
        if self.contents.is_empty() {
            return Ok(0.0);
        }
        let roles = &self.run.roles;
        let key = self.contents.key(random.below(self.contents.len()));
        let proof = roles.prove(roles.latest(), &roles.question(key))?;
        Ok(roles.proof_bytes(&proof) as f64)
    }
}

/// Author and server after all measured snapshots.
pub struct FinishedRun<T: Roles> {
    /// Author and server, and the server's expected contents.
    pub loaded: LoadedRun<T>,
    /// Number of whole cycles that the measured snapshots contain.
    pub cycles: u64,
    /// Mean bytes of the proof of a present key in the latest version, over the counted snapshots.
    /// Proofs grow during an epoch, so a single version would not do.
    pub proof_bytes: f64,
    /// Growth of the server over the counted snapshots.
    grown: Space,
    /// Number of counted snapshots: those of whole cycles, or all if no cycle is whole.
    whole: usize,
}

impl<T: Roles> FinishedRun<T> {
    /// Returns the samples of the counted snapshots: those of whole cycles, or all if no cycle is
    /// whole.
    pub fn samples(&self) -> &[Sample] {
        &self.loaded.run.samples[..self.whole]
    }

    /// Reports whether the samples consist of whole cycles, and no hash chain lasts longer than all
    /// of these cycles together.
    pub fn is_whole(&self) -> bool {
        self.cycles > 0 && !self.loaded.run.roles.has_longer_chains(self.cycles)
    }

    /// Returns the server's bytes per key: after the load of `keys` keys, or at the end if keys
    /// came one by one.
    pub fn bytes_per_key(&self, keys: u64) -> Outcome<Space> {
        let LoadedRun { run, contents, .. } = &self.loaded;
        Ok(match self.loaded.load_us_per_key {
            Some(_) => divided(self.loaded.space, keys),
            None => divided(space(&run.roles)?, contents.len()),
        })
    }

    /// Returns the bytes by which the server grows with each snapshot. Those of files are `None` if
    /// the files have not grown, because they had room left after the load.
    pub fn bytes_per_snapshot(&self) -> Space {
        let [memory, files] = divided(self.grown, self.samples().len() as u64);
        [memory, files.filter(|bytes| *bytes > 0.0)]
    }
}
