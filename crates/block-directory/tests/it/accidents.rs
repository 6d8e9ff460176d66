//! Accidents that a script of changes meets on a simulated disk: one at each of its operations.

use pad_core::Version;
use pad_disk::layer::{Reads, SimulatedFolder};

/// Changes that are made in a new folder, one version after the other.
pub(crate) trait Scripted {
    /// How many versions they are.
    fn versions(&self) -> usize;

    /// Makes them; returns how many versions were acknowledged, `None` if not even the directory was.
    fn run(&self, folder: &SimulatedFolder) -> Option<usize>;

    /// The directory is there, at an acknowledged version or the one after it, whole; and it goes on.
    fn assert_survived(&self, folder: &SimulatedFolder, acknowledged: Option<usize>, what: &str);

    /// How many writes and synchronisations the script has, when nothing happens to it.
    fn operations(&self) -> usize {
        let folder = SimulatedFolder::new("directory");
        assert_eq!(self.run(&folder), Some(self.versions()));
        folder.operations().len()
    }

    /// The power is cut at every operation, `seeds` times.
    fn survives_power_cuts(&self, seeds: u64) {
        for stop in 1..=self.operations() {
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

    /// Every operation fails, or every so-manieth.
    fn survives_failures(&self, stride: usize) {
        for failing in (1..=self.operations()).step_by(stride) {
            let folder = SimulatedFolder::new("directory");
            folder.fail_at(failing, seed_of(failing));
            let acknowledged = self.run(&folder);
            let cut = folder.after_power_cut(seed_of(failing));
            self.assert_survived(&cut, acknowledged, &format!("operation {failing}"));
        }
    }

    /// The disk is full at every sixteenth of what the script needs, and then there is room again.
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

/// What to leave to chance after an accident at this operation.
pub(crate) fn seed_of(operation: usize) -> u64 {
    u64::try_from(operation).unwrap()
}

pub(crate) fn number(version: Version) -> usize {
    usize::try_from(version.number()).unwrap()
}
