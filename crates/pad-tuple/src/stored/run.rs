//! Encoding of runs in pieces. A run lists the tuples of a generation at one instant, by their
//! lower ends.
//!
//! A run is written at each instant, so its encoding has to be compact. A lower end is stored
//! without the prefix that it shares with its predecessor. The number of a tuple is stored as the
//! difference from the predecessor's number, because neighbours were mostly created together.

use std::collections::BTreeMap;

use pad_core::{Key, StoreFault, codec};

use super::{
    after::KeySuffix,
    layout::{decoded, piece_start, run_key},
};

/// A part of a run that is stored in one row: lower ends in ascending order, each with the number
/// of its tuple.
pub(super) type Piece = Vec<(Key, u64)>;

/// Decodes the piece of a run in a row with this key.
///
/// # Errors
/// [`StoreFault::Damaged`] if the row is malformed, lower ends do not ascend, or the first lower
/// end differs from the lower end in the key.
///
/// The first lower end is not stored again in the row. A row under a wrong key is detected later:
/// its lower ends differ from those in the rows of the tuples.
pub(super) fn decode_piece(key: &[u8], row: &[u8]) -> Result<Piece, StoreFault> {
    let start = piece_start(key).ok_or(StoreFault::Damaged)?;
    if row.len() > LONGEST_ROW {
        return Err(StoreFault::Damaged);
    }
    let (mut piece, mut number) = (Piece::new(), 0_u64);
    for (after, distance) in decoded::<Vec<(KeySuffix, i64)>>(row)? {
        let before = piece.last().map_or(start, |(lower, _)| lower.as_bytes());
        let lower = after.key(before)?;
        if !piece.is_empty() && lower.as_bytes() <= before {
            return Err(StoreFault::Damaged);
        }
        number = number.wrapping_add(distance.cast_unsigned());
        piece.push((lower, number));
    }
    match piece.first() {
        Some((lower, _)) if lower.as_bytes() == start => Ok(piece),
        _ => Err(StoreFault::Damaged),
    }
}

/// Encodes a run, tuple by tuple, and adds its pieces as rows.
#[derive(Debug)]
pub(super) struct RunWriter<'r> {
    generation: usize,
    instant: u64,
    rows: &'r mut BTreeMap<Vec<u8>, Vec<u8>>,
    /// The row key of the current piece.
    key: Vec<u8>,
    piece: Vec<(KeySuffix, i64)>,
    /// The approximate number of bytes of the current piece and its key.
    bytes: usize,
    lower: Key,
    number: u64,
}

impl<'r> RunWriter<'r> {
    pub(super) fn new(
        (generation, instant): (usize, u64),
        rows: &'r mut BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Self {
        Self {
            generation,
            instant,
            rows,
            key: Vec::new(),
            piece: Vec::new(),
            bytes: 0,
            lower: Key::default(),
            number: 0,
        }
    }

    /// Adds the next tuple of the run: its lower end and its number.
    pub(super) fn push(&mut self, lower: &Key, number: u64) {
        let mut next = self.next(lower, number);
        if self.piece.is_empty() || self.bytes.saturating_add(stored_bytes(&next)) > PIECE_BYTES {
            self.end_piece();
            self.key = run_key(self.generation, self.instant, lower.as_bytes());
            (self.bytes, self.lower, self.number) = (self.key.len(), lower.clone(), 0);
            next = self.next(lower, number);
        }
        self.bytes = self.bytes.saturating_add(stored_bytes(&next));
        self.piece.push(next);
        (self.lower, self.number) = (lower.clone(), number);
    }

    pub(super) fn finish(mut self) {
        self.end_piece();
    }

    fn end_piece(&mut self) {
        if !self.piece.is_empty() {
            let row = codec::encode_body(&self.piece);
            self.rows.insert(core::mem::take(&mut self.key), row);
            self.piece.clear();
        }
    }

    fn next(&self, lower: &Key, number: u64) -> (KeySuffix, i64) {
        let distance = number.wrapping_sub(self.number).cast_signed();
        (KeySuffix::of(self.lower.as_bytes(), lower), distance)
    }
}

