//! Runs each measurement of a tree in its own process, so that the memory of the process is the
//! memory of only one repository.

use std::{
    fs,
    io::{self, Read, Write},
    path::PathBuf,
};

use clap::ValueEnum;
use pad_core::{Suite, Update, codec, internals::Attachment};
use serde::{Deserialize, Serialize};

use crate::{line, prelude::*, workload::Workload};

/// Instructions for a measuring process: the tree and its workload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// Workload that the author publishes.
    pub workload: Workload,
    /// Name of the balancing scheme.
    pub scheme: String,
    /// Name of the repository, the way of storing versions.
    pub repository: String,
    /// Name of the suite of hash and signature.
    pub suite: String,
    /// Folder in which the processes of author and servers exchange files.
    pub folder: PathBuf,
    /// Whether measurements are short.
    pub quick: bool,
}

/// Kind of measuring process.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Role {
    /// Measures an author, and writes its updates to a file.
    Author,
    /// Measures a server that applies the author's updates.
    Server,
    /// Measures a tree in the paper's layout, with entries in all nodes.
    PaperLayout,
}

/// Key of the hash counts that the author's process passes to the server's process.
pub const HASHES: &str = "hashes";

impl Order {
    /// Returns the path of the file with the author's updates.
    pub fn updates(&self) -> PathBuf {
        self.folder.join("updates")
    }

    /// Returns the path of the file with the author's figures.
    pub fn author_figures(&self) -> PathBuf {
        self.folder.join("author.json")
    }

    /// Starts a process of kind `role` with this order, waits for it, and parses its result line.
    pub fn send(&self, role: &str) -> Outcome<Line> {
        let output = run_alone(["measure", role, &serde_json::to_string(self)?])?;
        Ok(serde_json::from_slice(&output)?)
    }

    /// Measures an author in a new process, and returns its figures. They and the author's updates
    /// remain as files in [`Order::folder`].
    pub fn measure_author(&self) -> Outcome<Line> {
        let figures = self.send("author")?;
        fs::write(self.author_figures(), serde_json::to_vec(&figures)?)?;
        Ok(figures.without(&[HASHES]))
    }

    /// Measures, in a new process, a server that applies the updates in the folder. Returns the
    /// result line with the figures of `author` and server.
    pub fn measure_server(&self, author: &Line) -> Outcome<Line> {
        let server = self.send("server")?;
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

/// Appends an update, after its length, to a file that the author's process writes. Returns the
/// bytes of its encoding.
pub fn append_update<S: Suite, A: Attachment>(
    file: &mut impl Write,
    update: &Update<S, A>,
) -> Outcome<usize> {
    let bytes = codec::encode(update);
    file.write_all(&u32::try_from(bytes.len())?.to_le_bytes())?;
    file.write_all(&bytes)?;
    Ok(bytes.len())
}

/// Reads the next updates of such a file, at most `updates` of them. Returns an empty list at the
/// end of the file.
pub fn next_updates<S: Suite>(file: &mut impl Read, updates: usize) -> Outcome<Vec<Update<S>>> {
    let mut taken = Vec::with_capacity(updates);
    let mut bytes = Vec::new();
    while taken.len() < updates {
        let mut length = [0; 4];
        match file.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            read => read?,
        }
        bytes.resize(usize::try_from(u32::from_le_bytes(length))?, 0);
        file.read_exact(&mut bytes)?;
        taken.push(codec::decode(&bytes, bytes.len())?);
    }
    Ok(taken)
}
