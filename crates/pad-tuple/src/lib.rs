//! Tuple-based persistent authenticated dictionaries: proofs of constant size, whatever the number of
//! keys.
//!
//! The author makes statements about *tuples* `([k_j, k_j+1), content)`: "this is what is at `k_j`, and
//! there is no other key below `k_j+1`". The tuple around a key answers for it, present or absent.
//! What distinguishes the designs is how the statements are authenticated, how they stay valid from one
//! snapshot to the next, and in how many generations the tuples are kept.
//!
//! # The designs
//!
//! For `n` keys and one update per snapshot; `s` signatures, `h` hashes, `e` powers modulo N or scalar
//! multiplications; two generations where there is speculation, so that about `sqrt(n)` tuples are
//! young. `L` is the length of a hash chain, of which each new tuple needs one. What the author computes and the
//! server stores is for each update; of what is stored, `1` stands for the tuples that the update makes.
//!
//! | design | the author computes | an update carries | the server stores | a proof shows | the client verifies |
//! |---|---|---|---|---|---|
//! | [`Base`] | `n s` | `n` signatures | `n` | 1 tuple | 1 s |
//! | [`BaseSuperseding`] | `n s` | `n` signatures | `1` | 1 tuple | 1 s |
//! | [`BaseLightweight`] | `(2 + n/L) s + (n log L + 2 L) h` | `n` links | `1` | 1 tuple, 1 link | 1 s, chain |
//! | [`Spec`] | `sqrt(n) s` | `sqrt(n)` signatures | `sqrt(n)` | 2 tuples | 2 s |
//! | [`SpecSuperseding`] | `sqrt(n) s` | `sqrt(n)` signatures | `1` | 2 tuples | 2 s |
//! | [`SpecLightweight`] | `4 s + (sqrt(n) log L + 4 L) h` | `sqrt(n)` links | `1` | 2 tuples, 2 links | 2 s, chains |
//! | `AccumulatorsRsa`, `-Bilinear` | `2 e + 1 s` | 1 signature | `sqrt(n)` witnesses | 2 tuples, 2 values, 2 witnesses | 2 s + 2 e |
//! | `AccumulatorsSupersedingRsa`, `-Bilinear` | `2 e + 1 s` | 1 signature | `1` | 2 tuples, 2 values, 2 witnesses | 2 s + 2 e |
//! | `ChainAccumulatorsRsa`, `-Bilinear` | `2 e` | 1 digest | `sqrt(n)` witnesses | 2 tuples, 2 values, 2 witnesses | 1 s + 2 e |
//!
//! A head with one more signature goes with every update; only proofs of chained accumulators show it. The server
//! makes the accumulators' witnesses, about `sqrt(n) log n e` for each update; the other designs cost it next to
//! nothing.
//!
//! [`BaseSupersedingBls`](designs) and [`SpecLightweightBls`](designs), with the feature `bls`, sign with BLS12-381
//! in place of Ed25519, and one signature of 48 bytes covers a proof of many keys. [`SpecLightweight3`] has three
//! generations.
//!
//! Choose [`SpecLightweight`] where snapshots are many and small; [`BaseSuperseding`] where look-ups
//! outnumber updates by far, or each snapshot changes a large part of the keys; a tree PAD (`pad-tree`)
//! where updates come often. `bench tuple` measures where one overtakes the other.
//!
//! # Example
//!
//! ```
//! use ed25519_dalek::SigningKey;
//! use pad_core::{
//!     Answer, AuthorKey, Dictionary, DictionaryId, Key, Repository, Sha256Ed25519, Untrusted, Value, Version,
//! };
//! use pad_tuple::{
//!     Expectation, TupleAuthor, TupleRepository, chain::ChainSecret, designs::SpecLightweight,
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
//! # Map
//!
//! What a verifier needs: [`designs`], all of them by name; [`scheme`], what it knows of a design; [`mod@tuple`] and
//! [`statement`], what is hashed and signed; [`proof`], [`many`] and [`range`], the proofs for one key, several
//! and all in a range; [`signed`], signatures and how they are refreshed, with the hash [`chain`]s of
//! lightweight ones; [`keys`]; [`family`], for `pad_core::Client`.
//!
//! With the default feature `std` also authors and servers: [`design`], what a design decides for them;
//! [`layers`], which tuples there are, for author and server alike; [`author`], [`repository`] and
//! [`checkpoint`]; [`speculation`], when generations are merged.
//! Without it this crate is `no_std` (with `alloc`) and verifies all proofs of the signed designs.
//!
//! The features `bls`, `rsa` and `bilinear` are on by default too. The first adds `bls`, BLS signatures, also
//! without `std`. The others, which turn `std` on, add `accumulated` and `chain_accumulated`, accumulators; `rsa`
//! links GMP.
//!
//! Source: Crosby & Wallach 2010, sections 2.2, 4 and 7.

#![cfg_attr(not(feature = "std"), no_std)]
// What is left without `std` reads what anybody may have sent.
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
pub mod accumulated;
#[cfg(feature = "std")]
pub mod author;
pub mod chain;
#[cfg(feature = "accumulators")]
pub mod chain_accumulated;
#[cfg(feature = "std")]
pub mod checkpoint;
#[cfg(feature = "std")]
pub mod content;
#[cfg(feature = "std")]
pub mod design;
pub mod designs;
pub mod family;
mod few;
#[cfg(feature = "std")]
mod hosting;
#[cfg(feature = "std")]
mod kept;
pub mod keys;
#[cfg(feature = "std")]
pub mod layers;
pub mod many;
pub mod proof;
pub mod range;
#[cfg(feature = "std")]
pub mod repository;
pub mod scheme;
pub mod signed;
#[cfg(feature = "std")]
mod source;
#[cfg(feature = "std")]
pub mod speculation;
pub mod statement;
#[cfg(feature = "std")]
pub mod stored;
pub mod tuple;
#[cfg(feature = "std")]
pub mod update;
mod validity;

#[cfg(feature = "bls")]
pub use bls12::signatures as bls;
pub use designs::{
    Base, BaseLightweight, BaseSuperseding, Spec, SpecLightweight, SpecLightweight3,
    SpecSuperseding,
};
#[cfg(feature = "bls")]
pub use designs::{BaseSupersedingBls, SpecLightweightBls};
pub use family::Tuple;
pub use keys::{KeyBytes, PublicBytes};
pub use many::ManyProof;
pub use proof::TupleProof;
pub use range::RangeProof;
pub use scheme::{AggregateScheme, Attested, Expectation, TupleScheme};
#[cfg(feature = "bls")]
pub use signed::Bls;
pub use signed::{
    Ed25519, Lightweight, Plain, RefreshScheme, SignatureScheme, Signed, Superseding,
};
#[cfg(feature = "accumulators")]
pub use {
    accumulated::{Accumulated, Retention},
    chain_accumulated::ChainAccumulated,
};
#[cfg(feature = "std")]
pub use {
    author::TupleAuthor,
    design::{AggregateDesign, AuthorError, Design},
    keys::{DEFAULT_ENTRIES, SecretBytes},
    repository::TupleRepository,
    signed::Refresh,
    speculation::Speculation,
    stored::{StorableDesign, StoredTupleRepository},
};
