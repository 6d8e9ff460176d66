//! All data that an honest author ever published: each tuple, signature and link.

use super::*;
use pad_tuple::internals::{Layers, LightweightItem, SignedEvidence, TupleView};

/// A tuple that existed at some version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tuple {
    generation: u8,
    epochs: Vec<u64>,
    lower: Key,
    upper: Option<Key>,
    content: ShownContent,
}

impl Tuple {
    pub(crate) const fn generation(&self) -> u8 {
        self.generation
    }

    fn summary(&self) -> Content<Digest> {
        self.content.map(|value| S::value(value.as_bytes()))
    }

    pub(crate) fn digest(&self) -> Digest {
        let view = TupleView {
            generation: self.generation,
            epochs: &self.epochs,
            lower: self.lower.as_bytes(),
            upper: self.upper.as_ref().map(Key::as_bytes),
            content: self.summary(),
        };
        view.digest::<S>()
    }

    pub(crate) fn holds(&self, key: &Key) -> bool {
        *key >= self.lower && self.upper.as_ref().is_none_or(|upper| key < upper)
    }

    /// Returns the tuple in the form of a proof for a key.
    pub(crate) fn shown(&self, key: &Key) -> ShownTuple<S> {
        let upper = self.upper.clone();
        if *key == self.lower {
            let content = self.content.clone();
            ShownTuple::At { upper, content }
        } else {
            ShownTuple::Below {
                lower: self.lower.clone(),
                upper,
                content: self.summary(),
            }
        }
    }
}

/// Data in an update for one tuple.
#[derive(Clone, Debug)]
pub(crate) struct PublishedTuple<Item> {
    pub(crate) tuple: Tuple,
    /// The instant on the clock of the tuple's generation.
    pub(crate) instant: u64,
    /// The first instant of the tuple.
    pub(crate) since: u64,
    pub(crate) item: Item,
}

/// Collects the data of all updates, in order. Replays the author's operations on separate layers.
pub(crate) fn published<R: Refresh<S, Secret: TestSecret>, const GENERATIONS: usize>(
    target: &Target<Signed<Ed25519, R, GENERATIONS>>,
) -> Vec<PublishedTuple<R::Item<Ed25519>>> {
    let mut layers = Layers::<S, Option<u64>>::new(GENERATIONS);
    let mut all = Vec::new();
    for update in &target.updates {
        let merged = usize::from(update.attachment.merged);
        layers.apply(&update.operations, merged).unwrap();
        for (generation, extension) in update.attachment.extensions.iter().enumerate() {
            // An extension is the list of its items.
            let items: Vec<R::Item<Ed25519>> =
                codec::decode_body(&codec::encode_body(extension)).unwrap();
            let instant = layers.instant(generation);
            let lowers: Vec<Key> = layers.generations()[generation].keys().cloned().collect();
            assert_eq!(lowers.len(), items.len(), "one item for each tuple");
            for (position, (lower, item)) in lowers.iter().zip(items).enumerate() {
                let epochs = layers.epochs().to_vec();
                let live = layers.generation_mut(generation).get_mut(lower).unwrap();
                let since = *live.note.get_or_insert(instant);
                let content = live.content.shown();
                let tuple = Tuple {
                    generation: u8::try_from(generation).unwrap(),
                    epochs: if generation == 0 { epochs } else { vec![] },
                    lower: lower.clone(),
                    upper: lowers.get(position + 1).cloned(),
                    content,
                };
                all.push(PublishedTuple {
                    tuple,
                    instant,
                    since,
                    item,
                });
            }
        }
    }
    all
}

/// A chain: its tuple, its signature, and the revealed links.
#[derive(Clone, Debug)]
pub(crate) struct PublishedChain {
    pub(crate) tuple: Tuple,
    pub(crate) since: u64,
    pub(crate) signed: u64,
    /// The anchor, then each link.
    pub(crate) links: Vec<Digest>,
    signature: <Ed25519 as pad_tuple::internals::SignatureScheme>::Signature,
}

impl PublishedChain {
    pub(crate) fn revealed(&self) -> u32 {
        u32::try_from(self.links.len() - 1).unwrap()
    }

    pub(crate) fn evidence(
        &self,
        revealed: u32,
        link: Digest,
    ) -> SignedEvidence<S, Ed25519, Lightweight> {
        let (since, signed) = (self.since, self.signed);
        let shown = Chain {
            since,
            signed,
            revealed,
            link,
        };
        SignedEvidence {
            shown,
            signature: self.signature,
        }
    }
}

/// Collects all chains.
pub(crate) fn chains<const GENERATIONS: usize>(
    target: &Target<Signed<Ed25519, Lightweight, GENERATIONS>>,
) -> Vec<PublishedChain> {
    let mut chains: Vec<PublishedChain> = Vec::new();
    for PublishedTuple {
        tuple,
        instant,
        since,
        item,
    } in published(target)
    {
        match item {
            LightweightItem::Signed { anchor, signature } => chains.push(PublishedChain {
                tuple,
                since,
                signed: instant,
                links: vec![anchor],
                signature,
            }),
            LightweightItem::Revealed(link) => {
                let chain = chains.iter_mut().rfind(|chain| chain.tuple == tuple);
                let chain = chain.expect("a link follows its tuple's signature");
                chain.links.push(link);
                assert_eq!(chain.signed + u64::from(chain.revealed()), instant);
            }
        }
    }
    chains
}
