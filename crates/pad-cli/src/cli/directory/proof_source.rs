//! The store or server from which a light author gets the proof of the entries that change. It is
//! not trusted.

use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
};

use authdict::{
    PublicKey, Version,
    block_directory::{BlockDirectory, LightAuthor},
};
use clap::Args;
#[cfg(feature = "network")]
use pad_client::{HttpOptions, Remote, internals::without_password};
use pad_core::Suite;

use super::failure;
use crate::cli::{
    Failure, Result,
    session::{HeadSource as _, check_key},
};
#[cfg(feature = "network")]
use crate::cli::{push::require_signed, remote::RootArguments};

/// The source of proofs for a light author.
#[derive(Debug, Default, Args)]
pub(super) struct ProofSource {
    /// For a light author: get the proof of the old entries from the directory in FOLDER.
    ///
    /// The folder is a copy at the author's latest version. It is not trusted.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// For a light author: get the proof of the old entries from this server.
    ///
    /// The server has the author's latest version. It is not trusted. Append /v1/dictionaries/NAME
    /// to the address if it has several dictionaries.
    #[cfg(feature = "network")]
    #[arg(long, value_name = "URL", conflicts_with = "from")]
    server: Option<String>,
    #[cfg(feature = "network")]
    #[command(flatten)]
    roots: RootArguments,
}

impl ProofSource {
    pub(super) fn check_unused(&self) -> Result {
        #[cfg(feature = "network")]
        let has_server = self.server.is_some();
        #[cfg(not(feature = "network"))]
        let has_server = false;
        if self.from.is_none() && !has_server {
            return Ok(());
        }
        let text = "the folder has all entries, and needs no proof of them";
        Err(Failure::input(text)
            .help("give the proof's source for the folder of a light author only"))
    }

    /// Returns the unverified answer to `request`, a light author's request for a proof. Fails if
    /// the source does not have exactly the author's latest version.
    pub(super) fn answer<S: Suite>(
        &self,
        author: &LightAuthor<S>,
        public: &PublicKey,
        request: &[u8],
    ) -> Result<Vec<u8>> {
        if let Some(folder) = &self.from {
            return in_folder(folder, author, public, request)
                .map_err(|failure| failure.of_file(folder));
        }
        #[cfg(feature = "network")]
        if let Some(address) = &self.server {
            let server = without_password(address);
            let answer = on_server(address, self.roots.options()?, author, (public, request));
            return answer.map_err(|failure| failure.of_server(&server));
        }
        Err(
            Failure::input("a light author needs a proof of the entries that change")
                .help("give a copy of the directory with --from, or a server with --server"),
        )
    }
}

fn in_folder<S: Suite>(
    folder: &Path,
    author: &LightAuthor<S>,
    public: &PublicKey,
    request: &[u8],
) -> Result<Vec<u8>> {
    let directory: BlockDirectory<S> = super::open(folder)?;
    check_key(folder, &directory.own_key()?, public)?;
    // The directory has verified the author's signature on its latest head.
    check_version(directory.latest(), author.version(), || Ok(()))?;
    let answer = directory.answer(request);
    answer.map_err(|error| failure::request(&directory, error))
}

#[cfg(feature = "network")]
fn on_server<S: Suite>(
    address: &str,
    options: HttpOptions,
    author: &LightAuthor<S>,
    (public, request): (&PublicKey, &[u8]),
) -> Result<Vec<u8>> {
    let server = Remote::connect(address, options)?;
    let (ours, theirs) = (author.version(), server.versions()?.latest);
    check_version(theirs, ours, || require_signed(public, &server, theirs))?;
    Ok(server.ask(ours, request, LONGEST_ANSWER)?)
}

/// Refuses a source at another version than the author. `require_signed` fails if the author has
/// not signed the source's version.
fn check_version(
    theirs: Version,
    ours: Version,
    require_signed: impl FnOnce() -> Result,
) -> Result {
    match theirs.cmp(&ours) {
        Ordering::Equal => Ok(()),
        Ordering::Less => Err(Failure::Input(format!(
            "the directory is at version {theirs}, but the light author is at version {ours}"
        ))
        .help(
            "send the updates in between with pad directory push, or pad directory apply for a \
             folder",
        )),
        Ordering::Greater => {
            require_signed()?;
            Err(Failure::Refused(format!(
                "the light author's state is an old copy: it is at version {ours}, but the author \
                 has signed version {theirs}"
            ))
            .help("restore the newest copy of the state, and sign nothing with this one"))
        }
    }
}

/// Maximum bytes of the answer to a request for 1 000 entries.
#[cfg(feature = "network")]
const LONGEST_ANSWER: usize = 2 << 20;
