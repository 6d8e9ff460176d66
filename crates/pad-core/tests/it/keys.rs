//! Keys and values: their length limits at every interface.

use std::collections::BTreeMap;

use pad_core::{
    DecodeError, InputError, Key, MAX_KEY_LENGTH, MAX_VALUE_LENGTH, Value,
    codec::{decode_body, encode_body},
};

#[test]
fn length_is_checked_at_construction() {
    assert!(Key::new(vec![0; MAX_KEY_LENGTH]).is_ok());
    let (length, limit) = (MAX_KEY_LENGTH + 1, MAX_KEY_LENGTH);
    let refused = Key::new(vec![0; length]);
    assert_eq!(refused, Err(InputError::KeyTooLong { length, limit }));
    assert!(Value::new(vec![0; MAX_VALUE_LENGTH]).is_ok());
    let (length, limit) = (MAX_VALUE_LENGTH + 1, MAX_VALUE_LENGTH);
    let refused = Value::new(vec![0; length]);
    assert_eq!(refused, Err(InputError::ValueTooLong { length, limit }));
}

#[test]
fn length_is_checked_at_decoding() {
    let key = decode_body::<Key>(&encode_body(&vec![1_u8; MAX_KEY_LENGTH]));
    assert_eq!(key.unwrap().as_bytes(), vec![1; MAX_KEY_LENGTH]);
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
    let printed = format!("{:?} {}", keys[2], keys[4]);
    assert_eq!(printed, "Key(\\x00\\x00) a\\x00");
}

/// Every conversion checks the length, and conversions in both directions preserve the bytes.
#[test]
fn keys_and_values_are_made_from_bytes_of_every_kind() {
    macro_rules! conversions {
        ($name:ident, $limit:expr) => {
            let expected = $name::new(&b"apple"[..]).unwrap();
            let made = [
                $name::from(b"apple"),
                $name::from(*b"apple"),
                "apple".parse().unwrap(),
                $name::try_from("apple").unwrap(),
                $name::try_from(String::from("apple")).unwrap(),
                $name::try_from(&b"apple"[..]).unwrap(),
                $name::try_from(b"apple".to_vec()).unwrap(),
                $name::try_from(Box::<[u8]>::from(&b"apple"[..])).unwrap(),
            ];
            assert!(made.iter().all(|made| *made == expected));
            assert_eq!(expected.as_ref(), b"apple");
            assert_eq!(Vec::from(expected.clone()), b"apple");
            assert_eq!(expected.clone().into_bytes(), Box::from(expected.clone()));
            let named: BTreeMap<$name, u8> = made.into_iter().zip(0..).collect();
            assert_eq!(named.get(&b"apple"[..]), Some(&7));
            assert_eq!($name::from([]), $name::default());

            let long = "a".repeat($limit + 1);
            let refused = $name::new(long.as_bytes()).unwrap_err();
            assert_eq!($name::try_from(&long[..]), Err(refused));
            assert_eq!(long.parse::<$name>(), Err(refused));
            assert_eq!($name::try_from(long.as_bytes()), Err(refused));
            assert_eq!($name::try_from(long.clone().into_bytes()), Err(refused));
            let boxed = long.clone().into_bytes().into_boxed_slice();
            assert_eq!($name::try_from(boxed), Err(refused));
            assert_eq!($name::try_from(long), Err(refused));
        };
    }
    conversions!(Key, MAX_KEY_LENGTH);
    conversions!(Value, MAX_VALUE_LENGTH);
    let longest = Key::from([7; MAX_KEY_LENGTH]);
    assert_eq!(longest.as_bytes().len(), MAX_KEY_LENGTH);
}

#[test]
fn text_is_a_string_in_json_and_other_bytes_are_digits() {
    for (bytes, json) in [
        (&b"apple"[..], r#""apple""#),
        (b"", r#""""#),
        ("\u{e9}\n\"".as_bytes(), r#""\u00e9\n\"""#),
        (b"\0", r#""\u0000""#),
        (b"{\"hex\": \"00\"}", r#""{\"hex\": \"00\"}""#),
        (b"\xff\x0a", r#"{"hex":"ff0a"}"#),
    ] {
        let (key, value) = (Key::new(bytes).unwrap(), Value::new(bytes).unwrap());
        assert_eq!(serde_json::from_str::<Key>(json).unwrap(), key);
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), value);
        let again = serde_json::to_string(&(&key, &value)).unwrap();
        let read: (Key, Value) = serde_json::from_str(&again).unwrap();
        assert_eq!(read, (key, value));
    }
    let binary = serde_json::to_string(&Key::from(b"\xff\x0a")).unwrap();
    assert_eq!(binary, r#"{"hex":"ff0a"}"#);
    let map = BTreeMap::from([(Key::from(b"apple"), Value::from(b"3"))]);
    let json = serde_json::to_string(&map).unwrap();
    assert_eq!(json, r#"{"apple":"3"}"#);
    let read: BTreeMap<Key, Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(read, map);
    let key: Key = serde_json::from_str(r#"{"hex":"6170"}"#).unwrap();
    assert_eq!(key.as_bytes(), b"ap");
}

#[test]
fn other_json_is_no_key() {
    for json in [
        "3",
        "null",
        "[97]",
        "{}",
        r#"{"hex":"f"}"#,
        r#"{"hex":"FF"}"#,
        r#"{"hex":"+f"}"#,
        r#"{"hex":3}"#,
        r#"{"text":"a"}"#,
        r#"{"hex":"ff","hex":"ff"}"#,
        r#"{"hex":"ff","text":"a"}"#,
    ] {
        assert!(serde_json::from_str::<Key>(json).is_err(), "{json}");
    }
    let is_key = |json: &str| serde_json::from_str::<Key>(json).is_ok();
    let digits = "ff".repeat(MAX_KEY_LENGTH + 1);
    assert!(!is_key(&format!(r#"{{"hex":"{digits}"}}"#)));
    assert!(is_key(&format!(r#"{{"hex":"{}"}}"#, &digits[2..])));
    let text = "k".repeat(MAX_KEY_LENGTH + 1);
    assert!(!is_key(&format!(r#""{text}""#)));
}
