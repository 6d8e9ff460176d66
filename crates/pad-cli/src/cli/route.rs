//! `pad route`: forwards requests to the servers that keep the data.

use core::time::Duration;
use std::path::PathBuf;

use clap::Args;
use pad_client::HttpOptions;
use pad_service::{NotRouted, Router};
use pad_web::server::Limits;
use serde_json::json;

use super::{
    Failure, Output, Result,
    listen::{ListenArguments, SizeArguments},
    mirror::connect,
    quantity::at_least_one,
    remote::RootArguments,
    session::load_public,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad route --server http://10.0.0.1:7440 --server http://10.0.0.2:7440 \\
    --listen 127.0.0.1:7450
  pad route --server http://10.0.0.1:7440 --server http://10.0.0.2:7440 \\
    --public author.key.pub --listen 127.0.0.1:7450")]
pub(super) struct Route {
    /// A server to forward to, as https://host:port; may be repeated.
    ///
    /// Append /v1/dictionaries/NAME if it has several dictionaries. All servers have versions of
    /// one dictionary.
    #[arg(long, value_name = "URL", required = true)]
    server: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
    /// Serve the dictionary under NAME [default: the first server's name].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The author's public key, to verify the heads of new versions.
    ///
    /// Default: the key that the servers name.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Ask the servers for their versions every MILLISECONDS.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = at_least_one())]
    every: u64,
    /// Wait at most MILLISECONDS for a server, then ask the next.
    ///
    /// The limit applies to the connection, and again to the response.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5000, value_parser = at_least_one())]
    patience: u64,
    #[command(flatten)]
    sizes: SizeArguments,
    #[command(flatten)]
    listen: ListenArguments,
}

impl Route {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let limits = Limits {
            // A request that waits for a server uses no computing time here, so more requests are
            // allowed.
            in_flight: IN_FLIGHT,
            ..self.sizes.limits()
        };
        let patience = Duration::from_millis(self.patience);
        let options = HttpOptions {
            attempts: 1,
            response_bytes: limits.response_bytes,
            connect: patience,
            transfer: patience,
            idle_connections: IN_FLIGHT,
            ..self.roots.options()?
        };
        let servers = connect("--server", &self.server, &options)?;
        let first = servers.first().map(|server| server.name().to_owned());
        let name = self.name.clone().or(first).unwrap_or_default();
        let public = self.public.as_deref().map(load_public).transpose()?;
        self.listen.begin_log()?;
        let host = self.listen.bind(limits)?;
        let router = Router::new(name.clone(), servers, public, limits);
        let router = router.map_err(|error| match error {
            NotRouted::NoKey => Failure::Store(error.to_string()),
            error => Failure::Input(format!("--server: {error}")),
        })?;
        let following = router.follow(Duration::from_millis(self.every));
        let text = format!("serving {name} at {} (Ctrl-C stops)", host.url());
        host.run(
            router,
            (&text, json!({ "dictionary_names": [name] })),
            output,
            || {
                // The tasks are not dropped, because stopping them could wait for a server.
                core::mem::forget(following);
            },
        )
    }
}

/// Maximum number of requests that wait for servers.
const IN_FLIGHT: usize = 64;
