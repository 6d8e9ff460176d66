//! One process per measurement, so that its memory is the memory of only one repository.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use clap::ValueEnum;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{counting::HashCounts, line, prelude::*, workload::Workload};

/// Instructions for a measuring process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// Workload to publish.
    pub workload: Workload,
    /// The balancing scheme.
    pub scheme: String,
    /// The repository's strategy.
    pub repository: String,
    /// The suite.
    pub suite: String,
    /// The folder in which author and servers exchange files.
    pub folder: PathBuf,
    /// Quick run.
    pub quick: bool,
}

/// The kinds of measuring processes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Role {
    /// Writes the updates, and prints an [`AuthorPass`].
    Author,
    /// Applies them, and prints its figures.
    Server,
    /// Measures a tree with entries in all nodes, and prints its figures.
    PaperLayout,
}

/// Results that the author's process passes to the server's process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuthorPass {
    /// Figures for the report.
    pub figures: Line,
    /// The hashes that an update needs, mean over the last tenth.
    pub hashes: HashCounts,
}

impl Order {
    /// Returns the path of the file of the updates.
    pub fn updates(&self) -> PathBuf {
        self.folder.join("updates")
    }

    /// Returns the path of the file of the author's results.
    pub fn author_pass(&self) -> PathBuf {
        self.folder.join("author.json")
    }

    /// Starts a process with this order, and waits for its output.
    fn send<T: DeserializeOwned>(&self, role: &str) -> Outcome<T> {
        let mut command = Command::new(env::current_exe()?);
        command.args(["measure", role, &serde_json::to_string(self)?]);
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("measuring {role} {self:?} failed: {}", output.status).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Measures an author, and leaves its updates in the folder.
    pub fn measure_author(&self) -> Outcome<AuthorPass> {
        let pass = self.send("author")?;
        fs::write(self.author_pass(), serde_json::to_vec(&pass)?)?;
        Ok(pass)
    }

    /// Measures the tree of this scheme with entries in all nodes.
    pub fn measure_paper_layout(&self) -> Outcome<Line> {
        self.send("paper-layout")
    }

    /// Measures a server of the updates in the folder, and combines all results.
    pub fn measure_server(&self, author: &AuthorPass) -> Outcome<Line> {
        let (author, server): (&Line, Line) = (&author.figures, self.send("server")?);
        let update_us = author.figure("insert_snapshot_us") + server.figure("apply_us");
        let prove_us = server.figure("prove_us_random_version");
        let line = line! {
            experiment: &self.workload.name, scheme: &self.scheme, repository: &self.repository,
            suite: &self.suite, keys: self.workload.final_keys(),
            versions: self.workload.versions(), threads: 1,
        };
        Ok(line.merged(author).merged(&server).merged(&line! {
            lookup_kilobytes_per_second: server.figure("proof_bytes") * 1e3 / prove_us,
            update_kilobytes_per_second: author.figure("update_bytes") * 1e3 / update_us,
        }))
    }
}
