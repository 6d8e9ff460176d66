//! `pad push`, and `--push`: an author brings servers what they lack.

use std::path::{Path, PathBuf};

use clap::Args;
use pad::{
    Version,
    dynamic::{AnyRepository, open_repository},
};
use pad_client::{FetchError, HttpOptions, Pushed, Server};
use serde_json::json;

use super::{Failure, Output, remote::RootArguments};

#[derive(Debug, Args)]
pub(super) struct Push {
    /// The store's file.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// A server to bring them to; may be repeated.
    #[arg(long, value_name = "URL", required = true)]
    to: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
}

/// The servers that are brought new versions.
#[derive(Debug, Args)]
pub(super) struct PushArguments {
    /// Bring this server what it lacks of the store once the new versions are durable here; may be repeated.
    #[arg(long, value_name = "URL")]
    push: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
}

impl Push {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        output.goes_on();
        push(&self.store, &self.to, &self.roots, output)
    }
}

impl PushArguments {
    /// Brings the servers what they lack of a store that nobody has open for writing in this process.
    pub(super) fn run(&self, store: &Path, output: &mut Output) -> Result<(), Failure> {
        if self.push.is_empty() {
            return Ok(());
        }
        push(store, &self.push, &self.roots, output)
    }
}

/// Brings every server what it lacks; what one of them cannot be brought does not keep the others from it.
fn push(
    store: &Path,
    addresses: &[String],
    roots: &RootArguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let options = roots.options()?;
    let repository = open_repository(store)?;
    let mut failures = Vec::new();
    let mut is_refused = false;
    for address in addresses {
        match bring(&repository, address, &options) {
            Ok(brought) => {
                let latest = repository.latest();
                let text = format!("{address} has version {latest}; {brought} were brought");
                let object =
                    json!({ "server": address, "latest": latest.number(), "brought": brought });
                output.say(&text, &object)?;
            }
            Err(failure) => {
                is_refused |= matches!(failure, Failure::Refused(_));
                failures.push(format!("{address}: {failure}"));
            }
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    let text = format!(
        "{}; the versions are in {}, and pad push brings them later",
        failures.join("; "),
        store.display()
    );
    Err(if is_refused {
        Failure::Refused(text)
    } else {
        Failure::Store(text)
    })
}

/// Brings a server the versions that it lacks; how many.
fn bring(repository: &AnyRepository, address: &str, options: &HttpOptions) -> Result<u64, Failure> {
    let server = Server::connect(address, options.clone()).map_err(|error| failed(&error))?;
    let (ours, mut theirs) = (
        repository.latest(),
        server.versions().map_err(|error| failed(&error))?.latest,
    );
    if theirs > ours {
        return Err(Failure::Refused(format!(
            "the server has version {theirs}, but version {ours} is the latest of this store: it is an old copy, or \
             another author's"
        )));
    }
    let mut brought = 0;
    while theirs < ours {
        let next = Version::new(theirs.number().saturating_add(1));
        let Some(update) = repository.update_message(next)? else {
            return Err(Failure::Input(format!(
                "the server is at version {theirs}, and the update to version {next} was pruned: copy the store to it"
            )));
        };
        match server.push(&update).map_err(|error| failed(&error))? {
            Pushed::Taken => {
                brought += 1;
                theirs = next;
            }
            Pushed::Known => theirs = next,
            // Somebody else brings it some, too.
            Pushed::Gap { latest } if latest > theirs => theirs = latest,
            Pushed::Gap { latest } => {
                return Err(Failure::Refused(format!(
                    "the server went back from version {theirs} to {latest}"
                )));
            }
        }
    }
    Ok(brought)
}

fn failed(error: &FetchError) -> Failure {
    let text = error.to_string();
    match error {
        FetchError::Refused { code, .. } if code == "update_refused" || code == "other_update" => {
            Failure::Refused(text)
        }
        _ => Failure::Store(text),
    }
}
