//! One repository as several servers, each of which holds the tuples of a range of keys.
//!
//! ```text
//!               update                 part of it
//!   author ---------------> splitter ---------------> partition [ , m)
//!                                    ---------------> partition [m, )
//! ```
//!
//! A tuple answers alone for the keys of its interval, so a server needs no other tuples than those
//! whose interval meets its range; a tuple across a boundary is held on both sides. Proofs are, byte
//! for byte, those of a repository that is not divided.
//!
//! # Who checks what
//!
//! The head signs a digest of *all* operations and signatures. Only who sees all of an update can
//! compare: the [`Splitter`] does, and lays the update out. It keeps the keys and values of the latest
//! version, but no signatures, no indexes and no earlier version. A [`Partition`] checks the author's
//! signature on each head and that heads continue each other, and that what it gets fits together. It
//! takes the splitter's word that its part belongs to that head and is complete. So the splitter
//! belongs to the server, as the network between them does. Clients trust neither: a splitter that
//! sends something else makes a partition hand out proofs that clients refuse, and
//! [`Partition::audit`] finds it, by checking each signature that the partition would show.
//!
//! Deviation: the paper proposes to divide the whole work of the server. Here the layout of the latest
//! version stays in one place, about a logarithm of work for each operation and each tuple that is
//! merged, because a part of an update cannot be checked against the signed root.
//!
//! Designs whose tuples are accumulated cannot be divided like this: a witness depends on all tuples.
//!
//! Source: Crosby & Wallach 2010, section 9 ("Faster server insertion rates").

use core::ops::Range;

use pad_core::{Key, SignedHead, Suite, Version};
use serde::{Deserialize, Serialize};

use crate::{
    design::{Design, TupleId},
    layers::Layers,
    proof::ShownContent,
    update::EpochExtension,
};

mod repository;
mod server;
mod splitter;

pub use repository::PartitionedRepository;
pub use server::Partition;
pub use splitter::Splitter;

/// A design whose extensions consist of one item for each tuple, which nothing else depends on.
pub trait DivisibleDesign<S: Suite>: Design<S> {
    /// The number of tuples that an extension speaks of.
    fn tuples_in(extension: &Self::Extension) -> usize;

    /// What an extension says of the tuples at some places in their order. `None` if there are not so many.
    fn divide(extension: &Self::Extension, places: Range<usize>) -> Option<Self::Extension>;

    /// Whether [`Design::admit`] would take these extensions.
    fn fits(
        records: &Self::Records,
        layers: &Layers<S, TupleId>,
        extensions: &[Self::Extension],
    ) -> bool;
}

/// What an update did to one generation, as far as a range of keys is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GenerationUpdate<T: EpochExtension> {
    /// The lower ends of tuples that are no more; of a generation that was merged away, none is named.
    pub deleted: Vec<Key>,
    /// The tuples that are new: their lower ends and contents, in ascending order.
    pub created: Vec<(Key, ShownContent)>,
    /// Where the last tuple that meets the range ends.
    pub upper: Option<Key>,
    /// What authenticates each tuple that meets the range.
    pub extension: T,
}

/// The part of an update that one partition needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PartialUpdate<S: Suite, T: EpochExtension> {
    /// The version that it follows.
    pub base: Version,
    /// The author's head.
    pub head: SignedHead<S>,
    /// The digest of the whole update's operations.
    pub operations: S::Digest,
    /// The generations whose clock moved, youngest first.
    pub generations: Vec<GenerationUpdate<T>>,
}
