//! Reading of key files as bytes: lines, permissions, and buffers that leave no copies of secrets.

use core::str::Split;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use pad_core::DictionaryId;
use zeroize::Zeroizing;

use super::KeyFileError;
use crate::selection::{SchemeName, SuiteName};

/// The first lines of an author's key file, and the lines after them.
pub(super) struct Lines<'a> {
    pub(super) suite: SuiteName,
    pub(super) scheme: SchemeName,
    pub(super) dictionary: DictionaryId,
    /// The line with the author's key, and that with the scheme's own key, if the scheme has one.
    pub(super) keys: Fields<'a>,
}

pub(super) const fn malformed(line: usize, expected: &'static str) -> KeyFileError {
    KeyFileError::Malformed { line, expected }
}

/// Reads the first lines of the text of a key file with the title line `title`.
pub(super) fn parse<'a>(text: &'a str, title: &'static str) -> Result<Lines<'a>, KeyFileError> {
    let mut fields = Fields::of(text, title)?;
    let named = |name: &'a str| is_name(name).then_some(name);
    let suite = fields.read("suite <name>", named)?;
    let scheme = fields.read("scheme <name>", named)?;
    let unknown = |_| KeyFileError::NotBuilt;
    let digits = "dictionary <32 lower-case hexadecimal digits>";
    Ok(Lines {
        suite: suite.parse().map_err(unknown)?,
        scheme: scheme.parse().map_err(unknown)?,
        dictionary: fields.read(digits, |digits| digits.parse().ok())?,
        keys: fields,
    })
}

/// The lines of a text after its title. Each consists of a name, a space and a value.
pub(super) struct Fields<'a> {
    lines: Split<'a, char>,
    /// The number of the line that was read last.
    line: usize,
}

impl<'a> Fields<'a> {
    /// Reads the line `title`. The text must end in a line feed.
    pub(super) fn of(text: &'a str, title: &'static str) -> Result<Self, KeyFileError> {
        let (body, title) = (text.strip_suffix('\n'), title.trim_end());
        let mut lines = body.unwrap_or_default().split('\n');
        if lines.next() != Some(title) {
            return Err(malformed(1, title));
        }
        Ok(Self { lines, line: 1 })
    }

    /// Reads the next line, whose value `read` converts. `expected` describes the line: its name, a
    /// space, and a description of the value.
    pub(super) fn read<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, KeyFileError> {
        self.line += 1;
        let line = self.lines.next();
        let value = line.and_then(|line| line.strip_prefix(name_in(expected))?.strip_prefix(' '));
        value.and_then(read).ok_or(malformed(self.line, expected))
    }

    /// Returns whether all lines are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.lines.clone().next().is_none()
    }

    /// Refuses further lines.
    pub(super) fn end(self) -> Result<(), KeyFileError> {
        if self.is_at_end() {
            return Ok(());
        }
        Err(malformed(self.line + 1, "the end of the file"))
    }
}

/// Returns the name of a line from its description.
pub(super) fn name_in(expected: &str) -> &str {
    expected.split_once(' ').map_or(expected, |(name, _)| name)
}

/// Returns whether a text can be the name of a suite or scheme, perhaps one of another build.
fn is_name(text: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    !text.is_empty()
        && text
            .bytes()
            .all(|letter| is_letter(letter) || letter == b'-')
}

/// Reads the whole file as text, and fails unless the file is of the kind that begins with `title`
/// ([`kind_of`]).
pub(super) fn read_text(
    path: &Path,
    title: &'static str,
) -> Result<Zeroizing<String>, KeyFileError> {
    let bytes = read_bytes(&mut File::open(path)?)?;
    let (found, wanted) = (kind_of(&bytes), kind_of(title.as_bytes()));
    if found != wanted {
        return Err(KeyFileError::OtherKind { found, wanted });
    }
    let text = core::str::from_utf8(&bytes).map_err(|_| malformed(2, "text"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Reads a key file, but at most one byte more than its maximum length. The capacity of the buffer
/// is reserved in advance, so that no copy remains in freed memory.
pub(super) fn read_bytes(file: &mut File) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    // The additional byte detects a file that is too long.
    let limit = MAX_ENCRYPTED_BYTES + 1;
    let found = file.metadata().map_err(KeyFileError::Io)?;
    let length = usize::try_from(found.len()).unwrap_or(limit);
    // A pipe has no length, so the maximum is reserved.
    let capacity = if found.is_file() {
        length.saturating_add(1).min(limit)
    } else {
        limit
    };
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
    Read::by_ref(file)
        .take(u64::try_from(limit).unwrap_or(u64::MAX))
        .read_to_end(&mut bytes)
        .map_err(KeyFileError::Io)?;
    Ok(bytes)
}

/// Returns a name for the kind of a file with the contents `bytes`, such as "a public key". The
/// first bytes determine the kind.
pub(super) fn kind_of(bytes: &[u8]) -> &'static str {
    KINDS
        .iter()
        .find(|(beginning, _)| bytes.starts_with(beginning))
        .map_or("a file of another kind", |(_, kind)| kind)
}

/// Key files, and files that are easily confused with them: the first bytes of each kind, and its
/// name for error messages.
const KINDS: [(&[u8], &str); 9] = [
    (b"pad-public-key ", "a public key"),
    (b"pad-secret-key ", "a secret key"),
    (b"pad-file-key ", "a key for outsourced files"),
    (b"PRIVATE+KEY+", "a secret key of a witness or a log"),
    (ENCRYPTED, "an encrypted secret key"),
    (
        b"pad-file-public ",
        "what is published about an outsourced file",
    ),
    (b"pad-view ", "a client's view"),
    (b"redb", "a store"),
    (b"PAD1", "a message (a proof, an update or evidence)"),
];

/// Returns the permissions of a file, if users other than its owner can access it.
#[cfg(unix)]
pub(super) fn exposed(file: &File) -> io::Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt;

    let mode = file.metadata()?.permissions().mode() & 0o777;
    Ok(Some(mode).filter(|mode| mode & 0o077 != 0))
}

#[cfg(not(unix))]
pub(super) fn exposed(_: &File) -> io::Result<Option<u32>> {
    Ok(None)
}

/// Maximum length in bytes of a key file that is not encrypted. Keys with accumulator parameters
/// fit, and reading is quick.
pub(super) const MAX_FILE_BYTES: usize = 4 << 20;

/// The first bytes of files that contain secret keys without encryption.
pub(super) const SECRETS: [&[u8]; 3] = [b"pad-secret-key ", b"pad-file-key ", b"PRIVATE+KEY+"];

/// The first bytes of a file encrypted with a passphrase: the title and version of the scrypt
/// format.
pub(super) const ENCRYPTED: &[u8] = b"scrypt\0";

/// The number of bytes that encryption adds: a header with parameters, salt, checksum and
/// authenticator, and the authenticator of the contents.
pub(super) const ENCRYPTION_BYTES: usize = 128;

pub(super) const MAX_ENCRYPTED_BYTES: usize = MAX_FILE_BYTES + ENCRYPTION_BYTES;

/// Decodes lower-case hexadecimal digits, without leaving copies in memory. Returns `None` if
/// `digits` is malformed.
pub(super) fn decode(digits: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
    decode_to(digits, &mut bytes)?;
    Some(bytes)
}

/// Decodes lower-case hexadecimal digits into `bytes`, like [`decode`].
pub(super) fn decode_to(digits: &str, bytes: &mut [u8]) -> Option<()> {
    let mut letters = digits.bytes();
    let is_lower = letters.all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let decoded = hex::decode_to_slice(digits, bytes);
    decoded.ok().filter(|()| is_lower)
}
