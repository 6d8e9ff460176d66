//! Signer that records when it is called. It allows measuring an author's work without the
//! signature and its check.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use ed25519_dalek::VerifyingKey;
use pad_core::HeadSignature;
use signature::{Error, Keypair, Signer};

use crate::{primitives::signing_key, timing::microseconds};

/// Signer that records the time of each request. Its clones share the time of the last one.
#[derive(Clone, Debug, Default)]
pub(super) struct SigningTime(Arc<Mutex<Option<Instant>>>);

impl SigningTime {
    /// Returns the microseconds from `start` to the last request for a signature; NaN if there was
    /// none.
    pub(super) fn since_us(&self, start: Instant) -> f64 {
        let requested = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requested.map_or(f64::NAN, |requested| microseconds(requested - start))
    }
}

impl Signer<HeadSignature> for SigningTime {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, Error> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        signing_key().try_sign(message)
    }
}

impl Keypair for SigningTime {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        signing_key().verifying_key()
    }
}
