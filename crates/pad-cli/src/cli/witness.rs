//! `pad witness`: a witness of transparency logs, and keys for witnesses and logs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use authdict::{KeyFileError, SecretFile, Zeroizing, internals::witnessed::origin};
use clap::{Args, Subcommand};
use pad_disk::{Access, layer::Folder};
use pad_service::WitnessService;
use pad_web::server::Limits;
use serde_json::json;
use transparency_log::{
    Policy,
    note::{
        Algorithm, Cosigner, KeyError, KeyName, NoteSigner, SignatureType, SignerKey, VerifierKey,
    },
    witness::FolderRecords,
};

use super::{
    Failure, Output, Result,
    files::load_public,
    files::{check_secret, read_text},
    listen::ListenArguments,
    secret::{self, ProtectArguments, public_path},
};

/// Serves as a witness, unless a subcommand is given.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  pad witness --key witness.key --state witnessed --known-logs logs \\
    --listen 127.0.0.1:7460
  pad witness keygen --name witness.example/w1 --out witness.key")]
pub(super) struct WitnessCommand {
    #[command(subcommand)]
    keys: Option<WitnessKeys>,
    #[command(flatten)]
    listen: ListenArguments,
    /// The folder with the records of cosigned checkpoints.
    ///
    /// Never restore an old copy of it: the witness would cosign a second history.
    #[arg(long, value_name = "DIR", required = true)]
    state: Option<PathBuf>,
    /// The witness's secret key.
    #[arg(long, value_name = "FILE", required = true)]
    key: Option<PathBuf>,
    /// Key of a log to cosign, as text (name+id+key); may be repeated.
    ///
    /// The name is the log's origin.
    #[arg(long, value_name = "KEY", required_unless_present = "known_logs")]
    known_log: Vec<String>,
    /// A file with keys of logs to cosign, one per line.
    ///
    /// Empty lines and lines that begin with # are ignored.
    #[arg(long, value_name = "FILE")]
    known_logs: Option<PathBuf>,
    /// Receive checkpoints at PATH followed by /add-checkpoint.
    #[arg(long, value_name = "PATH", default_value = "")]
    prefix: String,
}

#[derive(Debug, Subcommand)]
enum WitnessKeys {
    /// Create the key of a witness or of a log of heads.
    ///
    /// Writes a secret file, and a verifier key as text next to it, with .pub appended.
    Keygen(Keygen),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad witness keygen --name witness.example/w1 --out witness.key
  pad witness keygen --name prices.example --log-of author.key.pub --out log.key")]
struct Keygen {
    /// The name of the witness, or of the log: a URL without scheme.
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Create the key of a log of heads, for the dictionary of this public key.
    ///
    /// The log is named NAME/ID, with the dictionary's id.
    #[arg(long, value_name = "FILE")]
    log_of: Option<PathBuf>,
    /// The secret key's file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    protect: ProtectArguments,
}

impl WitnessCommand {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        match &self.keys {
            Some(WitnessKeys::Keygen(keygen)) => keygen.run(output),
            None => self.serve(output),
        }
    }

    fn serve(&self, output: &mut Output) -> Result {
        let missing = || Failure::input("--state and --key are needed");
        let (state, key) = (self.state.as_ref().zip(self.key.as_ref())).ok_or_else(missing)?;
        let logs = self.logs()?;
        if !self.prefix.is_empty() && !self.prefix.starts_with('/') {
            let prefix = &self.prefix;
            let text = format!("--prefix {prefix}: a path begins with /");
            return Err(Failure::Input(text));
        }
        let signer: Cosigner = load_signer(key, "--key")?;
        let name = signer.name().clone();
        let records = records(state)?;
        self.listen.begin_log()?;
        let host = self.listen.bind(Limits::default())?;
        let service = WitnessService::new(signer, records, &logs, &self.prefix);
        let (count, url) = (logs.len(), host.url());
        let text = format!("serving as the witness {name} of {count} logs at {url} (Ctrl-C stops)");
        let object = json!({ "witness": name.as_str(), "logs": count });
        host.run(service, (&text, object), output, || {})
    }

    fn logs(&self) -> Result<Vec<VerifierKey>> {
        let mut logs = Vec::new();
        for text in &self.known_log {
            let key = log_key(text);
            logs.push(key.map_err(|error| Failure::Input(format!("--known-log {text}: {error}")))?);
        }
        let Some(path) = &self.known_logs else {
            return Ok(logs);
        };
        let text = read_text(path, LONGEST_LIST)?;
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let where_it_is = || format!("--known-logs {}, line {number}", path.display());
            match log_key(line.trim()) {
                Ok(key) => logs.push(key),
                Err(KeyError::Type(kind)) if !is_known(kind) => Output::warn(&format!(
                    "{}: the key is ignored: its type {kind} is unknown",
                    where_it_is()
                )),
                Err(error) => {
                    return Err(Failure::Input(format!("{}: {error}", where_it_is())));
                }
            }
        }
        if logs.is_empty() {
            return Err(Failure::input("no log to cosign is given"));
        }
        Ok(logs)
    }
}

