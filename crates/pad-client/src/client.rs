//! One dictionary on several servers.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use pad::{
    KeyRange, PublicKey, RangeContents, Version,
    client_view::{Heads as _, NotFollowed, StoredView},
    dynamic::{AnyClient, client_of, longest_answer},
    question::{HeadText, Question, Refusal, Statement, verify_head},
    version_notes::VersionNotes,
    witnessed::check_policy,
};
use pad_core::{Key, Untrusted, VerifyError};
use pad_tree::KeyHistory;

use crate::{
    error::ClientError,
    fetch_error::FetchError,
    incident::{Fault, Incident, Unusable},
    server::{Server, Versions},
    servers::{Servers, Wanted},
    visit::Visit,
    witnesses::{Cosigned, Log, Seen, Witnesses, check_heads},
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
///
/// Clones have a view each, and share what is known of the servers and how they failed.
#[derive(Clone)]
pub struct Client {
    servers: Arc<Servers>,
    view: StoredView,
    verifier: Arc<dyn AnyClient>,
    /// Whose cosignatures are asked for, if any, and what they were found under.
    witnesses: Option<Witnesses>,
    log: Option<Arc<Log>>,
    /// Lies are kept beside this file.
    beside: Option<PathBuf>,
    /// What went wrong since somebody last asked.
    incidents: Arc<Mutex<Vec<Incident>>>,
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
        let verifier = client_of(&view)?.into();
        Ok(Self {
            servers: Arc::new(Servers::new(servers)),
            view,
            verifier,
            witnesses: None,
            log: None,
            beside,
            incidents: Arc::default(),
        })
    }

    /// The same client, which believes a version to be the newest only if enough of these witnesses have seen it as that, and
    /// an older one only if its head is in the log that they have seen. Until it has followed them ([`Client::advance`]), it believes
    /// nothing.
    ///
    /// # Errors
    /// [`ClientError::Unbound`] for dictionaries of signed tuples: what an answer says does not follow from the head, so that whoever has the
    /// author's key can sign other tuples under a head that witnesses have seen. [`ClientError::Policy`] if the policy names
    /// several logs of the dictionary.
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
        core::mem::take(&mut self.incidents())
    }

    /// Has the view follow the latest head of the first server whose head it can follow, or the newest that witnesses have seen if
    /// they are asked; the newest version seen.
    ///
    /// Servers that keep the versions up to some version only are asked last, and have nothing to say about what is newer: if
    /// there are no others, the view stays as it is when it has seen newer ones.
    ///
    /// # Errors
    /// [`ClientError`]: the view is as it was.
    pub fn advance(&mut self) -> Result<Version, ClientError> {
        if let Some(advanced) = self.advanced()? {
            *self = advanced;
        }
        Ok(self.view.version())
    }

    /// The client where [`Client::advance`] leads; `None` if it is there.
    pub(crate) fn advanced(&self) -> Result<Option<Self>, ClientError> {
        if let Some(witnesses) = &self.witnesses {
            let window = witnesses.window().ok_or(ClientError::Clock)?;
            let (log, view) = self.ask_first(Wanted::Newest, |visit| {
                let (log, newest) = witnesses.newest(self.public(), visit, window)?;
                let newest = &newest;
                let view = self.view.follow(&Seen { visit, newest })?;
                Ok((log, view))
            })?;
            return self.at(view, Some(log)).map(Some);
        }
        let seen = self.view.version();
        let followed = self.first_of(Wanted::Newest, Visit::latest, |visit| {
            if visit.latest_version() == Version::EMPTY && seen == Version::EMPTY {
                // Others may have something.
                return Err(FetchError::NoVersion.into());
            }
            match self.view.follow(visit) {
                Err(NotFollowed::Behind { .. }) if visit.versions().until.is_some() => {
                    let Versions { oldest, latest, .. } = *visit.versions();
                    Err(FetchError::NotKept { oldest, latest }.into())
                }
                Err(behind @ NotFollowed::Behind { .. }) => self.followed_again(visit, behind),
                followed => followed.map_err(Unusable::from),
            }
        });
        match followed {
            Err(ClientError::Nobody(incidents))
                if seen > Version::EMPTY && incidents.iter().all(Incident::is_elsewhere) =>
            {
                Ok(None)
            }
            // All of them say so.
            Err(ClientError::Nobody(incidents)) if incidents.iter().all(Incident::is_empty) => {
                Ok(None)
            }
            followed => self.at(followed?, None).map(Some),
        }
    }

    /// The view after a second visit to a server that was behind: a router learns of a version when it
    /// is asked for its head.
    fn followed_again(
        &self,
        visit: &Visit<'_>,
        behind: NotFollowed<FetchError>,
    ) -> Result<StoredView, Unusable> {
        let seen = self.view.version();
        let head = visit.head_message(seen).ok();
        let head = head.filter(|head| verify_head(self.public(), seen, head).is_ok());
        let again = head.and_then(|_| Visit::latest(visit.server()).ok());
        match again.map(|again| self.view.follow(&again)) {
            Some(Ok(view)) => Ok(view),
            Some(Err(refused @ NotFollowed::Refused(_))) => Err(refused.into()),
            _ => Err(behind.into()),
        }
    }

    /// This client with another view.
    fn at(&self, view: StoredView, log: Option<Log>) -> Result<Self, ClientError> {
        Ok(Self {
            verifier: client_of(&view)?.into(),
            view,
            log: log.map(Arc::new),
            ..self.clone()
        })
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
        self.check_followed(version)?;
        let most = longest_answer(self.public(), question);
        let logged = self.logged_heads(version, question)?;
        self.ask_first(Wanted::Answer(version, question), |visit| {
            self.checked(visit, (version, question), most, logged.as_deref())
        })
    }

    /// Refuses a version that is newer than the newest one followed: what a server says of it would rest on a signature
    /// alone. With witnesses, the log of heads decides.
    fn check_followed(&self, version: Version) -> Result<(), ClientError> {
        let followed = self.view.version();
        let is_ahead = Version::EMPTY < followed && followed < version;
        if is_ahead && self.witnesses.is_none() {
            return Err(ClientError::Ahead { version, followed });
        }
        Ok(())
    }

    /// The answer of this server, of at most so many bytes, and what it proves.
    fn checked(
        &self,
        visit: &Visit<'_>,
        (version, question): (Version, &Question),
        most: usize,
        logged: Option<&[Option<Vec<u8>>]>,
    ) -> Result<(Vec<u8>, Statement), Unusable> {
        let answer = visit.answer(version, question, most)?;
        match self.verifier.check_at(version, question, &answer) {
            Ok(statement) => {
                if let Some(heads) = logged {
                    check_heads(self.public(), (version, question), &answer, heads)?;
                }
                self.view.check_past(visit, (version, question), &answer)?;
                Ok((answer, statement))
            }
            // If it came with another head of the newest version seen, that head is evidence.
            Err(refusal @ Refusal::Verify(VerifyError::Fork(_))) => {
                Err(match self.view.accuse_by_answer(question, &answer) {
                    Some(evidence) => Unusable {
                        fault: Fault::Fork(refusal.to_string()),
                        evidence: Some(evidence),
                    },
                    None => refusal.into(),
                })
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// The heads that an answer has to be under, if witnesses are asked.
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
            None => self.ask_first(Wanted::HeadOf(version), |visit| log.fetch(version, visit)),
        }
    }

    /// The verified head of a version.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn head(&self, version: Version) -> Result<HeadText, ClientError> {
        self.check_followed(version)?;
        if self.witnesses.is_some() {
            let head = self.logged(version)?;
            return Ok(verify_head(self.public(), version, &head)?);
        }
        self.ask_first(Wanted::HeadOf(version), |visit| {
            let head = visit.head_message(version)?;
            if version == self.view.version() {
                // It is the one that was seen, or evidence.
                let seen = self.view.advance(&head, None, None);
                seen.map_err(|refused| Unusable::from(NotFollowed::Refused(refused)))?;
            }
            Ok(verify_head(self.public(), version, &head)?)
        })
    }

    /// The oldest version that can be asked about at any server that says what it has; the servers' word.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn oldest(&self) -> Result<Version, ClientError> {
        let mut oldest = None;
        let mut incidents = Vec::new();
        for (number, server) in self.servers.order(Wanted::Newest) {
            match self.servers.refresh(number) {
                Ok(versions) => {
                    let theirs = versions.map(|versions| versions.oldest);
                    oldest = [oldest, theirs].into_iter().flatten().min();
                }
                Err(error) => incidents.push(Visit::new(server).failed(error.into(), None)),
            }
        }
        let Some(oldest) = oldest else {
            return Err(ClientError::Nobody(incidents));
        };
        self.incidents().append(&mut incidents);
        Ok(oldest)
    }

    /// The contents of the beginning of a range, verified, and where it ends. The server says how much of it a page takes: one entry at
    /// least, unless there are no more.
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

    /// The same, which may have no entry though it is not the last one: of each server so many of these, counted in `empty`, are taken.
    fn page_of_one(
        &self,
        version: Version,
        range: &KeyRange,
        empty: &RefCell<BTreeMap<String, u32>>,
    ) -> Result<(KeyRange, RangeContents), ClientError> {
        let logged = self.logged_heads(version, &Question::Range(range.clone()))?;
        self.ask_first(Wanted::Page(version, range), |visit| {
            let page = visit.page(version, range)?;
            if !page.is_beginning_of(range) {
                return Err(Unusable::lie("the page is not the beginning of the range"));
            }
            let is_last = page.end == range.end;
            let question = Question::Range(page);
            let longest = longest_answer(self.public(), &question);
            // A page has one entry, or a mebibyte of them.
            let most = if is_last {
                longest
            } else {
                longest.min(LONGEST_PAGE_ANSWER)
            };
            match (
                self.checked(visit, (version, &question), most, logged.as_deref())?,
                question,
            ) {
                ((_, Statement::Range(contents)), Question::Range(page)) => {
                    if !is_last && contents.entries.is_empty() {
                        // Whoever keeps some of the keys may have none up to its end.
                        let mut empty = empty.borrow_mut();
                        let count = empty.entry(visit.server().address()).or_default();
                        if *count >= MOST_EMPTY_PAGES {
                            return Err(Unusable::lie("its pages have no entries and no end"));
                        }
                        *count = count.saturating_add(1);
                    }
                    Ok((page, contents))
                }
                _ => Err(Unusable::lie("the answer is to another question")),
            }
        })
    }

    /// The versions up to the newest one followed in which a key changed; a server's word. With witnesses, that is the newest that they
    /// have seen.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, ClientError> {
        let followed = self.view.version();
        let last = (followed > Version::EMPTY).then_some(followed);
        self.ask_first(Wanted::Newest, |visit| Ok(visit.history(key, last)?))
    }

    /// What the first server that says something says of some versions beside what is signed; its word.
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
            let page = self.said(|visit| {
                let (end, notes) = visit.notes(next, last)?;
                // Others may know more, unless it is this one that knows the versions before.
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

    /// The versions of which the first server that knows such a name says that they have it; none, if none does.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn named(&self, name: &str) -> Result<Untrusted<Vec<Version>>, ClientError> {
        let versions = self.said(|visit| {
            let versions = visit.named(name)?;
            Ok((!versions.is_empty()).then_some(versions))
        })?;
        Ok(Untrusted::new(versions.unwrap_or_default()))
    }

    /// What the first server says that says something; `None` if all say nothing.
    fn said<T>(
        &self,
        ask: impl Fn(&Visit<'_>) -> Result<Option<T>, FetchError>,
    ) -> Result<Option<T>, ClientError> {
        let said = self.ask_first(Wanted::Newest, |visit| {
            ask(visit)?.ok_or_else(|| FetchError::NotSaid.into())
        });
        match said {
            Err(ClientError::Nobody(incidents)) if incidents.iter().all(Incident::is_elsewhere) => {
                Ok(None)
            }
            said => said.map(Some),
        }
    }

    /// As [`Client::first_of`], where no latest version is needed.
    fn ask_first<'s, T>(
        &'s self,
        wanted: Wanted<'_>,
        ask: impl Fn(&Visit<'s>) -> Result<T, Unusable>,
    ) -> Result<T, ClientError> {
        self.first_of(wanted, |server| Ok(Visit::new(server)), ask)
    }

    /// What `ask` makes of the first server that neither fails nor lies. Those that were only slow are waited for if nobody else answers.
    fn first_of<'s, T>(
        &'s self,
        wanted: Wanted<'_>,
        visit: impl Fn(&'s Server) -> Result<Visit<'s>, FetchError>,
        ask: impl Fn(&Visit<'s>) -> Result<T, Unusable>,
    ) -> Result<T, ClientError> {
        let (mut incidents, mut slow) = (Vec::new(), Vec::new());
        let order = self.servers.order(wanted);
        if let Some(answer) = self.pass(order, &visit, &ask, (&mut incidents, &mut slow)) {
            return Ok(self.noted(answer, incidents));
        }
        // Servers that were busy answer sooner than those that said nothing.
        slow.sort_unstable();
        let slow: Vec<usize> = slow.into_iter().map(|(_, number)| number).collect();
        let patient: Vec<_> = self.servers.patient(&slow).collect();
        if patient.len() == slow.len() {
            // All of them are asked again: how that ends is what is said of them.
            incidents.retain(|incident: &Incident| !incident.is_slow());
        }
        let asked = self.pass(patient, &visit, &ask, (&mut incidents, &mut Vec::new()));
        if let Some(answer) = asked {
            return Ok(self.noted(answer, incidents));
        }
        if let Some(version) = self.known_of(wanted) {
            for incident in &mut incidents {
                incident.mark_late(version);
            }
        }
        Err(ClientError::Nobody(incidents))
    }

    /// The version that is wanted, if it and all versions that the question names have been followed.
    fn known_of(&self, wanted: Wanted<'_>) -> Option<Version> {
        let version = wanted.version()?;
        let named = match wanted {
            Wanted::Answer(version, question) => question.versions(version),
            _ => vec![version],
        };
        let is_known =
            |version: &Version| *version > Version::EMPTY && *version <= self.view.version();
        named.iter().all(is_known).then_some(version)
    }

    /// Asks these servers in turn, those last that are not going to have more versions. How the others fail is added, and the numbers of
    /// those that were only slow.
    fn pass<'s, T>(
        &'s self,
        servers: Vec<(usize, &'s Server)>,
        visit: &impl Fn(&'s Server) -> Result<Visit<'s>, FetchError>,
        ask: &impl Fn(&Visit<'s>) -> Result<T, Unusable>,
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
            match visit(server) {
                Ok(visit) if visit.versions().until.is_some() => ended.push((number, visit)),
                Ok(visit) => match self.asked(number, visit, ask) {
                    Ok(answer) => return Some(answer),
                    Err(incident) => failed(number, *incident),
                },
                Err(error) => {
                    self.servers.failed(number);
                    failed(number, Visit::new(server).failed(error.into(), None));
                }
            }
        }
        for (number, visit) in ended {
            match self.asked(number, visit, ask) {
                Ok(answer) => return Some(answer),
                Err(incident) => failed(number, *incident),
            }
        }
        None
    }

    /// What `ask` makes of a server, and what is remembered of it.
    fn asked<'s, T>(
        &'s self,
        number: usize,
        visit: Visit<'s>,
        ask: impl Fn(&Visit<'s>) -> Result<T, Unusable>,
    ) -> Result<T, Box<Incident>> {
        let versions = visit.versions();
        if versions.latest > Version::EMPTY {
            self.servers.learn(number, versions.clone());
        }
        let unusable = match ask(&visit) {
            Ok(answer) => {
                self.servers.answered(number);
                return Ok(answer);
            }
            Err(unusable) => unusable,
        };
        let incident = Box::new(visit.failed(unusable, self.beside.as_deref()));
        if incident.is_unlogged() {
            // What else it says may be right.
            return Err(incident);
        }
        if incident.is_elsewhere() {
            // So that it is not asked in vain again. What it says of itself decides nothing but that.
            drop(self.servers.refresh(number));
        } else {
            self.servers.failed(number);
        }
        Err(incident)
    }

    /// The answer, and how others failed before it was there. That somebody keeps other versions is nothing to be told.
    fn noted<T>(&self, answer: T, mut incidents: Vec<Incident>) -> T {
        incidents.retain(|incident| !incident.is_elsewhere());
        self.incidents().append(&mut incidents);
        answer
    }

    // Nothing panics while it changes, so a poisoned one is whole.
    fn incidents(&self) -> MutexGuard<'_, Vec<Incident>> {
        self.incidents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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

/// The longest answer about a page that is not the last one: a value may have 16 MiB.
const LONGEST_PAGE_ANSWER: usize = 24 << 20;

/// So many pages without entries are taken from a server before the first one that has some: behind a router there may be several that
/// keep some of the keys.
const MOST_EMPTY_PAGES: u32 = 64;
