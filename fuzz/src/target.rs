//! The dictionaries under attack: fixed contents, one honest proof for each of some queries.

use pad_conformance::{
    Action, OracleQuestion, TreePad,
    operation::{key, value},
    oracle::Contents,
    pad,
    repository::{TraceRun, play},
};
use pad_core::{
    Dictionary, First, Key, KeyRange, Keys, Last, Predecessor, Proof, Repository, Sha256Ed25519,
    Successor, VerifiedRoot, VerifyError, Version,
    codec::{self, Message},
};
use pad_tree::{
    PathCopying, RedBlack, SkipList, Treap,
    internals::{Authenticated, BalancingScheme, ProvableQuery},
};
use pad_tuple::designs::{BaseSuperseding, SpecLightweight};

use crate::{malleability, together, tuples};

pub type S = Sha256Ed25519;
type Pad<B> = TreePad<S, PathCopying<Authenticated<S>, B>>;

/// The honest proof of the answer to one query, with the verifier of all other messages.
pub struct HonestProof {
    /// The encoded proof.
    pub message: Vec<u8>,
    /// Returns whether a client accepts a message. Panics if the message shows a lie.
    is_accepted: Box<dyn Fn(&[u8]) -> bool>,
}

impl HonestProof {
    /// Encodes the proof of the answer to `query` about a version with these contents. A client
    /// verifies it against `trusted`.
    pub(crate) fn new<P, Q>(
        proof: &P,
        trusted: Box<P::Commitment>,
        query: Q,
        (version, contents): (Version, &Contents),
    ) -> Self
    where
        P: Proof<Query = Q, Statement = Q::Statement, Error = VerifyError> + Message + 'static,
        Q: OracleQuestion + 'static,
    {
        let truth = query.truth(version, contents);
        let is_accepted = move |message: &[u8]| {
            let Ok(shown) = pad::verify::<P>(message, &trusted, &query) else {
                return false;
            };
            assert_eq!(shown, truth, "a lie about {query:?} was accepted");
            true
        };
        Self {
            message: codec::encode(proof),
            is_accepted: Box::new(is_accepted),
        }
    }

    /// Asserts that a message shows no lie, and that a client accepts no other message than the
    /// honest proof.
    pub fn check(&self, message: &[u8]) {
        if (self.is_accepted)(message) {
            assert_eq!(message, self.message, "a second proof is accepted");
        }
    }
}

/// Fixed contents of one dictionary.
pub struct Target {
    /// The honest proofs, in the order of the queries.
    pub proofs: Vec<HonestProof>,
    /// Applies changes to an honest message. The second message is that of the query whose parts
    /// are spliced in.
    pub(crate) change: fn(&[u8], &[u8], &[[u8; 4]]) -> Vec<u8>,
}

thread_local! {
    /// The three tree schemes. Then two tuple designs with different refreshes (superseding and
    /// lightweight): first with proofs of one key, then with proofs of many keys and of ranges.
    pub static TARGETS: [Target; 7] = [
        tree::<Treap>(),
        tree::<RedBlack>(),
        tree::<SkipList>(),
        tuples::target::<BaseSuperseding>(),
        tuples::target::<SpecLightweight>(),
        together::target::<BaseSuperseding>(),
        together::target::<SpecLightweight>(),
    ];
}

impl Target {
    /// Returns the honest proof that a byte of the input selects.
    pub(crate) fn proof(&self, number: u8) -> &HonestProof {
        &self.proofs[usize::from(number) % self.proofs.len()]
    }
}

/// Calls `attack` with the target that a byte of the input selects.
pub(crate) fn with_target(scheme: u8, attack: impl FnOnce(&Target)) {
    TARGETS.with(|targets| attack(&targets[usize::from(scheme) % targets.len()]));
}

/// Makes the honest proofs about the latest version of one tree scheme.
fn tree<B: BalancingScheme>() -> Target {
    let mut actions: Vec<Action> = (1..=20_u8)
        .map(|number| Action::Put(key([number * 4]), value([number])))
        .collect();
    actions.extend([
        Action::Snapshot,
        Action::Remove(key([40])),
        Action::Snapshot,
    ]);
    let played = play::<Pad<B>>(&actions);
    let one = |byte: u8| key([byte]);
    let keys = |bytes: [u8; 4]| Keys::new(bytes.map(one).into()).expect("some keys");
    let range = |(start, end): (Option<u8>, Option<u8>)| KeyRange {
        start: start.map(one),
        end: end.map(one),
    };
    let ranges = [
        (None, None),
        (Some(9), Some(41)),
        (None, Some(3)),
        (Some(80), None),
        (Some(37), Some(39)),
        (Some(81), Some(90)),
    ];
    let mut proofs = Vec::new();
    ask::<B, Key>(&played, [0, 4, 40, 41, 44, 80, 81].map(one), &mut proofs);
    let several = [[4, 40, 60, 90], [1, 2, 3, 81]];
    ask::<B, Keys>(&played, several.map(keys), &mut proofs);
    ask::<B, KeyRange>(&played, ranges.map(range), &mut proofs);
    for byte in [0, 4, 42, 80, 90] {
        ask::<B, _>(&played, [Predecessor(one(byte))], &mut proofs);
        ask::<B, _>(&played, [Successor(one(byte))], &mut proofs);
    }
    ask::<B, _>(&played, [First], &mut proofs);
    ask::<B, _>(&played, [Last], &mut proofs);
    let change = malleability::change;
    Target { proofs, change }
}

/// Appends the honest proofs of the answers to some queries about the latest version.
fn ask<B, Q>(
    played: &TraceRun<Pad<B>>,
    queries: impl IntoIterator<Item = Q>,
    proofs: &mut Vec<HonestProof>,
) where
    B: BalancingScheme,
    Q: ProvableQuery + OracleQuestion + 'static,
{
    let version = played.server.latest();
    let head = pad::verified_head(played.author.authority(), &played.server, version);
    for query in queries {
        let trusted: Box<VerifiedRoot<S>> = Box::new(head);
        let proof = played.server.prove_query(version, &query).expect("a proof");
        let about = (version, played.oracle.at(version));
        proofs.push(HonestProof::new(&proof, trusted, query, about));
    }
}
