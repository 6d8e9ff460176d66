//! HTTP request handler for dictionaries: queries, published files, updates, health and metrics.

use core::time::Duration;
use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    time::Instant,
};

use authdict::{
    AnswerError, Dictionary, Key, LookupError, Question, Server, Version,
    internals::exchange::encode_history,
};
use pad_client::{
    Versions,
    internals::{LONGEST_PAGE, Resource, notes_to_json, versions_to_json},
};
use pad_core::MAX_VALUE_LENGTH;
use pad_web::server::{
    Admission, Answer, ConnectionCounters, Handler, Head, HeaderValue, Limits, StatusCode, Work,
};
use serde_json::{Map, json};

use crate::{
    backoff::Backoff,
    delivery::take_notes,
    dictionary::{ApplySummary, NotApplied},
    metrics::{Metrics, log_metrics},
    mirror::UPSTREAM_PRUNED,
    page::{about_heads, list, require_versions},
    periodic_task::PeriodicTask,
    refusal::Refusal,
    reply::{
        CacheLifetime, MESSAGE, OBJECT, TEXT, description, health_reply, matches, reply, tagged,
        uncached, within,
    },
    request::{Request, Target, client_of},
    served::{Contents, ServedDictionary, all_keys_only},
    status_page::status_page,
};

/// HTTP service of one or more dictionaries.
#[derive(Debug)]
pub struct Service {
    dictionaries: BTreeMap<String, ServedDictionary>,
    limits: Limits,
    metrics: Arc<Metrics>,
}

impl Service {
    /// Creates a service for `dictionaries`, each under its name.
    ///
    /// Names must consist of letters, digits, dots, hyphens and underscores. This is not checked.
    /// Responses are limited by `limits`, the limits of the server that runs the service.
    pub fn new<D: Into<ServedDictionary>>(
        dictionaries: BTreeMap<String, D>,
        limits: Limits,
    ) -> Self {
        let metrics = Arc::default();
        let named = dictionaries.into_iter();
        let dictionaries = named
            .map(|(name, dictionary)| (name, dictionary.into()))
            .collect();
        Self {
            dictionaries,
            limits,
            metrics,
        }
    }

    /// Returns the request metrics.
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// Starts a background task that picks up versions published by other processes. The task
    /// pauses for `every` before each check of the stores.
    ///
    /// After a failure, the pause before the next check of that store doubles, up to ten seconds,
    /// or `every` if that is longer. A failure is logged once. Health checks report it until the
    /// store can be followed again.
    pub fn follow(&self, every: Duration) -> PeriodicTask {
        let backoff = || Backoff::new(every, every.max(LONGEST_PAUSE));
        let dictionaries = self.dictionaries.iter();
        let dictionaries = dictionaries.map(|(name, served)| (name.clone(), served.clone()));
        let mut followed: Vec<_> = dictionaries.map(|served| (served, backoff())).collect();
        PeriodicTask::begin(every, move || {
            for ((name, dictionary), backoff) in &mut followed {
                if backoff.is_waiting() {
                    continue;
                }
                let followed = catch_unwind(AssertUnwindSafe(|| dictionary.follow()));
                match followed.unwrap_or_else(|_| Err("following panicked".into())) {
                    Ok(is_new) => {
                        let news = match (backoff.succeeded(), is_new) {
                            (true, _) => "the store is followed again",
                            (false, true) => "the store has new versions",
                            (false, false) => continue,
                        };
                        let latest = dictionary.latest().number();
                        tracing::info!(dictionary = %name, latest, "{news}");
                    }
                    Err(error) => {
                        if backoff.failed(error.clone()) {
                            let text = "the store cannot be followed";
                            tracing::error!(dictionary = %name, %error, "{text}");
                        }
                    }
                }
            }
        })
    }

