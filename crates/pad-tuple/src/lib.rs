//! Tuple-based persistent authenticated dictionaries. The size of proofs is independent of the
//! number of keys.
//!
//! The author signs or accumulates *tuples* `([k_j, k_j+1), content)`. A tuple states the content
//! of `k_j`, and that no key lies between `k_j` and `k_j+1`. The tuple around a key proves its
//! value or its absence.
//!
//! The designs differ in three ways: how tuples are authenticated, how they stay valid across
//! snapshots, and in how many *generations* they are stored. Each generation covers all keys;
//! younger generations override older ones. The clock of the youngest generation counts versions.
//! The clock of an older generation counts the snapshots that changed the generation; this count is
//! its *epoch*. An *instant* is a time on such a clock.
//!
//! # The designs
//!
//! Costs for `n` keys and one update per snapshot. `s` are signatures, `h` hashes, `e` powers
//! modulo N or scalar multiplications. Designs with *speculation* (`Spec..` and accumulators) have
//! several generations. The tables are for two, with about `sqrt(n)` tuples in the young one. `L`
//! is the length of a hash chain; each new tuple needs one chain.
//!
//! Costs of the author, per update:
//!
//! | design | the author computes | an update contains |
//! |---|---|---|
//! | [`Base`], [`BaseSuperseding`] | `n s` | `n` signatures |
//! | [`BaseLightweight`] | `(2 + n/L) s + (n log L + 2 L) h` | `n` links |
//! | [`Spec`], [`SpecSuperseding`] | `sqrt(n) s` | `sqrt(n)` signatures |
//! | [`SpecLightweight`] | `4 s + (sqrt(n) log L + 4 L) h` | `sqrt(n)` links |
//! | `AccumulatorsRsa`, `-Bilinear` | `2 e + 1 s` | 1 signature |
//! | `AccumulatorsSupersedingRsa`, `-Bilinear` | `2 e + 1 s` | 1 signature |
//! | `ChainAccumulatorsRsa`, `-Bilinear` | `2 e` | 1 digest |
//!
//! Costs of the server, per update, and of one proof. `1` in the storage column means the tuples
//! that the update creates. `t` are tuples, `l` links, `v` accumulator values, `w` witnesses.
//!
//! | design | the server stores | a proof contains | the client verifies |
//! |---|---|---|---|
//! | [`Base`] | `n` | `1 t` | `1 s` |
//! | [`BaseSuperseding`] | `1` | `1 t` | `1 s` |
//! | [`BaseLightweight`] | `1` | `1 t`, `1 l` | `1 s`, chain |
//! | [`Spec`] | `sqrt(n)` | `2 t` | `2 s` |
//! | [`SpecSuperseding`] | `1` | `2 t` | `2 s` |
//! | [`SpecLightweight`] | `1` | `2 t`, `2 l` | `2 s`, chains |
//! | `AccumulatorsRsa`, `-Bilinear` | `sqrt(n) w` | `2 t`, `2 v`, `2 w` | `2 s + 2 e` |
//! | `AccumulatorsSupersedingRsa`, `-Bilinear` | `1` | `2 t`, `2 v`, `2 w` | `2 s + 2 e` |
//! | `ChainAccumulatorsRsa`, `-Bilinear` | `sqrt(n) w` | `2 t`, `2 v`, `2 w` | `1 s + 2 e` |
//!
//! Each update also contains a signed head. Only the proofs of chained accumulators contain the
//! head. The server computes the accumulators' witnesses, about `sqrt(n) log n e` for each update.
//! The other designs cost the server almost nothing.
//!
//! With the feature `bls`, [`BaseSupersedingBls`](designs) and [`SpecLightweightBls`](designs) sign
//! with BLS12-381 instead of Ed25519. One signature of 48 bytes then covers a proof of many keys.
//! [`SpecLightweight3`] has three generations.
//!
//! How to choose:
//! - [`SpecLightweight`] for many small snapshots.
//! - [`BaseSuperseding`] if lookups far outnumber updates, or each snapshot changes a large part of
//!   the keys.
//! - A tree (crate `pad-tree`) for frequent updates.
//!
//! `bench tuple` measures the break-even points.
//!
//! # Example
//!
//! ```
//! use ed25519_dalek::SigningKey;
//! use pad_core::{
//!     Answer, AuthorKey, Dictionary, DictionaryId, Key, Repository, Sha256Ed25519, Untrusted,
//!     Value, Version,
//! };
//! use pad_tuple::{
//!     Expectation, TupleAuthor, TupleRepository, ChainSecret, designs::SpecLightweight,
//! };
//!
//! // The author publishes two versions.
//! let signer = SigningKey::from_bytes(&[7; 32]);
//! let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
//! let secret = ((), ChainSecret::from_bytes([8; 32]));
//! let id = DictionaryId::from_name("prices");
//! let mut author =
//!     TupleAuthor::<Sha256Ed25519, SpecLightweight, _>::new(id, public, signer, secret);
//! let mut server = TupleRepository::<_, SpecLightweight>::new(author.authority(), author.key());
//! author.put(Key::try_from("apple")?, Value::try_from("3")?);
//! server.apply(&author.snapshot()?)?;
//! author.put(Key::try_from("apple")?, Value::try_from("4")?);
//! server.apply(&author.snapshot()?)?;
//!
//! // The client asks for the price in version 1, trusting nothing but the author's key.
//! let version = Version::new(1);
//! let expectation = Expectation { authority: author.authority(), key: author.key(), version };
//! let key = Key::try_from("apple")?;
//! let proof = Untrusted::new(server.prove(version, &key)?);
//! let lookup = proof.verify(&expectation, &key)?.into_inner();
//! assert_eq!(lookup.answer, Answer::Present(Value::try_from("3")?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`) and verifies all proofs
//! of the signed designs. With `std` it contains the author ([`TupleAuthor`]) and the server
//! ([`TupleRepository`]) in memory.
//!
//! The features `bls`, `rsa` and `bilinear` are on by default too. `bls` adds the designs with BLS
//! signatures, also without `std`. `rsa` and `bilinear` turn `std` on and add the designs with
//! accumulators. `rsa` links GMP.
//!
//! Source: Crosby & Wallach 2010, sections 2.2, 4 and 7.
//!
//! [`Base`]: designs::Base
//! [`BaseLightweight`]: designs::BaseLightweight
//! [`BaseSuperseding`]: designs::BaseSuperseding
//! [`Spec`]: designs::Spec
//! [`SpecLightweight`]: designs::SpecLightweight
//! [`SpecLightweight3`]: designs::SpecLightweight3
//! [`SpecSuperseding`]: designs::SpecSuperseding

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

