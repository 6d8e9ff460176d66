//! Evidence that an author's key has signed two histories, for whoever trusts the key and nothing else.

use pad_core::{Version, contradiction::ForkEvidence};

use crate::{keys::PublicKey, question::Refusal, selection::with_suite};

/// The version about which the author's key has signed two different things.
///
/// `evidence` is a message: an [`Equivocation`](pad_core::Equivocation) or a
/// [`Contradiction`](pad_core::Contradiction).
///
/// # Errors
/// [`Refusal`]: it proves nothing against this key.
pub fn check(public: &PublicKey, evidence: &[u8]) -> Result<Version, Refusal> {
    with_suite!(public.suite, S => {
        let evidence = ForkEvidence::<S>::decode(evidence, evidence.len())?;
        let forked = evidence.verify(&public.authority, &())?;
        Ok(forked.get().version)
    })
}
