//! The server's accumulators: for each generation the set of tuples, and for each tuple its
//! witnesses.
//!
//! An update contains neither accumulator values nor witnesses, because the server knows every
//! tuple. If the clock of a generation moved, the server computes the witnesses of all tuples of
//! this generation, and from the witnesses the accumulator value. Computing the value takes one
//! short power for RSA, and one multi-scalar product for bilinear maps.
//!
//! Witnesses are recomputed instead of updated. For RSA, the reason is the number of primes. If an
//! element was removed, updating a witness takes a power with an exponent as long as all changed
//! primes. Recomputing one of `n` witnesses takes a power with an exponent of `log2(n) / 2` primes.
//! For bilinear maps no such count was made.

use std::collections::HashSet;

use pad_accumulators::{AccumulateError, Dynamic, ElementSet, PublicKey, wire};
use pad_core::{ApplyError, InputError, Suite, VerifyError, Workers};
use serde::{Deserialize, Serialize};

use super::{
    Retention,
    collection::{Collection, Member, label},
};
use crate::{
    design::{Admission, TupleId},
    layers::Layers,
    scheme::Claim,
    statement::Context,
    tuple::generation_index,
};

/// The accumulators of all generations. For each tuple, the ledger contains a proof of type `P` for
/// each retained instant.
#[derive(Clone, Debug)]
pub struct Ledger<S: Suite, A: Dynamic, P> {
    generations: Vec<Generation<A>>,
    records: Vec<Option<Record<S, P>>>,
}

#[derive(Clone, Debug)]
struct Generation<A: Dynamic> {
    key: A::PublicKey,
    collection: Collection<A>,
    /// The tuples whose elements are in the accumulated set.
    live: Vec<TupleId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "P: Serialize", deserialize = "P: Deserialize<'de>"))]
struct Record<S: Suite, P> {
    member: Member<S>,
    kept: Vec<P>,
}

/// The form of a ledger in checkpoints, with a stored form `Q` of each retained proof.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "Q: Serialize", deserialize = "Q: Deserialize<'de>"))]
pub(crate) struct StoredLedger<S: Suite, Q> {
    /// For each generation, the tuples in the accumulated set and the encoded value.
    generations: Vec<(Vec<TupleId>, Vec<u8>)>,
    records: Vec<Option<Record<S, Q>>>,
}

/// The new accumulator and witnesses of a generation, which the server computes when the
/// generation's clock moved.
pub(crate) struct LedgerUpdate<S: Suite, A: Dynamic> {
    pub(crate) collection: Collection<A>,
    /// Each tuple of the generation with its encoded witness.
    witnesses: Vec<(TupleId, Member<S>, Vec<u8>)>,
}

impl<S: Suite, A: Dynamic, P> Ledger<S, A, P> {
    /// Creates a ledger with empty accumulators for `generations` generations.
    pub(crate) fn new(key: &A::PublicKey, context: Context, generations: usize) -> Self {
        let generations = (0..generations).map(|generation| {
            let key = key.with_label(&label::<S>(context, generation_index(generation)));
            let collection = Collection::new(&key);
            let live = Vec::new();
            Generation {
                key,
                collection,
                live,
            }
        });
        Self {
            generations: generations.collect(),
            records: Vec::new(),
        }
    }

    /// Returns the public key of a generation's accumulator.
    pub(crate) fn key(&self, generation: usize) -> &A::PublicKey {
        &self.generations[generation].key
    }

    /// Returns the accumulators of all generations, youngest first.
    pub(crate) fn collections(&self) -> impl Iterator<Item = &Collection<A>> {
        self.generations
            .iter()
            .map(|generation| &generation.collection)
    }

    /// Returns the digest and the creation instant of a tuple; `None` if the ledger does not
    /// contain it.
    pub(crate) fn member(&self, tuple: TupleId) -> Option<Member<S>> {
        self.record(tuple).map(|record| record.member)
    }

