//! A verifier of one design, written from `docs/format.md` alone: it uses SHA-256, Ed25519 and nothing
//! of this project. It accepts what the vectors contain and refuses it with any byte changed.

#![allow(clippy::option_option, reason = "refused, absent or present")]

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256, block_api::compress256};

type Hash = [u8; 32];

const INITIAL_STATE: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Two generations.
const GENERATIONS: usize = 2;
const SCHEME: u64 = 0x0222;

fn tag_block(tag: &str) -> [u8; 64] {
    let mut block = [0; 64];
    block[..tag.len()].copy_from_slice(tag.as_bytes());
    block
}

/// Section "Hashing": SHA-256 of the tag block and the data.
fn hash(tag: &str, data: &[u8]) -> Hash {
    Sha256::new()
        .chain_update(tag_block(tag))
        .chain_update(data)
        .finalize()
        .into()
}

/// Section "Hashing": two compressions and no padding.
fn node(tag: &str, left: &Hash, right: &Hash) -> Hash {
    let mut state = INITIAL_STATE;
    let mut block = [0; 64];
    block[..32].copy_from_slice(left);
    block[32..].copy_from_slice(right);
    compress256(&mut state, &[tag_block(tag), block]);
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// Section "Bodies": reads from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    fn hash(&mut self) -> Option<Hash> {
        self.bytes(32)?.try_into().ok()
    }

    fn signature(&mut self) -> Option<[u8; 64]> {
        self.bytes(64)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u64> {
        let first = self.bytes(1)?[0];
        let (width, least) = match first {
            0..=250 => return Some(first.into()),
            251 => (2, 251),
            252 => (4, 1 << 16),
            253 => (8, 1 << 32),
            _ => return None,
        };
        let bytes = self.bytes(width)?;
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        (number >= least).then_some(number)
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| read(self)).collect()
    }

    fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.bytes(1)?[0] {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    /// A key: at most 4096 bytes.
    fn key(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        (length <= 4096).then(|| self.bytes(length))?
    }

    /// A value: at most 2^24 bytes.
    fn value(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        (length <= 1 << 24).then(|| self.bytes(length))?
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Section "Messages": the body of a message of this kind under suite 1.
fn body(message: &[u8], kind: u8) -> Option<Reader<'_>> {
    message
        .strip_prefix(&[b'P', b'A', b'D', b'1', 1, kind, 0, 1])
        .map(Reader)
}

/// Whom the client trusts, and for what.
struct Trust {
    author: VerifyingKey,
    dictionary: Vec<u8>,
}

impl Trust {
    fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Option<()> {
        let signature = Signature::from_bytes(signature);
        self.author.verify_strict(message, &signature).ok()
    }
}

/// Section "Tuple proofs": a tuple as it is shown.
struct Shown {
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
    /// The content as it is hashed.
    content: Vec<u8>,
    /// What it says about the key, if it decides.
    decides: Option<Option<Vec<u8>>>,
    since: u64,
    signed: u64,
    revealed: u64,
    link: Hash,
    signature: [u8; 64],
}

fn shown(reader: &mut Reader<'_>) -> Option<Shown> {
    let variant = reader.number()?;
    let lower = match variant {
        0 => None,
        1 => Some(reader.key()?),
        _ => return None,
    };
    let upper = reader.optional(Reader::key)?;
    let (content, decides) = match (variant, reader.number()?) {
        (_, 0) => (vec![0], None),
        (0, 1) => {
            let value = reader.value()?;
            let digest = hash("pad/v1/value", &value);
            ([&[1], &digest[..]].concat(), Some(Some(value)))
        }
        (1, 1) => ([&[1], &reader.hash()?[..]].concat(), None),
        (0, 2) => (vec![2], Some(None)),
        (1, 2) => (vec![2], None),
        _ => return None,
    };
    Some(Shown {
        lower,
        upper,
        content,
        decides,
        since: reader.number()?,
        signed: reader.number()?,
        revealed: reader.number()?,
        link: reader.hash()?,
        signature: reader.signature()?,
    })
}

fn length(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len()).unwrap().to_be_bytes()
}

/// Section "Tuples": the digest.
fn tuple_digest(
    generation: usize,
    epochs: &[u64],
    lower: &[u8],
    upper: Option<&[u8]>,
    content: &[u8],
) -> Hash {
    let epochs = if generation == 0 { epochs } else { &[] };
    let mut data = vec![
        u8::try_from(generation).unwrap(),
        u8::try_from(epochs.len()).unwrap(),
    ];
    data.extend(epochs.iter().flat_map(|epoch| epoch.to_be_bytes()));
    data.extend(length(lower));
    data.extend(lower);
    match upper {
        None => data.push(0),
        Some(upper) => {
            data.push(1);
            data.extend(length(upper));
            data.extend(upper);
        }
    }
    data.extend(content);
    hash("pad/v1/tuple", &data)
}

