//! What was measured, and how it goes on beyond what was measured.

use core::fmt::Write as _;

use comparison::timing::median;

use super::{
    fit::{Fit, changed_nodes, levels, power},
    recorded::Recorded,
};
use crate::{line::Selection, prelude::*};

/// A figure with what it rests on.
#[derive(Clone, Debug)]
pub struct Coefficient {
    pub name: &'static str,
    pub value: f64,
    pub unit: &'static str,
    /// The lines or commands that it is from, and how it follows from them.
    pub source: String,
    /// Whether it is beyond what was measured.
    pub extrapolated: bool,
}

/// All that a plan is made of. Times are microseconds of one core.
#[derive(Clone, Debug)]
pub struct Coefficients {
    pub keys: f64,
    pub bytes_per_key: Coefficient,
    pub bytes_per_level: Coefficient,
    pub bytes_per_version: Coefficient,
    pub update_bytes: Coefficient,
    pub update_us: Coefficient,
    pub update_steeper_us: Coefficient,
    pub load_us: Coefficient,
    pub export_us: Coefficient,
    pub prove_us: Coefficient,
    pub http_us: Coefficient,
    pub answer_bytes: Coefficient,
    pub header_bytes: Coefficient,
    pub verify_us: Coefficient,
    pub cosign_us: Coefficient,
    pub commit_us: Coefficient,
    pub reads: Coefficient,
}

/// The numbers of keys of stores on disk that were measured.
const STORED: Selection = &[("experiment", "stored_files"), ("repository", "stored")];
/// A red-black tree among all schemes, one change in each snapshot.
const COMPARED: Selection = &[
    ("experiment", "compare"),
    ("scheme", "red-black-path-copying"),
    ("changes", "1"),
    ("reason", "none"),
    ("workload", "updates"),
];
/// Nodes that are stored in memory, of which reads are counted.
const IN_MEMORY: Selection = &[("experiment", "stored")];
const PRIMITIVES: Selection = &[("experiment", "primitives"), ("suite", "sha256-ed25519")];
const REPORT: &str = "docs/report/measurements.jsonl";

impl Coefficients {
    /// Those of the report's lines and of the recorded run, for so many keys.
    pub fn new(lines: &[Line], recorded: &Recorded, keys: f64) -> Outcome<Self> {
        let sources = Sources {
            report: Lines(lines),
            recorded,
            keys,
        };
        let [bytes_per_key, bytes_per_level, bytes_per_version] = sources.stored_bytes()?;
        let [update_us, update_steeper_us, load_us] = sources.updating()?;
        let [prove_us, http_us] = sources.answering()?;
        let [cosign_us, commit_us] = sources.signing()?;
        let [answer_bytes, verify_us] = sources.reading()?;
        let of_run = |experiment, figures| Recorded::source(experiment, figures);
        Ok(Self {
            keys,
            bytes_per_key,
            bytes_per_level,
            bytes_per_version,
            update_bytes: Coefficient {
                name: "an update as sent, for each change",
                value: recorded.update_bytes(),
                unit: "bytes",
                source: of_run("scale_batch", "update_bytes / changes"),
                extrapolated: false,
            },
            update_us,
            update_steeper_us,
            load_us,
            export_us: Coefficient {
                name: "a change of an update that is made again for a mirror",
                value: recorded.export_us(),
                unit: "us",
                source: of_run("scale_batch", "export_ms / changes") + ", with 10^5 keys",
                extrapolated: true,
            },
            prove_us,
            http_us,
            answer_bytes,
            header_bytes: Coefficient {
                name: "its status and headers",
                value: recorded.header_bytes(),
                unit: "bytes",
                source: of_run("scale_look_ups", "header_bytes"),
                extrapolated: false,
            },
            verify_us,
            cosign_us,
            commit_us,
            reads: Coefficient {
                name: "blocks that a look-up reads, a twentieth of them in memory",
                value: last(&sources.report.points(IN_MEMORY, "reads_latest")?),
                unit: "blocks",
                source: format!(
                    "{}: `reads_latest` of 10^7 keys after 100 changes; not in the plan, which takes the worst case",
                    sources.report.numbers(IN_MEMORY)
                ),
                extrapolated: false,
            },
        })
    }

