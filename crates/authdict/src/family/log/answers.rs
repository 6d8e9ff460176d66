//! Encoding of a log's answers as messages, and their verification.

use pad_accumulators::wire::{self, Wire};
use pad_core::{
    DecodeError, Key, LookupError, Proof, Repository as _, Sha256Ed25519, SignedHead, Untrusted,
    VerifyError, Version, codec, internals::EmptyDictionary,
};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, AppendOnlyProof, Entry, Grown, Growth,
    InclusionProof, LONGEST_GROWTH, LONGEST_LOOKUP, LogRepository, LogRoot, LookupScheme, Scheme,
    internals::{Contents, proof::KIND_INCLUSION},
};

use super::{Head, LogReader};
use crate::question::{Refusal, Statement};

/// The author's signed head of a version; `None` for version 0.
pub(super) type OptionalHead = Option<SignedHead<Sha256Ed25519>>;

/// A log scheme, with the statement that its lookup proofs establish.
pub(super) trait QueryableScheme: LookupScheme {
    /// Converts the statement of a lookup proof.
    fn stated(proved: <Self::Lookup as Proof>::Statement) -> Statement;
}

macro_rules! stated {
    ($($scheme:ty => $statement:ident;)+) => { $(
        impl QueryableScheme for $scheme {
            fn stated(proved: <Self::Lookup as Proof>::Statement) -> Statement {
                Statement::$statement(proved)
            }
        }
    )+ };
}

stated! {
    AadCounted => Values;
    AadFrontier => Values;
    AasCounted => Absent;
    AasFrontier => Absent;
}

/// Proves the answer to a lookup of a key in a version: all values of a key of a dictionary, or
/// whether a member of a set is present or absent.
pub(super) fn prove_lookup<S: LookupScheme>(
    repository: &LogRepository<S>,
    version: Version,
    key: &Key,
) -> Result<ProofBody, LookupError> {
    if S::CONTENTS == Contents::Set {
        match repository.prove_inclusion(version, &Entry::member(key.clone())) {
            Err(LookupError::InvalidQuery) => {}
            included => return Ok(ProofBody::of(&included?)),
        }
    }
    Ok(ProofBody::of(&repository.prove(version, key)?))
}

impl<S: QueryableScheme> LogReader<S> {
    /// Verifies the answer to a lookup of a key, and returns the verified statement. Only a set
    /// proves by inclusion that a member is present.
    pub(super) fn check_lookup(
        &self,
        version: Version,
        key: &Key,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        match self.check_answer::<S::Lookup>((version, key), answer, LONGEST_LOOKUP) {
            Err(Refusal::Decode(DecodeError::WrongKind {
                actual: KIND_INCLUDED,
                ..
            })) if S::CONTENTS == Contents::Set => {
                let entry = Entry::member(key.clone());
                let asked = (version, &entry);
                let included =
                    self.check_answer::<InclusionProof<S>>(asked, answer, LONGEST_LOOKUP);
                included.map(Statement::Included)
            }
            found => found.map(S::stated),
        }
    }
}

/// A proof of any kind, encoded as the body of a message, with the number of its kind.
pub(super) struct ProofBody {
    kind: u8,
    bytes: Vec<u8>,
}

impl ProofBody {
    pub(super) fn of<P: Wire>(proof: &P) -> Self {
        let bytes = wire::encode_body(proof);
        Self {
            kind: P::KIND,
            bytes,
        }
    }

    /// Encodes an answer: the signed heads, followed by the proof.
    pub(super) fn answer<S: Scheme>(self, heads: &[OptionalHead]) -> Vec<u8> {
        let mut message = codec::envelope(self.kind + ABOVE_PROOF, S::ID.0);
        for head in heads {
            message.extend(codec::encode_body(head));
        }
        message.extend(self.bytes);
        message
    }
}

/// Decodes the heads and the proof in an answer of at most `longest` + [`LONGEST_HEADS`] bytes.
fn decode<P: Wire<Context = ()>, const HEADS: usize>(
    message: &[u8],
    longest: usize,
) -> Result<([OptionalHead; HEADS], Untrusted<P>), DecodeError> {
    let longest = longest.saturating_add(LONGEST_HEADS);
    let mut body = codec::open(message, P::KIND + ABOVE_PROOF, P::SCHEME, longest)?;
    let mut heads = [None; HEADS];
    for head in &mut heads {
        *head = codec::decode_start(body)?;
        // Non-canonical encodings of a head are refused.
        let rest = body.strip_prefix(&*codec::encode_body(head));
        body = rest.ok_or(DecodeError::NonCanonical)?;
    }
    let proof = wire::decode_body(&(), body)?;
    Ok((heads, Untrusted::new(proof)))
}

impl<S: Scheme> LogReader<S> {
    /// Verifies an answer to `query` about `version`, and returns the proved statement. The answer
    /// may have at most `longest` + [`LONGEST_HEADS`] bytes.
    pub(super) fn check_answer<P>(
        &self,
        (version, query): (Version, &P::Query),
        answer: &[u8],
        longest: usize,
    ) -> Result<P::Statement, Refusal>
    where
        P: Proof<Commitment = LogRoot<S>, Error = VerifyError> + Wire<Context = ()>,
    {
        let ([head], proof) = decode::<P, 1>(answer, longest)?;
        let at = self.log.at(&self.head(head, version)?)?;
        Ok(proof.verify(&at, query)?.into_inner())
    }

    /// Verifies `answer`: the heads of two versions of a log, and the proof that version `newer`
    /// contains all entries of version `older`.
    pub(super) fn check_grown(
        &self,
        [older, newer]: [Version; 2],
        answer: &[u8],
    ) -> Result<Grown, Refusal> {
        let (heads, proof) = decode::<AppendOnlyProof<S>, 2>(answer, LONGEST_GROWTH)?;
        let [old, new] = heads;
        let (old, new) = (self.head(old, older)?, self.head(new, newer)?);
        let growth = Growth::new(self.log.at(&old)?, self.log.at(&new)?)?;
        Ok(proof.verify(&growth, &())?.into_inner())
    }

    /// Verifies the signed head of a version. For the newest version seen, the head must equal the
    /// head seen. Only version 0 has no signed head.
    pub(super) fn head(&self, signed: OptionalHead, version: Version) -> Result<Head, VerifyError> {
        let authority = &self.authority;
        match signed {
            Some(signed) => {
                let verified = Untrusted::new(signed).verify(authority, &version)?;
                match self.seen {
                    Some(seen) if seen.head.version == version && seen.head != signed.head => {
                        Err(VerifyError::Fork(version))
                    }
                    _ => Ok(verified),
                }
            }
            None if version == Version::EMPTY => {
                Untrusted::new(EmptyDictionary::new()).verify(authority, &())
            }
            None => {
                let (expected, actual) = (version, Version::EMPTY);
                Err(VerifyError::WrongVersion { expected, actual })
            }
        }
    }
}

/// The difference between two message kinds: the number of an answer's kind minus the number of its
/// proof's kind. All families use this difference.
const ABOVE_PROOF: u8 = 16;

const KIND_INCLUDED: u8 = KIND_INCLUSION + ABOVE_PROOF;

/// An upper bound on the length of the two encoded heads in an answer, in bytes.
const LONGEST_HEADS: usize = 1 << 10;

/// The maximum length of a log's answer that a client reads, in bytes.
pub(crate) const LONGEST_ANSWER: usize = LONGEST_LOOKUP + LONGEST_HEADS;
