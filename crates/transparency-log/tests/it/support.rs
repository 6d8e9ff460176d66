//! Keys, a log in memory, a naive tree, and mutations.

use std::{collections::BTreeMap, sync::Mutex};

use transparency_log::{
    Checkpoint, Note, Timestamp,
    note::{Cosigner, NoteSigner},
    proof::LogProof,
    tile::{Fetch, FetchError, ResourcePath, encode_entry},
    tree::{Hash, Subtrees, TreeHead, prove_consistency, prove_inclusion},
    witness::AddCheckpoint,
};

pub(crate) const ORIGIN: &str = "example.com/log";

pub(crate) fn log_key() -> NoteSigner {
    NoteSigner::new(ORIGIN.parse().unwrap(), &[1; 32])
}

pub(crate) fn other_log_key() -> NoteSigner {
    NoteSigner::new(ORIGIN.parse().unwrap(), &[2; 32])
}

pub(crate) fn witness_key(number: u8) -> Cosigner {
    let name = format!("witness.example/w{number}");
    Cosigner::new(name.parse().unwrap(), &[100 + number; 32])
}

pub(crate) fn time(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(seconds).unwrap()
}

/// Returns entry `index` of every log here; some are empty, some long.
pub(crate) fn entry(index: u64) -> Vec<u8> {
    let length = usize::try_from(index * index % 97).unwrap();
    let mut entry = index.to_be_bytes().to_vec();
    entry.extend(std::iter::repeat_n(7, length));
    entry
}

/// Transcribes the definition of RFC 6962, section 2.1.
pub(crate) fn naive_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::of_nothing(),
        [leaf] => *leaf,
        leaves => {
            let (left, right) = leaves.split_at(naive_split(leaves.len()));
            Hash::of_node(&naive_root(left), &naive_root(right))
        }
    }
}

pub(crate) fn naive_split(length: usize) -> usize {
    let mut split = 1;
    while split * 2 < length {
        split *= 2;
    }
    split
}

/// A log in memory with all hashes computed by the definition.
pub(crate) struct NaiveLog {
    pub(crate) leaves: Vec<Hash>,
    pub(crate) entries: Vec<Vec<u8>>,
    /// Cache of the roots of complete subtrees.
    known: BTreeMap<(u8, u64), Hash>,
    /// Cache of the tiles above the lowest level, which take long to make.
    tiles: Mutex<BTreeMap<ResourcePath, Vec<u8>>>,
}

impl NaiveLog {
    pub(crate) fn new(size: u64) -> Self {
        Self::of((0..size).map(entry).collect())
    }

    pub(crate) fn of(entries: Vec<Vec<u8>>) -> Self {
        let leaves = entries.iter().map(|entry| Hash::of_leaf(entry)).collect();
        Self {
            leaves,
            entries,
            known: BTreeMap::new(),
            tiles: Mutex::default(),
        }
    }

    pub(crate) fn head(&self, size: u64) -> TreeHead {
        let root = naive_root(&self.leaves[..usize::try_from(size).unwrap()]);
        TreeHead { size, root }
    }

    pub(crate) fn checkpoint(&self, size: u64) -> Checkpoint {
        Checkpoint::new(ORIGIN, size, self.head(size).root).unwrap()
    }

    pub(crate) fn note(&self, size: u64) -> Note {
        self.checkpoint(size).sign(&log_key())
    }

    /// Returns a note that the first witness has cosigned.
    pub(crate) fn cosigned(&self, size: u64, seconds: u64) -> Note {
        let mut note = self.note(size);
        let cosignature = witness_key(1).cosign(&self.checkpoint(size), time(seconds));
        note.add(cosignature).unwrap();
        note
    }

    /// Returns the proof of an entry, with a cosigned note.
    pub(crate) fn proof(&mut self, index: u64, size: u64, seconds: u64) -> LogProof {
        LogProof {
            index,
            path: prove_inclusion(self, index, size).unwrap(),
            note: self.cosigned(size, seconds),
            extra: None,
        }
    }

