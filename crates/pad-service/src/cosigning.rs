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
    dictionary::Dictionary,
    following::Following,
    head_log::{HeadLog, HeadLogError},
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
    /// The pause after a witness has failed; it doubles each time, up to [`Cosigning::LONGEST_PAUSE`].
    pub pause: Duration,
}

/// What became of requests to one witness.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cosigned: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// When it has cosigned last, by its own clock.
    pub(crate) time: AtomicU64,
}

/// A witness was not asked with success.
#[derive(Debug, thiserror::Error)]
enum NotCosigned {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error("the witness names another size each time it is asked")]
    Restless,
    #[error("the log: {0}")]
    Log(#[from] HeadLogError),
}

impl Cosigning {
    /// The longest pause before a witness that has failed is asked again.
    pub const LONGEST_PAUSE: Duration = Duration::from_mins(1);
}

impl HeadLog {
    /// Keeps the log up with the dictionary, and has the witnesses of the policy cosign it that have a URL there; one that is slow or
    /// lies keeps nobody else waiting.
    ///
    /// # Errors
    /// [`HttpError::Configuration`].
    pub fn follow(
        self: &Arc<Self>,
        dictionary: Arc<Dictionary>,
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
        all.push(Following::begin(cosigning.every, move || {
            match log.grow(&dictionary) {
                Ok(false) => {}
                Ok(true) => {
                    let size = dictionary.latest().number();
                    tracing::info!(size, "the log of heads has grown");
                }
                Err(error) => tracing::error!(%error, "the log of heads cannot grow"),
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
    /// How long it is left alone after a failure, and since when.
    left_alone: Option<(Instant, Duration)>,
    /// What went wrong last, so that it is logged once.
    logged: Option<String>,
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
            left_alone: None,
            logged: None,
        }))
    }

    fn round(&mut self) {
        let is_left_alone = self
            .left_alone
            .is_some_and(|(since, pause)| since.elapsed() < pause);
        let is_recent = self
            .succeeded
            .is_some_and(|time| time.elapsed() < self.cosigning.refresh);
        if is_left_alone || (is_recent && self.log.is_cosigned_by(self.number)) {
            return;
        }
        match self.ask() {
            Ok(None) => {}
            Ok(Some(time)) => {
                self.succeeded = Some(Instant::now());
                self.left_alone = None;
                self.count(|tally| {
                    tally.time.store(time.seconds(), Ordering::Relaxed);
                    &tally.cosigned
                });
                let (witness, size) = (&self.witness.name, self.recorded);
                if self.logged.take().is_some() {
                    tracing::info!(%witness, size, "the witness cosigns again");
                }
                tracing::debug!(%witness, size, "cosigned");
            }
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &NotCosigned) {
        let pause = self
            .left_alone
            .map_or(self.cosigning.pause, |(_, pause)| pause.saturating_mul(2));
        self.left_alone = Some((Instant::now(), pause.min(Cosigning::LONGEST_PAUSE)));
        self.count(|tally| &tally.failed);
        let text = match error {
            NotCosigned::Answer(AnswerError::Note(source)) => format!("{error}: {source}"),
            error => error.to_string(),
        };
        if self.logged.as_ref() != Some(&text) {
            tracing::warn!(witness = %self.witness.name, url = self.client.address(), "the witness does not cosign: {text}");
            self.logged = Some(text);
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
                    return Ok(time);
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
