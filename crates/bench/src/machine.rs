//! Description of the machine that figures were measured on.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::SystemTime,
};

use serde::{Deserialize, Serialize};

/// Machine, compiler and commit with which figures were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model name of the processor.
    pub cpu: String,
    /// Number of cores that the process may use.
    pub cores: usize,
    /// Version of the compiler that built this program.
    pub rustc: String,
    /// Commit of the workspace, with `-dirty` if files differ from it. It ends in `-stale` if
    /// sources changed after this program was built, so that the commit was not measured.
    pub commit: String,
}

impl Machine {
    /// Describes this machine.
    pub fn current() -> Self {
        let unknown = || "unknown".to_owned();
        Self {
            cpu: comparison::processor().unwrap_or_else(unknown),
            cores: thread::available_parallelism().map_or(1, Into::into),
            rustc: env!("BENCH_RUSTC").to_owned(),
            commit: commit().unwrap_or_else(unknown) + if is_stale() { "-stale" } else { "" },
        }
    }
}

fn commit() -> Option<String> {
    let output = Command::new("git")
        .args("describe --always --dirty --abbrev=10 --exclude=*".split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (!text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// Reports whether a source file of a measured crate changed after this program was built.
fn is_stale() -> bool {
    let built = env::current_exe()
        .and_then(fs::metadata)
        .and_then(|program| program.modified());
    let (Ok(built), Ok(crates)) = (built, measured_crates()) else {
        return false;
    };
    crates
        .iter()
        .any(|folder| newest(&folder.join("src")).is_ok_and(|newest| newest > built))
}

/// Crates of the workspace that this program does not link.
const NOT_MEASURED: [&str; 4] = ["pad-cli", "pad-client", "pad-conformance", "pad-service"];

/// Returns the folders of all crates of the workspace except those that this program does
/// not link.
pub fn measured_crates() -> io::Result<Vec<PathBuf>> {
    let own_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs::read_dir(own_folder.with_file_name(""))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    let is_measured = |folder: &PathBuf| NOT_MEASURED.iter().all(|name| !folder.ends_with(name));
    Ok(folders.into_iter().filter(is_measured).collect())
}

/// Returns the time of the last change of a file in a folder or its subfolders.
pub fn newest(folder: &Path) -> io::Result<SystemTime> {
    let mut newest_so_far = SystemTime::UNIX_EPOCH;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        let time = if is_folder {
            newest(&entry.path())?
        } else {
            entry.metadata()?.modified()?
        };
        newest_so_far = newest_so_far.max(time);
    }
    Ok(newest_so_far)
}
