//! Designs that chain the generations' accumulator values into the signed root.
//!
//! The chain is `B(v) = H(value of generation 0, H(value of generation 1, ...))`. In the digest of
//! an update's attachment, it replaces the extensions. It is therefore part of the root of version
//! `v`. The head's signature is the only signature. A proof contains the values of the generations
//! that it uses, the chain over the other generations, and the remaining parts of the head. A
//! client assembles the head, verifies it, and then verifies the witnesses.
//!
//! # Security argument
//!
//! 1. The head's signature covers design, dictionary, version and root. The root covers `B(v)`,
//!    which covers the values of all generations in their order, each with its length.
//! 2. Values and witnesses belong to accumulators labelled as in [`crate::accumulated`].
//! 3. All values belong to version `v`, and so do the instants of all generations. A later head is
//!    therefore no evidence for tuples of an earlier version: values do not supersede earlier ones.
//!
//! Source: Crosby & Wallach 2010, section 4.3 ("Speculation and witness computation").

use core::marker::PhantomData;
use std::{collections::BTreeMap, sync::Arc};

use pad_accumulators::{Dynamic, PublicKey as _, SecretKey, wire};
use pad_core::{
    ApplyError, Digest, SchemeId, SignedHead, Suite, VerifyError, Version, Workers, codec,
};
use serde::{Deserialize, Serialize};

use crate::{
    accumulated::{self, AuthorState, CHAIN, Ledger, TupleState, ledger::StoredLedger},
    design::{Admission, AuthorError, Design, SharedSigner, TupleId, UnsignedSnapshot},
    layers::Layers,
    scheme::{Attested, Claim, Expectation, TupleScheme, scheme_id},
    signed::Plain,
    statement::Context,
    tuple::generation_index,
    update::{EpochExtension, TupleAttachment},
};

mod seal;

pub use seal::ChainSeal;
use seal::bound;
pub(crate) use seal::link;

/// Design with `GENERATIONS` generations, in which the tuples of each generation are accumulated
/// with the accumulator `A`. The signed root contains a hash chain over the accumulator values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainAccumulated<A, const GENERATIONS: usize>(PhantomData<A>);

/// The part of an update for one generation. For the youngest generation, it contains the hash
/// chain over the accumulator values of all generations, which the server also computes itself. For
/// the other generations, it is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ChainExtension<S: Suite> {
    /// The hash chain over the accumulator values of all generations; `None` for all but the
    /// youngest generation.
    pub chain: Option<S::Digest>,
}

impl<S: Suite> EpochExtension for ChainExtension<S> {
    fn absorb(&self, bytes: &mut Vec<u8>) {
        if let Some(chain) = &self.chain {
            bytes.extend_from_slice(chain.as_ref());
        }
    }
}

/// The server's records: the witnesses of all tuples, and for each version the inputs of its root.
#[derive(Clone, Debug)]
pub struct ChainRecords<S: Suite, A: Dynamic> {
    ledger: Ledger<S, A, Vec<u8>>,
    openings: BTreeMap<Version, RootInputs<S>>,
}

/// The inputs from which the root of a version is computed.
#[derive(Clone, Debug)]
struct RootInputs<S: Suite> {
    operations: S::Digest,
    /// The generation into which the version's update merged all younger generations.
    merged: u8,
    /// The encoded accumulator values of all generations, youngest first. Consecutive versions
    /// share unchanged values.
    values: Vec<Arc<[u8]>>,
}

/// The encoding of a server's records. For each version: the operations digest,
/// [`RootInputs::merged`] and the accumulator values. Then the ledger.
type StoredRecords<S> = (
    Vec<(Version, <S as Suite>::Digest, u8, Vec<Vec<u8>>)>,
    StoredLedger<S, Vec<u8>>,
);

/// Returns the hash chain over accumulator values, which are listed youngest first; `None` if there
/// are none.
fn chain<S: Suite, V: AsRef<[u8]>>(values: &[V]) -> Option<S::Digest> {
    values.iter().rev().fold(None, |older, value| {
        Some(link::<S>(value.as_ref(), older.as_ref()))
    })
}

