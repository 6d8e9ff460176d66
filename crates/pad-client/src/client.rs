//! Client of one dictionary on several servers.

use std::{cell::RefCell, collections::BTreeMap, path::PathBuf, sync::Arc};

use authdict::{
    HeadText, Heads as _, KeyRange, NotFollowed, NotOffered, PublicKey, Question, RangeContents,
    Refusal, Statement, StoredView, Verifier, Version, VersionNotes,
    internals::{
        dynamic::{client_of, longest_answer},
        verify_head,
        witnessed::check_policy,
    },
};
use pad_core::{Key, Untrusted, VerifyError};
use pad_tree::KeyHistory;

use crate::{
    error::ClientError,
    fetch_error::FetchError,
    incident::{Incident, Unusable},
    incidents::Incidents,
    remote::{Remote, Versions},
    servers::{RequestTarget, Servers},
    session::ServerSession,
    witnesses::{CosignedHead, Log, Witnesses, check_heads},
};

/// A client of one dictionary on several untrusted servers.
///
/// The client's *view* is the newest head that the client has verified. It only moves forward. A
/// head or an answer is accepted only if it follows from the author's signatures. Histories, notes,
/// names and the oldest version are unverified. Before the first version is verified, any version
/// that the author has signed is accepted. If a server fails or lies, the client tries the next
/// server, and prefers it afterwards.
///
/// If a path is given, responses that do not verify are written to a limited number of files next
/// to the view. If the author has signed two histories, one file is transferable evidence, and
/// another file records the server's responses. No file is written for a server that is only
/// behind.
///
/// ```no_run
/// use authdict::{PublicKey, StoredView, Question};
/// use pad_client::{Client, HttpOptions, Remote};
///
/// let public = PublicKey::load("author.key.pub".as_ref())?;
/// let addresses = ["https://one.example", "https://two.example"];
/// let servers = addresses.map(|address| Remote::connect(address, HttpOptions::default()));
/// let servers = servers.into_iter().collect::<Result<_, _>>()?;
/// let view = StoredView::new(public).authenticated();
/// let mut client = Client::new(servers, view, Some("prices.view".into()))?;
/// let latest = client.advance()?;
/// let price = client.ask(latest, &Question::Key(authdict::Key::try_from("apple")?))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Each clone has its own view. All clones share the state of the servers and the incidents.
#[derive(Clone)]
pub struct Client {
    servers: Arc<Servers>,
    view: StoredView,
    /// The verifier of answers about keys; `None` for block directories, which have no keys.
    verifier: Option<Arc<dyn Verifier>>,
    /// The witnesses whose cosignatures are required, if any.
    pub(crate) witnesses: Option<Witnesses>,
    log: Option<Arc<Log>>,
    /// The path next to which evidence and records are written; `None` to write no files.
    base: Option<PathBuf>,
    incidents: Incidents,
}

impl Client {
    /// Creates a client that continues from `view` and tries `servers` in order.
    ///
    /// Responses that do not verify are written to files next to `base`, if it is given. The files'
    /// names are the name of `base`, followed by `.evidence` or `.lie`. Names of later files end in
    /// `-2`, `-3` and so on.
    ///
    /// # Errors
    /// [`ClientError::NoServer`]; [`ClientError::Client`] if the view's key is unusable.
    pub fn new(
        servers: Vec<Remote>,
        view: StoredView,
        base: Option<PathBuf>,
    ) -> Result<Self, ClientError> {
        if servers.is_empty() {
            return Err(ClientError::NoServer);
        }
        let verifier = verifier_of(&view)?;
        Ok(Self {
            servers: Arc::new(Servers::new(servers)),
            view,
            verifier,
            witnesses: None,
            log: None,
            base,
            incidents: Incidents::default(),
        })
    }

