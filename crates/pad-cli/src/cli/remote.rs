//! Access to untrusted remote servers.

use core::time::Duration;
use std::{
    path::{Path, PathBuf},
    thread,
};

use authdict::{
    HeadText, Key, KeyHistory, KeyRange, PublicKey, Question, RangeContents, SchemeName,
    StoredView, Untrusted, Version, VersionNotes, internals::version_notes::utc,
};
use clap::Args;
use pad_client::{
    Client, ClientError, CosignedHead, Fault, FetchError, HttpError, HttpOptions, Remote, Roots,
    Witnesses, internals::without_password,
};
use serde_json::{Value as Json, json};

use super::{
    Failure, Output, Result, SERVER_VARIABLE,
    at::VersionNames,
    files::{load_public, read_file},
    session::{TrustArguments, add_caveat, beginning, trust_of, with_view},
    source::{NoteDifference, Proved, Session, Source, until_kept},
    witness::load_policy,
};

/// Servers to query.
#[derive(Debug, Args)]
pub(super) struct ServerArguments {
    /// A server to query instead of a store: https://host:port.
    ///
    /// Append /v1/dictionaries/NAME if it has several dictionaries. May be repeated; in the
    /// variable, spaces separate the servers. If one fails or lies, the next one is asked.
    #[arg(long, value_name = "URL", env = SERVER_VARIABLE, value_delimiter = ' ')]
    server: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
    /// Save evidence and responses that fail verification as FILE.evidence and FILE.lie.
    ///
    /// FILE.evidence proves that the author's key signed two histories. FILE.lie records a server's
    /// responses. Further files end in -2, -3 and so on. Default: the name of the --view; without
    /// either option nothing is saved.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Require cosignatures of the witnesses in this policy.
    ///
    /// The newest version counts only if it is the last entry of the log of heads and the policy's
    /// quorum has cosigned that log. An older version counts only if the log contains its head.
    ///
    /// The policy (tlog-policy) is a file, or its text of several lines. It contains the log's key,
    /// the witnesses and their keys, and the quorum.
    #[arg(long, value_name = "FILE|TEXT")]
    witnesses: Option<String>,
    /// Count only witnesses that cosigned within SECONDS.
    ///
    /// Witnesses whose clock is more than five minutes ahead of this machine's do not count.
    #[arg(long, value_name = "SECONDS", requires = "witnesses")]
    #[arg(default_value_t = 3600)]
    cosigned_within: u64,
}

/// The server certificates that are accepted.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct RootArguments {
    /// Accept only servers whose certificates chain to a certificate in this PEM file.
    ///
    /// Default: the certificates that the operating system trusts.
    #[arg(long, value_name = "FILE")]
    tls_roots: Option<PathBuf>,
}

impl RootArguments {
    pub(super) fn options(&self) -> Result<HttpOptions> {
        let roots = match &self.tls_roots {
            Some(file) => Roots::Pem(read_file(file, MAX_ROOTS_BYTES)?),
            None => Roots::System,
        };
        Ok(HttpOptions {
            roots,
            attempts: ATTEMPTS,
            request_bytes: usize::MAX,
            ..HttpOptions::default()
        })
    }
}

/// Maximum number of attempts before a server is considered unreachable.
const ATTEMPTS: u32 = 3;
/// Value of `HttpOptions::wait` if there are several servers, so that a slow one does not delay the
/// query for long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause before a request to an overloaded server is repeated.
const BUSY: Duration = Duration::from_secs(1);
const MAX_ROOTS_BYTES: usize = 16 << 20;

impl ServerArguments {
    /// Returns whether servers were given by `--server`, and not by the environment variable;
    /// `None` if there are no servers.
    pub(super) fn are_given(&self) -> Option<bool> {
        if self.server.is_empty() {
            return None;
        }
        let usual = std::env::var(SERVER_VARIABLE);
        Some(usual.ok() != Some(self.server.join(" ")))
    }

    pub(super) fn check_unused(&self) -> Result {
        let unused = if self.witnesses.is_some() {
            "--witnesses"
        } else if self.evidence.is_some() {
            "--evidence"
        } else {
            return Ok(());
        };
        Err(Failure::Input(format!("{unused} is about servers"))
            .help("use --server instead of --store"))
    }

    /// Returns whether to query servers about a directory. `other` is the option for another
    /// source, if it is given. It takes precedence over `PAD_SERVER`.
    pub(super) fn are_asked(&self, other: Option<&str>) -> Result<bool> {
        match (self.are_given(), other) {
            (None, _) | (Some(false), Some(_)) => self.check_unused().map(|()| false),
            (Some(_), None) => Ok(true),
            (Some(true), Some(other)) => {
                let text = format!("--server and {other} are both given");
                Err(Failure::Input(text).help("use one of them"))
            }
        }
    }

