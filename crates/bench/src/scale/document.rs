//! The tables of docs/scale.md, and its pictures.

use comparison::{PriceBook, timing::percentile};

use super::{
    assumptions::Assumptions,
    coefficients::Coefficients,
    fit::changed_nodes,
    plan::Plan,
    recorded::{Compared, Kind, Recorded, WITHIN},
    simulation::Seen,
    text::{bytes, count, day, digits, dollars, first_word, percent, rows_of, span},
    worlds::{self, Stage},
};
use crate::prelude::*;

/// All that the document shows.
pub struct Shown {
    pub assumptions: Assumptions,
    /// The file of the assumptions, as it stands.
    pub assumptions_text: String,
    pub recorded: Recorded,
    pub coefficients: Coefficients,
    pub plan: Plan,
    pub compared: Vec<Compared>,
    /// What readers of each continent see with everything up to each stage.
    pub stages: Vec<(&'static str, Vec<Seen>)>,
    pub busy: Vec<Seen>,
    book: PriceBook,
    /// Inner nodes of a batch as they were counted, and as the formula has them.
    batch_nodes: [f64; 2],
}

/// The name of a table, and how it is written.
type Table = (&'static str, fn(&Shown) -> Outcome<String>);

const TABLES: [Table; 11] = [
    ("brief", Shown::brief),
    ("run", Shown::run_table),
    ("checks", Shown::checks),
    ("coefficients", Shown::coefficients_table),
    ("assumptions", |shown| {
        Ok(format!("```toml\n{}```\n", shown.assumptions_text))
    }),
    ("stages", Shown::stages_table),
    ("staleness", Shown::staleness_table),
    ("machines", Shown::machines_table),
    ("dollars", Shown::dollars_table),
    ("limits", Shown::limits_table),
    ("batches", Shown::batches_table),
];

/// Batches for which staleness is simulated.
const BATCHES: f64 = 100.0;
/// Seconds of a batch that are compared.
const INTERVALS: [f64; 5] = [1.0, 3.0, 10.0, 60.0, 300.0];

#[allow(
    clippy::unnecessary_wraps,
    reason = "all tables are written by functions of one type"
)]
impl Shown {
    /// Plans and simulates.
    pub fn new(
        lines: &[Line],
        recorded: Recorded,
        assumptions_text: String,
        file: &str,
    ) -> Outcome<Self> {
        let assumptions = Assumptions::parse(file, &assumptions_text)?;
        let coefficients = Coefficients::new(lines, &recorded, assumptions.load.keys)?;
        let plan = Plan::new(&coefficients, &assumptions);
        let stages = Stage::ALL.map(|(stage, name)| {
            (
                name,
                worlds::staleness(&coefficients, &assumptions, &plan, stage, BATCHES),
            )
        });
        let batch = of(lines, "batch");
        let batch = batch.first().ok_or("the report has no line of batch")?;
        let batch_nodes = [
            batch.figure("node_hashes_per_snapshot"),
            changed_nodes(batch.figure("keys"), batch.figure("batch")),
        ];
        Ok(Self {
            compared: recorded.compared(&coefficients),
            busy: worlds::busy(&coefficients, &assumptions, &plan),
            stages: stages.into(),
            book: PriceBook::shipped(),
            assumptions,
            assumptions_text,
            recorded,
            coefficients,
            plan,
            batch_nodes,
        })
    }

    /// The table of this name.
    pub fn table(&self, name: &str) -> Outcome<String> {
        let table = TABLES.iter().find(|table| table.0 == name);
        let (_, table) = table.ok_or_else(|| format!("there is no table {name}"))?;
        table(self)
    }

    /// What readers of each continent see at last.
    fn last(&self) -> &[Seen] {
        self.stages.last().map_or(&[], |(_, seen)| seen)
    }

