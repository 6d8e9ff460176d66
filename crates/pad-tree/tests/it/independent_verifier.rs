//! A verifier written from `docs/format.md` alone: it uses SHA-256, Ed25519 and nothing of this
//! project. It accepts what the vectors contain and refuses it with any byte changed.

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256, block_api::compress256};

type Hash = [u8; 32];
type Entry = (Vec<u8>, Option<Vec<u8>>);

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

    fn number(&mut self) -> Option<usize> {
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
        if number < least {
            None
        } else {
            usize::try_from(number).ok()
        }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| read(self)).collect()
    }

    fn byte_string(&mut self) -> Option<Vec<u8>> {
        let length = self.number()?;
        self.bytes(length)
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

/// Section "Signed heads": the root and history of a version, if the author signed them.
fn head(message: &[u8], vector: &Value, version: u64) -> Option<(Hash, Hash)> {
    let mut reader = body(message, 1)?;
    let (scheme, dictionary) = (reader.number()?, reader.bytes(16)?);
    let (found, root, history) = (reader.number()?, reader.hash()?, reader.hash()?);
    let signature = Signature::from_bytes(&reader.bytes(64)?.try_into().ok()?);
    reader.end()?;
    let expected = bytes(&vector["dictionary_id"]);
    let is_asked = dictionary == expected && u64::try_from(found) == Ok(version);
    if !is_asked || scheme != usize::try_from(vector["scheme_id"].as_u64()?).ok()? {
        return None;
    }
    let mut signed = tag_block("pad/v1/signed-head")[..32].to_vec();
    signed.extend([0, 1, 0, u8::try_from(scheme).ok()?]);
    signed.extend(dictionary);
    signed.extend(version.to_be_bytes());
    signed.extend(root);
    signed.extend(history);
    let key = VerifyingKey::from_bytes(&bytes(&vector["author_key"]).try_into().ok()?).ok()?;
    key.verify_strict(&signed, &signature).ok()?;
    Some((root, history))
}

struct Subtree {
    digest: Hash,
    first_leaf: usize,
    starts_elided: bool,
    ends_elided: bool,
}

/// Section "Checking a proof", steps 1 to 6: the leaves, whether neighbours are adjacent, and whether
/// the ends of the tree are open.
struct Opened {
    leaves: Vec<Entry>,
    adjacent: Vec<bool>,
    at_start: bool,
    at_end: bool,
}

/// A leaf: its key, its value if shown, and the value's digest.
fn opened_leaf(reader: &mut Reader<'_>) -> Option<(Vec<u8>, Option<Vec<u8>>, Hash)> {
    let key = reader.byte_string()?;
    match reader.number()? {
        0 => Some((key, None, reader.hash()?)),
        1 => {
            let value = reader.byte_string()?;
            let digest = hash("pad/v1/value", &value);
            Some((key, Some(value), digest))
        }
        _ => None,
    }
}

fn open(message: &[u8], kind: u8, root: &Hash) -> Option<Opened> {
    let mut reader = body(message, kind)?;
    let shape = reader.byte_string()?;
    let siblings = reader.list(Reader::hash)?;
    let leaves = reader.list(opened_leaf)?;
    reader.end()?;
    if leaves.is_empty() {
        let is_empty = shape.is_empty() && siblings.is_empty();
        (is_empty && *root == hash("pad/v1/empty-tree", b"")).then_some(())?;
        return Some(Opened {
            leaves: vec![],
            adjacent: vec![],
            at_start: true,
            at_end: true,
        });
    }
    leaves.is_sorted_by(|a, b| a.0 < b.0).then_some(())?;
    let nodes = siblings.len() + 2 * leaves.len() - 1;
    (shape.len() == nodes.div_ceil(4)).then_some(())?;
    let code = |node: usize| shape[node / 4] >> (node % 4 * 2) & 3;
    (nodes..shape.len() * 4)
        .all(|unused| code(unused) == 0)
        .then_some(())?;
    let mut adjacent = vec![false; leaves.len() - 1];
    let (mut next_leaf, mut next_sibling) = (leaves.len(), siblings.len());
    let mut stack: Vec<Subtree> = Vec::new();
    for node_number in (0..nodes).rev() {
        let code = code(node_number);
        let subtree = if code == 0 {
            next_leaf = next_leaf.checked_sub(1)?;
            let (key, _, value_digest) = &leaves[next_leaf];
            let digest = hash("pad/v1/tree-leaf", &[&key[..], value_digest].concat());
            Subtree {
                digest,
                first_leaf: next_leaf,
                starts_elided: false,
                ends_elided: false,
            }
        } else if code == 3 {
            let (left, right) = (stack.pop()?, stack.pop()?);
            adjacent[right.first_leaf - 1] = !left.ends_elided && !right.starts_elided;
            Subtree {
                digest: node("pad/v1/tree-node", &left.digest, &right.digest),
                first_leaf: left.first_leaf,
                starts_elided: left.starts_elided,
                ends_elided: right.ends_elided,
            }
        } else {
            next_sibling = next_sibling.checked_sub(1)?;
            let (mut open, elided) = (stack.pop()?, &siblings[next_sibling]);
            if code == 1 {
                open.digest = node("pad/v1/tree-node", elided, &open.digest);
                open.starts_elided = true;
            } else {
                open.digest = node("pad/v1/tree-node", &open.digest, elided);
                open.ends_elided = true;
            }
            open
        };
        stack.push(subtree);
    }
    let whole = stack.pop()?;
    (stack.is_empty() && next_leaf == 0 && next_sibling == 0).then_some(())?;
    (whole.digest == *root).then_some(())?;
    let leaves = leaves
        .into_iter()
        .map(|(key, value, _)| (key, value))
        .collect();
    let (at_start, at_end) = (!whole.starts_elided, !whole.ends_elided);
    Some(Opened {
        leaves,
        adjacent,
        at_start,
        at_end,
    })
}

/// Steps 7 and 8: what the leaves say about the query.
fn answer(kind: u8, query: &[Option<Vec<u8>>], opened: &Opened) -> Option<Vec<Entry>> {
    let asked = |key: &Vec<u8>| match (kind, query) {
        (16 | 17, keys) => keys.contains(&Some(key.clone())),
        (18, [start, end]) => {
            start.as_ref().is_none_or(|start| key >= start)
                && end.as_ref().is_none_or(|end| key < end)
        }
        (19, [Some(bound)]) => key < bound,
        (20, [Some(bound)]) => key > bound,
        _ => true,
    };
    let Opened {
        leaves,
        adjacent,
        at_start,
        at_end,
    } = opened;
    leaves
        .iter()
        .all(|(key, value)| asked(key) == value.is_some())
        .then_some(())?;
    let shown: Vec<Entry> = leaves
        .iter()
        .filter(|(key, _)| asked(key))
        .cloned()
        .collect();
    if kind == 16 || kind == 17 {
        let mut needed = vec![false; leaves.len()];
        let mut answers = Vec::new();
        for key in query.iter().flatten() {
            let value = match leaves.binary_search_by(|leaf| leaf.0.cmp(key)) {
                Ok(found) => {
                    needed[found] = true;
                    leaves[found].1.clone()
                }
                Err(above) => {
                    let gap = match (above, above == leaves.len()) {
                        (0, _) => *at_start,
                        (_, true) => *at_end,
                        _ => adjacent[above - 1],
                    };
                    gap.then_some(())?;
                    let neighbours = above.saturating_sub(1)..(above + 1).min(leaves.len());
                    needed[neighbours].fill(true);
                    None
                }
            };
            answers.push((key.clone(), value));
        }
        return (!needed.contains(&false)).then_some(answers);
    }
    adjacent.iter().all(|adjacent| *adjacent).then_some(())?;
    // What bounds the answer: nothing but one leaf on a side, or the end of the tree.
    let first_asked = leaves.iter().position(|(key, _)| asked(key));
    let (before, after) = match kind {
        18 => {
            let start = query[0].as_ref();
            let before = leaves
                .iter()
                .filter(|(key, _)| start.is_some_and(|start| key < start))
                .count();
            (before, leaves.len() - shown.len() - before)
        }
        19 => (0, leaves.len() - shown.len()),
        20 => (first_asked.unwrap_or(leaves.len()), 0),
        _ => (0, 0),
    };
    let one_entry = matches!(kind, 19..=22);
    (before <= 1 && after <= 1 && !(one_entry && shown.len() > 1)).then_some(())?;
    // A predecessor is bounded above, a successor below; the other side only if there is no answer.
    let needs_start = matches!(kind, 18 | 20 | 21) || (kind == 19 && shown.is_empty());
    let needs_end = matches!(kind, 18 | 19 | 22) || (kind == 20 && shown.is_empty());
    (!needs_start || before == 1 || *at_start).then_some(())?;
    (!needs_end || after == 1 || *at_end).then_some(())?;
    Some(shown)
}

/// Section "History log": the path from a version's leaf to the newer head's history root.
fn included(older: u64, newer: u64, root: &Hash, path: &[Hash]) -> Option<Hash> {
    let (mut position, mut last) = (older - 1, newer - 2);
    let mut digest = hash(
        "pad/v1/history-leaf",
        &[&older.to_be_bytes()[..], root].concat(),
    );
    for sibling in path {
        (last > 0).then_some(())?;
        if position % 2 == 1 || position == last {
            digest = node("pad/v1/history-node", sibling, &digest);
            while position % 2 == 0 && position > 0 {
                position /= 2;
                last /= 2;
            }
        } else {
            digest = node("pad/v1/history-node", &digest, sibling);
        }
        position /= 2;
        last /= 2;
    }
    (last == 0).then_some(digest)
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("hexadecimal text")).expect("hexadecimal text")
}

