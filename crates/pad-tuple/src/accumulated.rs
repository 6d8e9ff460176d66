//! Designs that accumulate each generation's tuples and sign the accumulator value.
//!
//! At every instant of a generation's clock, the author signs the accumulator value of the set of
//! the generation's tuples. The signed bytes contain the instant instead of a version. A proof
//! contains the signed value and a witness that the tuple is in the set. An update contains one
//! signature for each generation whose clock moved.
//!
//! # Security argument
//!
//! 1. The label of a generation's accumulator contains suite, design, dictionary and generation.
//!    The signed bytes and every element contain the id that follows from the label. A value or a
//!    witness is therefore valid only for its own suite, design, dictionary and generation.
//! 2. Plain: an element is the tuple's digest. The signed value of an instant proves the tuples of
//!    that instant, and the client checks the instant that it asks for.
//! 3. Superseding: an element is the tuple's digest and its creation instant `since`. The author
//!    removes the element when the tuple is deleted, and a tuple created again has another creation
//!    instant. An element in the set of a later instant `until` was therefore in all sets from
//!    `since` to `until`. The signed value of `until` proves the tuple for all these instants.
//! 4. Instants of older generations: the digests of the youngest generation's tuples contain the
//!    epochs of the older generations. The youngest generation is emptied whenever an epoch
//!    changes. A tuple that names certain epochs never existed under other epochs. If the tuple
//!    existed from `since` to `until`, no epoch changed in between. The client asks an older
//!    generation only for the epoch that the tuple of the youngest generation names.
//! 5. By the accumulator's assumption, an attacker without the secret key cannot make a witness for
//!    an element outside the set of a signed value. An attacker with the secret key but without the
//!    signing key can make such witnesses, for every value ever signed.
//!
//! Source: Crosby & Wallach 2010, section 4.3. Deviation: the paper does not put epochs into tuples
//! of the youngest generation. Without these epochs, an old value of an older generation would pass
//! as the latest value.

use core::marker::PhantomData;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use pad_accumulators::{
    Authority, Dynamic, PublicKey as _, SecretKey, SignedSnapshot, Snapshot, wire,
};
use pad_core::{
    ApplyError, Digest, HeadSignature, SchemeId, SignedHead, Suite, Untrusted, VerifyError,
    Version, Workers, codec,
};
use serde::{Deserialize, Serialize};

use crate::{
    design::{Admission, AuthorError, Design, SharedSigner, TupleId, UnsignedSnapshot},
    layers::Layers,
    scheme::{Attested, Claim, Expectation, TupleScheme, scheme_id},
    statement::Context,
    tuple::generation_index,
    update::EpochExtension,
};

pub(crate) mod collection;
pub(crate) mod evidence;
pub(crate) mod ledger;
mod retention;

pub use collection::label;
pub(crate) use collection::{AuthorState, TupleState};
pub use evidence::AccumulatedEvidence;
use evidence::decode;
pub(crate) use ledger::Ledger;
pub use retention::Retention;

/// Design with `GENERATIONS` generations, in which the tuples of each generation are accumulated
/// with the accumulator `A`. The author signs the accumulator values. The server keeps witnesses by
/// the rule `R` ([`Retention`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accumulated<A, R, const GENERATIONS: usize>(PhantomData<(A, R)>);

/// The part of an update for one generation: the author's signature on the generation's accumulator
/// value. The server computes the value itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccumulatedExtension {
    /// The author's signature on the bytes of the [`Snapshot`], whose version field contains the
    /// instant.
    pub signature: Digest<64>,
}

impl EpochExtension for AccumulatedExtension {
    fn absorb(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.signature.0);
    }
}

/// A server's proof of one tuple at one instant: the signed accumulator value and the witness.
#[derive(Clone, Debug)]
pub struct Proven {
    witness: Vec<u8>,
    /// The encoded accumulator value with its signature, shared by all tuples of the generation at
    /// this instant.
    snapshot: Arc<[u8]>,
}

impl<S, A, R, const GENERATIONS: usize> TupleScheme<S> for Accumulated<A, R, GENERATIONS>
where
    S: Suite,
    A: Dynamic,
    R: Retention,
{
    const GENERATIONS: usize = GENERATIONS;
    const SCHEME: SchemeId = scheme_id(kind(A::SCHEME, R::CODE), GENERATIONS);
    const NAME: &'static str = name(A::SCHEME, R::CODE);

    type Key = A::PublicKey;
    type Evidence = AccumulatedEvidence<R>;
    type Seal = ();

    /// Returns [`Attested::INSTANT`], because the signed value contains the instant. The value is
    /// not decoded here.
    fn attested(_: &AccumulatedEvidence<R>) -> Attested<S> {
        Attested::INSTANT
    }

    fn check(
        expectation: &Expectation<A::PublicKey>,
        claims: &[Claim<S>],
        evidence: Vec<AccumulatedEvidence<R>>,
        (): (),
    ) -> Result<(), VerifyError> {
        if claims.len() != evidence.len() {
            return Err(VerifyError::CountMismatch);
        }
        let mut pairs = claims.iter().zip(&evidence);
        pairs.try_for_each(|(claim, evidence)| evidence.check::<S, A>(expectation, claim))
    }
}

