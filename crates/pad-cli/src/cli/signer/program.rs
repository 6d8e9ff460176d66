//! A program that signs: one run for each signature.

use core::time::Duration;
use std::{
    io::{self, Read, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Instant,
};

use authdict::pad_core::HeadSignature;
use ed25519_dalek::{SIGNATURE_LENGTH, SignatureError, Signer};

use super::SignerFault;
use crate::cli::Output;

/// A program that reads a message from standard input, and writes its signature to standard output.
pub(super) struct SigningProgram {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
}

impl SigningProgram {
    pub(super) fn new(program: &str, arguments: &[String], timeout: Duration) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments.to_vec(),
            timeout,
        }
    }

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
        let written = in_background(child.0.stdout.take(), read_limited);
        let said = in_background(child.0.stderr.take(), last_line);
        let written = self.receive(&written, deadline)?;
        let status = loop {
            let ended = child.0.try_wait().map_err(|error| self.not_run(error))?;
            if let Some(status) = ended {
                break status;
            }
            if Instant::now() >= deadline {
                return Err(SignerFault::TimedOut(self.timeout));
            }
            thread::sleep(POLL);
        };
        if written.len() > MOST_OUTPUT {
            return Err(SignerFault::NoSignature(written.len()));
        }
        if !status.success() {
            let line = said.recv_timeout(REMAINDER).unwrap_or_default();
            let line = Some(line).filter(|line| !line.is_empty());
            let line = line.map_or_else(String::new, |line| Output::show_text(&line));
            return Err(SignerFault::Exit(status, line));
        }
        let bytes = <[u8; SIGNATURE_LENGTH]>::try_from(written.as_slice());
        let bytes = bytes.map_err(|_| SignerFault::NoSignature(written.len()))?;
        Ok(HeadSignature::from_bytes(&bytes))
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

    fn receive<T>(&self, from: &Receiver<T>, deadline: Instant) -> Result<T, SignerFault> {
        let left = deadline.saturating_duration_since(Instant::now());
        from.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => SignerFault::TimedOut(self.timeout),
            RecvTimeoutError::Disconnected => SignerFault::NoSignature(0),
        })
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

/// Reads `source` in a thread. The thread ends when all processes that hold the pipe have ended.
fn in_background<R: Read + Send + 'static, T: Send + 'static>(
    source: Option<R>,
    read: impl FnOnce(R) -> T + Send + 'static,
) -> Receiver<T> {
    let (sender, receiver) = channel();
    if let Some(source) = source {
        thread::spawn(move || drop(sender.send(read(source))));
    }
    receiver
}

/// Reads one byte more than [`MOST_OUTPUT`], and then closes the pipe.
fn read_limited(source: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MOST_OUTPUT + 1).unwrap_or(u64::MAX);
    drop(source.take(limit).read_to_end(&mut bytes));
    bytes
}

/// Reads to the end, and returns the last line that is not blank. Only the last [`LONGEST_LINE`]
/// bytes are kept.
fn last_line(mut source: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; LONGEST_LINE]);
    loop {
        match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                kept.extend_from_slice(buffer.get(..length).unwrap_or_default());
                let surplus = kept.len().saturating_sub(LONGEST_LINE);
                kept.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    let text = String::from_utf8_lossy(&kept);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    line.unwrap_or_default().to_owned()
}

/// Most bytes that are read of the program's standard output.
const MOST_OUTPUT: usize = 4096;

/// Length in bytes of the longest line of standard error that is reported.
const LONGEST_LINE: usize = 1024;

/// Time between two checks whether the program has ended.
const POLL: Duration = Duration::from_millis(2);

/// Time for the rest of standard error to arrive, after the program has ended.
const REMAINDER: Duration = Duration::from_secs(1);
