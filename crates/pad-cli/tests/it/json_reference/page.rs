//! The tables in docs/json.md, and their comparison with output.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::bench::{Bench, text};

/// Documented fields that no command of the test prints: section, field and reason.
const RARE: &[(&str, &str, &str)] = &[
    (
        "Servers",
        "cut_connections",
        "a client must hold a connection for longer than the server waits",
    ),
    (
        "pad parameters",
        "origin",
        "the file of a known ceremony is large",
    ),
    (
        "pad file status",
        "update",
        "an update must be interrupted after the server has it",
    ),
];

/// Title of the section that defines names.
const VOCABULARY: &str = "Vocabulary";

/// A section of docs/json.md.
#[derive(Default)]
struct Section {
    /// Types of the fields. A field in two tables of a section has two types.
    fields: BTreeMap<String, BTreeSet<String>>,
    /// Anchors of other sections whose fields belong to the objects of this one.
    includes: Vec<String>,
    /// Anchors of sections that describe the object in a field.
    nested: Vec<(String, String)>,
}

/// Returns the texts between `open` and `close`.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    let parts = text.split(open).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(close)?.0))
        .collect()
}

impl Section {
    fn add(&mut self, line: &str) {
        let Some(row) = line.strip_prefix("| `") else {
            let links = between(line, "](#", ")").into_iter();
            self.includes.extend(links.map(str::to_owned));
            return;
        };
        let mut cells = row.split(" | ");
        let names = format!("`{}", cells.next().unwrap());
        let kind = cells.next().unwrap();
        assert!(cells.next().is_some(), "no meaning: {line}");
        let names = names.split(", ").map(|name| name.trim_matches('`'));
        for name in names {
            for link in between(kind, "](#", ")") {
                self.nested.push((name.to_owned(), link.to_owned()));
            }
            let kind = kind.split(" (").next().unwrap();
            let kinds = self.fields.entry(name.to_owned()).or_default();
            kinds.extend(kind.split(" or ").map(str::to_owned));
        }
    }
}

/// The sections of docs/json.md, by anchor.
pub(super) struct Reference {
    sections: BTreeMap<String, Section>,
    /// The names in the vocabulary.
    vocabulary: BTreeSet<String>,
}

impl Reference {
    pub(super) fn read() -> Self {
        let page = include_str!("../../../../../docs/json.md");
        let (mut sections, mut vocabulary) = (BTreeMap::new(), BTreeSet::new());
        for part in page.split("\n## ").skip(1) {
            let mut lines = part.lines();
            let title = lines.next().unwrap();
            if title == VOCABULARY {
                let rows = lines.filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
                let names = rows.flat_map(|(names, _)| names.split('`').skip(1).step_by(2));
                vocabulary.extend(
                    names
                        .filter(|name| !name.starts_with(".."))
                        .map(str::to_owned),
                );
                continue;
            }
            let mut section = Section::default();
            lines.for_each(|line| section.add(line));
            let earlier = sections.insert(title.to_owned(), section);
            assert!(earlier.is_none(), "two sections {title}");
        }
        Self {
            sections,
            vocabulary,
        }
    }

    /// Asserts that a name has the same type in all objects, and that the vocabulary consists of
    /// names of fields.
    pub(super) fn check_vocabulary(&self) {
        let mut types: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (field, kinds) in self.sections.values().flat_map(|section| &section.fields) {
            let name = field.rsplit('.').next().unwrap();
            let kinds = kinds.iter().map(|kind| kind.replace("integer", "number"));
            types.entry(name.to_owned()).or_default().extend(kinds);
        }
        let unused: Vec<_> = self
            .vocabulary
            .iter()
            .filter(|name| !types.contains_key(*name))
            .collect();
        assert!(unused.is_empty(), "{unused:?}");
        assert!(!self.vocabulary.is_empty());
        types.retain(|name, kinds| kinds.len() > 1 && name != "shown");
        assert!(types.is_empty(), "{types:?}");
    }

    fn with_anchor(&self, anchor: &str) -> &str {
        let is_it = |title: &&String| title.to_lowercase().replace(' ', "-") == anchor;
        let title = self.sections.keys().find(is_it);
        title.unwrap_or_else(|| panic!("no section {anchor}"))
    }

    /// Returns the documented commands with the titles of their sections.
    pub(super) fn commands(&self) -> BTreeMap<&str, &str> {
        let titles = self
            .sections
            .keys()
            .filter(|title| title.starts_with("pad "));
        let each = titles.flat_map(|title| title.split(", ").map(|name| (name, title.as_str())));
        each.collect()
    }

    /// Finds the sections that document `field` for the objects of `title`, with its types there.
    fn find<'r>(&'r self, title: &'r str, field: &str) -> Vec<(&'r str, &'r BTreeSet<String>)> {
        let (mut found, mut known, mut next) = (Vec::new(), BTreeSet::new(), vec![title]);
        while let Some(title) = next.pop() {
            if !known.insert(title) {
                continue;
            }
            let section = &self.sections[title];
            found.extend(section.fields.get(field).map(|kinds| (title, kinds)));
            for (outer, anchor) in &section.nested {
                let inner = field.strip_prefix(outer.as_str());
                if let Some(inner) = inner.and_then(|inner| inner.strip_prefix('.')) {
                    found.extend(self.find(self.with_anchor(anchor), inner));
                }
            }
            let includes = section.includes.iter();
            next.extend(includes.map(|anchor| self.with_anchor(anchor)));
        }
        found
    }
}