    /// Opens a client of the servers of a directory, and calls `ask` with the client and a version:
    /// `at`, or else the latest one. Servers answer about their latest version only. Repeats both
    /// like [`until_kept`].
    pub(super) fn ask_directory(
        &self,
        trust: &TrustArguments,
        at: Option<Version>,
        output: &mut Output,
        ask: impl Fn(&Client, Version, &mut Output) -> Result,
    ) -> Result {
        until_kept(at.as_ref(), || {
            let client = self.client(trust, output)?;
            let scheme = client.public().scheme;
            if scheme != SchemeName::Directory {
                let text = format!("--server: a dictionary of scheme {scheme}, not a directory");
                return Err(Failure::Input(text));
            }
            let version = at.unwrap_or_else(|| client.view().version());
            let asked = ask(&client, version, output);
            note_incidents(&client);
            asked
        })
    }

    pub(super) fn open(&self, trust: &TrustArguments, output: &mut Output) -> Result<Box<Session>> {
        let client = self.client(trust, output)?;
        add_caveat(client.public(), output);
        note_incidents(&client);
        Ok(Box::new(Servers { client }))
    }

    /// Creates a client whose view is the latest head of the servers. Reports to `output` whether
    /// answers are verified with an authenticated key.
    fn client(&self, trust: &TrustArguments, output: &mut Output) -> Result<Client> {
        let witnesses = self.witnesses()?;
        let servers = self.connect()?;
        let given = trust.public.as_deref().map(load_public).transpose()?;
        let base = self.evidence.clone().or_else(|| trust.view.clone());
        let is_known = given.is_some() || trust.view.as_ref().is_some_and(|view| view.exists());
        let own = (!is_known).then(|| own_key(&servers)).transpose()?;
        let mut client = None;
        let mut advance = |view: StoredView| {
            output.trust(trust_of(&view));
            let mut advanced = Client::new(servers.clone(), view, base.clone())?;
            if let Some(witnesses) = &witnesses {
                advanced = advanced.witnessed_by(witnesses.clone())?;
            }
            advanced.advance()?;
            let view = advanced.view().clone();
            client = Some(advanced);
            Ok(view)
        };
        let keys = (given.as_ref(), own.as_ref());
        drop(match &trust.view {
            Some(path) => with_view(path, keys, advance)?,
            None => advance(beginning(Path::new(""), None, keys)?)?,
        });
        let client = client.ok_or_else(|| Failure::input("no key is known"))?;
        if let Some(cosigned) = client.cosigned() {
            output.newest(witness_status(cosigned));
        }
        Ok(client)
    }

    fn witnesses(&self) -> Result<Option<Witnesses>> {
        let policy = self.witnesses.as_deref().map(load_policy).transpose()?;
        let within = Duration::from_secs(self.cosigned_within);
        Ok(policy.map(|policy| Witnesses::new(policy, within)))
    }

    fn connect(&self) -> Result<Vec<Remote>> {
        let patient = self.roots.options()?;
        let mut hasty = patient.clone();
        if self.server.len() > 1 {
            hasty.wait = PATIENCE;
        }
        let (mut servers, mut failures, is_slow) = self.connected(&hasty)?;
        if servers.is_empty() && is_slow {
            (servers, failures, _) = self.connected(&patient)?;
        }
        if servers.is_empty() {
            return Err(Failure::Store(failures.join("; ")));
        }
        for failure in failures {
            Output::warn(&failure);
        }
        Ok(servers)
    }

    /// Connects to all servers.
    ///
    /// Returns the reachable servers, the failures of the unreachable ones, and whether an
    /// unreachable one may only be slow.
    fn connected(&self, options: &HttpOptions) -> Result<(Vec<Remote>, Vec<String>, bool)> {
        let (mut servers, mut failures, mut is_slow) = (Vec::new(), Vec::new(), false);
        for address in &self.server {
            let mut connected = Remote::connect(address, options.clone());
            if let Err(FetchError::Http(HttpError::Overloaded { .. })) = connected {
                // Without this retry, the session would lack a server that was busy for a moment.
                thread::sleep(BUSY);
                connected = Remote::connect(address, options.clone());
            }
            match connected {
                Ok(server) => servers.push(server),
                Err(error)
                    if matches!(error, FetchError::Http(HttpError::Configuration(_)))
                        || (matches!(error, FetchError::Several(_)) && self.server.len() == 1) =>
                {
                    return Err(Failure::Input(format!(
                        "--server {}: {error}",
                        without_password(address)
                    )));
                }
                Err(error) => {
                    is_slow |= error.is_slow();
                    failures.push(format!("{}: {error}", without_password(address)));
                }
            }
        }
        Ok((servers, failures, is_slow))
    }
}

