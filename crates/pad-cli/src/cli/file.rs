//! `pad file`: commands for files on an untrusted server (outsourced files).

use std::path::{Path, PathBuf};

use authdict::internals::FileOwnerKey;
use clap::{Args, Subcommand};
use ed25519_dalek::SigningKey;
use flexlist::{Chunker, FileState};
use flexlist_service::client::{
    ClientError, FileClient, HttpOptions, HttpTransport, Roots, SettleOutcome, StateSummary,
};
use indicatif::ProgressBar;
use serde_json::{Value as Json, json};

use super::{
    Failure, Output, Result,
    files::{is_standard, read_all},
    progress, secret,
};

mod audit;
mod edit;
mod failure;
mod keygen;
mod list;
mod publish;
mod read;
mod serve;
mod status;
mod upload;

/// A client of one outsourced file, over the network.
type Client = FileClient<HttpTransport, SigningKey>;

/// Commands for outsourced files.
#[derive(Debug, Subcommand)]
pub(super) enum FileCommand {
    /// Run a file server until it is stopped with Ctrl-C.
    Serve(serve::Serve),
    /// Verify everything in a server's store again.
    ///
    /// Damaged blocks are named.
    Check(serve::Check),
    /// Create an owner's key, with any kind of tags.
    Keygen(keygen::Keygen),
    /// Show an owner's public key.
    ///
    /// pad file serve --allow-owner takes it.
    Owner(keygen::ShowOwner),
    /// Upload a file, or continue an interrupted upload.
    ///
    /// To read, change or audit the file, two files are needed: its state and the owner's key. Keep
    /// both; neither is of use without the other.
    ///
    /// The server can read the contents. Over HOST:PORT the network can read them too; over
    /// https://HOST:PORT only the server can. Encrypt confidential files first, for example with
    /// age. Such a file is replaced as a whole, since a changed byte changes all that follows it.
    Upload(upload::Upload),
    /// Send the server the changes of a local file.
    ///
    /// Changes are found by content, and the first sync uploads the file. The server first proves
    /// which blocks it has, as in pad file audit --full.
    ///
    /// The other blocks are sent in updates of about 4 MB, each of which makes a version. After an
    /// interruption, repeat the command to send the rest.
    Sync(upload::Sync),
    /// Read bytes, all of them verified.
    Read(read::Read),
    /// Overwrite bytes at an offset; past the end the file grows.
    #[command(after_help = "\
Examples:
  pad file write --state thesis.state --offset 1000 --text 'other words'
  pad file write --state thesis.state --offset 0 --from preface.txt")]
    Write(edit::NewBytes),
    /// Insert bytes before an offset.
    #[command(after_help = "\
Examples:
  pad file insert --state thesis.state --offset 1000 --text 'one more sentence'
  pad file insert --state thesis.state --offset 0 --from -")]
    Insert(edit::NewBytes),
    /// Delete bytes, or the whole file.
    Delete(edit::Delete),
    /// Have the server prove that it still has the file.
    Audit(audit::Audit),
    /// Show the file's status at the owner and at the server.
    ///
    /// Checks that key and state match.
    Status(status::Status),
    /// Continue from another version that the server presents.
    ///
    /// The server must present it with this owner's signature. Use this command after the server or
    /// the state was restored from an older copy.
    Adopt(status::Adopt),
    /// List the files recorded by the states in a folder.
    ///
    /// No server is asked, so files that a server has lost or removed are listed too.
    List(list::List),
    /// Remove the state of a file that the server no longer has.
    Forget(list::Forget),
    /// Write the public data of a file, for readers and auditors.
    ///
    /// It contains no secret. Readers pass it to pad file read --public, which verifies every byte.
    /// They can also audit the file if its tags are public-bls, hash-only or rsa. Only the owner
    /// can check private-mac tags.
    ///
    /// It contains the current version, which is the oldest version that readers accept.
    Public(publish::Public),
    /// Note the file's sealed root for a dictionary's next version.
    ///
    /// pad commit signs it.
    Publish(publish::Publish),
}

impl FileCommand {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        match self {
            Self::Serve(command) => command.run(output),
            Self::Check(command) => command.run(output),
            Self::Keygen(command) => command.run(output),
            Self::Owner(command) => command.run(output),
            Self::Upload(command) => command.run(output),
            Self::Sync(command) => command.run(output),
            Self::Read(command) => command.run(output),
            Self::Write(command) => command.write(output),
            Self::Insert(command) => command.insert(output),
            Self::Delete(command) => command.run(output),
            Self::Audit(command) => command.run(output),
            Self::Status(command) => command.run(output),
            Self::Adopt(command) => command.run(output),
            Self::List(command) => command.run(output),
            Self::Forget(command) => command.run(output),
            Self::Public(command) => command.run(output),
            Self::Publish(command) => command.run(output),
        }
    }
}

/// The file of a command: its state file, its owner's key file and its server.
#[derive(Clone, Debug, Args)]
struct FileArguments {
    /// The state file, a few hundred bytes: keep one copy only.
    ///
    /// Without the state or the key the file is lost.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// The owner's key, for any number of files.
    #[arg(long, value_name = "FILE", default_value = "pad-file.key")]
    key: PathBuf,
    #[command(flatten)]
    server: ServerArguments,
}

