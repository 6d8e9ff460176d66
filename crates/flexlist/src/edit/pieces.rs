//! The edited file as a sequence of old ranges and new bytes.

use core::ops::Range;

use super::{ByteEdit, EditError, MAX_FILE_BYTES, length};

/// A part of the edited file, of at least one byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A range of the old file.
    Old(Range<u64>),
    /// Bytes that an edit writes or inserts.
    New(&'a [u8]),
}

/// The edited file as a list of pieces, in order. The ranges of the old file in it are ascending.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    sequence: Vec<Piece<'a>>,
    /// The length of the old file.
    old_total: u64,
    /// The length of the edited file.
    total: u64,
}

impl Piece<'_> {
    fn length(&self) -> u64 {
        match self {
            Self::Old(range) => range.end.saturating_sub(range.start),
            Self::New(bytes) => length(bytes),
        }
    }

    /// Splits the piece after its first `count` bytes. `count` is less than the length of the
    /// piece.
    fn split(self, count: u64) -> [Self; 2] {
        match self {
            Self::Old(range) => {
                let middle = range.start.saturating_add(count);
                [Self::Old(range.start..middle), Self::Old(middle..range.end)]
            }
            Self::New(bytes) => {
                let middle = usize::try_from(count).unwrap_or(usize::MAX);
                let (left, right) = bytes.split_at_checked(middle).unwrap_or((bytes, &[]));
                [Self::New(left), Self::New(right)]
            }
        }
    }
}

impl<'a> Pieces<'a> {
    /// Applies `edits`, one after the other, to a file of `total` bytes.
    pub(super) fn after(edits: &'a [ByteEdit], total: u64) -> Result<Self, EditError> {
        if total > MAX_FILE_BYTES {
            return Err(EditError::FileTooLong);
        }
        let whole = (total > 0).then_some(Piece::Old(0..total));
        let mut pieces = Self {
            sequence: whole.into_iter().collect(),
            old_total: total,
            total,
        };
        edits.iter().try_for_each(|edit| pieces.apply(edit))?;
        Ok(pieces)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.sequence.iter()
    }

    fn apply(&mut self, edit: &'a ByteEdit) -> Result<(), EditError> {
        let (range, bytes): (_, &[u8]) = match edit {
            ByteEdit::Insert { offset, bytes } => (*offset..*offset, bytes),
            ByteEdit::Write { offset, bytes } => {
                let end = offset.saturating_add(length(bytes)).min(self.total);
                (*offset..end.max(*offset), bytes)
            }
            ByteEdit::Delete { start, end } if start > end => {
                let (start, end) = (*start, *end);
                return Err(EditError::RangeReversed { start, end });
            }
            ByteEdit::Delete { start, end } => (*start..*end, &[]),
        };
        if range.is_empty() && bytes.is_empty() {
            return Err(EditError::EmptyEdit);
        }
        let total = self.total;
        if let Some(offset) = [range.start, range.end]
            .into_iter()
            .find(|end| *end > total)
        {
            return Err(EditError::OffsetOutOfRange { offset, total });
        }
        // No overflow: the range lies in the file, which has fewer than 2^63 bytes.
        let longer = (total - (range.end - range.start)).checked_add(length(bytes));
        self.total = longer
            .filter(|total| *total <= MAX_FILE_BYTES)
            .ok_or(EditError::FileTooLong)?;
        let from = self.cut(range.start);
        let to = self.cut(range.end);
        let new = (!bytes.is_empty()).then_some(Piece::New(bytes));
        self.sequence.splice(from..to, new);
        Ok(())
    }

    /// Splits the piece around the byte at `offset`, so that a piece begins there. Returns the
    /// index of that piece, or the number of pieces if `offset` is the end of the file.
    fn cut(&mut self, offset: u64) -> usize {
        let mut rest = offset;
        for (number, piece) in self.sequence.iter().enumerate() {
            if rest == 0 {
                return number;
            }
            let length = piece.length();
            if rest < length {
                let halves = piece.clone().split(rest);
                self.sequence.splice(number..=number, halves);
                return number + 1;
            }
            rest -= length;
        }
        self.sequence.len()
    }

    /// Returns a range of the old file for each change: the replaced bytes, or the bytes before and
    /// after an insertion. Ranges that touch are joined.
    pub(super) fn seams(&self) -> Vec<Range<u64>> {
        let mut seams: Vec<Range<u64>> = Vec::new();
        let mut reached = 0;
        let mut inserted = false;
        let end = Piece::Old(self.old_total..self.old_total);
        for piece in self.sequence.iter().chain([&end]) {
            let Piece::Old(range) = piece else {
                inserted = true;
                continue;
            };
            let seam = if reached < range.start {
                reached..range.start
            } else if inserted {
                reached.saturating_sub(1)..(reached + 1).min(self.old_total)
            } else {
                0..0
            };
            reached = range.end;
            inserted = false;
            match seams.last_mut() {
                _ if seam.is_empty() => {}
                Some(last) if seam.start <= last.end => last.end = last.end.max(seam.end),
                _ => seams.push(seam),
            }
        }
        seams
    }
}
