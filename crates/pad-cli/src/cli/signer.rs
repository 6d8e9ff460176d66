//! Signers outside of `pad`, in place of a secret key file: a program, or a key in an SSH agent.

use core::{fmt, str::FromStr, time::Duration};
use std::{
    env,
    error::Error as _,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use authdict::{SigningKeys, VerifyError, pad_core::AuthorKey};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use clap::Args;
use ed25519_dalek::SignatureError;

use self::{agent::AgentKey, program::SigningProgram};
use super::{
    Failure, KEY_VARIABLE, PUBLIC_VARIABLE, Result, files::load_public, secret::load_secret,
};

mod agent;
mod program;

/// An external signer, in place of the author's secret key.
#[derive(Clone, Debug, Args)]
pub(super) struct SignerArguments {
    /// Sign with a program or an SSH agent instead of a secret key.
    ///
    /// exec:COMMAND runs COMMAND once per signature. It is split at spaces, without a shell. It
    /// reads the message from standard input, and writes the 64 bytes of the Ed25519 signature to
    /// standard output. agent:FINGERPRINT signs with a key in the SSH agent at `SSH_AUTH_SOCK`,
    /// such as agent:SHA256:... for an Ed25519 key that ssh-add -l lists.
    #[arg(long, value_name = "SIGNER", requires = "public")]
    signer: Option<SignerName>,
    /// The author's public key; only for --signer.
    ///
    /// pad keygen --author creates it.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    public: Option<PathBuf>,
    /// Wait at most SECONDS for each signature of --signer.
    #[arg(long, value_name = "SECONDS", requires = "signer", default_value_t = USUAL_TIMEOUT)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=3600))]
    signer_timeout: u64,
}

impl Default for SignerArguments {
    fn default() -> Self {
        Self {
            signer: None,
            public: None,
            signer_timeout: USUAL_TIMEOUT,
        }
    }
}

impl SignerArguments {
    /// Returns the path of the key's file, next to which the signing record is: the secret key
    /// `key`, or the file of `--public` without the suffix `.pub`.
    pub(super) fn key_file(&self, key: Option<&Path>) -> PathBuf {
        match (&self.signer, &self.public) {
            (Some(_), Some(public)) if public.extension().is_some_and(|end| end == "pub") => {
                public.with_extension("")
            }
            (Some(_), Some(public)) => public.clone(),
            _ => key.unwrap_or_else(|| Path::new("")).to_owned(),
        }
    }

    /// Returns the keys of the external signer or, without one, of the secret key in the file
    /// `key`. `None` if neither is given. Called only once, because it may prompt for a passphrase.
    pub(super) fn keys(&self, key: Option<&Path>) -> Result<Option<SigningKeys>> {
        let (Some(signer), Some(path)) = (&self.signer, &self.public) else {
            self.refuse_idle_public()?;
            return Ok(match key {
                Some(key) => Some(SigningKeys::from(&load_secret(key)?)),
                None => None,
            });
        };
        let usual = env::var_os(KEY_VARIABLE);
        if key.is_some_and(|key| usual.is_none_or(|usual| usual != *key.as_os_str())) {
            return Err(Failure::input(
                "--key and --signer are alternatives: give one of them",
            ));
        }
        let public = load_public(path)?;
        let timeout = Duration::from_secs(self.signer_timeout);
        let keys = match signer {
            SignerName::Program(program, arguments) => {
                let program = SigningProgram {
                    program: program.clone(),
                    arguments: arguments.clone(),
                    timeout,
                };
                SigningKeys::external(public, program)
            }
            SignerName::Agent(fingerprint) => {
                let key = AgentKey::find(fingerprint, timeout)?;
                if key.author()? != public.authority.author {
                    return Err(Failure::Input(format!(
                        "the key agent:{fingerprint} is not the author's key in {}",
                        path.display()
                    )));
                }
                SigningKeys::external(public, key)
            }
        };
        let keys = keys.map_err(Failure::key_file(path))?;
        Ok(Some(keys.with_path(self.key_file(key))))
    }

    /// Refuses `--public` without `--signer`, because it would have no effect. The environment
    /// variable of the option is permitted, because other commands use it too.
    fn refuse_idle_public(&self) -> Result {
        let Some(public) = &self.public else {
            return Ok(());
        };
        let usual = env::var_os(PUBLIC_VARIABLE);
        if self.signer.is_some() || usual.is_some_and(|usual| usual == *public.as_os_str()) {
            return Ok(());
        }
        Err(Failure::input("--public has no effect without --signer")
            .help("leave it out, or give --signer too"))
    }
}

/// The value of `--signer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SignerName {
    /// `exec:`, a program and its arguments.
    Program(String, Vec<String>),
    /// `agent:`, the fingerprint of a key.
    Agent(Fingerprint),
}

