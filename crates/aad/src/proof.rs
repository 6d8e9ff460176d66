//! Proofs as messages, and how they are checked.
//!
//! A proof is kept as the bytes that were received. Checking makes two passes: the first reads the layout, hashes, and compares
//! with the digest that the client trusts; only then are points decoded, and all equations checked together. So bytes that
//! have nothing to do with the digest cost their length in hashes.

mod append_only;
mod inclusion;
mod lookup;

use alloc::vec::Vec;
use core::marker::PhantomData;

use accumulators::{
    bilinear::commitments::Claims,
    transcript::Transcript,
    wire::{Reader, Wire},
};
use pad_core::{DecodeError, Digest, VerifyError};

use crate::{certificate::Certificate, log::Log, scheme::Scheme, walk::undecodable};

pub use append_only::Growth;

/// The most bytes of a look-up that a client reads unless it sets another limit: 64 MiB.
///
/// Checking that much takes a minute or two, if the log itself is dishonest. Clients of keys with few values set 1 MiB.
pub const LONGEST_LOOKUP: usize = 1 << 26;

/// The most bytes of an inclusion proof that a client reads unless it sets another limit: 64 KiB, enough for a thousand trees.
/// Each top tree takes 32.
pub const LONGEST_PROOF: usize = 1 << 16;

/// The most bytes of an append-only proof that a client reads unless it sets another limit: 64 MiB, enough for two million top
/// trees. Checking that much takes a hash for every 32 bytes.
pub const LONGEST_GROWTH: usize = 1 << 26;

macro_rules! messages {
    ($($(#[$documentation:meta])* $name:ident, $kind:ident;)+) => { $(
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name<S> {
            body: Vec<u8>,
            scheme: PhantomData<S>,
        }

        impl<S> $name<S> {
            /// The proof with this body, as received or made.
            pub(crate) const fn new(body: Vec<u8>) -> Self {
                Self { body, scheme: PhantomData }
            }
        }

        /// Any bytes: the layout depends on what is asked, and is read by the check.
        impl<S: Scheme> Wire for $name<S> {
            type Context = ();
            const KIND: u8 = $kind;
            const SCHEME: u16 = S::ID.0;

            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.body);
            }

            fn read((): &(), reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self::new(reader.rest().to_vec()))
            }
        }
    )+ };
}

/// Kind: look-ups, of values and of absence.
pub const KIND_LOOKUP: u8 = 129;
/// Kind: inclusion.
pub const KIND_INCLUSION: u8 = 130;
/// Kind: append-only proofs.
pub const KIND_APPEND_ONLY: u8 = 131;

messages! {
    /// Proof of all values of a key of a dictionary; that there are none, if it is absent.
    ///
    /// Commitment: [`LogRoot`](crate::LogRoot). Query: the key. Statement: [`Values`](crate::Values).
    LookupProof, KIND_LOOKUP;
    /// Proof that a set does not hold a member. The layout is that of a look-up without values.
    ///
    /// Commitment: [`LogRoot`](crate::LogRoot). Query: the member. Statement: [`Absent`](crate::Absent).
    AbsenceProof, KIND_LOOKUP;
    /// Proof that an entry was appended, which says nothing about others.
    ///
    /// Commitment: [`LogRoot`](crate::LogRoot). Query: the [`Entry`](crate::Entry). Statement:
    /// [`Included`](crate::Included).
    InclusionProof, KIND_INCLUSION;
    /// Proof that a version continues an older one.
    ///
    /// Commitment: [`Growth`], the log at both versions. Query: nothing. Statement: [`Grown`](crate::Grown).
    AppendOnlyProof, KIND_APPEND_ONLY;
}

/// Claims whose coefficients depend on the log, on what was asked at which digests, and on the whole message.
fn claims<S: Scheme>(log: &Log<S>, question: &[&[u8]], body: &[u8]) -> Claims {
    let mut transcript = Transcript::new(log.id(), "aad: coefficients");
    for part in question {
        transcript.absorb(part);
    }
    transcript.absorb(body);
    Claims::new(transcript)
}

/// Checks the claims, those of the certificates included.
///
/// # Errors
/// Points and scalars that are not well-formed; [`VerifyError::EquationMismatch`].
fn check<S: Scheme>(
    log: &Log<S>,
    mut claims: Claims,
    certificates: &[Certificate<'_>],
) -> Result<(), VerifyError> {
    for certificate in certificates {
        certificate
            .claim::<S>(log.id(), &mut claims)
            .map_err(undecodable)?;
    }
    if claims.hold(log.setup().parameters()) {
        Ok(())
    } else {
        Err(VerifyError::EquationMismatch)
    }
}

fn read_digest(reader: &mut Reader<'_>) -> Result<Digest<32>, VerifyError> {
    reader.array().map(Digest).map_err(undecodable)
}
