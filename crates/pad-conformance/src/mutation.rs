//! Structured corruption of honest proofs, with the errors that must reject the result.
//!
//! [`check_mutations`] runs all corruptions of one proof: bit flips, truncations and an extension.
//! Every element of every list is also dropped, doubled, swapped and replaced.

use core::{fmt::Debug, ops::Range};

use pad_core::{
    DecodeError, SnapshotHead, Suite, Untrusted, Verified, VerifyError,
    codec::{self, ENVELOPE_LENGTH},
};
use pad_tree::{TreeProof, internals::TreeQuery};

use crate::{
    pad::{self, Refusal},
    pruned::Mirror,
};

/// A query whose answers can be compared and printed.
pub trait CheckedQuery: TreeQuery<Statement: PartialEq + Debug> {}
impl<Q: TreeQuery<Statement: PartialEq + Debug>> CheckedQuery for Q {}

/// The bytes of an honest proof, its query, and the head that it verifies against.
#[derive(Debug)]
pub struct Honest<'a, S: Suite, Q> {
    /// The honest proof, encoded as a message.
    pub bytes: Vec<u8>,
    /// The verified head of the version that the proof is about.
    pub head: &'a Verified<SnapshotHead<S>>,
    /// The query that the proof answers.
    pub query: &'a Q,
}

impl<'a, S: Suite, Q: CheckedQuery> Honest<'a, S, Q> {
    /// Encodes an honest proof, and keeps it with its head and query.
    pub fn new(proof: &TreeProof<S, Q>, head: &'a Verified<SnapshotHead<S>>, query: &'a Q) -> Self {
        let honest = Self {
            bytes: codec::encode(proof),
            head,
            query,
        };
        assert!(honest.verify(&honest.bytes).is_ok(), "an honest proof");
        honest
    }

    /// Decodes `bytes`, for example a corrupted proof, and verifies them for the query, as a client
    /// does.
    pub fn verify(&self, bytes: &[u8]) -> Result<Q::Statement, Refusal> {
        pad::verify::<TreeProof<S, Q>>(bytes, self.head, self.query)
    }

    /// Returns the client's refusal of the changed proof `mirror`. Panics if the client accepts it.
    fn refusal(&self, mirror: &Mirror<S>) -> VerifyError {
        let proof = Untrusted::new(mirror.to_proof::<Q>());
        let verified = proof.verify(self.head, self.query);
        verified.expect_err("a changed proof verifies")
    }

    /// Returns a copy of the proof with public fields, which a test can change.
    pub fn mirror(&self) -> Mirror<S> {
        codec::decode_body(&self.bytes[ENVELOPE_LENGTH..]).expect("the same wire format")
    }
}

/// The byte ranges of the shape and of the sibling digests in an encoded proof.
struct Regions {
    shape: Range<usize>,
    siblings: Range<usize>,
}

impl Regions {
    fn of<S: Suite>(mirror: &Mirror<S>) -> Self {
        let shape_end = ENVELOPE_LENGTH + codec::encode_body(&mirror.shape).len();
        let siblings_end = shape_end + codec::encode_body(&mirror.siblings).len();
        let digests = mirror.siblings.iter().map(|digest| digest.as_ref().len());
        let digests: usize = digests.sum();
        Self {
            shape: shape_end - mirror.shape.len()..shape_end,
            siblings: siblings_end - digests..siblings_end,
        }
    }
}

/// Checks that every corruption of an honest proof is refused with the appropriate error. `other`
/// is a proof of another tree, whose parts are inserted.
pub fn check_mutations<S: Suite, Q: CheckedQuery>(honest: &Honest<'_, S, Q>, other: &Mirror<S>) {
    check_bit_flips(honest);
    check_lengths(honest);
    check_shapes(honest);
    check_siblings(honest, other);
    check_leaves(honest, other);
}

/// Checks that an honest proof with any one bit flipped is refused.
pub fn check_bit_flips<S: Suite, Q: CheckedQuery>(honest: &Honest<'_, S, Q>) {
    let regions = Regions::of(&honest.mirror());
    for position in 0..honest.bytes.len() {
        for bit in 0..8 {
            let mut bytes = honest.bytes.clone();
            bytes[position] ^= 1 << bit;
            let (verdict, byte) = (honest.verify(&bytes), bytes[position]);
            let fits = |refusal: &Refusal| is_expected(&regions, position, byte, *refusal);
            let is_refused = verdict.as_ref().is_err_and(fits);
            assert!(is_refused, "bit {bit} of byte {position}: {verdict:?}");
        }
    }
}

fn is_expected(regions: &Regions, position: usize, byte: u8, refusal: Refusal) -> bool {
    use VerifyError as V;
    match refusal {
        Refusal::Verify(V::RootMismatch) if position >= ENVELOPE_LENGTH => true,
        Refusal::Verify(_) if regions.siblings.contains(&position) => false,
        Refusal::Verify(V::MalformedShape) if position >= ENVELOPE_LENGTH => true,
        // A flipped key may violate the order of keys.
        Refusal::Verify(V::UnorderedLeaves) if position >= ENVELOPE_LENGTH => {
            !regions.shape.contains(&position)
        }
        _ => refusal.fits_byte(position, byte) == Some(true),
    }
}

