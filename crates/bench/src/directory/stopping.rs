//! A signer that notes when it was asked: what an author does before that, without the signature and its check.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use ed25519_dalek::{SigningKey, VerifyingKey};
use pad_core::HeadSignature;
use signature::{Error, Keypair, Signer};

use crate::primitives::signing_key;

/// When the signer was asked the last time.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(Arc<Mutex<Option<Instant>>>);

impl Asked {
    /// The signer that notes it here.
    pub(super) fn signer(&self) -> Stopping {
        Stopping {
            key: signing_key(),
            asked: self.clone(),
        }
    }

    /// Microseconds from `start` until the signer was asked.
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
