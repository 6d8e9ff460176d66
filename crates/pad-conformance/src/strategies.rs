//! Strategies for the crate `proptest`, which generate random keys, values and traces.

use pad_core::{Key, MAX_KEY_LENGTH, Value};
use proptest::{collection::vec, prelude::*};

use crate::{
    Action, Random,
    changed::changed_at,
    operation::{key, value},
};

/// Random keys that often collide: a few short keys, keys with long common prefixes, the empty key
/// and keys of the maximum length.
pub fn arb_key() -> impl Strategy<Value = Key> {
    prop_oneof![
        8 => (0..12_u8).prop_map(|byte| key([byte * 20])),
        6 => (0..4_u8, 0..4_u8).prop_map(|(high, low)| key([high * 60, low])),
        3 => (0..6_u8).prop_map(|tail| {
            let mut bytes = b"a prefix that is longer than eight bytes/".to_vec();
            bytes.extend([0, tail]);
            key(bytes)
        }),
        1 => (0..3_usize).prop_map(|zeros| key(vec![0; zeros])),
        1 => (0..2_u8).prop_map(|tail| {
            let mut bytes = vec![b'm'; MAX_KEY_LENGTH];
            bytes[MAX_KEY_LENGTH - 1] = tail;
            key(bytes)
        }),
    ]
}

/// Random values of 0 bytes to 1 KiB, most of them short.
pub fn arb_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::default()),
        8 => any::<[u8; 3]>().prop_map(value),
        1 => (any::<u8>(), 33..=1024_usize).prop_map(|(byte, length)| value(vec![byte; length])),
    ]
}

/// Random steps of a trace: in most cases a put, sometimes a removal or a snapshot. Snapshots may
/// publish no changes.
pub fn arb_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (arb_key(), arb_value()).prop_map(|(key, value)| Action::Put(key, value)),
        3 => arb_key().prop_map(Action::Remove),
        2 => Just(Action::Snapshot),
    ]
}

/// Random traces of at most `steps` steps, each ending with a snapshot.
pub fn arb_trace(steps: usize) -> impl Strategy<Value = Vec<Action>> {
    vec(arb_action(), 0..steps).prop_map(|mut actions| {
        actions.push(Action::Snapshot);
        actions
    })
}

/// Random changes of the message `honest`: a flipped bit, missing, repeated or random bytes, or
/// bytes of the message `other`. No result equals `honest`. Neither message is empty.
pub fn arb_changed(honest: Vec<u8>, other: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    any::<u64>().prop_map(move |seed| {
        let mut random = Random::new(seed);
        let position = random.index(honest.len());
        let changed = changed_at(position, &honest, &other, &mut random);
        let chosen = random.index(changed.len());
        let [(_, first), ..] = &changed;
        let (_, message) = &changed[chosen];
        let is_honest = *message == honest;
        if is_honest { first } else { message }.clone()
    })
}
