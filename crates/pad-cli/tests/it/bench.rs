//! Runs the real binary in a temporary folder.

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Arc, Mutex, OnceLock},
};

use serde_json::Value as Json;
use tempfile::TempDir;

pub(crate) struct Bench {
    pub(crate) folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Creates a folder with a key `k` of a scheme, and its public key `k.pub`.
    pub(crate) fn with_key(scheme: &str) -> Self {
        Self::shared(&format!("{scheme}, a key"), || {
            let bench = Self::new();
            bench.ok(&format!("keygen --out k --scheme {scheme}"));
            bench
        })
    }

    /// Creates a folder with a key `k`, its public key `k.pub`, and a store `s` with a trace of
    /// three versions. All folders have the same files.
    pub(crate) fn with_trace() -> Self {
        Self::with_trace_of("red-black")
    }

    /// Creates a folder like [`Self::with_trace`], with a key of this scheme.
    pub(crate) fn with_trace_of(scheme: &str) -> Self {
        Self::shared(&format!("{scheme}, with a trace"), || {
            let bench = Self::with_key(scheme);
            bench.write("t.csv", TRACE.as_bytes());
            bench.ok("import --store s --key k t.csv");
            bench
        })
    }

    /// Creates a folder with a key `k`, its public key `k.pub`, and a store `s` with the trace
    /// `t.csv` of these rows.
    pub(crate) fn with_rows(rows: impl IntoIterator<Item = String>) -> Self {
        let bench = Self::with_key("red-black");
        bench.write_trace("t.csv", rows);
        bench.ok("import --store s --key k t.csv");
        bench
    }

    /// Creates a folder with the files that `make` makes. It is called only once for each `name`,
    /// however many tests need these files.
    pub(crate) fn shared(name: &str, make: impl FnOnce() -> Self) -> Self {
        static MADE: Mutex<BTreeMap<String, Arc<OnceLock<SavedFiles>>>> =
            Mutex::new(BTreeMap::new());
        let made = Arc::clone(MADE.lock().unwrap().entry(name.to_owned()).or_default());
        let bench = Self::new();
        let files = made.get_or_init(|| SavedFiles::of(make().folder.path()));
        files.write_to(bench.folder.path());
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Writes a trace with these rows below the header.
    pub(crate) fn write_trace(&self, name: &str, rows: impl IntoIterator<Item = String>) {
        let header = "snapshot,op,key,value\n".to_owned();
        let trace = rows.into_iter().fold(header, |trace, row| trace + &row);
        self.write(name, trace.as_bytes());
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Copies the files of a store that have these suffixes.
    pub(crate) fn copy(&self, from: &str, to: &str, suffixes: &[&str]) {
        for suffix in suffixes {
            let bytes = self.read(&format!("{from}{suffix}"));
            self.write(&format!("{to}{suffix}"), &bytes);
        }
    }

    /// Returns the sorted names of the files in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
    }

    /// Returns the permissions of a file.
    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777
    }

