//! Laws of [`pad_accumulators::Accumulator`], [`pad_accumulators::Dynamic`],
//! [`pad_accumulators::Batch`] and [`pad_accumulators::Universal`], for any implementation.
//!
//! * [`laws`]: both roles, every order and every thread count agree, and a witness verifies for its
//!   own element only.
//! * [`histories`]: random changes, compared with a plain set of byte strings.
//! * [`subsets`]: subset witnesses and batches.
//! * [`absence`]: witnesses of absence.
//! * [`hostile`]: flipped bits, truncations, extensions, noise, and snapshots offered for another
//!   version or label.

use std::num::NonZeroUsize;

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    Accumulator, Authority, Batch, ElementSet, PublicKey as _, Scheme, SecretKey as _, Snapshot,
    Universal, wire::Wire,
};
use pad_core::{AuthorKey, Untrusted, Verified, Version, Workers};

use crate::Random;

pub mod absence;
pub mod histories;
pub mod hostile;
pub mod laws;
pub mod subsets;

/// All traits that every accumulator of this workspace implements.
pub trait Complete: Universal + Batch {}
impl<A: Universal + Batch> Complete for A {}

/// The public key of accumulator scheme `A`.
pub type PublicKey<A> = <A as Scheme>::PublicKey;
/// The secret key of accumulator scheme `A`.
pub type SecretKey<A> = <A as Accumulator>::SecretKey;

/// Maximum message length that a test accepts, in bytes.
pub const MESSAGE_LIMIT: usize = 1 << 20;

/// Returns `count` distinct elements of various lengths, including the empty element.
pub fn elements(count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    (0..count)
        .map(|index| {
            let mut element = random.bytes(index % 40);
            // The index makes elements distinct. The first element stays empty.
            if index > 0 {
                element.extend_from_slice(&index.to_be_bytes());
            }
            element
        })
        .collect()
}

/// Returns a worker pool of `threads` threads.
pub fn workers(threads: usize) -> Workers {
    Workers::new(NonZeroUsize::new(threads).expect("at least one thread")).expect("a pool")
}

/// Creates the accumulated set of `elements` under the public key `key`.
pub fn set_of<A: Accumulator>(key: &PublicKey<A>, elements: &[Vec<u8>]) -> ElementSet<A> {
    ElementSet::from_elements(key, elements, &Workers::sequential()).expect("distinct elements")
}

/// Returns the author's signing key, the same in all tests.
pub fn signer() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// Returns an accumulator value as a client obtains it: signed by the author as the snapshot of a
/// version, encoded, decoded and verified.
pub fn verified<A: Accumulator>(
    key: &PublicKey<A>,
    version: u64,
    value: &A::Value,
) -> Verified<Snapshot<A>> {
    let version = Version::new(version);
    let snapshot = Snapshot::<A> {
        key: key.clone(),
        version,
        value: value.clone(),
    };
    let signed = snapshot.sign(&signer()).expect("a key in memory signs");
    let bytes = pad_accumulators::wire::encode(&signed);
    let received: Untrusted<pad_accumulators::SignedSnapshot<A>> =
        pad_accumulators::wire::decode(key, &bytes, MESSAGE_LIMIT).expect("honest bytes");
    let author = AuthorKey::from_bytes(signer().verifying_key().as_bytes()).expect("a public key");
    let authority = Authority {
        author,
        key: key.clone(),
    };
    received
        .verify(&authority, &version)
        .expect("an honest signature")
}

/// Encodes and decodes an object, as if it were sent over a network.
pub fn sent<W: Wire<Context = PublicKey<A>>, A: Accumulator>(
    key: &PublicKey<A>,
    object: &W,
) -> Untrusted<W> {
    let bytes = pad_accumulators::wire::encode(object);
    pad_accumulators::wire::decode(key, &bytes, MESSAGE_LIMIT).expect("honest bytes are accepted")
}

/// Returns the public key of `secret` with the label `label`, which makes it the key of another
/// accumulator.
pub fn relabelled<A: Accumulator>(secret: &SecretKey<A>, label: &[u8]) -> PublicKey<A> {
    secret.public_key().with_label(label)
}
