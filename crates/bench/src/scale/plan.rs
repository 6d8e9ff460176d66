//! Machines, bytes, dollars, and what breaks first.

use comparison::Prices;

use super::{
    assumptions::{Assumptions, Continent},
    coefficients::Coefficients,
    fit::levels,
    popularity::hit_share,
};

/// What a continent needs.
#[derive(Clone, Debug)]
pub struct Needs {
    pub name: String,
    pub lookups: f64,
    /// The share of look-ups that caches answer.
    pub hits: f64,
    pub servers: f64,
    /// What asks for so many servers.
    pub because: &'static str,
    /// Shares of what the servers have.
    pub cores: f64,
    pub disk_reads: f64,
    pub network: f64,
    /// Bytes a second.
    pub to_readers: f64,
    pub to_caches: f64,
    pub to_mirrors: f64,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Plan {
    pub continents: Vec<Needs>,
    /// The author's machine, and one that takes over.
    pub authors: f64,
    /// The bytes on the disk of each machine: the newest tree, what old versions have beside it, and room for the copy that pruning makes.
    pub tree_bytes: f64,
    pub kept_bytes: f64,
    pub disk_bytes: f64,
    pub version_bytes: f64,
    pub update_bytes: f64,
    /// Blocks that a look-up reads where nodes are scattered over the disk.
    pub reads: f64,
    pub answer_bytes: f64,
    /// Seconds that an author, or a server, is busy with a version, and those with the steeper extrapolation.
    pub version_seconds: [f64; 2],
    /// Seconds in which a mirror's version is made and taken up.
    pub mirror_seconds: f64,
}

/// What stands in the way of more load.
#[derive(Clone, Debug)]
pub struct Limit {
    pub what: &'static str,
    /// Which load it grows with.
    pub load: &'static str,
    /// The share of the limit that is used, and of the limit at which times that load it is reached.
    pub used: f64,
    pub then: &'static str,
}

/// `pad serve --largest-update`, unless it is told otherwise.
const LARGEST_UPDATE: f64 = 64.0 * 1024.0 * 1024.0;
const BLOCK: f64 = 4096.0;
const DAY: f64 = 86_400.0;
pub const MONTH_HOURS: f64 = 730.0;

impl Plan {
    pub fn new(coefficients: &Coefficients, assumptions: &Assumptions) -> Self {
        let (load, machine) = (&assumptions.load, &assumptions.machine);
        let seconds = assumptions.author.batch_seconds;
        let changes = assumptions.changes();
        let version_bytes = coefficients.version_bytes(load.keys, changes);
        let tree_bytes = load.keys * coefficients.bytes_per_key.value;
        let kept_bytes = version_bytes * assumptions.author.kept_days * DAY / seconds;
        let memory_blocks = machine.memory_gigabytes * 1e9 * NODES_IN_MEMORY / BLOCK;
        let reads = (levels(load.keys) - memory_blocks.log2()).max(0.0);
        let version_seconds = [&coefficients.update_us, &coefficients.update_steeper_us]
            .map(|us| (changes * us.value + coefficients.commit_us.value) / 1e6);
        let plan = Self {
            continents: Vec::new(),
            authors: 2.0,
            tree_bytes,
            kept_bytes,
            disk_bytes: 2.0 * (tree_bytes + kept_bytes),
            version_bytes,
            update_bytes: changes * coefficients.update_bytes.value,
            reads,
            answer_bytes: (coefficients.answer_bytes.value + coefficients.header_bytes.value)
                * (1.0 + assumptions.network.overhead),
            version_seconds,
            mirror_seconds: version_seconds[0] + changes * coefficients.export_us.value / 1e6,
        };
        let continents = assumptions.continents.iter();
        let continents = continents
            .map(|of| plan.needs(coefficients, assumptions, of))
            .collect();
        Self { continents, ..plan }
    }