/// Returns the approximate number of bytes that a tuple takes in an encoded piece. The argument is
/// the tuple's lower end and the difference of its number from the predecessor's.
fn stored_bytes((after, distance): &(KeySuffix, i64)) -> usize {
    let number = match distance.unsigned_abs() {
        ..=125 => 1,
        126..=0x7fff => 3,
        0x8000..=0x7fff_ffff => 5,
        _ => 9,
    };
    after.rest.as_bytes().len().saturating_add(number + 2)
}

/// The approximate maximum number of bytes of a piece with several tuples, including its key. Four
/// pieces fill a page of 4 KiB, with the overhead of the storage.
const PIECE_BYTES: usize = 980;

/// The maximum length of a piece's row in bytes. The first lower end is only in the row's key. The
/// limit exceeds [`PIECE_BYTES`], because a tuple with a long shared prefix takes four bytes more
/// than counted. Longer rows are rejected before keys are decoded, because few bytes can encode
/// long keys.
const LONGEST_ROW: usize = 3 * PIECE_BYTES;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(bytes: &[u8]) -> Key {
        Key::new(bytes).expect("short")
    }

    fn rows(tuples: &[(Key, u64)]) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut rows = BTreeMap::new();
        let mut run = RunWriter::new((1, 7), &mut rows);
        for (lower, number) in tuples {
            run.push(lower, *number);
        }
        run.finish();
        rows
    }

    fn read(rows: &BTreeMap<Vec<u8>, Vec<u8>>) -> Piece {
        let pieces = rows.iter().map(|(key, row)| decode_piece(key, row));
        pieces.flat_map(|piece| piece.expect("whole")).collect()
    }

    #[test]
    fn a_run_is_what_was_written() {
        assert_eq!(rows(&[]), BTreeMap::new());
        let long = vec![b'l'; 4000];
        let mut tuples = vec![(Key::default(), u64::MAX), (key(&long), 0)];
        tuples.push((key(&[&long[..], b"!"].concat()), 1 << 63));
        assert_eq!(read(&rows(&tuples)), tuples);
        let many: Piece = (0..3000_u64)
            .map(|place| (key(&(place * 977).to_be_bytes()), place * place % 70_001))
            .collect();
        let alike: Piece = (0..3000_u64)
            .map(|place| (key(&[&long[..300], &place.to_be_bytes()].concat()), place))
            .collect();
        assert_eq!(read(&rows(&alike)), alike);
        let rows = rows(&many);
        assert_eq!(read(&rows), many);
        assert!(rows.len() > 1);
        for (key, row) in &rows {
            assert!(key.len() + row.len() <= PIECE_BYTES + 3, "{}", row.len());
        }
    }

    #[test]
    fn a_piece_that_is_elsewhere_or_changed_is_damage() {
        let rows = rows(&[(key(b"one"), 1), (key(b"other"), 2)]);
        let (place, row) = rows.first_key_value().expect("one piece");
        for start in [&b""[..], b"on", b"onee"] {
            let elsewhere = run_key(1, 7, start);
            assert_eq!(decode_piece(&elsewhere, row), Err(StoreFault::Damaged));
        }
        assert_eq!(decode_piece(&[16], row), Err(StoreFault::Damaged));
        for length in 0..row.len() {
            let cut = decode_piece(place, &row[..length]);
            assert_eq!(cut, Err(StoreFault::Damaged), "{length}");
        }
        // A small row that expands to many keys, more than are ever written; and keys that do not
        // ascend.
        let before = vec![b'l'; 4000];
        let again = (KeySuffix::of(&before, &key(&before)), 0_i64);
        for number in [LONGEST_ROW / 3, 2] {
            let many = codec::encode_body(&vec![again.clone(); number]);
            let repeated = decode_piece(&run_key(1, 7, &before), &many);
            assert_eq!(repeated, Err(StoreFault::Damaged), "{number}");
        }
        let empty = codec::encode_body(&Vec::<(KeySuffix, i64)>::new());
        assert_eq!(decode_piece(place, &empty), Err(StoreFault::Damaged));
    }
}
