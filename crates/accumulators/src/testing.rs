//! Helpers of several unit tests.

use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, Untrusted, Verified, Version, Workers};

use crate::{
    scheme::Scheme,
    snapshot::{Authority, Snapshot},
};

/// Creates a pool of `threads` threads.
pub(crate) fn workers(threads: usize) -> Workers {
    Workers::new(threads.try_into().unwrap()).unwrap()
}

/// Signs `value` as the snapshot of `version` with a test author's key, and verifies the signature.
pub(crate) fn verified<A: Scheme>(
    key: &A::PublicKey,
    version: u64,
    value: &A::Value,
) -> Verified<Snapshot<A>> {
    let signer = SigningKey::from_bytes(&[7; 32]);
    let version = Version::new(version);
    let snapshot = Snapshot {
        key: key.clone(),
        version,
        value: value.clone(),
    };
    let authority = Authority {
        author: AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap(),
        key: key.clone(),
    };
    let signed = snapshot.sign(&signer).unwrap();
    Untrusted::new(signed).verify(&authority, &version).unwrap()
}
