//! Look-up proofs: all values of a key, or the absence of a member from a set.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{collections::BTreeMap, vec::Vec};
use core::fmt::Debug;

use pad_accumulators::wire::{Reader, Wire};
use pad_core::{DecodeError, Digest, Key, Proof, Sha256Ed25519, Suite, Value, VerifyError};

use super::{AbsenceProof, LookupProof, check, claims};
#[cfg(test)]
use crate::scheme::figure4::Figure4;
use crate::{
    certificate::PointBytes,
    counted,
    element::{HALF, first_half, value_half},
    frontier, hash,
    log::LogRoot,
    prefix::scalar_of_prefix,
    scheme::{AadCounted, AadFrontier, AasCounted, AasFrontier, Completeness, Contents, Scheme},
    shape::{Address, Shape},
    statement::{Absent, Values},
    walk::{Opening, Walk},
};

/// A scheme with the proof that answers look-ups of its keys or members: every scheme.
pub trait LookupScheme: Scheme {
    /// The type of the proof. It proves all values of a key, or the absence of a member of a set.
    type Lookup: Proof<
            Commitment = LogRoot<Self>,
            Query = Key,
            Statement: Debug + PartialEq,
            Error = VerifyError,
        > + Wire<Context = ()>;

    /// Creates a proof from its encoded bytes, without a check.
    #[doc(hidden)]
    fn lookup(body: Vec<u8>) -> Self::Lookup;
}

/// A scheme whose entries are keys with values.
pub trait DictionaryScheme: LookupScheme<Lookup = LookupProof<Self>> {}

/// A scheme whose entries are members without values.
pub trait SetScheme: LookupScheme<Lookup = AbsenceProof<Self>> {}

macro_rules! looked_up {
    ($($kind:ident, $proof:ident: $($scheme:ident),+;)+) => { $( $(
        impl LookupScheme for $scheme {
            type Lookup = $proof<Self>;

            fn lookup(body: Vec<u8>) -> $proof<Self> {
                $proof::new(body)
            }
        }

        impl $kind for $scheme {}
    )+ )+ };
}

looked_up! {
    DictionaryScheme, LookupProof: AadCounted, AadFrontier;
    SetScheme, AbsenceProof: AasCounted, AasFrontier;
}

#[cfg(test)]
looked_up! { SetScheme, AbsenceProof: Figure4; }

impl<S: DictionaryScheme> Proof for LookupProof<S> {
    type Commitment = LogRoot<S>;
    type Query = Key;
    type Statement = Values;
    type Error = VerifyError;

    fn check(self, at: &LogRoot<S>, key: &Key) -> Result<Values, VerifyError> {
        let values = verify(at, key.as_bytes(), &self.body)?;
        let values = values.into_iter().map(Value::new).collect::<Result<_, _>>();
        Ok(Values {
            dictionary: at.log().dictionary(),
            version: at.version(),
            key: key.clone(),
            values: values.map_err(|_| DecodeError::Malformed)?,
        })
    }
}

impl<S: SetScheme> Proof for AbsenceProof<S> {
    type Commitment = LogRoot<S>;
    type Query = Key;
    type Statement = Absent;
    type Error = VerifyError;

    fn check(self, at: &LogRoot<S>, member: &Key) -> Result<Absent, VerifyError> {
        verify(at, member.as_bytes(), &self.body)?;
        Ok(Absent {
            dictionary: at.log().dictionary(),
            version: at.version(),
            member: member.clone(),
        })
    }
}

/// Verifies a look-up proof. Returns all values of the key. For a set, there are no values, and a
/// proof that the set contains `key` is rejected with [`VerifyError::ElementPresent`].
fn verify<'a, S: Scheme>(
    at: &LogRoot<S>,
    key: &[u8],
    body: &'a [u8],
) -> Result<Vec<&'a [u8]>, VerifyError> {
    let mut sections = Sections::<S>::new(at.log().shape(), (key, body));
    let values = sections.read_to_end(at)?;
    let log = at.log();
    let mut claims = claims(log, &[&at.root().0, key], body);
    let (id, half) = (log.id(), &sections.beginning);
    let scalar = scalar_of_prefix(half, S::KEY_BITS);
    for (accumulator, evidence) in &sections.evidence {
        match evidence {
            Evidence::Counted(evidence) => evidence.claim(id, accumulator, scalar, &mut claims)?,
            Evidence::Frontier(evidence) => {
                evidence.claim::<S>(id, accumulator, half, &mut claims)?;
            }
        }
    }
    check(log, claims, &sections.walk.certificates)?;
    Ok(values)
}

/// Evidence that the proof contains all elements of the key in a tree.
enum Evidence<'a> {
    Counted(counted::Evidence<'a>),
    Frontier(frontier::Evidence<'a>),
}

/// State of the first pass of verification over a look-up proof. The proof has one section for each
/// tree of the log.
struct Sections<'a, S> {
    walk: Walk<'a, S>,
    /// The first 32 bytes of all elements of the key.
    beginning: [u8; HALF],
    /// The elements of the key that were read so far, in order of their positions in the log.
    found: Vec<&'a [u8]>,
    /// For each tree that the proof does not include in full, its accumulator, and the evidence
    /// that no other element belongs to the key.
    evidence: Vec<(&'a PointBytes, Evidence<'a>)>,
}

