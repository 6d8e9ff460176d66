//! Bodies: the writer agrees with bincode, and the reader accepts exactly the canonical bodies that
//! bincode accepts.

use std::collections::BTreeMap;

use pad_core::{
    DecodeError, Digest, Key, Value,
    codec::{Message, decode_body, decode_message, encode_body},
};
use proptest::{collection::vec, prelude::*};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A field of every kind of serde data in this format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    map: BTreeMap<u16, Option<i64>>,
    rest: WithoutMap,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct WithoutMap {
    unsigned: (u8, u16, u32, u64),
    signed: (i8, i16, i32, i64),
    flags: [bool; 2],
    text: String,
    key: Key,
    value: Value,
    numbers: Vec<u32>,
    variants: Vec<Variant>,
    unit: (),
}

impl Message for Everything {
    const KIND: u8 = 254;
    const SUITE: u16 = 0;
    const INJECTIVE: bool = true;
}

impl Message for WithoutMap {
    const KIND: u8 = 255;
    const SUITE: u16 = 0;
    const INJECTIVE: bool = true;
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Variant {
    Unit,
    Newtype(Newtype),
    Tuple(u8, u64),
    Struct { left: i32, right: Option<Box<Self>> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Newtype(u64);

fn variants() -> impl Strategy<Value = Variant> {
    let leaf = prop_oneof![
        Just(Variant::Unit),
        any::<u64>().prop_map(|number| Variant::Newtype(Newtype(number))),
        any::<(u8, u64)>().prop_map(|(left, right)| Variant::Tuple(left, right)),
    ];
    leaf.prop_recursive(3, 8, 1, |inner| {
        (any::<i32>(), prop::option::of(inner.prop_map(Box::new)))
            .prop_map(|(left, right)| Variant::Struct { left, right })
    })
}

/// Numbers of every length, so that every form of integer is tried.
fn spread() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0_u32..64).prop_map(|(number, bits)| number >> bits)
}

fn everything() -> impl Strategy<Value = Everything> {
    let unsigned = (any::<u8>(), any::<u16>(), any::<u32>(), spread());
    let long = spread().prop_map(u64::cast_signed);
    let signed = (any::<i8>(), any::<i16>(), any::<i32>(), long);
    let bytes = (".{0,8}", vec(any::<u8>(), 0..9), vec(any::<u8>(), 0..9));
    let lists = (
        vec(any::<u32>(), 0..5),
        prop::collection::btree_map(any::<u16>(), prop::option::of(any::<i64>()), 0..4),
        vec(variants(), 0..4),
    );
    let fields = (unsigned, signed, any::<[bool; 2]>(), bytes, lists);
    fields.prop_map(
        |(unsigned, signed, flags, (text, key, value), (numbers, map, variants))| {
            let (key, value) = (Key::new(key).unwrap(), Value::new(value).unwrap());
            let rest = WithoutMap {
                unsigned,
                signed,
                flags,
                text,
                key,
                value,
                numbers,
                variants,
                unit: (),
            };
            Everything { map, rest }
        },
    )
}

/// The body as bincode encodes it.
fn bincode_writes<T: Serialize>(value: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, bincode::config::standard()).unwrap()
}

/// The value that bincode decodes; `None` unless the body is canonical and complete.
fn bincode_reads<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let config = bincode::config::standard().with_limit::<0x10_0000>();
    let (value, read) = bincode::serde::decode_from_slice(bytes, config).ok()?;
    (read == bytes.len() && bincode_writes::<T>(&value) == bytes).then_some(value)
}

/// The reason why bytes are refused as the body of a `T`; `None` if they are read.
fn refusal<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<DecodeError> {
    decode_body::<T>(bytes).err()
}

const MALFORMED: Option<DecodeError> = Some(DecodeError::Malformed);
const NON_CANONICAL: Option<DecodeError> = Some(DecodeError::NonCanonical);

/// In this format an array is its bytes. In other binary formats it is a byte string.
#[test]
fn arrays_have_no_length_prefix_in_this_format_alone() {
    let digest = Digest([7; 32]);
    assert_eq!(encode_body(&digest), [7; 32]);
    assert_eq!(decode_body(&[7; 32]), Ok(digest));
    assert_eq!(refusal::<Digest<32>>(&[7; 31]), MALFORMED);

    let bytes = bincode_writes(&digest);
    assert_eq!(bytes, [&[32][..], &[7; 32]].concat());
    assert_eq!(bincode_reads(&bytes), Some(digest));
    assert_eq!(bincode_reads::<Digest<28>>(&bytes), None);

    // A byte string after an array has its prefix.
    let pair = (digest, Value::new(vec![9; 3]).unwrap());
    assert_eq!(encode_body(&pair), [&[7; 32][..], &[3, 9, 9, 9]].concat());
}