/// Returns whether a value has a type of docs/json.md.
fn is_of(kind: &str, value: &Json) -> bool {
    let all = |test: fn(&Json) -> bool| value.as_array().is_some_and(|all| all.iter().all(test));
    match kind {
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "string" | "bytes" => value.is_string(),
        "object" => value.is_object(),
        "list" => value.is_array(),
        "list of strings" => all(Json::is_string),
        "list of integers" => all(Json::is_u64),
        "list of objects" => all(Json::is_object),
        _ => panic!("unknown type: {kind}"),
    }
}

/// The comparison of output with the reference.
pub(super) struct Comparison {
    reference: Reference,
    /// The documented fields that were printed: section and field.
    seen: BTreeSet<(String, String)>,
    /// The names of fields with hexadecimal digits that were printed.
    digits: BTreeSet<String>,
    commands: BTreeSet<String>,
    problems: BTreeSet<String>,
}

impl Comparison {
    pub(super) fn new() -> Self {
        Self {
            reference: Reference::read(),
            seen: BTreeSet::new(),
            digits: BTreeSet::new(),
            commands: BTreeSet::new(),
            problems: BTreeSet::new(),
        }
    }

    /// Compares the fields of an object in the field `outer` with the section `title`.
    fn compare(&mut self, title: &str, outer: &str, object: &Json) {
        for (name, value) in object.as_object().unwrap() {
            let path = format!("{outer}{name}");
            let text = path.strip_suffix("_hex").unwrap_or(&path);
            let mut found = self.reference.find(title, &path);
            if found.is_empty() {
                found = self.reference.find(title, text);
                found.retain(|(_, kinds)| kinds.contains("bytes"));
                if !found.is_empty() {
                    self.digits.insert(name.clone());
                }
            }
            found.retain(|(_, kinds)| kinds.iter().any(|kind| is_of(kind, value)));
            if found.is_empty() {
                self.problems.insert(format!("{title}: {path}: {value}"));
            }
            let found = found.into_iter().flat_map(|(title, _)| {
                [&path, text].map(|field| (title.to_owned(), field.to_owned()))
            });
            self.seen.extend(found);
            if value.is_object() {
                self.compare(title, &format!("{path}."), value);
            }
            for item in value.as_array().into_iter().flatten() {
                if item.is_object() {
                    self.compare(title, &format!("{path}[]."), item);
                }
            }
        }
    }

    /// Compares the lines of a command's standard output.
    pub(super) fn output(&mut self, line: &str, printed: &str) {
        let line = line.strip_prefix("--hex ").unwrap_or(line);
        let line = format!("pad {line} ");
        let commands = self.reference.commands();
        let named = commands.iter();
        let named = named.filter(|(name, _)| line.starts_with(&format!("{name} ")));
        let found = named.max_by_key(|(name, _)| name.len());
        let (name, title) = found.unwrap_or_else(|| panic!("not documented: {line}"));
        let (name, title) = ((*name).to_owned(), (*title).to_owned());
        for object in printed.lines() {
            let object = serde_json::from_str(object).unwrap();
            self.compare(&title, "", &object);
            self.commands.insert(name.clone());
        }
    }

    /// Runs command lines. A line that begins with `! ` must fail.
    pub(super) fn run(&mut self, bench: &Bench, lines: &[&str]) {
        for line in lines {
            let (line, succeeds) =
                (line.strip_prefix("! ")).map_or((*line, true), |line| (line, false));
            let mut command = bench.command();
            let words = line.split(' ').map(|word| word.trim_matches('\''));
            command.arg("--json").args(words);
            for variable in ["PAD_PASSPHRASE_FILE", "PAD_NEW_PASSPHRASE_FILE"] {
                command.env(variable, "pass");
            }
            let output = command.output().unwrap();
            let errors = text(&output.stderr);
            assert_eq!(output.status.success(), succeeds, "{line}: {errors}");
            self.output(line, &text(&output.stdout));
            for object in errors.lines() {
                let object: Json = serde_json::from_str(object).unwrap();
                let is_error = object.get("error").is_some();
                self.compare(if is_error { "Errors" } else { "Notes" }, "", &object);
            }
        }
    }

    /// Asserts that all output was documented, and that all that is documented was printed.
    pub(super) fn finish(self) {
        let problems = &self.problems;
        assert!(problems.is_empty(), "not documented: {problems:#?}");
        let documented: BTreeSet<_> = self.reference.commands().into_keys().collect();
        let printed = self.commands.iter().map(String::as_str).collect();
        assert_eq!(documented, printed);
        let sections = self.reference.sections.iter();
        let fields = sections.flat_map(|(title, section)| {
            let fields = section.fields.keys();
            fields.map(move |field| (title.clone(), field.clone()))
        });
        let unseen: BTreeSet<_> = fields.filter(|field| !self.seen.contains(field)).collect();
        let rare = RARE.iter();
        let rare = rare.map(|(title, field, _)| ((*title).to_owned(), (*field).to_owned()));
        assert_eq!(unseen, rare.collect());
        assert!(self.digits.contains("key_hex") && self.digits.contains("value_hex"));
    }
}
