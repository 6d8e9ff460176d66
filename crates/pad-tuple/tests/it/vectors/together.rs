//! Proofs of several keys and of ranges, from the dictionaries in the designs' own files.

use pad_tuple::designs::BaseSupersedingBls;

use super::*;

#[derive(Serialize, Deserialize)]
struct Together {
    comment: String,
    many: Vec<ManyVector>,
    ranges: Vec<RangeVector>,
}

#[derive(Serialize, Deserialize)]
struct ManyVector {
    design: String,
    version: u64,
    /// Each key, with its value or `null` if absent.
    answers: Vec<(String, Option<String>)>,
    proof: String,
}

#[derive(Serialize, Deserialize)]
struct RangeVector {
    design: String,
    version: u64,
    /// The first key, or `null` for the start of the key space.
    start: Option<String>,
    /// The first key beyond, or `null` for the end of the key space.
    end: Option<String>,
    entries: Vec<(String, String)>,
    proof: String,
}

type S = Sha256Ed25519;

fn many<D: AggregateDesign<S>>(server: &TupleRepository<S, D>, row: &mut ManyVector) {
    let keys = row.answers.iter().map(|(name, _)| key(decode(name)));
    let keys = Keys::new(keys.collect()).unwrap();
    let expectation = expect(server, row.version);
    let proof = server.prove_keys(expectation.version, &keys).unwrap();
    row.proof = encode(codec::encode(&proof));
    let lookups = Untrusted::new(proof).verify(&expectation, &keys).unwrap();
    row.answers = lookups.into_inner().answer();
}

fn range<D: AggregateDesign<S>>(server: &TupleRepository<S, D>, row: &mut RangeVector) {
    let end_of = |name: &Option<String>| name.as_deref().map(|name| key(decode(name)));
    let range = KeyRange {
        start: end_of(&row.start),
        end: end_of(&row.end),
    };
    let expectation = expect(server, row.version);
    let proof = server.prove_range(expectation.version, &range).unwrap();
    row.proof = encode(codec::encode(&proof));
    let contents = Untrusted::new(proof).verify(&expectation, &range).unwrap();
    let entries = contents.into_inner().entries.into_iter();
    let entries = entries.map(|(key, value)| (encode(key), encode(value)));
    row.entries = entries.collect();
}

/// Rebuilds the proofs of one design; returns their number.
fn make_anew<D: AggregateDesign<S, Secret: TestSecret>>(of: &mut Together) -> usize {
    let made = published::read::<Vector>(&format!("tuples/{}", D::NAME)).made::<S, D>();
    let mut count = 0;
    for row in of.many.iter_mut().filter(|row| row.design == D::NAME) {
        many(&made.server, row);
        count += 1;
    }
    for row in of.ranges.iter_mut().filter(|row| row.design == D::NAME) {
        range(&made.server, row);
        count += 1;
    }
    count
}

#[test]
fn many_and_range() {
    let name = "tuples/many-and-range";
    let mut of: Together = published::read(name);
    let count = make_anew::<BaseSupersedingBls>(&mut of) + make_anew::<SpecLightweight>(&mut of);
    assert_eq!(count, of.many.len() + of.ranges.len());
    published::check(name, &of);
}
