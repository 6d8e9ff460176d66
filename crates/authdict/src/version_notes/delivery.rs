//! Delivery of version notes to other stores: the author's signature on a page of notes, and the
//! notes that a store lacks.
//!
//! The signature shows the server that the author sent the page. It is not stored, and clients
//! never see it.

use std::collections::BTreeMap;

use ed25519_dalek::{SIGNATURE_LENGTH, Signature, Signer as _};
use pad_core::{VerifyError, Version};

use super::{GROUP, MOST_OF_A_NAME, NAMES_GROUP, VersionNotes, missing_names, named, versions_of};
use crate::{
    keys::PublicKey,
    repository::AuthorError,
    signing_keys::SigningKeys,
    store::{RecordChange, Store, StoreError},
};

/// Signs a page of notes for delivery to a server. Returns the signature (64 bytes), then `page`.
///
/// # Errors
/// [`AuthorError::Signing`] if the signer fails.
pub fn sign_page(keys: &SigningKeys, page: &[u8]) -> Result<Vec<u8>, AuthorError> {
    let signed = signed_bytes(TAG, keys.public(), page);
    let signature = keys.signer().try_sign(&signed);
    let signature = signature.map_err(AuthorError::Signing)?;
    Ok([&signature.to_bytes(), page].concat())
}

/// Returns the page of notes in `message`, if the author signed the page for this dictionary.
///
/// # Errors
/// [`VerifyError::SignatureInvalid`].
pub fn verify_page<'m>(public: &PublicKey, message: &'m [u8]) -> Result<&'m [u8], VerifyError> {
    let parts = message.split_first_chunk::<SIGNATURE_LENGTH>();
    let (signature, page) = parts.ok_or(VerifyError::SignatureInvalid)?;
    let signed = signed_bytes(TAG, public, page);
    let signature = Signature::from_bytes(signature);
    public.authority.author.verify(&signed, &signature)?;
    Ok(page)
}

/// Returns the bytes that the author signs: tag (32) ‖ suite (2) ‖ scheme (2) ‖ dictionary (16) ‖
/// content. Integers are big-endian.
pub(super) fn signed_bytes(tag: &[u8], public: &PublicKey, content: &[u8]) -> Vec<u8> {
    let mut padded = [0; 32];
    padded
        .iter_mut()
        .zip(tag)
        .for_each(|(to, from)| *to = *from);
    let suite = public.suite.id().0.to_be_bytes();
    let scheme = public.authority.scheme.0.to_be_bytes();
    let dictionary = public.authority.dictionary.to_bytes();
    [&padded, &suite[..], &scheme, &dictionary, content].concat()
}

/// The notes that a store lacks, as [`VersionNotes::missing_in`] returns them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingNotes {
    /// Changes that add the missing notes to the store.
    pub records: Vec<RecordChange>,
    /// Number of missing notes.
    pub taken: u64,
    /// Number of notes that differ from the store's note of the same version.
    pub different: u64,
}

