use std::{fs, process::Command};

use super::*;
use crate::flexlist::trace::Edit;

/// The tree without files, which every repository knows.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A repository made for a test, away from whatever the machine is configured for.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.path())
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(["-c", "commit.gpgSign=false", "-c", "core.autocrlf=false"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=c"]);
    }

    /// Removes the blob of a file from the repository's objects.
    fn lose(&self, name: &str) {
        let differences = Git::new(self.path()).differences(EMPTY_TREE, "HEAD");
        let mut differences = differences.unwrap().into_iter();
        let lost = differences.find(|it| it.name == name.as_bytes()).unwrap();
        let blob = lost.after.unwrap();
        let objects = self.path().join(".git/objects");
        fs::remove_file(objects.join(&blob[..2]).join(&blob[2..])).unwrap();
    }

    fn cut(&self, commits: Option<u32>) -> Result<(CutSummary, Trace), CutError> {
        let folder = tempfile::tempdir().unwrap();
        let arguments = CutArguments {
            repository: self.path().to_owned(),
            output: folder.path().join("history.csv"),
            commits,
            check: false,
        };
        let summary = cut(&arguments, |_, _| ())?;
        Ok((summary, Trace::read(&arguments.output).unwrap()))
    }
}

fn added(path: usize, size: u64) -> FileChange {
    let change = Change::Add { size };
    FileChange { path, change }
}

fn edited(path: usize, edits: &[(u64, u64, u64)]) -> FileChange {
    let edit = |&(offset, removed, inserted): &(u64, u64, u64)| Edit {
        offset,
        removed,
        inserted,
    };
    let change = Change::Edit(edits.iter().map(edit).collect());
    FileChange { path, change }
}

/// Text edited at both ends, a binary file, a rename, an empty commit, odd names and lines.
fn with_history() -> Repository {
    let repository = Repository::new();
    repository.write("text", "one\ntwo\nthree\n");
    repository.write("a folder/bin\"\t", b"\0abcdef");
    repository.commit();
    repository.write("text", "zero\none\ntwo\nTHREE");
    repository.write("a folder/bin\"\t", b"\0abXYdef");
    repository.commit();
    repository.commit();
    repository.git(&["mv", "text", "a folder/text"]);
    repository.write("empty", "");
    repository.commit();
    repository.write("empty", "-- a\n++ b\n@@ -1 +1 @@\ndiff --git\n");
    repository.git(&["rm", "--quiet", "a folder/bin\"\t"]);
    repository.commit();
    repository
}

#[test]
fn cuts_what_happened() {
    let (summary, trace) = with_history().cut(None).unwrap();
    let expected = CutSummary {
        commits: 5,
        commits_with_changes: 4,
        files: 4,
        folders: 2,
        compared: 2,
        bytes: 18 + 33,
    };
    assert_eq!(summary, expected);
    let numbers: Vec<u64> = trace.commits.iter().map(|commit| commit.number).collect();
    assert_eq!(numbers, [1, 2, 4, 5]);
    let changes = |commit: usize| trace.commits[commit].changes.clone();
    // In the order of the names: 0 is in the folder, 1 is text, 2 the renamed text, 3 the empty file.
    assert_eq!(changes(0), [added(0, 7), added(1, 14)]);
    let text = edited(1, &[(0, 0, 5), (8, 6, 5)]);
    assert_eq!(changes(1), [edited(0, &[(3, 1, 2)]), text]);
    let moved = Change::Delete { size: 18 };
    let moved = FileChange {
        path: 1,
        change: moved,
    };
    assert_eq!(changes(2), [added(2, 18), added(3, 0), moved]);
    assert_eq!(changes(3)[1], edited(3, &[(0, 0, 33)]));
    let folders: Vec<u64> = trace.files.iter().map(|file| file.folder).collect();
    assert_eq!(folders, [0, 1, 0, 1]);
    assert_eq!(trace.final_sizes, [None, None, Some(18), Some(33)]);
}

#[test]
fn a_window_begins_with_what_was_there() {
    let repository = with_history();
    let (summary, trace) = repository.cut(Some(2)).unwrap();
    assert_eq!((summary.commits, summary.commits_with_changes), (2, 2));
    let initial: Vec<_> = trace.files.iter().map(|file| file.initial_size).collect();
    assert_eq!(initial, [Some(8), Some(18), None, None]);
    assert_eq!(trace.commits[0].number, 1);
    // As many as there are, and more than that: the whole history.
    let whole = repository.cut(None).unwrap();
    assert_eq!(repository.cut(Some(5)).unwrap(), whole);
    assert_eq!(repository.cut(Some(9)).unwrap(), whole);
    // From a folder inside, too.
    let inside = CutArguments {
        repository: repository.path().join("a folder"),
        output: repository.path().join("history.csv.zst"),
        commits: None,
        check: false,
    };
    assert_eq!(cut(&inside, |_, _| ()).unwrap(), whole.0);
    assert_eq!(Trace::read(&inside.output).unwrap(), whole.1);
}

#[test]
fn submodules_are_left_out_and_links_are_files() {
    let repository = Repository::new();
    let submodule = format!("160000,{},module", "1".repeat(40));
    repository.write("file", "12345");
    repository.commit();
    repository.git(&["update-index", "--add", "--cacheinfo", &submodule]);
    repository.git(&["commit", "--quiet", "--message=c"]);
    // A submodule becomes a file and a file a link; a file becomes executable and does not change.
    repository.write("module", "123");
    repository.write("same", "1");
    repository.commit();
    fs::remove_file(repository.path().join("file")).unwrap();
    std::os::unix::fs::symlink("12345678", repository.path().join("file")).unwrap();
    repository.git(&["update-index", "--chmod=+x", "same"]);
    repository.git(&["add", "file"]);
    repository.git(&["commit", "--quiet", "--message=c"]);
    let (summary, trace) = repository.cut(None).unwrap();
    assert_eq!((summary.commits, summary.commits_with_changes), (4, 3));
    assert_eq!(trace.final_sizes, [Some(8), Some(3), Some(1)]);
    assert_eq!(trace.commits[1].changes, [added(1, 3), added(2, 1)]);
    assert_eq!(trace.commits[2].changes, [edited(0, &[(5, 0, 3)])]);
}

