//! Bytes of a message, read once from the first to the last, with a note of what stood where.

use super::{Refusal, hashing::Hash};

/// What a field of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A point of G1.
    Point,
    Scalar,
    Hash,
    Element,
    /// A number: a size, a position, a count, an index, a length.
    Number,
    Bytes,
}

/// Where a field stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) kind: Kind,
    pub(super) at: usize,
    pub(super) length: usize,
}

pub(super) struct Reader<'a> {
    message: &'a [u8],
    at: usize,
    pub(super) fields: Vec<Field>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(message: &'a [u8]) -> Self {
        Self {
            message,
            at: 0,
            fields: Vec::new(),
        }
    }

    pub(super) fn length(&self) -> u64 {
        u64::try_from(self.message.len()).unwrap()
    }

    pub(super) fn take(&mut self, kind: Kind, length: usize) -> Result<&'a [u8], Refusal> {
        let rest = &self.message[self.at..];
        let taken = rest.get(..length).ok_or("too short")?;
        let at = self.at;
        self.fields.push(Field { kind, at, length });
        self.at += length;
        Ok(taken)
    }

    /// A point as received; what it must be is checked when it is used.
    pub(super) fn point(&mut self) -> Result<&'a [u8; 48], Refusal> {
        Ok(self.take(Kind::Point, 48)?.try_into().unwrap())
    }

    pub(super) fn scalar(&mut self) -> Result<&'a Hash, Refusal> {
        Ok(self.take(Kind::Scalar, 32)?.try_into().unwrap())
    }

    pub(super) fn hash(&mut self) -> Result<Hash, Refusal> {
        Ok(self.take(Kind::Hash, 32)?.try_into().unwrap())
    }

    /// A big-endian number of so many bytes.
    pub(super) fn number(&mut self, length: usize) -> Result<u64, Refusal> {
        let bytes = self.take(Kind::Number, length)?;
        let digits = bytes.iter().map(|byte| u64::from(*byte));
        Ok(digits.fold(0, |number, digit| number << 8 | digit))
    }

    /// As [`number`](Self::number), of a count of things that take so many bytes each at least.
    pub(super) fn count(&mut self, length: usize, each: usize) -> Result<usize, Refusal> {
        let count = usize::try_from(self.number(length)?).unwrap();
        if count > (self.message.len() - self.at) / each {
            return Err("a count of more than there is");
        }
        Ok(count)
    }

    pub(super) fn finish(&self) -> Result<(), Refusal> {
        if self.at < self.message.len() {
            return Err("something left over");
        }
        Ok(())
    }
}