/// Arrays of several lengths, between byte strings with a length prefix.
type WithArrays = (
    Option<Digest<32>>,
    Value,
    Vec<(Digest<48>, Value)>,
    BTreeMap<Value, Digest<28>>,
    NewtypeOfArray,
    Value,
);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NewtypeOfArray(Digest<64>);

fn with_arrays() -> impl Strategy<Value = WithArrays> {
    let bytes = || vec(any::<u8>(), 0..9).prop_map(|bytes| Value::new(bytes).unwrap());
    (
        prop::option::of(any::<[u8; 32]>().prop_map(Digest)),
        bytes(),
        vec(
            (any::<u8>().prop_map(|byte| Digest([byte; 48])), bytes()),
            0..4,
        ),
        prop::collection::btree_map(bytes(), any::<[u8; 28]>().prop_map(Digest), 0..4),
        any::<u8>().prop_map(|byte| NewtypeOfArray(Digest([byte; 64]))),
        bytes(),
    )
}

/// A type that calls itself an array and is none is refused, and not written without a length.
#[test]
fn a_false_array_is_not_written() {
    #[derive(Serialize)]
    #[serde(rename = "pad_core::array032")]
    struct False(Value);
    let value = False(Value::new(vec![1; 31]).unwrap());
    assert!(std::panic::catch_unwind(|| encode_body(&value)).is_err());
}

