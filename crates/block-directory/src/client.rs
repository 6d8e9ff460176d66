//! The client: sends requests, follows the author's heads, verifies answers, and refreshes hints.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{boxed::Box, vec::Vec};

use pad_core::{
    Authority, DecodeError, Refusal, SnapshotHead, Suite, TrustedView, Untrusted, Verified,
    VerifyError, Version, codec, internals::Refused,
};

use crate::{
    entry::{EntryId, require_directory},
    hint::{Hint, LONGEST_HINT, Offer},
    message::{
        AnswerFormError, DirectoryAnswer, EntryRequest, Evidence, ExpectedForms, News, RangeRequest,
    },
    proof::EntryProof,
    query::{EntryQuery, EntryRange},
    statement::Entries,
};

/// A client of one directory. It trusts the author's key, and stores the newest head that it has
/// seen.
///
/// Answers are about the server's latest version. An answer includes the head of this version if
/// the client does not know it.
#[derive(Clone, Debug)]
pub struct DirectoryClient<S: Suite> {
    view: TrustedView<S>,
    step: u32,
}

/// Error returned for an answer that the client refuses, or that is outdated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError<S: Suite> {
    /// The answer does not verify: the server or the author misbehaved.
    #[error(transparent)]
    Refused(#[from] Refusal<S, VerifyError>),
    /// The server claims that the hint matches, but hint and answer do not form a valid proof. A
    /// true match always gives a valid proof, because the client computed the offered digests from
    /// the hint. The answer is therefore false. Repeat the look-up without the hint, at another
    /// server if there is one.
    #[error("the server claims that the hint matches, but hint and answer do not verify: {0}")]
    HintFailed(VerifyError),
    /// A concurrent answer advanced the client to a newer head. Send the request again.
    #[error(
        "the answer is outdated: a concurrent answer led to a newer head, send the request again"
    )]
    Overtaken,
}

impl<S: Suite> AnswerError<S> {
    fn of_proof(error: VerifyError) -> Self {
        Self::Refused(Refusal::Proof(error))
    }

    fn of_head(refused: Refused<S>, seen: Version) -> Self {
        Self::Refused(match refused.evidence {
            Some(evidence) => Refusal::Fork {
                version: seen,
                evidence: Box::new(evidence),
            },
            None => Refusal::Head(refused.error),
        })
    }
}

impl<S: Suite> From<AnswerFormError> for AnswerError<S> {
    fn from(unexpected: AnswerFormError) -> Self {
        match unexpected {
            AnswerFormError::Decode(error) => Self::from(error),
            AnswerFormError::Form => Self::of_proof(VerifyError::AnswerMismatch),
        }
    }
}

impl<S: Suite> From<DecodeError> for AnswerError<S> {
    fn from(error: DecodeError) -> Self {
        Self::Refused(Refusal::Decode(error))
    }
}

/// A look-up in progress: the request sent, and the state needed to verify the answer.
#[derive(Clone, Debug)]
pub struct PendingEntries<S: Suite> {
    known: Version,
    query: EntryQuery,
    offer: Option<Offer<S>>,
}

/// A range request in progress: the state needed to verify the answer.
#[derive(Clone, Debug)]
pub struct PendingRange {
    known: Version,
    range: EntryRange,
}

/// The result of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<S: Suite> {
    /// The requested entries with their states, verified.
    pub entries: Verified<Entries<S, EntryQuery>>,
    /// The hint to store with the object from now on. `None` if the hint matched and is of the same
    /// version. Also `None` for several ids, and for an id that is not assigned.
    pub refreshed: Option<Hint<S>>,
    /// Whether the hint matched. The server's answer then ends above a subtree that its tree and
    /// the hint have in common.
    pub hint_matched: bool,
}

/// The verified head that an answer is about, and the proof in the answer.
type HeadAndEvidence<S> = (Verified<SnapshotHead<S>>, Evidence<S>);

impl<S: Suite> DirectoryClient<S> {
    /// Creates a client that has seen no head yet. `step` is the height of the server's blocks,
    /// which have `2^step` slots. With a wrong step, hints do not match and answers contain full
    /// proofs.
    pub const fn new(authority: Authority, step: u32) -> Self {
        Self {
            view: TrustedView::new(authority),
            step,
        }
    }

    /// Creates a client that continues from `view`, a stored state of a client. `step` is the
    /// height of the server's blocks.
    pub const fn resume(view: TrustedView<S>, step: u32) -> Self {
        Self { view, step }
    }

    /// Returns the client's state: the newest head that it has seen. Store it where no other party
    /// can write.
    pub const fn view(&self) -> &TrustedView<S> {
        &self.view
    }

    /// Starts a look-up of entries by their ids. Returns its pending state and the request message.
    pub fn ask(&self, query: EntryQuery) -> (PendingEntries<S>, Vec<u8>) {
        self.ask_with(query, None)
    }

    /// Starts a look-up of the entry `id` of an object, with the hint stored with the object.
    /// Returns its pending state and the request message. Ignores a hint that does not decode, or
    /// that is of another dictionary, entry or object.
    ///
    /// The result is the directory's present entry of the id. The caller must compare it with the
    /// object's digest, because the object may be old or false.
    pub fn ask_with_hint(
        &self,
        id: EntryId,
        object: &S::Digest,
        hint: &[u8],
    ) -> (PendingEntries<S>, Vec<u8>) {
        let hint = codec::decode::<Hint<S>>(hint, LONGEST_HINT).ok();
        let authority = self.view.authority();
        let offer = hint.and_then(|hint| hint.offer(authority, id, object, self.step).ok());
        self.ask_with(EntryQuery::one(id), offer)
    }

