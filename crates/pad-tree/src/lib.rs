//! Twelve tree-based persistent authenticated dictionaries, each composed of a balancing scheme and
//! a store.
//!
//! The store is [`PathCopying`], or [`VersionedNodes`] with one of three cache policies. The
//! numbers 1 to 12 count the combinations:
//!
//! | | [`PathCopying`] | [`CacheNowhere`] | [`CacheMedian`] | [`CacheEverywhere`] |
//! |---|---|---|---|---|
//! | [`Treap`] | 1 | 2 | 3 | 4 |
//! | [`RedBlack`] | 5 | 6 | 7 | 8 |
//! | [`SkipList`] | 9 | 10 | 11 | 12 |
//! | space per update | `O(log n)` nodes | `O(1)` | `O(1)` | `O(1)` nodes, `O(log n)` digests |
//! | proof of an old version | `O(log n)` | `O(n)` | `O(sqrt n)` | `O(log n)` |
//!
//! The scheme decides the roots that an author signs. The choice of store is private to the server,
//! because all four stores give the same roots and proofs. Choose [`RedBlack`] with [`PathCopying`]
//! (fastest) or with [`CacheEverywhere`] (measured: 96 % of the memory of `PathCopying`). If equal
//! contents must have equal roots, choose [`Treap`].
//!
//! # Which one
//!
//! - **One dictionary, no special needs**: [`Tree`]`<`[`RedBlack`]`>` with the author, server and
//!   client of [`pad_core`]. Proofs have about `log n` digests: 486 bytes for 10 000 keys.
//! - **Equal contents with equal roots, unions and differences**: `Tree<`[`Treap`]`>` or
//!   `Tree<`[`SkipList`]`>`. Proofs are longer.
//! - **Fast queries of any version**: a repository over `PathCopying` or `CacheEverywhere`, as in
//!   the table above. Each change takes `O(log n)` memory.
//! - **Many versions in little memory, queried seldom**: a repository over `CacheMedian` or
//!   `CacheNowhere`. Proofs of old versions take `O(sqrt n)` or `O(n)`.
//! - **Larger than memory**: `StoredRepository` over a [`NodeLog`]. Each lookup reads some blocks.
//! - **A server for one range of keys**: `TreePart`. It stores the range, and one path for each
//!   change. It is loaded from proofs of other servers.
//! - **Only a verifier, `no_std`**: [`Tree`] and [`TreeProof`] without default features.
//!
//! # Example
//!
//! ```
//! use ed25519_dalek::SigningKey;
//! use pad_core::{
//!     AuthorKey, Dictionary, DictionaryId, Key, Repository, Sha256Ed25519, TrustedView, Untrusted,
//!     Value, Version,
//! };
//! use pad_core::Answer;
//! use pad_tree::{RedBlackAuthor, RedBlackPathCopying};
//!
//! // The author publishes two versions.
//! let signer = SigningKey::from_bytes(&[7; 32]);
//! let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
//! let id = DictionaryId::from_name("prices");
//! let mut author = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);
//! let mut server = RedBlackPathCopying::<Sha256Ed25519>::new(author.authority());
//! author.put(Key::try_from("apple")?, Value::try_from("3")?);
//! server.apply(&author.snapshot()?)?;
//! author.put(Key::try_from("apple")?, Value::try_from("4")?);
//! server.apply(&author.snapshot()?)?;
//!
//! // The client asks for the price in version 1, trusting nothing but the author's key.
//! let view = TrustedView::<Sha256Ed25519>::new(author.authority());
//! let version = Version::new(1);
//! let head = view.snapshot(version, Untrusted::new(server.head(version)?))?;
//! let key = Key::try_from("apple")?;
//! let proof = Untrusted::new(server.prove(version, &key)?);
//! let lookup = proof.verify(&head, &key)?.into_inner();
//! assert_eq!(lookup.answer, Answer::Present(Value::try_from("3")?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: Crosby & Wallach 2010, sections 2, 3 and 6.

#![cfg_attr(not(feature = "std"), no_std)]
// Without `std` only the code that parses untrusted input remains.
#![cfg_attr(
    not(feature = "std"),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

extern crate alloc;

#[cfg(feature = "std")]
mod annotation;
#[cfg(feature = "std")]
mod author;
#[cfg(feature = "std")]
mod balancing;
#[cfg(feature = "std")]
mod count;
#[cfg(feature = "std")]
mod diff;
#[cfg(feature = "std")]
mod entries;
mod explain;
mod family;
#[cfg(feature = "std")]
mod hosting;
#[cfg(feature = "std")]
mod id;
mod opened;
#[cfg(feature = "std")]
mod part;
#[cfg(feature = "std")]
mod persistent;
mod proof;
#[cfg(feature = "std")]
mod prover;
mod query;
#[cfg(feature = "std")]
mod replace;
#[cfg(feature = "std")]
mod repository;
mod scheme;
#[cfg(feature = "std")]
mod seal;
#[cfg(feature = "std")]
mod search;
#[cfg(feature = "std")]
mod set_operations;
mod side;
mod step;
#[cfg(feature = "std")]
mod store;
#[cfg(feature = "std")]
mod stored;
#[cfg(feature = "std")]
#[cfg(test)]
mod tests;
#[cfg(feature = "std")]
mod tree;
#[cfg(feature = "std")]
mod view;

