//! Cryptographic accumulators: constant-size commitments to sets, with constant-size witnesses of
//! membership and non-membership.
//!
//! Two schemes, [`rsa::Rsa`] and [`bilinear::Bilinear`], implement the same traits. Switching
//! schemes changes one type parameter, also for creating keys ([`SecretKey::create`]).
//! The crate is usable on its own: of the workspace it needs only [`pad_core`] and crates for
//! arithmetic.
//!
//! # Roles
//!
//! * The **author** changes the set and signs each version's value ([`Snapshot::sign`]). With a
//!   *secret key* it computes values and witnesses from exponents. Without a secret key it computes
//!   like a server, over parameters whose secret no party knows.
//! * A **server** holds the public key and the set ([`ElementSet`]), and computes witnesses. It is
//!   not trusted.
//! * A **client** holds the public key and a verified value. It verifies ([`pad_core::Untrusted`])
//!   and obtains [`pad_core::Verified`] statements: [`Membership`], [`NonMembership`],
//!   [`SubsetMembership`].
//!
//! # Choosing a scheme
//!
//! | | RSA, 3072 bits | bilinear, BLS12-381 |
//! | --- | --- | --- |
//! | value, witness | 384 bytes, 386 bytes | 48 bytes, 48 bytes |
//! | public key | constant | grows with the largest set, except for verifiers |
//! | parameters without a secret | a published modulus | a published powers-of-tau ceremony |
//! | add an element without the secret key | one power | a sum over the whole set |
//! | subsets of any size | constant work, plus the primes | up to the published powers in G2 |
//! | assumption | strong RSA | `q`-strong Diffie-Hellman |
//!
//! | Task | API |
//! | --- | --- |
//! | Create a key of either scheme | `SecretKey::create` |
//! | Compute a value and witnesses of one set | `Accumulator` |
//! | Change a set, and update witnesses without the secret | `Dynamic` |
//! | Change a set often with the secret key, at the cost of the change | `AuthorSet` |
//! | Prove many elements with one witness, or verify in one batch | `Batch` |
//! | Prove that an element is not in the set | `Universal` |
//! | Sign a value for clients | [`Snapshot::sign`], [`SignedSnapshot`] |
//! | Encode and decode, with bounded input | [`wire::encode`], [`wire::decode`] |
//!
//! # Features
//!
//! The schemes are in [`rsa`] and [`bilinear`], each behind the feature of its name. The crates
//! `rsa-group` and `bls12` document the treatment of their secrets.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`) and contains the
//! verifier of the bilinear accumulator. The RSA accumulator needs GMP, so `rsa` implies `std`.
//!
//! ```
//! # #[cfg(all(feature = "std", feature = "bilinear"))] {
//! use pad_accumulators::{
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
//! let signed =
//!     wire::encode(&Snapshot::<Bilinear> { key: key.clone(), version, value }.sign(&signer)?);
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
// Most modules read bytes or numbers that an attacker may have chosen. Modules that compute with
// such numbers deny unchecked arithmetic too.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;

#[cfg(feature = "std")]
mod accumulator;
#[cfg(feature = "std")]
mod author_set;
#[cfg(feature = "bilinear")]
pub mod bilinear;
mod change;
#[cfg(feature = "std")]
mod dynamic;
mod element;
mod error;
mod evidence;
#[cfg(feature = "std")]
mod exponent;
#[cfg(feature = "std")]
mod plan;
#[cfg(any(feature = "rsa", all(feature = "bilinear", feature = "std")))]
mod products;
#[cfg(feature = "rsa")]
pub mod rsa;
mod scheme;
#[cfg(feature = "std")]
mod set;
mod snapshot;
mod statement;
#[cfg(test)]
mod testing;
#[cfg(any(feature = "rsa", feature = "bilinear"))]
mod transcript;
pub mod wire;

pub use change::Change;
pub use element::AccumulatorId;
pub use error::AccumulateError;
pub use evidence::Witnessed;
pub use scheme::{PublicKey, Scheme};
pub use snapshot::{Authority, SignedSnapshot, Snapshot};
pub use statement::{Membership, NonMembership, SubsetMembership};
#[cfg(feature = "std")]
pub use {
    accumulator::{Accumulator, Batch, SecretKey},
    author_set::AuthorSet,
    dynamic::{Dynamic, Universal},
    set::ElementSet,
};

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(any(feature = "rsa", feature = "bilinear"))]
    pub use crate::transcript::Transcript;
    #[cfg(feature = "std")]
    pub use crate::{accumulator::EitherKey, plan::Plan};
    pub use crate::{
        element::ElementDigest,
        evidence::Evidence,
        scheme::{BILINEAR, Element, RSA},
    };

    /// Commitments to polynomials.
    #[cfg(feature = "bilinear")]
    pub mod commitments {
        pub use crate::bilinear::commitments::*;
    }

    /// Polynomials over the scalars of BLS12-381.
    #[cfg(feature = "bilinear")]
    pub mod polynomial {
        pub use crate::bilinear::polynomial::*;
    }

    /// Prime representatives of elements.
    #[cfg(feature = "rsa")]
    pub mod representative {
        pub use crate::rsa::representative::*;
    }
}
