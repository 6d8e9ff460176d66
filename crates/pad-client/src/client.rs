//! One dictionary on several servers.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use pad::{
    KeyRange, PublicKey, Version,
    client_view::StoredView,
    dynamic::{AnyClient, client_of, longest_answer},
    question::{HeadText, Question, Refusal, Statement, verify_head},
};
use pad_core::{Key, Untrusted, VerifyError};
use pad_tree::KeyHistory;

use crate::{
    error::ClientError,
    fetch_error::FetchError,
    incident::{Fault, Incident, Unusable},
    server::Server,
    visit::Visit,
    witnesses::{Cosigned, Log, Seen, Witnesses, versions},
};

/// A client of one dictionary on several servers, none of which it trusts.
///
/// Its view only moves forward. What a server says is believed if it follows from what the author signed; when a
/// server fails or lies, the next one is asked, and stays the first to be asked. Lies are kept in files beside the
/// view, if it has a place: evidence that convinces others where the author has signed two histories, and in any case
/// what the server said.
///
/// ```no_run
/// use pad::{PublicKey, client_view::StoredView, question::Question};
/// use pad_client::{Client, HttpOptions, Server};
///
/// let public = PublicKey::load("author.key.pub".as_ref())?;
/// let addresses = ["https://one.example", "https://two.example"];
/// let servers = addresses.map(|address| Server::connect(address, HttpOptions::default()));
/// let servers = servers.into_iter().collect::<Result<_, _>>()?;
/// let view = StoredView::new(public).authenticated();
/// let mut client = Client::new(servers, view, Some("prices.view".into()))?;
/// let latest = client.advance()?;
/// let price = client.ask(latest, &Question::Key(pad::Key::try_from("apple")?))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Client {
    servers: Vec<Server>,
    view: StoredView,
    verifier: Box<dyn AnyClient>,
    /// Whose cosignatures are asked for, if any, and what they were found under.
    witnesses: Option<Witnesses>,
    log: Option<Log>,
    /// Lies are kept beside this file.
    beside: Option<PathBuf>,
    state: Mutex<State>,
}

/// What changes while questions are asked.
#[derive(Debug, Default)]
struct State {
    /// The server that is asked first.
    first: usize,
    /// What went wrong since somebody last asked.
    incidents: Vec<Incident>,
}

impl Client {
    /// The client that goes on with a view, and asks these servers, the first one first. Lies are kept in files beside
    /// `beside`: its name with `.evidence` or `.lie` at the end, and a number.
    ///
    /// # Errors
    /// [`ClientError::NoServer`]; [`ClientError::Client`] if the view's key cannot be used.
    pub fn new(
        servers: Vec<Server>,
        view: StoredView,
        beside: Option<PathBuf>,
    ) -> Result<Self, ClientError> {
        if servers.is_empty() {
            return Err(ClientError::NoServer);
        }
        let verifier = client_of(&view)?;
        let state = Mutex::default();
        Ok(Self {
            servers,
            view,
            verifier,
            witnesses: None,
            log: None,
            beside,
            state,
        })
    }

    /// The same client, which believes a version to be the newest only if enough of these witnesses have seen it as that, and
    /// an older one only if its head is in the log that they have seen. Until it has followed them ([`Client::advance`]), it believes
    /// nothing.
    #[must_use]
    pub fn witnessed_by(self, witnesses: Witnesses) -> Self {
        Self {
            witnesses: Some(witnesses),
            log: None,
            ..self
        }
    }

    /// What the witnesses have seen as the newest version, if they are asked.
    pub fn cosigned(&self) -> Option<&Cosigned> {
        self.log.as_ref().map(|log| &log.cosigned)
    }

    /// What the client trusts and has seen, to be stored where nobody else writes.
    pub const fn view(&self) -> &StoredView {
        &self.view
    }

    /// Whom it believes.
    pub const fn public(&self) -> &PublicKey {
        self.view.public()
    }

    /// How servers failed since this was last called.
    pub fn take_incidents(&self) -> Vec<Incident> {
        core::mem::take(&mut self.state().incidents)
    }

    /// Has the view follow the latest head of the first server whose head it can follow, or the newest that witnesses have seen if
    /// they are asked; the newest version seen.
    ///
    /// # Errors
    /// [`ClientError`]: the view is as it was.
    pub fn advance(&mut self) -> Result<Version, ClientError> {
        if let Some(witnesses) = &self.witnesses {
            let (log, view) = self.ask_first(|visit| {
                let (log, newest) = witnesses.newest(self.public(), visit)?;
                let newest = &newest;
                let view = self.view.follow(&Seen { visit, newest })?;
                Ok((log, view))
            })?;
            self.verifier = client_of(&view)?;
            self.view = view;
            self.log = Some(log);
            return Ok(self.view.version());
        }
        let view = self.first_of(Visit::latest, |visit| {
            self.view.follow(visit).map_err(Unusable::from)
        })?;
        self.verifier = client_of(&view)?;
        self.view = view;
        Ok(self.view.version())
    }

