//! File of updates, each after its length. The author's process writes it, and each server's
//! process reads it piece by piece.

use std::io::{self, Read, Write};

use pad_core::{Suite, Update, codec, internals::Attachment};

use crate::Outcome;

/// Appends an update to the file, and returns the bytes of its encoding.
pub fn append<S: Suite, A: Attachment>(
    file: &mut impl Write,
    update: &Update<S, A>,
) -> Outcome<usize> {
    let bytes = codec::encode(update);
    file.write_all(&u32::try_from(bytes.len())?.to_le_bytes())?;
    file.write_all(&bytes)?;
    Ok(bytes.len())
}

/// Reads the next updates, at most `updates` of them. Returns an empty list at the end of the file.
pub fn take<S: Suite>(file: &mut impl Read, updates: usize) -> Outcome<Vec<Update<S>>> {
    let mut taken = Vec::with_capacity(updates);
    let mut bytes = Vec::new();
    while taken.len() < updates {
        let mut length = [0; 4];
        match file.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            read => read?,
        }
        bytes.resize(usize::try_from(u32::from_le_bytes(length))?, 0);
        file.read_exact(&mut bytes)?;
        taken.push(codec::decode(&bytes, bytes.len())?);
    }
    Ok(taken)
}
