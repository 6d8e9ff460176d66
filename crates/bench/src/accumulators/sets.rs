//! One set, with every method by which a server can prove membership.
//!
//! Compares a signature for every element, a Merkle tree under one signature, and accumulators with
//! each maker of witnesses. The work is one update: an element of the set is replaced, and the
//! author signs the new version.
//!
//! With two generations (section 4.2) an epoch of a set of `n` elements has `sqrt(n)` updates. Each
//! update authenticates the up to `sqrt(n)` elements of the epoch so far. Once in an epoch all `n`
//! elements are authenticated. The mean is `1.5 sqrt(n)` elements for each update. So figures with
//! two generations are for an update of a set of that size, and for lookups in both generations.
//!
//! Sets are not dictionaries: nothing here proves absence.
//!
//! Source: Crosby & Wallach 2010, sections 4.2, 4.3 and 7.4.

use crate::{costs, line, line::Line};

pub mod accumulated;
pub mod claims;
pub mod conclusion;
pub mod merkle;
pub mod plain;

/// The name of these lines.
pub const EXPERIMENT: &str = "accumulators_sets";

/// Cost of one update and one lookup of a contender. Times are microseconds on one thread, sizes
/// bytes.
#[derive(Clone, Debug)]
pub struct SetFigures {
    /// Method of proving membership, for example `signed-each`.
    pub contender: String,
    /// Maker of witnesses: `server`, `server-lazily`, `author` or `author-updates`; empty if there
    /// are none.
    pub witnesses: &'static str,
    /// Author: the update, signature included.
    pub author_us: f64,
    /// Primitives in the author's time.
    pub author_limit_us: f64,
    /// Elements, signatures, values and witnesses as sent.
    pub update_bytes: usize,
    /// Server: checking the author's signature, and preparing for lookups.
    pub apply_us: f64,
    /// Server: a lookup.
    pub prove_us: f64,
    /// Bytes that a client receives in addition to the element.
    pub proof_bytes: usize,
    /// Client: verifying signature and membership.
    pub verify_us: f64,
    /// Primitives in the client's time.
    pub verify_limit_us: f64,
    /// Bytes that the server stores for the latest version.
    pub stored_bytes: usize,
}

impl SetFigures {
    /// Returns the contender with the maker of its witnesses.
    fn design(&self) -> String {
        match self.witnesses {
            "" => self.contender.clone(),
            witnesses => format!("{}, {witnesses}", self.contender),
        }
    }

    /// Formats the line of a set of `n` elements in `generations` generations.
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

    /// Returns the figures with two generations: the update of `young`, and lookups in both sets.
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

/// Returns the number of elements that an update authenticates with two generations, mean over an
/// epoch.
#[allow(clippy::cast_sign_loss, reason = "roots are not negative")]
fn young_elements(n: usize) -> usize {
    (1.5 * (n as f64).sqrt()).ceil() as usize
}

/// The bytes of an element.
const ELEMENT_BYTES: usize = 32;

/// Element that an update removes, and element that it adds.
const CHANGE_BYTES: usize = 2 * ELEMENT_BYTES;

/// The bytes of a version.
const VERSION_BYTES: usize = size_of::<u64>();