    /// Computes the accumulator values and witnesses that an update produces, for all generations
    /// whose clock moved, youngest first. The ledger is unchanged until [`Ledger::commit`].
    ///
    /// # Errors
    /// [`ApplyError::Input`] with [`InputError::CapacityExceeded`] if the set is too large for the
    /// key. [`ApplyError::AttachmentMismatch`] if there are too few or too many extensions, or if
    /// the tuples cannot be accumulated for another reason.
    pub(crate) fn derive<R: Retention, T>(
        &self,
        admission: &Admission<'_, S, T>,
        workers: &Workers,
    ) -> Result<Vec<LedgerUpdate<S, A>>, ApplyError> {
        if admission.extensions.len() != admission.transition.changes.len() {
            return Err(ApplyError::AttachmentMismatch);
        }
        (0..admission.extensions.len())
            .map(|generation| self.derive_one::<R, T>(admission, generation, workers))
            .collect::<Result<_, _>>()
            .map_err(|error| match error {
                AccumulateError::CapacityExceeded { .. } => {
                    ApplyError::Input(InputError::CapacityExceeded)
                }
                _ => ApplyError::AttachmentMismatch,
            })
    }

    fn derive_one<R: Retention, T>(
        &self,
        admission: &Admission<'_, S, T>,
        generation: usize,
        workers: &Workers,
    ) -> Result<LedgerUpdate<S, A>, AccumulateError> {
        let Generation {
            key, collection, ..
        } = &self.generations[generation];
        let layers = admission.layers;
        let since = layers.instant(generation);
        let tuples = layers.generations()[generation].iter();
        let members: Vec<_> = tuples
            .map(|(lower, live)| {
                let new = || {
                    let view = layers.view(generation, lower, live.content.summary());
                    let tuple = view.digest::<S>();
                    Member { tuple, since }
                };
                (live.note, self.member(live.note).unwrap_or_else(new))
            })
            .collect();
        let deleted = &admission.transition.changes[generation].deleted;
        let removed = deleted.iter().filter_map(|(_, tuple)| self.member(*tuple));
        let removed: Vec<_> = removed.map(|member| member.element::<R>()).collect();
        let added = members.iter().filter(|(_, member)| member.since == since);
        let added: Vec<_> = added.map(|(_, member)| member.element::<R>()).collect();
        let mut set = collection.set.clone();
        set.remove_all(&removed)?;
        set.insert_all(key, &added, workers)?;
        let (all, value) = A::witnesses_and_value(key, &set, workers)?;
        let witnesses = members.into_iter().map(|(tuple, member)| {
            let witness = &all[set.position(&member.element::<R>())?];
            Ok((tuple, member, wire::encode_body(witness)))
        });
        Ok(LedgerUpdate {
            witnesses: witnesses.collect::<Result<_, AccumulateError>>()?,
            collection: Collection { set, value },
        })
    }

    /// Stores the accumulators and witnesses that [`Ledger::derive`] computed. `proves` converts a
    /// generation's number and an encoded witness into the proof to be retained.
    pub(crate) fn commit<R: Retention>(
        &mut self,
        derived: Vec<LedgerUpdate<S, A>>,
        mut proves: impl FnMut(usize, Vec<u8>) -> P,
    ) {
        for (generation, derived) in derived.into_iter().enumerate() {
            let live = derived.witnesses.iter().map(|(tuple, ..)| *tuple);
            self.generations[generation].live = live.collect();
            self.generations[generation].collection = derived.collection;
            for (tuple, member, witness) in derived.witnesses {
                let position = tuple.position();
                if self.records.len() <= position {
                    self.records.resize_with(position + 1, || None);
                }
                let record = self.records[position].get_or_insert_with(|| Record {
                    member,
                    kept: Vec::new(),
                });
                R::keep(&mut record.kept, proves(generation, witness));
            }
        }
    }

    /// Returns the creation instant of a tuple, and the retained proof that it existed at
    /// `instant`. `None` if the ledger lacks the tuple or the proof, or the tuple was created
    /// later.
    pub(crate) fn proof<R: Retention>(&self, instant: u64, tuple: TupleId) -> Option<(u64, &P)> {
        let record = self.record(tuple)?;
        let since = record.member.since;
        let kept = R::kept(&record.kept, instant.checked_sub(since)?)?;
        Some((since, kept))
    }

    /// Drops the digests, creation instants and proofs of `tuples`.
    pub(crate) fn forget(&mut self, tuples: &[TupleId]) {
        for tuple in tuples {
            if let Some(slot) = self.records.get_mut(tuple.position()) {
                *slot = None;
            }
        }
    }

    /// Returns the form of the ledger for a checkpoint. `store` converts each retained proof to its
    /// stored form.
    pub(crate) fn store<Q>(&self, mut store: impl FnMut(&P) -> Q) -> StoredLedger<S, Q> {
        let generations = self.generations.iter().map(|generation| {
            let value = wire::encode_body(&generation.collection.value);
            (generation.live.clone(), value)
        });
        let mut record = |record: &Record<S, P>| Record {
            member: record.member,
            kept: record.kept.iter().map(&mut store).collect(),
        };
        StoredLedger {
            generations: generations.collect(),
            records: self
                .records
                .iter()
                .map(|slot| slot.as_ref().map(&mut record))
                .collect(),
        }
    }

