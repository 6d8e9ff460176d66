//! Append-only authenticated dictionaries and sets: logs with complete look-ups and a past that
//! cannot change.
//!
//! A log may accept entries from any party, and its operator is not trusted. The log proves, for
//! any version or pair of versions:
//!
//! * completeness: all values of a key, or that there are none ([`LookupProof`], [`AbsenceProof`]
//!   for sets),
//! * inclusion: one entry is in the log, with no statement about other entries
//!   ([`InclusionProof`]),
//! * growth: a version contains an older version ([`AppendOnlyProof`]).
//!
//! Proof sizes are logarithmic in the number of entries, and linear in the number of values that a
//! look-up returns. A head identifies the author by its signature, so a client can pass proofs on
//! to other parties. The signature does not make the entries true.
//!
//! # How
//!
//! A log stores its elements in order of appending, in a forest of perfect binary trees that follow
//! the bits of a counter ([`Shape`]). Each node from blocks of eight elements upwards has a Merkle
//! hash and an accumulator. The accumulator is a commitment to the polynomial with the
//! scalars of the node's elements as roots. A certificate proves that a node's polynomial is the
//! product of its children's polynomials.
//!
//! A proof contains an element with its block and a path of certificates. The certificates prove
//! that the element's scalars are roots of the tree's polynomial. The absence of other elements of
//! the key is proved in one of two ways:
//!
//! * *counted* ([`AadCounted`], [`AasCounted`]): the scalar of an element is the scalar of its key.
//!   The proof shows the multiplicity of the key's scalar as a root, which is the number of values;
//! * *frontier* ([`AadFrontier`], [`AasFrontier`]): the scalars of all prefixes of an element are
//!   roots. The shortest strings that are not prefixes of an element have a separate polynomial. It
//!   has no root in common with the tree's polynomial. One of these strings is a prefix of an
//!   absent key.
//!
//! | cost with `n` elements | counted | frontier |
//! | --- | --- | --- |
//! | append, amortised: terms of sums in G1 | `2 log n` | about 14 000 at `n = 512` |
//! | look-up, server terms, absent key | `n` | 1024 for each tree |
//! | look-up, server terms, many values | `3 n` | 2048 for each chunk |
//! | look-up, verifier | two pairings | two pairings |
//! | look-up, verifier points, each block included | `O(log n)` | `O(log n)` |
//! | look-up, verifier points, each tree | `O(1)` | `O(log n)` |
//! | look-up, bytes, each tree without a block | 164 | about `391 + 338 log_4 n` |
//! | look-up, bytes, each block included | `608 + 208 log n` | |
//! | append-only, bytes | at most `632 + 208 log n` | at most `632 + 208 log n` |
//! | powers for each element of the largest tree | 1 | 512, or 256 in sets |
//!
//! In a new deferred log ([`Schedule::Deferred`]) no single append does the work of a whole tree.
//! Each append does a share of the work for nodes that are needed later. Copied and restored logs
//! do so once `Building::Credit` is set. Proofs are about twice as long.
//!
//! A verifier needs only `[s]_2` of the parameters. The frontiers of trees are stored for each size
//! that was built; the frontiers of other sizes are computed on request.
//!
//! # Which log to choose
//!
//! | you need | take | because |
//! | --- | --- | --- |
//! | keys with values | [`AadCounted`] | short appends; a public ceremony has enough powers |
//! | members without values | [`AasCounted`] | as for [`AadCounted`] |
//! | the paper's design | [`AadFrontier`], [`AasFrontier`] | for comparison; appends are slow |
//! | a bound on the work of one append | [`Schedule::Deferred`] | proofs are twice as long |
//! | a client that follows the log | [`LogClient`] | needs only author's key and setup |
//!
//! # Example
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use pad_log::{
//!     AadCounted, Continuation, Entry, Log, LogAuthor, LogClient, LogRepository, LookupProof,
//!     Schedule, Setup, Shape,
//! };
//! use pad_log::LONGEST_LOOKUP;
//! use pad_accumulators::{SecretKey as _, bilinear::BilinearSecretKey, wire};
//! use ed25519_dalek::SigningKey;
//! use pad_core::{
//!     AuthorKey, HeadSigner, Heads as _, Key, Repository as _, Value, Version, Workers, codec,
//! };
//!
//! // Parameters for trees of up to 16 elements. The holder of this secret can forge proofs. Real
//! // parameters come from a ceremony.
//! let workers = Workers::sequential();
//! let secret = BilinearSecretKey::generate(16, 1, b"", &workers)?;
//! let shape = Shape::new(4, Schedule::Eager).ok_or("4 to 32")?;
//! let setup = Setup::new(secret.public_key().shared_parameters(), shape);
//!
//! // The log appends, and signs two versions; a server stores them.
//! let signer = SigningKey::from_bytes(&[7; 32]);
//! let public = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
//! let log = Log::<AadCounted>::new("certificates".into(), setup);
//! let mut author = LogAuthor::new(log.clone(), public, HeadSigner::new(signer), workers.clone())?;
//! let mut server = LogRepository::new(log.clone(), public, workers)?;
//! for certificate in ["first", "second"] {
//!     let (key, value) = (Key::try_from("example.org")?, Value::try_from(certificate)?);
//!     author.append(Entry { key, value })?;
//!     server.apply(&author.snapshot()?)?;
//! }
//!
//! // A client knows the author's key and the setup's bytes. It accepts a newer version only with a
//! // proof that the newer version contains the older one.
//! let setup = Setup::from_bytes(&log.setup().to_bytes())?;
//! let mut client = LogClient::new(Log::<AadCounted>::new("certificates".into(), setup), public);
//! let (one, two) = (Version::new(1), Version::new(2));
//! client.advance(&codec::encode(&server.head(one)?), None)?;
//! let consistency = codec::encode(&server.heads().prove_consistency(one, two)?);
//! let append_only = wire::encode(&server.prove_append_only(one, two)?);
//! let continuation = Continuation { consistency: &consistency, append_only: &append_only };
//! client.advance(&codec::encode(&server.head(two)?), Some(continuation))?;
//!
//! // All values of a key, and no other.
//! let key = Key::try_from("example.org")?;
//! let proof = wire::encode(&server.prove(two, &key)?);
//! let values = client.check::<LookupProof<AadCounted>>(
//!     &proof, LONGEST_LOOKUP, &client.newest()?, &key,
//! )?;
//! assert_eq!(values.get().values.len(), 2);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without `std` this crate is `no_std` (with `alloc`) and only verifies.
//!
//! The security argument and its assumptions: `docs/threat-model`. The format: `docs/format`.
//!
//! Source: Tomescu, Bhupatiraju, Papadopoulos, Papamanthou, Triandopoulos, Devadas 2019,
//! "Transparency logs via append-only authenticated dictionaries".
//!
//! `Deviation:` completeness by counting is an extension of this library. So are certificates in
//! G1, blocks and groups of prefixes. See the decision "append-only logs count the values of a
//! key".

#![cfg_attr(not(feature = "std"), no_std)]
// Most of this code reads untrusted bytes. Modules that do arithmetic on them also deny unchecked
// arithmetic.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;
// Some unit tests and the integration tests share modules.
#[cfg(test)]
extern crate self as pad_log;

#[cfg(feature = "std")]
mod author;
mod certificate;
mod client;
mod counted;
mod element;
mod frontier;
mod hash;
mod log;
mod prefix;
mod proof;
mod scheme;
mod shape;
mod statement;
mod walk;

#[cfg(feature = "std")]
pub use author::{
    AppendError, Appended, AuthorError, Building, Entries, LogAuthor, LogCheckpoint, LogRepository,
};
pub use client::{Continuation, LogClient, LogRefusal, PastProofs};
pub use log::{Log, LogRoot, Setup};
pub use proof::{
    AbsenceProof, AppendOnlyProof, DictionaryScheme, Growth, InclusionProof, LONGEST_GROWTH,
    LONGEST_LOOKUP, LONGEST_PROOF, LookupProof, LookupScheme, SetScheme,
};
pub use scheme::{AadCounted, AadFrontier, AasCounted, AasFrontier, Scheme};
pub use shape::{Schedule, Shape};
pub use statement::{Absent, Entry, Grown, Included, Values};

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "std")]
    pub use crate::author::{BuildProgress, RepositoryAuthor, update::MOST_ENTRIES};
    pub use crate::{
        scheme::{Completeness, Contents},
        shape::Address,
    };

    /// From entries to elements.
    pub mod element {
        pub use crate::element::*;
    }

    /// Merkle hashes.
    pub mod hash {
        pub use crate::hash::*;
    }

    /// Scalars of prefixes.
    pub mod prefix {
        pub use crate::prefix::*;
    }

    /// The kinds of proofs.
    pub mod proof {
        pub use crate::proof::{KIND_APPEND_ONLY, KIND_INCLUSION, KIND_LOOKUP};
    }
}
