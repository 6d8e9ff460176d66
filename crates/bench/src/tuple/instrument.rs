//! Tuple signatures that count and time themselves, and a tuple design whose functions for
//! authenticating, admitting and checking tuples time themselves.

use std::{cell::Cell, collections::BTreeMap, hint::black_box, marker::PhantomData};

use pad_core::{ApplyError, SchemeId, SignedHead, Suite, VerifyError, Version, Workers};
use pad_tuple::{
    AuthorError, Expectation, TupleScheme,
    internals::{
        Admission, Attested, Claim, Context, Design, Layers, Resumed, SharedSigner,
        SignatureScheme, TupleAttachment, TupleId, TupleSignature, UnsignedSnapshot, chain,
    },
};

use crate::{
    counting::CountingSuite,
    cryptography::{accumulated, timed},
    timing::Effort,
};

/// Tuple signature scheme `G` whose signatures are counted and timed. Keys, signatures and
/// identifiers are equal to those of `G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedScheme<G>(PhantomData<G>);

impl<G: SignatureScheme> SignatureScheme for TimedScheme<G> {
    const CODE: u16 = G::CODE;
    type Key = G::Key;
    type Signature = G::Signature;
    type Aggregate = G::Aggregate;

    fn verify_each(
        expectation: &Expectation<G::Key>,
        signed: &[(Vec<u8>, G::Signature)],
    ) -> Result<(), VerifyError> {
        timed(signed.len(), || G::verify_each(expectation, signed))
    }

    fn verify_all(
        expectation: &Expectation<G::Key>,
        messages: Vec<Vec<u8>>,
        aggregate: G::Aggregate,
    ) -> Result<(), VerifyError> {
        timed(messages.len(), || {
            G::verify_all(expectation, messages, aggregate)
        })
    }
}

impl<G: TupleSignature> TupleSignature for TimedScheme<G> {
    type Secret = G::Secret;

    fn key(secret: &G::Secret) -> G::Key {
        G::key(secret)
    }

    fn sign(
        secret: &G::Secret,
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<G::Signature, signature::Error> {
        timed(1, || G::sign(secret, signer, message))
    }

    fn aggregate(signatures: Vec<G::Signature>) -> G::Aggregate {
        timed(signatures.len(), || G::aggregate(signatures))
    }
}

/// Suite of hash and signature of all measured tuple dictionaries.
pub type PlainSuite = pad_core::Sha256Ed25519;

/// [`PlainSuite`] with a hash function that counts its calls.
pub type CountedSuite = CountingSuite<PlainSuite>;

/// Measures the nanoseconds of one step of a hash chain. Each step hashes the result of the
/// previous step.
pub fn chain_step_ns(effort: &Effort) -> f64 {
    let start = PlainSuite::value(b"start");
    effort.primitive_ns(|calls| {
        black_box(chain::walk::<PlainSuite>(start, &start, calls));
    })
}

/// Defines functions that call those of `D`, without timing them.
macro_rules! as_it_is {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name($($argument: $type),*) -> $result {
            D::$name($($argument),*)
        }
    )*};
}

/// Design `D` whose functions are timed as a whole. They also compute the digests of tuples, which
/// takes little time compared with accumulators. Keys, messages and identifiers are equal to those
/// of `D`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedDesign<D>(PhantomData<D>);

impl<S: Suite, D: TupleScheme<S>> TupleScheme<S> for TimedDesign<D> {
    const GENERATIONS: usize = D::GENERATIONS;
    const SCHEME: SchemeId = D::SCHEME;
    const NAME: &'static str = D::NAME;

    type Key = D::Key;
    type Evidence = D::Evidence;
    type Seal = D::Seal;

    as_it_is! {
        attested(evidence: &D::Evidence) -> Attested<S>;
        opened_root(seal: &D::Seal) -> Option<S::Digest>;
    }

    fn check(
        expectation: &Expectation<D::Key>,
        claims: &[Claim<S>],
        evidence: Vec<D::Evidence>,
        seal: D::Seal,
    ) -> Result<(), VerifyError> {
        accumulated(|| D::check(expectation, claims, evidence, seal))
    }
}

impl<S: Suite, D: Design<S>> Design<S> for TimedDesign<D> {
    type Secret = D::Secret;
    type TupleState = D::TupleState;
    type State = D::State;
    type Extension = D::Extension;
    type Records = D::Records;

    as_it_is! {
        key(secret: &D::Secret) -> D::Key;
        is_key_of(secret: &D::Secret, key: &D::Key) -> bool;
        state(secret: &D::Secret, context: Context) -> D::State;
        records(key: &D::Key, context: Context) -> D::Records;
        attachment_digest(attachment: &TupleAttachment<D::Extension>) -> S::Digest;
        evidence(
            records: &D::Records,
            generation: usize,
            instant: u64,
            tuple: TupleId
        ) -> Option<D::Evidence>;
        seal(records: &D::Records, head: &SignedHead<S>, shown: usize) -> Option<D::Seal>;
        store(records: &D::Records) -> Vec<u8>;
        restore(key: &D::Key, context: Context, stored: &[u8]) -> Option<D::Records>;
        memory_bytes(records: &D::Records) -> usize;
        require_vouched(
            expectation: &Expectation<D::Key>,
            head: &SignedHead<S>,
            records: &D::Records,
            layers: &Layers<S, TupleId>
        ) -> Result<(), VerifyError>;
        resume(
            secret: &D::Secret,
            context: Context,
            records: &D::Records,
            layers: &Layers<S, TupleId>
        ) -> Result<Resumed<S, Self>, AuthorError>;
    }

    fn authenticate(
        secret: &D::Secret,
        signer: SharedSigner<'_>,
        state: &mut D::State,
        snapshot: UnsignedSnapshot<'_, S, D::TupleState>,
    ) -> Result<Vec<D::Extension>, AuthorError> {
        accumulated(|| D::authenticate(secret, signer, state, snapshot))
    }

    fn admit(
        key: &D::Key,
        records: &mut D::Records,
        admission: &Admission<'_, S, D::Extension>,
        workers: &Workers,
    ) -> Result<(), ApplyError> {
        let moved = admission
            .layers
            .generations()
            .iter()
            .take(admission.extensions.len());
        let tuples: usize = moved.map(BTreeMap::len).sum();
        let changes = admission.transition.changes.iter();
        let created: usize = changes.map(|change| change.created.len()).sum();
        let [witnesses, new] = COUNTS.get();
        COUNTS.set([witnesses + tuples, new + created]);
        accumulated(|| D::admit(key, records, admission, workers))
    }

    fn forget(records: &mut D::Records, oldest: Version, tuples: &[TupleId]) {
        D::forget(records, oldest, tuples);
    }
}

/// Returns the numbers of witnesses that servers on this thread have needed, and of tuples that
/// were new to their generation, since the last call. A server needs one witness for each tuple of
/// the generations that an update extends.
pub fn take_counts() -> [usize; 2] {
    COUNTS.replace([0; 2])
}

thread_local! {
    static COUNTS: Cell<[usize; 2]> = const { Cell::new([0; 2]) };
}
