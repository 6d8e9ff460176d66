//! How a server failed a client, and what is kept of it.

use core::fmt;
use std::{
    io,
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use pad::{
    Version,
    client_view::{NotFollowed, RefusedHead},
    evidence,
    question::Refusal,
};
use pad_core::{DecodeError, codec::FORMAT_VERSION};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{fetch_error::FetchError, not_witnessed::NotWitnessed};

/// How a server failed a client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It did not answer, or refused to.
    Silent(FetchError),
    /// What it said does not verify, for this reason.
    Lied(String),
    /// It showed an older version than the newest one seen, for this reason.
    Behind(String),
    /// What it showed is not what the witnesses have seen that the client asks for.
    Unwitnessed(NotWitnessed),
    /// It showed what convicts the author: the key has signed two histories.
    Fork(String),
}

/// A server failed a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The server's address.
    pub server: String,
    /// How it failed.
    pub fault: Fault,
    /// Where evidence is kept that convinces others.
    pub evidence: Option<PathBuf>,
    /// Where it is kept what the server said. It convinces nobody who did not see where it came from.
    pub record: Option<PathBuf>,
    /// Why something that was to be kept is not.
    pub unkept: Option<String>,
}

impl Incident {
    /// Whether the server has only said that there is no version yet.
    pub fn is_empty(&self) -> bool {
        matches!(&self.fault, Fault::Silent(FetchError::NoVersion))
    }

    /// Whether the server only has no log of heads for witnesses, or one that too few of them have cosigned.
    pub fn is_unlogged(&self) -> bool {
        matches!(&self.fault, Fault::Unwitnessed(error) if error.is_missing())
    }

    /// Whether the server may only be slow.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(&self.fault, Fault::Silent(error) if error.is_slow())
    }

    /// Whether the server took too long, rather than being busy or out of reach.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(&self.fault, Fault::Silent(error) if error.is_silence())
    }

    /// The version that was asked about has been followed: a server that does not know it is late.
    pub(crate) fn mark_late(&mut self, version: Version) {
        if matches!(&self.fault, Fault::Silent(error) if error.is("unknown_version")) {
            self.fault = Fault::Silent(FetchError::Late(version));
        }
    }

    /// Whether the server has only said that it does not keep what was asked for, and others may.
    pub fn is_elsewhere(&self) -> bool {
        matches!(&self.fault, Fault::Silent(error) if error.is_elsewhere())
    }
}

/// Why what a server said is of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// How the server failed.
    pub fault: Fault,
    /// Evidence against the author, if there is any.
    pub evidence: Option<Vec<u8>>,
}

impl Unusable {
    /// What the server said does not verify, for this reason.
    pub fn lie(reason: impl Into<String>) -> Self {
        let (fault, evidence) = (Fault::Lied(reason.into()), None);
        Self { fault, evidence }
    }
}

impl From<FetchError> for Unusable {
    fn from(error: FetchError) -> Self {
        let (fault, evidence) = (Fault::Silent(error), None);
        Self { fault, evidence }
    }
}

impl From<Refusal> for Unusable {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            // A newer format version is no evidence of a lie.
            Refusal::Decode(DecodeError::UnknownFormatVersion(theirs))
                if theirs > FORMAT_VERSION =>
            {
                FetchError::NewerFormat { theirs }.into()
            }
            refusal => Self::lie(refusal.to_string()),
        }
    }
}

impl From<NotWitnessed> for Unusable {
    fn from(error: NotWitnessed) -> Self {
        let (fault, evidence) = (Fault::Unwitnessed(error), None);
        Self { fault, evidence }
    }
}

impl From<NotFollowed<FetchError>> for Unusable {
    fn from(error: NotFollowed<FetchError>) -> Self {
        match error {
            NotFollowed::Silent(error) => error.into(),
            NotFollowed::Behind { .. } => Self {
                fault: Fault::Behind(error.to_string()),
                evidence: None,
            },
            NotFollowed::Refused(RefusedHead { refusal, evidence }) => {
                if evidence.is_none() {
                    return refusal.into();
                }
                let fault = Fault::Fork(refusal.to_string());
                Self { fault, evidence }
            }
        }
    }
}

impl fmt::Display for Incident {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.server)?;
        match &self.fault {
            Fault::Silent(error) => write!(formatter, "{error}")?,
            Fault::Lied(reason) | Fault::Behind(reason) => {
                write!(formatter, "verification failed: {reason}")?;
            }
            Fault::Unwitnessed(error) => write!(formatter, "verification failed: {error}")?,
            Fault::Fork(reason) => write!(
                formatter,
                "verification failed: {reason}: the author's key has signed two histories"
            )?,
        }
        if let Some(file) = &self.evidence {
            let file = file.display();
            write!(
                formatter,
                " (the evidence is in {file}, and pad evidence --public KEY {file} checks it)"
            )?;
        }
        if let Some(file) = &self.record {
            write!(formatter, " (what it said is in {})", file.display())?;
        }
        if let Some(reason) = &self.unkept {
            write!(
                formatter,
                " (what there is against it cannot be kept: {reason})"
            )?;
        }
        Ok(())
    }
}

/// What a server was asked, and what it said.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) request: String,
    pub(crate) response: Vec<u8>,
}

/// Writes down what a server said that does not verify.
pub(crate) fn keep_record(
    beside: &Path,
    server: &str,
    exchanges: &[Exchange],
    reason: &str,
) -> io::Result<PathBuf> {
    let exchanges: Vec<_> = exchanges
        .iter()
        .map(|Exchange { request, response }| {
            let shown = response.get(..MOST_KEPT).unwrap_or(response);
            json!({
                "request": request,
                "response_base64": BASE64_STANDARD.encode(shown),
                "response_bytes": response.len(),
                "response_sha256": hex::encode(Sha256::digest(response)),
            })
        })
        .collect();
    let record = json!({
        "record": "pad-lie v1",
        "transferable": false,
        "meaning": "What a server said that does not verify, as this client received it. Nobody has signed that the \
                    server said it, so it convinces nobody who did not see it come.",
        "server": server,
        "refusal": reason,
        "exchanges": exchanges,
    });
    let mut text = serde_json::to_string_pretty(&record)?;
    text.push('\n');
    evidence::keep(beside, ".lie", text.as_bytes(), MOST_RECORDS)
}

/// Whoever lies differently each time shall not fill the disk.
const MOST_RECORDS: u32 = 16;
/// The bytes that are kept of each response; of longer ones the digest says what was there.
const MOST_KEPT: usize = 128 << 10;
