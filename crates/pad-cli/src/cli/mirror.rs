//! `pad mirror` follows other servers of a dictionary, verifies it and serves it. `pad route`
//! forwards requests to the servers that keep the data.

use core::time::Duration;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use authdict::{KeyRange, internals::AnyStore};
use clap::Args;
use pad_client::{FetchError, HttpError, HttpOptions, Remote, internals::without_password};
use pad_service::{CannotKeep, Keep, Mirror, NotRouted, Part, Router};
use pad_web::server::Limits;
use serde_json::json;

use super::{
    Failure, NewStoreArguments, Output, Result,
    files::load_public,
    listen::{ListenArguments, SizeArguments},
    memory::CacheArguments,
    quantity::{self, at_least_one},
    query::between,
    remote::RootArguments,
    serve::{NetworkArguments, named},
    session::create_or_match,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad mirror --from https://prices.example --store mirror.pad \\
    --public author.key.pub --listen 127.0.0.1:7441
  pad mirror --from https://prices.example --keys apple pear \\
    --public author.key.pub --listen 127.0.0.1:7441

The second mirror keeps the keys from apple up to, but not including, pear.")]
pub(super) struct MirrorCommand {
    /// A server to follow, as https://host:port; may be repeated.
    ///
    /// Append /v1/dictionaries/NAME if it has several dictionaries.
    #[arg(long, value_name = "URL", required = true)]
    from: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
    /// The store, created if missing; served as NAME.
    ///
    /// The default NAME is the file's name without its extension. A copy of another server's store
    /// saves the transfer from the first version on.
    #[arg(long, value_name = "[NAME=]FILE")]
    #[arg(required_unless_present = "keys", conflicts_with = "keys")]
    store: Option<String>,
    /// Keep only the keys from START up to, but not including, END.
    ///
    /// An empty text is the beginning or the end. For trees. The keys are kept in memory, without a
    /// store, and fetched again when the mirror restarts. Only these keys are fetched, with proofs.
    ///
    /// Queries about other keys are answered with the range that is kept.
    #[arg(long, num_args = 2, value_names = ["START", "END"], requires = "public")]
    keys: Option<Vec<String>>,
    /// Serve the --keys under NAME [default: the first server's name].
    #[arg(long, requires = "keys")]
    name: Option<String>,
    /// Memory limit of the --keys, such as 4GiB.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", requires = "keys")]
    #[arg(value_parser = quantity::memory)]
    memory: usize,
    /// Keep only these versions: A..B, A.. or last:N.
    ///
    /// A..B keeps both and none after B. last:N keeps at least the last N. Older versions are
    /// dropped as the mirror follows. Queries about other versions are answered with the versions
    /// that are kept.
    #[arg(long, value_name = "VERSIONS")]
    versions: Option<Keep>,
    /// The author's public key; needed only for a new store.
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    #[command(flatten)]
    new: NewStoreArguments,
    /// Save evidence and responses that fail verification as FILE.evidence and FILE.lie.
    ///
    /// FILE.evidence proves that the author's key signed two histories. FILE.lie records a server's
    /// responses. Further files end in -2, -3 and so on. Default: the name of the store. For a
    /// store in objects or for --keys: the dictionary's name, in the working folder.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Pause MILLISECONDS before the servers are asked again.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = at_least_one())]
    every: u64,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    network: NetworkArguments,
}

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

impl MirrorCommand {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        match (&self.store, self.keys.as_deref()) {
            (None, Some([start, end])) => self.mirror_keys(between(start, end, output)?, output),
            (Some(store), _) => self.mirror_store(store, output),
            _ => Err(Failure::input("--keys are given by a START and an END")),
        }
    }

    fn mirror_keys(&self, range: KeyRange, output: &mut Output) -> Result {
        let Some(public) = &self.public else {
            return Err(Failure::input("--keys need the author's --public key"));
        };
        let public = load_public(public)?;
        let upstreams = self.upstreams(self.name.as_deref())?;
        let first = upstreams.first().map(|first| first.name().to_owned());
        let name = self.name.clone().or(first).unwrap_or_default();
        if !pad_client::internals::is_dictionary_name(&name) {
            let text = format!("--name {name}: the name cannot be part of an address");
            return Err(
                Failure::Input(text).help("use letters, digits, dots, hyphens and underscores")
            );
        }
        let keep = self.versions.unwrap_or_default();
        let part = Part::new(public, range, keep, self.memory);
        let part = Arc::new(part.map_err(|error| Failure::Input(format!("--keys: {error}")))?);
        let evidence = self.evidence.clone();
        let evidence = evidence.unwrap_or_else(|| PathBuf::from(&name));
        self.network.publishing()?.check_unpublished()?;
        let dictionaries = BTreeMap::from([(name, Arc::clone(&part).into())]);
        self.network
            .serve(dictionaries, &self.roots, output, |service| {
                let mirror = Mirror::of_part(part, upstreams, evidence, service.metrics());
                mirror.follow(Duration::from_millis(self.every))
            })
    }

    fn mirror_store(&self, store: &str, output: &mut Output) -> Result {
        let (name, path) = named("--store", store)?;
        if let Some(public) = &self.public {
            create_or_match(path, &load_public(public)?, &self.new, output)?;
        } else if !AnyStore::exists(path)? {
            return Err(Failure::input(
                "a new mirror needs the author's --public key, to verify what servers send",
            ));
        }
        let upstreams = self.upstreams(Some(&name))?;
        let evidence = self.evidence.clone().unwrap_or_else(|| {
            if AnyStore::is_in_objects(path) {
                PathBuf::from(&name)
            } else {
                path.to_owned()
            }
        });
        let mut dictionary = self.cache.open(&name, path, output)?;
        if let Some(keep) = self.versions {
            let kept = dictionary.keeping(keep);
            dictionary = kept.map_err(|error| {
                let failure = Failure::Input(format!("--versions: {error}"));
                match error {
                    CannotKeep::NotPruned(_) => {
                        failure.help("omit --versions, or give 1.. to keep all versions")
                    }
                    _ => failure,
                }
            })?;
        }
        let publishing = self.network.publishing()?;
        let dictionary = Arc::new(publishing.dictionary(dictionary, &name, false)?);
        let dictionaries = BTreeMap::from([(name, Arc::clone(&dictionary).into())]);
        publishing.check_used()?;
        self.network
            .serve(dictionaries, &self.roots, output, |service| {
                let mirror = Mirror::new(dictionary, upstreams, evidence, service.metrics());
                mirror.follow(Duration::from_millis(self.every))
            })
    }

    /// Connects to the upstream servers, like [`connect`].
    fn upstreams(&self, name: Option<&str>) -> Result<Vec<Remote>> {
        let options = HttpOptions {
            attempts: 1,
            response_bytes: self.network.sizes.limits().response_bytes,
            ..self.roots.options()?
        };
        connect("--from", &self.from, name, &options)
    }
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
        let servers = connect("--server", &self.server, None, &options)?;
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
        let said = (text.as_str(), json!({ "dictionary_names": [name] }));
        // The tasks are not dropped, because stopping them could wait for a server.
        host.run(router, said, output, || core::mem::forget(following))
    }
}

