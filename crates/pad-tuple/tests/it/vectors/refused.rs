//! What is refused beside changed proofs: proofs whose author signed something about version 0, and updates that no server takes.

use conformance::published::Refusal;
use pad_core::{ApplyError, Response, SnapshotHead, VerifyError, head::Authority};
use pad_tuple::{
    AggregateDesign, ManyProof, RangeProof,
    designs::{Spec, SpecSuperseding},
    many::ManyPart,
    proof::{Part, ShownContent},
    range::{GenerationPart, RangeContent, RangePart},
    signed::{Refresh, SignedEvidence, TupleSignature},
    tuple::Summary,
    update,
};

use super::{proof_files::changed_look_ups, *};

/// An update that a server which has the version before it refuses.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RefusedUpdate {
    why: String,
    /// The latest version of the server.
    latest: u64,
    update: String,
}

type UpdateOf<S, D> = Update<S, TupleAttachment<<D as Design<S>>::Extension>>;

/// The update with another content, under a root and a signature that are good for it.
fn signed_anew<S: Suite, D: Design<S>>(
    update: &UpdateOf<S, D>,
    change: impl Fn(&mut UpdateOf<S, D>),
) -> UpdateOf<S, D> {
    let mut changed = update.clone();
    change(&mut changed);
    let operations = operations_digest::<S>(&changed.operations);
    let attachment = D::attachment_digest(&changed.attachment);
    let root = update::root::<S>(&operations, &attachment);
    let head = SnapshotHead {
        root,
        ..changed.head.head
    };
    changed.head = head.sign(&signing_key(SECRET)).unwrap();
    changed
}

/// What is refused in the place of the updates of versions 1 and 2.
#[expect(
    clippy::too_many_lines,
    reason = "a list: a line or two for each refusal"
)]
pub(super) fn updates<S: Suite, D: Design<S>>(
    updates: &[UpdateOf<S, D>],
    server: &TupleRepository<S, D>,
) -> Vec<RefusedUpdate> {
    let mut server = TupleRepository::<S, D>::new(*server.authority(), server.key().clone());
    let mut refused = Vec::new();
    let [first, second, third, other, ..] = updates else {
        panic!("four versions")
    };
    let mut refuse = |server: &mut TupleRepository<S, D>, why: &str, update: &UpdateOf<S, D>| {
        let latest = server.latest();
        let answer: Result<Version, ApplyError> = server.apply(update);
        assert!(answer.is_err(), "{why}");
        assert_eq!(server.latest(), latest);
        refused.push(RefusedUpdate {
            why: why.to_owned(),
            latest: latest.number(),
            update: hex::encode(codec::encode(update)),
        });
    };
    let changed = |change: &dyn Fn(&mut UpdateOf<S, D>)| {
        let mut update = second.clone();
        change(&mut update);
        update
    };
    let anew = |change: &dyn Fn(&mut UpdateOf<S, D>)| signed_anew::<S, D>(second, change);
    refuse(&mut server, "not the next version", second);
    let oldest = first.attachment.merged;
    if oldest > 0 {
        let unmerged = signed_anew::<S, D>(first, |update| {
            update.attachment.merged = 0;
            update.attachment.extensions.truncate(1);
        });
        refuse(
            &mut server,
            "version 1 not merged into the oldest generation",
            &unmerged,
        );
    }
    server.apply(first).unwrap();
    let absent = || Operation::Remove(key("nothing has this key"));
    let cases: Vec<(&str, UpdateOf<S, D>)> = vec![
        ("the version that the server has", first.clone()),
        ("the version after the next", third.clone()),
        (
            "another base",
            changed(&|update| update.base = Version::new(0)),
        ),
        (
            "operations that the root is not of",
            changed(&|update| update.operations.clear()),
        ),
        (
            "a number of merged generations that the root is not of",
            changed(&|update| update.attachment.merged ^= 1),
        ),
        (
            "extensions that the root is not of",
            changed(&|update| update.attachment = other.attachment.clone()),
        ),
        (
            "another head's signature",
            changed(&|update| update.head.signature = first.head.signature),
        ),
        (
            "signed by another author",
            changed(&|update| {
                update.head = update.head.head.sign(&signing_key(SECRET + 1)).unwrap();
            }),
        ),
        (
            "signed for another dictionary",
            anew(&|update| update.head.head.dictionary = DictionaryId::from_name("another")),
        ),
        (
            "signed with another history",
            anew(&|update| update.head.head.history = S::empty_tree()),
        ),
        (
            "signed: a removal of an absent key",
            anew(&|update| update.operations = vec![absent()]),
        ),
        (
            "signed: operations in another order",
            anew(&|update| {
                update
                    .operations
                    .insert(0, Operation::Put(key("z"), value("1")));
            }),
        ),
        (
            "signed: an operation twice",
            anew(&|update| update.operations.push(update.operations[0].clone())),
        ),
        (
            "signed: no such generation",
            anew(&|update| update.attachment.merged = oldest + 1),
        ),
        (
            "signed: an extension less",
            anew(&|update| drop(update.attachment.extensions.pop())),
        ),
        (
            "signed: an extension more",
            anew(&|update| {
                let extension = update.attachment.extensions[0].clone();
                update.attachment.extensions.push(extension);
            }),
        ),
        (
            // A server counts signatures and links and need not check them: in version 4 there is another number of tuples. With
            // accumulators it makes the values, and those of version 4 are others, which those of version 3 need not be.
            "signed: the extension of a generation with other tuples",
            anew(&|update| {
                update.attachment.extensions[0] = other.attachment.extensions[0].clone();
            }),
        ),
    ];
    for (why, update) in &cases {
        refuse(&mut server, why, update);
    }
    server.apply(second).unwrap();
    refused
}

