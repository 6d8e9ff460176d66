//! The author's signing key, with a record of the time that its signatures take.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, HeadSignature, VerifyError};
use signature::Signer;

/// Total time of the signatures since [`Signing::take_us`] was last called.
#[derive(Clone, Debug, Default)]
pub struct Signing {
    nanoseconds: Arc<AtomicU64>,
}

impl Signing {
    /// Returns the author's fixed signing key, the same in all measurements.
    pub fn key() -> SigningKey {
        SigningKey::from_bytes(&[7; 32])
    }

    /// Returns the public half of [`Signing::key`].
    pub fn author_key() -> Result<AuthorKey, VerifyError> {
        AuthorKey::of(&Self::key())
    }

    /// Returns a signer that adds the time of its signatures to this total.
    pub fn signer(&self) -> impl Signer<HeadSignature> + Send + Sync + 'static {
        TimedSigner {
            key: Self::key(),
            nanoseconds: Arc::clone(&self.nanoseconds),
        }
    }

    /// Returns the microseconds that signatures have taken since the last call, and resets the
    /// total.
    pub fn take_us(&self) -> f64 {
        self.nanoseconds.swap(0, Ordering::Relaxed) as f64 / 1e3
    }
}

struct TimedSigner {
    key: SigningKey,
    nanoseconds: Arc<AtomicU64>,
}

impl Signer<HeadSignature> for TimedSigner {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, signature::Error> {
        let start = Instant::now();
        let signature = self.key.try_sign(message);
        let taken = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(taken, Ordering::Relaxed);
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    #[test]
    fn signatures_are_timed_and_valid() -> Outcome<()> {
        let signing = Signing::default();
        let signature = signing.signer().try_sign(b"head")?;
        Signing::author_key()?.verify(b"head", &signature)?;
        assert!(signing.take_us() > 0.0);
        assert!(signing.take_us().abs() < 1e-12);
        Ok(())
    }
}
