//! Designs in which every tuple is signed.

use core::marker::PhantomData;

use pad_core::{ApplyError, SchemeId, SignedHead, Suite, VerifyError, Version, Workers, codec};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    design::{
        Admission, AuthorError, Claim, Design, Expectation, SharedSigner, TupleId, UnsignedSnapshot,
    },
    layers::{Layers, Live, index},
    statement::{Context, Statement},
    tuple::TupleView,
    update::{EpochExtension, count},
};

mod aggregate;
#[cfg(feature = "bls")]
mod bls;
mod divide;
mod lightweight;
mod plain;
mod scheme;
mod superseding;

#[cfg(feature = "bls")]
pub use bls::{Bls, BlsSecret};
pub use lightweight::{Lightweight, LightweightItem};
pub use plain::Plain;
pub use scheme::{Ed25519, TupleSignature};
pub use superseding::{Superseding, Validity};

/// Signs a message as the author.
pub type Sign<'a, G> =
    &'a dyn Fn(&[u8]) -> Result<<G as TupleSignature>::Signature, signature::Error>;

/// How signatures stay valid while their tuple stays the same.
///
/// Source: Crosby & Wallach 2010, sections 4.1 and 4.2.
pub trait Refresh<S: Suite>: Clone + core::fmt::Debug + Eq + Send + Sync + 'static {
    /// The number of this refresh in scheme ids.
    const CODE: u16;
    /// What the author must know beyond its signing key.
    type Secret: Send + Sync;
    /// What the author remembers of each tuple.
    type State: Clone + core::fmt::Debug + Default + Send + Sync;
    /// What an update carries for each tuple.
    type Item<G: TupleSignature>: Clone
        + core::fmt::Debug
        + Eq
        + Send
        + Sync
        + Serialize
        + DeserializeOwned;
    /// What the server keeps of each tuple.
    type Record<G: TupleSignature>: Clone
        + core::fmt::Debug
        + Send
        + Sync
        + Serialize
        + DeserializeOwned;
    /// What a proof shows of each tuple beside the signature.
    type Shown: Clone + core::fmt::Debug + Eq + Serialize + DeserializeOwned;

    /// Signs a tuple at an instant, or keeps an earlier signature valid. `statement` says since when
    /// the tuple is there, and has the instant as its end.
    ///
    /// # Errors
    /// The signer's.
    fn issue<G: TupleSignature>(
        secret: &Self::Secret,
        context: Context,
        statement: Statement<S>,
        state: &mut Self::State,
        sign: Sign<'_, G>,
    ) -> Result<Self::Item<G>, signature::Error>;

    /// Appends an injective encoding of an item, one of fixed width or with a tag.
    fn absorb<G: TupleSignature>(item: &Self::Item<G>, bytes: &mut Vec<u8>);

    /// Whether an item can follow what is recorded: `None` for a new tuple.
    fn fits<G: TupleSignature>(record: Option<&Self::Record<G>>, item: &Self::Item<G>) -> bool;

    /// The record after an item that fits.
    fn record<G: TupleSignature>(
        record: Option<Self::Record<G>>,
        item: &Self::Item<G>,
        instant: u64,
    ) -> Self::Record<G>;

    /// What proves that the tuple was there at an instant; `None` if the record has nothing for it.
    fn show<G: TupleSignature>(
        record: &Self::Record<G>,
        instant: u64,
    ) -> Option<(Self::Shown, G::Signature)>;

    /// How many steps of a chain finding the statement takes, if what is shown covers the instant
    /// claimed. Hashes nothing.
    ///
    /// # Errors
    /// [`VerifyError::OutsideValidity`], [`VerifyError::ChainTooLong`].
    fn steps(shown: &Self::Shown, claim: &Claim<S>) -> Result<u32, VerifyError>;

    /// What the author must have signed for the claim to be true.
    ///
    /// # Errors
    /// Those of [`Refresh::steps`], before anything is hashed.
    fn statement(shown: &Self::Shown, claim: &Claim<S>) -> Result<Statement<S>, VerifyError>;

    /// The instant since which a recorded tuple is there, and the author's state of it; what it cannot
    /// go on from, the next instant signs anew.
    fn resume<G: TupleSignature>(record: &Self::Record<G>) -> (u64, Self::State);

    /// The bytes that a record takes beyond its own size.
    fn heap_bytes<G: TupleSignature>(_: &Self::Record<G>) -> usize {
        0
    }
}

/// Every tuple signed with `G`, kept fresh by `R`, in `GENERATIONS` generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed<G, R, const GENERATIONS: usize>(PhantomData<(G, R)>);

