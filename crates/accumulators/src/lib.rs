//! Cryptographic accumulators: a value of constant size that stands for a set, and witnesses of
//! constant size that an element is in it, or is not.
//!
//! Two schemes, [`rsa::Rsa`] and [`bilinear::Bilinear`], behind the same traits; swapping one for
//! the other is a type parameter, keys included ([`accumulator::SecretKey::create`]). Usable on its own: of the workspace it needs only the vocabulary
//! of [`pad_core`].
//!
//! # Roles
//!
//! * The **author** changes the set and signs each version's value ([`Snapshot::sign`]). With a
//!   *secret key* it computes values and witnesses from exponents; without one it works like a
//!   server, over parameters whose secret nobody knows.
//! * A **server** holds the public key and the set ([`ElementSet`]), and makes witnesses. Nobody
//!   trusts it.
//! * A **client** holds the public key and a verified value. It verifies ([`pad_core::Untrusted`])
//!   and obtains [`pad_core::Verified`] statements: [`Membership`], [`NonMembership`],
//!   [`SubsetMembership`].
//!
//! # Which one
//!
//! | | RSA, 3072 bits | bilinear, BLS12-381 |
//! | --- | --- | --- |
//! | value, witness | 384 bytes, 386 bytes | 48 bytes, 48 bytes |
//! | public key | constant | grows with the largest set, but for verifiers |
//! | parameters without a secret | a published modulus | a published powers-of-tau ceremony |
//! | add an element without the secret key | one power | a sum over the whole set |
//! | subsets of any size | constant work beside the primes | up to the published powers in G2 |
//! | assumption | strong RSA | `q`-strong Diffie-Hellman |
//!
//! | you need | take |
//! | --- | --- |
//! | a new key, whichever the scheme | `SecretKey::create` |
//! | a value and witnesses of one set | `Accumulator` |
//! | a set that changes, and witnesses that follow without the secret | `Dynamic` |
//! | one witness for many elements, or many checked at once | `Batch` |
//! | proofs that something is not in the set | `Universal` |
//! | a value that clients believe | [`Snapshot::sign`], [`SignedSnapshot`] |
//! | bytes | [`wire::encode`], [`wire::decode`], which bounds what it reads |
//!
//! # Map
//!
//! For verifiers: [`scheme`], [`evidence`]: what a verifier knows. [`element`]: names of what is
//! accumulated. [`snapshot`]: values as an author signs them. [`statement`]: what is established.
//! [`change`]: what witnesses follow. [`wire`]: bytes.
//! [`transcript`]: challenges.
//!
//! For authors and servers, behind the feature `std`: [`accumulator`]: what can be computed. [`set`]: what
//! is accumulated. [`plan`]: a change before it is made.
//!
//! [`rsa`], [`bilinear`]: the schemes, each behind the feature of its name; what is
//! secret in them and how it is treated say the crates `rsa-group` and `bls12`.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`) and holds what a verifier needs of
//! the bilinear accumulator. The RSA accumulator works on GMP, and `rsa` implies `std`.
//!
//! ```
//! # #[cfg(all(feature = "std", feature = "bilinear"))] {
//! use accumulators::{
//!     Accumulator, Authority, ElementSet, SecretKey, SignedSnapshot, Snapshot, wire,
//!     bilinear::{Bilinear, BilinearSecretKey, BilinearWitness},
//! };
//! use ed25519_dalek::SigningKey;
//! use pad_core::{AuthorKey, Untrusted, Version, Workers};
//!
//! // The author: a set, its value, a signature.
//! let workers = Workers::sequential();
//! let secret = BilinearSecretKey::generate(100, 1, b"guests", &workers)?;
//! let key = secret.public_key();
//! let guests = ElementSet::<Bilinear>::from_elements(key, &["ada", "grace"], &workers)?;
//! let value = Bilinear::accumulate(&secret, &guests, &workers)?;
//! let signer = SigningKey::from_bytes(&[42; 32]);
//! let (key, version) = (key.clone(), Version::new(1));
//! let signed = wire::encode(&Snapshot::<Bilinear> { key: key.clone(), version, value }.sign(&signer)?);
//!
//! // The server: a witness, from the set and the public key.
//! let witness = wire::encode(&Bilinear::witness(&key, &guests, b"ada", &workers)?);
//!
//! // The client: bytes, then untrusted messages, then verified statements.
//! let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
//! let received: Untrusted<SignedSnapshot<Bilinear>> = wire::decode(&key, &signed, 1024)?;
//! let snapshot = received.verify(&Authority { author, key: key.clone() }, &version)?;
//! let received: Untrusted<BilinearWitness> = wire::decode(&key, &witness, 1024)?;
//! assert_eq!(received.clone().verify(&snapshot, b"ada")?.get().element, b"ada");
//! assert!(received.verify(&snapshot, b"eve").is_err());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: Tremel 2013; Crosby & Wallach 2010, section 4.3.

#![cfg_attr(not(feature = "std"), no_std)]
// Most of this reads bytes or numbers that anybody may have made. Modules that count with them deny
// unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;

#[cfg(feature = "std")]
pub mod accumulator;
#[cfg(feature = "bilinear")]
pub mod bilinear;
pub mod change;
pub mod element;
pub mod error;
pub mod evidence;
#[cfg(feature = "std")]
pub mod plan;
#[cfg(any(feature = "rsa", all(feature = "bilinear", feature = "std")))]
mod products;
#[cfg(feature = "rsa")]
pub mod rsa;
pub mod scheme;
#[cfg(feature = "std")]
pub mod set;
pub mod snapshot;
pub mod statement;
#[cfg(any(feature = "rsa", feature = "bilinear"))]
pub mod transcript;
pub mod wire;

pub use change::Change;
pub use element::{AccumulatorId, ElementDigest};
pub use error::AccumulateError;
pub use evidence::{Evidence, Witnessed};
pub use scheme::{Element, PublicKey, Scheme};
pub use snapshot::{Authority, SignedSnapshot, Snapshot};
pub use statement::{Membership, NonMembership, SubsetMembership};
#[cfg(feature = "std")]
pub use {
    accumulator::{Accumulator, Batch, Dynamic, EitherKey, SecretKey, Universal},
    set::ElementSet,
};
