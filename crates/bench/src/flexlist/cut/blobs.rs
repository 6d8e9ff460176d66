//! What blobs contain.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use super::{BlobName, CutError};

/// Answers what a blob contains.
pub(super) struct Blobs {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    /// Asks this `git cat-file`.
    pub(super) fn start(mut command: Command) -> Result<Self, CutError> {
        let mut child = command
            .arg("--batch")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(CutError::Git)?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(CutError::Unreadable("cat-file"));
        };
        Ok(Self {
            child,
            requests: Some(requests),
            answers: BufReader::new(answers),
        })
    }

    /// The bytes of a blob.
    pub(super) fn read(&mut self, blob: &BlobName) -> Result<Vec<u8>, CutError> {
        let size = self.begin(blob)?;
        let mut bytes = Vec::new();
        let read = self.answers.by_ref().take(size).read_to_end(&mut bytes);
        if u64::try_from(read.map_err(CutError::Git)?) != Ok(size) {
            return Err(CutError::Unreadable("cat-file"));
        }
        // A newline ends it.
        let read = self.answers.read_exact(&mut [0]);
        read.map_err(CutError::Git)?;
        Ok(bytes)
    }

    /// The number of its bytes.
    pub(super) fn size(&mut self, blob: &BlobName) -> Result<u64, CutError> {
        let bytes = self.read(blob)?;
        u64::try_from(bytes.len()).map_err(|_| CutError::Unreadable("cat-file"))
    }

    /// Asks for a blob; its content comes next.
    fn begin(&mut self, blob: &BlobName) -> Result<u64, CutError> {
        let unreadable = || CutError::Unreadable("cat-file");
        let requests = self.requests.as_mut().ok_or_else(unreadable)?;
        writeln!(requests, "{blob}").map_err(CutError::Git)?;
        let mut answer = String::new();
        let read = self.answers.read_line(&mut answer);
        read.map_err(CutError::Git)?;
        // object SP type SP size, or object SP missing
        let facts: Vec<&str> = answer.split_ascii_whitespace().collect();
        match facts.as_slice() {
            [_, "blob", size] => size.parse().map_err(|_| unreadable()),
            [_, "missing"] => Err(CutError::MissingObject(blob.clone())),
            _ => Err(unreadable()),
        }
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Without requests to come the program ends; nothing depends on how.
        drop(self.requests.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