    /// Requires cosignatures of witnesses. A quorum must have cosigned the log with the latest
    /// version, and the heads of older versions must be in this log.
    ///
    /// The client accepts no head or answer of any version but 0 until [`Client::advance`] has
    /// fetched the cosigned log.
    ///
    /// # Errors
    /// * [`ClientError::Unbound`] for dictionaries of signed tuples. Their answers do not follow
    ///   from the head: an attacker with the author's key can sign other tuples for a cosigned
    ///   head.
    /// * [`ClientError::Policy`] if the policy names several logs of the dictionary.
    pub fn witnessed_by(self, witnesses: Witnesses) -> Result<Self, ClientError> {
        check_policy(witnesses.policy(), self.public().authority.dictionary)?;
        if !self.public().scheme.binds_answers() {
            return Err(ClientError::Unbound(self.public().scheme.name()));
        }
        Ok(Self {
            witnesses: Some(witnesses),
            log: None,
            ..self
        })
    }

    /// Returns the latest cosigned head, if witnesses are required and a cosigned log was fetched.
    pub fn cosigned(&self) -> Option<&CosignedHead> {
        self.log.as_ref().map(|log| &log.cosigned)
    }

    /// Returns the view: the trusted public key and the newest head seen. Store it where only the
    /// client can write.
    pub const fn view(&self) -> &StoredView {
        &self.view
    }

    /// Returns the author's public key.
    pub const fn public(&self) -> &PublicKey {
        self.view.public()
    }

    /// Calls `observer` for each server failure in a request that succeeds in the end, for example
    /// to send it to a channel. The observer runs on the thread of the request.
    #[must_use]
    pub fn observed_by(self, observer: impl Fn(&Incident) + Send + Sync + 'static) -> Self {
        let incidents = self.incidents.observed_by(Arc::new(observer));
        Self { incidents, ..self }
    }

    /// Returns the newest 100 server failures in requests that succeeded in the end, and clears the
    /// list. If all servers fail, [`ClientError::AllServersFailed`] contains the failures instead.
    pub fn take_incidents(&self) -> Vec<Incident> {
        self.incidents.take()
    }

    /// Advances the view to the latest head of the first server whose head continues the view. With
    /// witnesses, advances to the latest cosigned head. Returns the latest version of the view.
    ///
    /// Servers that keep only versions up to a bound are tried last, because they cannot report
    /// newer versions. If all servers are of this kind, and the view is newer than their versions,
    /// the view stays unchanged.
    ///
    /// # Errors
    /// [`ClientError`]. The view is unchanged after an error.
    pub fn advance(&mut self) -> Result<Version, ClientError> {
        if let Some(advanced) = self.advanced()? {
            *self = advanced;
        }
        Ok(self.view.version())
    }

    /// Returns a client with the advanced view, for [`Client::advance`]. Returns `None` if no
    /// server has a version to advance to.
    pub(crate) fn advanced(&self) -> Result<Option<Self>, ClientError> {
        if let Some(witnesses) = &self.witnesses {
            let window = witnesses.window().ok_or(ClientError::Clock)?;
            let (log, view) = self.ask_first(RequestTarget::Newest, |session| {
                let (log, newest) = witnesses.newest(self.public(), session, window)?;
                let head = || Ok(newest.message);
                let view = self.view.follow_to(session, newest.version, head)?;
                Ok((log, view))
            })?;
            return self.at(view, Some(log)).map(Some);
        }
        let seen = self.view.version();
        let followed = self.first_of(RequestTarget::Newest, ServerSession::latest, |session| {
            if session.latest_version() == Version::EMPTY && seen == Version::EMPTY {
                // Other servers may have versions, so they are asked too.
                return Err(FetchError::NoVersion.into());
            }
            match self.view.follow(session) {
                Err(NotFollowed::Behind { .. }) if session.versions().until.is_some() => {
                    let Versions { oldest, latest, .. } = *session.versions();
                    Err(FetchError::NotKept { oldest, latest }.into())
                }
                Err(behind @ NotFollowed::Behind { .. }) => self.followed_again(session, behind),
                followed => followed.map_err(Unusable::from),
            }
        });
        match followed {
            Err(ClientError::AllServersFailed(incidents))
                if seen > Version::EMPTY && incidents.iter().all(Incident::is_elsewhere) =>
            {
                Ok(None)
            }
            // All servers report that there is no version.
            Err(ClientError::AllServersFailed(incidents))
                if incidents.iter().all(Incident::is_empty) =>
            {
                Ok(None)
            }
            followed => self.at(followed?, None).map(Some),
        }
    }