fn optional(value: &Value) -> Option<Vec<u8>> {
    (!value.is_null()).then(|| bytes(value))
}

fn kind(name: &str) -> u8 {
    let kinds = [
        "look-up",
        "keys",
        "range",
        "predecessor",
        "successor",
        "first",
        "last",
    ];
    let position = kinds
        .iter()
        .position(|kind| *kind == name)
        .expect("a kind of query");
    16 + u8::try_from(position).unwrap()
}

fn check(file: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors/trees");
    let text = std::fs::read_to_string(folder.join(format!("{file}.json"))).unwrap();
    let vector: Value = serde_json::from_str(&text).unwrap();
    let name = vector["dictionary_name"].as_str().unwrap();
    let id = hash("pad/v1/dictionary-id", name.as_bytes());
    assert_eq!(id[..16], bytes(&vector["dictionary_id"]));

    // Version 0 has no head: its root is the empty tree's.
    let mut roots = vec![(
        hash("pad/v1/empty-tree", b""),
        hash("pad/v1/empty-history", b""),
    )];
    for (version, row) in (1..).zip(vector["versions"].as_array().unwrap()) {
        let message = bytes(&row["signed_head"]);
        roots.push(head(&message, &vector, version).expect("the author signed it"));
        for position in 0..message.len() {
            let mut changed = message.clone();
            changed[position] ^= 0x10;
            assert_eq!(head(&changed, &vector, version), None, "byte {position}");
        }
    }
    for row in vector["proofs"].as_array().unwrap() {
        let query: Vec<_> = row["query"]
            .as_array()
            .unwrap()
            .iter()
            .map(optional)
            .collect();
        let version = usize::try_from(row["version"].as_u64().unwrap()).unwrap();
        let kind = kind(row["name"].as_str().unwrap());
        let verify =
            |message: &[u8]| answer(kind, &query, &open(message, kind, &roots[version].0)?);
        let entries = row["answer"].as_array().unwrap().iter();
        let expected: Vec<Entry> = entries
            .map(|entry| (bytes(&entry[0]), optional(&entry[1])))
            .collect();
        let proof = bytes(&row["proof"]);
        assert_eq!(verify(&proof), Some(expected), "{row}");
        for position in 0..proof.len() {
            let mut changed = proof.clone();
            changed[position] ^= 1;
            assert_eq!(verify(&changed), None, "byte {position} of {row}");
        }
    }
    for row in vector["history"].as_array().unwrap() {
        let (older, newer) = (
            row["older"].as_u64().unwrap(),
            row["newer"].as_u64().unwrap(),
        );
        let (old, new) = (
            usize::try_from(older).unwrap(),
            usize::try_from(newer).unwrap(),
        );
        let message = bytes(&row["proof"]);
        if row["kind"] == "inclusion" {
            let mut reader = body(&message, 2).unwrap();
            assert_eq!(reader.hash().unwrap(), roots[old].0);
            let path = reader.list(Reader::hash).unwrap();
            assert!(reader.end().is_some());
            assert_eq!(
                included(older, newer, &roots[old].0, &path),
                Some(roots[new].1)
            );
        } else {
            let mut reader = body(&message, 3).unwrap();
            let path = reader.list(Reader::hash).unwrap();
            assert_eq!(
                included(older, newer, &roots[old].0, &path),
                Some(roots[new].1)
            );
        }
    }
}

#[test]
fn the_document_is_enough_to_verify_a_treap() {
    check("treap");
}

#[test]
fn the_document_is_enough_to_verify_a_red_black_tree() {
    check("red-black");
}

#[test]
fn the_document_is_enough_to_verify_a_skip_list() {
    check("skip-list");
}