/// The server to contact.
#[derive(Clone, Debug, Args)]
struct ServerArguments {
    /// The server: HOST:PORT (not encrypted), or https://HOST:PORT.
    ///
    /// Default: the server of the last change, or 127.0.0.1:7420.
    #[arg(long, value_name = "ADDR")]
    server: Option<String>,
    /// Accept only https servers whose certificates chain to a certificate in this PEM file.
    #[arg(long, value_name = "FILE")]
    roots: Option<PathBuf>,
}

impl FileArguments {
    /// Opens the client of an existing file. Both the state and the key must exist and match.
    fn open(&self) -> Result<Client> {
        let missing = |path: &Path| matches!(path.try_exists(), Ok(false));
        let (state, key) = (self.state.display(), self.key.display());
        match (missing(&self.state), missing(&self.key)) {
            (true, true) => {
                return Err(Failure::Input(format!(
                    "state file {state} and key file {key} are missing: both are needed"
                )));
            }
            (true, false) => {
                return Err(Failure::Input(format!(
                    "state file {state} is missing: the key file {key} alone does not lead to the \
                     file"
                )));
            }
            (false, true) => {
                return Err(Failure::Input(format!(
                    "key file {key} is missing: the state file {state} alone is of no use"
                )));
            }
            (false, false) => {}
        }
        let owner = load_key(&self.key)?.owner();
        let transport = self.server.transport(&self.kept()?.server)?;
        let client = FileClient::open(&self.state, owner, transport);
        let mut client = client.map_err(|error| failure::client(&self.state, error))?;
        if let Some(server) = &self.server.server {
            client.set_server(server);
        }
        Ok(client)
    }

    fn create(&self, key: &FileOwnerKey, chunker: Chunker) -> Result<Client> {
        let transport = self.server.transport("")?;
        let client = FileClient::create(&self.state, key.owner(), transport, chunker);
        let mut client = client.map_err(|error| failure::client(&self.state, error))?;
        client.set_server(self.server.address(""));
        Ok(client)
    }

    fn kept(&self) -> Result<StateSummary> {
        let kept = StateSummary::read(&self.state);
        kept.map_err(|error| failure::client(&self.state, error.into()))
    }

    /// Determines whether an interrupted update took effect, and reports the outcome on standard
    /// error.
    ///
    /// A failure of the server is not an error here, because verified contents can still be read or
    /// audited.
    fn settle(&self, client: &mut Client) -> Result {
        match client.settle() {
            Ok(SettleOutcome::Nothing) => {}
            Ok(SettleOutcome::Applied(state)) => eprintln!("pad: {}", settled_line(&state)),
            Ok(SettleOutcome::Dropped(refusal)) => {
                eprintln!("pad: {}", ClientError::Dropped(refusal));
            }
            // The update's outcome is still unknown. A status request or the next change asks the
            // server again.
            Err(
                error @ (ClientError::Transport(_)
                | ClientError::Refused(_)
                | ClientError::Breach(_)),
            ) => eprintln!("pad: an update is still in progress: {error}"),
            Err(error) => return Err(self.failure(error)),
        }
        Ok(())
    }

    /// Converts the error of an operation on this file into a [`Failure`], which names the server.
    fn failure(&self, error: ClientError) -> Failure {
        let noted = self.kept().map(|kept| kept.server).unwrap_or_default();
        failure::client_at(self.server.address(&noted), &self.state, error)
    }
}

impl ServerArguments {
    /// Returns the given address, or else the address in the state, or else the default address.
    fn address<'a>(&'a self, noted: &'a str) -> &'a str {
        match (&self.server, noted) {
            (Some(server), _) => server,
            (None, "") => serve::DEFAULT_ADDRESS,
            (None, noted) => noted,
        }
    }

    fn transport(&self, noted: &str) -> Result<HttpTransport> {
        let server = self.address(noted);
        let address = if server.contains("://") {
            server.to_owned()
        } else {
            format!("http://{server}")
        };
        let roots = match &self.roots {
            Some(path) => Roots::Pem(read_all(path)?),
            None => Roots::System,
        };
        let options = HttpOptions {
            roots,
            ..HttpOptions::default()
        };
        HttpTransport::new(&address, options).map_err(|error| Failure::Input(error.to_string()))
    }
}

fn load_key(path: &Path) -> Result<FileOwnerKey> {
    let file = secret::read(path)?;
    FileOwnerKey::from_file(&file).map_err(|error| failure::key(path, &error))
}

/// Rejects standard input for a file that is read more than once. `why` states the reason.
fn check_source(path: &Path, why: &str) -> Result {
    if is_standard(path) {
        let text = format!("- : {why}");
        return Err(Failure::Input(text).help("give a file instead of standard input"));
    }
    Ok(())
}

fn byte_bar(output: &Output, total: u64, verb: &'static str) -> ProgressBar {
    let template = "{prefix} {bar:40} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
    progress::bar(output, total, template).with_prefix(verb)
}

fn state_object(state: &FileState) -> Json {
    json!({
        "file_id": state.file.to_string(),
        "version": state.version,
        "bytes": state.list.total,
        "root": state.list.root.to_string(),
        "sealed_root": state.sealed_root().to_string(),
    })
}

fn state_line(state: &FileState) -> String {
    let (version, bytes, root) = (state.version, state.list.total, state.list.root);
    format!("version {version}, {bytes} bytes, root {root}")
}

fn settled_line(state: &FileState) -> String {
    let version = state.version;
    format!("the pending update was applied: it made version {version}")
}
