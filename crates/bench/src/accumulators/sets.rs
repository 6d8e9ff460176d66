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

use crate::{costs, line, prelude::*};

pub mod accumulated;
pub mod conclusion;
pub mod merkle;
pub mod plain;

/// Value of `experiment` in the result lines about sets.
pub const EXPERIMENT: &str = "accumulators_sets";

/// Builds the result line of a method for a set of `n` elements in `generations` generations (1 or
/// 2). `figures` has the costs of one update and one lookup: times on one thread, and sizes.
///
/// `contender` is the method, for example `signed-each`. `witnesses` names the party that makes the
/// witnesses, and when; it is empty for methods without witnesses. `author_us` and `verify_us`
/// include the signature. Servers prepare for lookups in `apply_us`, and store `stored_bytes`.
fn set_line(figures: &Line, n: usize, generations: u32) -> Line {
    let design = match (figures.text("contender"), figures.text("witnesses")) {
        (contender, "") => contender.to_owned(),
        (contender, witnesses) => format!("{contender}, {witnesses}"),
    };
    let ratio = |us: &str, limit_us: &str| figures.figure(us) / figures.figure(limit_us);
    let line = line! {
        experiment: EXPERIMENT, design, n, keys: n, generations, threads: 1,
        author_ratio: ratio("author_us", "author_limit_us"),
        verify_ratio: ratio("verify_us", "verify_limit_us"),
    };
    let prices = costs::line_of(&costs::of_2010());
    line.merged(figures).merged(&prices)
}

/// Combines the figures for a set in two generations: the update is that of the set `young`, and a
/// lookup searches both sets.
fn with_young_generation(old: &Line, young: &Line) -> Line {
    let us = |key| old.figure(key) + young.figure(key);
    let bytes = |key| old.count(key) + young.count(key);
    let of_both = line! {
        prove_us: us("prove_us"), proof_bytes: bytes("proof_bytes"), verify_us: us("verify_us"),
        verify_limit_us: us("verify_limit_us"), stored_bytes: bytes("stored_bytes"),
    };
    replaced(young, &of_both)
}

/// Returns the mean number of elements that an update authenticates if a set of `n` elements has
/// two generations.
fn young_elements(n: usize) -> usize {
    (1.5 * (n as f64).sqrt()).ceil() as usize
}

/// Bytes of each element of a measured set.
const ELEMENT_BYTES: usize = 32;

/// Bytes of a change in an update: the element that is removed, and the element that is added.
const CHANGE_BYTES: usize = 2 * ELEMENT_BYTES;

/// Bytes of a version number in a message.
const VERSION_BYTES: usize = size_of::<u64>();