    /// All of them in the order of their table.
    pub fn all(&self) -> [&Coefficient; 16] {
        [
            &self.bytes_per_key,
            &self.bytes_per_level,
            &self.bytes_per_version,
            &self.update_bytes,
            &self.update_us,
            &self.update_steeper_us,
            &self.load_us,
            &self.export_us,
            &self.prove_us,
            &self.http_us,
            &self.answer_bytes,
            &self.header_bytes,
            &self.verify_us,
            &self.cosign_us,
            &self.commit_us,
            &self.reads,
        ]
    }

    /// Bytes that a version of so many changes adds to a store.
    pub fn version_bytes(&self, keys: f64, changes: f64) -> f64 {
        // A first version has a leaf and, but for one, an inner node for each key.
        let leaf = self.bytes_per_key.value - self.bytes_per_level.value;
        let nodes = leaf * changes + self.bytes_per_level.value * changed_nodes(keys, changes);
        self.bytes_per_version.value - leaf + nodes
    }
}

/// What coefficients are from.
struct Sources<'a> {
    report: Lines<'a>,
    recorded: &'a Recorded,
    keys: f64,
}

impl Sources<'_> {
    fn stored(&self, figure: &str) -> Outcome<Vec<(f64, f64)>> {
        self.report.points(STORED, figure)
    }

    /// For each key, for each changed inner node, and for each version.
    fn stored_bytes(&self) -> Outcome<[Coefficient; 3]> {
        let growth = Fit::over_levels(&self.stored("file_bytes_per_snapshot")?)?;
        let lines = self.report.numbers(STORED);
        let of = |name, value, source| Coefficient {
            name,
            value,
            unit: "bytes",
            source,
            extrapolated: false,
        };
        Ok([
            of(
                "stored for each key of a first version",
                last(&self.stored("file_bytes_per_key")?),
                format!("{lines}: `file_bytes_per_key` of 10^7 keys; 157 to 169 from 10^4 on"),
            ),
            of(
                "stored for each changed inner node",
                growth.slope,
                format!(
                    "{lines}: slope of `file_bytes_per_snapshot` over log2 of the keys, {:.1} % off at most",
                    growth.worst * 100.0
                ),
            ),
            of(
                "stored for each version of one change, beside its inner nodes",
                growth.constant,
                "the same lines: the constant beside the slope".to_owned(),
            ),
        ])
    }

    /// A change, the same if it goes on as a power, and a key of the first version.
    fn updating(&self) -> Outcome<[Coefficient; 3]> {
        let updates = self.stored("updates_per_second")?;
        let updates: Vec<_> = updates
            .iter()
            .map(|(keys, rate)| (*keys, 1e6 / rate))
            .collect();
        let loads = self.stored("load_seconds")?;
        let loads = loads
            .iter()
            .map(|(keys, seconds)| (*keys, seconds / keys * 1e6));
        let loads: Vec<_> = loads.collect();
        let lines = self.report.numbers(STORED);
        let of = |name, value, source| Coefficient {
            name,
            value,
            unit: "us of two cores",
            source,
            extrapolated: true,
        };
        Ok([
            of(
                "a change in a large batch, at the author and at each server",
                Fit::through_last(&updates)?.at(self.keys),
                format!(
                    "{lines}: 1e6 / `updates_per_second`, straight over log2 of the keys through 10^6 and 10^7 ({})",
                    shown(&updates)
                ),
            ),
            of(
                "the same, if it goes on as a power",
                power(&updates, self.keys)?,
                "the same lines: a power of the keys through 10^6 and 10^7".to_owned(),
            ),
            of(
                "a key of the first version",
                Fit::through_last(&loads)?.at(self.keys),
                format!(
                    "{lines}: `load_seconds` / `keys`, straight as above ({})",
                    shown(&loads)
                ),
            ),
        ])
    }

    /// A proof, and what serving takes beside it.
    fn answering(&self) -> Outcome<[Coefficient; 2]> {
        let prove = self.stored("prove_us")?;
        let proved = nearest(&prove, self.recorded.keys());
        let source = Recorded::source("scale_look_ups", "server_us");
        Ok([
            Coefficient {
                name: "a proof, out of 64 MiB of nodes and the system's cache",
                value: Fit::through_last(&prove)?.at(self.keys),
                unit: "us",
                source: format!(
                    "{}: `prove_us`, straight as above ({})",
                    self.report.numbers(STORED),
                    shown(&prove)
                ),
                extrapolated: true,
            },
            Coefficient {
                name: "serving an answer, beside its proof",
                value: (self.recorded.server_us() - proved).max(0.0),
                unit: "us",
                source: source + " of 4 connections, less the proof",
                extrapolated: false,
            },
        ])
    }

    /// A witness's cosignature, and a server's commit.
    fn signing(&self) -> Outcome<[Coefficient; 2]> {
        let (number, primitives) = self.report.line(PRIMITIVES)?;
        let syncs = self.stored("sync_us")?;
        let sync = median(syncs.iter().map(|(_, us)| us / 6.0).collect());
        let commits = self.stored("open_and_commit_us")?;
        let lines = self.report.numbers(STORED);
        Ok([
            Coefficient {
                name: "a cosignature: a signature checked, one made, one write made durable",
                value: primitives.figure("verify_signature_us")
                    + primitives.figure("sign_us")
                    + sync,
                unit: "us",
                source: format!(
                    "report, line {number}; {}: median of `sync_us` / 6",
                    lines.replace("report, ", "")
                ),
                extrapolated: false,
            },
            Coefficient {
                name: "a server's commit of a version with one change",
                value: median(commits.iter().map(|(_, us)| *us).collect()),
                unit: "us",
                source: format!("{lines}: median of `open_and_commit_us`"),
                extrapolated: false,
            },
        ])
    }

    /// The bytes of an answer, and the time of checking it.
    fn reading(&self) -> Outcome<[Coefficient; 2]> {
        let proofs = Fit::over_levels(&self.report.points(COMPARED, "proof_bytes")?)?;
        let further = levels(self.keys) - levels(self.recorded.keys());
        let source = Recorded::source("scale_look_ups", "answer_bytes");
        let lines = self.report.numbers(COMPARED);
        Ok([
            Coefficient {
                name: "an answer",
                value: self.recorded.answer_bytes() + proofs.slope * further,
                unit: "bytes",
                source: format!(
                    "{source} of 10^5 keys; {lines}: {:.1} for each level, the slope of `proof_bytes` over log2 of the keys",
                    proofs.slope
                ),
                extrapolated: true,
            },
            Coefficient {
                name: "checking an answer and its head's signature, at the reader",
                value: last(&self.report.points(COMPARED, "verify_us")?),
                unit: "us",
                source: format!(
                    "{lines}: `verify_us` of 10^5 keys; each further level adds a hash"
                ),
                extrapolated: false,
            },
        ])
    }
}

