//! A key in an SSH agent, with the two requests of the agent's protocol that signing needs.
//!
//! Source: draft-ietf-sshm-ssh-agent, sections 3.5 and 3.6. A message is its length in four bytes,
//! its type in one byte, and its fields. A string is its length in four bytes, and its bytes.

use core::time::Duration;
use std::{
    env,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::mpsc::channel,
    thread,
};

use authdict::pad_core::{AuthorKey, HeadSignature};
use ed25519_dalek::{SignatureError, Signer};
use sha2::{Digest as _, Sha256};

use super::{Fingerprint, SignerFault};

/// An Ed25519 key that an SSH agent holds.
pub(super) struct AgentKey {
    socket: PathBuf,
    /// The public key in the encoding of SSH, by which the agent knows it.
    blob: Vec<u8>,
    public: [u8; 32],
    timeout: Duration,
}

impl AgentKey {
    /// Finds the key with this fingerprint among the keys of the agent at `SSH_AUTH_SOCK`.
    pub(super) fn find(fingerprint: &Fingerprint, timeout: Duration) -> Result<Self, SignerFault> {
        let socket = env::var_os("SSH_AUTH_SOCK").filter(|path| !path.is_empty());
        let socket = PathBuf::from(socket.ok_or(SignerFault::NoAgent)?);
        let found = Self::find_at(&socket, fingerprint, timeout);
        found.map_err(|fault| fault.of_agent(&socket))
    }

    fn find_at(
        socket: &Path,
        fingerprint: &Fingerprint,
        timeout: Duration,
    ) -> Result<Self, SignerFault> {
        let answer = exchange(socket, vec![REQUEST_IDENTITIES], timeout)?;
        let mut fields = fields_of(&answer, IDENTITIES_ANSWER)?;
        for _ in 0..fields.number()? {
            let (blob, _comment) = (fields.string()?, fields.string()?);
            if Sha256::digest(blob).as_slice() == fingerprint.0 {
                return Ok(Self {
                    socket: socket.to_owned(),
                    blob: blob.to_vec(),
                    public: public_of(blob).ok_or(SignerFault::NotEd25519(*fingerprint))?,
                    timeout,
                });
            }
        }
        Err(SignerFault::UnknownKey(*fingerprint))
    }

    pub(super) fn author(&self) -> Result<AuthorKey, SignerFault> {
        AuthorKey::from_bytes(&self.public)
            .map_err(|_| SignerFault::Malformed.of_agent(&self.socket))
    }

    fn sign_with_agent(&self, message: &[u8]) -> Result<HeadSignature, SignerFault> {
        let mut request = vec![SIGN_REQUEST];
        append_string(&mut request, &self.blob)?;
        append_string(&mut request, message)?;
        request.extend_from_slice(&NO_FLAGS.to_be_bytes());
        let answer = exchange(&self.socket, request, self.timeout)?;
        let signature = fields_of(&answer, SIGN_RESPONSE)?.string()?;
        let mut fields = Fields(signature);
        let (kind, bytes) = (fields.string()?, fields.string()?);
        match <[u8; 64]>::try_from(bytes) {
            Ok(bytes) if kind == ED25519 => Ok(HeadSignature::from_bytes(&bytes)),
            _ => Err(SignerFault::Malformed),
        }
    }
}

impl Signer<HeadSignature> for AgentKey {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, SignatureError> {
        let signed = self.sign_with_agent(message);
        signed.map_err(|fault| SignatureError::from_source(fault.of_agent(&self.socket)))
    }
}

/// Returns the Ed25519 public key in the encoding `blob`; `None` for other kinds of keys.
fn public_of(blob: &[u8]) -> Option<[u8; 32]> {
    let mut fields = Fields(blob);
    let (kind, key) = (fields.string().ok()?, fields.string().ok()?);
    let is_ed25519 = kind == ED25519 && fields.0.is_empty();
    is_ed25519.then(|| key.try_into().ok())?
}

/// The fields of a message that are not read yet.
struct Fields<'m>(&'m [u8]);

impl<'m> Fields<'m> {
    fn number(&mut self) -> Result<u32, SignerFault> {
        let (number, rest) = self.0.split_first_chunk().ok_or(SignerFault::Malformed)?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*number))
    }

    fn string(&mut self) -> Result<&'m [u8], SignerFault> {
        let length = usize::try_from(self.number()?).map_err(|_| SignerFault::Malformed)?;
        let split = self.0.split_at_checked(length);
        let (string, rest) = split.ok_or(SignerFault::Malformed)?;
        self.0 = rest;
        Ok(string)
    }
}

fn fields_of(answer: &[u8], kind: u8) -> Result<Fields<'_>, SignerFault> {
    match answer.split_first() {
        Some((found, fields)) if *found == kind => Ok(Fields(fields)),
        Some((&FAILURE, _)) => Err(SignerFault::AgentRefused),
        _ => Err(SignerFault::Malformed),
    }
}

fn append_string(message: &mut Vec<u8>, string: &[u8]) -> Result<(), SignerFault> {
    let length = u32::try_from(string.len()).map_err(|_| SignerFault::Malformed)?;
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(string);
    Ok(())
}

/// Sends one request to the agent at `socket`, and returns its answer.
///
/// A thread does so, because the agent may answer never, or one byte at a time.
fn exchange(socket: &Path, request: Vec<u8>, timeout: Duration) -> Result<Vec<u8>, SignerFault> {
    let (sender, receiver) = channel();
    let socket = socket.to_owned();
    thread::spawn(move || {
        let answer = connect(&socket).and_then(|stream| exchange_over(stream, &request));
        drop(sender.send(answer));
    });
    let answer = receiver.recv_timeout(timeout);
    answer.map_err(|_| SignerFault::TimedOut(timeout, String::new()))?
}

#[cfg(unix)]
fn connect(socket: &Path) -> Result<std::os::unix::net::UnixStream, SignerFault> {
    Ok(std::os::unix::net::UnixStream::connect(socket)?)
}

#[cfg(not(unix))]
fn connect(_: &Path) -> Result<std::net::TcpStream, SignerFault> {
    Err(SignerFault::NoAgent)
}

fn exchange_over(mut stream: impl Read + Write, request: &[u8]) -> Result<Vec<u8>, SignerFault> {
    let mut message = Vec::new();
    append_string(&mut message, request)?;
    stream.write_all(&message)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > MOST_BYTES {
        return Err(SignerFault::Malformed);
    }
    let mut answer = Vec::new();
    let read = stream.take(length.into()).read_to_end(&mut answer)?;
    if u32::try_from(read) == Ok(length) {
        Ok(answer)
    } else {
        Err(SignerFault::Malformed)
    }
}

/// Type of an Ed25519 key and of its signatures (RFC 8709).
const ED25519: &[u8] = b"ssh-ed25519";

const FAILURE: u8 = 5;
const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;
const NO_FLAGS: u32 = 0;

/// Longest answer in bytes, the limit of OpenSSH.
const MOST_BYTES: u32 = 256 << 10;