impl VersionNotes {
    /// Returns the notes of versions 1 to `latest` that `store` lacks.
    ///
    /// The store keeps a note that it already has, even if the new one differs. But a signed note
    /// replaces an unsigned one: callers must have verified it. If a name already belongs to
    /// [`MOST_OF_A_NAME`] versions, further versions are not found by this name.
    ///
    /// Time and memory: linear in the number of the store's notes between the first and the last
    /// version of these notes. If a note is missing and no version of the store is found by its
    /// name yet, linear in the number of all notes, once.
    ///
    /// # Errors
    /// [`StoreError`].
    #[doc(hidden)]
    pub fn missing_in(
        &self,
        store: &dyn Store,
        latest: Version,
    ) -> Result<MissingNotes, StoreError> {
        let mut missing = MissingNotes::default();
        let ends = (self.0.first_key_value(), self.0.last_key_value());
        let (Some((first, _)), Some((last, _))) = ends else {
            return Ok(missing);
        };
        let stored = Self::read(store, *first, *last)?;
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut unindexed, mut stale) = (None, Vec::new());
        for (version, note) in &self.0 {
            match stored.get(*version) {
                Some(own) if own.signature.is_some() || note.signature.is_none() => {
                    let differs = own.content(*version) != note.content(*version);
                    missing.different += u64::from(differs);
                }
                _ if *version == Version::EMPTY || *version > latest => {}
                own => {
                    let old_name = own.and_then(|own| own.name.as_deref());
                    let replaced = old_name.filter(|old| note.name.as_deref() != Some(old));
                    stale
                        .extend(replaced.map(|old| {
                            RecordChange::remove(NAMES_GROUP, named(old, *version), [])
                        }));
                    let mut records = 1 + usize::from(note.signature.is_some());
                    if unindexed.is_none() {
                        unindexed = Some(missing_names(store)?);
                    }
                    if let Some(name) = note.name.as_deref() {
                        if !uses.contains_key(name) {
                            let named = if unindexed.as_ref().is_none_or(Vec::is_empty) {
                                versions_of(store, name)?.len()
                            } else {
                                0
                            };
                            uses.insert(name, named);
                        }
                        let used = uses.entry(name).or_default();
                        // Names that others gave cannot hide a signed name.
                        let is_found = note.signature.is_some() || *used < MOST_OF_A_NAME;
                        records += usize::from(is_found);
                        *used += 1;
                    }
                    missing.records.extend(note.records(*version).take(records));
                    missing.taken += 1;
                }
            }
        }
        missing.records.extend(unindexed.unwrap_or_default());
        missing.records.extend(stale);
        Ok(missing)
    }
}

/// Returns the number of versions with notes in a store, without reading the notes.
///
/// # Errors
/// [`StoreError`].
pub fn note_count(store: &dyn Store) -> Result<u64, StoreError> {
    store.record_count(GROUP)
}

/// Tag of the signed bytes of a page. No tag of `pad_core` is a prefix of it.
const TAG: &[u8; 20] = b"pad-service/notes/v1";

#[cfg(test)]
mod tests {
    use pad_core::DictionaryId;

    use super::{super::tests::note, *};
    use crate::{SchemeName, SecretKey, SuiteName, store::redb_store::RedbStore};

    fn notes(of: &[(u64, Option<&str>)]) -> VersionNotes {
        let notes = of.iter();
        notes
            .map(|(version, name)| (Version::new(*version), note(*name)))
            .collect()
    }