fn last(points: &[(f64, f64)]) -> f64 {
    points.last().map_or(f64::NAN, |point| point.1)
}

/// The figure of the nearest number of keys.
fn nearest(points: &[(f64, f64)], keys: f64) -> f64 {
    let distance = |point: &&(f64, f64)| (point.0 / keys).ln().abs();
    let nearest = points
        .iter()
        .min_by(|one, other| distance(one).total_cmp(&distance(other)));
    nearest.map_or(f64::NAN, |point| point.1)
}

fn shown(points: &[(f64, f64)]) -> String {
    let shown = points.iter().map(|(_, figure)| format!("{figure:.1}"));
    format!("measured: {}", shown.collect::<Vec<_>>().join(", "))
}

/// The lines of the report, with their numbers in its file.
struct Lines<'a>(&'a [Line]);

impl Lines<'_> {
    fn of(&self, selection: Selection) -> impl Iterator<Item = (usize, &Line)> {
        let numbered = self.0.iter().enumerate();
        numbered
            .filter(move |(_, line)| line.says(selection))
            .map(|(number, line)| (number + 1, line))
    }

    /// A figure of these lines by their keys, ascending.
    fn points(&self, selection: Selection, figure: &str) -> Outcome<Vec<(f64, f64)>> {
        let of = self.of(selection);
        let mut points: Vec<_> = of
            .filter_map(|(_, line)| Some((line.number("keys")?, line.number(figure)?)))
            .collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        ensure(
            !points.is_empty(),
            &format!("{REPORT}: no {figure} of {selection:?}"),
        )?;
        Ok(points)
    }

    fn line(&self, selection: Selection) -> Outcome<(usize, &Line)> {
        let line = self.of(selection).next();
        Ok(line.ok_or_else(|| format!("{REPORT}: no line of {selection:?}"))?)
    }

    /// Where these lines are.
    fn numbers(&self, selection: Selection) -> String {
        let mut text = "report, lines".to_owned();
        for (place, (number, _)) in self.of(selection).enumerate() {
            let comma = if place == 0 { "" } else { "," };
            // Writing to a text does not fail.
            _ = write!(text, "{comma} {number}");
        }
        text
    }
}