/// Signatures of other tuples, as many as there should be: a server that checked each would do the clients' work.
#[test]
fn what_servers_take_unchecked_no_client_believes() {
    type S = Sha256Ed25519;
    fn check<D: Design<S, Secret: TestSecret>>() {
        let Made { updates, server } = make::<S, D>();
        let (authority, public) = (*server.authority(), server.key().clone());
        let mut server = TupleRepository::<S, D>::new(authority, public.clone());
        let last = &updates[updates.len() - 1].attachment;
        let changed = signed_anew::<S, D>(&updates[1], |update| {
            update.attachment.extensions[0] = last.extensions[0].clone();
        });
        assert_ne!(changed.attachment, updates[1].attachment);
        server.apply(&updates[0]).unwrap();
        let version = server.apply(&changed).unwrap();
        let expectation = Expectation {
            authority,
            key: public,
            version,
        };
        for name in ["apple", "banana", "zzz"] {
            let asked = key(name);
            let proof = server.prove(version, &asked).unwrap();
            let verdict = Untrusted::new(proof).verify(&expectation, &asked);
            assert_eq!(
                verdict.unwrap_err(),
                VerifyError::SignatureInvalid,
                "{name}"
            );
        }
    }
    check::<Spec>();
    check::<SpecSuperseding>();
}

/// A look-up (kind 65) that is refused.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RefusedLookUp {
    why: String,
    version: u64,
    key: String,
    proof: String,
}

/// What is refused in the place of the proof of a key in a version that all generations are shown for.
pub(super) fn look_ups<S: Suite, D: Design<S>>(
    server: &TupleRepository<S, D>,
    (version, name): (u64, &str),
) -> Vec<RefusedLookUp> {
    let (asked, number) = (key(name), Version::new(version));
    let honest = server.prove(number, &asked).unwrap();
    assert_eq!(honest.parts.len(), D::GENERATIONS);
    let mut exchanged = honest.clone();
    let (younger, older) = exchanged.parts.split_at_mut(1);
    core::mem::swap(&mut younger[0].evidence, &mut older[0].evidence);
    let of_another = server.prove(number, &key("zzz")).unwrap();
    let mut borrowed = honest.clone();
    let oldest = borrowed.parts.len() - 1;
    borrowed.parts[oldest].evidence = of_another.parts[oldest].evidence.clone();
    let mut cases = vec![
        ("asked about the next version", version + 1, honest.clone()),
        ("asked about version 0", 0, honest.clone()),
        (
            "the evidence of the generations exchanged",
            version,
            exchanged,
        ),
        ("the evidence of another tuple", version, borrowed),
    ];
    let changed = changed_look_ups(&honest).into_iter();
    cases.extend(changed.map(|(why, proof)| (why, version, proof)));
    let refused = cases.into_iter().map(|(why, version, proof)| {
        let message = codec::encode(&proof);
        let expectation = Expectation {
            authority: *server.authority(),
            key: server.key().clone(),
            version: Version::new(version),
        };
        let verdict = Untrusted::new(proof).verify(&expectation, &asked);
        assert!(verdict.is_err(), "{why}");
        RefusedLookUp {
            why: why.to_owned(),
            version,
            key: hex::encode(name),
            proof: hex::encode(message),
        }
    });
    refused.collect()
}

/// Designs with which the tests can sign whatever they like.
pub(super) trait SignsAnything<S: Suite>:
    AggregateDesign<S, Secret: TestSecret, Seal = ()>
{
    /// What is shown of this tuple with the author's signature for this instant.
    fn sign(
        authority: &Authority,
        instant: u64,
        tuple: &TupleView<'_, S::Digest>,
    ) -> (Self::Shown, Self::Evidence);

    /// The signatures together.
    fn together(evidence: Vec<Self::Evidence>) -> Self::Aggregate;
}