    fn ask_with(&self, query: EntryQuery, offer: Option<Offer<S>>) -> (PendingEntries<S>, Vec<u8>) {
        let known = self.view.version();
        let chain = offer.as_ref().map(Offer::chain);
        // Always valid: the chain of an offer has a valid step and at most 48 digests.
        let request =
            EntryRequest::new(known, query.clone(), chain).map(|request| codec::encode(&request));
        let pending = PendingEntries {
            known,
            query,
            offer,
        };
        (pending, request.unwrap_or_default())
    }

    /// Starts a request for a range of ids. Returns its pending state and the request message.
    pub fn ask_range(&self, range: EntryRange) -> (PendingRange, Vec<u8>) {
        let known = self.view.version();
        let request = codec::encode(&RangeRequest::<S>::new(known, range.clone()));
        (PendingRange { known, range }, request)
    }

    /// Verifies the answer to a look-up and returns its result. The client's view advances to the
    /// head of the answer even if the proof is refused, because the author signed the head.
    ///
    /// # Errors
    /// [`AnswerError`] if the answer does not verify, or is outdated.
    pub fn accept(
        &mut self,
        pending: &PendingEntries<S>,
        answer: &[u8],
    ) -> Result<Found<S>, AnswerError<S>> {
        let expected = ExpectedForms::entries(&pending.query, pending.offer.is_some());
        let (head, evidence) = self.open(pending.known, &expected, answer)?;
        let (proof, offer) = match (evidence, &pending.offer) {
            (Evidence::Entries(proof), _) => (Untrusted::new(proof), None),
            (Evidence::Short(short), Some(offer)) => {
                let proof = offer.complete(&short).map_err(AnswerError::of_proof)?;
                (proof, Some(offer))
            }
            _ => return Err(AnswerError::of_proof(VerifyError::AnswerMismatch)),
        };
        let kept = proof.as_unverified().clone();
        let entries = proof.verify(&head, &pending.query);
        let entries = entries.map_err(|error| match offer {
            Some(_) => AnswerError::HintFailed(error),
            None => AnswerError::of_proof(error),
        })?;
        let refreshed = self.refreshed(pending, offer, head.get().version, &kept);
        let hint_matched = offer.is_some();
        Ok(Found {
            entries,
            refreshed,
            hint_matched,
        })
    }

    /// Creates a new hint from a verified proof. Returns `None` if the used hint matched and claims
    /// this version. Also returns `None` for a query of several ids, and for an id that is not
    /// assigned.
    fn refreshed(
        &self,
        pending: &PendingEntries<S>,
        matched: Option<&Offer<S>>,
        version: Version,
        proof: &EntryProof<S>,
    ) -> Option<Hint<S>> {
        if matched.is_some_and(|offer| offer.version() == version) {
            return None;
        }
        let dictionary = self.view.authority().dictionary;
        Hint::new(dictionary, pending.query.single()?, version, proof)
    }

    /// Verifies the answer to a range request and returns its entries.
    ///
    /// # Errors
    /// [`AnswerError`] if the answer does not verify, or is outdated.
    pub fn accept_range(
        &mut self,
        pending: &PendingRange,
        answer: &[u8],
    ) -> Result<Verified<Entries<S, EntryRange>>, AnswerError<S>> {
        let expected = ExpectedForms::range(&pending.range);
        let (head, evidence) = self.open(pending.known, &expected, answer)?;
        let Evidence::Range(proof) = evidence else {
            return Err(AnswerError::of_proof(VerifyError::AnswerMismatch));
        };
        let entries = Untrusted::new(proof).verify(&head, &pending.range);
        entries.map_err(AnswerError::of_proof)
    }

    /// Checks the form and length of an answer, advances the view to its head, and decodes the
    /// proof in it.
    fn open(
        &mut self,
        known: Version,
        expected: &ExpectedForms,
        answer: &[u8],
    ) -> Result<HeadAndEvidence<S>, AnswerError<S>> {
        if known != self.view.version() {
            return Err(AnswerError::Overtaken);
        }
        let (news, body) = expected.begin(answer)?;
        let head = self.advance(news)?;
        let DirectoryAnswer { evidence, .. } = codec::decode_message(body)?;
        Ok((head, evidence))
    }

    /// Verifies the head in an answer and advances the view to it. Returns this head, or the known
    /// head if the answer contains none.
    fn advance(
        &mut self,
        news: Option<News<S>>,
    ) -> Result<Verified<SnapshotHead<S>>, AnswerError<S>> {
        let seen = self.view.version();
        require_directory(self.view.authority()).map_err(Refusal::Head)?;
        let Some(News { head, consistency }) = news else {
            if seen == Version::EMPTY {
                return Err(Refusal::NoHeadSeen.into());
            }
            return self
                .view
                .newest()
                .map_err(|error| Refusal::Head(error).into());
        };
        let newest = self.view.newest_signed().map(|newest| newest.head);
        if newest == Some(head.head) || (newest.is_none() && consistency.is_some()) {
            return Err(AnswerError::of_proof(VerifyError::AnswerMismatch));
        }
        let advanced = self
            .view
            .advance(Untrusted::new(head), consistency.map(Untrusted::new));
        advanced.map_err(|refused| AnswerError::of_head(refused, seen))
    }
}
