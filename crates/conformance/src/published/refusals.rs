//! What is made of a proof file that no client takes for one, whatever the family.

use super::Places;

/// Bytes that are refused, and why.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What is wrong with them.
    pub why: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Refusal {
    /// These bytes, for this reason.
    pub fn new(why: impl Into<String>, bytes: Vec<u8>) -> Self {
        let why = why.into();
        Self { why, bytes }
    }
}

/// How far apart the bytes are of which a bit is changed, where proofs are short.
pub const EVERY: usize = 11;

/// The order of the group of Ed25519, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// Every changed envelope, head, length and end of a proof file with a head, under a suite with digests of this
/// many bytes, and a changed bit in the first byte behind the head and one in `every` after it.
pub fn refusals(file: &[u8], digest: usize, every: usize) -> Vec<Refusal> {
    let places = Places::of(file, digest);
    let (flag, scheme) = (places.flag, places.flag + 1);
    let dictionary = scheme + places.scheme;
    let version = dictionary + 16;
    let root = version + 1;
    let signature = places.proof - 64;
    let changed = |place: usize, byte: u8| {
        let mut bytes = file.to_vec();
        bytes[place] = byte;
        bytes
    };
    let flipped = |place: usize| changed(place, file[place] ^ 1);
    let longer = |place: usize, by: &[u8]| [&file[..place], by, &file[place..]].concat();
    let mut made = vec![
        Refusal::new("nothing at all", vec![]),
        Refusal::new("the envelope alone", file[..flag].to_vec()),
        Refusal::new("not the magic bytes", changed(3, b'2')),
        Refusal::new("another version of the format", changed(4, 2)),
        Refusal::new("another kind", changed(5, file[5] + 1)),
        Refusal::new("the kind of the proof alone", changed(5, file[5] - 16)),
        Refusal::new("another context", changed(7, file[7] ^ 3)),
        Refusal::new("without its last byte", file[..file.len() - 1].to_vec()),
        Refusal::new("one byte more", longer(file.len(), &[0])),
        Refusal::new("an optional head of 2", changed(flag, 2)),
        Refusal::new(
            "without its head",
            [&file[..flag], &[0], &file[places.proof..]].concat(),
        ),
        Refusal::new("another scheme", flipped(scheme + places.scheme - 1)),
        Refusal::new("another dictionary", flipped(dictionary)),
        Refusal::new(
            "a head of another version",
            changed(version, file[version] + 1),
        ),
        Refusal::new("another root", flipped(root)),
        Refusal::new("another history", flipped(root + digest)),
        Refusal::new("another R", flipped(signature)),
        Refusal::new("another S", flipped(signature + 32)),
        Refusal::new(
            "S that is not reduced",
            [
                &file[..signature + 32],
                &sum(&file[signature + 32..places.proof], &ORDER),
                &file[places.proof..],
            ]
            .concat(),
        ),
    ];
    made.extend(numbers(file, &places, version));
    made.extend(
        (places.proof..file.len())
            .step_by(every)
            .map(|place| Refusal::new(format!("a bit of byte {place}"), flipped(place))),
    );
    made
}

/// Numbers that are not in their one form, in the places of the version and of the first number of the proof.
fn numbers(file: &[u8], places: &Places, version: usize) -> Vec<Refusal> {
    vec![
        // 251 and more in the shortest form already begin with what says how long they are.
        Refusal::new(
            "a version that is longer than it need be",
            [
                &file[..version],
                &[0xfb, file[version], 0],
                &file[version + 1..],
            ]
            .concat(),
        ),
        Refusal::new(
            "a length, number or variant that is longer than it need be",
            [
                &file[..places.proof],
                &[0xfb, file[places.proof], 0],
                &file[places.proof + 1..],
            ]
            .concat(),
        ),
        Refusal::new(
            "a length or number of which only a half is there",
            [&file[..places.proof], &[0xfc]].concat(),
        ),
        Refusal::new(
            "a length or number far beyond the end",
            [
                &file[..places.proof],
                &[0xfd, 255, 255, 255, 255, 255, 255, 255, 127],
            ]
            .concat(),
        ),
        Refusal::new(
            "a length or number that begins with a byte of no meaning",
            [&file[..places.proof], &[0xfe], &file[places.proof..]].concat(),
        ),
    ]
}

/// The sum of two little-endian numbers of 32 bytes, which has no more.
fn sum(left: &[u8], right: &[u8; 32]) -> Vec<u8> {
    let mut carry = 0;
    let bytes = left.iter().zip(right).map(|(left, right)| {
        let sum = u16::from(*left) + u16::from(*right) + carry;
        carry = sum >> 8;
        sum.to_le_bytes()[0]
    });
    bytes.collect()
}
