//! `pad serve`: serves dictionaries over HTTP to clients that verify answers.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use authdict::Version;
use clap::Args;
use pad_service::{
    CosigningOptions, Dictionary, Directory, HeadLog, HeadLogError, PeriodicTask, ServedDictionary,
    Service,
};
use serde_json::json;
use transparency_log::{Policy, note::NoteSigner};

use super::{
    Failure, Output, Result,
    host::report_damage,
    listen::{ListenArguments, SizeArguments},
    memory::CacheArguments,
    quantity::at_least_one,
    remote::RootArguments,
    witness::{load_policy, load_signer},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad serve --store prices.pad --listen 127.0.0.1:7440
  pad serve --store fruit=prices.pad --store images.pad --cache all
  pad serve --directory photographs --listen 127.0.0.1:7440")]
pub(super) struct Serve {
    /// A store to serve under NAME; may be repeated.
    ///
    /// The default NAME is the file's name without its extension.
    #[arg(long, value_name = "[NAME=]FILE")]
    #[arg(required_unless_present = "directory")]
    store: Vec<String>,
    /// A block directory to serve under NAME; may be repeated.
    ///
    /// The default NAME is the folder's name without its extension. No other process can open the
    /// folder meanwhile: new versions come from pad directory push.
    #[arg(long, value_name = "[NAME=]FOLDER")]
    directory: Vec<String>,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    roots: RootArguments,
    #[command(flatten)]
    network: NetworkArguments,
}

/// Options for serving dictionaries.
#[derive(Debug, Args)]
pub(super) struct NetworkArguments {
    #[command(flatten)]
    listen: ListenArguments,
    /// Publish the files in DIR under files/, next to the dictionary.
    ///
    /// With several dictionaries, each one publishes the folder of its name in DIR.
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
    /// Keep a log of heads in the --publish folder, signed with this key.
    ///
    /// The log is published. Create the key with pad witness keygen --log-of. May be repeated, once
    /// for each dictionary. Only one server of a dictionary may have this key.
    #[arg(long, value_name = "FILE", requires = "publish")]
    log_key: Vec<PathBuf>,
    /// Have the log cosigned by the witnesses of this policy.
    ///
    /// The policy (tlog-policy) contains the URL of each witness after its key. Checkpoints are
    /// published only with the cosignatures that the policy requires. Clients have the same file.
    #[arg(long, value_name = "FILE", requires = "log_key")]
    witnesses: Option<String>,
    /// Request new cosignatures every SECONDS while no version is added.
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = at_least_one())]
    cosign_every: u64,
    #[command(flatten)]
    pub(super) sizes: SizeArguments,
    /// Check the store for versions written by other processes every MILLISECONDS.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 200, value_parser = at_least_one())]
    follow_every: u64,
}

impl Serve {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let publishing = self.network.publishing()?;
        let mut dictionaries = BTreeMap::<_, ServedDictionary>::new();
        let stores = self.store.iter().map(|store| named("--store", store));
        let stores = stores.collect::<Result<Vec<_>, _>>()?;
        for (name, path) in stores {
            let dictionary = self.cache.open(&name, path, output)?;
            let dictionary = publishing.dictionary(dictionary, &name, self.store.len() > 1)?;
            let dictionary = Arc::new(dictionary).into();
            if dictionaries.insert(name.clone(), dictionary).is_some() {
                let text = format!("--store: two stores have the name {name}");
                return Err(Failure::Input(text).help("use NAME=FILE"));
            }
        }
        publishing.check_used()?;
        let limits = self.network.sizes.limits();
        for directory in &self.directory {
            let (name, folder) = named("--directory", directory)?;
            if dictionaries.contains_key(&name) {
                let text = format!("--directory: the name {name} is taken");
                return Err(Failure::Input(text).help("use NAME=FOLDER"));
            }
            let directory = Directory::open(folder, &limits)?;
            dictionaries.insert(name, Arc::new(directory).into());
        }
        self.network
            .serve(dictionaries, &self.roots, output, |_| ())
    }
}

/// The published files and head logs of the served dictionaries.
pub(super) struct PublishSettings<'a> {
    folder: Option<&'a Path>,
    /// Keys of head logs that are not assigned to a dictionary yet.
    keys: std::cell::RefCell<Vec<(PathBuf, NoteSigner)>>,
    policy: Option<Policy>,
}

