//! Descriptions of the text files of head logs and witnesses.

use transparency_log::{Checkpoint, Note, Policy, note::VerifierKey};

use crate::cli::{Output, status::Rows};

/// Adds rows that describe a witness policy, key or checkpoint. Returns whether the text, which
/// begins with `beginning` and has `length` bytes, is one of these.
pub(super) fn describe(beginning: &[u8], length: u64, rows: &mut Rows) -> bool {
    let is_whole = u64::try_from(beginning.len()).is_ok_and(|read| read == length);
    let Some(text) = core::str::from_utf8(beginning).ok().filter(|_| is_whole) else {
        return false;
    };
    if text.starts_with("PRIVATE+KEY+") {
        rows.is("the secret key of a witness or of a log of heads; keep it");
        return true;
    }
    if let Ok(key) = text.trim_end_matches('\n').parse::<VerifierKey>() {
        rows.is("the public key of a witness or of a log of heads");
        let key = key.to_string();
        rows.both("key", "verifier_key", Output::show_text(&key), key);
        return true;
    }
    if let Ok(note) = Note::parse(beginning) {
        let Ok(checkpoint) = Checkpoint::parse(note.unverified_text()) else {
            rows.is("a signed note");
            return true;
        };
        rows.is("the checkpoint of a log");
        let origin = checkpoint.origin();
        rows.both("log", "log", Output::show_text(origin), origin);
        rows.add("entries", "entries", checkpoint.size());
        rows.add("root", "root", checkpoint.root().to_string());
        rows.add("signatures", "signatures", note.signatures().len());
        return true;
    }
    let Ok(policy) = text.parse::<Policy>() else {
        return false;
    };
    if policy.logs().is_empty() {
        return false;
    }
    rows.is("a policy: which logs, and how many of which witnesses, are trusted");
    rows.add("logs", "logs", policy.logs().len());
    rows.add("witnesses", "witnesses", policy.witnesses().len());
    true
}
