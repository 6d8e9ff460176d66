//! Proofs of several keys and of ranges, of the dictionaries that the designs' own files describe.

use pad_core::Key;
use pad_tree::{KeyRange, Keys};
use pad_tuple::{AggregateDesign, designs::BaseSupersedingBls};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Together {
    comment: String,
    many: Vec<ManyVector>,
    ranges: Vec<RangeVector>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ManyVector {
    design: String,
    version: u64,
    /// Each key, and its value or nothing if it is absent.
    answers: Vec<(String, Option<String>)>,
    proof: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct RangeVector {
    design: String,
    version: u64,
    /// The first key, or nothing for the start of the key space.
    start: Option<String>,
    /// The first key beyond, or nothing for the end of the key space.
    end: Option<String>,
    entries: Vec<(String, String)>,
    proof: String,
}

const COMMENT: &str = "All byte strings in hexadecimal. The dictionaries are those of the file with the \
    design's name. What the fields mean: docs/vectors/README.md.";

type S = Sha256Ed25519;

/// Present, removed, absent, in one tuple and in several; in one generation and in two.
const ASKED: [(u64, &[&str]); 3] = [
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

fn expect<D: Design<S>>(server: &TupleRepository<S, D>, version: u64) -> Expectation<D::Key> {
    Expectation {
        authority: *server.authority(),
        key: server.key().clone(),
        version: Version::new(version),
    }
}

fn many<D: AggregateDesign<S>>(
    server: &TupleRepository<S, D>,
    (version, asked): (u64, &[&str]),
) -> ManyVector {
    let keys = Keys::new(asked.iter().map(|name| key(*name)).collect()).unwrap();
    let expectation = expect(server, version);
    let proof = server.prove_keys(expectation.version, &keys).unwrap();
    let message = codec::encode(&proof);
    let lookups = Untrusted::new(proof).verify(&expectation, &keys).unwrap();
    let answers = lookups.into_inner().answers.into_iter();
    ManyVector {
        design: D::NAME.to_owned(),
        version,
        answers: answers
            .map(|(key, answer)| (hex::encode(key), answer.value().map(hex::encode)))
            .collect(),
        proof: hex::encode(message),
    }
}

fn range<D: AggregateDesign<S>>(
    server: &TupleRepository<S, D>,
    (version, start, end): (u64, Option<&str>, Option<&str>),
) -> RangeVector {
    let end_of = |name: Option<&str>| -> Option<Key> { name.map(key) };
    let range = KeyRange {
        start: end_of(start),
        end: end_of(end),
    };
    let expectation = expect(server, version);
    let proof = server.prove_range(expectation.version, &range).unwrap();
    let message = codec::encode(&proof);
    let contents = Untrusted::new(proof).verify(&expectation, &range).unwrap();
    let entries = contents.into_inner().entries.into_iter();
    RangeVector {
        design: D::NAME.to_owned(),
        version,
        start: start.map(hex::encode),
        end: end.map(hex::encode),
        entries: entries
            .map(|(key, value)| (hex::encode(key), hex::encode(value)))
            .collect(),
        proof: hex::encode(message),
    }
}

#[test]
fn many_and_range() {
    let bls = make::<S, BaseSupersedingBls>().server;
    let spec = make::<S, SpecLightweight>().server;
    let of_bls = ASKED.iter().map(|asked| many(&bls, *asked));
    let of_spec = ASKED.iter().map(|asked| many(&spec, *asked));
    let ranges_of_bls = RANGES.iter().map(|asked| range(&bls, *asked));
    let ranges_of_spec = RANGES.iter().map(|asked| range(&spec, *asked));
    let computed = Together {
        comment: COMMENT.to_owned(),
        many: of_bls.chain(of_spec).collect(),
        ranges: ranges_of_bls.chain(ranges_of_spec).collect(),
    };
    check("many_and_range", &computed);
}
