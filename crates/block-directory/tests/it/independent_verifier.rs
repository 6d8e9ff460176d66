//! A second verifier of messages of kinds 160, 161 and 164 (strategy 2), written from `docs/format.md` over SHA-256 alone: it shares no code
//! with the crate, and agrees with it on honest and on damaged messages.

use block_directory::{BlockRoot, BlockTree, EntryRange, Flat, OpenedProof};
use pad_core::{Untrusted, codec};
use sha2::{Digest as _, Sha256, block_api::compress256};

use crate::support::{S, directory, head, head_of, id, ids, object, verify};

type D = [u8; 32];

/// An entry: its digest, or that it is deleted.
type Shown = Option<D>;

const INITIAL: [u32; 8] = [
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

fn node(tag: &str, left: &D, right: &D) -> D {
    let mut state = INITIAL;
    let mut block = [0; 64];
    block[..32].copy_from_slice(left);
    block[32..].copy_from_slice(right);
    compress256(&mut state, &[tag_block(tag), block]);
    let bytes = state.iter().flat_map(|word| word.to_be_bytes());
    bytes.collect::<Vec<u8>>().try_into().unwrap()
}

fn hash(tag: &str, data: &[u8]) -> D {
    let hasher = Sha256::new().chain_update(tag_block(tag));
    hasher.chain_update(data).finalize().into()
}

fn entry(number: u64, shown: &Shown) -> D {
    let mut place = [0; 32];
    place[..8].copy_from_slice(&number.to_be_bytes());
    place[8] = if shown.is_some() { 1 } else { 2 };
    let object = shown.unwrap_or_default();
    node("pad/v1/directory-entry", &object, &place)
}

/// Takes bytes off the front of a message.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn digest(&mut self) -> Option<D> {
        self.take(32)?.try_into().ok()
    }

    /// Only the shortest form of an integer.
    fn integer(&mut self) -> Option<u64> {
        let first = self.take(1)?[0];
        let (length, least) = match first {
            0..=250 => return Some(first.into()),
            251 => (2, 251),
            252 => (4, 1 << 16),
            253 => (8, 1 << 32),
            _ => return None,
        };
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(self.take(length)?);
        Some(u64::from_le_bytes(bytes)).filter(|number| *number >= least)
    }

    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.integer()?;
        (length <= 1 << 21).then_some(())?;
        (0..length).map(|_| element(self)).collect()
    }

    fn shown(&mut self) -> Option<Shown> {
        match self.take(1)?[0] {
            0 => Some(None),
            1 => Some(Some(self.digest()?)),
            _ => None,
        }
    }
}

/// Folds the tree from `start` on: recursive, which is good enough for tests.
fn fold(
    (start, size): (u64, u64),
    asked: &[u64],
    shown: &mut Vec<Shown>,
    siblings: &mut Vec<D>,
) -> Option<D> {
    if asked.is_empty() {
        return siblings.pop();
    }
    if size == 1 {
        return Some(entry(start, &shown.pop()?));
    }
    let left = 1 << (size - 1).ilog2();
    let cut = asked.partition_point(|number| *number < start + left);
    let (on_the_left, on_the_right) = asked.split_at(cut);
    // A sibling on the right comes before the walk into the left half.
    let early = if on_the_right.is_empty() {
        Some(siblings.pop()?)
    } else {
        None
    };
    let first = fold((start, left), on_the_left, shown, siblings)?;
    let second = match early {
        Some(digest) => digest,
        None => fold((start + left, size - left), on_the_right, shown, siblings)?,
    };
    Some(node("pad/v1/directory-node", &first, &second))
}

/// What a message of kind 160 or 161 shows of some ids, all of them below `2^48`.
fn check(message: &[u8], kind: u8, asked: &[u64], root: &D) -> Option<Vec<Shown>> {
    let body = message.strip_prefix(&[b'P', b'A', b'D', b'1', 1, kind, 0, 1][..])?;
    let mut reader = Reader(body);
    let registered = reader.integer().filter(|number| *number <= 1 << 48)?;
    let shown = reader.list(Reader::shown)?;
    let mut siblings = reader.list(Reader::digest)?;
    let below = asked.partition_point(|number| *number < registered);
    let sound = reader.0.is_empty() && shown.len() == below && !shown.contains(&Some([0; 32]));
    sound.then_some(())?;
    siblings.reverse();
    let mut next: Vec<Shown> = shown.iter().rev().copied().collect();
    let computed = if registered == 0 {
        hash("pad/v1/empty-tree", &[])
    } else {
        let top = fold((0, registered), &asked[..below], &mut next, &mut siblings)?;
        let parts = [&[1][..], &registered.to_be_bytes(), &top].concat();
        hash("pad/v1/directory-root", &parts)
    };
    (siblings.is_empty() && computed == *root).then_some(shown)
}