pub use family::Tree;
pub use proof::TreeProof;
pub use scheme::{RedBlack, SkipList, Treap, TreeScheme};
#[cfg(feature = "std")]
pub use {
    author::TreeAuthor,
    diff::{Difference, KeyHistory},
    part::{PartError, PartProgress, TreePart},
    repository::TreeRepository,
    set_operations::{Conflict, SetVersion},
    store::{
        cache::{CacheEverywhere, CacheMedian, CacheNowhere},
        path_copying::PathCopying,
        versioned_nodes::VersionedNodes,
    },
    stored::{
        CacheSize, CopyError, LogId, MemoryLog, NodeCache, NodeLog, PublishError, SortedError,
        StoredRepository, WarmError, Warming,
    },
};

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "std")]
    pub use crate::{
        annotation::{Annotation, Authenticated, Plain},
        balancing::BalancingScheme,
        count::Counted,
        persistent::{Change, PersistentTree},
        prover::ProvableQuery,
        store::VersionedStore,
        stored::{RECORDS_FOR_EACH_SUBTREE, place_in_record, record_bytes},
    };
    pub use crate::{proof::Content, query::TreeQuery, side::Side, step::Step};
}

#[cfg(feature = "std")]
/// The author of a tree dictionary that is balanced as a treap.
pub type TreapAuthor<S, K> = TreeAuthor<S, Treap, K>;
#[cfg(feature = "std")]
/// The author of a tree dictionary that is balanced as a red-black tree.
pub type RedBlackAuthor<S, K> = TreeAuthor<S, RedBlack, K>;
#[cfg(feature = "std")]
/// The author of a tree dictionary that is balanced as a skip list.
pub type SkipListAuthor<S, K> = TreeAuthor<S, SkipList, K>;

#[cfg(feature = "std")]
macro_rules! repositories {
    ($($name:ident: $scheme:ty, $store:ident $(, $policy:ty)?;)*) => {$(
        #[doc = concat!(
            "The repository of a `", stringify!($scheme), "` PAD over `", stringify!($store), "`",
            $(" with `", stringify!($policy), "`",)? "."
        )]
        pub type $name<S> =
            TreeRepository<S, $store<annotation::Authenticated<S>, $scheme $(, $policy)?>>;
    )*};
}

#[cfg(feature = "std")]
repositories! {
    TreapPathCopying: Treap, PathCopying;
    TreapCacheNowhere: Treap, VersionedNodes, CacheNowhere;
    TreapCacheMedian: Treap, VersionedNodes, CacheMedian;
    TreapCacheEverywhere: Treap, VersionedNodes, CacheEverywhere;
    RedBlackPathCopying: RedBlack, PathCopying;
    RedBlackCacheNowhere: RedBlack, VersionedNodes, CacheNowhere;
    RedBlackCacheMedian: RedBlack, VersionedNodes, CacheMedian;
    RedBlackCacheEverywhere: RedBlack, VersionedNodes, CacheEverywhere;
    SkipListPathCopying: SkipList, PathCopying;
    SkipListCacheNowhere: SkipList, VersionedNodes, CacheNowhere;
    SkipListCacheMedian: SkipList, VersionedNodes, CacheMedian;
    SkipListCacheEverywhere: SkipList, VersionedNodes, CacheEverywhere;
}

/// Calls a macro once for each of the twelve combinations of balancing scheme and store.
///
/// The macro is called as `$callback!(name, Scheme, Repository);`. `name` is an identifier such as
/// `red_black_cache_median` and `Scheme` the balancing scheme. `Repository` is the alias of the
/// repository, which takes the suite as its parameter.
#[cfg(feature = "std")]
#[macro_export]
macro_rules! for_each_tree {
    ($callback:ident) => {
        $crate::for_each_tree! {
            $callback:
            treap_path_copying Treap TreapPathCopying;
            treap_cache_nowhere Treap TreapCacheNowhere;
            treap_cache_median Treap TreapCacheMedian;
            treap_cache_everywhere Treap TreapCacheEverywhere;
            red_black_path_copying RedBlack RedBlackPathCopying;
            red_black_cache_nowhere RedBlack RedBlackCacheNowhere;
            red_black_cache_median RedBlack RedBlackCacheMedian;
            red_black_cache_everywhere RedBlack RedBlackCacheEverywhere;
            skip_list_path_copying SkipList SkipListPathCopying;
            skip_list_cache_nowhere SkipList SkipListCacheNowhere;
            skip_list_cache_median SkipList SkipListCacheMedian;
            skip_list_cache_everywhere SkipList SkipListCacheEverywhere;
        }
    };
    ($callback:ident: $($name:ident $scheme:ident $repository:ident;)+) => {
        $($callback!($name, $crate::$scheme, $crate::$repository);)+
    };
}