    /// Tries again to advance the view to a server that was behind it. A router learns of a version
    /// only when a client requests its head. So the head of the latest version seen is requested
    /// first.
    fn followed_again(
        &self,
        session: &ServerSession<'_>,
        behind: NotFollowed<FetchError>,
    ) -> Result<StoredView, Unusable> {
        let seen = self.view.version();
        let head = session.head_message(seen).ok();
        let head = head.filter(|head| verify_head(self.public(), seen, head).is_ok());
        let again = head.and_then(|_| ServerSession::latest(session.server()).ok());
        match again.map(|again| self.view.follow(&again)) {
            Some(Ok(view)) => Ok(view),
            Some(Err(refused @ NotFollowed::Refused(_))) => Err(refused.into()),
            _ => Err(behind.into()),
        }
    }

    /// Creates a client with the same servers, and with another view and another cosigned log.
    fn at(&self, view: StoredView, log: Option<Log>) -> Result<Self, ClientError> {
        Ok(Self {
            verifier: verifier_of(&view)?,
            view,
            log: log.map(Arc::new),
            ..self.clone()
        })
    }

    /// Queries a version, and returns the verified statement. Tries one server after another.
    ///
    /// # Errors
    /// * [`ClientError::Ahead`] if the view contains a version, and `version` is newer. With
    ///   witnesses, [`ClientError::NotSeen`] if `version` is newer than the cosigned log.
    /// * [`ClientError::AllServersFailed`].
    pub fn ask(&self, version: Version, question: &Question) -> Result<Statement, ClientError> {
        self.answer(version, question)
            .map(|(_, statement)| statement)
    }

