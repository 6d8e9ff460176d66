//! `pad route`.

use core::time::Duration;
use std::path::PathBuf;

use clap::Args;
use pad_client::HttpOptions;
use pad_service::{NotRouted, Router};
use pad_web::server::Limits;
use serde_json::json;

use super::{
    Failure, Output,
    listen::{ListenArguments, SizeArguments},
    mirror::connect,
    remote::RootArguments,
    session::load_public,
};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: pad route --server http://10.0.0.1:7440 --server http://10.0.0.2:7440 --public author.key.pub --listen 127.0.0.1:7450"
)]
pub(super) struct Route {
    /// A server to pass questions to, as https://host:port, with /v1/dictionaries/NAME if it has several dictionaries; may be
    /// repeated. All have versions of one dictionary.
    #[arg(long, value_name = "URL", required = true)]
    server: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
    /// The dictionary's name here; the one that it has on the first server unless given.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The author's public key, with which the heads of new versions are verified; the one that the servers name unless given.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Ask the servers this often what they keep, in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// How long a server may take to accept a connection, and again to answer, in milliseconds; then the next one is asked.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
    #[command(flatten)]
    sizes: SizeArguments,
    #[command(flatten)]
    listen: ListenArguments,
}

impl Route {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let limits = Limits {
            // Requests that wait for a server use no computing time here.
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
            (&text, json!({ "dictionaries": [name] })),
            output,
            || {
                // Not dropped: stopping could wait for a server.
                core::mem::forget(following);
            },
        )
    }
}

/// Maximum number of requests in flight to servers.
const IN_FLIGHT: usize = 64;