    fn answer(&self, request: Request<ServedDictionary>, body: Vec<u8>) -> Result<Answer, Refusal> {
        let known = request.if_none_match.as_ref();
        let plain = |kind, text: String, lasts| Ok(reply(kind, text.into_bytes(), lasts, known));
        match request.target {
            Target::Index => Ok(status_page(&self.health(None).body)),
            Target::Health => Ok(self.health(known)),
            Target::Description => Ok(description(known)),
            Target::Metrics => {
                let mut text = self.metrics.text(self.gauges().into_iter());
                text.push_str(&self.logs());
                plain(TEXT, text, CacheLifetime::Once)
            }
            Target::List => {
                let names: Vec<_> = self.dictionaries.keys().collect();
                plain(OBJECT, json!(names).to_string(), CacheLifetime::Once)
            }
            Target::Get(ServedDictionary::Directory(directory), resource) => {
                let (kind, body, lasts) = directory.body(&resource, self.limits.response_bytes)?;
                self.check_length(&body)?;
                Ok(reply(kind, body, lasts, known))
            }
            Target::Ask(ServedDictionary::Directory(directory), version) => {
                let answer = directory.answer(version, &body)?;
                self.check_length(&answer)?;
                Ok(reply(MESSAGE, answer, CacheLifetime::Once, known))
            }
            Target::Get(dictionary, Resource::File(path)) => self.file(&dictionary, &path, known),
            Target::Get(dictionary, Resource::Notes(first, last)) => {
                let notes = notes_to_json(&dictionary.notes(first, last)?);
                plain(OBJECT, notes, CacheLifetime::Moment)
            }
            Target::Get(dictionary, Resource::Named(name)) => {
                let versions = versions_to_json(&dictionary.versions_of(&name)?);
                plain(OBJECT, versions, CacheLifetime::Moment)
            }
            Target::Get(dictionary, Resource::Value(version, key)) => {
                self.plain_value(&dictionary, (version, key), known)
            }
            Target::Get(dictionary, resource) => dictionary.read(|contents| {
                let tag = contents.tag(&resource)?.filter(|_| {
                    // A tag permits a response without building the body (304, HEAD). With a limit
                    // below `LONGEST_LOOKUP` the body may be too long to send, and only building it
                    // shows this. So no tag is used then.
                    LONGEST_LOOKUP <= self.limits.response_bytes
                });
                let is_known =
                    matches!((&tag, known), (Some(tag), Some(known)) if matches(known, tag));
                if let Some(tag) = &tag
                    && (is_known || request.is_head)
                {
                    // The response to a HEAD request has no body, and building the body may read
                    // megabytes.
                    let answer = (MESSAGE, Vec::new(), CacheLifetime::Forever);
                    return Ok(tagged(answer, tag, is_known));
                }
                let body = self.body(contents, &resource)?;
                self.check_length(&body.1)?;
                Ok(match tag {
                    Some(tag) => tagged(body, &tag, false),
                    None => reply(body.0, body.1, body.2, known),
                })
            }),
            Target::Ask(dictionary, version) => {
                let question = Question::decode(&body)
                    .map_err(|error| Refusal::bad_request("unreadable_question", error))?;
                drop(body);
                let answer = dictionary.read(|contents| {
                    contents.check_asked(version, &question)?;
                    self.ask(contents.asked, version, &question)
                })?;
                Ok(reply(MESSAGE, answer, CacheLifetime::Once, known))
            }
            Target::Update(ServedDictionary::Whole(dictionary)) => {
                self.updated(dictionary.apply(&[body]), dictionary.store())
            }
            Target::Update(ServedDictionary::Directory(directory)) => {
                self.updated(directory.apply(&body), directory.folder())
            }
            Target::Update(ServedDictionary::Part(_)) => Err(all_keys_only()),
            Target::Notes(dictionary) => take_notes(&dictionary, &body),
        }
    }