/// What the author of a signed design remembers of a tuple.
#[derive(Clone, Debug)]
pub struct SignedTupleState<S: Suite, State> {
    /// The tuple's digest, and since when it is there; `None` before it is first signed.
    known: Option<(S::Digest, u64)>,
    state: State,
}

impl<S: Suite, State: Default> Default for SignedTupleState<S, State> {
    fn default() -> Self {
        Self {
            known: None,
            state: State::default(),
        }
    }
}

/// What an update says of one generation: one item for each of its tuples, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedExtension<S: Suite, G: TupleSignature, R: Refresh<S>> {
    items: Vec<R::Item<G>>,
}

impl<S: Suite, G: TupleSignature, R: Refresh<S>> EpochExtension for SignedExtension<S, G, R> {
    fn absorb(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&count(self.items.len()));
        for item in &self.items {
            R::absorb(item, bytes);
        }
    }
}

/// What a proof shows of one tuple.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedEvidence<S: Suite, G: TupleSignature, R: Refresh<S>> {
    /// What the signature says beyond the tuple.
    pub shown: R::Shown,
    /// The signature.
    pub signature: G::Signature,
}

/// The records of all tuples, by number.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedRecords<S: Suite, G: TupleSignature, R: Refresh<S>>(Vec<Option<R::Record<G>>>);

impl<S, G, R, const GENERATIONS: usize> Design<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    const GENERATIONS: usize = GENERATIONS;
    const SCHEME: SchemeId = scheme::id(G::CODE, R::CODE, GENERATIONS);
    const NAME: &'static str = scheme::name(G::CODE, R::CODE, GENERATIONS);

    type Key = G::Key;
    type Secret = (G::Secret, R::Secret);
    type TupleState = SignedTupleState<S, R::State>;
    type State = ();
    type Extension = SignedExtension<S, G, R>;
    type Records = SignedRecords<S, G, R>;
    type Evidence = SignedEvidence<S, G, R>;
    type Seal = ();

    fn key((secret, _): &Self::Secret) -> G::Key {
        G::key(secret)
    }

    fn is_key_of((secret, _): &Self::Secret, key: &G::Key) -> bool {
        G::key(secret) == *key
    }

    fn state(_: &Self::Secret, _: Context) {}

    fn records(_: &G::Key, _: Context) -> Self::Records {
        SignedRecords(Vec::new())
    }

    fn authenticate(
        (signing, refreshing): &Self::Secret,
        signer: SharedSigner<'_>,
        (): &mut (),
        snapshot: UnsignedSnapshot<'_, S, Self::TupleState>,
    ) -> Result<Vec<Self::Extension>, AuthorError> {
        let UnsignedSnapshot {
            context,
            layers,
            transition,
            workers,
        } = snapshot;
        let sign = |message: &[u8]| G::sign(signing, signer, message);
        let mut extensions = Vec::with_capacity(transition.changes.len());
        for generation in 0..transition.changes.len() {
            let instant = layers.instant(generation);
            let epochs = layers.epochs().to_vec();
            let epochs = if generation == 0 { &*epochs } else { &[] };
            let mut tuples: Vec<_> = with_upper(layers.generation_mut(generation)).collect();
            let issue = |(lower, upper, live): &mut TupleMut<'_, S, Self::TupleState>| {
                let Live { content, note } = &mut **live;
                let (tuple, since) = *note.known.get_or_insert_with(|| {
                    let view = TupleView {
                        generation: index(generation),
                        epochs,
                        lower: lower.as_bytes(),
                        upper: upper.map(pad_core::Key::as_bytes),
                        content: content.summary(),
                    };
                    (view.digest::<S>(), instant)
                });
                let statement = Statement {
                    generation: index(generation),
                    since,
                    until: instant,
                    tuple,
                    anchor: None,
                };
                R::issue::<G>(refreshing, context, statement, &mut note.state, &sign)
            };
            let items: Result<Vec<_>, signature::Error> =
                if workers.threads() > 1 && tuples.len() >= PARALLEL_TUPLES {
                    workers.run(|| tuples.par_iter_mut().with_min_len(8).map(issue).collect())
                } else {
                    tuples.iter_mut().map(issue).collect()
                };
            extensions.push(SignedExtension { items: items? });
        }
        Ok(extensions)
    }

    fn admit(
        _: &G::Key,
        records: &mut Self::Records,
        admission: &Admission<'_, S, Self::Extension>,
        _: &Workers,
    ) -> Result<(), ApplyError> {
        let Admission {
            layers,
            transition,
            extensions,
            ..
        } = admission;
        if extensions.len() != transition.changes.len() {
            return Err(ApplyError::AttachmentMismatch);
        }
        let moved = || layers.generations().iter().zip(*extensions);
        if !records.fit(layers, extensions) {
            return Err(ApplyError::AttachmentMismatch);
        }
        for (generation, (tuples, extension)) in moved().enumerate() {
            let instant = layers.instant(generation);
            for (live, item) in tuples.values().zip(&extension.items) {
                let slot = records.slot(live.note);
                *slot = Some(R::record(slot.take(), item, instant));
            }
        }
        Ok(())
    }

    fn evidence(
        records: &Self::Records,
        _: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<Self::Evidence> {
        let (shown, signature) = R::show(records.get(tuple)?, instant)?;
        Some(SignedEvidence { shown, signature })
    }

    fn seal(_: &Self::Records, _: &SignedHead<S>, _: usize) -> Option<()> {
        Some(())
    }

    fn store(records: &Self::Records) -> Vec<u8> {
        codec::encode_body(records)
    }

    fn restore(_: &G::Key, _: Context, stored: &[u8]) -> Option<Self::Records> {
        codec::decode_body(stored).ok()
    }

    fn forget(records: &mut Self::Records, _: Version, tuples: &[TupleId]) {
        for tuple in tuples {
            *records.slot(*tuple) = None;
        }
    }

    fn memory_bytes(records: &Self::Records) -> usize {
        let own = records.0.len() * size_of::<Option<R::Record<G>>>();
        own + records.0.iter().flatten().map(R::heap_bytes).sum::<usize>()
    }

    fn resume(
        _: &Self::Secret,
        _: Context,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
        _: &Workers,
    ) -> Result<(Layers<S, Self::TupleState>, ()), AuthorError> {
        let layers = layers.map(|view, tuple| match records.get(*tuple) {
            Some(record) => {
                let (since, state) = R::resume(record);
                let known = Some((view.digest::<S>(), since));
                SignedTupleState { known, state }
            }
            None => SignedTupleState::default(),
        });
        Ok((layers, ()))
    }

    fn check(
        expectation: &Expectation<G::Key>,
        claims: &[Claim<S>],
        evidence: Vec<Self::Evidence>,
        (): (),
    ) -> Result<(), VerifyError> {
        let context = expectation.context();
        let signed = claims.iter().zip(&evidence).map(|(claim, evidence)| {
            let statement = R::statement(&evidence.shown, claim)?;
            Ok((statement.signed_bytes(context), evidence.signature))
        });
        G::verify_each(
            expectation,
            &signed.collect::<Result<Vec<_>, VerifyError>>()?,
        )
    }
}

