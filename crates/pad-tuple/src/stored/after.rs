//! Prefix compression of keys that are stored in ascending order.

use pad_core::{Key, StoreFault};
use serde::{Deserialize, Serialize};

/// A key without the prefix that it shares with the previous key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeySuffix {
    /// The length in bytes of the prefix that the key shares with the previous key.
    shared: u64,
    /// The bytes of the key after this prefix.
    pub(super) rest: Key,
}

impl KeySuffix {
    pub(super) fn of(before: &[u8], key: &Key) -> Self {
        let key = key.as_bytes();
        let pairs = before.iter().zip(key);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        let rest = key.get(shared..).and_then(|rest| Key::new(rest).ok());
        Self {
            shared: u64::try_from(shared).unwrap_or(u64::MAX),
            rest: rest.unwrap_or_default(),
        }
    }

    /// Rebuilds the key, given the previous key `before`.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if `before` is shorter than the shared prefix, or the key is too
    /// long.
    pub(super) fn key(&self, before: &[u8]) -> Result<Key, StoreFault> {
        let shared = usize::try_from(self.shared).ok();
        let shared = shared.and_then(|shared| before.get(..shared));
        let shared = shared.ok_or(StoreFault::Damaged)?;
        Key::new([shared, self.rest.as_bytes()].concat()).map_err(|_| StoreFault::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_more_than_there_is_is_damage() {
        let key = |shared| {
            let rest = Key::default();
            KeySuffix { shared, rest }.key(b"one")
        };
        assert_eq!(key(3), Ok(Key::from(*b"one")));
        assert_eq!(key(4), Err(StoreFault::Damaged));
        assert_eq!(key(u64::MAX), Err(StoreFault::Damaged));
    }
}
