//! Proofs of membership in one set, by several methods.
//!
//! Compares a signature for every element, a Merkle tree under one signature, and accumulators with
//! each maker of witnesses. The work is one update: an element of the set is replaced, and the
//! author signs the new version.
//!
//! With two generations (section 4.2) an epoch of a set of `n` elements has `sqrt(n)` updates. Each
//! update authenticates the up to `sqrt(n)` elements of the epoch so far. Once in an epoch, all `n`
//! elements are authenticated. The mean is `1.5 sqrt(n)` elements for each update. So figures with
//! two generations are for an update of a set of `1.5 sqrt(n)` elements, and for lookups in both
//! generations.
//!
//! Sets are not dictionaries: no method here proves absence.
//!
//! Source: Crosby & Wallach 2010, sections 4.2, 4.3 and 7.4.

use crate::{costs, line, line::Line};

pub mod accumulated;
pub mod claims;
pub mod conclusion;
pub mod merkle;
pub mod plain;

/// Value of `experiment` in the result lines about sets.
pub const EXPERIMENT: &str = "accumulators_sets";

/// Cost of one update and one lookup with a method of proving membership. Times are microseconds on
/// one thread, sizes are bytes.
#[derive(Clone, Debug)]
pub struct SetFigures {
    /// Method of proving membership, for example `signed-each`.
    pub contender: String,
    /// Party that makes the witnesses, and when: `server`, `server-lazily`, `author` or
    /// `author-updates`. Empty for methods without witnesses.
    pub witnesses: &'static str,
    /// Author's time for the update, including the signature.
    pub author_us: f64,
    /// Lower bound of the author's time: the primitives in it.
    pub author_limit_us: f64,
    /// Bytes of the update as the author sends it: elements, signatures, values and witnesses.
    pub update_bytes: usize,
    /// Server's time for an update: checking the author's signature, and preparing for lookups.
    pub apply_us: f64,
    /// Server's time for the proof of one lookup.
    pub prove_us: f64,
    /// Bytes that a client receives in addition to the element.
    pub proof_bytes: usize,
    /// Client's time to verify the signature and the membership of one element.
    pub verify_us: f64,
    /// Lower bound of the client's time: the primitives in it.
    pub verify_limit_us: f64,
    /// Bytes that the server stores for the latest version.
    pub stored_bytes: usize,
}

impl SetFigures {
    /// Returns the name of the contender, followed by the maker of its witnesses if there is one.
    fn design(&self) -> String {
        match self.witnesses {
            "" => self.contender.clone(),
            witnesses => format!("{}, {witnesses}", self.contender),
        }
    }

    /// Builds the result line for a set of `n` elements in `generations` generations (1 or 2).
    fn line(&self, n: usize, generations: u32) -> Line {
        let line = line! {
            experiment: EXPERIMENT, design: self.design(), contender: &self.contender,
            witnesses: self.witnesses, n, keys: n, generations, threads: 1,
            author_us: self.author_us, author_limit_us: self.author_limit_us,
            author_ratio: self.author_us / self.author_limit_us, update_bytes: self.update_bytes,
            apply_us: self.apply_us, prove_us: self.prove_us, proof_bytes: self.proof_bytes,
            verify_us: self.verify_us, verify_limit_us: self.verify_limit_us,
            verify_ratio: self.verify_us / self.verify_limit_us, stored_bytes: self.stored_bytes,
        };
        line.merged(&costs::line_of(&costs::of_2010()))
    }

    /// Combines the figures for a set in two generations: the update is that of the set `young`,
    /// and a lookup searches both sets.
    fn with_young_generation(&self, young: &Self) -> Self {
        Self {
            prove_us: self.prove_us + young.prove_us,
            proof_bytes: self.proof_bytes + young.proof_bytes,
            verify_us: self.verify_us + young.verify_us,
            verify_limit_us: self.verify_limit_us + young.verify_limit_us,
            stored_bytes: self.stored_bytes + young.stored_bytes,
            ..young.clone()
        }
    }
}

/// Returns the mean number of elements that an update authenticates if a set of `n` elements has
/// two generations.
#[allow(clippy::cast_sign_loss, reason = "roots are not negative")]
fn young_elements(n: usize) -> usize {
    (1.5 * (n as f64).sqrt()).ceil() as usize
}

/// Bytes of each element of a measured set.
const ELEMENT_BYTES: usize = 32;

/// Bytes of a change in an update: the element that is removed, and the element that is added.
const CHANGE_BYTES: usize = 2 * ELEMENT_BYTES;

/// Bytes of a version number in a message.
const VERSION_BYTES: usize = size_of::<u64>();
