//! `pad directory push`: sends signed updates to servers.

use std::path::PathBuf;

use clap::Args;
use pad_client::{HttpOptions, PushOutcome, Remote, internals::without_password};
use serde_json::json;

use super::apply::LONGEST_UPDATE;
use crate::cli::{
    Failure, Output, Result,
    files::read_file,
    remote::{RootArguments, probable_address},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory push --to https://one.example updates/2.update
  pad directory push --to https://one.example --to https://two.example \\
    updates/2.update updates/3.update")]
pub(in crate::cli) struct Push {
    /// The server to send the updates to; may be repeated.
    #[arg(long, value_name = "URL", required = true)]
    to: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
    /// The update files, in order of version.
    #[arg(required = true)]
    updates: Vec<PathBuf>,
}

impl Push {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let options = self.roots.options()?;
        let mut outcome = Ok(());
        for address in &self.to {
            let server = without_password(address);
            let named = |failure: Failure| failure.of_server(&server);
            match self.push(address, &options).map_err(named) {
                Ok((latest, brought)) => {
                    let text = format!("{server} has version {latest}; {brought} were brought");
                    let object =
                        json!({ "server": server, "latest": latest, "new_versions": brought });
                    output.say(&text, &object)?;
                }
                // The other servers still receive the updates.
                Err(failure) if outcome.is_ok() => outcome = Err(failure),
                Err(failure) => Output::warn(&failure.to_string()),
            }
        }
        outcome
    }

    /// Sends the updates to one server. Returns the server's latest version, and the number of
    /// updates that were new to it.
    fn push(&self, address: &str, options: &HttpOptions) -> Result<(u64, u64)> {
        let server = Remote::connect(address, options.clone())?;
        let mut brought = 0;
        for path in &self.updates {
            let update = read_file(path, LONGEST_UPDATE)?;
            let pushed = server.push(&update);
            let refused = |error| {
                let other = probable_address(&server.address(), &error);
                Failure::from(error).of_file(path).or_address(other)
            };
            match pushed.map_err(refused)? {
                PushOutcome::Taken => brought += 1,
                PushOutcome::Known => {}
                PushOutcome::Gap { latest } => {
                    return Err(Failure::Input(format!(
                        "{}: the server is at version {latest}, which is not the one before the \
                         update",
                        path.display()
                    ))
                    .help("send the updates between them first"));
                }
            }
        }
        Ok((server.versions()?.latest.number(), brought))
    }
}
