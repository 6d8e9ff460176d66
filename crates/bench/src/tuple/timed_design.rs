//! A design that notes how long it takes to authenticate, admit and check.

use std::{cell::Cell, collections::BTreeMap, marker::PhantomData};

use pad_core::{ApplyError, SchemeId, SignedHead, Suite, VerifyError, Version, Workers};
use pad_tuple::{
    AuthorError, Design, Expectation, TupleScheme,
    design::{Admission, Resumed, SharedSigner, TupleId, UnsignedSnapshot},
    layers::Layers,
    scheme::Claim,
    statement::Context,
    update::TupleAttachment,
};

use crate::cryptography::accumulated;

/// The design `D`, timed as a whole: for accumulators, beside which the digests of the tuples are
/// nothing. Same keys, same messages, same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedDesign<D>(PhantomData<D>);

impl<S: Suite, D: TupleScheme<S>> TupleScheme<S> for TimedDesign<D> {
    const GENERATIONS: usize = D::GENERATIONS;
    const SCHEME: SchemeId = D::SCHEME;
    const NAME: &'static str = D::NAME;

    type Key = D::Key;
    type Evidence = D::Evidence;
    type Seal = D::Seal;

    fn opened_root(seal: &D::Seal) -> Option<S::Digest> {
        D::opened_root(seal)
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

    fn key(secret: &D::Secret) -> D::Key {
        D::key(secret)
    }

    fn is_key_of(secret: &D::Secret, key: &D::Key) -> bool {
        D::is_key_of(secret, key)
    }

    fn state(secret: &D::Secret, context: Context) -> D::State {
        D::state(secret, context)
    }

    fn records(key: &D::Key, context: Context) -> D::Records {
        D::records(key, context)
    }

    fn authenticate(
        secret: &D::Secret,
        signer: SharedSigner<'_>,
        state: &mut D::State,
        snapshot: UnsignedSnapshot<'_, S, D::TupleState>,
    ) -> Result<Vec<D::Extension>, AuthorError> {
        accumulated(|| D::authenticate(secret, signer, state, snapshot))
    }

    fn attachment_digest(attachment: &TupleAttachment<D::Extension>) -> S::Digest {
        D::attachment_digest(attachment)
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
        WITNESSES.set(WITNESSES.get() + tuples);
        accumulated(|| D::admit(key, records, admission, workers))
    }

    fn evidence(
        records: &D::Records,
        generation: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<D::Evidence> {
        D::evidence(records, generation, instant, tuple)
    }

    fn seal(records: &D::Records, head: &SignedHead<S>, shown: usize) -> Option<D::Seal> {
        D::seal(records, head, shown)
    }

    fn store(records: &D::Records) -> Vec<u8> {
        D::store(records)
    }

    fn restore(key: &D::Key, context: Context, stored: &[u8]) -> Option<D::Records> {
        D::restore(key, context, stored)
    }

    fn forget(records: &mut D::Records, oldest: Version, tuples: &[TupleId]) {
        D::forget(records, oldest, tuples);
    }

    fn memory_bytes(records: &D::Records) -> usize {
        D::memory_bytes(records)
    }

    fn resume(
        secret: &D::Secret,
        context: Context,
        records: &D::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<Resumed<S, Self>, AuthorError> {
        D::resume(secret, context, records, layers)
    }
}

/// The witnesses that servers on this thread needed since this was asked last: one for each tuple of a generation whose
/// clock moved.
pub fn take_witnesses() -> usize {
    WITNESSES.replace(0)
}

thread_local! {
    static WITNESSES: Cell<usize> = const { Cell::new(0) };
}