fn records(state: &Path) -> Result<FolderRecords> {
    std::fs::create_dir_all(state).map_err(Failure::at(state))?;
    let folder = Folder::open(state).map_err(Failure::at(state))?;
    let records = FolderRecords::open(Arc::new(folder));
    records.map_err(|error| Failure::Store(format!("--state {}: {error}", state.display())))
}

impl Keygen {
    fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        secret::check_place("--out", &self.out)?;
        let named = |name: &str| {
            name.parse::<KeyName>()
                .map_err(|error| Failure::Input(format!("--name {name}: {error}")))
        };
        let protect = self.protect.ask()?;
        let mut secret = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *secret).map_err(|error| Failure::Store(error.to_string()))?;
        let (secret, verifier, whose) = match &self.log_of {
            None => {
                let key = Cosigner::new(named(&self.name)?, &secret);
                (
                    Zeroizing::new(key.to_secret_text()),
                    key.verifier(),
                    "witness",
                )
            }
            Some(public) => {
                let dictionary = load_public(public)?.authority.dictionary;
                let key = NoteSigner::new(named(&origin(&self.name, dictionary))?, &secret);
                (Zeroizing::new(key.to_secret_text()), key.verifier(), "log")
            }
        };
        let public_path = public_path(&self.out);
        if public_path.symlink_metadata().is_ok() {
            return Err(exists(&public_path));
        }
        let made = |path: &Path, written: Result<(), KeyFileError>| {
            written.map_err(|error| match error {
                KeyFileError::Exists => exists(path),
                KeyFileError::Io(error) => Failure::file(path, &error),
                error => Failure::key_file(path)(error),
            })
        };
        let line = Zeroizing::new(format!("{}\n", *secret));
        let file = protect(&self.out, SecretFile::of_text(line))?;
        made(&self.out, file.save(&self.out))?;
        let line = format!("{verifier}\n");
        let written = pad_disk::create(&public_path, line.as_bytes(), Access::Usual);
        made(&public_path, written.map_err(KeyFileError::from))?;
        let object = json!({
            "secret_key": self.out.display().to_string(),
            "public_key": public_path.display().to_string(),
            "of": whose,
            "verifier_key": verifier.to_string(),
        });
        output.say(&verifier.to_string(), &object)
    }
}

fn exists(path: &Path) -> Failure {
    Failure::Input(format!("{} exists already", path.display()))
}

/// Parses the key of a log. Only Ed25519 keys are accepted.
fn log_key(text: &str) -> Result<VerifierKey, KeyError> {
    let key: VerifierKey = text.parse()?;
    match key.algorithm() {
        Algorithm::Ed25519 => Ok(key),
        other @ Algorithm::CosignatureV1 => Err(KeyError::Type(other.number())),
    }
}

fn is_known(key_type: u8) -> bool {
    let known = [Algorithm::Ed25519, Algorithm::CosignatureV1];
    known.iter().any(|known| known.number() == key_type)
}

/// Loads the secret key of a witness or a log. Rejects a file with permissions that `check_secret`
/// rejects.
pub(super) fn load_signer<T: SignatureType>(path: &Path, option: &str) -> Result<SignerKey<T>> {
    check_secret(option, path)?;
    let file = secret::read(path)?;
    let text = file.text().map_err(Failure::key_file(path))?;
    let key = text.trim_end_matches('\n').parse();
    key.map_err(|error| Failure::Input(format!("{option} {}: {error}", path.display())))
}

/// Loads a policy, which is given as text of several lines or as the path of a file.
pub(super) fn load_policy(given: &str) -> Result<Policy> {
    let text = if given.contains('\n') {
        given.to_owned()
    } else {
        read_text(Path::new(given), LONGEST_LIST)?
    };
    let policy = text.parse::<Policy>();
    let policy = policy.map_err(|error| Failure::Input(format!("--witnesses: {error}")))?;
    for skipped in policy.skipped() {
        Output::warn(&format!(
            "--witnesses: the key in line {} is ignored: its type {} is unknown",
            skipped.line, skipped.key_type
        ));
    }
    Ok(policy)
}

const LONGEST_LIST: usize = 1 << 20;
