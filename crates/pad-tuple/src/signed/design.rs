//! Designs with signed tuples: the implementation for authors and servers.

use pad_core::{
    ApplyError, Key, SignedHead, Suite, VerifyError, Version, Workers, codec,
    internals::for_each_piece,
};
use serde::{Deserialize, Serialize};

use super::{Refresh, Signed, SignedEvidence, TupleSignature};
use crate::{
    design::{
        Admission, AggregateDesign, AuthorError, Design, Placed, SharedSigner, TupleId,
        UnsignedSnapshot,
    },
    layers::{Generation, Layers, Live},
    scheme::{Expectation, TupleScheme},
    statement::{Context, TupleStatement},
    tuple::{TupleView, generation_index},
    update::{EpochExtension, count},
};

/// The data that an author stores with each tuple in a signed design.
#[derive(Clone, Debug, Default)]
pub struct SignedTupleState<S: Suite, State> {
    /// The tuple's digest and creation instant; `None` before the first attempt to sign it.
    known: Option<(S::Digest, u64)>,
    state: State,
}

/// The part of an update for one generation of a signed design: a signature or chain link for each
/// tuple, in ascending order of keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedExtension<S: Suite, G: TupleSignature, R: Refresh<S>> {
    pub(super) items: Vec<R::Item<G>>,
}

impl<S: Suite, G: TupleSignature, R: Refresh<S>> EpochExtension for SignedExtension<S, G, R> {
    fn absorb(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&count(self.items.len()));
        for item in &self.items {
            R::absorb(item, bytes);
        }
    }
}

/// The server's data for proving tuples: for each tuple, by its number, its signatures and links.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SignedRecords<S: Suite, G: TupleSignature, R: Refresh<S>>(Vec<Option<R::Record<G>>>);

impl<S, G, R, const GENERATIONS: usize> Design<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    type Secret = (G::Secret, R::Secret);
    type TupleState = SignedTupleState<S, R::State>;
    type State = ();
    type Extension = SignedExtension<S, G, R>;
    type Records = SignedRecords<S, G, R>;

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
        let issue = |statement, state: &mut R::State| {
            R::issue::<G>(refreshing, context, statement, state, &sign)
        };
        let extensions = (0..transition.changes.len()).map(|generation| {
            let items = issue_each(layers, generation, workers, issue)?;
            Ok(SignedExtension { items })
        });
        Ok(extensions.collect::<Result<_, signature::Error>>()?)
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

    fn require_vouched(
        expectation: &Expectation<G::Key>,
        _: &SignedHead<S>,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<(), VerifyError> {
        let claims: Vec<_> = layers.claims().collect();
        claims.chunks(VERIFIED_TOGETHER).try_for_each(|piece| {
            let evidence = piece.iter().map(|(claim, tuple)| {
                Self::evidence(records, 0, claim.instant, **tuple).ok_or(VerifyError::CountMismatch)
            });
            let evidence = evidence.collect::<Result<_, _>>()?;
            let claims: Vec<_> = piece.iter().map(|(claim, _)| *claim).collect();
            Self::check(expectation, &claims, evidence, ())
        })
    }

    fn resume(
        _: &Self::Secret,
        _: Context,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
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
}

impl<S, G, R, const GENERATIONS: usize> AggregateDesign<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
{
    fn gather(
        records: &SignedRecords<S, G, R>,
        _: Version,
        tuples: &[Placed],
    ) -> Option<(Vec<R::TupleData>, G::Aggregate)> {
        let shown = tuples
            .iter()
            .map(|placed| R::show(records.get(placed.tuple)?, placed.instant));
        let shown: Vec<_> = shown.collect::<Option<_>>()?;
        let (shown, signatures) = shown.into_iter().unzip();
        Some((shown, G::aggregate(signatures)))
    }
}

impl<S: Suite, G: TupleSignature, R: Refresh<S>> SignedRecords<S, G, R> {
    pub(crate) fn get(&self, tuple: TupleId) -> Option<&R::Record<G>> {
        self.0.get(tuple.position())?.as_ref()
    }

    /// Returns whether `extensions` contain an item for each tuple, and each item can be added to
    /// the tuple's record.
    pub(super) fn fit(
        &self,
        layers: &Layers<S, TupleId>,
        extensions: &[SignedExtension<S, G, R>],
    ) -> bool {
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

    pub(crate) fn slot(&mut self, tuple: TupleId) -> &mut Option<R::Record<G>> {
        let position = tuple.position();
        if self.0.len() <= position {
            self.0.resize_with(position + 1, || None);
        }
        &mut self.0[position]
    }
}

/// Authenticates all tuples of a generation at its latest instant. Returns an item of the update
/// for each tuple, in ascending order. `issue` computes an item from the statement to be signed and
/// the author's state of the tuple.
fn issue_each<S: Suite, State, Item: Send>(
    layers: &mut Layers<S, SignedTupleState<S, State>>,
    generation: usize,
    workers: &Workers,
    issue: impl Fn(TupleStatement<S>, &mut State) -> Result<Item, signature::Error> + Sync,
) -> Result<Vec<Item>, signature::Error>
where
    State: Clone + Default + Send + Sync,
{
    let (index, instant) = (generation_index(generation), layers.instant(generation));
    let epochs = layers.epochs().to_vec();
    let issue = |(lower, upper, live): TupleMut<'_, S, SignedTupleState<S, State>>| {
        let Live { content, note } = live;
        let (tuple, since) = *note.known.get_or_insert_with(|| {
            let view = TupleView::new(generation, &epochs, (lower, upper), content.summary());
            (view.digest::<S>(), instant)
        });
        let statement = TupleStatement {
            generation: index,
            since,
            until: instant,
            tuple,
            anchor: None,
        };
        issue(statement, &mut note.state)
    };
    let tuples = layers.generation_mut(generation);
    let is_small = tuples.len() < PARALLEL_TUPLES;
    let tuples = with_upper(tuples);
    if workers.threads() == 1 || is_small {
        return tuples.map(issue).collect();
    }
    let mut tuples: Vec<_> = tuples.map(|tuple| (Some(tuple), None)).collect();
    workers.run(|| {
        for_each_piece(&mut tuples, 8, &|_, tuples| {
            for (tuple, item) in tuples {
                *item = tuple.take().map(&issue);
            }
        });
    });
    tuples.into_iter().filter_map(|(_, item)| item).collect()
}

type TupleMut<'a, S, M> = (&'a Key, Option<&'a Key>, &'a mut Live<S, M>);

/// Returns the tuples of a generation, each with its lower and its upper end.
fn with_upper<S: Suite, M>(
    tuples: &mut Generation<S, M>,
) -> impl Iterator<Item = TupleMut<'_, S, M>> {
    let mut rest = tuples.iter_mut().peekable();
    core::iter::from_fn(move || {
        let (lower, live) = rest.next()?;
        let upper = rest.peek().map(|(upper, _)| *upper);
        Some((lower, upper, live))
    })
}

/// The maximum number of signatures that are verified in one batch.
pub(crate) const VERIFIED_TOGETHER: usize = 64;

/// Minimum number of tuples of a generation for which several threads sign the tuples.
const PARALLEL_TUPLES: usize = 32;
