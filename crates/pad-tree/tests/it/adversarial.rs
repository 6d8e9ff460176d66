//! A lying server: corrupted, spliced and purpose-built proofs, each refused with the exact reason.

mod dishonest;
mod encodings;
mod hostile;
mod memory;
mod mutations;

mod roles;
mod splices;

use core::fmt::Debug;

use pad_conformance::{
    Action, Random, TreePad,
    mutation::{Honest, check_mutations},
    operation::{key, value},
    pad::{MESSAGE_LIMIT, Refusal, dictionary, public_key, verified_head},
    pruned::{Content, Leaf, LeafDetail, Mirror, Tree},
    repository::{TraceRun, play},
    tree::tree_author,
};
use pad_core::{
    Answer, Blake3Ed25519, DecodeError, Dictionary, DictionaryId, First, Key, KeyRange, Keys, Last,
    Paper2010, Predecessor, Repository, SchemeId, Sha256Ed25519, SnapshotHead, Successor, Suite,
    Untrusted, Value, Verified, VerifyError, Version, codec, internals::Domain,
};
use pad_tree::{
    PathCopying, RedBlack, SkipList, Treap, TreeProof, TreeRepository,
    internals::{Authenticated, BalancingScheme, ProvableQuery, TreeQuery},
};

type Store<S, B> = PathCopying<Authenticated<S>, B>;

/// A dictionary of some versions under attack, and the full contents of its last version.
struct Target<S: Suite, B: BalancingScheme> {
    played: TraceRun<TreePad<S, Store<S, B>>>,
    version: Version,
    head: Verified<SnapshotHead<S>>,
    whole: Tree<S>,
}

const ENTRIES: u8 = 24;

/// Returns the key of an entry. Entries have even keys from 2, so that every gap has an absent key.
fn entry_key(number: u8) -> Key {
    key([number * 2])
}

/// Returns the actions of two versions. The first has `ENTRIES` keys, the second changes one key.
fn actions(salt: &str) -> Vec<Action> {
    let mut actions: Vec<Action> = (1..=ENTRIES)
        .map(|number| Action::Put(entry_key(number), value(format!("{salt} {number}"))))
        .collect();
    actions.push(Action::Snapshot);
    actions.push(Action::Put(entry_key(3), value("changed")));
    actions.push(Action::Snapshot);
    actions
}

impl<S: Suite, B: BalancingScheme> Target<S, B> {
    fn new() -> Self {
        Self::of(&actions("value"))
    }

    fn of(actions: &[Action]) -> Self {
        let played = play::<TreePad<S, Store<S, B>>>(actions);
        let version = played.server.latest();
        let head = verified_head(played.author.authority(), &played.server, version);
        let all = played.server.prove_query(version, &KeyRange::ALL).unwrap();
        let whole = Mirror::of(&all).to_tree();
        let root = head.get().root;
        assert_eq!(whole.digest(), root, "the naive tree has the same root");
        Self {
            played,
            version,
            head,
            whole,
        }
    }

    fn prove<Q: ProvableQuery>(&self, query: &Q) -> TreeProof<S, Q> {
        self.played.server.prove_query(self.version, query).unwrap()
    }

    fn verify<Q: TreeQuery>(
        &self,
        proof: TreeProof<S, Q>,
        query: &Q,
    ) -> Result<Q::Statement, VerifyError> {
        Untrusted::new(proof)
            .verify(&self.head, query)
            .map(Verified::into_inner)
    }

    /// Returns the client's refusal of a proof.
    fn refused<Q: TreeQuery>(&self, proof: TreeProof<S, Q>, query: &Q) -> Option<VerifyError> {
        self.verify(proof, query).err()
    }

    /// Makes an honestly hashed proof that opens leaves as `shown` states.
    fn pruned<Q: TreeQuery>(&self, shown: &dyn Fn(&Key) -> LeafDetail) -> TreeProof<S, Q> {
        let tree = self.whole.shown(shown);
        assert_eq!(tree.digest(), self.head.get().root, "honestly hashed");
        tree.to_mirror().to_proof()
    }

    /// Returns the client's refusal of a proof that opens `leaves`: each a key, with value or
    /// digest.
    fn refusal<Q: TreeQuery>(
        &self,
        leaves: &[(&Key, LeafDetail)],
        query: &Q,
    ) -> Option<VerifyError> {
        let shown = |key: &Key| {
            let found = leaves.iter().find(|(shown, _)| *shown == key);
            found.map_or(LeafDetail::Elided, |(_, how)| *how)
        };
        self.refused(self.pruned(&shown), query)
    }
}

const D: LeafDetail = LeafDetail::Digest;
const V: LeafDetail = LeafDetail::Value;

const ELIDED: Option<VerifyError> = Some(VerifyError::Elided);
const EXTRANEOUS: Option<VerifyError> = Some(VerifyError::Extraneous);
const MALFORMED: Option<VerifyError> = Some(VerifyError::MalformedShape);
const MISMATCH: Option<VerifyError> = Some(VerifyError::RootMismatch);
const MISSING: Option<VerifyError> = Some(VerifyError::ValueMissing);
const SURPLUS: Option<VerifyError> = Some(VerifyError::ValueSurplus);
const UNORDERED: Option<VerifyError> = Some(VerifyError::UnorderedLeaves);
