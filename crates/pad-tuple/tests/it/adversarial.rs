//! A lying server of a signed design: corrupted, spliced and recombined proofs, each refused with
//! the exact reason.

mod accumulated;
mod bytes;
mod chains;
mod context;
mod intervals;
mod memory;
mod model;
mod published;
mod restored;
mod splices;

use core::num::NonZeroUsize;

use ed25519_dalek::SigningKey;
use pad_conformance::{
    Action, Oracle, Random, TuplePad,
    operation::{key, value},
    pad::{MESSAGE_LIMIT, dictionary, public_key, signing_key},
    tuple::{TestSecret, expectation},
};
use pad_core::{
    Answer, Authority, Blake3Ed25519, DecodeError, Dictionary, DictionaryId, Key, KeyRange, Keys,
    Repository, Sha256Ed25519, Suite, Untrusted, Update, VerifyError, Version, codec,
};
use pad_tuple::{
    Expectation, Speculation, TupleAuthor, TupleProof, TupleRepository,
    designs::{
        Base, BaseLightweight, BaseSuperseding, Spec, SpecLightweight, SpecLightweight3,
        SpecLightweightBls, SpecSuperseding,
    },
    internals::{
        Content, Context, Design, Ed25519, Lightweight, Part, Refresh, RefreshScheme, ShownContent,
        ShownTuple, Signed, Superseding, TupleAttachment, TupleSignature, TupleStatement,
        TupleView,
    },
};

type S = Sha256Ed25519;
type Digest = <S as Suite>::Digest;
/// The instants that a superseding signature covers.
type Validity = <Superseding as RefreshScheme<S>>::TupleData;
/// The data that a proof contains for a lightweight signature.
type Chain = <Lightweight as RefreshScheme<S>>::TupleData;

/// The number of the author's keys and secrets.
const AUTHOR: u8 = 7;

const INVALID: Option<VerifyError> = Some(VerifyError::SignatureInvalid);
const BEYOND: Option<VerifyError> = Some(VerifyError::KeyOutsideInterval);

#[allow(clippy::unnecessary_wraps, reason = "compared with a verdict")]
const fn outside(instant: u64, since: u64, until: u64) -> Option<VerifyError> {
    Some(VerifyError::OutsideValidity {
        instant,
        since,
        until,
    })
}

/// A dictionary under attack: a server for every version, and the oracle.
struct Target<D: Design<S>> {
    authority: Authority,
    /// The server after each version, from version 0 on.
    servers: Vec<TupleRepository<S, D>>,
    updates: Vec<Update<S, TupleAttachment<D::Extension>>>,
    oracle: Oracle,
}

fn put(name: &str, content: &str) -> Action {
    Action::Put(key(name), value(content))
}

fn remove(name: &str) -> Action {
    Action::Remove(key(name))
}

/// The operations of most tests. With two generations, versions 1, 4 and 7 are merges.
fn actions() -> Vec<Action> {
    let snapshot = Action::Snapshot;
    let versions: [&[Action]; 8] = [
        &[put("b", "1"), put("d", "2"), put("f", "3")],
        &[put("d", "4")],
        &[remove("f")],
        &[put("c", "5")],
        &[put("d", "6")],
        &[put("e", "7")],
        &[remove("b")],
        &[],
    ];
    versions
        .into_iter()
        .flat_map(|actions| actions.iter().cloned().chain([snapshot.clone()]))
        .collect()
}

impl<D: Design<S, Secret: TestSecret>> Target<D> {
    fn new() -> Self {
        Self::of(dictionary(), AUTHOR, &actions())
    }

    /// A dictionary of another name, with the same author and contents.
    fn elsewhere() -> Self {
        Self::of(DictionaryId::from_name("another"), AUTHOR, &actions())
    }

    fn of(dictionary: DictionaryId, signer: u8, actions: &[Action]) -> Self {
        Self::with(dictionary, signer, actions, 4)
    }

    /// Plays `actions`, and merges generation 0 when it has `size` tuples.
    fn with(dictionary: DictionaryId, signer: u8, actions: &[Action], size: usize) -> Self {
        let secret = D::Secret::numbered(AUTHOR);
        let mut author: TupleAuthor<S, D, SigningKey> =
            TupleAuthor::new(dictionary, public_key(signer), signing_key(signer), secret)
                .with_speculation(Speculation::Size(NonZeroUsize::new(size).unwrap()));
        let authority = author.authority();
        let mut servers = vec![TupleRepository::new(authority, author.key())];
        let (mut updates, mut oracle) = (Vec::new(), Oracle::default());
        for action in actions {
            oracle.apply(action);
            if let Some(update) = action.apply(&mut author) {
                let mut server = servers.last().unwrap().clone();
                server.apply(&update).unwrap();
                servers.push(server);
                updates.push(update);
            }
        }
        Self {
            authority,
            servers,
            updates,
            oracle,
        }
    }

    fn latest(&self) -> u64 {
        self.oracle.latest().number()
    }

    /// The honest proof by the newest server.
    fn prove(&self, version: u64, name: &str) -> TupleProof<S, D> {
        self.prove_at(self.latest(), version, name)
    }

    /// The honest proof by the server as it was at `now`.
    fn prove_at(&self, now: u64, version: u64, name: &str) -> TupleProof<S, D> {
        let server = &self.servers[usize::try_from(now).unwrap()];
        server.prove(Version::new(version), &key(name)).unwrap()
    }

    fn expectation(&self, version: u64) -> Expectation<D::Key> {
        expectation::<S, D>(self.authority, Version::new(version))
    }

    fn verify(
        &self,
        proof: &TupleProof<S, D>,
        version: u64,
        key: &Key,
    ) -> Result<Answer, VerifyError> {
        let verified = Untrusted::new(proof.clone()).verify(&self.expectation(version), key);
        verified.map(|lookup| lookup.into_inner().answer)
    }

    /// Returns the client's refusal of a proof. Asserts that an accepted answer is true.
    fn refusal(&self, proof: &TupleProof<S, D>, version: u64, name: &str) -> Option<VerifyError> {
        let asked = key(name);
        match self.verify(proof, version, &asked) {
            Err(error) => Some(error),
            Ok(answer) => {
                self.require_truth(version, &asked, &answer);
                None
            }
        }
    }

    fn require_truth(&self, version: u64, key: &Key, answer: &Answer) {
        let truth = self.oracle.at(Version::new(version)).get(key);
        assert_eq!(answer.value(), truth, "{key} in version {version}");
    }
}

/// A client accepts every honest proof of every version, whenever it was made.
#[test]
fn honest_proofs_of_every_moment_verify() {
    fn check<D: Design<S, Secret: TestSecret>>() {
        let target = Target::<D>::new();
        for now in 1..=target.latest() {
            for version in 0..=now {
                for name in ["", "a", "b", "bb", "c", "d", "dd", "e", "f", "g"] {
                    let proof = target.prove_at(now, version, name);
                    assert_eq!(target.refusal(&proof, version, name), None);
                }
            }
        }
    }
    with_each!(check:
        Base, BaseSuperseding, BaseLightweight, Spec, SpecSuperseding, SpecLightweight,
        SpecLightweight3
    );
}

/// Versions must have the epochs that other tests assume.
#[test]
fn the_versions_have_the_epochs_that_the_tests_assume() {
    let target = Target::<SpecSuperseding>::new();
    let epochs = (1..=8).map(|version| target.prove(version, "d").epochs[0]);
    assert_eq!(epochs.collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2, 3, 3]);
}