    pub(super) fn dollars(&self, entry: &str) -> Outcome<[(&'static str, f64); 6]> {
        let prices = self.book.entry(entry)?.prices;
        Ok(self.plan.dollars(&self.assumptions, &prices))
    }

    pub(super) fn entries(&self) -> &[String] {
        &self.assumptions.prices.entries
    }

    fn brief(&self) -> Outcome<String> {
        let (plan, load) = (&self.plan, &self.assumptions.load);
        let totals = self.entries().iter().map(|entry| {
            let sum: f64 = self.dollars(entry)?.iter().map(|part| part.1).sum();
            Ok(format!("{} ({entry})", dollars(sum)))
        });
        let totals = totals.collect::<Outcome<Vec<_>>>()?.join(", ");
        let worst = |hundredths| {
            let ages = self
                .last()
                .iter()
                .map(|seen| percentile(&seen.staleness, hundredths));
            ages.fold(0.0, f64::max)
        };
        let limits = plan.limits(&self.coefficients, &self.assumptions);
        let first = limits.first().ok_or("a plan has limits")?;
        let servers: Vec<_> = plan
            .continents
            .iter()
            .map(|needs| format!("{} in {}", needs.servers, needs.name))
            .collect();
        let rows = [
            (
                "asked for",
                format!(
                    "{} keys, {} updates and {} look-ups a second, versions kept for {} days",
                    count(load.keys),
                    count(load.updates_per_second),
                    count(load.lookups_per_second),
                    self.assumptions.author.kept_days
                ),
            ),
            (
                "machines",
                format!(
                    "{} of {} cores and {} GB: {} for the author and its stand-in, {}",
                    plan.machines(),
                    self.assumptions.machine.cores,
                    self.assumptions.machine.memory_gigabytes,
                    plan.authors,
                    servers.join(", ")
                ),
            ),
            (
                "disk of each",
                format!(
                    "{}: {} for the newest tree, {} for older versions, and as much again while they are pruned",
                    bytes(plan.disk_bytes),
                    bytes(plan.tree_bytes),
                    bytes(plan.kept_bytes)
                ),
            ),
            ("dollars a month", totals),
            (
                "how stale a reader is",
                format!(
                    "half of them {:.1} s at most, 99 of 100 {:.1} s, on the continent that is farthest away",
                    worst(50),
                    worst(99)
                ),
            ),
            (
                "what breaks first",
                format!("{}: {} of it is used", first.what, percent(first.used)),
            ),
        ];
        Ok(rows_of(
            &["", ""],
            rows.map(|(name, text)| vec![format!("**{name}**"), text])
                .into(),
        ))
    }

    fn run_table(&self) -> Outcome<String> {
        let row = |one: &Compared| {
            let unit = if one.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", one.unit)
            };
            let off = match one.kind {
                Kind::Found => format!("{:+.0} %", one.off() * 100.0),
                Kind::Beside => format!("({:+.0} %)", one.off() * 100.0),
            };
            vec![
                one.name.clone(),
                format!("{}{unit}", digits(one.measured)),
                format!("{}{unit}", digits(one.simulated)),
                off,
            ]
        };
        let rows = self.compared.iter().map(row).collect();
        let run = self.recorded.run();
        let day = day(run.count("started"));
        let found = self.compared.iter().filter(|one| one.kind == Kind::Found);
        let worst = found.map(|one| one.off().abs()).fold(0.0, f64::max);
        let text = format!(
            "Measured on {day} with `pad` on {} cores ({}), load average {} before and {} after; {} keys. What the simulation had to find is off by {} at \
             most, and a test holds it within {}; what is in brackets is not held.\n\n",
            run.count("cores"),
            run.text("cpu"),
            first_word(run.text("load_before")),
            first_word(run.text("load_after")),
            count(run.figure("keys")),
            percent(worst),
            percent(WITHIN),
        );
        Ok(text + &rows_of(&["", "measured", "simulated", "off"], rows))
    }

    fn checks(&self) -> Outcome<String> {
        let batch = self.recorded.batch();
        let (keys, changes) = (batch.figure("keys"), batch.figure("changes"));
        let stored = self.coefficients.version_bytes(keys, changes) / changes;
        let mut rows = vec![
            (
                "inner nodes that 10 000 changes of 10^6 keys change".to_owned(),
                self.batch_nodes[0],
                self.batch_nodes[1],
            ),
            (
                "bytes stored for each change of a batch of 10 000 in 10^5 keys".to_owned(),
                batch.figure("file_bytes_per_change"),
                stored,
            ),
        ];
        for (seen, needs) in self.busy.iter().zip(&self.plan.continents) {
            if self.assumptions.caches.places > 0 {
                let name = format!("share of look-ups from caches, {}", needs.name);
                rows.push((name, seen.hit_share(), needs.hits));
            }
        }
        let rows = rows.into_iter().map(|(name, counted, computed)| {
            let off = computed / counted - 1.0;
            vec![
                name,
                digits(counted),
                digits(computed),
                format!("{:+.1} %", off * 100.0),
            ]
        });
        Ok(rows_of(&["", "counted", "computed", "off"], rows.collect()))
    }

    fn coefficients_table(&self) -> Outcome<String> {
        let row = |one: &&super::coefficients::Coefficient| {
            let beyond = if one.extrapolated {
                "beyond"
            } else {
                "measured"
            };
            vec![
                one.name.to_owned(),
                format!("{} {}", digits(one.value), one.unit),
                beyond.to_owned(),
                one.source.clone(),
            ]
        };
        let rows = self.coefficients.all().iter().map(row).collect();
        Ok(rows_of(&["", "at this size", "", "from"], rows))
    }

    fn stages_table(&self) -> Outcome<String> {
        let farthest = self.farthest();
        let row = |(name, seen): &(&'static str, Vec<Seen>)| {
            let ages = &seen[farthest].staleness;
            vec![
                (*name).to_owned(),
                span(percentile(ages, 50)),
                span(percentile(ages, 99)),
            ]
        };
        Ok(rows_of(
            &["", "half under", "99 of 100 under"],
            self.stages.iter().map(row).collect(),
        ))
    }