impl<S: Suite, G: TupleSignature, R: Refresh<S>> SignedRecords<S, G, R> {
    fn get(&self, tuple: TupleId) -> Option<&R::Record<G>> {
        self.0.get(tuple.position())?.as_ref()
    }

    /// Whether there is an item for each tuple that can follow what is recorded.
    fn fit(&self, layers: &Layers<S, TupleId>, extensions: &[SignedExtension<S, G, R>]) -> bool {
        layers
            .generations()
            .iter()
            .zip(extensions)
            .all(|(tuples, extension)| {
                let mut each = tuples.values().zip(&extension.items);
                tuples.len() == extension.items.len()
                    && each.all(|(live, item)| R::fits(self.get(live.note), item))
            })
    }

    fn slot(&mut self, tuple: TupleId) -> &mut Option<R::Record<G>> {
        let position = tuple.position();
        if self.0.len() <= position {
            self.0.resize_with(position + 1, || None);
        }
        &mut self.0[position]
    }
}

type TupleMut<'a, S, M> = (
    &'a pad_core::Key,
    Option<&'a pad_core::Key>,
    &'a mut Live<S, M>,
);

/// The tuples of a generation with their upper ends.
fn with_upper<S: Suite, M>(
    tuples: &mut crate::layers::Generation<S, M>,
) -> impl Iterator<Item = TupleMut<'_, S, M>> {
    let mut rest = tuples.iter_mut().peekable();
    core::iter::from_fn(move || {
        let (lower, live) = rest.next()?;
        let upper = rest.peek().map(|(upper, _)| *upper);
        Some((lower, upper, live))
    })
}

/// Generations with fewer tuples than this are signed by the calling thread.
const PARALLEL_TUPLES: usize = 32;
