//! The public file that an owner publishes about an outsourced file, for clients that verify it.
//!
//! ```text
//! pad-file-public v1
//! owner 3b6a27bc...
//! tags 50414431...
//! file 0909...
//! version 3
//! bytes 40960
//! root 0707...
//! server example.org:7420
//! ```
//!
//! - `owner` is the owner's Ed25519 public key, which verifies changes of the file.
//! - `tags` is the key that checks tags, in the encoding of `flexlist::tag::VerifierKey`. If the
//!   tags are checked with a secret key, `tags` is the name of their kind.
//! - `file` is the id of the file. `version`, `bytes` and `root` are the number, length and root
//!   digest of a version of it.
//!
//! The last line may be missing. Digits are lower-case.

use core::fmt;
use std::path::Path;

use flexlist::{
    FileId, FileState,
    list::ListState,
    tag::{TagKind, VerifierKey},
};
use flexlist_service::client::{PublicFile, TagCheck};
use pad_core::{AuthorKey, Digest};

use super::{
    FileOwnerKeyError,
    file::{Fields, decode, decode_to, malformed, read_text},
};

const TITLE: &str = "pad-file-public v1";

/// The maximum length of a server's address in bytes.
const MAX_ADDRESS_BYTES: usize = 512;

/// A public file: the verification data of an outsourced file, and the address of its server.
#[derive(Clone, Debug)]
pub struct FilePublic {
    /// The data with which clients verify the file: the owner's key, the tag key, and the version,
    /// length and root.
    pub file: PublicFile,
    /// The server's address; empty if no address is given. The address need not be trusted.
    pub server: String,
}

impl FilePublic {
    /// Reads and parses a public file.
    ///
    /// # Errors
    /// [`FileOwnerKeyError`] if the file is unreadable, malformed, or for tags that this build does
    /// not support.
    pub fn load(path: &Path) -> Result<Self, FileOwnerKeyError> {
        Self::parse(&read_text(path, TITLE)?)
    }

    fn parse(text: &str) -> Result<Self, FileOwnerKeyError> {
        let mut fields = Fields::of(text, TITLE)?;
        let owner = fields.read("owner <an Ed25519 public key of 64 digits>", |digits| {
            AuthorKey::from_bytes(&digest(digits)?).ok()
        })?;
        let tags = read_tags(fields.read("tags <digits>", Some)?)?;
        let tags = tags.ok_or(malformed(3, "tags <digits>, or the name of a kind"))?;
        let name = fields.read("file <64 digits>", digest)?;
        let version = fields.read("version <number>", |digits| {
            number(digits).filter(|number| *number > 0)
        })?;
        let total = fields.read("bytes <number>", number)?;
        let root = fields.read("root <64 digits>", digest)?;
        let server = if fields.is_at_end() {
            ""
        } else {
            let expected = "server <address>, or the end of the file";
            fields.read(expected, |address| is_address(address).then_some(address))?
        };
        fields.end()?;
        let list = ListState {
            root: Digest(root),
            total,
        };
        let since = FileState {
            file: FileId(name),
            version,
            list,
        };
        Ok(Self {
            file: PublicFile { owner, tags, since },
            server: server.to_owned(),
        })
    }
}

/// Formats the public file as text, in the format of this module.
impl fmt::Display for FilePublic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PublicFile { owner, tags, since } = &self.file;
        writeln!(formatter, "{TITLE}")?;
        writeln!(formatter, "owner {}", hex::encode(owner.to_bytes()))?;
        match tags.key().filter(|key| key.kind().is_public()) {
            Some(key) => writeln!(formatter, "tags {}", hex::encode(key.to_bytes()))?,
            None => writeln!(formatter, "tags {}", tags.kind())?,
        }
        writeln!(formatter, "file {}", since.file)?;
        writeln!(formatter, "version {}", since.version)?;
        writeln!(formatter, "bytes {}", since.list.total)?;
        writeln!(formatter, "root {}", since.list.root)?;
        if is_address(&self.server) {
            writeln!(formatter, "server {}", self.server)?;
        }
        Ok(())
    }
}

