//! What documents name is there.

use std::{collections::HashSet, fs, path::Path};

/// The names of all functions in the sources of the workspace.
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

/// Each promise of the threat model names the tests that hold it, as `module::test`.
#[test]
fn the_tests_that_the_threat_model_names_exist() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut known = HashSet::new();
    functions(&workspace.join("crates"), &mut known);
    let text = fs::read_to_string(workspace.join("docs/threat-model.md")).unwrap();
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
        // A type's method, or a whole module, is named otherwise.
        if !module.split("::").all(is_test) || !is_test(name) || !name.contains('_') {
            continue;
        }
        assert!(known.contains(name), "{code}: there is no function {name}");
        named += 1;
    }
    assert!(named >= 15, "{named} tests are named");
}
