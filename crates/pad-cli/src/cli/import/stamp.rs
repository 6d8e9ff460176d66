//! Import records: digests of the name and the changes of a snapshot. An import compares these
//! digests to recognize snapshots that were imported before.

use authdict::{Operation, pad_core::codec};
use pad_core::internals::Domain;
use sha2::{Digest as _, Sha256};

/// The digest of a snapshot's name and changes.
pub(super) type Stamp = Vec<u8>;

/// Incremental computation of a [`Stamp`].
///
/// The stamp is `SHA-256(tag block of Domain::Checkpoint ‖ "trace" ‖ body)`. The body is the result
/// of [`codec::encode_body`] for the name and the changes.
pub(super) struct StampBuilder(Sha256);

impl StampBuilder {
    pub(super) fn new(name: &str, changes: u64) -> Self {
        let hasher = Sha256::new()
            .chain_update(Domain::Checkpoint.block::<64>())
            .chain_update(b"trace")
            .chain_update(codec::encode_body(&(name, changes)));
        Self(hasher)
    }

    pub(super) fn add(&mut self, change: &Operation) {
        self.0.update(codec::encode_body(change));
    }

    pub(super) fn finish(self) -> Stamp {
        self.0.finalize().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use authdict::{Key, Sha256Ed25519, Value};
    use pad_core::Suite;

    use super::*;

    #[test]
    fn it_is_the_digest_of_the_whole() {
        let key = |length: usize| Key::new(vec![7; length]).unwrap();
        for changes in [0, 1, 250, 251, 70_000_usize] {
            let operations: Vec<_> = (0..changes)
                .map(|place| match place % 3 {
                    0 => Operation::Remove(key(place % 9)),
                    _ => Operation::Put(key(place % 300), Value::new(vec![1; place % 5]).unwrap()),
                })
                .collect();
            let name = "release 1.0";
            let body = codec::encode_body(&(name, &operations));
            let whole = Sha256Ed25519::hash(Domain::Checkpoint, &[b"trace", &body]);
            let mut stamping = StampBuilder::new(name, u64::try_from(changes).unwrap());
            for change in &operations {
                stamping.add(change);
            }
            assert_eq!(stamping.finish(), whole.as_ref(), "{changes}");
        }
    }
}
