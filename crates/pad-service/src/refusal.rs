//! Error responses of a service or a router.

use core::fmt;

use authdict::{AnswerError, LookupError, RepositoryError, StoreError, Version};
use pad_client::{Versions, internals::UnknownPath};
use pad_web::server::{Answer, HeaderValue, StatusCode, header};
use serde_json::json;

use crate::{dictionary::NotApplied, reply::uncached};

/// An error response: a status, a stable error code and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    code: &'static str,
    text: String,
    oldest: Option<Version>,
    latest: Option<Version>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, text: impl fmt::Display) -> Self {
        Self {
            status,
            code,
            text: text.to_string(),
            oldest: None,
            latest: None,
        }
    }

    /// Creates a refusal with status 400.
    pub(crate) fn bad_request(code: &'static str, text: impl fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, text)
    }

    /// Creates a refusal with status 404.
    pub(crate) fn not_found(code: &'static str, text: impl fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, text)
    }

    /// Creates a refusal with status 422.
    pub(crate) fn unprocessable(code: &'static str, text: impl fmt::Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, text)
    }

    /// Creates the refusal of a version that this server does not keep. Another server may have the
    /// version.
    pub(crate) fn not_kept(versions: &Versions) -> Self {
        let Versions { oldest, latest, .. } = *versions;
        let text = format!("the version is not kept here: kept are versions {oldest} to {latest}");
        Self {
            oldest: Some(oldest),
            latest: Some(latest),
            ..Self::new(StatusCode::MISDIRECTED_REQUEST, "not_kept", text)
        }
    }

    pub(crate) const fn code(&self) -> &'static str {
        self.code
    }

    /// Encodes the refusal as JSON, with the headers that its status requires.
    pub(crate) fn answer(&self) -> Answer {
        let mut object = json!({ "error": self.code, "message": self.text });
        for (name, version) in [("oldest", self.oldest), ("latest", self.latest)] {
            if let (Some(version), Some(object)) = (version, object.as_object_mut()) {
                object.insert(name.into(), version.number().into());
            }
        }
        let answer = uncached(self.status, &object);
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                answer.with(header::RETRY_AFTER, HeaderValue::from_static("1"))
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                answer.with(header::ALLOW, HeaderValue::from_static("GET, HEAD, POST"))
            }
            _ => answer,
        }
    }

    /// Creates the response to a failure of the store. Details are logged for the operator, and not
    /// sent.
    pub(crate) fn failed() -> Self {
        let text = "the server's store cannot be read or written";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "store_failed", text)
    }

    /// Creates the response to a request about a directory whose folder was removed or replaced.
    ///
    /// The status is not 503: clients repeat requests to a server that is only busy.
    pub(crate) fn folder_lost() -> Self {
        let text = "the folder of the directory was removed or replaced";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "folder_lost", text)
    }
}

impl From<UnknownPath> for Refusal {
    fn from(error: UnknownPath) -> Self {
        match error {
            UnknownPath::Unknown => Self::not_found("unknown_path", error),
            error => Self::bad_request("unreadable_path", error),
        }
    }
}

impl From<LookupError> for Refusal {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::UnknownVersion { latest, .. } => Self {
                latest: Some(latest),
                ..Self::not_found("unknown_version", error)
            },
            LookupError::Pruned { .. } => Self::new(StatusCode::GONE, "pruned", error),
            LookupError::NotKept => Self::new(StatusCode::MISDIRECTED_REQUEST, "not_kept", error),
            LookupError::InvalidQuery => Self::unprocessable("no_answer", error),
            LookupError::TooLong { .. } => Self::unprocessable("too_long", error),
            LookupError::NotDurable { .. } => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "not_durable", error)
            }
            error => {
                tracing::error!(%error, "a version cannot be read");
                Self::failed()
            }
        }
    }
}

impl From<AnswerError> for Refusal {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Lookup(error) => error.into(),
            error => Self::unprocessable("not_offered", error),
        }
    }
}

impl From<RepositoryError> for Refusal {
    fn from(error: RepositoryError) -> Self {
        match error {
            RepositoryError::Lookup(error) => error.into(),
            RepositoryError::Unreadable(error) => Self::bad_request("unreadable_update", error),
            RepositoryError::Refused(error) => Self::unprocessable("update_refused", error),
            RepositoryError::Store(
                StoreError::InUse(_)
                | StoreError::Gap { .. }
                | StoreError::Superseded
                | StoreError::Overtaken,
            ) => {
                let text = "another process is writing to the store";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_in_use", text)
            }
            error => {
                tracing::error!(%error, "the store failed");
                Self::failed()
            }
        }
    }
}

impl From<NotApplied> for Refusal {
    fn from(error: NotApplied) -> Self {
        match error {
            NotApplied::Repository(error) => error.into(),
            NotApplied::Gap { latest, .. } => Self {
                latest: Some(latest),
                ..Self::new(StatusCode::CONFLICT, "version_gap", error)
            },
            NotApplied::NotKept { until } => Self {
                latest: Some(until),
                ..Self::new(StatusCode::MISDIRECTED_REQUEST, "not_kept", error)
            },
            error @ NotApplied::Other(_) => Self::new(StatusCode::CONFLICT, "other_update", error),
            NotApplied::FolderLost => Self::folder_lost(),
            NotApplied::TooLarge { .. } => Self::failed(),
        }
    }
}
