//! The client of a dictionary of any family: verifies messages of a server and returns statements.

use alloc::boxed::Box;

use crate::{
    codec::{self, Message},
    contradiction::{ForkEvidence, Past},
    error::{DecodeError, VerifyError},
    family::{Answers, Family, PublicKey, VerifiedRoot},
    head::{EmptyDictionary, SignedHead, SnapshotHead},
    history::{ConsistencyProof, InclusionProof},
    proof::{Untrusted, Verified},
    question::Question,
    response::Response,
    suite::Suite,
    version::Version,
    view::{Refused, TrustedView},
};

/// A client of one dictionary of family `F`. It trusts the author's public key and stores the
/// newest verified head (the author's signed statement about one version).
///
/// [`Client::check`] accepts answers about that newest version. [`Client::check_at`] accepts
/// answers about a version that the caller names. So a server cannot choose the version.
#[derive(Debug)]
pub struct Client<F: Family> {
    public: PublicKey<F>,
    view: TrustedView<F::Suite>,
    newest: Option<SeenHead<F::Suite>>,
}

/// The newest head seen, signed and verified. Answers that contain this head need no second
/// signature check.
#[derive(Clone, Copy, Debug)]
struct SeenHead<S: Suite> {
    signed: SignedHead<S>,
    verified: Verified<SnapshotHead<S>>,
}

impl<F: Family> Clone for Client<F> {
    fn clone(&self) -> Self {
        Self {
            public: self.public.clone(),
            view: self.view,
            newest: self.newest,
        }
    }
}

/// Error returned when a client rejects a message; `E` is the family's [`Family::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal<S: Suite, E> {
    /// The bytes are not the expected message: an answer to this type of question, a head, or a
    /// history proof.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The client rejects the head in the message. For example, the head or the history proof that
    /// comes with it does not verify, or the client has seen a newer head.
    #[error(transparent)]
    Head(#[from] VerifyError),
    /// The author signed two heads that contradict each other. Every holder of the public key can
    /// verify the evidence.
    #[error("the author signed two different histories at version {version}")]
    Fork {
        /// The newest version that the client had verified before this message.
        version: Version,
        /// The evidence that the author's key signed contradictory heads.
        evidence: Box<ForkEvidence<S>>,
    },
    /// The answer does not follow from the signed head: its proof does not verify.
    #[error(transparent)]
    Proof(E),
    /// The client has seen no head yet, so it cannot verify an answer about the newest version.
    #[error("no head was seen yet")]
    NoHeadSeen,
}

/// The error of a client of family `F`: [`Refusal`] with the family's suite and error type.
pub type RefusalOf<F> = Refusal<<F as Family>::Suite, <F as Family>::Error>;

impl<S: Suite, E> Refusal<S, E> {
    /// Converts the rejection of a head to [`Refusal::Fork`] if it contains evidence of a fork,
    /// else to [`Refusal::Head`]. `seen` is the client's newest version.
    fn of_head(refused: Refused<S>, seen: Version) -> Self {
        match refused.evidence {
            Some(evidence) => Self::Fork {
                version: seen,
                evidence: Box::new(evidence),
            },
            None => Self::Head(refused.error),
        }
    }
}

/// The longest head that clients read, in bytes. The longest valid head has 164 bytes.
const LONGEST_HEAD: usize = 1024;
/// The longest history proof that clients read, in bytes: more than two digests for each of 64
/// levels.
const LONGEST_CONSISTENCY: usize = 1 << 13;

impl<F: Family> Client<F> {
    /// Creates a client that has seen no head yet.
    pub const fn new(public: PublicKey<F>) -> Self {
        let view = TrustedView::new(*public.authority());
        Self {
            public,
            view,
            newest: None,
        }
    }

    /// Resumes a client from its stored view ([`Client::view`]).
    ///
    /// # Errors
    /// * [`VerifyError::WrongDictionary`] if the view belongs to another key, dictionary or scheme.
    /// * The error of [`TrustedView::newest`] if the newest head in the view is damaged. An
    ///   outdated view is not detected.
    pub fn resume(public: PublicKey<F>, view: TrustedView<F::Suite>) -> Result<Self, VerifyError> {
        if view.authority() != public.authority() {
            return Err(VerifyError::WrongDictionary);
        }
        let verified = view.newest()?;
        let newest = view.newest_signed();
        let newest = newest.map(|signed| SeenHead { signed, verified });
        Ok(Self {
            public,
            view,
            newest,
        })
    }

