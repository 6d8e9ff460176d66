//! Servers: trusted proxies, TLS certificates, the address, and the messages at startup and
//! shutdown.

use std::{
    io::ErrorKind,
    net::{IpAddr, SocketAddr},
    path::Path,
};

use clap::Args;
use pad_web::server::{Handler, Identity, Options, Server, ServerError, ShutdownOutcome};
use serde_json::{Value as Json, json};

use super::{
    Failure, Output, Result,
    files::{check_secret, read_all},
};

/// Proxies in front of a server.
#[derive(Debug, Args)]
pub(super) struct ProxyArguments {
    /// Address of a router or reverse proxy; may be repeated.
    ///
    /// Limits then count the proxy's clients separately. The proxy must add the client's address to
    /// X-Forwarded-For, as `pad route` does.
    #[arg(long = "trusted-proxy", value_name = "IP")]
    pub(super) trusted_proxies: Vec<IpAddr>,
}

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

/// Prints a note when the storage engine panics on a damaged page, which a server survives.
pub(super) fn report_damage() {
    pad_disk::engine::report_caught_panics(|place| {
        eprintln!("pad: the store is damaged: the storage engine gave up on a page ({place})");
    });
}

/// A server that is bound to its address.
pub(super) struct Host<'a> {
    /// The address as it was given, for error messages.
    listen: &'a str,
    pub(super) scheme: &'static str,
    server: Server,
}

impl<'a> Host<'a> {
    pub(super) fn bind(listen: &'a str, options: Options) -> Result<Self> {
        let scheme = match options.identity {
            Some(_) => "https",
            None => "http",
        };
        let server = Server::bind(listen, options);
        let server = server.map_err(|error| network_failure(listen, &error))?;
        Ok(Self {
            listen,
            scheme,
            server,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    pub(super) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address())
    }

    /// Reports that the server is ready, by `text` or `object`. Then serves until the server is
    /// stopped, and calls `end`.
    ///
    /// The reported JSON object also contains the address and the URL.
    pub(super) fn run(
        self,
        handler: impl Handler,
        (text, mut object): (&str, Json),
        output: &mut Output,
        end: impl FnOnce(),
    ) -> Result {
        object["address"] = self.address().to_string().into();
        object["url"] = self.url().into();
        let failure = |error| network_failure(self.listen, &error);
        // A signal that follows the report must stop the server, and not kill the process.
        let server = self.server.catch_signals().map_err(failure)?;
        output.say(text, &object)?;
        let stopped = server.run(handler);
        end();
        match stopped.map_err(failure)? {
            ShutdownOutcome::Drained => output.say("stopped", &json!({ "stopped": "drained" })),
            ShutdownOutcome::TimedOut { connections } => output.say(
                &format!("stopped; {connections} connections were cut"),
                &json!({ "stopped": "timed out", "cut_connections": connections }),
            ),
        }
    }
}

fn network_failure(listen: &str, error: &ServerError) -> Failure {
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
