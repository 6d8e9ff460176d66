//! Evidence that an author signed two different heads for one version.

use serde::{Deserialize, Serialize};

use crate::{
    codec::Message,
    error::VerifyError,
    head::{Authority, SignedHead},
    proof::Proof,
    suite::Suite,
    version::Version,
};

/// Two different signed heads of one dictionary and version.
///
/// Any holder of the author's public key can verify the pair. Only a holder of the signing key can
/// produce one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Equivocation<S: Suite> {
    /// One of the two heads.
    pub first: SignedHead<S>,
    /// The other head.
    pub second: SignedHead<S>,
}

/// A verified fork: the author's key signed two different heads of one version, or heads that
/// contradict each other about that version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forked {
    /// The version with two heads, two roots or two histories.
    pub version: Version,
}

impl<S: Suite> Message for Equivocation<S> {
    const KIND: u8 = 5;
    const SUITE: u16 = S::ID.0;
}

/// Verified against the [`Authority`], without a query. The statement is the version that has two
/// heads.
impl<S: Suite> Proof for Equivocation<S> {
    type Commitment = Authority;
    type Query = ();
    type Statement = Forked;
    type Error = VerifyError;

    fn check(self, authority: &Authority, (): &()) -> Result<Forked, VerifyError> {
        let version = self.first.head.version;
        let first = self.first.check(authority, &version)?;
        let second = self.second.check(authority, &version)?;
        if first == second {
            return Err(VerifyError::NoContradiction);
        }
        Ok(Forked { version })
    }
}
