//! Runs the real binary in a temporary folder.

#![allow(dead_code, reason = "each test uses a part")]

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Arc, Mutex, OnceLock},
};

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

    /// Creates a folder with a key `k`, its public key `k.pub`, and a store `s` with a trace of
    /// three versions. All folders have the same files.
    pub(crate) fn with_trace() -> Self {
        Self::shared("red-black", || {
            let bench = Self::new();
            bench.ok("keygen --out k");
            bench.write("t.csv", TRACE.as_bytes());
            bench.ok("import --store s --key k t.csv");
            bench
        })
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

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
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

    /// Runs a line that must succeed, and returns its standard output.
    pub(crate) fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    pub(crate) fn json(&self, line: &str) -> Vec<serde_json::Value> {
        let printed = self.ok(&format!("--json {line}"));
        printed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Returns the objects of a list, and the last object, which states that the list is complete.
    pub(crate) fn list(&self, line: &str) -> (Vec<serde_json::Value>, serde_json::Value) {
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
    pub(crate) fn signed(&self, store: &str) -> Vec<serde_json::Value> {
        let (mut versions, _) = self.list(&format!("versions --store {store}"));
        for version in &mut versions {
            version.as_object_mut().unwrap().remove("claim");
        }
        versions
    }

    /// Returns the status of a store, to compare it before and after a command.
    pub(crate) fn state(&self, store: &str) -> Vec<serde_json::Value> {
        let mut state = self.list(&format!("versions --store {store}")).0;
        state.extend(self.json(&format!("check --store {store}")));
        state
    }
}

/// The files of a folder without subfolders.
pub(crate) struct SavedFiles(Vec<(String, Vec<u8>, Permissions)>);

impl SavedFiles {
    pub(crate) fn of(folder: &Path) -> Self {
        let entries = fs::read_dir(folder).unwrap();
        let file = |entry: std::io::Result<fs::DirEntry>| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let permissions = entry.metadata().unwrap().permissions();
            (name, fs::read(entry.path()).unwrap(), permissions)
        };
        Self(entries.map(file).collect())
    }

    pub(crate) fn write_to(&self, folder: &Path) {
        for (name, bytes, permissions) in &self.0 {
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            fs::set_permissions(path, permissions.clone()).unwrap();
        }
    }
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