proptest! {
    #[test]
    fn what_is_written_is_read(value in everything()) {
        let bytes = encode_body(&value);
        prop_assert_eq!(&bytes, &bincode_writes(&value));
        prop_assert_eq!(bincode_reads(&bytes), Some(value.clone()));
        prop_assert_eq!(decode_body(&bytes), Ok(value));
        for length in 0..bytes.len() {
            prop_assert!(decode_body::<Everything>(&bytes[..length]).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        prop_assert_eq!(decode_body::<Everything>(&longer), Err(DecodeError::TrailingBytes));
    }

    #[test]
    fn arrays_are_written_and_read_among_other_data(value in with_arrays(), other: u8) {
        let bytes = encode_body(&value);
        prop_assert_eq!(decode_body(&bytes), Ok(value));
        for length in 0..bytes.len() {
            prop_assert!(decode_body::<WithArrays>(&bytes[..length]).is_err());
        }
        let longer = [&bytes[..], &[other]].concat();
        prop_assert_eq!(decode_body::<WithArrays>(&longer), Err(DecodeError::TrailingBytes));
    }

    /// Changed bytes never cause a panic. The reader's verdict equals the verdict of bincode with a
    /// canonical check.
    #[test]
    fn changed_bytes_are_read_as_bincode_reads_them(
        value in everything(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = encode_body(&value);
        for (index, byte) in changes {
            let position = index.index(bytes.len());
            bytes[position] = byte;
        }
        let read = decode_body::<Everything>(&bytes).ok();
        prop_assert_eq!(read, bincode_reads::<Everything>(&bytes));
    }

    /// A message that is not encoded again is decoded exactly as one that is, also if an integer in
    /// it has a longer form.
    #[test]
    fn changed_messages_are_read_as_those_that_are_encoded_again(
        value in everything(),
        position: prop::sample::Index,
        changed: u8,
    ) {
        let bodies = |honest: Vec<u8>| {
            let position = position.index(honest.len());
            let (before, after) = (honest[..position].to_vec(), &honest[position + 1..]);
            let number = honest[position];
            let forms = [vec![changed], vec![251, number, 0], vec![252, number, 0, 0, 0]];
            forms.map(|form| [&before, &form, after].concat())
        };
        for body in bodies(encode_body(&value.rest)) {
            prop_assert_eq!(decode_message::<WithoutMap>(&body), decode_body(&body));
        }
        for body in bodies(encode_body(&value)) {
            prop_assert_eq!(decode_message::<Everything>(&body), decode_body(&body));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        let read = decode_body::<Everything>(&bytes).ok();
        prop_assert_eq!(read, bincode_reads::<Everything>(&bytes));
        prop_assert_eq!(decode_message::<WithoutMap>(&bytes), decode_body(&bytes));
        prop_assert_eq!(decode_body::<Vec<u64>>(&bytes).ok(), bincode_reads(&bytes));
        prop_assert_eq!(decode_body::<Vec<Variant>>(&bytes).ok(), bincode_reads(&bytes));
    }
}

#[test]
fn integers_have_one_encoding() {
    let canonical: [(&[u8], u64); 7] = [
        (&[0], 0),
        (&[250], 250),
        (&[251, 251, 0], 251),
        (&[251, 0xff, 0xff], 0xffff),
        (&[252, 0, 0, 1, 0], 0x1_0000),
        (&[253, 0, 0, 0, 0, 1, 0, 0, 0], 1 << 32),
        (&[253, 255, 255, 255, 255, 255, 255, 255, 255], u64::MAX),
    ];
    for (bytes, number) in canonical {
        assert_eq!(encode_body(&number), bytes);
        assert_eq!(decode_body(bytes), Ok(number));
    }
    let longer: [&[u8]; 4] = [
        &[251, 250, 0],
        &[252, 0xff, 0xff, 0, 0],
        &[253, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
        &[253, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    for bytes in longer {
        assert_eq!(refusal::<u64>(bytes), NON_CANONICAL, "{bytes:?}");
        assert_eq!(refusal::<i64>(bytes), NON_CANONICAL, "{bytes:?}");
    }
    for bytes in [&[254_u8; 17][..], &[255], &[251, 1], &[]] {
        assert_eq!(refusal::<u64>(bytes), MALFORMED, "{bytes:?}");
    }
    let wide = [253, 0, 0, 0, 0, 1, 0, 0, 0];
    assert_eq!(refusal::<u32>(&wide), MALFORMED);
    assert_eq!(refusal::<bool>(&[2]), MALFORMED);
    assert_eq!(refusal::<Option<u8>>(&[2, 0]), MALFORMED);
    assert_eq!(refusal::<Variant>(&[4]), MALFORMED);
    assert_eq!(refusal::<Variant>(&[251, 0, 0]), NON_CANONICAL);
    assert_eq!(refusal::<String>(&[1, 0xff]), MALFORMED);
}

/// Short bodies that claim a long list or text. Allocating that length would abort the process.
#[test]
fn a_length_prefix_allocates_nothing() {
    let claims: [&[u8]; 5] = [
        &[253, 255, 255, 255, 255, 255, 255, 255, 255],
        &[253, 255, 255, 255, 255, 255, 255, 255, 127],
        &[253, 0, 0, 0, 0, 0, 1, 0, 0],
        &[252, 255, 255, 255, 255],
        &[251, 255, 255],
    ];
    for claim in claims {
        let bytes = [claim, b"few bytes"].concat();
        assert_eq!(refusal::<Key>(&bytes), MALFORMED);
        assert_eq!(refusal::<Value>(&bytes), MALFORMED);
        assert_eq!(refusal::<String>(&bytes), MALFORMED);
        assert_eq!(refusal::<Vec<u8>>(&bytes), MALFORMED);
        assert_eq!(refusal::<Vec<[u64; 32]>>(&bytes), MALFORMED);
        assert_eq!(refusal::<Vec<Vec<String>>>(&bytes), MALFORMED);
        assert_eq!(refusal::<BTreeMap<u8, u8>>(&bytes), MALFORMED);
    }
    let unordered = [2, 7, 0, 5, 0];
    let refused = refusal::<BTreeMap<u8, u8>>(&unordered);
    assert_eq!(refused, NON_CANONICAL);
}

/// Elements of zero size take no bytes of the body, so their number is bounded by the length of the
/// body.
#[test]
fn elements_without_bytes_are_bounded() {
    let units = |count: usize, rest: usize| (vec![(); count], vec![0_u8; rest]);
    let bytes = encode_body(&units(20, 18));
    assert_eq!(decode_body(&bytes), Ok(units(20, 18)));
    let bytes = encode_body(&units(20, 17));
    assert_eq!(refusal::<(Vec<()>, Vec<u8>)>(&bytes), MALFORMED);
    let endless = encode_body(&u64::MAX);
    assert_eq!(refusal::<Vec<()>>(&endless), MALFORMED);
}

/// A recursive type that is nested as deep as its message is long must be refused, without an
/// overflow of the stack.
#[test]
fn nesting_is_bounded() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Nested(Vec<Self>);
    let deep = |depth: usize| [vec![1; depth], vec![0]].concat();
    assert!(decode_body::<Nested>(&deep(20)).is_ok());
    assert_eq!(refusal::<Nested>(&deep(1_000_000)), MALFORMED);
    let options = [vec![3, 0], [1, 3, 0].repeat(1_000_000), vec![0]].concat();
    assert_eq!(refusal::<Variant>(&options), MALFORMED);
}

#[test]
fn floats_chars_and_wide_integers_are_not_part_of_the_format() {
    assert_eq!(refusal::<f64>(&bincode_writes(&1.0_f64)), MALFORMED);
    assert_eq!(refusal::<char>(&bincode_writes(&'a')), MALFORMED);
    assert_eq!(refusal::<u128>(&bincode_writes(&1_u128)), MALFORMED);
}
