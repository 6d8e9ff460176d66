//! Checks key files with the vectors in `key-files.json`, `secret-keys.json` and
//! `encrypted-keys.json` of `docs/vectors`: accepted and refused files.
//!
//! The vectors are texts written by hand. Encrypted files contain a random salt.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt as _, path::Path};

use authdict::{
    KeyFileError, Passphrase, PublicKey, SecretFile, SecretKey, Zeroizing,
    internals::{FileOwnerKey, FilePublic},
};
use pad_conformance::published::{self, decode};
use serde_json::{Value as Json, json};

/// Returns the cases of a list, which must have at least `least` cases.
fn cases<'v>(vectors: &'v Json, list: &str, least: usize) -> &'v [Json] {
    let cases = vectors[list].as_array().unwrap();
    assert!(cases.len() >= least, "{list}");
    cases
}

fn text(case: &Json) -> &str {
    case["text"].as_str().unwrap()
}

/// Loads the text from a file, as a program does.
fn load(text: &str) -> Option<FilePublic> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("public");
    fs::write(&path, text).unwrap();
    FilePublic::load(&path).ok()
}

fn read_secret(text: &str) -> Result<SecretKey, KeyFileError> {
    SecretKey::from_file(&SecretFile::of_text(Zeroizing::new(text.to_owned())))
}

fn read_owner(text: &str) -> Option<FileOwnerKey> {
    FileOwnerKey::from_file(&SecretFile::of_text(Zeroizing::new(text.to_owned()))).ok()
}

#[test]
fn public_key_files_are_the_published_ones() {
    let vectors: Json = published::read("key-files");
    let mut schemes = BTreeSet::new();
    for case in cases(&vectors, "accepted_keys", 7) {
        let text = text(case);
        let key = PublicKey::from_text(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(schemes.insert(key.authority.scheme.0));
        let read = json!({
            "text": key.to_text(),
            "suite": key.suite.name(),
            "scheme": key.authority.scheme.0,
            "dictionary": key.authority.dictionary.to_string(),
            "author": key.authority.author.to_string(),
        });
        assert_eq!(read, *case);
    }
    for case in cases(&vectors, "refused_keys", 36) {
        assert!(PublicKey::from_text(text(case)).is_err(), "{case}");
    }
}

#[test]
fn what_owners_publish_of_files_is_as_published() {
    let vectors: Json = published::read("key-files");
    for case in cases(&vectors, "accepted_files", 4) {
        let public = load(text(case)).unwrap_or_else(|| panic!("{case}"));
        let (tags, since) = (&public.file.tags, public.file.since);
        let read = json!({
            "text": public.to_string(),
            "owner": public.file.owner.to_string(),
            "tags": tags.kind().to_string(),
            "can_audit": tags.key().is_some(),
            "file": since.file.to_string(),
            "version": since.version,
            "bytes": since.list.total,
            "root": since.list.root.to_string(),
            "server": Some(&public.server).filter(|server| !server.is_empty()),
        });
        assert_eq!(read, *case);
    }
    for case in cases(&vectors, "refused_files", 33) {
        assert!(load(text(case)).is_none(), "{case}");
    }
}

#[test]
fn secret_key_files_are_the_published_ones() {
    let vectors: Json = published::read("secret-keys");
    for case in cases(&vectors, "accepted_secrets", 8) {
        let key = read_secret(text(case)).unwrap_or_else(|error| panic!("{error}: {case}"));
        let written = key.to_file().unwrap();
        let read = json!({ "text": written.text().unwrap(), "public": key.public().to_text() });
        assert_eq!(read, *case);
    }
    for case in cases(&vectors, "refused_secrets", 31) {
        assert!(read_secret(text(case)).is_err(), "{case}");
    }
    for case in cases(&vectors, "accepted_owners", 3) {
        let key = read_owner(text(case)).unwrap_or_else(|| panic!("{case}"));
        let read = json!({
            "text": key.to_file().text().unwrap(),
            "owner": key.owner().key.to_string(),
            "tags": key.kind().to_string(),
        });
        assert_eq!(read, *case);
    }
    for case in cases(&vectors, "refused_owners", 14) {
        assert!(read_owner(text(case)).is_none(), "{case}");
    }
}

/// Reads and decrypts a file with these bytes.
fn decrypted(folder: &Path, case: &Json) -> Result<SecretFile, KeyFileError> {
    let path = folder.join("key");
    fs::write(&path, decode(case["file"].as_str().unwrap())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let passphrase = case["passphrase"].as_str().unwrap().to_owned();
    let passphrase = Passphrase::new(Zeroizing::new(passphrase))?;
    let file = SecretFile::read(&path)?;
    assert!(file.is_encrypted(), "{case}");
    file.decrypt(&passphrase)
}

#[test]
fn encrypted_key_files_are_decrypted_and_nothing_else() {
    let vectors: Json = published::read("encrypted-keys");
    let folder = tempfile::tempdir().unwrap();
    let texts = published::read::<Json>("secret-keys").to_string();
    for case in cases(&vectors, "accepted", 3) {
        let file = decrypted(folder.path(), case).unwrap();
        assert_eq!(file.text().unwrap(), case["text"], "{case}");
        assert!(texts.contains(&case["text"].to_string()), "{case}");
    }
    for case in cases(&vectors, "refused", 10) {
        assert!(decrypted(folder.path(), case).is_err(), "{}", case["why"]);
    }
}
