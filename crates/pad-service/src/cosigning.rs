//! Collection of cosignatures from witnesses, on one thread for each witness.

use core::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use std::{sync::Arc, time::Instant};

use pad_client::HttpOptions;
use pad_web::client::{HttpClient, HttpError, PostBody, Verdict, header};
use transparency_log::{
    Timestamp,
    note::Signature,
    policy::TrustedWitness,
    witness::{Answer, AnswerError, LONGEST_ANSWER},
};

use crate::{
    backoff::Backoff,
    head_log::{HeadLog, HeadLogError, LoggedHeads, WitnessMetrics},
    periodic_task::PeriodicTask,
    request::ADD_CHECKPOINT,
};

/// Settings for requests to witnesses.
#[derive(Clone, Debug)]
pub struct CosigningOptions {
    /// HTTP options. Each request is sent once. Failed requests are repeated in a later round.
    pub http: HttpOptions,
    /// Pause before each check for new heads, and for a checkpoint to cosign.
    pub every: Duration,
    /// Age at which a cosignature is renewed. Clients require recent cosignatures.
    pub refresh: Duration,
    /// Initial pause after a failure of a witness or the log. The pause doubles with each failure,
    /// up to [`CosigningOptions::LONGEST_PAUSE`].
    pub pause: Duration,
}

/// Reason why no cosignature was obtained.
#[derive(Debug, thiserror::Error)]
enum NotCosigned {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error(
        "the cosignature is from the future: the witness's clock is ahead, or this machine's is \
         behind"
    )]
    Ahead,
    #[error("the witness reports another size at each attempt")]
    Restless,
    #[error("the log of heads failed: {0}")]
    Log(#[from] HeadLogError),
}

impl CosigningOptions {
    /// Maximum backoff after failures.
    pub const LONGEST_PAUSE: Duration = Duration::from_mins(1);
}

impl HeadLog {
    /// Starts the background tasks that append new heads to the log and collect cosignatures.
    ///
    /// Each witness of the policy with a URL has its own task, so that a slow witness does not
    /// delay other witnesses. A log whose medium has failed is opened again with backoff
    /// ([`HeadLog::has_failed`]).
    ///
    /// # Errors
    /// [`HttpError::Configuration`].
    pub fn follow(
        self: &Arc<Self>,
        heads: Arc<impl LoggedHeads>,
        cosigning: &CosigningOptions,
    ) -> Result<Vec<PeriodicTask>, HttpError> {
        let mut all = Vec::new();
        for (number, witness) in self.witnesses().iter().enumerate() {
            match CosigningTask::new(self, number, witness, cosigning)? {
                Some(mut asked) => {
                    all.push(PeriodicTask::begin(cosigning.every, move || asked.round()));
                }
                None => {
                    tracing::warn!(
                        witness = %witness.name,
                        "the policy has no URL of this witness"
                    );
                }
            }
        }
        let log = Arc::clone(self);
        let mut backoff = Backoff::new(cosigning.pause, CosigningOptions::LONGEST_PAUSE);
        all.push(PeriodicTask::begin(cosigning.every, move || {
            if backoff.is_waiting() {
                return;
            }
            match log.grow(&*heads) {
                Ok(has_grown) => {
                    if backoff.succeeded() {
                        tracing::info!("the log of heads is kept again");
                    }
                    if has_grown {
                        let size = heads.latest().number();
                        tracing::info!(size, "the log of heads has grown");
                    }
                }
                Err(error) => {
                    if backoff.failed(error.to_string()) {
                        tracing::error!(%error, "the log of heads cannot grow");
                    }
                }
            }
        }));
        Ok(all)
    }
}

/// State of the periodic task that obtains cosignatures from one witness.
struct CosigningTask {
    log: Arc<HeadLog>,
    number: usize,
    witness: TrustedWitness,
    client: HttpClient,
    cosigning: CosigningOptions,
    /// Size of the last checkpoint that the witness has cosigned, as far as known.
    recorded: u64,
    succeeded: Option<Instant>,
    backoff: Backoff,
}