    /// Returns a file that is published with a dictionary.
    fn file(
        &self,
        dictionary: &ServedDictionary,
        path: &str,
        known: Option<&HeaderValue>,
    ) -> Result<Answer, Refusal> {
        let file = dictionary.published(path, self.limits.response_bytes);
        let file = file.map_err(|error| {
            tracing::error!(%error, path, "a published file cannot be read");
            let text = "the file cannot be read";
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "store_failed", text)
        })?;
        let absent = || Refusal::not_found("unknown_file", "there is no such file");
        let file = file.ok_or_else(absent)?;
        Ok(reply(MESSAGE, file, CacheLifetime::Once, known))
    }

    /// Returns the content type and body of a resource, and how long a cache may keep it.
    fn body(
        &self,
        contents: &Contents<'_>,
        resource: &Resource,
    ) -> Result<(&'static str, Vec<u8>, CacheLifetime), Refusal> {
        let (repository, most) = (contents.asked, self.limits.response_bytes);
        let forever = |body| Ok((MESSAGE, body, CacheLifetime::Forever));
        let moment = |kind, body| Ok((kind, body, CacheLifetime::Moment));
        let check = |version| contents.check_head_kept(version);
        if let Some(body) = about_heads(repository, resource, check, most)? {
            return forever(body);
        }
        match resource {
            Resource::Public => moment(TEXT, contents.public.to_text().into_bytes()),
            Resource::Head => {
                let latest = contents.existing()?;
                moment(MESSAGE, repository.head_message(latest)?)
            }
            Resource::Versions => moment(OBJECT, contents.described().to_json().into_bytes()),
            Resource::History(key) => {
                let latest = contents.versions.latest;
                let page = repository.history_page(key, latest, MOST_LOOKUPS)?;
                moment(MESSAGE, encode_history(page))
            }
            Resource::HistoryUntil(last, key) => {
                let page = repository.history_page(key, *last, MOST_LOOKUPS)?;
                moment(MESSAGE, encode_history(page))
            }
            Resource::Answer(version, question) => {
                contents.check_asked(*version, question)?;
                forever(self.ask(repository, *version, question)?)
            }
            Resource::Page(version, range) => {
                contents.check_kept(*version)?;
                let page = repository.page(*version, range, RANGE_BYTES)?;
                forever(Question::Range(page).encode())
            }
            Resource::Growth(older, newer) => {
                contents.check_kept(*newer)?;
                let proof = repository.append_only_message(*older, *newer)?;
                let text = "append-only proofs are supported by logs only";
                let none = || Refusal::unprocessable("not_offered", text);
                forever(proof.ok_or_else(none)?)
            }
            Resource::Update(version) => {
                let repository = contents.updates_of(*version)?;
                forever(update_of(repository, *version, most)?)
            }
            Resource::Updates(first, last) => {
                let repository = contents.updates_of(*first)?;
                contents.check_kept(*last)?;
                forever(updates(repository, (*first, *last), most)?)
            }
            _ => Err(Refusal::not_found("unknown_path", "unknown path")),
        }
    }

    /// Answers a question. Refuses it if the answer would exceed [`Limits::response_bytes`].
    pub(crate) fn ask(
        &self,
        repository: &dyn Dictionary,
        version: Version,
        question: &Question,
    ) -> Result<Vec<u8>, Refusal> {
        match question {
            Question::Keys(keys) => self.check_keys(repository, version, keys.as_slice())?,
            Question::Range(range) => {
                // The length is checked before the whole range is in memory.
                let page = match repository.page(version, range, self.limits.response_bytes / 2) {
                    Err(AnswerError::NotOffered(_)) => range.clone(),
                    page => page?,
                };
                if page.end != range.end {
                    return Err(self.too_long());
                }
            }
            _ => {}
        }
        let answer = repository.answer(version, question)?;
        self.check_length(&answer)?;
        Ok(answer)
    }

    /// Refuses a body that is longer than [`Limits::response_bytes`].
    fn check_length(&self, body: &[u8]) -> Result<(), Refusal> {
        if body.len() > self.limits.response_bytes {
            return Err(self.too_long());
        }
        Ok(())
    }

    /// Refuses a question about several keys if its answer would be too long.
    ///
    /// The check needs no complete answer in memory. It limits the number of keys, and the total
    /// length of one answer per key.
    fn check_keys(
        &self,
        repository: &dyn Dictionary,
        version: Version,
        keys: &[Key],
    ) -> Result<(), Refusal> {
        if keys.len() > MOST_KEYS {
            return Err(self.too_long());
        }
        let most = self.limits.response_bytes;
        if keys.len().saturating_mul(MAX_VALUE_LENGTH) <= most {
            return Ok(());
        }
        // One answer about all keys contains all values. It is therefore at least as long as the
        // answers about single keys together, less `LONGEST_PATH` for each key.
        let mut room = most.saturating_add(keys.len().saturating_mul(LONGEST_PATH));
        for key in keys {
            let answer = repository.answer(version, &Question::Key(key.clone()))?;
            room = room
                .checked_sub(answer.len())
                .ok_or_else(|| self.too_long())?;
        }
        Ok(())
    }

    fn too_long(&self) -> Refusal {
        let most = self.limits.response_bytes;
        let text = format!(
            "the answer would have more than {most} bytes, or the question more than {MOST_KEYS} \
                keys"
        );
        Refusal::unprocessable("too_long", text)
    }

    /// Returns the response to an update that was applied to `store`. It has status 201 if the
    /// update was new, and 200 if it was applied before.
    fn updated(
        &self,
        applied: Result<ApplySummary, NotApplied>,
        store: &Path,
    ) -> Result<Answer, Refusal> {
        self.metrics.count_update(applied.is_ok());
        let applied = applied?;
        let status = if applied.taken == 0 {
            StatusCode::OK
        } else {
            let (store, latest) = (store.display(), applied.latest.number());
            tracing::info!(%store, latest, "took an update");
            StatusCode::CREATED
        };
        let latest = applied.latest.number();
        Ok(uncached(status, &json!({ "latest": latest })))
    }

    /// Returns the response to a health check. The status is 503, with reasons, if one of these
    /// holds:
    ///
    /// * a log of heads cannot be written;
    /// * a store cannot be followed;
    /// * the folder of a block directory was removed or cannot be opened again;
    /// * a mirror cannot follow any of its upstream servers.
    fn health(&self, known: Option<&HeaderValue>) -> Answer {
        let mut latest = Map::new();
        for (name, dictionary) in &self.dictionaries {
            latest.insert(name.clone(), dictionary.latest().number().into());
        }
        let dictionaries = self.dictionaries.iter();
        let failed: Vec<&String> = dictionaries
            .filter(|(_, dictionary)| dictionary.log().is_some_and(|log| log.has_failed()))
            .map(|(name, _)| name)
            .collect();
        let mut reasons = Vec::new();
        if !failed.is_empty() {
            reasons.push("a log of heads cannot be written");
        }
        let served = self.dictionaries.values();
        let failures: BTreeSet<_> = served.filter_map(ServedDictionary::failure).collect();
        reasons.extend(failures);
        if self.metrics.are_all_upstreams_down() {
            reasons.push(if self.metrics.is_an_upstream_pruned() {
                UPSTREAM_PRUNED
            } else {
                "no upstream server is of use, or its versions cannot be stored"
            });
        }
        let mut health = Map::new();
        health.insert("latest".into(), latest.into());
        if !failed.is_empty() {
            health.insert("failed_logs".into(), json!(failed));
        }
        health_reply(health, &reasons, known)
    }

    /// Returns the metrics of the logs of heads.
    fn logs(&self) -> String {
        let logs = self.dictionaries.iter();
        log_metrics(logs.filter_map(|(name, dictionary)| Some((name.as_str(), dictionary.log()?))))
    }

    fn gauges(&self) -> Vec<(&str, [Option<u64>; 3])> {
        let dictionaries = self.dictionaries.iter();
        dictionaries
            .map(|(name, dictionary)| {
                let Versions { oldest, latest, .. } = dictionary.versions();
                let (oldest, latest) = (oldest.number(), latest.number());
                let bytes = dictionary.file_bytes();
                (name.as_str(), [Some(oldest), Some(latest), bytes])
            })
            .collect()
    }
}

