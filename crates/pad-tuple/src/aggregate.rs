//! Evidence for many tuples at once, as small as a design can make it.

use core::fmt::Debug;

use pad_core::{Suite, VerifyError, Version};
use serde::{Serialize, de::DeserializeOwned};

use crate::design::{Claim, Design, Expectation, TupleId};

/// A tuple that a proof is to show, and the instant at which it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The generation, 0 for the youngest.
    pub generation: usize,
    /// The instant on the generation's clock.
    pub instant: u64,
    /// The tuple's number in the repository.
    pub tuple: TupleId,
}

/// A design whose evidence for many tuples has a part that stands once for all of them.
///
/// Law: `check_all` accepts what `gather` gives for tuples that were there at those instants, with
/// their claims in the same order, none of them twice; and nothing else short of a forgery.
pub trait AggregateDesign<S: Suite>: Design<S> {
    /// What a proof shows of each tuple.
    type Shown: Clone + Debug + Eq + Serialize + DeserializeOwned;
    /// What a proof shows once for all tuples.
    type Aggregate: Clone + Debug + Eq + Serialize + DeserializeOwned;

    /// The evidence for at least one tuple, none of them twice: what is shown of each, in the same
    /// order, and once. `None` as for [`Design::evidence`].
    fn gather(
        records: &Self::Records,
        version: Version,
        tuples: &[Placed],
    ) -> Option<(Vec<Self::Shown>, Self::Aggregate)>;

    /// Checks the evidence for all claims of a proof, at least one and no two equal.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold;
    /// [`VerifyError::CountMismatch`] if the evidence is not for as many tuples.
    fn check_all(
        expectation: &Expectation<Self::Key>,
        claims: &[Claim<S>],
        shown: &[Self::Shown],
        aggregate: Self::Aggregate,
    ) -> Result<(), VerifyError>;
}
