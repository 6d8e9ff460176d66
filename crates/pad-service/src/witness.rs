//! A witness service that cosigns checkpoints of known logs over HTTP.

use core::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use pad_web::server::{
    Admission, Answer, ConnectionCounters, Handler, Head, HeaderValue, Method, StatusCode, Work,
    header,
};
use serde_json::json;
use transparency_log::{
    Timestamp,
    note::{Cosigner, VerifierKey},
    witness::{AddCheckpoint, AddError, FolderRecords, TEXT_CONTENT_TYPE, Witness, file_name},
};

use crate::{
    metrics::{Metrics, label, write_metric},
    refusal::Refusal,
    reply::{CacheLifetime, OBJECT, TEXT, reply},
    request::{ADD_CHECKPOINT, client_of},
};

/// HTTP service of a witness, with the protocol `tlog-witness`.
///
/// Each cosignature is durable before it is returned. The witness never cosigns a checkpoint that
/// is older than its last one of the log, or that belongs to a second history. Only one process at
/// a time can open the witness's records.
#[derive(Debug)]
pub struct WitnessService {
    witness: Witness<FolderRecords>,
    prefix: String,
    /// Origins of the known logs, by their SHA-256 in hexadecimal digits.
    origins: BTreeMap<String, String>,
    clock: fn() -> SystemTime,
    /// Counters of responses by status.
    answers: BTreeMap<u16, AtomicU64>,
    metrics: Metrics,
}

/// A request to a witness service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessRequest {
    /// Health of the service.
    Health,
    /// Metrics of the service.
    Metrics,
    /// The checkpoint in the request body, to be cosigned.
    AddCheckpoint,
    /// The latest cosigned checkpoint of the log with this origin.
    Cosigned(String),
}

impl WitnessRequest {
    /// Returns the name of the route, as in [`WITNESS_ROUTES`](crate::request::WITNESS_ROUTES).
    const fn name(&self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Metrics => "metrics",
            Self::AddCheckpoint => "add_checkpoint",
            Self::Cosigned(_) => "cosigned_checkpoint",
        }
    }
}

impl WitnessService {
    /// Creates a witness for `logs`, with the key `signer` and the records of the checkpoints that
    /// it has cosigned. The origin of each log is the name of its key.
    ///
    /// Checkpoints are accepted at `{prefix}/add-checkpoint`. The prefix is empty or begins with
    /// `/`.
    pub fn new(
        signer: Cosigner,
        records: FolderRecords,
        logs: &[VerifierKey],
        prefix: &str,
    ) -> Self {
        let mut witness = Witness::new(signer, records);
        for log in logs {
            witness.add_log(log.name().as_str(), log.clone());
        }
        let origins = logs.iter().map(|log| log.name().to_string());
        let origins = origins.map(|origin| (file_name(&origin), origin)).collect();
        Self {
            witness,
            prefix: prefix.trim_end_matches('/').to_owned(),
            origins,
            clock: SystemTime::now,
            answers: STATUSES.map(|status| (status, AtomicU64::new(0))).into(),
            metrics: Metrics::default(),
        }
    }

    /// Reads the time from `clock` instead of the system's clock.
    #[must_use]
    #[doc(hidden)]
    pub fn with_clock(self, clock: fn() -> SystemTime) -> Self {
        Self { clock, ..self }
    }

    fn answer(&self, request: WitnessRequest, body: &[u8]) -> Result<Answer, Refusal> {
        let (kind, text) = match request {
            WitnessRequest::Health => {
                let object = json!({ "status": "ok", "logs": self.origins.len() });
                (OBJECT, object.to_string())
            }
            WitnessRequest::Metrics => (TEXT, self.text()),
            WitnessRequest::AddCheckpoint => return Ok(self.add_checkpoint(body)),
            WitnessRequest::Cosigned(origin) => (TEXT, self.cosigned(&origin)?),
        };
        Ok(reply(kind, text.into_bytes(), CacheLifetime::Once, None))
    }

