//! Order-preserving keys: the three laws of `OrderedKey`, for every implementation.

use std::fmt::Debug;

use pad_core::{InputError, Key, MAX_KEY_LENGTH, OrderedKey};
use proptest::prelude::*;

fn bytes<T: OrderedKey>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode_ordered(&mut bytes);
    bytes
}

/// Order, prefix-freeness and round trip for a pair of values.
fn check<T: OrderedKey + Ord + Debug>(a: &T, b: &T) -> Result<(), TestCaseError> {
    let (first, second) = (bytes(a), bytes(b));
    prop_assert_eq!(first.cmp(&second), a.cmp(b), "{:?} {:?}", a, b);
    prop_assert!(a == b || !first.starts_with(&second) && !second.starts_with(&first));

    let together = [&first[..], &second].concat();
    let (decoded, rest) = T::decode_ordered(&together).unwrap();
    prop_assert_eq!(&decoded, a);
    prop_assert_eq!(rest, &second[..]);
    let key = a.to_key().unwrap();
    prop_assert_eq!(key.as_bytes(), &first[..]);
    let decoded = T::from_key(&key);
    prop_assert_eq!(decoded.as_ref(), Some(a));

    for length in 0..first.len() {
        prop_assert!(T::decode_ordered(&first[..length]).is_none(), "truncated");
    }
    let surplus = Key::new([&first[..], &[0]].concat()).unwrap();
    prop_assert!(T::from_key(&surplus).is_none(), "surplus");
    Ok(())
}

/// Byte strings over an alphabet in which prefixes, zeros and escapes meet.
fn strings() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0, 1, 0xfe, 0xff]), 0..5)
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!['\0', '\u{1}', 'a', '\u{ff}', '\u{10ffff}']),
        0..4,
    )
    .prop_map(|letters| letters.into_iter().collect())
}

macro_rules! laws {
    ($($name:ident: $strategy:expr;)*) => {
        proptest! {$(
            #[test]
            fn $name(a in $strategy, b in $strategy) {
                check(&a, &b)?;
                check(&a, &a)?;
            }
        )*}
    };
}

laws! {
    u8s: any::<u8>();
    u16s: any::<u16>();
    u32s: any::<u32>();
    u64s: any::<u64>();
    u128s: any::<u128>();
    i8s: any::<i8>();
    i16s: any::<i16>();
    i32s: any::<i32>();
    i64s: any::<i64>();
    i128s: any::<i128>();
    arrays: any::<[u8; 3]>();
    byte_strings: strings();
    any_byte_strings: any::<Vec<u8>>();
    texts_by_code_point: texts();
    any_texts: any::<String>();
    tuples_of_1: (strings(),);
    tuples_of_2: (texts(), strings());
    tuples_of_3: (strings(), any::<i8>(), strings());
    tuples_of_4: (any::<bool>().prop_map(u8::from), strings(), texts(), -2_i16..2);
    nested_tuples: ((strings(), 0_u8..2), (strings(), texts()));
}

proptest! {
    /// Bytes that decode are the encoding of the decoded value.
    #[test]
    fn arbitrary_bytes_are_canonical_or_refused(input in strings(), more in any::<Vec<u8>>()) {
        for input in [input, more] {
            if let Some((value, rest)) = Vec::<u8>::decode_ordered(&input) {
                prop_assert_eq!([&bytes(&value), rest].concat(), &input[..]);
            }
            if let Some((value, rest)) = <(String, i16)>::decode_ordered(&input) {
                prop_assert_eq!([&bytes(&value), rest].concat(), &input[..]);
            }
        }
    }
}

#[test]
fn boundaries_are_in_order() {
    fn ascending<T: OrderedKey + Debug>(values: &[T]) {
        let encoded = values.iter().map(bytes);
        assert!(encoded.is_sorted_by(|a, b| a < b), "{values:?}");
    }
    ascending(&[i8::MIN, -1, 0, 1, i8::MAX]);
    ascending(&[i64::MIN, -256, -1, 0, 1, 255, 256, i64::MAX]);
    ascending(&[i128::MIN, -1, 0, i128::MAX]);
    ascending(&[0, 255, 256, u64::MAX]);
    let strings: [&[u8]; 7] = [&[], &[0], &[0, 0], &[0, 1], &[0, 255], &[1], &[255]];
    ascending(&strings.map(<[u8]>::to_vec));
    ascending(&[
        (vec![], 255_u8),
        (vec![0], 0),
        (vec![0], 1),
        (vec![0, 0], 0),
        (vec![1], 0),
    ]);
}

#[test]
fn malformed_bytes_decode_to_nothing() {
    let unterminated: [&[u8]; 6] = [&[], &[0], &[1], &[1, 0], &[0, 0xff], &[0, 0xff, 0]];
    let escaped_wrongly: [&[u8]; 3] = [&[0, 1], &[0, 0xfe, 0, 0], &[7, 0, 7, 0, 0]];
    for input in unterminated.into_iter().chain(escaped_wrongly) {
        assert_eq!(Vec::<u8>::decode_ordered(input), None, "{input:?}");
        assert_eq!(String::decode_ordered(input), None, "{input:?}");
    }
    assert_eq!(String::decode_ordered(&[0xff, 0, 0]), None, "not UTF-8");
    let overlong = [0xc0, 0x80, 0, 0];
    assert_eq!(String::decode_ordered(&overlong), None, "overlong UTF-8");
    assert_eq!(u64::decode_ordered(&[0; 7]), None);
    assert_eq!(<[u8; 4]>::decode_ordered(&[0; 3]), None);
    assert_eq!(<(u8, u16)>::decode_ordered(&[0; 2]), None);
}

#[test]
fn a_key_that_is_too_long_is_refused() {
    let limit = MAX_KEY_LENGTH;
    assert!(vec![1; limit - 2].to_key().is_ok());
    let refused = |length| Err(InputError::KeyTooLong { length, limit });
    assert_eq!(vec![1; limit - 1].to_key(), refused(limit + 1));
    // Each zero takes two bytes.
    assert_eq!(vec![0; limit / 2].to_key(), refused(limit + 2));
}
