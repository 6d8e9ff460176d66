//! Proof files of all designs: what a client accepts of them, and what it refuses.

use conformance::published::{Asked, EVERY, ProofFile, ProofFiles, Refusal, public_text, refusals};
use pad_core::{
    Answers, Client, Key, KeyRange, Keys, PublicKey, Question, Response, codec::Message,
};
use pad_tuple::{AggregateDesign, ManyProof, RangeProof, Tuple};

use super::{
    refused::{SignedEmpty, SignsAnything},
    *,
};

/// Present, removed, absent, in one tuple and in several.
const SEVERAL: [(u64, &[&str]); 3] = [
    (0, &["banana"]),
    (4, &["banana", "cherry", "coconut", "date", "fig"]),
    (7, &["", "apple", "zzz"]),
];

/// All, and ends on and between keys.
const RANGES: [(u64, Option<&str>, Option<&str>); 4] = [
    (0, None, None),
    (4, None, None),
    (4, Some("banana"), Some("date")),
    (7, Some("b"), Some("z")),
];

/// How far apart the bytes are of which a bit is changed in files of accumulated designs, which are long.
#[cfg(feature = "accumulators")]
const EVERY_ACCUMULATED: usize = 67;

/// The proof files of the dictionary of the vectors.
struct Publisher<'a, S: Suite, D: Design<S>> {
    server: &'a TupleRepository<S, D>,
    client: Client<Tuple<D, S>>,
    every: usize,
    files: ProofFiles,
}

pub(super) fn files<S, D>() -> ProofFiles
where
    S: Suite,
    D: SignsAnything<S, Key: TupleKey>,
{
    let server = make::<S, D>().server;
    let own = server.key().text();
    let mut publisher = Publisher::new(&server, own.as_deref(), EVERY);
    publisher.look_up(&QUESTIONS);
    publisher.look_up_several();
    publisher.look_up_ranges();
    publisher.refuse_what_is_signed_for_version_0();
    publisher.files
}

/// Look-ups alone; the first of them has the shortest proof, which refused files are made of.
#[cfg(feature = "accumulators")]
pub(super) fn accumulated<S, D>(
    server: &TupleRepository<S, D>,
    questions: &[(u64, &str)],
) -> ProofFiles
where
    S: Suite,
    D: Design<S, Key: pad_tuple::PublicBytes>,
{
    use pad_tuple::PublicBytes as _;

    let own = hex::encode(server.key().to_vec());
    let mut publisher = Publisher::new(server, Some(&own), EVERY_ACCUMULATED);
    publisher.look_up(questions);
    publisher.files
}

impl<S: Suite, D: SignsAnything<S>> Publisher<'_, S, D> {
    /// Version 0 is empty, whatever its author signs.
    fn refuse_what_is_signed_for_version_0(&mut self) {
        let (authority, asked) = (self.server.authority(), key("banana"));
        let signed = SignedEmpty::new(authority, D::GENERATIONS, "banana");
        let digits = || vec![Some(hex::encode("banana"))];
        let keys = Keys::new(vec![asked.clone()]).unwrap();
        let all = KeyRange {
            start: None,
            end: None,
        };
        let of_all = SignedEmpty::new(authority, D::GENERATIONS, "").range::<S, D>();
        self.refuse(("look-up", digits()), &asked, signed.look_up::<S, D>());
        self.refuse(("keys", digits()), &keys, signed.look_up_several::<S, D>());
        self.refuse(("range", vec![None, None]), &all, of_all);
    }

    /// Adds what is refused about version 0.
    fn refuse<Q: Question>(
        &mut self,
        (question, keys): (&str, Vec<Option<String>>),
        query: &Q,
        refusal: Refusal,
    ) where
        Tuple<D, S>: Answers<Q>,
    {
        let asked = Asked {
            question: question.to_owned(),
            keys,
            version: 0,
        };
        let client = &self.client;
        let accepts =
            |version, bytes: &[u8]| client.check_at(Version::new(version), bytes, query).is_ok();
        self.files.refuse_changes(&asked, vec![refusal], accepts);
    }
}

impl<S: Suite, D: AggregateDesign<S>> Publisher<'_, S, D> {
    fn look_up_several(&mut self) {
        for (version, names) in SEVERAL {
            let asked = Keys::new(names.iter().map(|name| key(*name)).collect()).unwrap();
            let proof = self
                .server
                .prove_keys(Version::new(version), &asked)
                .unwrap();
            let keys = asked.as_slice().iter();
            let keys = keys.map(|key| Some(hex::encode(key.as_bytes()))).collect();
            let changed = &changed_look_ups_of_several(&proof);
            self.publish(
                ("keys", version, keys),
                &asked,
                &proof,
                changed,
                |lookups| {
                    let answers = lookups.answers.into_iter();
                    answers
                        .map(|(key, answer)| (hex::encode(key), answer.value().map(hex::encode)))
                        .collect()
                },
            );
        }
    }

    fn look_up_ranges(&mut self) {
        for (version, start, end) in RANGES {
            let end_of = |name: Option<&str>| -> Option<Key> { name.map(key) };
            let asked = KeyRange {
                start: end_of(start),
                end: end_of(end),
            };
            let proof = self
                .server
                .prove_range(Version::new(version), &asked)
                .unwrap();
            let keys = [start, end].map(|name| name.map(hex::encode)).to_vec();
            let changed = &changed_ranges(&proof);
            self.publish(
                ("range", version, keys),
                &asked,
                &proof,
                changed,
                |contents| {
                    let entries = contents.entries.into_iter();
                    entries
                        .map(|(key, value)| (hex::encode(key), Some(hex::encode(value))))
                        .collect()
                },
            );
        }
    }
}