    #[test]
    fn a_page_is_accepted_from_the_author_of_the_dictionary_only() {
        let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::RedBlack);
        let of = |name: &str, scheme| {
            let id = DictionaryId::from_name(name);
            SecretKey::from_parts(suite, scheme, id, &[7; 32], None).unwrap()
        };
        let key = of("prices", scheme);
        let message = sign_page(&SigningKeys::from(&key), EXAMPLE).unwrap();
        assert_eq!(verify_page(key.public(), &message), Ok(EXAMPLE));
        let (signature, _) = message.split_at(SIGNATURE_LENGTH);
        assert_eq!(hex::encode(signature), EXAMPLE_SIGNATURE);
        let refused = Err(VerifyError::SignatureInvalid);
        for other in [of("other", scheme), of("prices", SchemeName::Treap)] {
            assert_eq!(verify_page(other.public(), &message), refused);
        }
        let stranger = SecretKey::generate_for(16, suite, scheme, None).unwrap();
        assert_eq!(verify_page(stranger.public(), &message), refused);
        for length in 0..message.len() {
            assert_eq!(verify_page(key.public(), &message[..length]), refused);
        }
        for byte in 0..message.len() {
            let mut changed = message.clone();
            changed[byte] ^= 1;
            assert_eq!(verify_page(key.public(), &changed), refused, "{byte}");
        }
    }

    #[test]
    fn a_store_takes_the_notes_that_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = RedbStore::create(&folder.path().join("store"), &[]).unwrap();
        let latest = Version::new(5);
        let mut take = |of: &VersionNotes| {
            let missing = of.missing_in(&store, latest).unwrap();
            store.write_records(&missing.records).unwrap();
            (missing.taken, missing.different)
        };
        assert_eq!(take(&notes(&[])), (0, 0));
        // Version 0 and versions after the latest one have no notes.
        let first = notes(&[(0, None), (2, Some("b")), (3, Some("b")), (6, Some("z"))]);
        assert_eq!(take(&first), (2, 0));
        assert_eq!(take(&first), (0, 0));
        let second = notes(&[(1, Some("a")), (2, Some("other")), (3, Some("b"))]);
        assert_eq!(take(&second), (1, 1));
        let named = |name| versions_of(&store, name).unwrap();
        assert_eq!(named("a"), [Version::new(1)]);
        assert_eq!(named("b"), [2, 3].map(Version::new));
        assert!(named("other").is_empty() && named("z").is_empty());
        assert_eq!(note_count(&store).unwrap(), 3);
        let read = VersionNotes::read(&store, Version::EMPTY, latest).unwrap();
        assert_eq!(
            read,
            notes(&[(1, Some("a")), (2, Some("b")), (3, Some("b"))])
        );
    }

    #[test]
    fn a_signed_note_replaces_an_unsigned_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = RedbStore::create(&folder.path().join("store"), &[]).unwrap();
        let version = Version::new(1);
        let key = SecretKey::generate_for(16, SuiteName::Sha256Ed25519, SchemeName::Treap, None);
        let signed =
            |name| note(Some(name)).sign(&SigningKeys::from(key.as_ref().unwrap()), version);
        let [right, other] = ["a", "other"].map(|name| signed(name).unwrap());
        for (taken, offered, expected, outcome) in [
            ("false", note(Some("false")), note(Some("false")), (1, 0)),
            ("right", right.clone(), right.clone(), (1, 0)),
            ("again", right.clone(), right.clone(), (0, 0)),
            (
                "without its signature",
                note(Some("a")),
                right.clone(),
                (0, 0),
            ),
            ("other unsigned", note(None), right.clone(), (0, 1)),
            ("other signed", other, right, (0, 1)),
        ] {
            let offered: VersionNotes = [(version, offered)].into_iter().collect();
            let missing = offered.missing_in(&store, version).unwrap();
            store.write_records(&missing.records).unwrap();
            assert_eq!((missing.taken, missing.different), outcome, "{taken}");
            let stored = VersionNotes::read(&store, version, version).unwrap();
            assert_eq!(stored.get(version), Some(&expected), "{taken}");
        }
        assert_eq!(versions_of(&store, "a").unwrap(), [version]);
        assert!(versions_of(&store, "false").unwrap().is_empty());
    }

    #[test]
    fn the_versions_found_by_one_name_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = RedbStore::create(&folder.path().join("store"), &[]).unwrap();
        for first in [1, 8, 30] {
            let page: Vec<_> = (first..first + 7).map(|at| (at, Some("a"))).collect();
            let missing = notes(&page).missing_in(&store, Version::new(100)).unwrap();
            assert_eq!(missing.taken, 7);
            store.write_records(&missing.records).unwrap();
        }
        assert_eq!(note_count(&store).unwrap(), 21);
        let found = store.record_count(NAMES_GROUP).unwrap();
        // One record is empty: it shows that the store has records of names.
        assert_eq!(found, u64::try_from(MOST_OF_A_NAME).unwrap() + 1);
    }

    /// The example of `docs/format/services.md`.
    const EXAMPLE: &[u8] =
        br#"[{"changes":2,"entries":3,"name":"2026-10-24","time":1792851300,"version":1}]"#;
    const EXAMPLE_SIGNATURE: &str = "4f165ea5f13e4af7fd9cfbe2d1fae5604d1a3477d55d5db2bb1fae1bfe1a9b\
                                     dff747635826cae8563ac15dbf4aa3873a354e3bf089eeb8627e5e45b6c839\
                                     1104";
}
