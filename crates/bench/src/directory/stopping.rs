//! A signer that records when it was called: measures an author's work without the signature and
//! its check.

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
pub(super) struct Asked(Arc<Mutex<Option<Instant>>>);

impl Asked {
    /// Returns the signer that records the time here.
    pub(super) fn signer(&self) -> Stopping {
        Stopping {
            key: signing_key(),
            asked: self.clone(),
        }
    }

    /// Microseconds from `start` to the request for a signature.
    pub(super) fn since_us(&self, start: Instant) -> f64 {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.map_or(f64::NAN, |asked| crate::timing::microseconds(asked - start))
    }
}

/// See [`Asked`].
pub(super) struct Stopping {
    key: SigningKey,
    asked: Asked,
}

impl Signer<HeadSignature> for Stopping {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, Error> {
        let now = Instant::now();
        let mut asked = self.asked.0.lock().unwrap_or_else(PoisonError::into_inner);
        *asked = Some(now);
        self.key.try_sign(message)
    }
}

impl Keypair for Stopping {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        self.key.verifying_key()
    }
}