impl PublishSettings<'_> {
    /// With `--publish`, lets the dictionary `name` publish the files in its folder. If there is a
    /// key for its log of heads, opens the log in this folder.
    pub(super) fn dictionary(
        &self,
        dictionary: Dictionary,
        name: &str,
        is_one_of_several: bool,
    ) -> Result<Dictionary> {
        let Some(folder) = self.folder else {
            return Ok(dictionary);
        };
        let folder = if is_one_of_several {
            folder.join(name)
        } else {
            folder.to_owned()
        };
        let id = dictionary.public().authority.dictionary;
        let suffix = format!("/{id}");
        let mut keys = self.keys.borrow_mut();
        let is_its = |(_, key): &(PathBuf, NoteSigner)| key.name().as_str().ends_with(&suffix);
        let Some(place) = keys.iter().position(is_its) else {
            return Ok(dictionary.publishing(folder));
        };
        let (path, key) = keys.swap_remove(place);
        let log = HeadLog::open(&folder, key, self.policy.clone(), &dictionary);
        let log = log.map_err(|error| {
            let text = format!("the log in {}: {error}", folder.display());
            match error {
                HeadLogError::NotInPolicy | HeadLogError::OtherDictionary { .. } => {
                    Failure::Input(format!("--log-key {}: {error}", path.display()))
                }
                HeadLogError::OtherHead(_) | HeadLogError::Head { .. } => Failure::Refused(text),
                _ => Failure::Store(text),
            }
        })?;
        Ok(dictionary.logging(Arc::new(log)))
    }

    pub(super) fn check_unpublished(&self) -> Result {
        match self.folder {
            None => Ok(()),
            Some(_) => Err(Failure::input(
                "--publish requires a server with a store, not one with some of the keys",
            )),
        }
    }

    pub(super) fn check_used(&self) -> Result {
        match self.keys.borrow().first() {
            None => Ok(()),
            Some((path, key)) => Err(Failure::Input(format!(
                "--log-key {}: no dictionary here has a log called {}",
                path.display(),
                key.name()
            ))),
        }
    }
}

impl NetworkArguments {
    pub(super) fn publishing(&self) -> Result<PublishSettings<'_>> {
        let keys = self.log_key.iter();
        let keys = keys.map(|path| Ok((path.clone(), load_signer(path, "--log-key")?)));
        Ok(PublishSettings {
            folder: self.publish.as_deref(),
            keys: keys.collect::<Result<Vec<_>>>()?.into(),
            policy: self.witnesses.as_deref().map(load_policy).transpose()?,
        })
    }

    /// Serves until the process is stopped. Calls `begin` once the address is bound, and keeps the
    /// result of `begin` until the end.
    pub(super) fn serve<G>(
        &self,
        dictionaries: BTreeMap<String, ServedDictionary>,
        roots: &RootArguments,
        output: &mut Output,
        begin: impl FnOnce(&Service) -> G,
    ) -> Result {
        self.listen.begin_log()?;
        report_damage();
        let limits = self.sizes.limits();
        let host = self.listen.bind(limits)?;
        let names: Vec<_> = dictionaries.keys().cloned().collect();
        let latest = dictionaries.values().map(ServedDictionary::latest);
        let latest: Vec<_> = latest.map(Version::number).collect();
        let cosigning = self.cosign(&dictionaries, roots)?;
        let service = Service::new(dictionaries, limits);
        let following = service.follow(Duration::from_millis(self.follow_every));
        let begun = (begin(&service), cosigning);
        let each = names.iter().zip(&latest);
        let each = each.map(|(name, latest)| format!("{name} (version {latest})"));
        let (all, url) = (each.collect::<Vec<_>>().join(", "), host.url());
        let text = format!("serving {all} at {url} (Ctrl-C stops)");
        let object = json!({ "dictionary_names": names, "latest_versions": latest });
        host.run(service, (&text, object), output, || {
            drop(following);
            // Dropping the tasks would wait for their current rounds. A round may wait for minutes
            // for another server or a witness, and can be interrupted at any time.
            core::mem::forget(begun);
        })
    }

    /// Starts background tasks that collect cosignatures for the head logs of this server.
    fn cosign(
        &self,
        dictionaries: &BTreeMap<String, ServedDictionary>,
        roots: &RootArguments,
    ) -> Result<Vec<PeriodicTask>> {
        let mut all = Vec::new();
        for dictionary in dictionaries.values().filter_map(ServedDictionary::whole) {
            let Some(log) = dictionary.log() else {
                continue;
            };
            let mut http = roots.options()?;
            (http.connect, http.transfer) = (WITNESS_PATIENCE, WITNESS_PATIENCE);
            let cosigning = CosigningOptions {
                http,
                every: Duration::from_millis(self.follow_every),
                refresh: Duration::from_secs(self.cosign_every),
                pause: Duration::from_secs(1),
            };
            let begun = log.follow(Arc::clone(dictionary), &cosigning);
            all.extend(begun.map_err(|error| Failure::Input(format!("--witnesses: {error}")))?);
        }
        Ok(all)
    }
}

/// Maximum time for connecting to a witness, and for each part of a request and its response.
const WITNESS_PATIENCE: Duration = Duration::from_secs(10);

/// Splits `[NAME=]FILE`, the value of `option`, into a dictionary's name and the path of its store.
pub(super) fn named<'s>(option: &str, store: &'s str) -> Result<(String, &'s Path)> {
    let (name, path) = if let Some((name, path)) = store.split_once('=') {
        (name.to_owned(), Path::new(path))
    } else {
        let path = Path::new(store);
        let stem = path.file_stem().unwrap_or_default();
        (stem.to_string_lossy().into_owned(), path)
    };
    if !pad_client::internals::is_dictionary_name(&name) {
        let text = format!("{option} {store}: '{name}' cannot be part of an address");
        return Err(Failure::Input(text)
            .help("use NAME=FILE with letters, digits, dots, hyphens and underscores"));
    }
    Ok((name, path))
}
