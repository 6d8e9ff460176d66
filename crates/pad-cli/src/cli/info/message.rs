//! Descriptions of encoded messages, such as proofs, signed heads and updates.

use std::path::Path;

use authdict::{
    SchemeName,
    internals::{
        SchemeFamily,
        inspect::{Headline, Kind, Role, headline},
    },
};

use crate::cli::{Failure, Result, status::Rows};

/// Adds rows that describe the message of `length` bytes in the file at `path`. If it is longer
/// than [`LONGEST`], only the envelope is read.
pub(super) fn message(path: &Path, length: u64, rows: &mut Rows) -> Result {
    let bytes = super::read_beginning(path, LONGEST)?;
    let malformed = |error| Failure::Input(format!("{}: {error}", path.display()));
    let kind = Kind::of(&bytes).map_err(malformed)?;
    rows.is(kind.name);
    rows.add("kind", "kind_number", kind.number);
    rows.add("bytes", "bytes", length);
    let head = if length > LONGEST {
        None
    } else {
        headline(&bytes).map_err(malformed)?.1
    };
    if let Some(head) = &head {
        add_headline(head, rows);
    }
    let next = match kind.role {
        Role::Head | Role::ProofFile => {
            if head.is_none() && length <= LONGEST {
                rows.add("version", "version", 0);
            }
            match kind.number {
                // These kinds of messages can be inspected step by step.
                1 | 32..=38 | 81..=83 => "pad inspect shows its steps, pad verify checks it",
                176 | 177 => "pad directory verify checks it",
                _ => "pad verify checks it",
            }
        }
        Role::Update => {
            let scheme = head.and_then(|head| head.scheme);
            match scheme.map(SchemeName::family) {
                Some(SchemeFamily::Directory) => {
                    "pad directory apply verifies it and adds it to a directory"
                }
                _ => "pad apply verifies it and adds it to a store",
            }
        }
        Role::Evidence => "pad evidence checks it",
        Role::Other => match kind.number {
            12 => return list(&bytes, length, rows),
            147 => "pad verify checks it",
            #[cfg(feature = "file")]
            112 => return state(&bytes, rows),
            _ => return Ok(()),
        },
    };
    rows.more(next);
    Ok(())
}

pub(super) fn add_headline(head: &Headline, rows: &mut Rows) {
    rows.add("version", "version", head.version.number());
    rows.add("dictionary", "dictionary", head.dictionary.as_str());
    let scheme = head.scheme.map_or("unknown here", SchemeName::name);
    rows.add("scheme", "scheme", scheme);
    rows.add("root", "root", head.root.as_str());
    if let Some(changes) = head.changes {
        rows.add("changes", "changes", changes);
    }
}

/// Describes a list of updates, as written by `pad export`.
fn list(bytes: &[u8], length: u64, rows: &mut Rows) -> Result {
    if length > LONGEST {
        return Ok(());
    }
    let messages = authdict::internals::exchange::decode_list(bytes, bytes.len());
    let messages = messages.map_err(|error| Failure::Input(error.to_string()))?;
    rows.add("messages", "messages", messages.len());
    let version = |message: Option<&&[u8]>| Some(headline(message?).ok()?.1?.version.number());
    if let (Some(first), Some(last)) = (version(messages.first()), version(messages.last())) {
        rows.add("first version", "from", first);
        rows.add("last version", "to", last);
        rows.more("pad apply verifies them and adds them to a store");
    }
    Ok(())
}

/// Describes the state file of an outsourced file. Its last 32 bytes are the SHA-256 digest of the
/// others.
#[cfg(feature = "file")]
fn state(bytes: &[u8], rows: &mut Rows) -> Result {
    use authdict::pad_core::codec;
    use sha2::{Digest as _, Sha256};
    let damaged = || Failure::Store("the state of an outsourced file is damaged".into());
    let (record, digest) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
    if Sha256::digest(record).as_slice() != digest {
        return Err(damaged());
    }
    let body = record.get(codec::ENVELOPE_LENGTH..).unwrap_or_default();
    let file: flexlist::FileId = codec::decode_start(body).map_err(|_| damaged())?;
    rows.add("of the file", "file_id", file.to_string());
    rows.more("pad file status; without it or the owner's key the file is lost");
    Ok(())
}

/// Maximum bytes of a message that is decoded beyond its envelope.
const LONGEST: u64 = 64 << 20;
