//! The tables of the workspace's README, written from the measurements of a report.
//!
//! A table stands between `<!-- measured: NAME -->` and `<!-- end -->`; what is between them is replaced.

use std::path::PathBuf;

use clap::Args;

use super::run::read_lines;
use crate::{
    Outcome,
    line::{Line, Selection},
};

/// The command line of `bench readme`.
#[derive(Clone, Debug, Args)]
pub struct ReadmeArguments {
    /// The measurements that `bench report` wrote.
    #[arg(long, default_value = "docs/report/measurements.jsonl")]
    from: PathBuf,
    /// The text whose tables are replaced.
    #[arg(long, default_value = "README.md")]
    readme: PathBuf,
    /// Changes nothing, and fails if a table is not what the measurements say.
    #[arg(long)]
    check: bool,
}

impl ReadmeArguments {
    /// Writes the tables, or compares them.
    pub fn run(&self) -> Outcome<()> {
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let (text, lines) = (read(&self.readme)?, read_lines(&read(&self.from)?));
        let written = written(&text, &lines)?;
        if written == text {
            return Ok(());
        }
        let readme = self.readme.display();
        if self.check {
            return Err(format!(
                "{readme}: its tables are not those of {}; `bench readme` writes them",
                self.from.display()
            )
            .into());
        }
        Ok(std::fs::write(&self.readme, written)?)
    }
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// The text with its tables replaced.
pub fn written(text: &str, lines: &[Line]) -> Outcome<String> {
    let mut parts = text.split(BEGIN);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once(" -->\n")
            .ok_or("a table begins without a name")?;
        let (_, rest) = rest
            .split_once(END)
            .ok_or_else(|| format!("the table {name} has no end"))?;
        let table = TABLES.iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| format!("there is no table {name}"))?;
        let table = table.markdown(lines)?;
        written.extend([BEGIN, name, " -->\n", &table, END, rest]);
    }
    Ok(written)
}

/// A table: its columns are of different lines, and its rows are figures of them, or the other way around.
struct Table {
    name: &'static str,
    /// What is above each column; the first is above the names of the rows.
    titles: &'static [&'static str],
    rows: &'static [(&'static str, &'static [Cell])],
}

/// A figure: the line that has it, its key, and what it is.
enum Cell {
    Of(Selection, &'static str, Unit),
    Text(&'static str),
}

/// How a figure is written.
#[derive(Clone, Copy)]
enum Unit {
    /// A time that is measured in microseconds.
    Time,
    /// A size.
    Bytes,
}

use Cell::{Of, Text};
use Unit::{Bytes, Time};

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
        for (name, cells) in self.rows {
            let mut shown = vec![(*name).to_owned()];
            for cell in *cells {
                shown.push(
                    cell.shown(lines)
                        .map_err(|error| format!("table {}, {name}: {error}", self.name))?,
                );
            }
            text += &row(&shown);
        }
        Ok(text)
    }
}

impl Cell {
    fn shown(&self, lines: &[Line]) -> Outcome<String> {
        let (selection, key, unit) = match self {
            Text(text) => return Ok((*text).to_owned()),
            Of(selection, key, unit) => (*selection, *key, *unit),
        };
        let line = lines.iter().find(|line| line.says(selection));
        let line = line.ok_or_else(|| format!("no measurement is of {selection:?}"))?;
        let figure = line
            .number(key)
            .ok_or_else(|| format!("no {key} in the measurement of {selection:?}"))?;
        Ok(match unit {
            Time => time(figure),
            Bytes => bytes(figure),
        })
    }
}

/// At least two digits, in the unit that needs no more than three.
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