    /// The public key that this client trusts.
    pub const fn public(&self) -> &PublicKey<F> {
        &self.public
    }

    /// The client's view, to be stored where no other party can write.
    pub const fn view(&self) -> &TrustedView<F::Suite> {
        &self.view
    }

    /// The newest version seen; version 0 before the first head.
    pub fn version(&self) -> Version {
        self.view.version()
    }

    /// Accepts a head at least as new as the newest head seen. Returns the version of the accepted
    /// head.
    ///
    /// `head` is the message of a [`SignedHead`]. `consistency` is the message of the
    /// [`ConsistencyProof`] from the newest version seen. It is required unless the client has seen
    /// no head yet, or `head` is the newest head seen.
    ///
    /// # Errors
    /// [`Refusal`]. The client is then unchanged.
    ///
    /// * [`Refusal::Head`] with [`VerifyError::Rollback`] for an older head.
    /// * [`Refusal::Fork`] with evidence against the author.
    ///
    /// If a correctly signed head is rejected for lack of a valid `consistency`, the author may
    /// have forked. See [`TrustedView::accuse`].
    pub fn advance(
        &mut self,
        head: &[u8],
        consistency: Option<&[u8]>,
    ) -> Result<Version, RefusalOf<F>> {
        let head = Untrusted::<SignedHead<F::Suite>>::decode(head, LONGEST_HEAD)?;
        let decode = Untrusted::<ConsistencyProof<F::Suite>>::decode;
        let consistency = consistency.map(|proof| decode(proof, LONGEST_CONSISTENCY));
        let consistency = consistency.transpose()?;
        let (signed, seen) = (*head.as_unverified(), self.version());
        let verified = self.view.advance(head, consistency);
        let verified = verified.map_err(|refused| Refusal::of_head(refused, seen))?;
        self.newest = Some(SeenHead { signed, verified });
        Ok(verified.get().version)
    }

    /// Verifies an answer about the newest version seen.
    ///
    /// `answer` is the message of a [`Response`], no longer than [`Question::longest_answer`]. The
    /// head in the answer is verified before memory is allocated for the proof.
    ///
    /// Time: the check of the proof. The signature of the newest head is not verified again.
    ///
    /// # Errors
    /// [`Refusal`]. [`Refusal::NoHeadSeen`] before the first head: the client then knows only
    /// version 0, in which every key is absent.
    pub fn check<Q: Question>(
        &self,
        answer: &[u8],
        question: &Q,
    ) -> Result<Verified<Q::Statement>, RefusalOf<F>>
    where
        F: Answers<Q>,
    {
        if self.newest.is_none() {
            return Err(Refusal::NoHeadSeen);
        }
        self.check_at(self.version(), answer, question)
    }

    /// Verifies an answer about `version` by the author's signature on that version's head.
    ///
    /// This check does not prove that the answer's head belongs to the history of the newest head
    /// seen. [`Client::check_past`] proves this as well.
    ///
    /// Time: the check of the proof, and one signature check for any head but the newest seen.
    ///
    /// # Errors
    /// [`Refusal`]. Version 0 needs no head: it is the empty dictionary.
    pub fn check_at<Q: Question>(
        &self,
        version: Version,
        answer: &[u8],
        question: &Q,
    ) -> Result<Verified<Q::Statement>, RefusalOf<F>>
    where
        F: Answers<Q>,
    {
        let body = response_body::<F, Q>(answer, question)?;
        let head = self.head_of(version, codec::decode_start(body)?)?;
        self.conclude(body, &head, question)
    }