fn own_key(servers: &[Remote]) -> Result<PublicKey> {
    let (mut failures, mut other) = (Vec::new(), None);
    for server in servers {
        match server.public() {
            Ok(public) => return Ok(public),
            Err(error) => {
                let address = server.address();
                failures.push(format!("{address}: {error}"));
                other = other.or_else(|| probable_address(&address, &error));
            }
        }
    }
    Err(Failure::Store(failures.join("; ")).or_address(other))
}

/// Returns the probable address of a dictionary, if the server at `address` does not know a path,
/// and `address` has another form than `https://host:port/v1/dictionaries/NAME`.
pub(super) fn probable_address(address: &str, error: &FetchError) -> Option<String> {
    if !error.is("unknown_path") {
        return None;
    }
    if address.ends_with(DICTIONARIES) {
        return Some(format!("{address}/NAME"));
    }
    let (before, name) = address.rsplit_once('/')?;
    let before = before.strip_suffix("/v1").unwrap_or(before);
    let is_right = before.ends_with(DICTIONARIES);
    (!is_right).then(|| format!("{before}{DICTIONARIES}/{name}"))
}

impl Failure {
    pub(super) fn or_address(self, other: Option<String>) -> Self {
        match other {
            Some(other) => self.help(format!("use the address of a dictionary: {other}")),
            None => self,
        }
    }
}

const DICTIONARIES: &str = "/v1/dictionaries";

/// Describes the cosignatures of the newest version by witnesses, as text and as a JSON object.
fn witness_status(cosigned: &CosignedHead) -> (String, Json) {
    let times = cosigned.cosignatures.iter();
    let earliest = times.map(|found| found.time.seconds()).min();
    let (version, witnesses) = (cosigned.newest.number(), cosigned.witnesses);
    let count = cosigned.cosignatures.len();
    let when = earliest.map_or_else(String::new, |seconds| format!(" at {}", utc(seconds)));
    let text =
        format!("newest: version {version}, cosigned by {count} of {witnesses} witnesses{when}");
    let object = json!({
        "version": version,
        "cosignatures": count,
        "witnesses": witnesses,
        "time": earliest,
    });
    (text, object)
}

/// Remote servers as a source of answers, with a client that has verified their heads.
struct Servers {
    client: Client,
}

impl Servers {
    fn noted<T>(&self, answer: Result<T, ClientError>) -> Result<T> {
        note_incidents(&self.client);
        Ok(answer?)
    }
}

/// Reports failures of servers after which another server has answered.
fn note_incidents(client: &Client) {
    for incident in client.take_incidents() {
        Output::warn(&incident.to_string());
    }
}

impl VersionNames for Servers {
    fn latest(&self) -> Version {
        self.client.view().version()
    }

    fn notes(&self, first: Version, last: Version) -> Result<VersionNotes> {
        let notes = self.noted(self.client.notes(first, last))?;
        Ok(notes.into_unverified())
    }

    fn versions_of(&self, name: &str) -> Result<Vec<Version>> {
        let versions = self.noted(self.client.named(name))?;
        Ok(versions.into_unverified())
    }

    fn word_of(&self) -> &'static str {
        "server"
    }
}

impl Source for Servers {
    fn public(&self) -> &PublicKey {
        self.client.public()
    }

    fn names(&self) -> &dyn VersionNames {
        self
    }

    fn oldest(&self) -> Result<Version> {
        self.noted(self.client.oldest())
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Option<Proved>> {
        self.noted(self.client.answer(version, question)).map(Some)
    }

    fn head(&self, version: Version) -> Result<HeadText> {
        self.noted(self.client.head(version))
    }

    fn page(&self, version: Version, range: &KeyRange) -> Result<(KeyRange, RangeContents)> {
        self.noted(self.client.page(version, range))
    }

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>> {
        self.noted(self.client.history(key))
    }

    fn differences(&self, _: Version, _: Version, _: &mut NoteDifference<'_>) -> Result {
        Err(Failure::input("servers do not list differences")
            .help("use --complete to compare the whole contents"))
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (text, other) = (error.to_string(), other_address(&error));
        let failure = match error {
            error if error.is_lie() => Self::Refused(text),
            error if error.is_elsewhere() => Self::NotKept(text),
            error if error.is_askers() => Self::Input(text),
            _ => Self::Store(text),
        };
        failure.or_address(other)
    }
}

/// Returns the probable address of the dictionary, if a server does not know the given address.
fn other_address(error: &ClientError) -> Option<String> {
    let ClientError::AllServersFailed(incidents) = error else {
        return None;
    };
    incidents.iter().find_map(|incident| match &incident.fault {
        Fault::Silent(error) => probable_address(&incident.server, error),
        _ => None,
    })
}