impl<'a, S: Scheme> Sections<'a, S> {
    fn new(shape: Shape, (key, body): (&[u8], &'a [u8])) -> Self {
        Self {
            walk: Walk::new(shape, body),
            beginning: S::beginning(key).0,
            found: Vec::new(),
            evidence: Vec::new(),
        }
    }

    /// Runs the first pass of verification, which compares hashes and decodes no points. Returns
    /// the values of the key in the proof.
    fn read_to_end(&mut self, at: &LogRoot<S>) -> Result<Vec<&'a [u8]>, VerifyError> {
        let shape = self.walk.shape;
        let size = self.walk.reader.u64()?;
        if !shape.is_plausible(size, self.walk.reader.remaining()) {
            return Err(VerifyError::SizeOutOfRange);
        }
        let mut roots = Vec::new();
        for root in shape.forest(size) {
            roots.push(self.section(root)?);
        }
        let values = match S::CONTENTS {
            Contents::Dictionary => read_values(&mut self.walk.reader, &self.found)?,
            Contents::Set => Vec::new(),
        };
        self.walk.reader.finish()?;
        if hash::digest(at.log().id(), size, hash::bag(&roots)) != at.root() {
            return Err(VerifyError::RootMismatch);
        }
        if S::CONTENTS == Contents::Set && !self.found.is_empty() {
            return Err(VerifyError::ElementPresent);
        }
        Ok(values)
    }

    /// Reads the section of the proof about one tree. Returns the hash of the tree's root.
    fn section(&mut self, root: Address) -> Result<Digest<32>, VerifyError> {
        if self.walk.shape.is_proved(root) {
            return self.tree(root);
        }
        let hash = self.walk.root(root, Opening::Holding(&[root.start()]))?;
        self.find();
        Ok(hash)
    }

    /// Reads the section about a tree that is not included in full. It contains the blocks with
    /// elements of the key, and evidence that no other element belongs to the key. Returns the hash
    /// of the tree's root.
    fn tree(&mut self, root: Address) -> Result<Digest<32>, VerifyError> {
        let blocks = self.blocks(root)?;
        let stub = self.walk.node(root, Opening::Holding(&blocks))?;
        let before = self.found.len();
        if !self.find() {
            return Err(VerifyError::Extraneous);
        }
        let evidence = self.evidence(before)?;
        self.evidence.push((stub.accumulator, evidence));
        Ok(stub.hash(root.level))
    }

    /// Reads the evidence that a tree contains no further element of the key. The key's elements in
    /// this tree are those in `found` from index `before` on.
    fn evidence(&mut self, before: usize) -> Result<Evidence<'a>, VerifyError> {
        let found = self.found.get(before..).unwrap_or_default();
        let reader = &mut self.walk.reader;
        match S::COMPLETENESS {
            Completeness::Counted => {
                let count = u32::try_from(found.len()).map_err(|_| VerifyError::CountMismatch)?;
                Ok(Evidence::Counted(counted::Evidence::read(reader, count)?))
            }
            Completeness::Frontier => {
                frontier::Evidence::read::<S>(reader, found).map(Evidence::Frontier)
            }
        }
    }

    /// Reads which blocks of a tree the proof contains. Returns the first position of each block.
    fn blocks(&mut self, root: Address) -> Result<Vec<u64>, VerifyError> {
        let width = self.walk.shape.block_holding(root.start()).width();
        let reader = &mut self.walk.reader;
        let count = reader.count(4)?;
        let mut blocks: Vec<u64> = Vec::with_capacity(count);
        for _ in 0..count {
            let number = u32::from_be_bytes(reader.array()?);
            let block = root.start();
            let block = block.saturating_add(width.saturating_mul(number.into()));
            if block >= root.end() || blocks.last().is_some_and(|last| *last >= block) {
                return Err(VerifyError::UnorderedLeaves);
            }
            blocks.push(block);
        }
        Ok(blocks)
    }

    /// Adds the elements of the key to `found`, from all runs of elements that were read since the
    /// last call. Returns whether each run contains such an element.
    fn find(&mut self) -> bool {
        let mut each = true;
        for run in self.walk.shown.drain(..) {
            let before = self.found.len();
            let elements = run.elements().map(|(_, element)| element);
            let found = elements.filter(|element| first_half(element) == self.beginning);
            self.found.extend(found);
            each &= self.found.len() > before;
        }
        each
    }
}

/// Reads one value for each of `elements`, and checks that the elements contain the hashes of the
/// values.
///
/// An element also covers how often its pair of key and value was appended. These numbers are not
/// sent but counted here: 1, 2, .. for equal values, in order of position.
fn read_values<'a>(
    reader: &mut Reader<'a>,
    elements: &[&[u8]],
) -> Result<Vec<&'a [u8]>, VerifyError> {
    let count = reader.count(4)?;
    if count != elements.len() {
        return Err(VerifyError::CountMismatch);
    }
    let mut occurrences: BTreeMap<Digest<32>, u64> = BTreeMap::new();
    let mut values = Vec::with_capacity(count);
    for element in elements {
        let length = reader.count(1)?;
        let value = reader.take(length)?;
        let digest = Sha256Ed25519::value(value);
        let occurrence = occurrences.entry(digest).or_default();
        *occurrence = occurrence.saturating_add(1);
        if !element.ends_with(&value_half(&digest, *occurrence).0) {
            return Err(VerifyError::ValueMismatch);
        }
        values.push(value);
    }
    Ok(values)
}
