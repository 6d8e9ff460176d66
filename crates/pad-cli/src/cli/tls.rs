//! TLS certificates of servers, network failures, and the report of a stopped server.

use std::{io::ErrorKind, path::Path};

use pad_web::server::{Identity, Options, ServerError, ShutdownOutcome};
use serde_json::json;

use super::{
    Failure, Output, Result,
    files::{check_secret, read_all},
};

/// Loads a PEM certificate chain and its private key from `files`, and names their options in
/// errors. Rejects a key file with permissions that [`check_secret`] rejects.
pub(super) fn identity(
    [certificate_name, key_name]: [&str; 2],
    files: Option<(&Path, &Path)>,
) -> Result<Option<Identity>> {
    let Some((certificate, key)) = files else {
        return Ok(None);
    };
    check_secret(key_name, key)?;
    let identity = Identity::from_pem(&read_all(certificate)?, &read_all(key)?);
    identity.map(Some).map_err(|error| match error {
        ServerError::Certificate(text) => Failure::Input(format!("{certificate_name}: {text}")),
        error => Failure::Store(error.to_string()),
    })
}

/// Returns the scheme of the URLs of a server.
pub(super) const fn scheme_of(options: &Options) -> &'static str {
    if options.identity.is_some() {
        "https"
    } else {
        "http"
    }
}

/// Reports that a server has stopped.
pub(super) fn say_stopped(outcome: &ShutdownOutcome, output: &mut Output) -> Result {
    match outcome {
        ShutdownOutcome::Drained => output.say("stopped", &json!({ "stopped": "drained" })),
        ShutdownOutcome::TimedOut { connections } => output.say(
            &format!("stopped; {connections} connections were cut"),
            &json!({ "stopped": "timed out", "cut_connections": connections }),
        ),
    }
}

pub(super) fn network_failure(listen: &str, error: &ServerError) -> Failure {
    match error {
        // Another process may release the address, or the network may come up: not an error of use.
        ServerError::Bind(error)
            if matches!(
                error.kind(),
                ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable
            ) =>
        {
            Failure::Store(format!("--listen {listen}: {error}"))
        }
        ServerError::Bind(error) => Failure::Input(format!("--listen {listen}: {error}")),
        error => Failure::Store(error.to_string()),
    }
}
