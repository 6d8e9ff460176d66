//! Proofs about a value's set: [`Witnessed`], the verifier's view of an accumulator.

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::{Proof, Verified, VerifyError};

use crate::{
    scheme::Scheme,
    snapshot::Snapshot,
    statement::{Membership, NonMembership, SubsetMembership},
    wire::Wire,
};

/// A proof about the set of an accumulator's value. Each proof has exactly one encoding.
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

/// The kinds of evidence of a scheme.
pub trait Witnessed: Scheme {
    /// Evidence that an element is in the set of a value.
    type Witness: Evidence<Self, [u8], Membership> + Wire<Context = Self::PublicKey>;
    /// Evidence that an element is not in the set of a value.
    type NonMembershipWitness: Evidence<Self, [u8], NonMembership> + Wire<Context = Self::PublicKey>;
    /// Evidence that all elements of a list are in the set. The query is the list in ascending
    /// order without duplicates.
    type SubsetWitness: Evidence<Self, [Vec<u8>], SubsetMembership>
        + Wire<Context = Self::PublicKey>;
    /// A witness for each element of a list, verified faster than one by one. The query is the
    /// list, in the order of the witnesses.
    type WitnessBatch: Evidence<Self, [Vec<u8>], SubsetMembership> + From<Vec<Self::Witness>>;
}
