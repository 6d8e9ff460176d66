//! Keys and values: bounded at every border.

use pad_core::{
    DecodeError, InputError, Key, MAX_KEY_LENGTH, MAX_VALUE_LENGTH, Value,
    codec::{decode_body, encode_body},
};

#[test]
fn length_is_checked_at_construction() {
    assert!(Key::new(vec![0; MAX_KEY_LENGTH]).is_ok());
    let (length, limit) = (MAX_KEY_LENGTH + 1, MAX_KEY_LENGTH);
    assert_eq!(
        Key::new(vec![0; length]),
        Err(InputError::KeyTooLong { length, limit })
    );
    assert!(Value::new(vec![0; MAX_VALUE_LENGTH]).is_ok());
    let (length, limit) = (MAX_VALUE_LENGTH + 1, MAX_VALUE_LENGTH);
    assert_eq!(
        Value::new(vec![0; length]),
        Err(InputError::ValueTooLong { length, limit })
    );
}

#[test]
fn length_is_checked_at_decoding() {
    let key = encode_body(&vec![1_u8; MAX_KEY_LENGTH]);
    assert_eq!(
        decode_body::<Key>(&key).unwrap().as_bytes(),
        vec![1; MAX_KEY_LENGTH]
    );
    let key = encode_body(&vec![1_u8; MAX_KEY_LENGTH + 1]);
    assert_eq!(decode_body::<Key>(&key), Err(DecodeError::Malformed));
    let value = encode_body(&vec![1_u8; MAX_VALUE_LENGTH + 1]);
    assert_eq!(decode_body::<Value>(&value), Err(DecodeError::Malformed));
}

#[test]
fn keys_are_ordered_by_their_bytes() {
    let ordered = ["", "\0", "\0\0", "a", "a\0", "aa", "b", "\u{7f}", "\u{ff}"];
    let keys = ordered.map(|text| Key::try_from(text).unwrap());
    assert!(keys.is_sorted_by(|a, b| a < b));
    assert_eq!(
        format!("{:?} {}", keys[2], keys[4]),
        "Key(\\x00\\x00) a\\x00"
    );
}