/// Connects to the servers at `addresses`. `option` is the command-line option of the addresses,
/// for messages.
///
/// If an address contains no dictionary name, the server is asked for the name. A server that does
/// not answer is assumed to have `name`, or else the name on which all other servers agree. A
/// mirror or router therefore starts even while some servers are unreachable.
fn connect(
    option: &str,
    addresses: &[String],
    name: Option<&str>,
    options: &HttpOptions,
) -> Result<Vec<Remote>> {
    let asked = addresses.iter();
    let asked = asked.map(|address| Remote::connect(address, options.clone()));
    let asked: Vec<_> = asked.collect();
    let mut names = asked.iter().flatten().map(Remote::name);
    let others = names
        .next()
        .filter(|first| names.all(|other| other == *first));
    let name = name.or(others).map(str::to_owned);
    let failed = |address: &str, error: FetchError| {
        let text = format!("{option} {}: {error}", without_password(address));
        match error {
            FetchError::Http(HttpError::Configuration(_)) => Failure::Input(text),
            _ => Failure::Store(text),
        }
    };
    let servers = addresses.iter().zip(asked).map(|(address, asked)| {
        match (asked, &name) {
            // Other servers may answer even if this server does not.
            (Err(error), Some(name)) if error.is_slow() => {
                let named = format!("{}/v1/dictionaries/{name}", address.trim_end_matches('/'));
                let (shown, taken) = (without_password(address), without_password(&named));
                Output::warn(&format!("{option} {shown} is taken to be {taken}: {error}"));
                Remote::connect(&named, options.clone()).map_err(|error| failed(&named, error))
            }
            (asked, _) => asked.map_err(|error| failed(address, error)),
        }
    });
    servers.collect()
}

/// Maximum number of requests that wait for servers.
const IN_FLIGHT: usize = 64;
