//! A program that signs: one run for each signature.

use core::time::Duration;
use std::{
    io::{self, Read, Write as _},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Instant,
};

use authdict::pad_core::HeadSignature;
use ed25519_dalek::{SIGNATURE_LENGTH, SignatureError, Signer};

use super::SignerFault;
use crate::cli::Output;

/// A program that reads a message from standard input, and writes its signature to standard output.
pub(super) struct SigningProgram {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    pub(super) timeout: Duration,
}

impl SigningProgram {
    /// Runs the program for one signature. A program that takes too long is killed.
    fn run(&self, message: &[u8]) -> Result<HeadSignature, SignerFault> {
        let deadline = Instant::now() + self.timeout;
        let mut child = RunningProgram(self.start()?);
        if let Some(mut input) = child.0.stdin.take() {
            let message = message.to_vec();
            // A program may sign without reading all of its input, or never read it. So the error
            // is ignored, and this thread waits for the program alone.
            thread::spawn(move || drop(input.write_all(&message)));
        }
        let output = PipeReader::new(child.0.stdout.take(), |kept| kept.len() <= MOST_OUTPUT);
        let said = PipeReader::new(child.0.stderr.take(), |kept| {
            let surplus = kept.len().saturating_sub(LONGEST_LINE);
            kept.drain(..surplus);
            true
        });
        let status = loop {
            let ended = child.0.try_wait().map_err(|error| self.not_run(error))?;
            if let Some(status) = ended {
                break status;
            }
            if Instant::now() >= deadline {
                return Err(SignerFault::TimedOut(self.timeout, said.last_line()));
            }
            thread::sleep(POLL);
        };
        // A program that it started may still hold the pipes.
        let until = Instant::now() + REMAINDER;
        output.wait(until);
        let written = output.bytes();
        if written.len() > MOST_OUTPUT {
            return Err(SignerFault::LongSignature);
        }
        if !status.success() {
            said.wait(until);
            return Err(SignerFault::Exit(status, said.last_line()));
        }
        match <[u8; SIGNATURE_LENGTH]>::try_from(written.as_slice()) {
            Ok(bytes) => Ok(HeadSignature::from_bytes(&bytes)),
            Err(_) if written.len() > SIGNATURE_LENGTH => Err(SignerFault::LongSignature),
            Err(_) => Err(SignerFault::ShortSignature(written.len())),
        }
    }

    fn start(&self) -> Result<Child, SignerFault> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| self.not_run(error))
    }

    fn not_run(&self, error: io::Error) -> SignerFault {
        SignerFault::Start(self.program.clone(), error)
    }
}

impl Signer<HeadSignature> for SigningProgram {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, SignatureError> {
        self.run(message).map_err(SignatureError::from_source)
    }
}

/// A child process that is killed when it is dropped, unless it has ended.
struct RunningProgram(Child);

impl Drop for RunningProgram {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A thread that reads a pipe of a program, and the bytes that it has read. It ends when all
/// processes that hold the pipe have ended.
struct PipeReader {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
}

impl PipeReader {
    /// Reads `source` until its end, or until `keep` returns false. `keep` may shorten what was
    /// read.
    fn new<R: Read + Send + 'static>(
        source: Option<R>,
        keep: impl Fn(&mut Vec<u8>) -> bool + Send + 'static,
    ) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (alive, ended) = channel();
        if let Some(mut source) = source {
            let bytes = Arc::clone(&bytes);
            thread::spawn(move || {
                let _alive = alive;
                let mut buffer = [0; LONGEST_LINE];
                loop {
                    match source.read(&mut buffer) {
                        Ok(0) => break,
                        Ok(length) => {
                            let mut kept = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                            kept.extend_from_slice(buffer.get(..length).unwrap_or_default());
                            if !keep(&mut kept) {
                                break;
                            }
                        }
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(_) => break,
                    }
                }
            });
        }
        Self { bytes, ended }
    }

    fn wait(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        let _ended = self.ended.recv_timeout(left);
    }

    fn bytes(&self) -> Vec<u8> {
        let bytes = self.bytes.lock();
        bytes.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the last line that is not blank, for display; empty if there is none.
    fn last_line(&self) -> String {
        let bytes = self.bytes();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
        line.map_or_else(String::new, Output::show_text)
    }
}

const MOST_OUTPUT: usize = 4096;

/// Length in bytes of the longest line of standard error that is reported.
const LONGEST_LINE: usize = 1024;

/// Time between two checks whether the program has ended.
const POLL: Duration = Duration::from_millis(2);

/// Time for the rest of the output to arrive, after the program has ended.
const REMAINDER: Duration = Duration::from_secs(1);