impl<'a, S: Suite, D: Design<S>> Publisher<'a, S, D> {
    /// Nothing yet; `own` is the key of the design in the public key file.
    fn new(server: &'a TupleRepository<S, D>, own: Option<&str>, every: usize) -> Self {
        let (authority, key) = (server.authority(), server.key().clone());
        let scheme = format!("tuple-{}", D::NAME);
        let public = PublicKey::new(authority.author, authority.dictionary, key);
        Self {
            server,
            client: Client::new(public),
            every,
            files: ProofFiles::new(public_text((S::NAME, &scheme), authority, own)),
        }
    }

    fn look_up(&mut self, questions: &[(u64, &str)]) {
        for &(version, name) in questions {
            let asked = key(name);
            let proof = self.server.prove(Version::new(version), &asked).unwrap();
            let file = ("look-up", version, vec![Some(hex::encode(name))]);
            self.publish(file, &asked, &proof, &changed_look_ups(&proof), |lookup| {
                vec![(hex::encode(name), lookup.answer.value().map(hex::encode))]
            });
        }
    }

    /// Adds a proof file, and, of the first of each kind that is not about version 0, what must be refused in
    /// its place.
    fn publish<Q: Question, P: Message + Clone>(
        &mut self,
        (question, version, keys): (&str, u64, Vec<Option<String>>),
        query: &Q,
        proof: &P,
        changed: &[(&'static str, P)],
        answer: impl Fn(Q::Statement) -> Vec<(String, Option<String>)>,
    ) where
        Tuple<D, S>: Answers<Q, Proof = P>,
    {
        let number = Version::new(version);
        let message = |proof: &P| {
            let response: Response<S, P> =
                Response::new(self.server, number, proof.clone()).unwrap();
            codec::encode(&response)
        };
        let bytes = message(proof);
        let statement = self.client.check_at(number, &bytes, query);
        let file = ProofFile {
            asked: Asked {
                question: question.to_owned(),
                keys,
                version,
            },
            answer: answer(statement.unwrap().into_inner()),
            file: hex::encode(&bytes),
        };
        let client = &self.client;
        let accepts =
            |version, bytes: &[u8]| client.check_at(Version::new(version), bytes, query).is_ok();
        let asked = file.asked.clone();
        let mut before = self.files.accepted.iter();
        let is_first =
            before.all(|other| other.asked.question != asked.question || other.asked.version == 0);
        self.files.accept(file, &bytes, accepts);
        if is_first && version > 0 {
            let mut refused = refusals(&bytes, S::empty_tree().as_ref().len(), self.every);
            let changed = changed.iter();
            refused.extend(changed.map(|(why, proof)| Refusal::new(*why, message(proof))));
            self.files.refuse_changes(&asked, refused, accepts);
        }
    }
}

/// A changed copy.
fn with<P: Clone>(proof: &P, change: impl Fn(&mut P)) -> P {
    let mut changed = proof.clone();
    change(&mut changed);
    changed
}

pub(super) fn changed_look_ups<S: Suite, D: Design<S>>(
    honest: &TupleProof<S, D>,
) -> Vec<(&'static str, TupleProof<S, D>)> {
    vec![
        ("an epoch more", with(honest, |proof| proof.epochs.push(1))),
        (
            "a part less",
            with(honest, |proof| {
                proof.parts.truncate(proof.parts.len().saturating_sub(1));
            }),
        ),
        (
            "a part twice",
            with(honest, |proof| {
                proof.parts.extend(proof.parts.last().cloned());
            }),
        ),
        ("no seal", with(honest, |proof| proof.seal = None)),
    ]
}

fn changed_look_ups_of_several<S: Suite, D: AggregateDesign<S>>(
    honest: &ManyProof<S, D>,
) -> Vec<(&'static str, ManyProof<S, D>)> {
    vec![
        ("an epoch more", with(honest, |proof| proof.epochs.push(1))),
        (
            "a part less",
            with(honest, |proof| {
                proof.parts.truncate(proof.parts.len().saturating_sub(1));
            }),
        ),
        (
            "parts in another order",
            with(honest, |proof| proof.parts.reverse()),
        ),
        (
            "a part twice",
            with(honest, |proof| {
                proof.parts.extend(proof.parts.last().cloned());
            }),
        ),
        ("no aggregate", with(honest, |proof| proof.aggregate = None)),
    ]
}

fn changed_ranges<S: Suite, D: AggregateDesign<S>>(
    honest: &RangeProof<S, D>,
) -> Vec<(&'static str, RangeProof<S, D>)> {
    let change_parts = |change: fn(&mut Vec<pad_tuple::range::RangePart<S, D>>)| {
        with(honest, |proof| {
            if let Some(generation) = proof.generations.first_mut() {
                change(&mut generation.parts);
            }
        })
    };
    vec![
        ("an epoch more", with(honest, |proof| proof.epochs.push(1))),
        (
            "a generation twice",
            with(honest, |proof| {
                proof.generations.extend(proof.generations.last().cloned());
            }),
        ),
        ("a tuple less", change_parts(|parts| drop(parts.pop()))),
        (
            "a tuple twice",
            change_parts(|parts| parts.extend(parts.last().cloned())),
        ),
        (
            "a first tuple that begins in the range",
            with(honest, |proof| {
                for generation in &mut proof.generations {
                    generation.before = Some(key("b"));
                }
            }),
        ),
        ("no aggregate", with(honest, |proof| proof.aggregate = None)),
    ]
}
