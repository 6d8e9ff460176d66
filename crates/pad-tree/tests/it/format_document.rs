//! `docs/format.md` cannot rot: every block of it that is tagged with a vector equals that vector,
//! and the vectors equal what the code produces (`vectors.rs`).
//!
//! A tagged block starts with ```` ```hex vector: FILE POINTER ````, where `FILE` is a file of
//! `docs/vectors/trees` without its extension and `POINTER` a JSON pointer to a text in it. In the block,
//! `#` starts a comment and white space does not count.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use pad_core::Domain;
use serde_json::Value;

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    fs::read_to_string(path).expect("docs/format.md")
}

fn vectors(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors/trees");
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("a vector file");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn every_tagged_block_is_its_vector() {
    let document = document();
    let mut lines = document.lines().enumerate();
    let mut seen = BTreeSet::new();
    while let Some((number, line)) = lines.next() {
        let Some(tag) = line.strip_prefix("```hex vector: ") else {
            continue;
        };
        let (file, pointer) = tag.split_once(' ').expect("a file and a pointer");
        let block = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```");
        let digits: String = block
            .flat_map(|line| line.split('#').next().unwrap_or("").split_whitespace())
            .collect();
        let vector = vectors(file);
        let expected = vector.pointer(pointer).and_then(Value::as_str);
        assert_eq!(
            Some(&*digits),
            expected,
            "docs/format.md, line {}: {tag}",
            number + 1
        );
        seen.insert(tag);
    }
    assert!(seen.len() >= 30, "the worked examples are there: {seen:?}");
}

/// The most that all published vectors may take.
const MOST_BYTES: u64 = 8_000_000;

/// The files in a folder of published vectors, by their paths below it, and how long they are.
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors");
    let mut found = BTreeMap::new();
    files(&folder, "", &mut found);
    let bytes: u64 = found.values().sum();
    assert!(bytes < MOST_BYTES, "{bytes} bytes of vectors");
    found.remove("README.md").expect("what the fields mean");
    let document = document();
    let (_, section) = document
        .split_once("\n## Published vectors\n")
        .expect("the section about them");
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
fn every_tag_and_every_kind_is_listed() {
    let document = document();
    for domain in Domain::ALL {
        assert!(
            document.contains(&format!("`{}`", domain.tag())),
            "{domain:?}"
        );
    }
    for kind in (1..=9).chain(16..=22) {
        assert!(document.contains(&format!("\n| {kind} | ")), "kind {kind}");
    }
    for suite in ["sha256-ed25519", "blake3-ed25519", "paper-2010"] {
        assert!(document.contains(suite), "{suite}");
    }
}