impl CosigningTask {
    fn new(
        log: &Arc<HeadLog>,
        number: usize,
        witness: &TrustedWitness,
        cosigning: &CosigningOptions,
    ) -> Result<Option<Self>, HttpError> {
        let Some(url) = &witness.url else {
            return Ok(None);
        };
        let options = HttpOptions {
            attempts: 1,
            ..cosigning.http.clone()
        };
        Ok(Some(Self {
            log: Arc::clone(log),
            number,
            witness: witness.clone(),
            client: HttpClient::new(url, options)?,
            cosigning: cosigning.clone(),
            recorded: 0,
            succeeded: None,
            backoff: Backoff::new(cosigning.pause, CosigningOptions::LONGEST_PAUSE),
        }))
    }

    fn round(&mut self) {
        let is_recent = self
            .succeeded
            .is_some_and(|time| time.elapsed() < self.cosigning.refresh);
        if self.backoff.is_waiting() || (is_recent && self.log.is_cosigned_by(self.number)) {
            return;
        }
        match self.ask() {
            Ok(None) => {}
            Ok(Some(time)) => {
                self.succeeded = Some(Instant::now());
                self.count(|counters| {
                    counters.time.store(time.seconds(), Ordering::Relaxed);
                    &counters.cosigned
                });
                let (witness, size) = (&self.witness.name, self.recorded);
                if self.backoff.succeeded() {
                    tracing::info!(%witness, size, "the witness cosigns again");
                }
                tracing::debug!(%witness, size, "cosigned");
            }
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &NotCosigned) {
        self.count(|counters| &counters.failed);
        let text = match error {
            NotCosigned::Answer(AnswerError::Note(source)) => format!("{error}: {source}"),
            error => error.to_string(),
        };
        if self.backoff.failed(text.clone()) {
            tracing::warn!(witness = %self.witness.name, url = self.client.address(), "the witness \
                does not cosign: {text}");
        }
    }

    fn count(&self, counter: impl FnOnce(&WitnessMetrics) -> &AtomicU64) {
        if let Some(counters) = self.log.witness_metrics(self.number) {
            counter(counters).fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Requests a cosignature of the latest signed checkpoint, and returns its time. Returns `None`
    /// if no checkpoint is signed, or the log is not open.
    fn ask(&mut self) -> Result<Option<Timestamp>, NotCosigned> {
        for _ in 0..MOST_SIZES {
            let Some(request) = self.log.request(self.recorded)? else {
                return Ok(None);
            };
            let posted = PostBody {
                content_type: "text/plain; charset=utf-8",
                body: request.body.as_bytes(),
            };
            let sent = (&request.note, self.recorded, request.size);
            let key = &self.witness.key;
            let answer = self.client.post::<_, NotCosigned>(
                ADD_CHECKPOINT,
                posted,
                LONGEST_ANSWER,
                |reply| {
                    let kind = reply.headers.get(header::CONTENT_TYPE);
                    let kind = kind.and_then(|kind| kind.to_str().ok());
                    let response = (reply.status.as_u16(), kind, &*reply.body);
                    Ok(Verdict::Done(Answer::read(response, sent, key)?))
                },
            );
            let note_answer =
                |signatures: &[Signature]| self.log.note_answer(self.number, &request, signatures);
            match answer {
                Ok(Answer::Cosigned(signatures)) => {
                    let time = note_answer(&signatures)?;
                    self.recorded = request.size;
                    return time.map(Some).ok_or(NotCosigned::Ahead);
                }
                Ok(Answer::Size(size)) => {
                    note_answer(&[])?;
                    self.recorded = size;
                }
                Err(error) => {
                    note_answer(&[])?;
                    return Err(error);
                }
            }
        }
        Err(NotCosigned::Restless)
    }
}

/// Maximum number of requests to a witness in one round, each with another old size of the log. The
/// size differs if another server of the same log has sent a checkpoint in the meantime.
const MOST_SIZES: usize = 3;