/// The answer that a message proves about a key in a version: `Some(None)` if it is absent.
fn verify(trust: &Trust, message: &[u8], version: u64, key: &[u8]) -> Option<Option<Vec<u8>>> {
    let mut reader = body(message, 65)?;
    let epochs = reader.list(Reader::number)?;
    let parts = reader.list(shown)?;
    let sealed = reader.optional(|_| Some(()))?.is_some();
    reader.end()?;
    if !sealed {
        return (version == 0 && epochs.is_empty() && parts.is_empty()).then_some(None);
    }
    (epochs.len() + 1 == GENERATIONS).then_some(())?;
    let (mut answer, mut last) = (None, 0);
    for (generation, part) in parts.iter().enumerate() {
        (generation < GENERATIONS && answer.is_none()).then_some(())?;
        let instant = if generation == 0 {
            version
        } else {
            epochs[generation - 1]
        };
        let lower = match &part.lower {
            None => key,
            Some(lower) => (&lower[..] < key).then_some(lower)?,
        };
        let upper = part.upper.as_deref();
        upper.is_none_or(|upper| key < upper).then_some(())?;
        let tuple = tuple_digest(generation, &epochs, lower, upper, &part.content);
        let until = part.signed.saturating_add(part.revealed);
        (part.since <= instant && instant <= until && part.revealed <= 4096).then_some(())?;
        let mut anchor = part.link;
        for _ in 0..part.revealed {
            anchor = node("pad/v1/hash-chain", &anchor, &tuple);
        }
        let mut signed = tag_block("pad/v1/tuple-statement")[..32].to_vec();
        signed.extend([0, 1]);
        signed.extend(u16::try_from(SCHEME).unwrap().to_be_bytes());
        signed.extend(&trust.dictionary);
        signed.push(u8::try_from(generation).unwrap());
        signed.extend(part.since.to_be_bytes());
        signed.extend(part.signed.to_be_bytes());
        signed.extend(tuple);
        signed.extend(anchor);
        trust.verify(&signed, &part.signature)?;
        answer.clone_from(&part.decides);
        last = generation + 1;
    }
    (answer.is_some() || last == GENERATIONS).then_some(())?;
    Some(answer.flatten())
}

/// Section "Updates of tuple dictionaries": whether the signed root is that of operations and
/// attachment, and the author signed it for this version.
fn update_is_signed(trust: &Trust, message: &[u8], version: u64) -> Option<()> {
    let mut reader = body(message, 64)?;
    (reader.number()? + 1 == version).then_some(())?;
    let operations = reader.list(|reader| {
        let mut data = Vec::new();
        let variant = reader.number()?;
        let key = reader.key()?;
        data.push(u8::from(variant == 0));
        data.extend(length(&key));
        data.extend(&key);
        match variant {
            0 => {
                let value = reader.value()?;
                data.extend(length(&value));
                data.extend(value);
            }
            1 => {}
            _ => return None,
        }
        Some(data)
    })?;
    let (scheme, dictionary) = (reader.number()?, reader.bytes(16)?);
    let (found, root, history) = (reader.number()?, reader.hash()?, reader.hash()?);
    let signature = reader.signature()?;
    let merged = reader.bytes(1)?;
    let extensions = reader.list(|reader| {
        let items = reader.list(|reader| match reader.number()? {
            0 => Some([&[0], &reader.bytes(96)?[..]].concat()),
            1 => Some([&[1], &reader.bytes(32)?[..]].concat()),
            _ => None,
        })?;
        let count = u32::try_from(items.len()).ok()?.to_be_bytes();
        Some([&count[..], &items.concat()].concat())
    })?;
    reader.end()?;
    let count = u32::try_from(extensions.len()).ok()?.to_be_bytes();
    let attachment = [&merged[..], &count, &extensions.concat()].concat();
    let operations = hash("pad/v1/tuple-operations", &operations.concat());
    let attachment = hash("pad/v1/tuple-attachment", &attachment);
    let expected = hash("pad/v1/tuple-root", &[operations, attachment].concat());
    (root == expected && found == version && dictionary == trust.dictionary).then_some(())?;
    (scheme == SCHEME).then_some(())?;
    let mut signed = tag_block("pad/v1/signed-head")[..32].to_vec();
    signed.extend([0, 1]);
    signed.extend(u16::try_from(SCHEME).unwrap().to_be_bytes());
    signed.extend(dictionary);
    signed.extend(version.to_be_bytes());
    signed.extend(root);
    signed.extend(history);
    trust.verify(&signed, &signature)
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("hexadecimal text")).expect("hexadecimal text")
}

fn vector() -> (Value, Trust) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/vectors/tuples/spec-lightweight.json");
    let vector: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(vector["scheme_id"].as_u64(), Some(SCHEME));
    let author: Hash = bytes(&vector["author_key"]).try_into().unwrap();
    let trust = Trust {
        author: VerifyingKey::from_bytes(&author).unwrap(),
        dictionary: bytes(&vector["dictionary_id"]),
    };
    (vector, trust)
}

#[test]
fn the_document_is_enough_to_verify_a_look_up() {
    let (vector, trust) = vector();
    for row in vector["proofs"].as_array().unwrap() {
        let (version, key) = (row["version"].as_u64().unwrap(), bytes(&row["key"]));
        let verify = |message: &[u8]| verify(&trust, message, version, &key);
        let expected = (!row["answer"].is_null()).then(|| bytes(&row["answer"]));
        let proof = bytes(&row["proof"]);
        assert_eq!(verify(&proof), Some(expected), "{row}");
        for position in 0..proof.len() {
            for bits in [0x01, 0x10, 0x80] {
                let mut changed = proof.clone();
                changed[position] ^= bits;
                assert_eq!(verify(&changed), None, "byte {position} of {row}");
            }
        }
        for length in 0..proof.len() {
            assert_eq!(verify(&proof[..length]), None, "cut to {length}");
        }
    }
}

#[test]
fn the_document_is_enough_to_check_what_an_update_signs() {
    let (vector, trust) = vector();
    for (version, row) in (1..).zip(vector["versions"].as_array().unwrap()) {
        let update = bytes(&row["update"]);
        let check = |message: &[u8]| update_is_signed(&trust, message, version);
        assert_eq!(check(&update), Some(()), "{version}");
        for position in 0..update.len() {
            let mut changed = update.clone();
            changed[position] ^= 1;
            assert_eq!(check(&changed), None, "byte {position} of {version}");
        }
    }
}