    /// Returns the program under test. The variable `PAD` names another build, for manual runs.
    pub(crate) fn command(&self) -> Command {
        let program = std::env::var_os("PAD").unwrap_or_else(|| env!("CARGO_BIN_EXE_pad").into());
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        for name in [
            "PAD_STORE",
            "PAD_PUBLIC",
            "PAD_VIEW",
            "PAD_KEY",
            "PAD_SERVER",
            "PAD_PASSPHRASE_FILE",
            "PAD_NEW_PASSPHRASE_FILE",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the program with arguments separated by spaces. `''` is an empty argument.
    pub(crate) fn run(&self, line: &str) -> Output {
        let words = line
            .split(' ')
            .map(|word| if word == "''" { "" } else { word });
        self.command().args(words).output().unwrap()
    }

    /// Runs a line like [`Self::run`], with these environment variables.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], line: &str) -> Output {
        let mut command = self.command();
        command.envs(variables.iter().copied());
        command.args(line.split(' ')).output().unwrap()
    }

    /// Runs a line of a shell, in which the command `pad` is the program.
    pub(crate) fn shell(&self, line: &str) -> Output {
        let folder = Path::new(env!("CARGO_BIN_EXE_pad")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).env("PATH", path);
        shell.current_dir(self.folder.path());
        shell.output().unwrap()
    }

    /// Runs lines in order. Each line must succeed, unless it states another expectation:
    ///
    /// * `LINE => CODE TEXT`: fails with the exit status `CODE` and `TEXT` in the error, as in
    ///   [`Self::fails`]. If `CODE` is 0, the line succeeds, and its output contains `TEXT`.
    /// * `LINE => usage TEXT`: is refused as wrong usage with status 2 and `TEXT` in the error.
    /// * `LINE -> OBJECT`: the first object that it prints has the fields of the object.
    pub(crate) fn steps(&self, steps: &[&str]) {
        for step in steps {
            self.step(step);
        }
    }

    /// Runs one line of [`Self::steps`].
    pub(crate) fn step(&self, step: &str) {
        if let Some((line, expected)) = step.split_once(" => ") {
            let (code, said) = expected.split_once(' ').unwrap_or((expected, ""));
            match code {
                "0" => {
                    let printed = self.ok(line);
                    assert!(printed.contains(said), "{line}: {printed}");
                }
                "usage" => {
                    let output = self.run(line);
                    let error = text(&output.stderr);
                    assert_eq!(output.status.code(), Some(2), "{line}: {error}");
                    assert!(error.contains(said), "{line}: {error}");
                }
                code => self.fails(line, code.parse().unwrap(), said),
            }
        } else if let Some((line, expected)) = step.split_once(" -> ") {
            let (found, expected) = (self.first(line), serde_json::from_str(expected).unwrap());
            assert_has(&found, &expected, line);
        } else {
            self.ok(step);
        }
    }

    /// Runs a line that must succeed, and returns its standard output.
    pub(crate) fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    pub(crate) fn json(&self, line: &str) -> Vec<Json> {
        objects(&self.ok(&format!("--json {line}")))
    }

    /// Returns the first object that a line prints.
    pub(crate) fn first(&self, line: &str) -> Json {
        self.json(line).remove(0)
    }

    /// Returns the only object that a line prints.
    pub(crate) fn one(&self, line: &str) -> Json {
        let mut printed = self.json(line);
        assert_eq!(printed.len(), 1, "{line}: {printed:?}");
        printed.remove(0)
    }

    /// Returns the verified answer about a key in the store `s`.
    pub(crate) fn get(&self, question: &str) -> Json {
        self.first(&format!("get --store s --public k.pub {question}"))
    }

    /// Notes a change in the store `s`, such as `put apple 9`, and commits it.
    pub(crate) fn publish(&self, change: &str) {
        self.ok(&format!("{change} --store s"));
        self.ok("commit --store s --key k");
    }

    /// Exports the updates to versions 1 to `last` of the store `s` as `u1`, `u2` and so on.
    /// Returns their names, each after a space.
    pub(crate) fn export(&self, last: usize) -> String {
        let export = |version: usize| {
            self.ok(&format!("export --store s --at {version} --out u{version}"));
            format!(" u{version}")
        };
        (1..=last).map(export).collect()
    }

    /// Returns the object on standard error about a line that fails.
    pub(crate) fn error(&self, line: &str) -> Json {
        let output = self.run(&format!("--json {line}"));
        let printed: Json = serde_json::from_slice(&output.stderr).unwrap();
        let error = printed["error"].clone();
        let exit = output.status.code().map(Json::from);
        assert_eq!(exit.as_ref(), Some(&error["exit"]), "{line}");
        error
    }

    /// Returns the objects of a list, and the last object, which states that the list is complete.
    pub(crate) fn list(&self, line: &str) -> (Vec<Json>, Json) {
        let mut objects = self.json(line);
        let end = objects.pop().unwrap();
        assert_eq!(end["end"], true, "{line}: {end}");
        (objects, end)
    }

    /// Runs a line that must fail with the exit status `code`. The error must contain `reason`, and
    /// consist of one line and at most one line of advice.
    pub(crate) fn fails(&self, line: &str, code: i32, reason: &str) {
        let output = self.run(line);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        assert!(error.contains(reason), "{line}: {error}");
        assert!(is_error(&error), "{error}");
    }

    /// Returns the signed contents of all versions of a store. Names and times are left out,
    /// because they differ between stores.
    pub(crate) fn signed(&self, store: &str) -> Vec<Json> {
        let (mut versions, _) = self.list(&format!("versions --store {store}"));
        for version in &mut versions {
            version.as_object_mut().unwrap().remove("claim");
        }
        versions
    }

    /// Returns the status of a store, to compare it before and after a command.
    pub(crate) fn state(&self, store: &str) -> Vec<Json> {
        let mut state = self.list(&format!("versions --store {store}")).0;
        state.extend(self.json(&format!("check --store {store}")));
        state
    }
}

/// The files of a folder and its subfolders.
pub(crate) struct SavedFiles(Vec<(PathBuf, Vec<u8>, Permissions)>);

impl SavedFiles {
    pub(crate) fn of(folder: &Path) -> Self {
        let (mut files, mut folders) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(folder.join(&inner)).unwrap() {
                let entry = entry.unwrap();
                let (name, metadata) = (inner.join(entry.file_name()), entry.metadata().unwrap());
                if metadata.is_dir() {
                    folders.push(name);
                } else {
                    files.push((
                        name,
                        fs::read(entry.path()).unwrap(),
                        metadata.permissions(),
                    ));
                }
            }
        }
        Self(files)
    }

