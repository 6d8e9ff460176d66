//! Inclusion proofs: the presence of one entry, without a statement about other entries.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_core::{Digest, Proof, Sha256Ed25519, Suite, VerifyError};

use super::{InclusionProof, check, claims, read_digest};
use crate::{
    element::value_half,
    hash,
    log::LogRoot,
    scheme::{Contents, Scheme},
    shape::Shape,
    statement::{Entry, Included},
    walk::{Opening, Run, Walk},
};

impl<S: Scheme> Proof for InclusionProof<S> {
    type Commitment = LogRoot<S>;
    type Query = Entry;
    type Statement = Included;
    type Error = VerifyError;

    fn check(self, at: &LogRoot<S>, entry: &Entry) -> Result<Included, VerifyError> {
        if S::CONTENTS == Contents::Set && !entry.value.as_bytes().is_empty() {
            return Err(VerifyError::InvalidQuery);
        }
        let mut walk = Walk::<S>::new(at.log().shape(), &self.body);
        let (position, occurrence) = read(&mut walk, at, entry)?;
        let (key, value) = (entry.key.as_bytes(), entry.value.as_bytes());
        let log = at.log();
        let claims = claims(log, &[&at.root().0, key, value], &self.body);
        check(log, claims, &walk.certificates)?;
        Ok(Included {
            dictionary: log.dictionary(),
            version: at.version(),
            entry: entry.clone(),
            position,
            occurrence,
        })
    }
}

/// Runs the first pass of verification, which compares hashes and decodes no points. Returns the
/// position of the entry, and its occurrence according to the proof: how often the pair was
/// appended up to that position, or 0 in sets.
fn read<S: Scheme>(
    walk: &mut Walk<'_, S>,
    at: &LogRoot<S>,
    entry: &Entry,
) -> Result<(u64, u64), VerifyError> {
    let shape = at.log().shape();
    let size = walk.reader.u64()?;
    let position = walk.reader.u64()?;
    let occurrence = match S::CONTENTS {
        Contents::Dictionary => walk.reader.u64()?,
        Contents::Set => 0,
    };
    let length = walk.reader.remaining();
    if position >= size || size >= Shape::SIZE_LIMIT || !shape.is_plausible(position, length) {
        return Err(VerifyError::SizeOutOfRange);
    }
    if S::CONTENTS == Contents::Dictionary && occurrence == 0 {
        return Err(VerifyError::ValueMismatch);
    }
    let root = shape.root_holding(position, size);
    let mut roots: Vec<Digest<32>> = Vec::new();
    for _ in shape.forest(size).take_while(|before| *before != root) {
        roots.push(read_digest(&mut walk.reader)?);
    }
    let after = if root.end() < size {
        Some(read_digest(&mut walk.reader)?)
    } else {
        None
    };
    // Reads the element with its whole block, or with its whole tree below the blocks' level.
    roots.push(walk.root(root, Opening::Holding(&[position]))?);
    walk.reader.finish()?;
    let shown = walk.shown.iter().flat_map(Run::elements);
    let mut at_position = shown.filter(|(place, _)| *place == position);
    let expected = element::<S>(entry, occurrence);
    if at_position
        .next()
        .is_none_or(|(_, shown)| shown != expected)
    {
        return Err(VerifyError::ValueMismatch);
    }
    if hash::digest(at.log().id(), size, hash::join(&roots, after)) != at.root() {
        return Err(VerifyError::RootMismatch);
    }
    Ok((position, occurrence))
}

/// Computes the element of an entry: the string that the log hashes for it. `occurrence` counts
/// equal pairs of key and value, from 1.
fn element<S: Scheme>(entry: &Entry, occurrence: u64) -> Vec<u8> {
    let beginning = S::beginning(entry.key.as_bytes());
    let mut element = beginning.0.to_vec();
    if S::CONTENTS == Contents::Dictionary {
        let value = Sha256Ed25519::value(entry.value.as_bytes());
        element.extend_from_slice(&value_half(&value, occurrence).0);
    }
    element.truncate(S::element_bytes());
    element
}
