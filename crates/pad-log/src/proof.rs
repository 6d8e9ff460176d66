//! Proof messages and their verification.
//!
//! A proof stores the received bytes undecoded. Verification makes two passes. The first pass reads
//! the parts of the message, hashes them, and compares with the digest that the client trusts. The
//! second pass decodes points and checks all equations together. Bytes that do not hash to the
//! digest therefore cost only hashes, in proportion to their length.

mod append_only;
mod inclusion;
mod lookup;

use alloc::vec::Vec;
use core::marker::PhantomData;

use pad_accumulators::{
    internals::{Transcript, commitments::Claims},
    wire::{Reader, Wire},
};
use pad_core::{DecodeError, Digest, VerifyError};

use crate::{certificate::Certificate, log::Log, scheme::Scheme};

pub use append_only::Growth;
pub use lookup::{DictionaryScheme, LookupScheme, SetScheme};

/// Suggested limit of a look-up in bytes, for [`LogClient::check`](crate::LogClient::check): 64
/// MiB.
///
/// A dishonest log can make a client work for a minute or two on a proof of this size. Clients that
/// look up keys with few values should set 1 MiB.
pub const LONGEST_LOOKUP: usize = 1 << 26;

/// Suggested limit of an inclusion proof in bytes, for
/// [`LogClient::check`](crate::LogClient::check): 64 KiB. Enough for a log of a thousand trees of
/// the greatest size, each of which takes 32 bytes.
pub const LONGEST_PROOF: usize = 1 << 16;

/// Default limit of an append-only proof in bytes, for clients that set no other limit: 64 MiB.
/// Enough for a log of two million trees of the greatest size. Checking a proof of this size takes
/// one hash for every 32 bytes.
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
            /// Creates a proof from its encoded bytes, without a check.
            pub(crate) const fn new(body: Vec<u8>) -> Self {
                Self { body, scheme: PhantomData }
            }
        }

        /// Decoding accepts any bytes. Verification parses them, because their layout depends on
        /// the query.
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

/// Message kind of look-up and absence proofs.
pub const KIND_LOOKUP: u8 = 129;
/// Message kind of inclusion proofs.
pub const KIND_INCLUSION: u8 = 130;
/// Message kind of append-only proofs.
pub const KIND_APPEND_ONLY: u8 = 131;

messages! {
    /// Proof of all values of a key of a dictionary, or of its absence.
    ///
    /// Commitment: [`LogRoot`](crate::LogRoot). Query: the key. Statement:
    /// [`Values`](crate::Values).
    LookupProof, KIND_LOOKUP;
    /// Proof that a set does not contain a member, in the layout of a look-up without values.
    ///
    /// Commitment: [`LogRoot`](crate::LogRoot). Query: the member. Statement:
    /// [`Absent`](crate::Absent).
    AbsenceProof, KIND_LOOKUP;
    /// Proof that an entry was appended. It establishes nothing about other entries.
    ///
    /// Commitment: [`LogRoot`](crate::LogRoot). Query: the [`Entry`](crate::Entry). Statement:
    /// [`Included`](crate::Included).
    InclusionProof, KIND_INCLUSION;
    /// Proof that a version contains all entries of an older version, at the same positions.
    ///
    /// Commitment: [`Growth`], the log at both versions. Query: none. Statement:
    /// [`Grown`](crate::Grown).
    AppendOnlyProof, KIND_APPEND_ONLY;
}

/// Creates an empty collection of claims. Their random coefficients depend on the log, on
/// `question` (the query and the trusted digests), and on the whole message `body`.
fn claims<S: Scheme>(log: &Log<S>, question: &[&[u8]], body: &[u8]) -> Claims {
    let mut transcript = Transcript::of(log.id(), "aad: coefficients", question);
    transcript.absorb(body);
    Claims::new(transcript)
}

/// Checks all equations of a proof together: those in `claims`, and those of `certificates`.
///
/// # Errors
/// [`VerifyError::EquationMismatch`] if an equation does not hold. Other errors for points and
/// scalars that are not well-formed.
fn check<S: Scheme>(
    log: &Log<S>,
    mut claims: Claims,
    certificates: &[Certificate<'_>],
) -> Result<(), VerifyError> {
    for certificate in certificates {
        certificate.claim::<S>(log.id(), &mut claims)?;
    }
    if claims.hold(log.setup().parameters()) {
        Ok(())
    } else {
        Err(VerifyError::EquationMismatch)
    }
}

fn read_digest(reader: &mut Reader<'_>) -> Result<Digest<32>, VerifyError> {
    Ok(Digest(reader.array()?))
}