impl FromStr for SignerName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("exec", command)) => {
                let mut words = command.split_whitespace().map(String::from);
                let program = words.next().ok_or("exec: names no program")?;
                Ok(Self::Program(program, words.collect()))
            }
            Some(("agent", fingerprint)) => fingerprint.parse().map(Self::Agent),
            _ => Err("a signer is exec:COMMAND or agent:FINGERPRINT"),
        }
    }
}

/// The SHA-256 digest of an SSH public key, written like `ssh-add -l`: `SHA256:`, and base64
/// without padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint([u8; 32]);

impl FromStr for Fingerprint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("SHA256:");
        let digest = digits.and_then(|digits| STANDARD_NO_PAD.decode(digits).ok());
        let digest = digest.and_then(|bytes| bytes.try_into().ok());
        digest
            .map(Self)
            .ok_or("a fingerprint is SHA256: and 43 characters, as in ssh-add -l")
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SHA256:{}", STANDARD_NO_PAD.encode(self.0))
    }
}

/// The author's key for a public key file without a secret key: 64 hexadecimal digits, or a key in
/// the SSH agent.
#[derive(Clone, Debug)]
pub(super) enum AuthorName {
    Key(AuthorKey),
    Agent(Fingerprint),
}

impl FromStr for AuthorName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(fingerprint) = text.strip_prefix("agent:") {
            return fingerprint.parse().map(Self::Agent);
        }
        let key = text.parse().map(Self::Key);
        key.map_err(|_: VerifyError| "an author is an Ed25519 public key or agent:FINGERPRINT")
    }
}

impl AuthorName {
    pub(super) fn key(&self) -> Result<AuthorKey> {
        match self {
            Self::Key(key) => Ok(*key),
            Self::Agent(fingerprint) => {
                let timeout = Duration::from_secs(USUAL_TIMEOUT);
                Ok(AgentKey::find(fingerprint, timeout)?.author()?)
            }
        }
    }
}

/// Reason for which an external signer returned no signature.
#[derive(Debug, thiserror::Error)]
pub(super) enum SignerFault {
    #[error("cannot run {0}: {1}")]
    Start(String, #[source] io::Error),
    /// The program ended without success. The text is its last line on standard error.
    #[error("{}{}", .0, after_colon(.1))]
    Exit(ExitStatus, String),
    #[error("it wrote more than the 64 bytes of a signature")]
    LongSignature,
    #[error("it wrote {0} bytes, but a signature has 64")]
    ShortSignature(usize),
    /// There was no answer in time. The text is the program's last line on standard error.
    #[error("the signer gave no answer in {} s{}", .0.as_secs(), after_colon(.1))]
    TimedOut(Duration, String),
    /// A fault of the SSH agent at this socket.
    #[error("SSH agent {}: {}", .0.display(), .1)]
    OfAgent(PathBuf, Box<Self>),
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// `SSH_AUTH_SOCK` is not set, or this system has no Unix sockets.
    #[error("no SSH agent: SSH_AUTH_SOCK is not set")]
    NoAgent,
    #[error("the agent does not hold {0}")]
    UnknownKey(Fingerprint),
    #[error("{0} is not an Ed25519 key")]
    NotEd25519(Fingerprint),
    #[error("the agent refused the request")]
    AgentRefused,
    /// The agent's answer is malformed or too long.
    #[error("the answer of the agent is malformed")]
    Malformed,
}

fn after_colon(line: &str) -> String {
    if line.is_empty() {
        return String::new();
    }
    format!(": {line}")
}

impl SignerFault {
    fn of_agent(self, socket: &Path) -> Self {
        Self::OfAgent(socket.to_owned(), Box::new(self))
    }

    /// Returns the fault without the socket of the agent, for pattern matching.
    fn bare(&self) -> &Self {
        match self {
            Self::OfAgent(_, fault) => fault.bare(),
            fault => fault,
        }
    }
}

impl From<SignerFault> for Failure {
    fn from(fault: SignerFault) -> Self {
        let text = fault.to_string();
        match fault.bare() {
            SignerFault::UnknownKey(_) => Self::Input(text).help("ssh-add -l lists the keys"),
            SignerFault::NotEd25519(_) => Self::Input(text),
            SignerFault::NoAgent => Self::Input(text).help("start ssh-agent, and run ssh-add"),
            _ => Self::Store(text),
        }
    }
}

impl Failure {
    /// Creates the failure for a signer that did not sign; `text` is the whole message. A wrong
    /// signature is a failed verification.
    pub(super) fn signer(error: &SignatureError, text: String) -> Self {
        if let Some(source) = error.source()
            && source.is::<VerifyError>()
        {
            return Self::Refused(text).help("check that --public belongs to the signer's key");
        }
        Self::Store(text)
    }
}

/// Default of `--signer-timeout`, in seconds. A person may have to touch a key.
const USUAL_TIMEOUT: u64 = 60;
