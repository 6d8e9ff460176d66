//! Refresh of signatures: the interface for authors and servers.

use core::fmt::Debug;

use pad_core::Suite;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Plain, RefreshScheme, SignatureScheme, Superseding, TupleSignature, Validity};
use crate::statement::{Context, TupleStatement};

mod lightweight;

pub use lightweight::LightweightItem;

/// Callback that signs a message as the author.
pub type Sign<'a, G> =
    &'a dyn Fn(&[u8]) -> Result<<G as SignatureScheme>::Signature, signature::Error>;

/// Rule by which authors and servers keep signatures valid while their tuple stays the same.
///
/// Source: Crosby & Wallach 2010, sections 4.1 and 4.2.
pub trait Refresh<S: Suite>: RefreshScheme<S> {
    /// Whether each instant has a separate signature, which the next signature does not replace.
    const EACH_INSTANT: bool = false;
    /// The author's secret, in addition to its signing key.
    type Secret: Send + Sync;
    /// The author's state of each tuple.
    type State: Clone + Debug + Default + Send + Sync;
    /// Item that an update contains for each tuple.
    type Item<G: TupleSignature>: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned;
    /// The data that the server stores to prove a tuple.
    type Record<G: TupleSignature>: Clone + Debug + Send + Sync + Serialize + DeserializeOwned;

    /// Signs a tuple at an instant, or extends an earlier signature. `statement` starts at the
    /// tuple's creation, and ends at the instant.
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

    /// Appends an injective encoding of an item. It has a fixed width or a tag.
    fn absorb<G: TupleSignature>(item: &Self::Item<G>, bytes: &mut Vec<u8>);

    /// Returns whether an item can follow the record, which is `None` for a new tuple. By default
    /// any item can.
    fn fits<G: TupleSignature>(_: Option<&Self::Record<G>>, _: &Self::Item<G>) -> bool {
        true
    }

    /// Returns the record after an item that fits.
    fn record<G: TupleSignature>(
        record: Option<Self::Record<G>>,
        item: &Self::Item<G>,
        instant: u64,
    ) -> Self::Record<G>;

    /// Returns the evidence of a tuple that existed at `instant`; `None` if the record contains no
    /// evidence. Rules with one signature per tuple return that signature without checking that it
    /// covers `instant`.
    fn show<G: TupleSignature>(
        record: &Self::Record<G>,
        instant: u64,
    ) -> Option<(Self::TupleData, G::Signature)>;

    /// Returns the creation instant of a recorded tuple, and the author's state of it. If the state
    /// does not suffice to continue, the next instant signs the tuple anew.
    fn resume<G: TupleSignature>(record: &Self::Record<G>) -> (u64, Self::State);

    /// Returns the bytes of heap memory that a record owns.
    fn heap_bytes<G: TupleSignature>(_: &Self::Record<G>) -> usize {
        0
    }
}

/// A server's record of a tuple: its signatures, one for each instant (version or epoch) from the
/// first on.
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

/// A server's record of a tuple: its newest signature.
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