    /// Restores the output of [`Ledger::store`] into this new ledger; `None` if the parts of
    /// `stored` are inconsistent. `restore` converts each stored proof back.
    ///
    /// Cost: computes the accumulator's representatives (for RSA, primes) of all tuples of the
    /// latest version.
    pub(crate) fn restore<R: Retention, Q>(
        mut self,
        stored: StoredLedger<S, Q>,
        mut restore: impl FnMut(Q) -> Option<P>,
    ) -> Option<Self> {
        if stored.generations.len() != self.generations.len() {
            return None;
        }
        let mut read = |record: Record<S, Q>| {
            let kept = record.kept.into_iter().map(&mut restore);
            let kept = kept.collect::<Option<Vec<_>>>()?;
            let member = record.member;
            Some(Record { member, kept })
        };
        for slot in stored.records {
            self.records.push(match slot {
                Some(record) => Some(read(record)?),
                None => None,
            });
        }
        for generation in 0..stored.generations.len() {
            let (live, value) = stored.generations.get(generation)?;
            // A representative is computed for each listed tuple, so none may be listed twice.
            let mut seen = vec![false; self.records.len()];
            for tuple in live {
                let first = seen.get_mut(tuple.position())?;
                if core::mem::replace(first, true) {
                    return None;
                }
            }
            let elements = live
                .iter()
                .map(|tuple| Some(self.member(*tuple)?.element::<R>()));
            let elements = elements.collect::<Option<Vec<_>>>()?;
            let restored = &mut self.generations[generation];
            let (key, workers) = (&restored.key, Workers::sequential());
            let set = ElementSet::from_elements(key, &elements, &workers).ok()?;
            let value = wire::decode_body(key, value).ok()?;
            restored.collection = Collection { set, value };
            restored.live.clone_from(live);
        }
        Some(self)
    }

    /// Rejects the accumulators unless their tuples are the tuples of `layers`, and their values
    /// are the values that the author signed.
    ///
    /// `signed` returns the value that the author has signed for a generation.
    ///
    /// # Errors
    /// [`VerifyError::CountMismatch`] if tuples are missing or too many.
    /// [`VerifyError::RootMismatch`] if a tuple or a value differs. The errors of `signed`.
    pub(crate) fn require_vouched(
        &self,
        layers: &Layers<S, TupleId>,
        signed: impl Fn(usize, &Claim<S>, TupleId) -> Result<Vec<u8>, VerifyError>,
    ) -> Result<(), VerifyError> {
        let mut claims = layers.claims().peekable();
        for (index, generation) in self.generations.iter().enumerate() {
            let mut unseen: HashSet<_> = generation.live.iter().copied().collect();
            let (first, tuple) = claims.peek().ok_or(VerifyError::CountMismatch)?;
            let value = signed(index, first, **tuple)?;
            if value != wire::encode_body(&generation.collection.value) {
                return Err(VerifyError::RootMismatch);
            }
            while let Some((claim, tuple)) =
                claims.next_if(|(claim, _)| usize::from(claim.generation) == index)
            {
                let member = self.member(*tuple).ok_or(VerifyError::CountMismatch)?;
                if member.tuple != claim.tuple {
                    return Err(VerifyError::RootMismatch);
                }
                if !unseen.remove(tuple) {
                    return Err(VerifyError::CountMismatch);
                }
            }
            if !unseen.is_empty() {
                return Err(VerifyError::CountMismatch);
            }
        }
        Ok(())
    }

    /// Returns the retained proofs of all tuples.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &P> {
        self.records
            .iter()
            .flatten()
            .flat_map(|record| &record.kept)
    }

    /// Returns the memory, in bytes, of the sets and of the tuples' records, without the retained
    /// proofs.
    pub(crate) fn memory_bytes(&self) -> usize {
        let elements: usize = self
            .collections()
            .map(|collection| collection.set.len())
            .sum();
        // Size of an element, and of its digest and position in the set's index.
        let element = size_of::<A::Element>() + 32 + size_of::<usize>();
        elements * element + self.records.len() * size_of::<Option<Record<S, P>>>()
    }

    fn record(&self, tuple: TupleId) -> Option<&Record<S, P>> {
        self.records.get(tuple.position())?.as_ref()
    }
}
