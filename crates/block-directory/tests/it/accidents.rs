//! Injects one fault at each disk operation of a script of changes, on a simulated disk.

use pad_core::Version;
use pad_disk::layer::{Reads, SimulatedFolder};

/// A script of changes in a new folder, one version after the other.
pub(crate) trait ChangeScript {
    /// Returns the number of versions.
    fn versions(&self) -> usize;

    /// Runs the script. Returns the number of acknowledged versions, or `None` if the directory was
    /// not created.
    fn run(&self, folder: &SimulatedFolder) -> Option<usize>;

    /// Checks that the directory is whole, at the last acknowledged version or the next one, and
    /// takes further updates.
    fn assert_survived(&self, folder: &SimulatedFolder, acknowledged: Option<usize>, what: &str);

    /// Returns the number of writes and synchronisations of a run without faults.
    fn operations(&self) -> usize {
        let folder = SimulatedFolder::new("directory");
        assert_eq!(self.run(&folder), Some(self.versions()));
        folder.operations().len()
    }

    /// Cuts the power in steps of `stride` operations, `seeds` times at each.
    fn survives_power_cuts(&self, seeds: u64, stride: usize) {
        for stop in (1..=self.operations()).step_by(stride) {
            for seed in 0..seeds {
                let folder = SimulatedFolder::new("directory");
                folder.stop_at(stop, Reads::Work);
                let acknowledged = self.run(&folder);
                let cut = folder.after_power_cut(seed * 1_000_003 + seed_of(stop));
                self.assert_survived(
                    &cut,
                    acknowledged,
                    &format!("operation {stop}, seed {seed}"),
                );
            }
        }
    }

    /// Lets one operation fail in each run, in steps of `stride` operations.
    fn survives_failures(&self, stride: usize) {
        for failing in (1..=self.operations()).step_by(stride) {
            let folder = SimulatedFolder::new("directory");
            folder.fail_at(failing, seed_of(failing));
            let acknowledged = self.run(&folder);
            let cut = folder.after_power_cut(seed_of(failing));
            self.assert_survived(&cut, acknowledged, &format!("operation {failing}"));
        }
    }

    /// Fills the disk at every sixteenth of the script's space, and then frees space.
    fn survives_full_disks(&self) {
        let folder = SimulatedFolder::new("directory");
        self.run(&folder);
        let used = folder.used();
        for part in 1..16 {
            let folder = SimulatedFolder::new("directory");
            folder.set_capacity(used * part / 16);
            let acknowledged = self.run(&folder);
            let room = folder.after_kill();
            room.set_capacity(u64::MAX);
            self.assert_survived(&room, acknowledged, &format!("{part} sixteenths"));
        }
    }
}

/// Returns the seed of the random effects of a fault at this operation.
pub(crate) fn seed_of(operation: usize) -> u64 {
    u64::try_from(operation).unwrap()
}

pub(crate) fn number(version: Version) -> usize {
    usize::try_from(version.number()).unwrap()
}