/// Parses the text after `tags` in its line. Returns `None` if it is neither a public tag key, nor
/// the name of a kind of tags that has no public key.
fn read_tags(text: &str) -> Result<Option<TagCheck>, FileOwnerKeyError> {
    if let Ok(kind) = text.parse::<TagKind>() {
        return Ok((!kind.is_public()).then(|| TagCheck::of_reads(kind)));
    }
    let Some(bytes) = decode(text) else {
        return Ok(None);
    };
    let key = VerifierKey::from_bytes(&bytes)?;
    Ok(key.kind().is_public().then(|| TagCheck::new(key)))
}

fn digest(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    decode_to(digits, &mut bytes)?;
    Some(bytes)
}

/// Parses a decimal number without leading zeros or sign.
fn number(text: &str) -> Option<u64> {
    text.parse()
        .ok()
        .filter(|number: &u64| number.to_string() == text)
}

/// Returns whether the text consists of 1 to [`MAX_ADDRESS_BYTES`] visible ASCII characters.
fn is_address(text: &str) -> bool {
    (1..=MAX_ADDRESS_BYTES).contains(&text.len())
        && text.chars().all(|letter| letter.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use flexlist::tag::OwnerKey;
    use pad_core::Workers;

    use super::{super::KeyFileError, *};

    fn example(kind: TagKind, server: &str) -> FilePublic {
        let owner = OwnerKey::generate(kind, &Workers::sequential()).unwrap();
        let signer = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
        FilePublic {
            file: PublicFile {
                owner: AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap(),
                tags: TagCheck::public(&owner),
                since: FileState {
                    file: FileId([9; 32]),
                    version: 3,
                    list: ListState {
                        root: Digest([7; 32]),
                        total: 40_960,
                    },
                },
            },
            server: server.into(),
        }
    }

    #[test]
    fn what_is_written_is_read_and_holds_no_secret() {
        for kind in [TagKind::PrivateMac, TagKind::HashOnly, TagKind::PublicBls] {
            for server in ["", "https://example.org:7420"] {
                let public = example(kind, server);
                let text = public.to_string();
                let read = FilePublic::parse(&text).unwrap();
                assert_eq!(read.to_string(), text);
                assert_eq!(read.file.owner, public.file.owner);
                assert_eq!(read.file.since, public.file.since);
                assert_eq!(read.server, server);
                assert_eq!(read.file.tags.kind(), kind);
                assert_eq!(read.file.tags.key().is_some(), kind.is_public());
            }
        }
        // The secret key of such tags must not be written, even though the value contains it.
        let owner = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential()).unwrap();
        let mut public = example(TagKind::PrivateMac, "");
        public.file.tags = TagCheck::new(owner.verifier());
        assert!(public.to_string().contains("\ntags private-mac\n"));
        let secret = hex::encode(owner.verifier().to_bytes());
        let text = public.to_string().replace("private-mac", &secret);
        assert!(FilePublic::parse(&text).is_err());
    }

    #[test]
    fn every_line_is_as_it_must_be() {
        let good = example(TagKind::PublicBls, "example.org:7420").to_string();
        let line_of = |text: &str| match FilePublic::parse(text).unwrap_err() {
            FileOwnerKeyError::File(KeyFileError::Malformed { line, .. }) => line,
            FileOwnerKeyError::Tags(_) => 3,
            other => panic!("{other}"),
        };
        for (from, to, line) in [
            ("v1", "v2", 1),
            ("owner ", "owner 0", 2),
            ("owner ", "author ", 2),
            ("tags ", "tags 00", 3),
            ("tags ", "tags hash-only ", 3),
            ("file 09", "file 0", 4),
            ("version 3", "version 0", 5),
            ("version 3", "version +3", 5),
            ("version 3", "version 03", 5),
            ("bytes 40960", "bytes 18446744073709551616", 6),
            ("bytes 40960", "bytes -1", 6),
            ("root 07", "root 0G", 7),
            ("server example", "server exam ple", 8),
            ("server example", "server \u{1b}[2J", 8),
            ("server example.org:7420", "server ", 8),
            (":7420\n", ":7420\n\n", 9),
        ] {
            assert!(good.contains(from), "{from}");
            assert_eq!(line_of(&good.replacen(from, to, 1)), line, "{from}: {to}");
        }
        // A truncated file is refused, unless only the optional line `server` is missing.
        let without_server = good.find("server ").unwrap();
        for length in 0..good.len() {
            let cut = FilePublic::parse(&good[..length]);
            assert_eq!(cut.is_ok(), length == without_server, "{length}");
        }
    }
}