    /// Returns the request to a witness that has cosigned the log of `old_size` entries.
    pub(crate) fn request(&mut self, old_size: u64, size: u64) -> AddCheckpoint {
        AddCheckpoint {
            old_size,
            proof: prove_consistency(self, old_size.min(size), size).unwrap(),
            note: self.note(size),
        }
    }
}

impl Subtrees for NaiveLog {
    type Error = core::convert::Infallible;

    fn subtree(&mut self, height: u8, index: u64) -> Result<Hash, Self::Error> {
        if let Some(hash) = self.known.get(&(height, index)) {
            return Ok(*hash);
        }
        let start = usize::try_from(index << height).unwrap();
        let hash = naive_root(&self.leaves[start..start + (1 << height)]);
        self.known.insert((height, index), hash);
        Ok(hash)
    }
}

/// Computes any tile by its definition.
impl Fetch for NaiveLog {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
        if let ResourcePath::Tile { index, .. } | ResourcePath::Entries { index, .. } = path
            && *index > 1 << 32
        {
            return Err(FetchError::NotFound);
        }
        if let Some(tile) = self.tiles.lock().unwrap().get(path) {
            return Ok(tile.clone());
        }
        let range = |index: u64, number: u16, step: usize| {
            let first = usize::try_from(index).unwrap() * 256;
            (first..first + usize::from(number)).map(move |place| place * step..(place + 1) * step)
        };
        let found = match path {
            ResourcePath::Checkpoint => None,
            ResourcePath::Tile {
                level,
                index,
                width,
            } => {
                let step = 256_usize
                    .checked_pow(u32::from(*level))
                    .ok_or(FetchError::NotFound)?;
                range(*index, width.number(), step)
                    .map(|leaves| self.leaves.get(leaves).map(naive_root))
                    .map(|root| root.map(|root| root.as_bytes().to_vec()))
                    .collect::<Option<Vec<_>>>()
            }
            ResourcePath::Entries { index, width } => range(*index, width.number(), 1)
                .map(|place| self.entries.get(place.start))
                .map(|entry| entry.map(|entry| encode_entry(entry).unwrap()))
                .collect(),
        };
        let found = found.ok_or(FetchError::NotFound)?.concat();
        if matches!(path, ResourcePath::Tile { level: 1.., .. }) {
            let mut tiles = self.tiles.lock().unwrap();
            tiles.insert(*path, found.clone());
        }
        Ok(found)
    }
}

/// Returns all single mutations of some bytes: each byte changed, removed or doubled, and each end
/// cut off. Lines are removed, doubled, or swapped with the next.
pub(crate) fn mutations(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut mutated = Vec::new();
    for place in 0..bytes.len() {
        for change in [1, 0x20, 0x80] {
            let mut changed = bytes.to_vec();
            changed[place] ^= change;
            mutated.push(changed);
        }
        mutated.push([&bytes[..place], &bytes[place + 1..]].concat());
        mutated.push([&bytes[..=place], &bytes[place..]].concat());
        mutated.push(bytes[..place].to_vec());
    }
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for place in 0..lines.len() {
        let (before, after) = lines.split_at(place);
        mutated.push([before, &after[1..]].concat().concat());
        mutated.push([before, &after[..1], after].concat().concat());
        if let [first, second, rest @ ..] = after {
            mutated.push([before, &[second, first], rest].concat().concat());
        }
    }
    for more in ["\n", "x", "x\n", "\0", "\u{2014} x AAAAAAA=\n"] {
        mutated.push([bytes, more.as_bytes()].concat());
        mutated.push([more.as_bytes(), bytes].concat());
    }
    mutated.retain(|changed| changed != bytes);
    mutated
}

/// Returns the mutations of a text that are text, too.
pub(crate) fn text_mutations(text: &str) -> impl Iterator<Item = String> {
    let mutated = mutations(text.as_bytes()).into_iter();
    mutated.filter_map(|changed| String::from_utf8(changed).ok())
}
