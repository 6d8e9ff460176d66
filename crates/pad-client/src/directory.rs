//! Lookups in block directories on servers.

use authdict::{
    Refusal, VerifyError, Version,
    block_directory::{
        AnswerError, DirectoryClient, Entries, EntryQuery, EntryRange, internals::Selection,
    },
    pad_core::{self, Suite, codec},
};

use crate::{
    client::Client, error::ClientError, fetch_error::FetchError, incident::Unusable,
    servers::RequestTarget, witnesses::other_head,
};

/// Sends a request message to a server, and returns the answer.
type Send<'s> = dyn Fn(&[u8]) -> Result<Vec<u8>, FetchError> + 's;

impl Client {
    /// Looks up entries of a block directory by their ids, and returns their verified states in
    /// `version`. Servers answer about their latest version only. `S` must be the suite of the
    /// client's public key.
    ///
    /// # Errors
    /// The errors of [`Client::ask`]; [`ClientError::Client`] for another suite `S`.
    pub fn entries<S: Suite>(
        &self,
        version: Version,
        query: &EntryQuery,
    ) -> Result<Entries<S, EntryQuery>, ClientError> {
        self.look_up(version, query, |client, send| {
            let (pending, request) = client.ask(query.clone());
            let found = client.accept(&pending, &send(&request)?);
            Ok(found.map_err(unusable)?.entries.into_inner())
        })
    }

    /// Looks up all entries of a range of ids, like [`Client::entries`].
    ///
    /// # Errors
    /// The errors of [`Client::entries`].
    pub fn entry_range<S: Suite>(
        &self,
        version: Version,
        range: &EntryRange,
    ) -> Result<Entries<S, EntryRange>, ClientError> {
        self.look_up(version, range, |client, send| {
            let (pending, request) = client.ask_range(range.clone());
            let found = client.accept_range(&pending, &send(&request)?);
            Ok(found.map_err(unusable)?.into_inner())
        })
    }

    /// Calls `exchange` for one server after the other, and returns the first verified entries.
    ///
    /// The entries must be of `version`. With witnesses, their head must be in the cosigned log.
    fn look_up<S: Suite, Q: Selection>(
        &self,
        version: Version,
        query: &Q,
        exchange: impl Fn(&mut DirectoryClient<S>, &Send<'_>) -> Result<Entries<S, Q>, Unusable>,
    ) -> Result<Entries<S, Q>, ClientError> {
        self.check_followed(version)?;
        // An unusable view or another suite is not the servers' fault.
        let client = self.view().directory_client::<S>(version)?;
        let logged = self.witnesses.is_some().then(|| self.logged(version));
        let logged = logged.transpose()?;
        let most = query.longest_proof().saturating_add(LONGEST_NEWS);
        self.ask_first(RequestTarget::ContentsOf(version), |session| {
            let mut client = client.clone();
            let send = |request: &[u8]| session.entries(version, request, most);
            let entries = exchange(&mut client, &send)?;
            if entries.version != version {
                let (expected, actual) = (version, entries.version);
                return Err(Refusal::from(VerifyError::WrongVersion { expected, actual }).into());
            }
            let head = client.view().newest_signed();
            let shown = head.map(|head| codec::encode(&head));
            if logged.is_some() && logged != shown {
                return Err(other_head(self.public(), version, [&logged, &shown]));
            }
            Ok(entries)
        })
    }
}

/// Converts the refusal of an answer. Two heads of one version are evidence against the author.
fn unusable<S: Suite>(error: AnswerError<S>) -> Unusable {
    let text = error.to_string();
    match error {
        AnswerError::Refused(pad_core::Refusal::Fork { evidence, .. }) => {
            Unusable::fork(&text, evidence.encode())
        }
        AnswerError::Refused(pad_core::Refusal::Decode(error)) => Refusal::from(error).into(),
        _ => Unusable::lie(text),
    }
}

/// Maximum length in bytes of the head and the history proof in an answer.
const LONGEST_NEWS: usize = 8192;