    fn needs(
        &self,
        coefficients: &Coefficients,
        assumptions: &Assumptions,
        of: &Continent,
    ) -> Needs {
        let (machine, caches) = (&assumptions.machine, &assumptions.caches);
        let lookups = assumptions.lookups_of(of);
        let hits = if caches.places == 0 {
            0.0
        } else {
            let questions = lookups / f64::from(caches.places) * assumptions.author.batch_seconds;
            hit_share(assumptions.load.keys, caches.exponent, questions)
        };
        let misses = lookups * (1.0 - hits);
        let cores = f64::from(machine.cores);
        let answer_us =
            coefficients.http_us.value * assumptions.network.tls + coefficients.prove_us.value;
        // Updates were measured on two cores at once.
        let updating = UPDATE_CORES * self.version_seconds[0] / assumptions.author.batch_seconds;
        let reading = assumptions.load.updates_per_second * self.reads;
        // What one server has for look-ups; never nothing, so that a plan says how much is missing.
        let has = [
            (cores * machine.used - updating).max(cores / 100.0),
            (machine.disk_reads_per_second * machine.used - reading)
                .max(machine.disk_reads_per_second / 100.0),
            machine.network_gigabits * 1e9 / 8.0 * machine.used,
        ];
        let wants = [
            misses * answer_us / 1e6,
            misses * self.reads,
            misses * self.answer_bytes,
        ];
        let names = ["cores", "disk reads", "network"];
        let of_each = [0, 1, 2].map(|number| (wants[number] / has[number], names[number]));
        let (most, because) =
            of_each.into_iter().fold(
                (0.0, ""),
                |most, one| if one.0 > most.0 { one } else { most },
            );
        let least = f64::from(assumptions.mirrors.least);
        let servers = most.ceil().max(least);
        Needs {
            name: of.name.clone(),
            lookups,
            hits,
            servers,
            because: if most.ceil() <= least {
                "one may fail"
            } else {
                because
            },
            cores: (wants[0] / servers + updating) / cores,
            disk_reads: (wants[1] / servers + reading) / machine.disk_reads_per_second,
            network: wants[2] / servers / (machine.network_gigabits * 1e9 / 8.0),
            to_readers: lookups * self.answer_bytes,
            to_caches: if caches.places == 0 {
                0.0
            } else {
                misses * self.answer_bytes
            },
            to_mirrors: servers
                * assumptions.load.updates_per_second
                * coefficients.update_bytes.value,
        }
    }

    /// All machines.
    pub fn machines(&self) -> f64 {
        self.authors
            + self
                .continents
                .iter()
                .map(|needs| needs.servers)
                .sum::<f64>()
    }

    /// Dollars a month, part by part.
    pub fn dollars(&self, assumptions: &Assumptions, prices: &Prices) -> [(&'static str, f64); 6] {
        let machine = &assumptions.machine;
        let sum = |of: fn(&Needs) -> f64| self.continents.iter().map(of).sum::<f64>();
        let sent = |bytes: f64| prices.of_sending(bytes * MONTH_HOURS * 3600.0);
        let machines = self.machines();
        let hours = machines * f64::from(machine.cores) * MONTH_HOURS;
        [
            ("to readers", sent(sum(|needs| needs.to_readers))),
            ("to caches", sent(sum(|needs| needs.to_caches))),
            ("to mirrors", sent(sum(|needs| needs.to_mirrors))),
            ("disks", prices.of_storing(machines * self.disk_bytes)),
            ("cores", prices.of_computing(hours * 3600.0 * 1e6)),
            (
                "memory",
                prices.of_memory(machines * machine.memory_gigabytes * 1e9),
            ),
        ]
    }

    /// What is used up first, in order.
    pub fn limits(&self, coefficients: &Coefficients, assumptions: &Assumptions) -> Vec<Limit> {
        let most = |of: fn(&Needs) -> f64| self.continents.iter().map(of).fold(0.0, f64::max);
        let seconds = assumptions.author.batch_seconds;
        let write = assumptions.machine.disk_write_megabytes_per_second * 1e6;
        let limit = |what, load, used, then| Limit {
            what,
            load,
            used,
            then,
        };
        let mut limits = vec![
            limit(
                "the one author: time for a version, if updates go on as a power of the keys",
                "updates",
                self.version_seconds[1] / seconds,
                "parts of the keys as dictionaries of their own, each with its author",
            ),
            limit(
                "the same, straight over the levels",
                "updates",
                self.version_seconds[0] / seconds,
                "as above",
            ),
            limit(
                "a mirror: the origin makes the update again, and the mirror takes it up",
                "updates",
                self.mirror_seconds / seconds,
                "as above; or keep updates at the origin as files, so that they are not made again for each mirror",
            ),
            limit(
                "disk reads of a server",
                "look-ups",
                most(|needs| needs.disk_reads),
                "more memory, or more servers",
            ),
            limit(
                "cores of a server",
                "look-ups",
                most(|needs| needs.cores),
                "more servers",
            ),
            limit(
                "network of a server",
                "look-ups",
                most(|needs| needs.network),
                "more servers",
            ),
            limit(
                "writing to a disk: versions, and the copy that pruning makes each day",
                "updates",
                (self.version_bytes / seconds + (self.tree_bytes + self.kept_bytes) / DAY) / write,
                "longer batches, or fewer days",
            ),
            limit(
                "the longest update that servers take (64 MiB)",
                "updates",
                self.update_bytes / LARGEST_UPDATE,
                "`--largest-update`, or shorter batches",
            ),
            limit(
                "a witness: one cosignature for each version",
                "dictionaries",
                coefficients.cosign_us.value / 1e6 / seconds,
                "nothing to do",
            ),
        ];
        limits.sort_by(|one, other| other.used.total_cmp(&one.used));
        limits
    }
}

/// The share of a machine's memory that keeps blocks of nodes.
const NODES_IN_MEMORY: f64 = 0.8;
/// The cores on which updates were measured.
const UPDATE_CORES: f64 = 2.0;

#[cfg(test)]
mod tests;