impl<S, G, R, const GENERATIONS: usize> SignsAnything<S> for Signed<G, R, GENERATIONS>
where
    S: Suite,
    G: TupleSignature,
    R: Refresh<S>,
    (G::Secret, R::Secret): TestSecret,
{
    fn sign(
        authority: &Authority,
        instant: u64,
        tuple: &TupleView<'_, S::Digest>,
    ) -> (Self::Shown, Self::Evidence) {
        let (signing, refreshing) = <(G::Secret, R::Secret)>::numbered(SECRET);
        let statement = TupleStatement::<S> {
            generation: tuple.generation,
            since: instant,
            until: instant,
            tuple: tuple.digest::<S>(),
            anchor: None,
        };
        let signer = signing_key(SECRET);
        let sign = |message: &[u8]| G::sign(&signing, &signer, message);
        let (context, mut state) = (Context::of(authority), R::State::default());
        let item = R::issue::<G>(&refreshing, context, statement, &mut state, &sign).unwrap();
        let record = R::record::<G>(None, &item, instant);
        let (shown, signature) = R::show::<G>(&record, instant).unwrap();
        let evidence = SignedEvidence {
            shown: shown.clone(),
            signature,
        };
        (shown, evidence)
    }

    fn together(evidence: Vec<Self::Evidence>) -> G::Aggregate {
        let signatures = evidence.iter().map(|evidence| evidence.signature);
        G::aggregate(signatures.collect())
    }
}

/// What the author would sign: that version 0 has an entry.
pub(super) struct SignedEmpty<'a> {
    authority: &'a Authority,
    epochs: Vec<u64>,
    name: &'a str,
}

impl<'a> SignedEmpty<'a> {
    pub(super) fn new(authority: &'a Authority, generations: usize, name: &'a str) -> Self {
        let epochs = vec![1; generations - 1];
        Self {
            authority,
            epochs,
            name,
        }
    }

    fn signed<S: Suite, D: SignsAnything<S>>(&self) -> (D::Shown, D::Evidence) {
        let tuple = TupleView {
            generation: 0,
            epochs: &self.epochs,
            lower: self.name.as_bytes(),
            upper: None,
            content: Summary::Value(S::value(b"signed")),
        };
        D::sign(self.authority, 0, &tuple)
    }

    fn shown<S: Suite>() -> ShownTuple<S> {
        ShownTuple::At {
            upper: None,
            content: ShownContent::Value(value("signed")),
        }
    }

    pub(super) fn look_up<S: Suite, D: SignsAnything<S>>(&self) -> Refusal {
        let (_, evidence) = self.signed::<S, D>();
        let tuple = Self::shown();
        refusal::<S, _>(TupleProof::<S, D> {
            epochs: self.epochs.clone(),
            parts: vec![Part { tuple, evidence }],
            seal: Some(()),
        })
    }

    pub(super) fn look_up_several<S: Suite, D: SignsAnything<S>>(&self) -> Refusal {
        let (shown, evidence) = self.signed::<S, D>();
        let tuple = Self::shown();
        refusal::<S, _>(ManyProof::<S, D> {
            epochs: self.epochs.clone(),
            parts: vec![ManyPart { tuple, shown }],
            aggregate: Some(D::together(vec![evidence])),
        })
    }

    /// Of all entries, if the name is empty: older generations know nothing.
    pub(super) fn range<S: Suite, D: SignsAnything<S>>(&self) -> Refusal {
        let (shown, evidence) = self.signed::<S, D>();
        let part = |content: RangeContent<S>, shown: D::Shown| GenerationPart::<S, D> {
            before: None,
            parts: vec![RangePart {
                upper: None,
                content,
                shown,
            }],
        };
        let mut generations = vec![part(RangeContent::Value(value("signed")), shown)];
        let mut all = vec![evidence];
        for generation in 1..=self.epochs.len() {
            let tuple = TupleView {
                generation: u8::try_from(generation).unwrap(),
                epochs: &[],
                lower: b"",
                upper: None,
                content: Summary::Nothing,
            };
            let (shown, evidence) = D::sign(self.authority, 1, &tuple);
            generations.push(part(RangeContent::Nothing, shown));
            all.push(evidence);
        }
        refusal::<S, _>(RangeProof::<S, D> {
            epochs: self.epochs.clone(),
            generations,
            aggregate: Some(D::together(all)),
        })
    }
}

fn refusal<S: Suite, P: codec::Message>(proof: P) -> Refusal {
    let response = Response::<S, P> { head: None, proof };
    Refusal::new(
        "signed for version 0, with signatures",
        codec::encode(&response),
    )
}