    /// Verifies an answer about an older version by its position in the newest head's history.
    ///
    /// `inclusion` is the message of the [`InclusionProof`] of `version` under the newest version
    /// seen.
    ///
    /// Proofs of some families do not depend on the root, for example proofs of signed tuples. Only
    /// the author's key and the version bind such a proof. If the author signed two contents for
    /// `version`, proofs of both verify.
    ///
    /// # Errors
    /// [`Refusal`], as for [`Client::check`]. [`Refusal::Fork`] if the author signed the answer's
    /// head, but its root differs from the root of `version` in that history.
    pub fn check_past<Q: Question>(
        &self,
        version: Version,
        inclusion: &[u8],
        answer: &[u8],
        question: &Q,
    ) -> Result<Verified<Q::Statement>, RefusalOf<F>>
    where
        F: Answers<Q>,
    {
        let newest = self.newest.ok_or(Refusal::NoHeadSeen)?;
        let proof = Untrusted::<InclusionProof<F::Suite>>::decode(inclusion, LONGEST_CONSISTENCY)?;
        let past = proof.clone().verify(&newest.verified, &version)?;
        let body = response_body::<F, Q>(answer, question)?;
        let signed: Option<SignedHead<F::Suite>> = codec::decode_start(body)?;
        let head = self.head_of(version, signed)?;
        if let Some(signed) = signed
            && head.get().root != past.get().root
        {
            return Err(self.fork(signed, Past::Root(proof.into_unverified())));
        }
        self.conclude(body, &past, question)
    }

    /// Verifies the proof in the response `body` under `root`. Returns the statement that answers
    /// `question`.
    fn conclude<Q: Question>(
        &self,
        body: &[u8],
        root: &VerifiedRoot<F::Suite>,
        question: &Q,
    ) -> Result<Verified<Q::Statement>, RefusalOf<F>>
    where
        F: Answers<Q>,
    {
        let response: Response<F::Suite, F::Proof> = codec::decode_message(body)?;
        let proof = Untrusted::new(response.proof);
        F::verify(proof, &self.public, root, question).map_err(Refusal::Proof)
    }

    /// Returns [`Refusal::Fork`] if the head `signed` and the newest head seen contradict each
    /// other, else [`Refusal::Head`]. `past` is the argument of [`TrustedView::accuse`].
    fn fork(&self, signed: SignedHead<F::Suite>, past: Past<F::Suite>) -> RefusalOf<F> {
        match self.view.accuse(Untrusted::new(signed), past) {
            Ok(evidence) => Refusal::Fork {
                version: self.version(),
                evidence: Box::new(evidence),
            },
            Err(error) => Refusal::Head(error),
        }
    }

    /// Verifies `head`, taken from an answer, as the signed head of `version`. An answer without a
    /// head is valid only for version 0. A second head of the newest version seen is a
    /// [`Refusal::Fork`].
    fn head_of(
        &self,
        version: Version,
        head: Option<SignedHead<F::Suite>>,
    ) -> Result<Verified<SnapshotHead<F::Suite>>, RefusalOf<F>> {
        let authority = self.public.authority();
        let Some(signed) = head else {
            return self.head_of_nothing(version);
        };
        if let Some(seen) = self.newest
            && seen.signed == signed
            && signed.head.version == version
        {
            return Ok(seen.verified);
        }
        let verified = Untrusted::new(signed).verify(authority, &version)?;
        let newest = self.newest.map(|seen| seen.signed.head);
        if newest.is_some_and(|seen| seen.version == version && seen != signed.head) {
            return Err(self.fork(signed, Past::Own));
        }
        Ok(verified)
    }

    /// Returns the head of version 0 for an answer that contains no head. Rejects every other
    /// `version`.
    fn head_of_nothing(
        &self,
        version: Version,
    ) -> Result<Verified<SnapshotHead<F::Suite>>, RefusalOf<F>> {
        if version != Version::EMPTY {
            let (expected, actual) = (version, Version::EMPTY);
            return Err(VerifyError::WrongVersion { expected, actual }.into());
        }
        let empty = Untrusted::new(EmptyDictionary::new());
        Ok(empty.verify(self.public.authority(), &())?)
    }
}

/// Checks the envelope and length of `answer`, at most [`Question::longest_answer`] bytes. Returns
/// the body of the response.
fn response_body<'a, F: Answers<Q>, Q: Question>(
    answer: &'a [u8],
    question: &Q,
) -> Result<&'a [u8], DecodeError> {
    let kind = <Response<F::Suite, F::Proof> as Message>::KIND;
    codec::open(answer, kind, F::Suite::ID.0, question.longest_answer())
}