impl Handler for Service {
    type Request = Request<ServedDictionary>;

    fn admit(&self, head: &Head) -> Result<Admission<Self::Request>, Answer> {
        let target = Target::of(head, |name| self.dictionaries.get(name).cloned());
        let target = target.map_err(|refusal| {
            let answer = refusal.answer();
            let client = client_of(head);
            self.metrics.count(None, client, &answer, Duration::ZERO);
            tracing::debug!(path = head.uri.path(), code = refusal.code(), "refused");
            answer
        })?;
        // A health check does not queue behind requests that wait for a store, if its own data can
        // be read at once.
        let mut served = self.dictionaries.values();
        let work = match target {
            Target::Health if served.all(ServedDictionary::is_seen_at_once) => Work::Brief,
            _ => target.work(),
        };
        Ok(Admission {
            body_bytes: target.body_bytes(self.limits.request_bytes),
            work,
            request: Request::new(target, head),
        })
    }

    fn handle(&self, request: Self::Request, body: Vec<u8>) -> Answer {
        let (name, client, began) = (request.target.name(), request.client, Instant::now());
        let answered = self.answer(request, body);
        let answered = answered.map(|answer| within(answer, self.limits.response_bytes));
        self.metrics
            .counted(Some(name), client, answered, began.elapsed())
    }

