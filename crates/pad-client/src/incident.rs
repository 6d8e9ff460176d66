//! Failures of servers, and the evidence stored for them.

use core::fmt;
use std::{
    io,
    path::{Path, PathBuf},
};

use authdict::{NotFollowed, Refusal, RefusedHead, Version, evidence};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use pad_core::{DecodeError, codec::FORMAT_VERSION};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{fetch_error::FetchError, not_witnessed::NotWitnessed};

/// A kind of failure of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The server did not respond, refused the request, lacks the data, or sent content that was
    /// not requested.
    Silent(FetchError),
    /// A response does not verify, for this reason.
    Lied(String),
    /// The server's latest version is older than the client's view, for this reason.
    Behind(String),
    /// A response does not match the log of heads that the required witnesses have cosigned.
    Unwitnessed(NotWitnessed),
    /// The author's key has signed two histories, as described here.
    Fork(String),
}

/// A failure of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The address of the server.
    pub server: String,
    /// The kind of failure.
    pub fault: Fault,
    /// The file with transferable evidence against the author, if it was written.
    pub evidence: Option<PathBuf>,
    /// The file with the server's responses, if it was written. The file is not transferable
    /// evidence, because no signature proves which server sent them.
    pub record: Option<PathBuf>,
    /// The reason why evidence or a record could not be stored; `None` if nothing failed.
    pub unkept: Option<String>,
}

impl Incident {
    /// Returns whether the server only reported that there is no version yet.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        matches!(&self.fault, Fault::Silent(FetchError::NoVersion))
    }

    /// Returns whether the server only lacks a log of heads, or enough recent cosignatures of this
    /// log.
    #[doc(hidden)]
    pub fn is_unlogged(&self) -> bool {
        matches!(&self.fault, Fault::Unwitnessed(error) if error.is_missing())
    }

    /// Returns whether the server may only be slow, and not faulty.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(&self.fault, Fault::Silent(error) if error.is_slow())
    }

    /// Returns whether the server exceeded a timeout, and was not busy or unreachable.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(&self.fault, Fault::Silent(error) if error.is_silence())
    }

    /// Changes the fault to [`FetchError::Late`] if the server does not know `version`, which the
    /// client has already verified.
    pub(crate) fn mark_late(&mut self, version: Version) {
        if matches!(&self.fault, Fault::Silent(error) if error.is("unknown_version")) {
            self.fault = Fault::Silent(FetchError::Late(version));
        }
    }

    /// Returns whether the server only reported that it does not keep the requested data. Other
    /// servers may have the data.
    #[doc(hidden)]
    pub fn is_elsewhere(&self) -> bool {
        matches!(&self.fault, Fault::Silent(error) if error.is_elsewhere())
    }
}

/// The reason why a response is unusable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The kind of failure.
    pub fault: Fault,
    /// Evidence against the author, if the response proves two histories.
    pub evidence: Option<Vec<u8>>,
}

impl Unusable {
    /// Creates the fault of a response that does not verify for `reason`.
    pub fn lie(reason: impl Into<String>) -> Self {
        Fault::Lied(reason.into()).into()
    }

    /// Creates the fault of a response that proves two histories by `evidence`.
    pub(crate) fn fork(reason: &impl ToString, evidence: Vec<u8>) -> Self {
        let (fault, evidence) = (Fault::Fork(reason.to_string()), Some(evidence));
        Self { fault, evidence }
    }
}

impl From<Fault> for Unusable {
    fn from(fault: Fault) -> Self {
        let evidence = None;
        Self { fault, evidence }
    }
}

impl From<FetchError> for Unusable {
    fn from(error: FetchError) -> Self {
        Fault::Silent(error).into()
    }
}

impl From<Refusal> for Unusable {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            // A response in a newer format version is not evidence of a lie.
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
        Fault::Unwitnessed(error).into()
    }
}

impl From<NotFollowed<FetchError>> for Unusable {
    fn from(error: NotFollowed<FetchError>) -> Self {
        match error {
            NotFollowed::Silent(error) => error.into(),
            NotFollowed::Behind { .. } => Fault::Behind(error.to_string()).into(),
            NotFollowed::Refused(RefusedHead { refusal, evidence }) => match evidence {
                Some(evidence) => Self::fork(&refusal, evidence),
                None => refusal.into(),
            },
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
            write!(formatter, " (its responses are in {})", file.display())?;
        }
        if let Some(reason) = &self.unkept {
            write!(
                formatter,
                " (evidence or responses cannot be stored: {reason})"
            )?;
        }
        Ok(())
    }
}

/// A request to a server, and the server's response.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) request: String,
    pub(crate) response: Vec<u8>,
}

/// Writes the exchanges with a server whose response does not verify to a file next to `base`, with
/// the `reason` for rejecting it. Returns the file's path.
pub(crate) fn keep_record(
    base: &Path,
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
        "meaning": "Responses of a server that do not verify, as this client received them. They \
            are not transferable evidence: no signature proves which server sent them.",
        "server": server,
        "refusal": reason,
        "exchanges": exchanges,
    });
    let mut text = serde_json::to_string_pretty(&record)?;
    text.push('\n');
    evidence::keep(base, ".lie", text.as_bytes(), MOST_RECORDS)
}

/// Maximum number of files with exchanges next to one path. The limit keeps a lying server from
/// filling the disk.
const MOST_RECORDS: u32 = 16;
/// Maximum number of bytes that are stored of each response. The stored digest covers the whole
/// response.
const MOST_KEPT: usize = 128 << 10;