impl<S, A, const GENERATIONS: usize> TupleScheme<S> for ChainAccumulated<A, GENERATIONS>
where
    S: Suite,
    A: Dynamic,
{
    const GENERATIONS: usize = GENERATIONS;
    const SCHEME: SchemeId = scheme_id(accumulated::kind(A::SCHEME, CHAIN), GENERATIONS);
    const NAME: &'static str = accumulated::name(A::SCHEME, CHAIN);

    type Key = A::PublicKey;
    type Evidence = Vec<u8>;
    type Seal = ChainSeal<S>;

    fn attested(_: &Vec<u8>) -> Attested<S> {
        Attested::INSTANT
    }

    fn opened_root(seal: &ChainSeal<S>) -> Option<S::Digest> {
        Some(seal.root())
    }

    fn check(
        expectation: &Expectation<A::PublicKey>,
        claims: &[Claim<S>],
        witnesses: Vec<Vec<u8>>,
        seal: ChainSeal<S>,
    ) -> Result<(), VerifyError> {
        seal::check::<S, A>(expectation, claims, &witnesses, (&seal, GENERATIONS))
    }
}

impl<S, A, const GENERATIONS: usize> Design<S> for ChainAccumulated<A, GENERATIONS>
where
    S: Suite,
    A: Dynamic,
{
    type Secret = A::SecretKey;
    type TupleState = TupleState<S>;
    type State = AuthorState<A>;
    type Extension = ChainExtension<S>;
    type Records = ChainRecords<S, A>;

    fn key(secret: &A::SecretKey) -> A::PublicKey {
        secret.public_key().clone()
    }

    fn is_key_of(secret: &A::SecretKey, key: &A::PublicKey) -> bool {
        secret.public_key().id() == key.id()
    }

    fn state(secret: &A::SecretKey, context: Context) -> AuthorState<A> {
        AuthorState::new::<S>(secret, context, GENERATIONS)
    }

    fn records(key: &A::PublicKey, context: Context) -> ChainRecords<S, A> {
        ChainRecords {
            ledger: Ledger::new(key, context, GENERATIONS),
            openings: BTreeMap::new(),
        }
    }

    fn authenticate(
        secret: &A::SecretKey,
        _: SharedSigner<'_>,
        state: &mut AuthorState<A>,
        mut snapshot: UnsignedSnapshot<'_, S, TupleState<S>>,
    ) -> Result<Vec<ChainExtension<S>>, AuthorError> {
        state.advance::<S, Plain>(secret, &mut snapshot)?;
        let values: Vec<_> = state.values().map(wire::encode_body).collect();
        let youngest = chain::<S, _>(&values);
        let chains = core::iter::once(youngest).chain(core::iter::repeat(None));
        Ok(chains
            .take(snapshot.transition.changes.len())
            .map(|chain| ChainExtension { chain })
            .collect())
    }

    /// Returns the digest that clients recompute from the chain, if only the youngest generation's
    /// extension contains a chain. For other extensions, which no server admits, returns
    /// [`TupleAttachment::digest`].
    fn attachment_digest(attachment: &TupleAttachment<ChainExtension<S>>) -> S::Digest {
        let chain = attachment
            .extensions
            .first()
            .and_then(|extension| extension.chain);
        let older = attachment.extensions.iter().skip(1);
        let expected = usize::from(attachment.merged) == older.len()
            && older.clone().all(|extension| extension.chain.is_none());
        match chain {
            Some(chain) if expected => bound::<S>(attachment.merged, &chain),
            _ => attachment.digest::<S>(),
        }
    }

    fn admit(
        _: &A::PublicKey,
        records: &mut ChainRecords<S, A>,
        admission: &Admission<'_, S, ChainExtension<S>>,
        workers: &Workers,
    ) -> Result<(), ApplyError> {
        let mut older = admission.extensions.iter().skip(1);
        if older.any(|extension| extension.chain.is_some()) {
            return Err(ApplyError::AttachmentMismatch);
        }
        let derived = records.ledger.derive::<Plain, _>(admission, workers)?;
        let moved = derived
            .iter()
            .map(|derived| Arc::from(wire::encode_body(&derived.collection.value)));
        let mut values: Vec<Arc<[u8]>> = moved.collect();
        let newest = records.openings.last_key_value();
        let stayed = newest.iter().flat_map(|(_, opening)| &opening.values);
        values.extend(stayed.skip(derived.len()).cloned());
        let sent = admission
            .extensions
            .first()
            .and_then(|extension| extension.chain);
        if sent.is_none() || sent != chain::<S, _>(&values) {
            return Err(ApplyError::AttachmentMismatch);
        }
        records
            .ledger
            .commit::<Plain>(derived, |_, witness| witness);
        let operations = admission.operations;
        let merged = generation_index(admission.transition.merged());
        let opening = RootInputs {
            operations,
            merged,
            values,
        };
        records.openings.insert(admission.layers.version(), opening);
        Ok(())
    }

    fn evidence(
        records: &ChainRecords<S, A>,
        _: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<Vec<u8>> {
        let (_, witness) = records.ledger.proof::<Plain>(instant, tuple)?;
        Some(witness.clone())
    }

    fn seal(
        records: &ChainRecords<S, A>,
        head: &SignedHead<S>,
        shown: usize,
    ) -> Option<ChainSeal<S>> {
        let opening = records.openings.get(&head.head.version)?;
        let (values, rest) = opening.values.split_at_checked(shown)?;
        Some(ChainSeal {
            signature: Digest(head.signature.to_bytes()),
            history: head.head.history,
            operations: opening.operations,
            merged: opening.merged,
            values: values.iter().map(|value| value.to_vec()).collect(),
            rest: chain::<S, _>(rest),
        })
    }

    fn store(records: &ChainRecords<S, A>) -> Vec<u8> {
        let openings = records.openings.iter().map(|(version, opening)| {
            let values = opening.values.iter().map(|value| value.to_vec());
            let RootInputs {
                operations, merged, ..
            } = opening;
            (*version, *operations, *merged, values.collect())
        });
        let stored: StoredRecords<S> = (openings.collect(), records.ledger.store(Vec::clone));
        codec::encode_body(&stored)
    }

    fn restore(key: &A::PublicKey, context: Context, stored: &[u8]) -> Option<ChainRecords<S, A>> {
        let (stored, ledger): StoredRecords<S> = codec::decode_body(stored).ok()?;
        let mut openings = BTreeMap::new();
        let mut before: Vec<Arc<[u8]>> = Vec::new();
        for (version, operations, merged, values) in stored {
            if values.len() != GENERATIONS {
                return None;
            }
            // Values that did not change are shared again.
            let share = |(generation, value): (usize, Vec<u8>)| {
                let shared = before.get(generation).filter(|shared| ***shared == *value);
                shared.map_or_else(|| Arc::from(value.as_slice()), Arc::clone)
            };
            let values: Vec<_> = values.into_iter().enumerate().map(share).collect();
            before.clone_from(&values);
            let opening = RootInputs {
                operations,
                merged,
                values,
            };
            openings.insert(version, opening);
        }
        let ledger = Ledger::new(key, context, GENERATIONS).restore::<Plain, _>(ledger, Some)?;
        Some(ChainRecords { ledger, openings })
    }

    fn forget(records: &mut ChainRecords<S, A>, oldest: Version, tuples: &[TupleId]) {
        records.ledger.forget(tuples);
        records.openings = records.openings.split_off(&oldest);
    }

    fn memory_bytes(records: &ChainRecords<S, A>) -> usize {
        let kept = records.ledger.kept();
        let witnesses: usize = kept
            .map(|witness| size_of::<Vec<u8>>() + witness.len())
            .sum();
        let mut counted = std::collections::HashSet::new();
        let openings = records.openings.values().map(|opening| {
            let values = opening.values.iter();
            let new = values.filter(|value| counted.insert(value.as_ptr()));
            let bytes: usize = new.map(|value| value.len()).sum();
            size_of::<(Version, RootInputs<S>)>() + size_of_val(&*opening.values) + bytes
        });
        openings.sum::<usize>() + witnesses + records.ledger.memory_bytes()
    }

    fn require_vouched(
        _: &Expectation<A::PublicKey>,
        head: &SignedHead<S>,
        records: &ChainRecords<S, A>,
        layers: &Layers<S, TupleId>,
    ) -> Result<(), VerifyError> {
        let seal = Self::seal(records, head, GENERATIONS).ok_or(VerifyError::CountMismatch)?;
        if seal.root() != head.head.root {
            return Err(VerifyError::RootMismatch);
        }
        records.ledger.require_vouched(layers, |generation, _, _| {
            let value = seal.values.get(generation);
            value.cloned().ok_or(VerifyError::GenerationMissing)
        })
    }

    fn resume(
        secret: &A::SecretKey,
        context: Context,
        records: &ChainRecords<S, A>,
        layers: &Layers<S, TupleId>,
    ) -> Result<(Layers<S, TupleState<S>>, AuthorState<A>), AuthorError> {
        accumulated::resume(secret, context, &records.ledger, layers)
    }
}
