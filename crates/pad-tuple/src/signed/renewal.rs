//! How signatures are kept valid: what authors and servers do.

use core::fmt::Debug;

use pad_core::Suite;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Plain, RefreshScheme, SignatureScheme, Superseding, TupleSignature, Validity};
use crate::statement::{Context, TupleStatement};

mod lightweight;

pub use lightweight::LightweightItem;

/// Signs a message as the author.
pub type Sign<'a, G> =
    &'a dyn Fn(&[u8]) -> Result<<G as SignatureScheme>::Signature, signature::Error>;

/// How authors and servers keep signatures valid while their tuple stays the same.
///
/// Source: Crosby & Wallach 2010, sections 4.1 and 4.2.
pub trait Refresh<S: Suite>: RefreshScheme<S> {
    /// Whether each instant has a signature of its own, which the next one does not replace.
    const EACH_INSTANT: bool = false;
    /// What the author must know beyond its signing key.
    type Secret: Send + Sync;
    /// What the author remembers of each tuple.
    type State: Clone + Debug + Default + Send + Sync;
    /// What an update carries for each tuple.
    type Item<G: TupleSignature>: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned;
    /// What the server keeps of each tuple.
    type Record<G: TupleSignature>: Clone + Debug + Send + Sync + Serialize + DeserializeOwned;

    /// Signs a tuple at an instant, or keeps an earlier signature valid. `statement` says since when
    /// the tuple is there, and has the instant as its end.
    ///
    /// # Errors
    /// The signer's.
    fn issue<G: TupleSignature>(
        secret: &Self::Secret,
        context: Context,
        statement: TupleStatement<S>,
        state: &mut Self::State,
        sign: Sign<'_, G>,
    ) -> Result<Self::Item<G>, signature::Error>;

    /// Appends an injective encoding of an item, one of fixed width or with a tag.
    fn absorb<G: TupleSignature>(item: &Self::Item<G>, bytes: &mut Vec<u8>);

    /// Whether an item can follow what is recorded: `None` for a new tuple. Any can, unless a refresh says
    /// otherwise.
    fn fits<G: TupleSignature>(_: Option<&Self::Record<G>>, _: &Self::Item<G>) -> bool {
        true
    }

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

    /// The instant since which a recorded tuple is there, and the author's state of it; what it cannot
    /// go on from, the next instant signs anew.
    fn resume<G: TupleSignature>(record: &Self::Record<G>) -> (u64, Self::State);

    /// The bytes that a record takes beyond its own size.
    fn heap_bytes<G: TupleSignature>(_: &Self::Record<G>) -> usize {
        0
    }
}

/// A tuple's signatures, one for each instant from the first on.
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

/// A tuple's newest signature.
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
