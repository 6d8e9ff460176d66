//! Keys and values that are computed from an index, so that a workload need not store them.

use pad_core::{Key, Operation, Value};

use crate::random::{Random, STEP, scramble};

/// Default length of a value, in bytes.
pub const VALUE_LENGTH: usize = 32;

/// Returns the operation that puts [`value`]`(index)` under [`key`]`(index)`.
pub fn put(index: u64) -> Operation {
    Operation::Put(key(index), value(index))
}

/// Returns the key of 8 bytes for an index. Different indices have different keys.
pub fn key(index: u64) -> Key {
    key_of(index, 8)
}

/// Returns the key of `bytes` bytes, at least 8, for an index. Different indices have different
/// keys.
pub fn key_of(index: u64, bytes: usize) -> Key {
    let key = if bytes <= 8 {
        let scrambled = scramble(index.wrapping_mul(STEP).wrapping_add(KEY_SEED));
        Key::new(scrambled.to_be_bytes())
    } else {
        Key::new(long_bytes(index ^ KEY_SEED, bytes))
    };
    key.expect("workload: keys are not too long")
}

/// Returns a key that no workload contains, different for each index.
pub fn absent_key(index: u64) -> Key {
    key(index | 1 << 63)
}

/// Returns the key of 32 bytes, as long as a hash, for an index. Tuple dictionaries are measured
/// with such keys.
pub fn hashed_key(index: u64) -> Key {
    key_of(index, 32)
}

/// Returns the operation that puts [`value`]`(index)` under the key of 32 bytes,
/// [`hashed_key`]`(index)`.
pub fn put_hashed(index: u64) -> Operation {
    Operation::Put(hashed_key(index), value(index))
}

/// Returns the value of [`VALUE_LENGTH`] bytes for an index.
pub fn value(index: u64) -> Value {
    value_of(index, VALUE_LENGTH)
}

/// Returns the value of `bytes` bytes for an index.
pub fn value_of(index: u64, bytes: usize) -> Value {
    Value::new(long_bytes(index ^ VALUE_SEED, bytes)).expect("workload: values are not too long")
}

/// Generates `bytes` pseudorandom bytes from a seed.
fn long_bytes(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut long: Vec<u8> = (0..bytes.div_ceil(8))
        .flat_map(|_| random.next().to_be_bytes())
        .collect();
    long.truncate(bytes);
    long
}

const KEY_SEED: u64 = 0x6b65_7973;
const VALUE_SEED: u64 = 0x7661_6c75_6573;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_are_distinct() {
        let present: HashSet<_> = (0..20_000).map(key).collect();
        assert_eq!(present.len(), 20_000);
        assert!((0..20_000).all(|index| !present.contains(&absent_key(index))));
        let hashed: HashSet<_> = (0..20_000).map(hashed_key).collect();
        assert_eq!(hashed.len(), 20_000);
    }

    #[test]
    fn values_have_the_stated_length_and_differ() {
        let values: HashSet<_> = (0..1_000).map(value).collect();
        assert_eq!(values.len(), 1_000);
        assert!(
            values
                .iter()
                .all(|value| value.as_bytes().len() == VALUE_LENGTH)
        );
    }

    #[test]
    fn lengths_are_as_asked_for() {
        for (index, length) in [(0, 8), (1, 16), (2, 33), (3, 500)] {
            assert_eq!(key_of(index, length).as_bytes().len(), length);
            assert_eq!(value_of(index, length).as_bytes().len(), length);
        }
    }
}
