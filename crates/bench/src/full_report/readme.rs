//! Writes the tables with measurements in the README and `docs/benchmarks.md`, from the
//! measurements of a report.
//!
//! Replaces the text between `<!-- measured: NAME -->` and `<!-- end -->`.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::run::read_lines;
use crate::{
    Outcome,
    line::{Line, Selection},
};

/// The command line of `bench readme`.
#[derive(Clone, Debug, Args)]
pub struct ReadmeArguments {
    /// File of measurements that `bench report` wrote.
    #[arg(long, default_value = "docs/report/measurements.jsonl")]
    from: PathBuf,
    /// Documents whose tables with measurements are replaced.
    #[arg(long, default_values = ["README.md", "docs/benchmarks.md"])]
    documents: Vec<PathBuf>,
    /// Changes nothing, and fails if a table differs from the measurements.
    #[arg(long)]
    check: bool,
}

impl ReadmeArguments {
    /// Replaces the tables in the documents. With `--check`, fails if a table would change.
    pub fn run(&self) -> Outcome<()> {
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let lines = read_lines(&read(&self.from)?);
        for document in &self.documents {
            let text = read(document)?;
            let written = written(&text, &lines)?;
            if written == text {
                continue;
            }
            if self.check {
                return Err(format!(
                    "{}: its tables are not those of {}; `bench readme` writes them",
                    document.display(),
                    self.from.display()
                )
                .into());
            }
            std::fs::write(document, written)?;
        }
        Ok(())
    }
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// Returns `text` with its tables replaced by those made from `lines`.
pub fn written(text: &str, lines: &[Line]) -> Outcome<String> {
    replaced(text, |name| {
        let table = TABLES.iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| format!("there is no table {name}"))?;
        table.markdown(lines)
    })
}

/// Replaces the text between the marks of each table. Calls `write` with the table's name for the
/// new text.
pub(crate) fn replaced(text: &str, write: impl Fn(&str) -> Outcome<String>) -> Outcome<String> {
    let mut parts = text.split(BEGIN);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once(" -->\n")
            .ok_or("a table begins without a name")?;
        let (_, rest) = rest
            .split_once(END)
            .ok_or_else(|| format!("the table {name} has no end"))?;
        written.extend([BEGIN, name, " -->\n", &write(name)?, END, rest]);
    }
    Ok(written)
}

/// Declaration of a table in a document, whose figures come from similar result lines.
struct Table {
    name: &'static str,
    /// Conditions that all result lines of the table meet.
    of: Selection,
    /// Key whose value distinguishes the table's result lines from each other.
    and: &'static str,
    /// Titles of the columns. The first column contains the names of the rows.
    titles: &'static [&'static str],
    rows: &'static [(&'static str, Row)],
}

/// Figures of one row, after its name.
#[derive(Clone, Copy)]
enum Row {
    /// The same figure of several result lines. Contains the values of [`Table::and`] that select
    /// the lines, the figure's key, and its unit.
    Lines(&'static [&'static str], &'static str, Unit),
    /// Several figures of one result line. Contains the value of [`Table::and`] that selects the
    /// line, the figures' keys, and their unit. Remaining cells stay empty.
    Keys(&'static str, &'static [&'static str], Unit),
}

/// Unit in which a figure was measured, which determines its format.
#[derive(Clone, Copy)]
enum Unit {
    /// Time in microseconds.
    Time,
    /// Time in seconds.
    Seconds,
    /// Size in bytes.
    Bytes,
}

use Row::{Keys, Lines};
use Unit::{Bytes, Seconds, Time};

impl Table {
    fn markdown(&self, lines: &[Line]) -> Outcome<String> {
        let row = |cells: &[String]| {
            let cells = cells.iter().map(|cell| {
                if cell.is_empty() {
                    "| ".to_owned()
                } else {
                    format!("| {cell} ")
                }
            });
            cells.collect::<String>() + "|\n"
        };
        let titles: Vec<String> = self
            .titles
            .iter()
            .map(|title| (*title).to_owned())
            .collect();
        let mut text = row(&titles) + &row(&vec!["---".to_owned(); titles.len()]);
        for (name, figures) in self.rows {
            let mut cells = vec![(*name).to_owned()];
            for (line, key, unit) in figures.cells() {
                let shown = self.shown(lines, (line, key, unit));
                cells.push(shown.map_err(|error| format!("table {}, {name}: {error}", self.name))?);
            }
            cells.resize(titles.len(), String::new());
            text += &row(&cells);
        }
        Ok(text)
    }

    fn shown(&self, lines: &[Line], (says, key, unit): (&str, &str, Unit)) -> Outcome<String> {
        let is_said = |line: &Line| match line.get(self.and) {
            Some(Value::String(text)) => text == says,
            Some(number) => number
                .as_u64()
                .is_some_and(|number| says.parse() == Ok(number)),
            None => false,
        };
        let is_it = |line: &&Line| line.says(self.of) && is_said(line);
        let what = || format!("{:?} and {} {says}", self.of, self.and);
        let line = lines.iter().find(is_it);
        let line = line.ok_or_else(|| format!("no measurement is of {}", what()))?;
        let figure = line.number(key);
        let figure = figure.ok_or_else(|| format!("no {key} in the measurement of {}", what()))?;
        Ok(match unit {
            Time => time(figure),
            Seconds => time(figure * 1e6),
            Bytes => bytes(figure),
        })
    }
}

impl Row {
    /// Returns for each cell the value that selects its result line, the key of its figure, and its
    /// unit.
    fn cells(self) -> Vec<(&'static str, &'static str, Unit)> {
        match self {
            Lines(lines, key, unit) => lines.iter().map(|line| (*line, key, unit)).collect(),
            Keys(line, keys, unit) => keys.iter().map(|key| (line, *key, unit)).collect(),
        }
    }
}

/// Formats a time that is given in microseconds, with at least two digits. Chooses the unit in
/// which at most three digits are needed.
fn time(us: f64) -> String {
    match us {
        us if us < 1.0 => format!("{} ns", rounded(us * 1e3)),
        us if us < 999.5 => format!("{} us", rounded(us)),
        us if us < 999.5e3 => format!("{} ms", rounded(us / 1e3)),
        us => format!("{} s", rounded(us / 1e6)),
    }
}

fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e4 => format!("{} bytes", bytes.round()),
        bytes if bytes < 1e6 => format!("{} KB", rounded(bytes / 1e3)),
        bytes => format!("{} MB", rounded(bytes / 1e6)),
    }
}

