//! `pad mirror`.

use core::time::Duration;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use clap::Args;
use pad_client::{FetchError, HttpError, HttpOptions, Server};
use pad_service::Mirror;

use super::{
    Failure, NewStoreArguments, Output,
    remote::RootArguments,
    serve::{NetworkArguments, named},
    session::{create_or_match, load_public},
};

#[derive(Debug, Args)]
pub(super) struct MirrorCommand {
    /// A server to follow, as https://host:port, with /v1/dictionaries/NAME if it has several dictionaries; may be repeated.
    #[arg(long, value_name = "URL", required = true)]
    from: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
    /// The store, served under the name of its file without the ending, or under a NAME given as NAME=FILE; made if it is
    /// missing. A copy of another server's store saves the way from the first version on.
    #[arg(long, value_name = "[NAME=]FILE")]
    store: String,
    /// The author's public key; needed only where the store is new.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    #[command(flatten)]
    new: NewStoreArguments,
    /// The pause between two rounds, in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    #[command(flatten)]
    network: NetworkArguments,
}

impl MirrorCommand {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let (name, path) = named(&self.store)?;
        if let Some(public) = &self.public {
            create_or_match(path, &load_public(public)?, &self.new, output)?;
        } else if !path.exists() {
            return Err(Failure::input(
                "a new mirror needs the author's --public key: what servers say is verified with it",
            ));
        }
        let upstreams = self.upstreams()?;
        let publishing = self.network.publishing()?;
        let dictionary = Arc::new(publishing.dictionary(&name, path, false)?);
        let dictionaries = BTreeMap::from([(name, Arc::clone(&dictionary))]);
        publishing.check_used()?;
        self.network
            .serve(dictionaries, &self.roots, output, |service| {
                let mirror = Mirror::new(dictionary, upstreams, path.to_owned(), service.metrics());
                Ok(mirror.follow(Duration::from_millis(self.every)))
            })
    }

    /// The servers to follow. Those whose addresses do not name the dictionary have to be reached for its name.
    fn upstreams(&self) -> Result<Vec<Server>, Failure> {
        let options = HttpOptions {
            attempts: 1,
            response_bytes: self.network.longest_answer(),
            ..self.roots.options()?
        };
        let connected = self.from.iter().map(|address| {
            Server::connect(address, options.clone()).map_err(|error| {
                let text = format!("--from {address}: {error}");
                match error {
                    FetchError::Http(HttpError::Configuration(_)) => Failure::Input(text),
                    _ => Failure::Store(text),
                }
            })
        });
        connected.collect()
    }
}
