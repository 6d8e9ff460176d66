//! Checks statements of documents: names of tests, targets of links, and where `unsafe` is allowed.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// Returns the root of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the files with this extension in a folder and its subfolders.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found
}

/// Returns the names of all functions in the sources of the workspace.
fn functions() -> HashSet<String> {
    let mut found = HashSet::new();
    for path in files(&workspace().join("crates"), "rs") {
        let text = fs::read_to_string(&path).unwrap();
        let names = text.split("fn ").skip(1).filter_map(|rest| {
            let end = rest.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
            rest.get(..end?).map(str::to_owned)
        });
        found.extend(names);
    }
    found
}

/// Each promise of the threat model names the tests that check it, as `module::test`.
#[test]
fn the_tests_that_the_threat_model_names_exist() {
    let known = functions();
    let pages = files(&workspace().join("docs/threat-model"), "md").into_iter();
    let text: String = pages
        .map(|page| fs::read_to_string(page).unwrap())
        .collect();
    let mut named = 0;
    for code in text.split('`').skip(1).step_by(2) {
        let Some((module, name)) = code.rsplit_once("::") else {
            continue;
        };
        let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        let is_test = |part: &str| !part.is_empty() && part.chars().all(is_of_name);
        // Other names, such as methods of types and whole modules, are not tests.
        if !module.split("::").all(is_test) || !is_test(name) || !name.contains('_') {
            continue;
        }
        assert!(known.contains(name), "{code}: there is no function {name}");
        named += 1;
    }
    assert!(named >= 15, "{named} tests are named");
}

#[test]
fn relative_links_of_documents_lead_to_files() {
    let of_root = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];
    let folders = ["crates", "data", "deploy", "docs", "examples"].into_iter();
    let found = folders.flat_map(|folder| files(&workspace().join(folder), "md"));
    let mut links = 0;
    for document in found.chain(of_root.map(|name| workspace().join(name))) {
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
    let workspace = workspace();
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let manifest = read(&workspace.join("Cargo.toml"));
    assert!(manifest.contains("\nunsafe_code = \"forbid\"\n"));
    let mut others = 0;
    for member in fs::read_dir(workspace.join("crates")).unwrap() {
        let folder = member.unwrap().path();
        let manifest = read(&folder.join("Cargo.toml"));
        if folder.ends_with("montgomery-lanes") {
            assert!(manifest.contains("\nunsafe_code = \"deny\"\n"));
            let sources = files(&folder.join("src"), "rs").into_iter();
            let text: String = sources.map(|path| read(&path)).collect();
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
    let folder = workspace().join("docs/decisions");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    let found = files(&folder, "md");
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
    let docs = workspace().join("docs");
    let text = fs::read_to_string(docs.join("architecture.md")).unwrap();
    let mut steps = 0;
    for line in text.lines() {
        let step = line
            .strip_prefix("| ")
            .and_then(|line| line.split_once(" | [`"));
        let Some((Ok(number), rest)) = step.map(|(number, rest)| (number.parse::<u8>(), rest))
        else {
            continue;
        };
        let (function, rest) = rest.split_once("`](").unwrap();
        let file = docs.join(rest.split(')').next().unwrap());
        let code = fs::read_to_string(&file).unwrap();
        let is_there = ["(", "<"].map(|next| code.contains(&format!("fn {function}{next}")));
        assert!(is_there.contains(&true), "{number}: {}", file.display());
        assert!(number <= 8, "a walk is longer than 8");
        steps += 1;
    }
    assert_eq!(steps, 16);
}