fn rounded(number: f64) -> String {
    match number {
        number if number < 10.0 => format!("{number:.1}"),
        number => format!("{number:.0}"),
    }
}

/// Selects red-black trees that grew to 10 000 keys, one key per version.
const GROWN: Selection = &[
    ("experiment", "growing"),
    ("keys", "10000"),
    ("scheme", "red-black"),
    ("suite", "sha256-ed25519"),
];
const COPIED: &str = "path-copying";
const REPOSITORIES: &[&str] = &[COPIED, "cache-everywhere", "cache-median", "cache-nowhere"];

/// Measured numbers of keys in stores on disk, as text.
const SIZES: &[&str] = &["10000", "1000000", "10000000"];

/// Trees on disk that are compared: ours, and a third-party one.
const STORED_PEERS: &[&str] = &["stored", "jmt on redb"];

/// Selects tuple dictionaries of 10 000 keys in a steady state, where updates replace keys.
const STEADY: Selection = &[("experiment", "tuple_steady"), ("keys", "10000")];
const DESIGNS: &[&str] = &[
    "base-superseding",
    "base-lightweight",
    "spec-superseding",
    "spec-lightweight",
    "spec-lightweight-3",
];

#[rustfmt::skip]
const TABLES: [Table; 5] = [
    Table {
        name: "trees",
        of: GROWN,
        and: "repository",
        titles: &["", "path copying", "cache everywhere", "cache median", "cache nowhere"],
        rows: &[
            ("proof of an old version, one by one",
                Lines(REPOSITORIES, "prove_us_random_version", Time)),
            ("the same through `prove_many`", Lines(REPOSITORIES, "prove_many_us_random_version",
                Time)),
            ("memory for each version, key, value and signature included",
                Lines(REPOSITORIES, "counted_bytes_per_version", Bytes)),
        ],
    },
    Table {
        name: "roles",
        of: GROWN,
        and: "repository",
        titles: &["the same for all four", "measured",
            "its limit: the bare hashes and signatures in the same run"],
        rows: &[
            ("author: insert, snapshot, sign",
                Keys(COPIED, &["insert_snapshot_us", "author_limit_us"], Time)),
            ("server: apply an update", Keys(COPIED, &["apply_us", "apply_limit_us"], Time)),
            ("client: verify a proof under a known head",
                Keys(COPIED, &["verify_with_known_head_us", "verify_limit_us"], Time)),
            ("proof of a present key, without the head", Keys(COPIED, &["proof_bytes"], Bytes)),
            ("proof of an absent key, without the head",
                Keys(COPIED, &["absent_proof_bytes"], Bytes)),
            ("head as sent (root, history, signature)", Keys(COPIED, &["head_bytes"], Bytes)),
        ],
    },
    Table {
        name: "stored",
        of: &[("experiment", "stored_files"), ("repository", "stored")],
        and: "keys",
        titles: &["", "10 000 keys", "1 000 000 keys", "10 000 000 keys"],
        rows: &[
            ("open the store, look one key up, and verify the answer",
                Lines(SIZES, "open_and_look_up_us", Time)),
            ("open it as its author, and commit one change",
                Lines(SIZES, "open_and_commit_us", Time)),
            ("six synchronisations, which such a commit waits for", Lines(SIZES, "sync_us", Time)),
            ("an answer of a server that stays open, 64 MiB of nodes in memory",
                Lines(SIZES, "prove_us", Time)),
            ("the same with `--cache all`: the latest version in memory",
                Lines(SIZES, "prove_warmed_us", Time)),
            ("most memory of the process that looks one key up",
                Lines(SIZES, "look_up_resident_bytes", Bytes)),
            ("on disk for each key of 16 bytes with a value of 32",
                Lines(SIZES, "file_bytes_per_key", Bytes)),
            ("on disk for each version with one change",
                Lines(SIZES, "file_bytes_per_snapshot", Bytes)),
        ],
    },
    Table {
        name: "stored-beside",
        of: &[("experiment", "stored_files"), ("keys", "1000000")],
        and: "repository",
        titles: &["1 000 000 keys", "stored", "`jmt` on redb"],
        rows: &[
            ("load", Lines(STORED_PEERS, "load_seconds", Seconds)),
            ("open and look one key up", Lines(STORED_PEERS, "open_and_look_up_us", Time)),
            ("most memory of the process that does so",
                Lines(STORED_PEERS, "look_up_resident_bytes", Bytes)),
            ("open and commit one change", Lines(STORED_PEERS, "open_and_commit_us", Time)),
            ("an answer, opened already", Lines(STORED_PEERS, "prove_us", Time)),
            ("on disk for each key", Lines(STORED_PEERS, "file_bytes_per_key", Bytes)),
        ],
    },
    Table {
        name: "tuples",
        of: STEADY,
        and: "design",
        titles: &["", "base, superseding", "base, lightweight", "spec, superseding",
            "spec, lightweight", "the same, 3 generations"],
        rows: &[
            ("author, each snapshot", Lines(DESIGNS, "author_us", Time)),
            ("update as sent", Lines(DESIGNS, "update_bytes", Bytes)),
            ("server, apply", Lines(DESIGNS, "apply_us", Time)),
            ("server, stored for each update", Lines(DESIGNS, "memory_bytes_per_update", Bytes)),
            ("server, prove", Lines(DESIGNS, "prove_us", Time)),
            ("proof", Lines(DESIGNS, "proof_bytes", Bytes)),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    fn lines() -> Vec<Line> {
        let line = |design| {
            line! {
                experiment: "tuple_steady", keys: 10_000, design: design, author_us: 156_000.4,
                update_bytes: 640_000.0,
                apply_us: 0.0456, memory_bytes_per_update: 344.4, prove_us: 1.24,
                proof_bytes: 138.0,
            }
        };
        DESIGNS.iter().copied().map(line).collect()
    }

    #[test]
    fn tables_are_replaced_and_nothing_else() {
        let text = "before\n<!-- measured: tuples -->\nold\n<!-- end -->\nafter\n";
        let replaced = written(text, &lines()).unwrap();
        assert!(
            replaced.starts_with("before\n<!-- measured: tuples -->\n| | base, superseding |"),
            "{replaced}"
        );
        assert!(
            replaced.ends_with("| 138 bytes |\n<!-- end -->\nafter\n"),
            "{replaced}"
        );
        assert!(
            replaced.contains("| author, each snapshot | 156 ms |"),
            "{replaced}"
        );
        assert!(replaced.contains("| server, apply | 46 ns |"), "{replaced}");
        assert!(
            replaced.contains("| update as sent | 640 KB |"),
            "{replaced}"
        );
        assert_eq!(written(&replaced, &lines()).unwrap(), replaced);
        assert_eq!(written("no table", &[]).unwrap(), "no table");
    }

    #[test]
    fn what_is_missing_is_named() {
        let refused = |text: &str, lines: &[Line]| written(text, lines).unwrap_err().to_string();
        let error = refused("<!-- measured: tuples -->\n<!-- end -->", &lines()[1..]);
        assert!(
            error.contains("base-superseding") && error.contains("author, each snapshot"),
            "{error}"
        );
        assert!(refused("<!-- measured: tuples -->\n", &lines()).contains("no end"));
        assert!(refused("<!-- measured: bees -->\n<!-- end -->", &lines()).contains("bees"));
    }
}