#[test]
fn merges_count_once() {
    let repository = Repository::new();
    repository.write("a", "a");
    repository.commit();
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.write("b", "b");
    repository.commit();
    repository.write("b", "bb");
    repository.commit();
    repository.git(&["checkout", "--quiet", "main"]);
    repository.git(&["merge", "--quiet", "--no-ff", "--message=m", "side"]);
    let (summary, trace) = repository.cut(None).unwrap();
    assert_eq!(summary.commits, 2);
    assert_eq!(trace.commits[1].changes, [added(1, 2)]);
}

#[test]
fn the_users_settings_change_nothing() {
    let repository = with_history();
    let plain = repository.cut(None).unwrap();
    for (name, value) in [
        ("diff.algorithm", "patience"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.external", "false"),
        ("diff.noprefix", "true"),
        ("diff.indentHeuristic", "false"),
        ("color.ui", "always"),
        ("core.quotePath", "false"),
    ] {
        repository.git(&["config", name, value]);
    }
    assert_eq!(repository.cut(None).unwrap(), plain);
}

#[test]
fn every_random_history_comes_back() {
    let mut random = crate::workload::Random::new(3);
    let repository = Repository::new();
    for _ in 0..25 {
        for _ in 0..=random.below(3) {
            let name = format!("{}/{}", random.below(2), random.below(4));
            let lines = random.below(12);
            let line = |random: &mut crate::workload::Random| match random.below(9) {
                0 => "\0".to_owned(),
                1 => String::new(),
                number => format!("line {number}\n"),
            };
            let text: String = (0..lines).map(|_| line(&mut random)).collect();
            repository.write(&name, text);
            if random.below(4) == 0 {
                fs::remove_file(repository.path().join(name)).unwrap();
            }
        }
        repository.commit();
    }
    // Content is compared while cutting, sizes at the end.
    let (summary, trace) = repository.cut(None).unwrap();
    assert_eq!(summary.commits, 25);
    assert!(trace.commits.len() > 15, "{}", trace.commits.len());
}

#[test]
fn checking_leaves_no_file() {
    let (repository, folder) = (with_history(), tempfile::tempdir().unwrap());
    let arguments = CutArguments {
        repository: repository.path().to_owned(),
        output: folder.path().join("history.csv"),
        commits: None,
        check: true,
    };
    assert_eq!(cut(&arguments, |_, _| ()).unwrap().compared, 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = |repository: &Path, output: &str| CutArguments {
        repository: repository.to_owned(),
        output: folder.path().join(output),
        commits: None,
        check: false,
    };
    let refusal = |arguments| cut(&arguments, |_, _| ()).unwrap_err();
    let repository = with_history();
    for name in ["history.txt", ".csv", "history.zst"] {
        let refused = refusal(arguments(repository.path(), name));
        assert!(matches!(refused, CutError::OutputName(_)), "{refused}");
    }
    let refused = refusal(arguments(repository.path(), "nowhere/history.csv"));
    assert!(matches!(refused, CutError::Write(..)), "{refused}");
    let refused = refusal(arguments(folder.path(), "history.csv"));
    assert!(
        matches!(refused, CutError::Refused("rev-parse", _)),
        "{refused}"
    );
    let empty = Repository::new();
    let refused = refusal(arguments(empty.path(), "history.csv"));
    assert!(matches!(refused, CutError::NoCommit), "{refused}");
    let lost = Repository::new();
    lost.write("lost", "lost");
    lost.commit();
    lost.lose("lost");
    let refused = refusal(arguments(lost.path(), "history.csv"));
    assert!(matches!(refused, CutError::MissingObject(_)), "{refused}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_trace_that_is_wrong_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("history.csv");
    let written = |size, changes| {
        let mut names = Names::default();
        names.initial(b"name", size);
        let mut rows = RowWriter::create(&output).unwrap();
        let commit = Commit {
            number: 1,
            line: 0,
            changes,
        };
        rows.commit(&commit);
        (rows.finish(&names.files).unwrap(), names)
    };
    let tree = |files: &[(&str, u64)]| -> BTreeMap<Vec<u8>, u64> {
        let name = |(name, size): &(&str, u64)| (name.as_bytes().to_vec(), *size);
        files.iter().map(name).collect()
    };
    let compare = |(written, names): (Written, Names), files: &[(&str, u64)]| {
        compare(&written, &names, &tree(files), &output)
    };
    let edit = || vec![edited(0, &[(0, 0, 1)])];
    assert_eq!(compare(written(5, edit()), &[("name", 6)]).unwrap(), (1, 6));
    let refused = compare(written(5, edit()), &[("name", 5)]).unwrap_err();
    let sizes = (Some(6), Some(5));
    assert!(
        matches!(refused, CutError::SizeDiffers { path: 0, replayed, real } if (replayed, real) == sizes)
    );
    let refused = compare(written(5, edit()), &[("name", 6), ("other", 1)]).unwrap_err();
    assert!(matches!(refused, CutError::Unseen(name) if name == "other"));
    let refused = compare(written(5, vec![added(0, 1)]), &[("name", 6)]).unwrap_err();
    assert!(matches!(refused, CutError::ReadBack(_)));
}
