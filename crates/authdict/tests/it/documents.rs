//! Checks statements of documents: names of tests, targets of links, and where `unsafe` is allowed.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// Collects the names of all functions in the sources of the workspace.
fn functions(folder: &Path, found: &mut HashSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let names = text.split("fn ").skip(1).filter_map(|rest| {
                let end = rest.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
                rest.get(..end?).map(str::to_owned)
            });
            found.extend(names);
        }
    }
}

/// Each promise of the threat model names the tests that check it, as `module::test`.
#[test]
fn the_tests_that_the_threat_model_names_exist() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut known = HashSet::new();
    functions(&workspace.join("crates"), &mut known);
    let pages = fs::read_dir(workspace.join("docs/threat-model")).unwrap();
    let text: String = pages
        .map(|page| fs::read_to_string(page.unwrap().path()).unwrap())
        .collect();
    let mut named = 0;
    for code in text.split('`').skip(1).step_by(2) {
        let Some((module, name)) = code.rsplit_once("::") else {
            continue;
        };
        let is_test = |part: &str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|letter| letter.is_ascii_lowercase() || letter == '_')
        };
        // Other names, such as methods of types and whole modules, are not tests.
        if !module.split("::").all(is_test) || !is_test(name) || !name.contains('_') {
            continue;
        }
        assert!(known.contains(name), "{code}: there is no function {name}");
        named += 1;
    }
    assert!(named >= 15, "{named} tests are named");
}

/// Collects the Markdown documents in a folder and its subfolders.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn relative_links_of_documents_lead_to_files() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
        .map(|name| workspace.join(name))
        .to_vec();
    for folder in ["crates", "data", "deploy", "docs", "examples"] {
        documents(&workspace.join(folder), &mut found);
    }
    let mut links = 0;
    for document in found {
        let text = fs::read_to_string(&document).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| {
            let target = rest.split([')', '#']).next()?;
            (!target.is_empty() && !target.contains("://")).then_some(target)
        });
        for target in targets {
            let path = document.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target}", document.display());
            links += 1;
        }
    }
    assert!(links > 100, "{links} links");
}

/// The README says that one crate has one `unsafe` block, and that all others forbid it.
#[test]
fn unsafe_code_is_forbidden_in_all_crates_but_one() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let manifest = read(&workspace.join("Cargo.toml"));
    assert!(manifest.contains("\nunsafe_code = \"forbid\"\n"));
    let mut others = 0;
    for member in fs::read_dir(workspace.join("crates")).unwrap() {
        let folder = member.unwrap().path();
        let manifest = read(&folder.join("Cargo.toml"));
        if folder.ends_with("montgomery-lanes") {
            assert!(manifest.contains("\nunsafe_code = \"deny\"\n"));
            let sources = fs::read_dir(folder.join("src")).unwrap();
            let sources = sources.map(|entry| entry.unwrap().path());
            let text: String = sources
                .filter(|path| path.is_file())
                .map(|path| read(&path))
                .collect();
            assert_eq!(text.matches("unsafe {").count(), 1);
            assert_eq!(text.matches("unsafe_code,").count(), 1);
        } else {
            let forbids = ["[lints]\nworkspace = true", "\nunsafe_code = \"forbid\"\n"];
            let forbids = forbids.iter().any(|lines| manifest.contains(lines));
            assert!(forbids, "{}", folder.display());
            others += 1;
        }
    }
    assert!(others >= 20, "{others} crates");
}

#[test]
fn the_index_lists_every_decision() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/decisions");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut found = Vec::new();
    documents(&folder, &mut found);
    assert!(found.len() > 40);
    for decision in found {
        let name = decision.file_name().unwrap().to_str().unwrap();
        let is_listed = index.contains(&format!("]({name})"));
        assert!(is_listed || name == "README.md", "{name}");
    }
}

/// Each walk-through in `docs/architecture.md` must name functions in the files that it links to.
#[test]
fn the_walks_of_the_architecture_name_functions() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = fs::read_to_string(docs.join("architecture.md")).unwrap();
    let mut steps = 0;
    for line in text.lines() {
        let step = line
            .strip_prefix("| ")
            .and_then(|line| line.split_once(" | [`"));
        let Some((number, rest)) = step.filter(|(number, _)| number.parse::<u8>().is_ok()) else {
            continue;
        };
        let (function, rest) = rest.split_once("`](").unwrap();
        let file = docs.join(rest.split(')').next().unwrap());
        let code = fs::read_to_string(&file).unwrap();
        let is_there = ["(", "<"].map(|next| code.contains(&format!("fn {function}{next}")));
        assert!(is_there.contains(&true), "{number}: {}", file.display());
        assert!(
            number.parse::<u8>().unwrap() <= 8,
            "a walk is longer than 8"
        );
        steps += 1;
    }
    assert_eq!(steps, 16);
}