    fn staleness_table(&self) -> Outcome<String> {
        let rows = self
            .last()
            .iter()
            .zip(&self.busy)
            .zip(&self.plan.continents);
        let rows = rows.map(|((fresh, busy), needs)| {
            let mut row = vec![needs.name.clone()];
            row.extend([10, 50, 90, 99].map(|at| span(percentile(&fresh.staleness, at))));
            row.extend([50, 99].map(|at| span(percentile(&busy.latency, at))));
            row
        });
        let titles = [
            "",
            "a tenth under",
            "half under",
            "9 of 10 under",
            "99 of 100 under",
            "a look-up, half under",
            "99 of 100 under",
        ];
        Ok(rows_of(&titles, rows.collect()))
    }

    fn machines_table(&self) -> Outcome<String> {
        let rows = self.plan.continents.iter().map(|needs| {
            vec![
                needs.name.clone(),
                count(needs.lookups),
                percent(needs.hits),
                format!("{}", needs.servers),
                needs.because.to_owned(),
                percent(needs.cores),
                percent(needs.disk_reads),
                percent(needs.network),
                format!("{}/s", bytes(needs.to_readers)),
                format!("{}/s", bytes(needs.to_caches)),
                format!("{}/s", bytes(needs.to_mirrors)),
            ]
        });
        let titles = [
            "",
            "look-ups a second",
            "from caches",
            "servers",
            "because of",
            "cores used",
            "disk reads used",
            "network used",
            "to readers",
            "to caches",
            "to mirrors",
        ];
        Ok(rows_of(&titles, rows.collect()))
    }

    fn dollars_table(&self) -> Outcome<String> {
        let columns = self.entries().iter().map(|entry| self.dollars(entry));
        let columns = columns.collect::<Outcome<Vec<_>>>()?;
        let parts = columns.first().ok_or("there are prices")?.len();
        let mut rows: Vec<Vec<String>> = (0..parts)
            .map(|part| {
                let figures = columns.iter().map(|column| dollars(column[part].1));
                core::iter::once(columns[0][part].0.to_owned())
                    .chain(figures)
                    .collect()
            })
            .collect();
        let sums = columns
            .iter()
            .map(|column| dollars(column.iter().map(|part| part.1).sum()));
        rows.push(core::iter::once("**all**".to_owned()).chain(sums).collect());
        let mut titles = vec!["a month"];
        titles.extend(self.entries().iter().map(String::as_str));
        Ok(rows_of(&titles, rows))
    }

    fn limits_table(&self) -> Outcome<String> {
        let limits = self.plan.limits(&self.coefficients, &self.assumptions);
        let rows = limits.iter().map(|limit| {
            vec![
                limit.what.to_owned(),
                limit.load.to_owned(),
                percent(limit.used),
                format!("{} times", digits(1.0 / limit.used)),
                limit.then.to_owned(),
            ]
        });
        let titles = ["", "grows with", "used", "full at", "then"];
        Ok(rows_of(&titles, rows.collect()))
    }

    fn batches_table(&self) -> Outcome<String> {
        let farthest = self.farthest();
        let rows = INTERVALS.map(|seconds| {
            let mut assumptions = self.assumptions.clone();
            assumptions.author.batch_seconds = seconds;
            let plan = Plan::new(&self.coefficients, &assumptions);
            let batches = (1000.0 / seconds).clamp(20.0, BATCHES);
            let seen = worlds::staleness(
                &self.coefficients,
                &assumptions,
                &plan,
                Stage::Cached,
                batches,
            );
            let ages = &seen[farthest].staleness;
            let prices = self.book.entry(&self.entries()[0])?.prices;
            let parts = plan.dollars(&assumptions, &prices);
            let hits = plan
                .continents
                .iter()
                .map(|needs| needs.hits * needs.lookups)
                .sum::<f64>();
            Outcome::Ok(vec![
                format!("{seconds} s"),
                span(percentile(ages, 50)),
                span(percentile(ages, 99)),
                percent(hits / assumptions.load.lookups_per_second),
                bytes(plan.version_bytes / assumptions.changes()),
                bytes(plan.kept_bytes),
                format!("{}", plan.machines()),
                dollars(parts.iter().map(|part| part.1).sum()),
            ])
        });
        let titles = [
            "a batch each",
            "half of the readers under",
            "99 of 100 under",
            "from caches",
            "stored for a change",
            "older versions, on each disk",
            "machines",
            "dollars a month",
        ];
        Ok(rows_of(&titles, rows.into_iter().collect::<Outcome<_>>()?))
    }

    /// The continent whose readers are the stalest.
    pub(super) fn farthest(&self) -> usize {
        let continents = self.assumptions.continents.iter().enumerate();
        let farthest = continents
            .max_by(|(_, one), (_, other)| one.round_trip_ms.total_cmp(&other.round_trip_ms));
        farthest.map_or(0, |(number, _)| number)
    }
}
