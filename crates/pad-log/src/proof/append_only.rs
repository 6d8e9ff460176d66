//! Append-only proofs: a version contains all entries of an older version, at the same positions.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_core::{Digest, Proof, VerifyError};

use super::{AppendOnlyProof, check, claims, read_digest};
use crate::{
    hash,
    log::{Log, LogRoot},
    scheme::Scheme,
    shape::Address,
    statement::Grown,
    walk::{Opening, Walk},
};

/// A log at an older and a newer verified version: the commitment against which an append-only
/// proof is checked.
#[derive(Clone, Debug)]
pub struct Growth<S: Scheme> {
    log: Log<S>,
    old: LogRoot<S>,
    new: LogRoot<S>,
}

impl<S: Scheme> Growth<S> {
    /// Combines the roots of a log at an older and at a newer version.
    ///
    /// # Errors
    /// - [`VerifyError::WrongDictionary`] if the two roots belong to different logs.
    /// - [`VerifyError::Rollback`] if the older version has the higher number.
    /// - [`VerifyError::Fork`] if both have the same version number but different digests.
    pub fn new(old: LogRoot<S>, new: LogRoot<S>) -> Result<Self, VerifyError> {
        if old.log().id() != new.log().id() {
            return Err(VerifyError::WrongDictionary);
        }
        let (seen, offered) = (old.version(), new.version());
        if seen > offered {
            return Err(VerifyError::Rollback { seen, offered });
        }
        if seen == offered && old.root() != new.root() {
            return Err(VerifyError::Fork(seen));
        }
        let log = new.log().clone();
        Ok(Self { log, old, new })
    }
}

impl<S: Scheme> Proof for AppendOnlyProof<S> {
    type Commitment = Growth<S>;
    type Query = ();
    type Statement = Grown;
    type Error = VerifyError;

    fn check(self, growth: &Growth<S>, (): &()) -> Result<Grown, VerifyError> {
        let mut walk = Walk::<S>::new(growth.log.shape(), &self.body);
        let (from_size, to_size) = read(&mut walk, growth)?;
        let Growth { log, old, new } = growth;
        let claims = claims(log, &[&old.root().0, &new.root().0], &self.body);
        check(log, claims, &walk.certificates)?;
        Ok(Grown {
            dictionary: log.dictionary(),
            from: old.version(),
            to: new.version(),
            from_size,
            to_size,
        })
    }
}

/// Runs the first pass of verification, which compares hashes and decodes no points. Returns the
/// sizes of the older and the newer version.
fn read<S: Scheme>(walk: &mut Walk<'_, S>, growth: &Growth<S>) -> Result<(u64, u64), VerifyError> {
    let Growth { log, old, new } = growth;
    let from = walk.reader.u64()?;
    let to = walk.reader.u64()?;
    if from > to {
        return Err(VerifyError::SizeOutOfRange);
    }
    let (old_digest, new_bag) = if from == 0 || from == to {
        let bag = match to {
            0 => None,
            _ => Some(read_digest(&mut walk.reader)?),
        };
        walk.reader.finish()?;
        // The message contains no old root, so the digests themselves are compared.
        let old_digest = match from {
            0 => hash::digest(log.id(), 0, None),
            _ => new.root(),
        };
        (old_digest, bag)
    } else {
        let bags = read_roots(walk, log, (from, to))?;
        (hash::digest(log.id(), from, bags.0), bags.1)
    };
    if old_digest != old.root() {
        return Err(VerifyError::OldRootMismatch);
    }
    if hash::digest(log.id(), to, new_bag) != new.root() {
        return Err(VerifyError::RootMismatch);
    }
    Ok((from, to))
}

/// Reads the trees of the newer version. Returns the bags (combined hashes) of the roots of the
/// older and the newer version.
fn read_roots<S: Scheme>(
    walk: &mut Walk<'_, S>,
    log: &Log<S>,
    (from, to): (u64, u64),
) -> Result<(Option<Digest<32>>, Option<Digest<32>>), VerifyError> {
    let shape = log.shape();
    if !shape.is_plausible(to, walk.reader.remaining()) {
        return Err(VerifyError::SizeOutOfRange);
    }
    let opening = Opening::Since(shape, from);
    let mut roots: Vec<Digest<32>> = Vec::new();
    for root in shape.forest(to) {
        roots.push(read_root(walk, root, (opening, from))?);
    }
    walk.reader.finish()?;
    Ok((hash::bag(&walk.old_roots), hash::bag(&roots)))
}

/// Reads one tree of the newer version, and returns the hash of its root.
fn read_root<S: Scheme>(
    walk: &mut Walk<'_, S>,
    root: Address,
    (opening, from): (Opening<'_>, u64),
) -> Result<Digest<32>, VerifyError> {
    if opening.is_closed(root) {
        let hash = read_digest(&mut walk.reader)?;
        if root.start() < from {
            walk.old_roots.push(hash);
        }
        return Ok(hash);
    }
    Ok(walk.root(root, opening)?)
}
