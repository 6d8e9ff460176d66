//! Proofs about the set of an accumulator value. [`Witnessed`] lists a scheme's types of proofs.

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::{Proof, Verified, VerifyError};

use crate::{
    scheme::Scheme,
    snapshot::Snapshot,
    statement::{Membership, NonMembership, SubsetMembership},
    wire::Wire,
};

/// A proof that a verifier checks against a verified [`Snapshot`], a signed accumulator value. It
/// proves a statement about the set.
pub trait Evidence<A: Scheme, Query: ?Sized, Statement>:
    Proof<
        Commitment = Verified<Snapshot<A>>,
        Query = Query,
        Statement = Statement,
        Error = VerifyError,
    > + Clone
    + Debug
    + Eq
    + Send
    + Sync
    + 'static
{
}

impl<A: Scheme, Query: ?Sized, Statement, P> Evidence<A, Query, Statement> for P where
    P: Proof<
            Commitment = Verified<Snapshot<A>>,
            Query = Query,
            Statement = Statement,
            Error = VerifyError,
        > + Clone
        + Debug
        + Eq
        + Send
        + Sync
        + 'static
{
}

/// An accumulator scheme with its types of proofs.
pub trait Witnessed: Scheme {
    /// Evidence that an element is in the set of an accumulator value. The query is the element's
    /// bytes.
    type Witness: Evidence<Self, [u8], Membership> + Wire<Context = Self::PublicKey>;
    /// Evidence that an element is not in the set of an accumulator value. The query is the
    /// element's bytes.
    type NonMembershipWitness: Evidence<Self, [u8], NonMembership> + Wire<Context = Self::PublicKey>;
    /// Evidence that all elements of a list are in the set. The query is this list, in ascending
    /// order and without duplicates.
    type SubsetWitness: Evidence<Self, [Vec<u8>], SubsetMembership>
        + Wire<Context = Self::PublicKey>;
    /// One membership witness for each element of a list. Verifying the batch is faster than
    /// verifying each witness. The query is the list of elements, in the order of the witnesses.
    type WitnessBatch: Evidence<Self, [Vec<u8>], SubsetMembership> + From<Vec<Self::Witness>>;
}