    fn note_refusal(&self, head: &Head, status: StatusCode) {
        let target = Target::of(head, |name| {
            self.dictionaries.contains_key(name).then_some(())
        });
        let name = target.ok().map(|target| target.name());
        self.metrics.count_refused(name, client_of(head), status);
    }

    fn observe(&self, connections: &Arc<ConnectionCounters>) {
        self.metrics.observe(connections);
    }
}

fn update_of(repository: &Server, version: Version, most: usize) -> Result<Vec<u8>, Refusal> {
    if version == Version::EMPTY {
        let text = "no update leads to version 0";
        return Err(Refusal::not_found("unknown_version", text));
    }
    // The update is rebuilt only if it is known to be short enough.
    if let Some(update) = repository.update_within(version, most)? {
        return Ok(update);
    }
    let (oldest, latest) = (repository.oldest(), repository.latest());
    Err(if version > latest {
        LookupError::UnknownVersion { version, latest }.into()
    } else {
        LookupError::Pruned { version, oldest }.into()
    })
}

/// Returns an encoded list of the updates to versions `first` to `last`. The list ends early if the
/// page is full.
///
/// A page contains at least one update. The first update may exceed the page size, up to `most`
/// bytes.
fn updates(
    repository: &Server,
    (first, last): (Version, Version),
    most: usize,
) -> Result<Vec<u8>, Refusal> {
    require_versions((first, last))?;
    let latest = repository.latest();
    if last > latest {
        let version = last;
        return Err(LookupError::UnknownVersion { version, latest }.into());
    }
    let (mut page, mut bytes) = (Vec::new(), 0_usize);
    for version in (first.number()..=last.number()).map(Version::new) {
        // The first update is sent even if it exceeds a page, up to the limit of a response.
        let room = if page.is_empty() {
            most
        } else {
            LONGEST_PAGE.saturating_sub(bytes)
        };
        let update = match update_of(repository, version, room) {
            Err(refusal) if refusal.code() == "too_long" && !page.is_empty() => break,
            update => update?,
        };
        bytes = bytes.saturating_add(update.len());
        if bytes > LONGEST_PAGE && !page.is_empty() {
            break;
        }
        page.push(update);
    }
    list(&page)
}

/// Maximum pause before a store that cannot be followed is checked again.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Upper bound in bytes of a tree's answer to a look-up, which contains two leaves and a path.
const LONGEST_LOOKUP: usize = 2 * MAX_VALUE_LENGTH + (1 << 20);
/// Maximum bytes of the keys and values in a page of a range.
const RANGE_BYTES: usize = 1 << 20;
/// Approximate maximum number of look-ups for a page of a history.
///
/// A key may be absent in one version and present in others, so each version needs a look-up.
const MOST_LOOKUPS: u64 = 1024;
/// Upper bound in bytes of an answer about one key without its value.
const LONGEST_PATH: usize = 64 << 10;
/// Maximum number of keys in one question.
const MOST_KEYS: usize = 1000;
