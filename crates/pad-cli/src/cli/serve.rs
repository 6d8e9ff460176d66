//! `pad serve`.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    net::ToSocketAddrs as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, ValueEnum};
use disk::engine::report_caught_panics;
use pad_service::{Dictionary, Service};
use serde_json::json;
use web::server::{Handler, Limits, Options, Server, Stopped};

use super::{
    Failure, Output,
    memory::CacheArguments,
    tls::{TlsArguments, network_failure},
};

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// A store to serve, under the name of its file without the ending, or under a NAME given as NAME=FILE; may be
    /// repeated.
    #[arg(long, value_name = "[NAME=]FILE", required = true)]
    store: Vec<String>,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    network: NetworkArguments,
}

/// How a server of dictionaries is reached, and what it serves beside them.
#[derive(Debug, Args)]
pub(super) struct NetworkArguments {
    #[command(flatten)]
    listen: ListenArguments,
    /// Publish the files of this folder beside the dictionary, under files/: the folder that is called as the dictionary in it,
    /// if there are several.
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
    /// Look this often whether other processes have published into the stores, in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    follow_every: u64,
}

/// How a server is reached, and what it says of itself.
#[derive(Debug, Args)]
pub(super) struct ListenArguments {
    /// The address to listen at.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7440")]
    listen: String,
    /// Speak TLS with this certificate chain (PEM). Without one only this machine is served.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key (PEM) of the certificate.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The longest update that is taken or sent, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    largest_update: usize,
    /// The form of the log on standard error.
    #[arg(long, value_name = "FORM", default_value = "text")]
    log: Log,
    /// What is logged: error, warn, info, debug (every refused request) or trace.
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: String,
}

/// The form of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Log {
    /// A line of text for each event.
    Text,
    /// An object for each event.
    Json,
}

impl Serve {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let mut dictionaries = BTreeMap::new();
        for store in &self.store {
            let (name, path) = named(store)?;
            let dictionary = self.cache.open(&name, path, output)?;
            let dictionary = self
                .network
                .published(dictionary, &name, self.store.len() > 1);
            if dictionaries
                .insert(name.clone(), Arc::new(dictionary))
                .is_some()
            {
                return Err(Failure::Input(format!(
                    "--store: two stores are called {name}, give NAME=FILE"
                )));
            }
        }
        self.network.serve(dictionaries, output, |_| Ok(()))
    }
}

impl NetworkArguments {
    /// A dictionary with what is published beside it.
    pub(super) fn published(
        &self,
        dictionary: Dictionary,
        name: &str,
        is_one_of_several: bool,
    ) -> Dictionary {
        match &self.publish {
            Some(folder) if is_one_of_several => dictionary.publishing(folder.join(name)),
            Some(folder) => dictionary.publishing(folder.clone()),
            None => dictionary,
        }
    }

    /// Serves until it is told to stop. `begin` is called once the address is taken; what it returns is dropped at the end.
    pub(super) fn serve<G>(
        &self,
        dictionaries: BTreeMap<String, Arc<Dictionary>>,
        output: &mut Output,
        begin: impl FnOnce(&Service) -> Result<G, Failure>,
    ) -> Result<(), Failure> {
        let names: Vec<_> = dictionaries.keys().cloned().collect();
        let limits = self.listen.limits();
        self.listen.serve(limits, &names, output, || {
            let service = Service::new(dictionaries, limits);
            let following = service.follow(Duration::from_millis(self.follow_every));
            let begun = begin(&service)?;
            Ok((service, (following, begun)))
        })
    }

    /// The longest answer that is sent, in bytes, and that a server alike is asked for.
    pub(super) fn longest_answer(&self) -> usize {
        self.listen.limits().response_bytes
    }
}

