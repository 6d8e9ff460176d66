//! Signer that records when it is called. It allows measuring an author's work without the
//! signature and its check.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use ed25519_dalek::{SigningKey, VerifyingKey};
use pad_core::HeadSignature;
use signature::{Error, Keypair, Signer};

use crate::primitives::signing_key;

/// Time of the last request for a signature.
#[derive(Clone, Debug, Default)]
pub(super) struct SigningTime(Arc<Mutex<Option<Instant>>>);

impl SigningTime {
    /// Returns a signer that records the time of each request in `self`.
    pub(super) fn signer(&self) -> RecordingSigner {
        RecordingSigner {
            key: signing_key(),
            requested: self.clone(),
        }
    }

    /// Returns the microseconds from `start` to the last request for a signature; NaN if there was
    /// none.
    pub(super) fn since_us(&self, start: Instant) -> f64 {
        let requested = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requested.map_or(f64::NAN, |requested| {
            crate::timing::microseconds(requested - start)
        })
    }
}

/// Signer that records the time of each request in a [`SigningTime`].
pub(super) struct RecordingSigner {
    key: SigningKey,
    requested: SigningTime,
}

impl Signer<HeadSignature> for RecordingSigner {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, Error> {
        let now = Instant::now();
        let mut requested = self
            .requested
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *requested = Some(now);
        self.key.try_sign(message)
    }
}

impl Keypair for RecordingSigner {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        self.key.verifying_key()
    }
}
