//! The real binary in a folder of its own.

#![allow(dead_code, reason = "each test uses a part")]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
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

    /// A folder with a key `k`, its public half `k.pub`, and a trace of three versions in `s`.
    pub(crate) fn with_trace() -> Self {
        let bench = Self::new();
        bench.ok("keygen --out k");
        bench.write("t.csv", TRACE.as_bytes());
        bench.ok("import --store s --key k t.csv");
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The program under test, or the one in `PAD`, for manual runs of another build.
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

    /// Runs words separated by spaces; `''` is an empty argument.
    pub(crate) fn run(&self, line: &str) -> Output {
        let words = line
            .split(' ')
            .map(|word| if word == "''" { "" } else { word });
        self.command().args(words).output().unwrap()
    }

    /// Runs a line that must succeed; its standard output.
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

    /// The objects of a list, and the one at its end that says that it is whole.
    pub(crate) fn list(&self, line: &str) -> (Vec<serde_json::Value>, serde_json::Value) {
        let mut objects = self.json(line);
        let end = objects.pop().unwrap();
        assert_eq!(end["end"], true, "{line}: {end}");
        (objects, end)
    }

    /// Runs a line that must fail with this status and an error that contains `reason`: one line,
    /// and at most one line of advice.
    pub(crate) fn fails(&self, line: &str, code: i32, reason: &str) {
        let output = self.run(line);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        assert!(error.contains(reason), "{line}: {error}");
        assert!(is_error(&error), "{error}");
    }

    /// Signed contents of all versions of a store, without names and times, which differ between
    /// stores.
    pub(crate) fn signed(&self, store: &str) -> Vec<serde_json::Value> {
        let mut versions = self.json(&format!("versions --store {store}"));
        for version in &mut versions {
            version.as_object_mut().unwrap().remove("store_says");
        }
        versions
    }

    /// Status of a store, to compare before and after.
    pub(crate) fn state(&self, store: &str) -> Vec<serde_json::Value> {
        let mut state = self.json(&format!("versions --store {store}"));
        state.extend(self.json(&format!("check --store {store}")));
        state
    }
}

/// Whether a text is one line of error, and at most one line of advice after it.
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

/// A file of the folder `data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

pub(crate) const TRACE: &str = "snapshot,op,key,value\n\
    a,put,apple,3\na,put,pear,5\na,put,plum,7\n\
    b,put,apple,4\nb,delete,pear,\n\
    c,put,quince,1\n";