impl ListenArguments {
    /// Serves these dictionaries until it is told to stop, with what `begin` makes once the address is taken: what answers, and what
    /// goes on beside it.
    pub(super) fn serve<H: Handler, G>(
        &self,
        limits: Limits,
        names: &[String],
        output: &mut Output,
        begin: impl FnOnce() -> Result<(H, G), Failure>,
    ) -> Result<(), Failure> {
        self.begin_log()?;
        report_caught_panics(|place| {
            eprintln!("pad: the store is damaged: the storage engine gave up on a page ({place})");
        });
        let tls = TlsArguments {
            certificate: self.tls_cert.as_deref(),
            private_key: self.tls_key.as_deref(),
            names: ["--tls-cert", "--tls-key"],
        };
        let options = Options {
            identity: tls.identity()?,
            limits,
            ..Options::default()
        };
        if options.identity.is_none() {
            self.check_loopback()?;
        }
        let scheme = if options.identity.is_some() {
            "https"
        } else {
            "http"
        };
        let server = Server::bind(self.listen.as_str(), options);
        let server = server.map_err(|error| network_failure(&self.listen, &error))?;
        let address = server.address();
        let (handler, begun) = begin()?;
        let text = format!(
            "serving {} at {scheme}://{address} (Ctrl-C stops)",
            names.join(", ")
        );
        let object =
            json!({ "address": address.to_string(), "scheme": scheme, "dictionaries": names });
        output.say(&text, &object)?;
        let stopped = server.run(handler);
        // A round may wait for an upstream for minutes; whatever it does may be cut at any time.
        core::mem::forget(begun);
        match stopped.map_err(|error| network_failure(&self.listen, &error))? {
            Stopped::Drained => output.say("stopped", &json!({ "stopped": "drained" })),
            Stopped::TimedOut { connections } => output.say(
                &format!("stopped; {connections} connections were cut"),
                &json!({ "stopped": "timed out", "connections": connections }),
            ),
        }
    }

    /// How much at once.
    pub(super) fn limits(&self) -> Limits {
        let usual = Limits::default();
        let largest = self.largest_update;
        Limits {
            request_bytes: largest,
            // A list of one update is a little longer than the update.
            response_bytes: usual.response_bytes.max(largest.saturating_add(1 << 10)),
            body_bytes: usual.body_bytes.max(largest.saturating_mul(2)),
            answer_bytes: usual.answer_bytes.max(largest.saturating_mul(2)),
            bytes_per_peer: usual.bytes_per_peer.max(largest.saturating_add(1 << 20)),
            ..usual
        }
    }

    /// Without TLS, whoever is on the way reads along which keys are asked about; no answer can be forged all the same.
    fn check_loopback(&self) -> Result<(), Failure> {
        let addresses = self.listen.to_socket_addrs();
        let mut addresses = addresses
            .map_err(|error| Failure::Input(format!("--listen {}: {error}", self.listen)))?;
        if addresses.all(|address| address.ip().is_loopback()) {
            return Ok(());
        }
        Err(Failure::Input(format!(
            "--listen {}: other machines are served with TLS only: give --tls-cert and --tls-key",
            self.listen
        )))
    }

    fn begin_log(&self) -> Result<(), Failure> {
        use tracing_subscriber::{EnvFilter, fmt};
        let filter = EnvFilter::try_new(&self.log_level)
            .map_err(|error| Failure::Input(format!("--log-level {}: {error}", self.log_level)))?;
        let log = fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_ansi(false);
        let begun = match self.log {
            Log::Text => log.try_init(),
            Log::Json => log.json().try_init(),
        };
        begun.map_err(|error| Failure::Store(format!("the log cannot begin: {error}")))
    }
}

/// The name and the file of a store.
pub(super) fn named(store: &str) -> Result<(String, &Path), Failure> {
    let (name, path) = if let Some((name, path)) = store.split_once('=') {
        (name.to_owned(), Path::new(path))
    } else {
        let path = Path::new(store);
        let stem = path.file_stem().unwrap_or_default();
        (stem.to_string_lossy().into_owned(), path)
    };
    let is_usual = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_usual) {
        return Err(Failure::Input(format!(
            "--store {store}: '{name}' cannot stand in an address, give NAME=FILE with letters, digits, dots, hyphens and \
             underscores"
        )));
    }
    Ok((name, path))
}
