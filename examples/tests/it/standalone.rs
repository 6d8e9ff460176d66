//! Runs a program outside of the workspace for each crate that is documented as usable on its own.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The names of the programs, each with the expected last line.
const PROGRAMS: [(&str, &str); 8] = [
    ("pad-log", "these are all certificates\n"),
    ("pad-accumulators", "ada is a guest\n"),
    ("block-directory", "found twice\n"),
    (
        "flexlist",
        "the server has the blocks that it was asked for\n",
    ),
    (
        "pad-tree",
        "apple costs 4, it cost 3, and there is no plum\n",
    ),
    (
        "pad-tuple",
        "apple costs 4, it cost 3, and there is no plum\n",
    ),
    ("transparency-log", "the witness has seen this checkpoint\n"),
    ("pad-conformance", "four wrong families are refused\n"),
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn folder(name: &str) -> PathBuf {
    workspace().join("examples/standalone").join(name)
}

/// Runs cargo offline; returns its standard output.
fn cargo(folder: &Path, arguments: &[&OsStr]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(folder).args(arguments);
    // A program that runs checks runs the short ones.
    command.env_remove("SOAK");
    let output = command.args(["--locked", "--offline"]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}: {errors}\nif a lock file is to blame: scripts/lock-standalone.sh",
        folder.display()
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The programs share a target folder, so that most crates are compiled once. This still takes
/// minutes.
#[test]
fn programs_outside_of_the_workspace_run() {
    if !pad_conformance::soak::enabled() {
        return;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standalone");
    for (name, said) in PROGRAMS {
        let words = ["run", "--quiet", "--target-dir"].map(OsStr::new);
        let arguments = [&words[..], &[target.as_os_str()]].concat();
        let printed = cargo(&folder(name), &arguments);
        assert!(printed.ends_with(said), "{name}: {printed}");
    }
}

/// Returns the names and versions of the packages in a lock file.
fn locked(path: &Path) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(path).unwrap();
    let field = |block: &str, name: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    let blocks = text.split("[[package]]").skip(1);
    blocks
        .filter_map(|block| Some((field(block, "name = ")?, field(block, "version = ")?)))
        .collect()
}

/// The programs depend on the versions that the workspace was tested with.
#[test]
fn programs_outside_of_the_workspace_have_its_versions() {
    let ours = locked(&workspace().join("Cargo.lock"));
    for (name, _) in PROGRAMS {
        let theirs = locked(&folder(name).join("Cargo.lock"));
        let others: Vec<_> = theirs.difference(&ours).collect();
        assert_eq!(others.len(), 1, "{name}: all but itself: {others:?}");
    }
}

/// Returns the number of other crates that a program compiles. `arguments` are for `cargo tree`.
fn dependencies(folder: &Path, arguments: &str) -> usize {
    let words = format!("tree --edges normal --prefix none{arguments}");
    let words: Vec<&OsStr> = words.split(' ').map(OsStr::new).collect();
    let printed = cargo(folder, &words);
    let lines = printed.lines().map(|line| line.trim_end_matches(" (*)"));
    let crates: BTreeSet<&str> = lines.filter(|line| !line.is_empty()).collect();
    crates.len() - 1
}

/// The table of standalone programs counts dependencies with default features and with the
/// program's features.
#[test]
fn the_table_of_programs_counts_dependencies() {
    let readme = fs::read_to_string(workspace().join("examples/README.md")).unwrap();
    for (name, _) in PROGRAMS {
        let all = dependencies(&workspace(), &format!(" --package {name}"));
        // Excludes the crate itself.
        let some = dependencies(&folder(name), "") - 1;
        let counts = format!(" | {all} | {some} |");
        let row = format!("| [`{name}`](standalone/{name}) |");
        let row = readme.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("no row of {name}; {counts}"));
        assert!(row.ends_with(&counts), "{row}\nshould end with {counts}");
    }
}