/// Checks that an honest proof is refused after any truncation, and with an additional byte.
fn check_lengths<S: Suite, Q: CheckedQuery>(honest: &Honest<'_, S, Q>) {
    for length in 0..honest.bytes.len() {
        let malformed = Err(Refusal::Decode(DecodeError::Malformed));
        let verdict = honest.verify(&honest.bytes[..length]);
        assert_eq!(verdict, malformed, "cut to {length}");
    }
    for byte in [0, 1, 0xff] {
        let longer = [&honest.bytes[..], &[byte]].concat();
        let trailing = Err(Refusal::Decode(DecodeError::TrailingBytes));
        assert_eq!(honest.verify(&longer), trailing);
    }
    let limit = honest.bytes.len() - 1;
    let refusal = Untrusted::<TreeProof<S, Q>>::decode(&honest.bytes, limit).err();
    assert_eq!(refusal, Some(DecodeError::TooLarge { limit }));
}

/// Checks that a proof is refused if its shape is replaced by a shape that is not a tree, not
/// canonical, or of another tree.
fn check_shapes<S: Suite, Q: CheckedQuery>(honest: &Honest<'_, S, Q>) {
    let mirror = honest.mirror();
    for position in 0..mirror.shape.len() {
        let mut dropped = mirror.clone();
        dropped.shape.remove(position);
        assert_eq!(honest.refusal(&dropped), VerifyError::MalformedShape);
        let mut doubled = mirror.clone();
        doubled.shape.insert(position, mirror.shape[position]);
        assert_eq!(honest.refusal(&doubled), VerifyError::MalformedShape);
    }
    if mirror.leaves.is_empty() {
        return;
    }
    let codes = mirror.codes();
    for unused in codes.len()..mirror.shape.len() * 4 {
        for bits in 1..4 {
            let mut padded = mirror.clone();
            padded.shape[unused / 4] |= bits << (unused % 4 * 2);
            assert_eq!(honest.refusal(&padded), VerifyError::MalformedShape);
        }
    }
    for position in 0..codes.len() {
        for code in (0..4).filter(|code| *code != codes[position]) {
            let mut changed = codes.clone();
            changed[position] = code;
            let refusal = honest.refusal(&mirror.clone().with_codes(&changed));
            // If the elided child is on the other side, the result is another valid tree. Any other
            // code makes no tree.
            let expected = match codes[position] {
                1 | 2 if code == 3 - codes[position] => VerifyError::RootMismatch,
                _ => VerifyError::MalformedShape,
            };
            assert_eq!(refusal, expected, "code {position} changed to {code}");
        }
        for other in position + 1..codes.len() {
            if codes[position] != codes[other] {
                let mut swapped = codes.clone();
                swapped.swap(position, other);
                let refusal = honest.refusal(&mirror.clone().with_codes(&swapped));
                let expected = [VerifyError::RootMismatch, VerifyError::MalformedShape];
                assert!(expected.contains(&refusal), "{refusal:?}");
            }
        }
    }
}

/// Checks that a proof is refused if a digest is dropped, doubled, swapped with another, or
/// replaced.
fn check_siblings<S: Suite, Q: CheckedQuery>(honest: &Honest<'_, S, Q>, other: &Mirror<S>) {
    let expected = |_: &Mirror<S>| VerifyError::RootMismatch;
    let refusals = (VerifyError::MalformedShape, expected);
    check_list(honest, other, |proof| &mut proof.siblings, refusals);
}

/// Checks that a proof is refused if a leaf is dropped, doubled, swapped with another, or replaced.
fn check_leaves<S: Suite, Q: CheckedQuery>(honest: &Honest<'_, S, Q>, other: &Mirror<S>) {
    let expected = |changed: &Mirror<S>| {
        if changed.leaves.is_sorted_by(|a, b| a.key < b.key) {
            VerifyError::RootMismatch
        } else {
            VerifyError::UnorderedLeaves
        }
    };
    let refusals = (VerifyError::UnorderedLeaves, expected);
    check_list(honest, other, |proof| &mut proof.leaves, refusals);
}

/// Checks that a proof is refused if an element of `list` is dropped, and as `doubled` if it is
/// doubled. If it is swapped with another or replaced by one of `other`, the refusal is `expected`.
fn check_list<S: Suite, Q: CheckedQuery, T: Clone + PartialEq>(
    honest: &Honest<'_, S, Q>,
    other: &Mirror<S>,
    list: fn(&mut Mirror<S>) -> &mut Vec<T>,
    (doubled, expected): (VerifyError, impl Fn(&Mirror<S>) -> VerifyError),
) {
    let refusal = |change: &dyn Fn(&mut Vec<T>)| {
        let mut changed = honest.mirror();
        change(list(&mut changed));
        (honest.refusal(&changed), changed)
    };
    let elements = list(&mut honest.mirror()).clone();
    let foreign = list(&mut other.clone()).clone();
    for (position, element) in elements.iter().enumerate() {
        let (refused, _) = refusal(&|list| drop(list.remove(position)));
        assert_eq!(refused, VerifyError::MalformedShape);
        let (refused, _) = refusal(&|list| list.insert(position, element.clone()));
        assert_eq!(refused, doubled);
        for second in position + 1..elements.len() {
            let (refused, changed) = refusal(&|list| list.swap(position, second));
            assert_eq!(refused, expected(&changed));
        }
        for foreign in foreign.iter().filter(|foreign| *foreign != element) {
            let (refused, changed) = refusal(&|list| list[position] = foreign.clone());
            assert_eq!(refused, expected(&changed));
        }
    }
}