    /// Queries a version like [`Client::ask`]. Returns the statement and the answer that proves it,
    /// which is the message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// The errors of [`Client::ask`].
    pub fn answer(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<(Vec<u8>, Statement), ClientError> {
        self.check_followed(version)?;
        let most = longest_answer(self.public(), question);
        let logged = self.logged_heads(version, question)?;
        self.ask_first(RequestTarget::Answer(version, question), |session| {
            self.checked(session, (version, question), most, logged.as_deref())
        })
    }

    /// Rejects a version newer than the view, because only a signature would prove its answers. If
    /// the view contains no version, rejects none. With witnesses, the cosigned log decides.
    pub(crate) fn check_followed(&self, version: Version) -> Result<(), ClientError> {
        let followed = self.view.version();
        let is_ahead = Version::EMPTY < followed && followed < version;
        if is_ahead && self.witnesses.is_none() {
            return Err(ClientError::Ahead { version, followed });
        }
        Ok(())
    }

    /// Fetches an answer of at most `most` bytes from one server, and verifies it. If `logged` is
    /// given, the heads in the answer must equal these heads of the cosigned log.
    fn checked(
        &self,
        session: &ServerSession<'_>,
        (version, question): (Version, &Question),
        most: usize,
        logged: Option<&[Option<Vec<u8>>]>,
    ) -> Result<(Vec<u8>, Statement), Unusable> {
        let answer = session.answer(version, question, most)?;
        let (what, scheme) = (question.kind(), self.public().authority.scheme);
        let verifier = self.verifier.as_ref();
        let verifier = verifier.ok_or_else(|| Refusal::from(NotOffered { what, scheme }))?;
        match verifier.check_at(version, question, &answer) {
            Ok(statement) => {
                if let Some(heads) = logged {
                    check_heads(self.public(), (version, question), &answer, heads)?;
                }
                self.view
                    .check_past(session, (version, question), &answer)?;
                Ok((answer, statement))
            }
            // If the answer contains another head of the view's version, both heads together are
            // evidence.
            Err(refusal @ Refusal::Verify(VerifyError::Fork(_))) => {
                Err(match self.view.accuse_by_answer(question, &answer) {
                    Some(evidence) => Unusable::fork(&refusal, evidence),
                    None => refusal.into(),
                })
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Returns the encoded heads of the cosigned log that an answer must match, one per version in
    /// the question. Version 0 has no head. `None` if no witnesses are required.
    fn logged_heads(
        &self,
        version: Version,
        question: &Question,
    ) -> Result<Option<Vec<Option<Vec<u8>>>>, ClientError> {
        if self.witnesses.is_none() {
            return Ok(None);
        }
        let versions = question.versions(version);
        let heads = versions.into_iter().map(|version| match version {
            Version::EMPTY => Ok(None),
            version => self.logged(version).map(Some),
        });
        heads.collect::<Result<Vec<_>, ClientError>>().map(Some)
    }

    /// Returns the encoded head of a version from the cosigned log.
    pub(crate) fn logged(&self, version: Version) -> Result<Vec<u8>, ClientError> {
        let newest = self
            .cosigned()
            .map_or(Version::EMPTY, |cosigned| cosigned.newest);
        let not_seen = || ClientError::NotSeen { version, newest };
        let log = self.log.as_ref().filter(|_| version <= newest);
        let log = log.ok_or_else(not_seen)?;
        match log.known(version) {
            Some(head) => Ok(head),
            None => self.ask_first(RequestTarget::HeadOf(version), |session| {
                log.fetch(version, session)
            }),
        }
    }

    /// Returns the head of a version, verified by the author's signature.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn head(&self, version: Version) -> Result<HeadText, ClientError> {
        self.check_followed(version)?;
        if self.witnesses.is_some() {
            let head = self.logged(version)?;
            return Ok(verify_head(self.public(), version, &head)?);
        }
        self.ask_first(RequestTarget::HeadOf(version), |session| {
            let head = session.head_message(version)?;
            if version == self.view.version() {
                // The head must equal the head seen, or both heads together are evidence.
                let seen = self.view.advance(&head, None, None);
                seen.map_err(|refused| Unusable::from(NotFollowed::Refused(refused)))?;
            }
            Ok(verify_head(self.public(), version, &head)?)
        })
    }

    /// Returns the oldest version that any reachable server claims to keep, after one request to
    /// each server. The claim is not verified.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn oldest(&self) -> Result<Version, ClientError> {
        let mut oldest = None;
        let mut incidents = Vec::new();
        for (number, server) in self.servers.order(RequestTarget::Newest) {
            match self.servers.refresh(number) {
                Ok(versions) => {
                    let theirs = versions.map(|versions| versions.oldest);
                    oldest = [oldest, theirs].into_iter().flatten().min();
                }
                Err(error) => incidents.push(ServerSession::new(server).failed(error.into(), None)),
            }
        }
        let Some(oldest) = oldest else {
            return Err(ClientError::AllServersFailed(incidents));
        };
        self.incidents.add(incidents);
        Ok(oldest)
    }

    /// Returns a verified page from the beginning of a range, and the range that the page covers.
    ///
    /// The server chooses the size of the page. The page contains at least one entry, unless the
    /// range has no more entries.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn page(
        &self,
        version: Version,
        range: &KeyRange,
    ) -> Result<(KeyRange, RangeContents), ClientError> {
        self.check_followed(version)?;
        let empty = RefCell::new(BTreeMap::new());
        let mut rest = range.clone();
        loop {
            let (page, contents) = self.page_of_one(version, &rest, &empty)?;
            if page.end == range.end || !contents.entries.is_empty() {
                let (start, end) = (range.start.clone(), page.end);
                return Ok((KeyRange { start, end }, contents));
            }
            rest.start = page.end;
        }
    }

    /// Fetches a page from one server, like [`Client::page`]. The page may be empty even if further
    /// entries follow.
    ///
    /// Each server may return at most `MOST_EMPTY_PAGES` empty pages, counted in `empty`.
    fn page_of_one(
        &self,
        version: Version,
        range: &KeyRange,
        empty: &RefCell<BTreeMap<String, u32>>,
    ) -> Result<(KeyRange, RangeContents), ClientError> {
        let logged = self.logged_heads(version, &Question::Range(range.clone()))?;
        let from = RefCell::new(None);
        let page = self.ask_first(RequestTarget::Page(version, range), |session| {
            let page = session.page(version, range)?;
            let is_last = page.end == range.end;
            let question = Question::Range(page);
            let longest = longest_answer(self.public(), &question);
            // The answer contains one entry, or at most a mebibyte of entries.
            let most = if is_last {
                longest
            } else {
                longest.min(LONGEST_PAGE_ANSWER)
            };
            match (
                self.checked(session, (version, &question), most, logged.as_deref())?,
                question,
            ) {
                ((_, Statement::Range(contents)), Question::Range(page)) => {
                    if !is_last && contents.entries.is_empty() {
                        // A server that keeps only a part of the keys may have no entries before
                        // the end of its part.
                        let mut empty = empty.borrow_mut();
                        let count = empty.entry(session.server().address()).or_default();
                        if *count >= MOST_EMPTY_PAGES {
                            return Err(Unusable::lie("its pages have no entries and no end"));
                        }
                        *count = count.saturating_add(1);
                    }
                    *from.borrow_mut() = Some(session.server().address());
                    Ok((page, contents))
                }
                _ => Err(Unusable::lie("the answer is to another question")),
            }
        });
        if let (Ok((page, contents)), Some(server)) = (&page, from.into_inner()) {
            let entries = contents.entries.iter();
            let bytes = entries.fold(0_usize, |bytes, (key, value)| {
                let entry = key.as_bytes().len().saturating_add(value.as_bytes().len());
                bytes.saturating_add(entry)
            });
            if page.end != range.end && (1..SHORT_PAGE).contains(&bytes) {
                self.servers.answered_badly_at(&server);
            }
        }
        page
    }

    /// Returns the versions in which a key changed, up to the latest version of the view. The
    /// result is not verified. It ends earlier if the server is behind. If the view contains no
    /// version, the result ends at the server's latest version.
    ///
    /// With witnesses, the latest version of the view is the latest cosigned version.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, ClientError> {
        let followed = self.view.version();
        let last = (followed > Version::EMPTY).then_some(followed);
        self.ask_first(RequestTarget::Newest, |session| {
            Ok(session.history(key, last)?)
        })
    }