impl<S, A, R, const GENERATIONS: usize> Design<S> for Accumulated<A, R, GENERATIONS>
where
    S: Suite,
    A: Dynamic,
    R: Retention,
{
    type Secret = A::SecretKey;
    type TupleState = TupleState<S>;
    type State = AuthorState<A>;
    type Extension = AccumulatedExtension;
    type Records = Ledger<S, A, Proven>;

    fn key(secret: &A::SecretKey) -> A::PublicKey {
        secret.public_key().clone()
    }

    fn is_key_of(secret: &A::SecretKey, key: &A::PublicKey) -> bool {
        secret.public_key().id() == key.id()
    }

    fn state(secret: &A::SecretKey, context: Context) -> AuthorState<A> {
        AuthorState::new::<S>(secret, context, GENERATIONS)
    }

    fn records(key: &A::PublicKey, context: Context) -> Self::Records {
        Ledger::new(key, context, GENERATIONS)
    }

    fn authenticate(
        secret: &A::SecretKey,
        signer: SharedSigner<'_>,
        state: &mut AuthorState<A>,
        mut snapshot: UnsignedSnapshot<'_, S, TupleState<S>>,
    ) -> Result<Vec<AccumulatedExtension>, AuthorError> {
        state.advance::<S, R>(secret, &mut snapshot)?;
        let UnsignedSnapshot {
            context,
            layers,
            transition,
            ..
        } = snapshot;
        let moved = state.values().take(transition.changes.len());
        let sign = |(generation, value): (usize, &A::Value)| {
            let label = label::<S>(context, generation_index(generation));
            let snapshot = Snapshot::<A> {
                key: secret.with_label(&label).public_key().clone(),
                version: Version::new(layers.instant(generation)),
                value: value.clone(),
            };
            let signature = Digest(snapshot.sign(signer)?.signature.to_bytes());
            Ok(AccumulatedExtension { signature })
        };
        moved.enumerate().map(sign).collect()
    }

    fn admit(
        _: &A::PublicKey,
        records: &mut Self::Records,
        admission: &Admission<'_, S, AccumulatedExtension>,
        workers: &Workers,
    ) -> Result<(), ApplyError> {
        let derived = records.derive::<R, _>(admission, workers)?;
        let mut snapshots: Vec<Arc<[u8]>> = Vec::with_capacity(derived.len());
        for (generation, (derived, extension)) in
            derived.iter().zip(admission.extensions).enumerate()
        {
            let authority = Authority::<A> {
                author: admission.authority.author,
                key: records.key(generation).clone(),
            };
            let version = Version::new(admission.layers.instant(generation));
            let signed = SignedSnapshot::<A> {
                snapshot: Snapshot {
                    key: authority.key.clone(),
                    version,
                    value: derived.collection.value.clone(),
                },
                signature: HeadSignature::from_bytes(&extension.signature.0),
            };
            snapshots.push(wire::encode_body(&signed).into());
            Untrusted::new(signed)
                .verify(&authority, &version)
                .map_err(|_| ApplyError::AttachmentMismatch)?;
        }
        records.commit::<R>(derived, |generation, witness| Proven {
            witness,
            snapshot: Arc::clone(&snapshots[generation]),
        });
        Ok(())
    }

    fn evidence(
        records: &Self::Records,
        _: usize,
        instant: u64,
        tuple: TupleId,
    ) -> Option<AccumulatedEvidence<R>> {
        let (since, proven) = records.proof::<R>(instant, tuple)?;
        Some(AccumulatedEvidence {
            shown: R::shown(since),
            snapshot: proven.snapshot.to_vec(),
            witness: proven.witness.clone(),
        })
    }

    fn seal(_: &Self::Records, _: &SignedHead<S>, _: usize) -> Option<()> {
        Some(())
    }

    fn store(records: &Self::Records) -> Vec<u8> {
        let mut places = HashMap::new();
        let mut snapshots = Vec::new();
        let ledger = records.store(|proven| {
            let place = places.entry(proven.snapshot.as_ptr()).or_insert_with(|| {
                snapshots.push(proven.snapshot.to_vec());
                snapshots.len() - 1
            });
            let place = u64::try_from(*place).unwrap_or(u64::MAX);
            (proven.witness.clone(), place)
        });
        codec::encode_body(&(snapshots, ledger))
    }

    fn restore(key: &A::PublicKey, context: Context, stored: &[u8]) -> Option<Self::Records> {
        let (snapshots, ledger): StoredRecords<S> = codec::decode_body(stored).ok()?;
        let snapshots: Vec<Arc<[u8]>> = snapshots.into_iter().map(Arc::from).collect();
        Ledger::new(key, context, GENERATIONS).restore::<R, _>(ledger, |(witness, place)| {
            let snapshot = Arc::clone(snapshots.get(usize::try_from(place).ok()?)?);
            Some(Proven { witness, snapshot })
        })
    }

    fn forget(records: &mut Self::Records, _: Version, tuples: &[TupleId]) {
        records.forget(tuples);
    }

    fn memory_bytes(records: &Self::Records) -> usize {
        let mut counted = HashSet::new();
        let kept = records.kept().map(|proven| {
            let first = counted.insert(proven.snapshot.as_ptr());
            let snapshot = if first { proven.snapshot.len() } else { 0 };
            size_of::<Proven>() + proven.witness.len() + snapshot
        });
        kept.sum::<usize>() + records.memory_bytes()
    }

    fn require_vouched(
        expectation: &Expectation<A::PublicKey>,
        _: &SignedHead<S>,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<(), VerifyError> {
        records.require_vouched(layers, |generation, claim, tuple| {
            let evidence = Self::evidence(records, generation, claim.instant, tuple);
            let evidence = evidence.ok_or(VerifyError::CountMismatch)?;
            evidence.check::<S, A>(expectation, claim)?;
            let signed: SignedSnapshot<A> = decode(records.key(generation), &evidence.snapshot)?;
            Ok(wire::encode_body(&signed.snapshot.value))
        })
    }

    fn resume(
        secret: &A::SecretKey,
        context: Context,
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
    ) -> Result<(Layers<S, TupleState<S>>, AuthorState<A>), AuthorError> {
        resume(secret, context, records, layers)
    }
}

/// The encoding of a server's records: a list of signed values, and a ledger. In the ledger, each
/// witness comes with the index of its signed value in the list.
type StoredRecords<S> = (Vec<Vec<u8>>, ledger::StoredLedger<S, (Vec<u8>, u64)>);

/// The author's layers (the tuples of all generations) and accumulators.
type AuthorParts<S, A> = (Layers<S, TupleState<S>>, AuthorState<A>);

/// Creates an author's layers and accumulators from a server's ledger and `layers`.
pub(crate) fn resume<S: Suite, A: Dynamic, P>(
    secret: &A::SecretKey,
    context: Context,
    ledger: &Ledger<S, A, P>,
    layers: &Layers<S, TupleId>,
) -> Result<AuthorParts<S, A>, AuthorError> {
    let collections = ledger.collections().cloned().collect();
    let version = layers.version();
    let state = AuthorState::of_collections::<S>(secret, context, version, collections)?;
    Ok((layers.map(|_, tuple| ledger.member(*tuple)), state))
}

/// The number, in scheme ids, of designs that put accumulator values into a hash chain. Smaller
/// numbers belong to the retention rules ([`Retention::CODE`]).
pub(crate) const CHAIN: u16 = 2;

/// Returns the kind of a design, from which its scheme id is computed: 8 and up with RSA, 12 and up
/// with bilinear maps. `code` is [`Retention::CODE`] or [`CHAIN`].
pub(crate) const fn kind(accumulator: SchemeId, code: u16) -> u16 {
    assert!(code <= CHAIN);
    match accumulator.0 {
        RSA => 8 + code,
        BILINEAR => 12 + code,
        _ => panic!("accumulated: a new accumulator needs kinds of its own"),
    }
}

/// Returns the display name of a design with this accumulator and `code`, for example
/// `accumulators-superseding-rsa`.
pub(crate) const fn name(accumulator: SchemeId, code: u16) -> &'static str {
    match (accumulator.0, code) {
        (RSA, 0) => "accumulators-rsa",
        (RSA, 1) => "accumulators-superseding-rsa",
        (RSA, CHAIN) => "chain-accumulators-rsa",
        (BILINEAR, 0) => "accumulators-bilinear",
        (BILINEAR, 1) => "accumulators-superseding-bilinear",
        (BILINEAR, CHAIN) => "chain-accumulators-bilinear",
        _ => "unknown",
    }
}

const RSA: u16 = pad_accumulators::internals::RSA.0;
const BILINEAR: u16 = pad_accumulators::internals::BILINEAR.0;
