//! Rules that extend the validity of signatures while their tuple does not change: the interface
//! for authors and servers.

use core::fmt::Debug;

use pad_core::Suite;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Plain, RefreshScheme, SignatureScheme, Superseding, TupleSignature, Validity};
use crate::statement::{Context, TupleStatement};

mod lightweight;

pub use lightweight::LightweightItem;

/// A function that signs a message with the author's key of signature scheme `G`.
pub(crate) type Sign<'a, G> =
    &'a dyn Fn(&[u8]) -> Result<<G as SignatureScheme>::Signature, signature::Error>;

/// Rule by which authors and servers extend the validity of a tuple's signature while the tuple
/// does not change.
///
/// Source: Crosby & Wallach 2010, sections 4.1 and 4.2.
pub trait Refresh<S: Suite>: RefreshScheme<S> {
    /// Whether each instant has a separate signature, which the server keeps when the tuple is
    /// signed again.
    const EACH_INSTANT: bool = false;
    /// The author's secret for this rule, in addition to its signing key.
    type Secret: Send + Sync;
    /// The data that the author stores for each tuple.
    type State: Clone + Debug + Default + Send + Sync;
    /// The item that an update contains for each tuple: a signature or a hash chain link.
    type Item<G: TupleSignature>: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned;
    /// The data that the server stores to prove one tuple.
    type Record<G: TupleSignature>: Clone + Debug + Send + Sync + Serialize + DeserializeOwned;

    /// Signs a tuple at an instant, or extends an earlier signature. `statement` covers the
    /// instants from the tuple's creation to this instant. Returns the item for the update.
    ///
    /// # Errors
    /// The errors of the signer.
    fn issue<G: TupleSignature>(
        secret: &Self::Secret,
        context: Context,
        statement: TupleStatement<S>,
        state: &mut Self::State,
        sign: Sign<'_, G>,
    ) -> Result<Self::Item<G>, signature::Error>;

    /// Appends an encoding of an item to the bytes that the attachment's digest covers. Different
    /// items have different encodings, with a fixed width or a tag.
    fn absorb<G: TupleSignature>(item: &Self::Item<G>, bytes: &mut Vec<u8>);

    /// Returns whether an item can be added to a tuple's record, which is `None` for a new tuple.
    /// By default, returns true.
    fn fits<G: TupleSignature>(_: Option<&Self::Record<G>>, _: &Self::Item<G>) -> bool {
        true
    }

    /// Adds an item for `instant`, which must fit, to a tuple's record. Returns the new record.
    fn record<G: TupleSignature>(
        record: Option<Self::Record<G>>,
        item: &Self::Item<G>,
        instant: u64,
    ) -> Self::Record<G>;

    /// Returns the evidence that a tuple existed at `instant`: the data for a proof, and the
    /// signature; `None` if the record contains none. Rules with one signature per tuple return
    /// that signature without checking that it covers `instant`.
    fn show<G: TupleSignature>(
        record: &Self::Record<G>,
        instant: u64,
    ) -> Option<(Self::TupleData, G::Signature)>;

    /// Restores the author's state of a tuple from the `record` that a server stores, for an author
    /// that resumes from a repository. Returns the tuple's creation instant and the state.
    ///
    /// If the state does not suffice to extend the signature, the author signs the tuple again at
    /// the next instant.
    fn resume<G: TupleSignature>(record: &Self::Record<G>) -> (u64, Self::State);

    /// Returns the heap memory that a record owns, in bytes.
    fn heap_bytes<G: TupleSignature>(_: &Self::Record<G>) -> usize {
        0
    }
}

/// The data with which a server proves a tuple: its signatures, one for each instant (version or
/// epoch) since its creation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PlainRecord<G: TupleSignature> {
    since: u64,
    signatures: Vec<G::Signature>,
}

impl<S: Suite> Refresh<S> for Plain {
    const EACH_INSTANT: bool = true;
    type Secret = ();
    type State = ();
    type Item<G: TupleSignature> = G::Signature;
    type Record<G: TupleSignature> = PlainRecord<G>;

    fn issue<G: TupleSignature>(
        (): &(),
        context: Context,
        statement: TupleStatement<S>,
        (): &mut (),
        sign: Sign<'_, G>,
    ) -> Result<G::Signature, signature::Error> {
        let since = statement.until;
        sign(&TupleStatement { since, ..statement }.signed_bytes(context))
    }

    fn absorb<G: TupleSignature>(item: &G::Signature, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(item.as_ref());
    }

    fn record<G: TupleSignature>(
        record: Option<PlainRecord<G>>,
        item: &G::Signature,
        instant: u64,
    ) -> PlainRecord<G> {
        let mut record = record.unwrap_or(PlainRecord {
            since: instant,
            signatures: Vec::new(),
        });
        record.signatures.push(*item);
        record
    }

    fn show<G: TupleSignature>(
        record: &PlainRecord<G>,
        instant: u64,
    ) -> Option<((), G::Signature)> {
        let position = usize::try_from(instant.checked_sub(record.since)?).ok()?;
        Some(((), *record.signatures.get(position)?))
    }

    fn resume<G: TupleSignature>(record: &PlainRecord<G>) -> (u64, ()) {
        (record.since, ())
    }

    fn heap_bytes<G: TupleSignature>(record: &PlainRecord<G>) -> usize {
        record.signatures.len() * size_of::<G::Signature>()
    }
}

/// The data with which a server proves a tuple: its newest signature, and the instants that this
/// signature covers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SupersedingRecord<G: TupleSignature> {
    validity: Validity,
    signature: G::Signature,
}

impl<S: Suite> Refresh<S> for Superseding {
    type Secret = ();
    type State = ();
    type Item<G: TupleSignature> = G::Signature;
    type Record<G: TupleSignature> = SupersedingRecord<G>;

    fn issue<G: TupleSignature>(
        (): &(),
        context: Context,
        statement: TupleStatement<S>,
        (): &mut (),
        sign: Sign<'_, G>,
    ) -> Result<G::Signature, signature::Error> {
        sign(&statement.signed_bytes(context))
    }

    fn absorb<G: TupleSignature>(item: &G::Signature, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(item.as_ref());
    }

    fn record<G: TupleSignature>(
        record: Option<SupersedingRecord<G>>,
        item: &G::Signature,
        instant: u64,
    ) -> SupersedingRecord<G> {
        let since = record.map_or(instant, |record| record.validity.since);
        SupersedingRecord {
            validity: Validity {
                since,
                until: instant,
            },
            signature: *item,
        }
    }

    fn show<G: TupleSignature>(
        record: &SupersedingRecord<G>,
        _: u64,
    ) -> Option<(Validity, G::Signature)> {
        Some((record.validity, record.signature))
    }

    fn resume<G: TupleSignature>(record: &SupersedingRecord<G>) -> (u64, ()) {
        (record.validity.since, ())
    }
}
