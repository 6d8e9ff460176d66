//! Checks that the pages in `docs/format` agree with the published vectors: each tagged block must
//! equal its vector.
//!
//! The tests of the families compare the vectors with the code. A tagged block starts with
//! ```` ```hex vector: FILE FIELD ````. `FILE` is a file of `docs/vectors/trees` without its
//! extension, `FIELD` a JSON pointer to a string in it. [`TAGS`] lists the other families. In a
//! block, `#` starts a comment, and white space is ignored.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use pad_conformance::published;
use pad_core::internals::Domain;
use serde_json::Value;

const ACCUMULATOR: &str = "```hex accumulator vector: ";

/// The families. Each has the beginning of its tagged blocks, the folder of its files, the prefix
/// of its JSON pointers, and the minimum number of blocks.
const TAGS: [(&str, &str, &str, usize); 4] = [
    ("```hex vector: ", "trees", "", 30),
    ("```hex tuple vector: ", "tuples", "", 11),
    (ACCUMULATOR, "accumulators", "/messages/", 8),
    ("```hex flexlist vector: ", "files", "", 14),
];

fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Returns the pages of the format, with their names.
fn pages() -> Vec<(String, String)> {
    let page = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.expect("an entry of docs/format");
        let text = fs::read_to_string(entry.path()).expect("a page");
        (entry.file_name().into_string().expect("UTF-8"), text)
    };
    let entries = fs::read_dir(documents().join("format"));
    entries.expect("docs/format").map(page).collect()
}

fn document() -> String {
    pages().into_iter().map(|(_, text)| text).collect()
}

#[test]
fn every_tagged_block_is_its_vector() {
    let pages = pages();
    for (start, folder, inside, least) in TAGS {
        let mut lines = pages.iter().flat_map(|(page, text)| {
            let numbered = text.lines().enumerate();
            numbered.map(move |(index, line)| ((page, index + 1), line))
        });
        let mut seen = BTreeSet::new();
        while let Some(((page, number), line)) = lines.next() {
            let Some(tag) = line.strip_prefix(start) else {
                continue;
            };
            let (file, field) = tag.split_once(' ').expect("a file and a field");
            let block = lines.by_ref().map(|(_, line)| line);
            let block = block.take_while(|line| *line != "```");
            let uncommented = block.map(|line| line.split('#').next().unwrap_or(""));
            let digits: String = uncommented.flat_map(str::split_whitespace).collect();
            let vector: Value = published::read(&format!("{folder}/{file}"));
            let expected = vector.pointer(&format!("{inside}{field}"));
            let expected = expected.and_then(Value::as_str);
            assert_eq!(Some(&*digits), expected, "{page}, line {number}: {tag}");
            seen.insert(tag);
        }
        assert!(seen.len() >= least, "the examples are there: {seen:?}");
    }
}

/// Maximum total size of all published vectors, in bytes.
const MOST_BYTES: u64 = 8_000_000;

/// Collects the files in a folder of published vectors, by their paths below it, with their
/// lengths.
fn files(folder: &Path, below: &str, found: &mut BTreeMap<String, u64>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let metadata = entry.metadata().expect("metadata");
        if metadata.is_dir() {
            files(&entry.path(), &format!("{below}{name}/"), found);
        } else {
            found.insert(format!("{below}{name}"), metadata.len());
        }
    }
}

#[test]
fn every_file_of_vectors_is_named() {
    let mut found = BTreeMap::new();
    files(&documents().join("vectors"), "", &mut found);
    let bytes: u64 = found.values().sum();
    assert!(bytes < MOST_BYTES, "{bytes} bytes of vectors");
    found.remove("README.md").expect("what the fields mean");
    let document = document();
    let section = document.split_once("\n## Published vectors\n");
    let (_, section) = section.expect("the section about them");
    let section = section.split("\n## ").next().unwrap_or(section);
    let named = section.split('`').skip(1).step_by(2);
    let named: Vec<&str> = named
        .filter(|name| Path::new(name).extension().is_some_and(|of| of == "json"))
        .collect();
    let each: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(each.len(), named.len(), "each is named once");
    assert_eq!(each, found.keys().map(String::as_str).collect());
}

#[test]
fn every_tag_kind_suite_and_design_is_listed() {
    let document = document();
    for domain in Domain::ALL {
        let tag = format!("`{}`", domain.tag());
        assert!(document.contains(&tag), "{domain:?}");
    }
    for kind in (1..=9).chain(16..=22).chain(48..=58).chain(64..=68) {
        assert!(document.contains(&format!("\n| {kind} | ")), "kind {kind}");
    }
    for suite in ["sha256-ed25519", "blake3-ed25519", "paper-2010"] {
        assert!(document.contains(suite), "{suite}");
    }
    // Each of these designs has its own file.
    let mut of_tuples = BTreeMap::new();
    files(&documents().join("vectors/tuples"), "", &mut of_tuples);
    let mut designs = BTreeSet::new();
    for file in of_tuples.keys() {
        let vector: Value = published::read(&format!("tuples/{}", file.replace(".json", "")));
        let Some(name) = vector["design"].as_str() else {
            continue;
        };
        let number = vector["scheme_id"].as_u64().expect("a number");
        designs.insert(format!("`{number:04x}` {name}"));
    }
    assert!(designs.len() >= 15, "{designs:?}");
    for design in designs {
        assert!(document.contains(&design), "{design}");
    }
}
