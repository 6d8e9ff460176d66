//! Tables in documents and crate documentation: renderers drop or break tables whose rows differ in
//! length.

use std::{fs, path::Path};

/// Calls `take` with every document and source of the workspace.
fn texts(folder: &Path, take: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                texts(&path, take);
            }
        } else if [".rs", ".md"].iter().any(|ending| name.ends_with(ending)) {
            take(&path, &fs::read_to_string(&path).unwrap());
        }
    }
}

/// The number of cells of a row. Renderers treat an unescaped bar as a cell separator, even within
/// code.
fn cells(row: &str) -> usize {
    row.replace(r"\|", "").matches('|').count() - 1
}

/// Returns whether a row is the rule below a table's header.
fn is_rule(row: &str) -> bool {
    row.contains("--") && row.chars().all(|letter| "|-: ".contains(letter))
}

#[test]
fn rows_of_a_table_are_as_long_as_its_header() {
    let mut tables = 0;
    texts(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        &mut |path, text| {
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            let mut is_code = false;
            let mut table: Vec<&str> = Vec::new();
            for line in text.lines().chain([""]) {
                let line = if is_source {
                    let line = line.trim_start();
                    let comment = line
                        .strip_prefix("//!")
                        .or_else(|| line.strip_prefix("///"));
                    // A comment's end also ends an example.
                    is_code &= comment.is_some();
                    comment.unwrap_or_default()
                } else {
                    line
                };
                let line = line.trim();
                is_code ^= line.starts_with("```");
                if line.starts_with('|') && !is_code {
                    table.push(line);
                    continue;
                }
                if let [header, rule, rows @ ..] = &table[..] {
                    assert!(is_rule(rule), "{}: {header}", path.display());
                    for row in rows.iter().chain([rule]) {
                        assert_eq!(cells(row), cells(header), "{}: {row}", path.display());
                    }
                    tables += 1;
                }
                table.clear();
            }
        },
    );
    assert!(tables > 60, "{tables}");
}