    /// What a version says, verified.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn ask(&self, version: Version, question: &Question) -> Result<Statement, ClientError> {
        self.answer(version, question)
            .map(|(_, statement)| statement)
    }

    /// The same with the answer that proves it, the message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn answer(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<(Vec<u8>, Statement), ClientError> {
        let most = longest_answer(self.public(), question);
        let logged = self.logged_heads(version, question)?;
        self.ask_first(|visit| {
            let answer = visit.answer(version, question, most)?;
            match self.verifier.check_at(version, question, &answer) {
                Ok(statement) => {
                    if let Some((log, heads)) = &logged {
                        log.check(self.public(), (version, question), &answer, heads)?;
                    }
                    Ok((answer, statement))
                }
                Err(refusal) => Err(self.lie(visit, version, refusal)),
            }
        })
    }

    /// The heads that an answer has to be under, if witnesses are asked, and the log that has them.
    fn logged_heads(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<Option<(&Log, Vec<Option<Vec<u8>>>)>, ClientError> {
        if self.witnesses.is_none() {
            return Ok(None);
        }
        let versions = versions(version, question);
        let heads = versions.into_iter().map(|version| match version {
            Version::EMPTY => Ok(None),
            version => self.logged(version).map(Some),
        });
        let heads = heads.collect::<Result<Vec<_>, ClientError>>()?;
        Ok(self.log.as_ref().map(|log| (log, heads)))
    }

    /// The head that the log of heads has for a version.
    fn logged(&self, version: Version) -> Result<Vec<u8>, ClientError> {
        let newest = self
            .cosigned()
            .map_or(Version::EMPTY, |cosigned| cosigned.newest);
        let not_seen = || ClientError::NotSeen { version, newest };
        let log = self.log.as_ref().filter(|_| version <= newest);
        let log = log.ok_or_else(not_seen)?;
        match log.known(version) {
            Some(head) => Ok(head),
            None => self.ask_first(|visit| log.fetch(version, visit)),
        }
    }

    /// A refused answer. If it came with another head of the newest version seen, that head may be evidence.
    fn lie(&self, visit: &Visit<'_>, version: Version, refusal: Refusal) -> Unusable {
        use pad::client_view::Heads as _;
        if !matches!(refusal, Refusal::Verify(VerifyError::Fork(_))) {
            return refusal.into();
        }
        let refused = visit
            .head_message(version)
            .ok()
            .and_then(|head| self.view.advance(&head, None, None).err()?.evidence);
        let reason = refusal.to_string();
        match refused {
            Some(evidence) => Unusable {
                fault: Fault::Fork(reason),
                evidence: Some(evidence),
            },
            None => Unusable {
                fault: Fault::Lied(reason),
                evidence: None,
            },
        }
    }

    /// The verified head of a version.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn head(&self, version: Version) -> Result<HeadText, ClientError> {
        use pad::client_view::Heads as _;
        if self.witnesses.is_some() {
            let head = self.logged(version)?;
            return Ok(verify_head(self.public(), version, &head)?);
        }
        self.ask_first(|visit| {
            let head = visit.head_message(version)?;
            Ok(verify_head(self.public(), version, &head)?)
        })
    }

    /// The oldest version that can be asked about; a server's word.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn oldest(&self) -> Result<Version, ClientError> {
        self.ask_first(|visit| Ok(visit.server().versions()?.oldest))
    }

    /// The beginning of a range of which a page can be proved; a server's word, and each page is proved.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn page(&self, version: Version, range: &KeyRange) -> Result<KeyRange, ClientError> {
        self.ask_first(|visit| Ok(visit.page(version, range)?))
    }

    /// The versions in which a key changed; a server's word.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, ClientError> {
        self.ask_first(|visit| Ok(visit.history(key)?))
    }

    /// As [`Client::first_of`], where no latest version is needed.
    fn ask_first<'s, T>(
        &'s self,
        ask: impl Fn(&Visit<'s>) -> Result<T, Unusable>,
    ) -> Result<T, ClientError> {
        self.first_of(|server| Ok(Visit::new(server)), ask)
    }

    /// What `ask` makes of the first server that neither fails nor lies.
    fn first_of<'s, T>(
        &'s self,
        visit: impl Fn(&'s Server) -> Result<Visit<'s>, FetchError>,
        ask: impl Fn(&Visit<'s>) -> Result<T, Unusable>,
    ) -> Result<T, ClientError> {
        let first = self.state().first;
        let beside = self.beside.as_deref();
        let mut incidents = Vec::new();
        for (number, server) in (0..)
            .zip(&self.servers)
            .cycle()
            .skip(first)
            .take(self.servers.len())
        {
            let visit = match visit(server) {
                Ok(visit) => visit,
                Err(error) => {
                    incidents.push(Visit::new(server).failed(error.into(), beside));
                    continue;
                }
            };
            match ask(&visit) {
                Ok(answer) => {
                    let mut state = self.state();
                    state.first = number;
                    state.incidents.append(&mut incidents);
                    return Ok(answer);
                }
                Err(unusable) => incidents.push(visit.failed(unusable, beside)),
            }
        }
        Err(ClientError::Nobody(incidents))
    }

    // Nothing panics while it changes, so a poisoned one is whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl core::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("Client")
            .field("servers", &self.servers)
            .field("version", &self.view.version())
            .finish_non_exhaustive()
    }
}