#[cfg(feature = "accumulators")]
mod accumulated;
#[cfg(feature = "std")]
mod author;
mod chain;
#[cfg(feature = "accumulators")]
mod chain_accumulated;
#[cfg(feature = "std")]
mod checkpoint;
#[cfg(feature = "std")]
mod content;
#[cfg(feature = "std")]
mod design;
pub mod designs;
mod family;
mod few;
#[cfg(feature = "std")]
mod hosting;
#[cfg(feature = "std")]
mod kept;
mod keys;
#[cfg(feature = "std")]
mod layers;
mod many;
mod proof;
mod range;
#[cfg(feature = "std")]
mod repository;
mod scheme;
mod signed;
#[cfg(feature = "std")]
mod source;
#[cfg(feature = "std")]
mod speculation;
mod statement;
#[cfg(feature = "std")]
mod stored;
mod tuple;
#[cfg(feature = "std")]
mod update;
mod validity;

#[cfg(all(feature = "bls", feature = "std"))]
pub use bls12::signatures::BlsSecretKey;
pub use family::Tuple;
pub use many::ManyProof;
pub use proof::TupleProof;
pub use range::RangeProof;
pub use scheme::{Expectation, TupleScheme};
#[cfg(feature = "std")]
pub use {
    author::TupleAuthor, chain::ChainSecret, design::AuthorError, keys::SecretBytes,
    repository::TupleRepository, speculation::Speculation,
};

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "bls")]
    pub use crate::signed::Bls;
    #[cfg(feature = "accumulators")]
    pub use crate::{
        accumulated::{Accumulated, AccumulatedEvidence, Retention, label},
        chain_accumulated::{ChainAccumulated, ChainSeal},
    };
    #[cfg(feature = "std")]
    pub use crate::{
        checkpoint::TupleCheckpoint,
        design::{
            Admission, AggregateDesign, Design, Resumed, SharedSigner, TupleId, UnsignedSnapshot,
        },
        keys::DEFAULT_ENTRIES,
        layers::Layers,
        signed::{LightweightItem, Refresh, TupleSignature},
        stored::{
            MemoryRows, PublishError, Row, RowView, Rows, StorableDesign, StoredTupleRepository,
        },
        update::TupleAttachment,
    };
    pub use crate::{
        keys::{KeyBytes, PublicBytes},
        proof::{Part, ShownContent, ShownTuple},
        range::{RangeContent, RangePart},
        scheme::{AggregateScheme, Attested, Claim},
        signed::{
            Ed25519, Lightweight, Plain, RefreshScheme, SignatureScheme, Signed, SignedEvidence,
            Superseding,
        },
        statement::{Context, TupleStatement},
        tuple::{Content, TupleView},
    };

    /// The hash chains of lightweight signatures.
    pub mod chain {
        pub use crate::chain::*;
    }

    /// Roots and attachments of updates.
    #[cfg(feature = "std")]
    pub mod update {
        pub use crate::update::*;
    }
}