/// What a message of kind 164 of strategy 2 shows of an id below the number of entries.
fn check_flat(message: &[u8], capacity: u64, asked: u64, root: &D) -> Option<Shown> {
    let body = message.strip_prefix(&[b'P', b'A', b'D', b'1', 1, 164, 0, 1][..])?;
    let mut reader = Reader(body);
    let registered = reader
        .integer()
        .filter(|number| *number <= 1 << 48 && asked < *number)?;
    (reader.integer()? == capacity).then_some(())?;
    (usize::try_from(reader.integer()?) == Ok(reader.0.len())).then_some(())?;
    let levels = (1..49).find(|levels| capacity.pow(*levels) >= registered)?;
    let mut expected: Option<&[u8]> = None;
    for level in (0..levels).rev() {
        let (below, width) = (capacity.pow(level), if level == 0 { 33 } else { 32 });
        let block = asked / below / capacity;
        let slots = registered.div_ceil(below) - block * capacity;
        let length = usize::try_from(slots.min(capacity)).unwrap() * width;
        let bytes = reader.take(length)?;
        let level = u8::try_from(level).unwrap();
        let place = [&[level][..], &block.to_be_bytes(), bytes].concat();
        let summary = hash("pad/v1/block-flat", &place);
        if let Some(expected) = expected {
            (summary[..] == *expected).then_some(())?;
        } else {
            let size = registered.to_be_bytes();
            let capacity = u32::try_from(capacity).unwrap().to_be_bytes();
            let parts = [&[2][..], &size, &capacity, &summary].concat();
            (hash("pad/v1/directory-root", &parts) == *root).then_some(())?;
        }
        let slot = usize::try_from(asked / below % capacity).unwrap();
        expected = Some(&bytes[slot * width..][..width]);
        let honest =
            |slot: &[u8]| (slot[0] == 1) != (slot[1..] == [0; 32]) && [1, 2].contains(&slot[0]);
        (width == 32 || bytes.chunks(33).all(honest)).then_some(())?;
    }
    let (kind, object) = expected?.split_first()?;
    reader.0.is_empty().then_some(())?;
    Some((*kind == 1).then(|| object.try_into().unwrap()))
}

/// The message itself, every byte of it changed, and every beginning of it.
fn variations(message: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let changed = (0..message.len()).flat_map(|place| {
        let change = |bit: u8| {
            let mut changed = message.to_vec();
            changed[place] ^= 1 << bit;
            changed
        };
        [0, 3, 7].map(change)
    });
    let cut = (0..message.len()).map(|length| message[..length].to_vec());
    std::iter::once(message.to_vec()).chain(changed).chain(cut)
}

#[test]
fn both_verifiers_agree_on_proofs() {
    let (mut author, mut server) = directory(21, 2);
    author.delete(id(5)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let (head, root) = (
        head(&server),
        server.heads().latest_head().unwrap().head.root.0,
    );
    for asked in [&[0][..], &[5], &[20], &[3, 5, 17, 30], &[21]] {
        let message = codec::encode(&server.prove_latest(&ids(asked)).unwrap());
        assert!(check(&message, 160, asked, &root).is_some());
        for message in variations(&message) {
            let ours = verify(&message, &head, &ids(asked)).is_ok();
            assert_eq!(check(&message, 160, asked, &root).is_some(), ours);
        }
    }
    let range = EntryRange::new(id(4), id(9)).unwrap();
    let message = codec::encode(&server.prove_latest(&range).unwrap());
    let shown = check(&message, 161, &[4, 5, 6, 7, 8], &root).unwrap();
    let expected = [4, 5, 6, 7, 8].map(|number| (number != 5).then(|| object::<S>(number).0));
    assert_eq!(shown, expected);
    for message in variations(&message) {
        let ours = verify(&message, &head, &range).is_ok();
        assert_eq!(
            check(&message, 161, &[4, 5, 6, 7, 8], &root).is_some(),
            ours
        );
    }
}

#[test]
fn both_verifiers_agree_on_opened_blocks() {
    let mut tree = BlockTree::<S, Flat>::new(3).unwrap();
    (0..11).for_each(|number| assert!(tree.append(object::<S>(number)).is_ok()));
    tree.delete(id(4)).unwrap();
    let root = BlockRoot::new(&head_of::<S>(tree.root()), 3).unwrap();
    for asked in [0, 3, 4, 10] {
        let message = codec::encode(&tree.prove(id(asked)));
        let shown = check_flat(&message, 3, asked, &tree.root().0);
        let expected = (asked != 4).then(|| object::<S>(asked).0);
        assert_eq!(shown, Some(expected));
        for message in variations(&message) {
            let proof = Untrusted::<OpenedProof<S, Flat>>::decode(&message, 4096);
            let ours = proof.is_ok_and(|proof| proof.verify(&root, &id(asked)).is_ok());
            let theirs = check_flat(&message, 3, asked, &tree.root().0).is_some();
            assert_eq!(theirs, ours);
        }
    }
}
