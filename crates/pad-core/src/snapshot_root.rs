//! The verified root of one version, from a signed head or from a newer head's history.

use crate::{
    head::SnapshotHead, history::PastRoot, proof::Verified, suite::Suite, version::Version,
};

/// A verified root, against which proofs about the contents of one version are checked.
///
/// Sealed: only verified statements implement it. A head is verified by its signature, a past root
/// by its position in a newer head's history. An unverified head does not compile:
///
/// ```compile_fail,E0277
/// use pad_core::{Sha256Ed25519, SnapshotHead, internals::SnapshotRoot};
/// fn trusts(_: &dyn SnapshotRoot<Sha256Ed25519>) {}
/// fn deceived(unverified: SnapshotHead<Sha256Ed25519>) { trusts(&unverified) }
/// ```
pub trait SnapshotRoot<S: Suite>: sealed::Sealed {
    /// The version whose root this is.
    fn version(&self) -> Version;
    /// The root digest of the version's contents.
    fn root(&self) -> S::Digest;
}

impl<S: Suite> SnapshotRoot<S> for Verified<SnapshotHead<S>> {
    fn version(&self) -> Version {
        self.get().version
    }

    fn root(&self) -> S::Digest {
        self.get().root
    }
}

impl<S: Suite> SnapshotRoot<S> for Verified<PastRoot<S>> {
    fn version(&self) -> Version {
        self.get().version
    }

    fn root(&self) -> S::Digest {
        self.get().root
    }
}

mod sealed {
    use super::{PastRoot, SnapshotHead, Suite, Verified};

    pub trait Sealed {}
    impl<S: Suite> Sealed for Verified<SnapshotHead<S>> {}
    impl<S: Suite> Sealed for Verified<PastRoot<S>> {}
}