    /// Returns the notes on versions `first` to `last` from the first server with such notes. The
    /// signatures of the notes that the author signed are verified; other notes are not.
    ///
    /// Fetches the notes of 1000 versions with each request, possibly from several servers. The
    /// result is empty if no server has notes on the first 1000 versions, even if later ones have.
    /// Memory: up to 4 KiB a version, because a server can invent names. Request few versions at a
    /// time.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn notes(
        &self,
        first: Version,
        last: Version,
    ) -> Result<Untrusted<VersionNotes>, ClientError> {
        let (mut all, mut next) = (VersionNotes::default(), first);
        while next <= last {
            let page = self.said(|session| {
                let (end, notes) = session.notes(self.public(), (next, last))?;
                // If this server has no notes of earlier versions either, other servers may have
                // notes.
                let is_said = !notes.is_empty() || next > first;
                Ok(is_said.then_some((end, notes)))
            })?;
            let Some((end, notes)) = page else {
                break;
            };
            all.extend(notes);
            if end >= last {
                break;
            }
            next = Version::new(end.number().saturating_add(1));
        }
        Ok(Untrusted::new(all))
    }

    /// Returns the versions with this name, from the first server that knows such a version. The
    /// result is not verified. It is empty if no server knows the name.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn named(&self, name: &str) -> Result<Untrusted<Vec<Version>>, ClientError> {
        let versions = self.said(|session| {
            let versions = session.named(name)?;
            Ok((!versions.is_empty()).then_some(versions))
        })?;
        Ok(Untrusted::new(versions.unwrap_or_default()))
    }

    /// Returns the result of `ask` from the first server that has the requested content; `None` if
    /// every server lacks the content.
    fn said<T>(
        &self,
        ask: impl Fn(&ServerSession<'_>) -> Result<Option<T>, Unusable>,
    ) -> Result<Option<T>, ClientError> {
        let said = self.ask_first(RequestTarget::Newest, |session| {
            ask(session)?.ok_or_else(|| FetchError::NotSaid.into())
        });
        match said {
            Err(ClientError::AllServersFailed(incidents))
                if incidents.iter().all(Incident::is_elsewhere) =>
            {
                Ok(None)
            }
            said => said.map(Some),
        }
    }

    /// Calls [`Client::first_of`] without requesting each server's latest version.
    pub(crate) fn ask_first<'s, T>(
        &'s self,
        wanted: RequestTarget<'_>,
        ask: impl Fn(&ServerSession<'s>) -> Result<T, Unusable>,
    ) -> Result<T, ClientError> {
        self.first_of(wanted, |server| Ok(ServerSession::new(server)), ask)
    }

    /// Returns the result of `ask` for the first server that neither fails nor lies. If all servers
    /// fail, retries the servers that were only slow, with a longer timeout.
    fn first_of<'s, T>(
        &'s self,
        wanted: RequestTarget<'_>,
        open: impl Fn(&'s Remote) -> Result<ServerSession<'s>, FetchError>,
        ask: impl Fn(&ServerSession<'s>) -> Result<T, Unusable>,
    ) -> Result<T, ClientError> {
        let (mut incidents, mut slow) = (Vec::new(), Vec::new());
        let order = self.servers.order(wanted);
        if let Some(answer) = self.pass(order, &open, &ask, (&mut incidents, &mut slow)) {
            return Ok(self.noted(answer, incidents));
        }
        // Servers that were busy are likely to answer earlier than servers that did not respond.
        slow.sort_unstable();
        let slow: Vec<usize> = slow.into_iter().map(|(_, number)| number).collect();
        let patient: Vec<_> = self.servers.patient(&slow).collect();
        // The result of a retry replaces the incident of the first attempt.
        let retried = patient.iter().map(|(_, server)| server.address());
        let retried: Vec<_> = retried.collect();
        incidents.retain(|incident: &Incident| {
            !(incident.is_slow() && retried.contains(&incident.server))
        });
        let asked = self.pass(patient, &open, &ask, (&mut incidents, &mut Vec::new()));
        if let Some(answer) = asked {
            return Ok(self.noted(answer, incidents));
        }
        if let Some(version) = self.known_of(wanted) {
            for incident in &mut incidents {
                incident.mark_late(version);
            }
        }
        Err(ClientError::AllServersFailed(incidents))
    }

    /// Returns the version that the request `wanted` is about, if the view has reached this version
    /// and all versions in the question.
    fn known_of(&self, wanted: RequestTarget<'_>) -> Option<Version> {
        let version = wanted.version()?;
        let named = match wanted {
            RequestTarget::Answer(version, question) => question.versions(version),
            _ => vec![version],
        };
        let is_known =
            |version: &Version| *version > Version::EMPTY && *version <= self.view.version();
        named.iter().all(is_known).then_some(version)
    }

    /// Tries `servers` in turn, and returns the first successful result of `ask`. Servers with an
    /// upper bound of the versions that they keep are tried last.
    ///
    /// Appends the incidents of failed servers to `incidents`. Appends each slow server to `slow`,
    /// as a pair: whether the server exceeded a timeout, and the server's number.
    fn pass<'s, T>(
        &'s self,
        servers: Vec<(usize, &'s Remote)>,
        open: &impl Fn(&'s Remote) -> Result<ServerSession<'s>, FetchError>,
        ask: &impl Fn(&ServerSession<'s>) -> Result<T, Unusable>,
        (incidents, slow): (&mut Vec<Incident>, &mut Vec<(bool, usize)>),
    ) -> Option<T> {
        let mut ended = Vec::new();
        let mut failed = |number, incident: Incident| {
            if incident.is_slow() {
                slow.push((incident.is_silent(), number));
            }
            incidents.push(incident);
        };
        for (number, server) in servers {
            match open(server) {
                Ok(session) if session.versions().until.is_some() => ended.push((number, session)),
                Ok(session) => match self.asked(number, session, ask) {
                    Ok(answer) => return Some(answer),
                    Err(incident) => failed(number, *incident),
                },
                Err(error) => {
                    self.servers.failed(number);
                    failed(
                        number,
                        ServerSession::new(server).failed(error.into(), None),
                    );
                }
            }
        }
        for (number, session) in ended {
            match self.asked(number, session, ask) {
                Ok(answer) => return Some(answer),
                Err(incident) => failed(number, *incident),
            }
        }
        None
    }

    /// Returns the result of `ask` for one server, and updates the client's record of the server's
    /// state.
    fn asked<'s, T>(
        &'s self,
        number: usize,
        session: ServerSession<'s>,
        ask: impl Fn(&ServerSession<'s>) -> Result<T, Unusable>,
    ) -> Result<T, Box<Incident>> {
        let versions = session.versions();
        if versions.latest > Version::EMPTY {
            self.servers.learn(number, versions.clone());
        }
        let unusable = match ask(&session) {
            Ok(answer) => {
                self.servers.answered(number);
                return Ok(answer);
            }
            Err(unusable) => unusable,
        };
        let incident = Box::new(session.failed(unusable, self.base.as_deref()));
        if incident.is_unlogged() {
            // Only the log is missing or unusable. The server's other responses may be valid, so
            // the server does not count as failed.
            return Err(incident);
        }
        if incident.is_elsewhere() {
            // Refreshes the range of versions that the server claims to keep, so that further
            // requests try other servers first. The range decides only the order.
            drop(self.servers.refresh(number));
        } else {
            self.servers.failed(number);
        }
        Err(incident)
    }

    /// Returns `answer`, and stores the incidents that occurred before it. Incidents of servers
    /// that only keep other versions are dropped.
    fn noted<T>(&self, answer: T, mut incidents: Vec<Incident>) -> T {
        incidents.retain(|incident| !incident.is_elsewhere());
        self.incidents.add(incidents);
        answer
    }
}

/// Creates the verifier of answers about keys; `None` for block directories, which are queried by
/// id.
fn verifier_of(view: &StoredView) -> Result<Option<Arc<dyn Verifier>>, Refusal> {
    match client_of(view) {
        Err(Refusal::NotOffered(_)) => Ok(None),
        verifier => Ok(Some(verifier?.into())),
    }
}

impl core::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("Client")
            .field("servers", &self.servers.all())
            .field("version", &self.view.version())
            .finish_non_exhaustive()
    }
}

/// Maximum length, in bytes, of the answer with a page that is not the last page. One value may
/// have 16 MiB.
const LONGEST_PAGE_ANSWER: usize = 24 << 20;

/// Bytes of entries below which a page that is not the last one is short. A server with short pages
/// is asked after others for a while: with one entry in each page, it could prolong a listing to
/// days.
const SHORT_PAGE: usize = 1 << 17;

/// Maximum number of empty pages from one server before the first entry. A router may forward to
/// several servers that each keep a part of the keys.
const MOST_EMPTY_PAGES: u32 = 64;
