//! Tables that compare third-party dictionaries with ours.

use serde_json::Value;

use crate::{line, prelude::*};

/// Makes the tables of `bench peers`: times and bytes for each number of keys, then a description
/// of each dictionary.
pub fn report(lines: &[Line]) -> Tables {
    let all: Vec<&Line> = lines.iter().collect();
    let mut tables = Tables::default();
    let mut sizes = groups(&all, &["keys"]);
    sizes.sort_by_key(|size| size[0].count("keys"));
    for size in &sizes {
        let rows: Vec<Line> = groups(size, &["peer"]).iter().map(|of| row(of)).collect();
        let rows: Vec<&Line> = rows.iter().collect();
        show_of("peers", nothing, &mut tables, &rows);
    }
    if !all.is_empty() {
        descriptions(&mut tables, &groups(&all, &["peer"]));
    }
    tables.signed(lines)
}

/// Makes one row from all result lines of a dictionary with one number of keys.
fn row(of: &[&Line]) -> Line {
    let figure = |operation: &str, changes: Option<u64>, key: &str| {
        let is_asked = |line: &&&Line| {
            line.text("operation") == operation
                && changes.is_none_or(|changes| line.count("changes") == changes)
        };
        of.iter().find(is_asked)?.number(key)
    };
    let keys = of[0].count("keys").max(1) as f64;
    let each = |figure: Option<f64>| figure.map(|figure| figure / keys);
    let us = |operation: &str| figure(operation, None, "median_us");
    // Snapshots are measured with several numbers of changes. These closures select one of them.
    let of_1 = |operation: &str, key: &str| figure(operation, Some(1), key);
    let of_100 = |operation: &str, key: &str| figure(operation, Some(100), key);
    line! {
        peer: of[0].text("peer"), keys: of[0].count("keys"), load_us: each(us("load")),
        snapshot_1_us: of_1("snapshot", "us"), snapshot_100_us: of_100("snapshot", "us"),
        signature_us: of_1("snapshot", "signature_us"),
        signature_100_us: of_100("snapshot", "signature_us"), apply_load_us: each(us("apply_load")),
        apply_1_us: of_1("apply", "us"), apply_100_us: of_100("apply", "us"),
        prove_present_us: us("prove_present"), prove_old_us: us("prove_old"),
        prove_absent_us: us("prove_absent"), verify_present_us: us("verify_present"),
        verify_absent_us: us("verify_absent"),
        prove_present_bytes: figure("prove_present", None, "bytes"),
        prove_absent_bytes: figure("prove_absent", None, "bytes"),
        snapshot_1_bytes: of_1("snapshot", "bytes"),
        snapshot_100_bytes: of_100("snapshot", "bytes"), grown_us: us("prove_growth"),
        verify_grown_us: us("verify_growth"), grown_bytes: figure("prove_growth", None, "bytes"),
        all_grown_us: us("prove_growth_of_all"), verify_all_grown_us: us("verify_growth_of_all"),
        all_grown_bytes: figure("prove_growth_of_all", None, "bytes"),
        memory_bytes: each(figure("memory", None, "bytes")),
        author_bytes: each(figure("memory", None, "author_bytes")),
        stored_bytes: each(figure("memory", None, "stored_bytes")),
    }
}

fn descriptions(tables: &mut Tables, peers: &[Vec<&Line>]) {
    tables.heading("The dictionaries and their limits", "");
    let rows = peers.iter().map(|of| {
        let line = of[0];
        let texts = "peer version licence hash threads medium differs includes".split(' ');
        let mut row: Vec<String> = texts.map(|key| line.text(key).to_owned()).collect();
        row.insert(row.len() - 2, limits(line));
        row
    });
    let titles = "dictionary,version,licence,hash function,threads,contents in,cannot,differs in,\
        a snapshot includes";
    let titles: Vec<&str> = titles.split(',').collect();
    tables.rows(&titles, &titles, rows.collect());
}

fn limits(line: &Line) -> String {
    let limits = line.get("can_not").and_then(Value::as_array);
    let limits = limits.into_iter().flatten().filter_map(Value::as_str);
    limits.collect::<Vec<_>>().join("; ")
}
