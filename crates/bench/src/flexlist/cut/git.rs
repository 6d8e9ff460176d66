//! What the program `git` says about a repository.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::BufReader,
    path::Path,
    process::{Command, Stdio},
};

use super::{
    BlobName, CutError,
    blobs::Blobs,
    patch::{Hunks, read_patch},
};

/// A repository.
pub(super) struct Git {
    folder: OsString,
}

/// A window of the first-parent chain.
pub(super) struct History {
    /// The tree or commit before the first commit.
    pub(super) base: String,
    /// The commits, oldest first.
    pub(super) commits: Vec<String>,
}

/// A file that differs between two commits; its blobs, none where there is no such file.
pub(super) struct Difference {
    pub(super) name: Vec<u8>,
    pub(super) before: Option<BlobName>,
    pub(super) after: Option<BlobName>,
}

impl Git {
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The newest commits, at most so many.
    pub(super) fn history(&self, most: Option<u32>) -> Result<History, CutError> {
        let mut arguments = vec!["--first-parent".to_owned()];
        // One more: what was before the window.
        let most = most.map(|most| u64::from(most).saturating_add(1));
        arguments.extend(most.map(|most| format!("--max-count={most}")));
        arguments.extend(["--end-of-options".to_owned(), "HEAD".to_owned()]);
        let has_commit = self.output("rev-parse", &["--verify", "--quiet", "HEAD^{commit}"]);
        if matches!(&has_commit, Err(CutError::Refused(_, message)) if message.is_empty()) {
            return Err(CutError::NoCommit);
        }
        has_commit?;
        let text = self.output("rev-list", &arguments)?;
        let text = String::from_utf8(text).map_err(|_| CutError::Unreadable("rev-list"))?;
        let mut commits: Vec<String> = text.lines().map(str::to_owned).collect();
        commits.reverse();
        let whole = most.is_none_or(|most| u64::try_from(commits.len()).is_ok_and(|n| n < most));
        let base = if whole {
            let empty = self.output("hash-object", &["-t", "tree", "--stdin"])?;
            String::from_utf8_lossy(&empty).trim().to_owned()
        } else {
            commits.remove(0)
        };
        Ok(History { base, commits })
    }

    /// The files of a commit or tree and their sizes; without submodules.
    pub(super) fn files(&self, tree: &str) -> Result<BTreeMap<Vec<u8>, u64>, CutError> {
        let unreadable = || CutError::Unreadable("ls-tree");
        // In a folder of the repository `ls-tree` would show that folder alone.
        let arguments = ["-r", "-z", "--long", "--full-tree", tree];
        let output = self.output("ls-tree", &arguments)?;
        let mut files = BTreeMap::new();
        for entry in output.split(|byte| *byte == 0) {
            if entry.is_empty() {
                continue;
            }
            // mode SP type SP object SP size TAB name
            let tab = entry.iter().position(|byte| *byte == b'\t');
            let (facts, name) = tab
                .and_then(|at| entry.split_at_checked(at))
                .ok_or_else(unreadable)?;
            let name = name.get(1..).ok_or_else(unreadable)?;
            let facts = str::from_utf8(facts).map_err(|_| unreadable())?;
            let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
            let [_, kind, _, size] = facts.as_slice() else {
                return Err(unreadable());
            };
            if *kind == "blob" {
                files.insert(name.to_vec(), size.parse().map_err(|_| unreadable())?);
            }
        }
        Ok(files)
    }

    /// The files whose content differs, in the order of their names; without submodules.
    pub(super) fn differences(
        &self,
        before: &str,
        after: &str,
    ) -> Result<Vec<Difference>, CutError> {
        let unreadable = || CutError::Unreadable("diff-tree");
        let mut arguments: Vec<&str> = "-r -z --raw --no-abbrev --no-renames".split(' ').collect();
        arguments.extend([before, after]);
        let output = self.output("diff-tree", &arguments)?;
        let mut fields = output.split(|byte| *byte == 0);
        let mut differences = Vec::new();
        while let Some(facts) = fields.next().filter(|facts| !facts.is_empty()) {
            // :mode SP mode SP object SP object SP status NUL name
            let name = fields.next().ok_or_else(unreadable)?;
            let facts = str::from_utf8(facts).map_err(|_| unreadable())?;
            let facts = facts.strip_prefix(':').ok_or_else(unreadable)?;
            let facts: Vec<&str> = facts.split(' ').collect();
            let [old_mode, new_mode, old, new, _] = facts.as_slice() else {
                return Err(unreadable());
            };
            let difference = Difference {
                name: name.to_vec(),
                before: is_file(old_mode).then(|| (*old).to_owned()),
                after: is_file(new_mode).then(|| (*new).to_owned()),
            };
            if difference.before != difference.after {
                differences.push(difference);
            }
        }
        differences.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(differences)
    }

    /// The line diffs between two commits by the blobs that they are of; none of what is not text.
    pub(super) fn hunks(&self, before: &str, after: &str) -> Result<Hunks, CutError> {
        let mut child = self
            .command("diff-tree")
            .args(["-r", "-p", "-U0", "--full-index", "--no-renames"])
            .args(["--inter-hunk-context=0", "--diff-algorithm=myers"])
            .args(["--indent-heuristic", "--no-color", "--no-ext-diff"])
            .args(["--no-textconv", before, after])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(CutError::Git)?;
        let output = child.stdout.take().map(BufReader::new);
        let hunks = output.map_or_else(|| Ok(Hunks::new()), read_patch);
        let status = child.wait().map_err(CutError::Git)?;
        let hunks = hunks?;
        if !status.success() {
            return Err(CutError::Refused("diff-tree", status.to_string()));
        }
        Ok(hunks)
    }

    /// A reader of blobs.
    pub(super) fn blobs(&self) -> Result<Blobs, CutError> {
        Blobs::start(self.command("cat-file"))
    }

    fn output(
        &self,
        command: &'static str,
        arguments: &[impl AsRef<str>],
    ) -> Result<Vec<u8>, CutError> {
        let output = self
            .command(command)
            .args(arguments.iter().map(AsRef::as_ref))
            .stdin(Stdio::null())
            .output()
            .map_err(CutError::Git)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(CutError::Refused(command, message))
    }

    fn command(&self, command: &str) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.folder).arg(command);
        // The repository is the one that was named, and its history the one that it was given.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            git.env_remove(variable);
        }
        git.env("GIT_NO_REPLACE_OBJECTS", "1");
        // Nothing is fetched: what a partial clone lacks is missing.
        git.env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
        git
    }
}

/// Whether a tree entry of this mode is a file: not absent, and not a submodule.
fn is_file(mode: &str) -> bool {
    mode != "000000" && mode != "160000"
}