    fn add_checkpoint(&self, body: &[u8]) -> Answer {
        let time = (self.clock)().duration_since(UNIX_EPOCH);
        let time = time
            .ok()
            .and_then(|time| Timestamp::from_seconds(time.as_secs()));
        let Some(time) = time else {
            tracing::error!("this machine's clock is before 1970: nothing is cosigned");
            return self.counted(Answer::text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "this witness's clock is before 1970\n",
            ));
        };
        let answer = match self.witness.add_checkpoint(body, time) {
            Ok(cosignature) => {
                tracing::info!(time = time.seconds(), "cosigned a checkpoint");
                Answer::new(StatusCode::OK, TEXT_CONTENT_TYPE, cosignature.line())
            }
            Err(error) => {
                match &error {
                    AddError::Record(source) => {
                        tracing::error!(error = %source, "the records cannot be read or written");
                    }
                    // The holder of the log's key misbehaves, so operators should investigate.
                    AddError::Forked(_) => {
                        tracing::warn!(%error, "a log shows two histories");
                    }
                    // Any client can send an invalid proof, so this is not logged for operators.
                    AddError::Inconsistent(_) => tracing::debug!(%error, "a proof does not fit"),
                    error => tracing::debug!(%error, "refused"),
                }
                let status = StatusCode::from_u16(error.status());
                let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                Answer::new(status, error.content_type(), error.body())
            }
        };
        self.counted(answer)
    }

    fn counted(&self, answer: Answer) -> Answer {
        if let Some(counter) = self.answers.get(&answer.status.as_u16()) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        answer.with(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
    }

    /// Returns the latest cosigned checkpoint of a log, signed by the log and by the witness.
    fn cosigned(&self, origin: &str) -> Result<String, Refusal> {
        let note = self.witness.records().cosigned(origin).map_err(|error| {
            tracing::error!(%error, "the records cannot be read");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Refusal::new(status, "store_failed", "the records cannot be read")
        })?;
        let text = "no checkpoint of this log was cosigned";
        let note = note.ok_or_else(|| Refusal::not_found("unknown_log", text))?;
        Ok(note.encode())
    }

    /// Returns the metrics of requests and connections, and those of a witness.
    fn text(&self) -> String {
        let mut text = self.metrics.text(core::iter::empty());
        let metric = (
            "pad_witness_answers_total",
            "counter",
            "Requests for cosignatures answered, by status.",
        );
        let counts = self.answers.iter().map(|(status, counter)| {
            let status = label("status", &status.to_string());
            (status, counter.load(Ordering::Relaxed))
        });
        write_metric(&mut text, metric, counts);
        let metric = (
            "pad_witness_log_size",
            "gauge",
            "Entries of the checkpoint cosigned last.",
        );
        let sizes = self.origins.values().filter_map(|origin| {
            let head = self.witness.records().recorded(origin);
            let head = head.inspect_err(|error| {
                tracing::error!(%error, "the records cannot be read");
            });
            Some((label("origin", origin), head.ok()?.size))
        });
        write_metric(&mut text, metric, sizes);
        text
    }

    fn target(&self, head: &Head) -> Result<WitnessRequest, Refusal> {
        let is_get = head.method == Method::GET || head.method == Method::HEAD;
        let path = head.uri.path();
        let target = match path {
            "/health" => WitnessRequest::Health,
            "/metrics" => WitnessRequest::Metrics,
            path if path.strip_prefix(&*self.prefix) == Some(ADD_CHECKPOINT) => {
                WitnessRequest::AddCheckpoint
            }
            path => {
                let unknown = || Refusal::not_found("unknown_path", "unknown path");
                let hash = path.strip_prefix(&*self.prefix);
                let hash =
                    hash.and_then(|path| path.strip_prefix('/')?.strip_suffix("/checkpoint"));
                let origin = hash.and_then(|hash| self.origins.get(hash));
                WitnessRequest::Cosigned(origin.ok_or_else(unknown)?.clone())
            }
        };
        let is_allowed = match target {
            WitnessRequest::AddCheckpoint => head.method == Method::POST,
            _ => is_get,
        };
        if is_allowed {
            return Ok(target);
        }
        let text = "checkpoints are posted, and everything else is got";
        let status = StatusCode::METHOD_NOT_ALLOWED;
        Err(Refusal::new(status, "method_not_allowed", text))
    }
}

impl Handler for WitnessService {
    /// A parsed request, and the address of its client.
    type Request = (WitnessRequest, Option<IpAddr>);

    fn admit(&self, head: &Head) -> Result<Admission<Self::Request>, Answer> {
        let client = client_of(head);
        let request = self.target(head).map_err(|refusal| {
            self.metrics
                .counted(None, client, Err(refusal), Duration::ZERO)
        })?;
        Ok(Admission {
            body_bytes: match request {
                WitnessRequest::AddCheckpoint => AddCheckpoint::LONGEST,
                _ => 0,
            },
            request: (request, client),
            work: Work::Long,
        })
    }

    fn handle(&self, (request, client): Self::Request, body: Vec<u8>) -> Answer {
        let (name, began) = (request.name(), Instant::now());
        let answered = self.answer(request, &body);
        self.metrics
            .counted(Some(name), client, answered, began.elapsed())
    }

    fn note_refusal(&self, head: &Head, status: StatusCode) {
        let name = self.target(head).ok().map(|request| request.name());
        self.metrics.count_refused(name, client_of(head), status);
    }

    fn observe(&self, connections: &Arc<ConnectionCounters>) {
        self.metrics.observe(connections);
    }
}

/// All results of [`AddError::status`], and the status of a success.
const STATUSES: [u16; 7] = [200, 400, 403, 404, 409, 422, 500];
