//! Lightweight signatures: one signature over a tuple and the anchor of a hash chain. At each later
//! instant, the author reveals a link of the chain instead of signing again.

use pad_core::Suite;
use serde::{Deserialize, Serialize};

use super::{Refresh, Sign, TupleSignature};
use crate::{
    chain::{ChainSecret, Pebbles},
    signed::{Lightweight, LightweightData},
    statement::{Context, TupleStatement},
};

/// The item for one tuple in an update with [`Lightweight`] signatures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum LightweightItem<S: Suite, G: TupleSignature> {
    /// A new signature over the tuple and the anchor of a new hash chain.
    Signed {
        /// The anchor: the end of the new chain.
        anchor: S::Digest,
        /// The author's signature on the tuple and the anchor.
        signature: G::Signature,
    },
    /// The next link of the tuple's hash chain, which extends its signature by one instant.
    Revealed(S::Digest),
}

/// The data that an author stores with each tuple: the instant of its signature, and the unrevealed
/// links.
#[derive(Clone, Debug)]
pub struct LightweightState<S: Suite> {
    /// The instant at which the tuple was signed; `None` before the first signature.
    signed: Option<u64>,
    /// The number of the tuple's revealed links in the repository from which the author resumed,
    /// and the newest of these links (the anchor if there is none). `None` once they are checked.
    resumed: Option<(u32, S::Digest)>,
    pebbles: Pebbles<S>,
}

impl<S: Suite> LightweightState<S> {
    /// After the author resumed, checks that the tuple's hash chain belongs to `secret`. Otherwise
    /// resets the state, so that the tuple is signed anew. With another secret or chain length,
    /// links would not hash to the signed anchor.
    fn check_resumed(
        &mut self,
        secret: &ChainSecret,
        context: Context,
        statement: &TupleStatement<S>,
    ) {
        let (Some((revealed, link)), Some(until)) = (self.resumed.take(), self.signed) else {
            return;
        };
        let position = secret.length().checked_sub(revealed);
        let known = position.is_some_and(|position| {
            let seed = || {
                secret.seed(
                    context,
                    &TupleStatement {
                        until,
                        ..*statement
                    },
                )
            };
            self.pebbles.link(seed, &statement.tuple, position) == link
        });
        if !known {
            *self = Self::default();
        }
    }
}

impl<S: Suite> Default for LightweightState<S> {
    fn default() -> Self {
        Self {
            signed: None,
            resumed: None,
            pebbles: Pebbles::default(),
        }
    }
}

/// The data with which a server proves a tuple: its signature, and its newest hash chain link.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LightweightRecord<S: Suite, G: TupleSignature> {
    since: u64,
    signed: u64,
    until: u64,
    link: S::Digest,
    signature: G::Signature,
}

impl<S: Suite> Refresh<S> for Lightweight {
    type Secret = ChainSecret;
    type State = LightweightState<S>;
    type Item<G: TupleSignature> = LightweightItem<S, G>;
    type Record<G: TupleSignature> = LightweightRecord<S, G>;

    fn issue<G: TupleSignature>(
        secret: &ChainSecret,
        context: Context,
        statement: TupleStatement<S>,
        state: &mut LightweightState<S>,
        sign: Sign<'_, G>,
    ) -> Result<LightweightItem<S, G>, signature::Error> {
        let (tuple, instant) = (statement.tuple, statement.until);
        state.check_resumed(secret, context, &statement);
        let revealed = state
            .signed
            .and_then(|signed| u32::try_from(instant.checked_sub(signed)?).ok())
            .filter(|revealed| *revealed >= 1 && *revealed <= secret.length());
        if let (Some(revealed), Some(until)) = (revealed, state.signed) {
            let seed = || secret.seed(context, &TupleStatement { until, ..statement });
            let position = secret.length() - revealed;
            let link = state.pebbles.link(seed, &tuple, position);
            return Ok(LightweightItem::Revealed(link));
        }
        let mut pebbles = Pebbles::default();
        let seed = || secret.seed(context, &statement);
        let anchor = pebbles.link(seed, &tuple, secret.length());
        let anchored = TupleStatement {
            anchor: Some(anchor),
            ..statement
        };
        let signature = sign(&anchored.signed_bytes(context))?;
        *state = LightweightState {
            signed: Some(instant),
            resumed: None,
            pebbles,
        };
        Ok(LightweightItem::Signed { anchor, signature })
    }

    fn absorb<G: TupleSignature>(item: &LightweightItem<S, G>, bytes: &mut Vec<u8>) {
        match item {
            LightweightItem::Signed { anchor, signature } => {
                bytes.push(0);
                bytes.extend_from_slice(anchor.as_ref());
                bytes.extend_from_slice(signature.as_ref());
            }
            LightweightItem::Revealed(link) => {
                bytes.push(1);
                bytes.extend_from_slice(link.as_ref());
            }
        }
    }

    fn fits<G: TupleSignature>(
        record: Option<&LightweightRecord<S, G>>,
        item: &LightweightItem<S, G>,
    ) -> bool {
        record.is_some() || matches!(item, LightweightItem::Signed { .. })
    }

    fn record<G: TupleSignature>(
        record: Option<LightweightRecord<S, G>>,
        item: &LightweightItem<S, G>,
        instant: u64,
    ) -> LightweightRecord<S, G> {
        let since = record.as_ref().map_or(instant, |record| record.since);
        match (item, record) {
            (LightweightItem::Signed { anchor, signature }, _) => LightweightRecord {
                since,
                signed: instant,
                until: instant,
                link: *anchor,
                signature: *signature,
            },
            (LightweightItem::Revealed(link), Some(record)) => LightweightRecord {
                until: instant,
                link: *link,
                ..record
            },
            (LightweightItem::Revealed(_), None) => {
                unreachable!("lightweight: a new tuple's item is a signature, as `fits` checked")
            }
        }
    }

    fn show<G: TupleSignature>(
        record: &LightweightRecord<S, G>,
        _: u64,
    ) -> Option<(LightweightData<S>, G::Signature)> {
        let shown = LightweightData {
            since: record.since,
            signed: record.signed,
            revealed: u32::try_from(record.until.checked_sub(record.signed)?).ok()?,
            link: record.link,
        };
        Some((shown, record.signature))
    }

    fn resume<G: TupleSignature>(record: &LightweightRecord<S, G>) -> (u64, LightweightState<S>) {
        let revealed = record.until.saturating_sub(record.signed);
        let revealed = u32::try_from(revealed).unwrap_or(u32::MAX);
        let state = LightweightState {
            signed: Some(record.signed),
            resumed: Some((revealed, record.link)),
            pebbles: Pebbles::default(),
        };
        (record.since, state)
    }
}
