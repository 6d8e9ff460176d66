//! Directories on servers, for `pad directory verify` and `pad directory status`.

use authdict::{SchemeName, Version};
use pad_client::Client;

use crate::cli::{
    Failure, Output, Result,
    remote::{ServerArguments, note_incidents},
    session::TrustArguments,
    source::until_kept,
};

/// Returns whether to query servers. `other` is the option for another source, if it is given. It
/// takes precedence over `PAD_SERVER`.
pub(super) fn asks_servers(servers: &ServerArguments, other: Option<&str>) -> Result<bool> {
    match (servers.are_given(), other) {
        (None, _) | (Some(false), Some(_)) => servers.check_unused().map(|()| false),
        (Some(_), None) => Ok(true),
        (Some(true), Some(other)) => {
            let text = format!("--server and {other} are both given");
            Err(Failure::Input(text).help("use one of them"))
        }
    }
}

/// Opens a client of the servers, and calls `ask` with the client and a version: `at`, or else the
/// latest one. Servers answer about their latest version only. Repeats both like [`until_kept`].
pub(super) fn ask_servers(
    (servers, trust): (&ServerArguments, &TrustArguments),
    at: Option<Version>,
    output: &mut Output,
    ask: impl Fn(&Client, Version, &mut Output) -> Result,
) -> Result {
    until_kept(at.as_ref(), || {
        let client = servers.client(trust, output)?;
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
