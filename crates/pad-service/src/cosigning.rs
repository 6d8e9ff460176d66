//! Asking witnesses for their cosignatures, each on a thread of its own.

use core::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use std::{sync::Arc, time::Instant};

use pad_client::HttpOptions;
use transparency_log::{
    Timestamp,
    note::Signature,
    policy::TrustedWitness,
    witness::{Answer, AnswerError, LONGEST_ANSWER},
};
use web::client::{HttpClient, HttpError, Posted, Verdict, header};

use crate::{
    following::Following,
    head_log::{HeadLog, HeadLogError, LoggedHeads},
    pauses::Pauses,
    tally::Tally,
};

/// How witnesses are asked.
#[derive(Clone, Debug)]
pub struct Cosigning {
    /// How to talk to them. One attempt each time: what fails is asked again later anyway.
    pub http: HttpOptions,
    /// Look this often whether there is something new to cosign.
    pub every: Duration,
    /// Ask again after this long though there is nothing new: clients ask for cosignatures that are not old.
    pub refresh: Duration,
    /// The pause after a witness, or the log itself, has failed; it doubles each time, up to
    /// [`Cosigning::LONGEST_PAUSE`].
    pub pause: Duration,
}

/// A witness was not asked with success.
#[derive(Debug, thiserror::Error)]
enum NotCosigned {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error("the witness's clock is ahead of this machine's, or this one is behind")]
    Ahead,
    #[error("the witness names another size each time it is asked")]
    Restless,
    #[error("the log: {0}")]
    Log(#[from] HeadLogError),
}

impl Cosigning {
    /// The longest pause before what has failed is tried again.
    pub const LONGEST_PAUSE: Duration = Duration::from_mins(1);
}

impl HeadLog {
    /// Keeps the log up with the dictionary, and has the witnesses of the policy cosign it that have a URL there; one that is slow or
    /// lies keeps nobody else waiting. A log whose medium has failed is opened anew, after longer pauses each time
    /// ([`HeadLog::has_failed`]).
    ///
    /// # Errors
    /// [`HttpError::Configuration`].
    pub fn follow(
        self: &Arc<Self>,
        heads: Arc<impl LoggedHeads>,
        cosigning: &Cosigning,
    ) -> Result<Vec<Following>, HttpError> {
        let mut all = Vec::new();
        for (number, witness) in self.witnesses().iter().enumerate() {
            match Asked::new(self, number, witness, cosigning)? {
                Some(mut asked) => {
                    all.push(Following::begin(cosigning.every, move || asked.round()));
                }
                None => {
                    tracing::warn!(witness = %witness.name, "the policy has no URL of this witness");
                }
            }
        }
        let log = Arc::clone(self);
        let mut pauses = Pauses::new(cosigning.pause, Cosigning::LONGEST_PAUSE);
        all.push(Following::begin(cosigning.every, move || {
            if pauses.is_pausing() {
                return;
            }
            match log.grow(&*heads) {
                Ok(has_grown) => {
                    if pauses.succeeded() {
                        tracing::info!("the log of heads is kept again");
                    }
                    if has_grown {
                        let size = heads.latest().number();
                        tracing::info!(size, "the log of heads has grown");
                    }
                }
                Err(error) => {
                    if pauses.failed(error.to_string()) {
                        tracing::error!(%error, "the log of heads cannot grow");
                    }
                }
            }
        }));
        Ok(all)
    }
}

/// A witness that is asked again and again.
struct Asked {
    log: Arc<HeadLog>,
    number: usize,
    witness: TrustedWitness,
    client: HttpClient,
    cosigning: Cosigning,
    /// The size that the witness has cosigned last, as far as is known here.
    recorded: u64,
    succeeded: Option<Instant>,
    pauses: Pauses,
}

impl Asked {
    fn new(
        log: &Arc<HeadLog>,
        number: usize,
        witness: &TrustedWitness,
        cosigning: &Cosigning,
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
            pauses: Pauses::new(cosigning.pause, Cosigning::LONGEST_PAUSE),
        }))
    }

    fn round(&mut self) {
        let is_recent = self
            .succeeded
            .is_some_and(|time| time.elapsed() < self.cosigning.refresh);
        if self.pauses.is_pausing() || (is_recent && self.log.is_cosigned_by(self.number)) {
            return;
        }
        match self.ask() {
            Ok(None) => {}
            Ok(Some(time)) => {
                self.succeeded = Some(Instant::now());
                self.count(|tally| {
                    tally.time.store(time.seconds(), Ordering::Relaxed);
                    &tally.cosigned
                });
                let (witness, size) = (&self.witness.name, self.recorded);
                if self.pauses.succeeded() {
                    tracing::info!(%witness, size, "the witness cosigns again");
                }
                tracing::debug!(%witness, size, "cosigned");
            }
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &NotCosigned) {
        self.count(|tally| &tally.failed);
        let text = match error {
            NotCosigned::Answer(AnswerError::Note(source)) => format!("{error}: {source}"),
            error => error.to_string(),
        };
        if self.pauses.failed(text.clone()) {
            tracing::warn!(witness = %self.witness.name, url = self.client.address(), "the witness does not cosign: {text}");
        }
    }

    fn count(&self, counter: impl FnOnce(&Tally) -> &AtomicU64) {
        if let Some(tally) = self.log.tally(self.number) {
            counter(tally).fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Asks for a cosignature of what is signed; the time of it, or `None` if nothing is signed.
    fn ask(&mut self) -> Result<Option<Timestamp>, NotCosigned> {
        for _ in 0..MOST_SIZES {
            let Some(request) = self.log.request(self.recorded)? else {
                return Ok(None);
            };
            let posted = Posted {
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

/// Where a witness takes checkpoints, under its URL.
pub(crate) const ADD_CHECKPOINT: &str = "/add-checkpoint";
/// How often a witness may name another size in a row: another server of the same log may have asked in between.
const MOST_SIZES: usize = 3;
