//! The same set in all ways to let a server prove what is in it: every element signed, a Merkle tree under one signature,
//! and accumulators whose witnesses are made by whom it suits.
//!
//! The work is one update: an element of the set gives way to another, and the author signs the new version. With two
//! generations (section 4.2) an epoch of a set of `n` has `sqrt(n)` updates, each of which authenticates anew the up to
//! `sqrt(n)` elements of the epoch so far, and once all `n`: `1.5 sqrt(n)` for each update. So those figures are of an
//! update measured on a set of that size, and of look-ups that ask both generations.
//!
//! A set, not a dictionary: nothing here proves absence.
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

/// What a contender takes for one update and for one look-up. Times are microseconds on one thread, sizes bytes.
#[derive(Clone, Debug)]
pub struct SetFigures {
    /// What proves membership, for example `signed-each`.
    pub contender: String,
    /// Who makes witnesses: `server`, `server-lazily`, `author` or `author-updates`; empty if there are none.
    pub witnesses: &'static str,
    /// The author, signature included.
    pub author_us: f64,
    /// The primitives in that.
    pub author_limit_us: f64,
    /// Elements, signatures, values and witnesses as sent.
    pub update_bytes: usize,
    /// The server: checking the author's signature, and what look-ups will need.
    pub apply_us: f64,
    /// The server: a look-up.
    pub prove_us: f64,
    /// What a client gets beside the element.
    pub proof_bytes: usize,
    /// The client: signature and membership.
    pub verify_us: f64,
    /// The primitives in that.
    pub verify_limit_us: f64,
    /// What the server stores for the latest version.
    pub stored_bytes: usize,
}

impl SetFigures {
    /// The contender with the maker of its witnesses.
    fn design(&self) -> String {
        match self.witnesses {
            "" => self.contender.clone(),
            witnesses => format!("{}, {witnesses}", self.contender),
        }
    }

    /// The line of a set of `n` elements in so many generations.
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

    /// The figures with two generations: updates as of a set with as many elements as one authenticates, look-ups in both.
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

/// The elements that an update authenticates with two generations, mean over an epoch.
#[allow(clippy::cast_sign_loss, reason = "roots are not negative")]
fn young_elements(n: usize) -> usize {
    (1.5 * (n as f64).sqrt()).ceil() as usize
}

/// The bytes of an element.
const ELEMENT_BYTES: usize = 32;

/// An update's element that goes and element that comes.
const CHANGE_BYTES: usize = 2 * ELEMENT_BYTES;

/// The bytes of a version.
const VERSION_BYTES: usize = size_of::<u64>();