    pub(crate) fn write_to(&self, folder: &Path) {
        for (name, bytes, permissions) in &self.0 {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(path, permissions.clone()).unwrap();
        }
    }
}

/// Checks of a command that has ended.
pub(crate) trait Outcome {
    /// Returns standard output of a command that must have succeeded.
    fn succeeds(&self) -> String;

    /// Returns standard error of a command that must have failed with the exit status `code`, and
    /// with `reason` in its error.
    fn fails_with(&self, code: i32, reason: &str) -> String;
}

impl Outcome for Output {
    #[track_caller]
    fn succeeds(&self) -> String {
        assert!(self.status.success(), "{}", text(&self.stderr));
        text(&self.stdout)
    }

    #[track_caller]
    fn fails_with(&self, code: i32, reason: &str) -> String {
        let error = text(&self.stderr);
        assert_eq!(self.status.code(), Some(code), "{error}");
        assert!(error.contains(reason), "{error}");
        error
    }
}

/// Returns the only object of a text.
pub(crate) fn object(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

/// Returns the objects on the lines of a text.
pub(crate) fn objects(text: &str) -> Vec<Json> {
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Asserts that an object has all fields of another one.
#[track_caller]
pub(crate) fn assert_has(found: &Json, expected: &Json, context: &str) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&found[name], value, "{context}: {name}");
    }
}

/// Returns the sorted names of the files in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}

/// Returns whether a text is one line of error, followed by at most one line of advice.
pub(crate) fn is_error(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.starts_with("pad: "))
        && lines.next().is_none_or(|line| line.starts_with("help: "))
        && lines.next().is_none()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn prices() -> PathBuf {
    data("prices.csv.zst")
}

/// The suffixes of the files of a store with a tree.
pub(crate) const OF_TREE: &[&str] = &["", ".newest", ".nodes", ".nodes.heads"];

/// Returns a text of `count` digests, one per line.
pub(crate) fn digests(count: usize) -> String {
    let lines = (1..=count).map(|number| format!("{number:064x}\n"));
    lines.collect()
}

/// Returns the path of a file in the folder `data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

pub(crate) const TRACE: &str = "snapshot,op,key,value\n\
    a,put,apple,3\na,put,pear,5\na,put,plum,7\n\
    b,put,apple,4\nb,delete,pear,\n\
    c,put,quince,1\n";