const TABLES: [Table; 3] = [
    Table {
        name: "trees",
        titles: &[
            "",
            "path copying",
            "cache everywhere",
            "cache median",
            "cache nowhere",
        ],
        rows: &[
            (
                "proof of an old version, one by one",
                &trees("prove_us_random_version", Time),
            ),
            (
                "the same through `prove_many`",
                &trees("prove_many_us_random_version", Time),
            ),
            (
                "memory for each version, key, value and signature included",
                &trees("counted_bytes_per_version", Bytes),
            ),
        ],
    },
    Table {
        name: "roles",
        titles: &[
            "the same for all four",
            "measured",
            "its limit: the bare hashes and signatures in the same run",
        ],
        rows: &[
            (
                "author: insert, snapshot, sign",
                &beside("insert_snapshot_us", "author_limit_us"),
            ),
            (
                "server: apply an update",
                &beside("apply_us", "apply_limit_us"),
            ),
            (
                "client: verify a proof under a known head",
                &beside("verify_with_known_head_us", "verify_limit_us"),
            ),
            (
                "proof of a present key, without the head",
                &alone("proof_bytes"),
            ),
            (
                "proof of an absent key, without the head",
                &alone("absent_proof_bytes"),
            ),
            (
                "head as sent (root, history, signature)",
                &alone("head_bytes"),
            ),
        ],
    },
    Table {
        name: "tuples",
        titles: &[
            "",
            "base, superseding",
            "base, lightweight",
            "spec, superseding",
            "spec, lightweight",
            "the same, 3 generations",
        ],
        rows: &[
            ("author, each snapshot", &tuples("author_us", Time)),
            ("update as sent", &tuples("update_bytes", Bytes)),
            ("server, apply", &tuples("apply_us", Time)),
            (
                "server, stored for each update",
                &tuples("memory_bytes_per_update", Bytes),
            ),
            ("server, prove", &tuples("prove_us", Time)),
            ("proof", &tuples("proof_bytes", Bytes)),
        ],
    },
];

/// A red-black tree of 100 000 keys, grown one by one, in each repository.
const fn trees(key: &'static str, unit: Unit) -> [Cell; 4] {
    [
        Of(
            &[
                ("experiment", "growing"),
                ("keys", "100000"),
                ("scheme", "red-black"),
                ("suite", SUITE),
                ("repository", "path-copying"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "growing"),
                ("keys", "100000"),
                ("scheme", "red-black"),
                ("suite", SUITE),
                ("repository", "cache-everywhere"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "growing"),
                ("keys", "100000"),
                ("scheme", "red-black"),
                ("suite", SUITE),
                ("repository", "cache-median"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "growing"),
                ("keys", "100000"),
                ("scheme", "red-black"),
                ("suite", SUITE),
                ("repository", "cache-nowhere"),
            ],
            key,
            unit,
        ),
    ]
}

const SUITE: &str = "sha256-ed25519";

const COPIED: Selection = &[
    ("experiment", "growing"),
    ("keys", "100000"),
    ("scheme", "red-black"),
    ("suite", SUITE),
    ("repository", "path-copying"),
];

/// Of the same with path copying a time, and its limit.
const fn beside(key: &'static str, limit: &'static str) -> [Cell; 2] {
    [Of(COPIED, key, Time), Of(COPIED, limit, Time)]
}

/// A size of the same.
const fn alone(key: &'static str) -> [Cell; 2] {
    [Of(COPIED, key, Bytes), Text("")]
}

/// Tuples of 10 000 keys in a steady state, in five designs.
const fn tuples(key: &'static str, unit: Unit) -> [Cell; 5] {
    [
        Of(
            &[
                ("experiment", "tuple_steady"),
                ("keys", "10000"),
                ("design", "base-superseding"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "tuple_steady"),
                ("keys", "10000"),
                ("design", "base-lightweight"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "tuple_steady"),
                ("keys", "10000"),
                ("design", "spec-superseding"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "tuple_steady"),
                ("keys", "10000"),
                ("design", "spec-lightweight"),
            ],
            key,
            unit,
        ),
        Of(
            &[
                ("experiment", "tuple_steady"),
                ("keys", "10000"),
                ("design", "spec-lightweight-3"),
            ],
            key,
            unit,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    fn lines() -> Vec<Line> {
        let designs = [
            "base-superseding",
            "base-lightweight",
            "spec-superseding",
            "spec-lightweight",
            "spec-lightweight-3",
        ];
        let line = |design| {
            line! {
                experiment: "tuple_steady", keys: 10_000, design: design, author_us: 156_000.4, update_bytes: 640_000.0,
                apply_us: 0.0456, memory_bytes_per_update: 344.4, prove_us: 1.24, proof_bytes: 138.0,
            }
        };
        designs.map(line).to_vec()
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
