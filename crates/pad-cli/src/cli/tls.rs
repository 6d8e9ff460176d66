//! TLS certificates of servers, and network failures.

use std::{io::ErrorKind, path::Path};

use pad_web::server::{Identity, ServerError};

use super::{Failure, Result, files::read_all, secret::check_secret};

/// Paths of a PEM certificate chain and its private key, and the names of their options.
pub(super) struct TlsArguments<'a> {
    pub(super) certificate: Option<&'a Path>,
    pub(super) private_key: Option<&'a Path>,
    pub(super) names: [&'static str; 2],
}

impl TlsArguments<'_> {
    /// Loads the certificate and the private key, if they are given. Rejects a key file with
    /// permissions that `check_secret` rejects.
    pub(super) fn identity(&self) -> Result<Option<Identity>> {
        let (Some(certificate), Some(key)) = (self.certificate, self.private_key) else {
            return Ok(None);
        };
        let [certificate_name, key_name] = self.names;
        check_secret(key_name, key)?;
        let identity = Identity::from_pem(&read_all(certificate)?, &read_all(key)?);
        identity.map(Some).map_err(|error| match error {
            ServerError::Certificate(text) => Failure::Input(format!("{certificate_name}: {text}")),
            error => Failure::Store(error.to_string()),
        })
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
