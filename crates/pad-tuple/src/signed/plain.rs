//! A signature for each tuple and version: the baseline that everything else is measured against.

use pad_core::{Suite, VerifyError};

use super::{Refresh, Sign, TupleSignature};
use crate::{
    design::Claim,
    statement::{Context, Statement},
};

/// Every tuple is signed at every instant, and the server keeps every signature.
///
/// Source: Crosby & Wallach 2010, section 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain;

/// A tuple's signatures, one for each instant from the first on.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound = "")]
pub struct PlainRecord<G: TupleSignature> {
    since: u64,
    signatures: Vec<G::Signature>,
}

impl<S: Suite> Refresh<S> for Plain {
    const CODE: u16 = 0;
    type Secret = ();
    type State = ();
    type Item<G: TupleSignature> = G::Signature;
    type Record<G: TupleSignature> = PlainRecord<G>;
    type Shown = ();

    fn issue<G: TupleSignature>(
        (): &(),
        context: Context,
        statement: Statement<S>,
        (): &mut (),
        sign: Sign<'_, G>,
    ) -> Result<G::Signature, signature::Error> {
        let since = statement.until;
        sign(&Statement { since, ..statement }.signed_bytes(context))
    }

    fn absorb<G: TupleSignature>(item: &G::Signature, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(item.as_ref());
    }

    fn fits<G: TupleSignature>(_: Option<&PlainRecord<G>>, _: &G::Signature) -> bool {
        true
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

    fn steps((): &(), _: &Claim<S>) -> Result<u32, VerifyError> {
        Ok(0)
    }

    fn statement((): &(), claim: &Claim<S>) -> Result<Statement<S>, VerifyError> {
        Ok(Statement {
            generation: claim.generation,
            since: claim.instant,
            until: claim.instant,
            tuple: claim.tuple,
            anchor: None,
        })
    }

    fn resume<G: TupleSignature>(record: &PlainRecord<G>) -> (u64, ()) {
        (record.since, ())
    }

    fn heap_bytes<G: TupleSignature>(record: &PlainRecord<G>) -> usize {
        record.signatures.len() * size_of::<G::Signature>()
    }
}
