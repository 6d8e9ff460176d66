use std::path::PathBuf;

use super::*;
use crate::{PublicKey as _, SecretKey as _, rsa::test_key::secret};

/// A directory that is removed at the end of a test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rsa-key-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("key")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_key_survives_in_a_file_that_is_never_overwritten() {
    let directory = Directory::new("survives");
    let key = secret();
    key.write_key_file(&directory.file()).unwrap();
    let written = std::fs::read(directory.file()).unwrap();
    assert_eq!(written, *key.to_bytes());
    let read = RsaSecretKey::read_key_file(&directory.file(), b"test").unwrap();
    assert_eq!(read.public_key().id(), key.public_key().id());

    assert!(matches!(
        key.write_key_file(&directory.file()),
        Err(KeyError::FileExists)
    ));
    assert_eq!(std::fs::read(directory.file()).unwrap(), written);
}

#[test]
fn missing_places_and_strange_files_have_their_errors() {
    let directory = Directory::new("strange");
    let missing = directory.0.join("missing").join("key");
    assert!(matches!(
        secret().write_key_file(&missing),
        Err(KeyError::File(_))
    ));
    assert!(matches!(
        RsaSecretKey::read_key_file(&missing, b""),
        Err(KeyError::File(_))
    ));
    disk::create(&directory.file(), &vec![0; 10 * KEY_LIMIT], Access::Private).unwrap();
    let result = RsaSecretKey::read_key_file(&directory.file(), b"");
    assert!(matches!(
        result,
        Err(KeyError::Malformed(pad_core::DecodeError::TooLarge { .. }))
    ));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_key_file() {
    use std::os::unix::fs::PermissionsExt;

    let directory = Directory::new("owner");
    secret().write_key_file(&directory.file()).unwrap();
    let mode = std::fs::metadata(directory.file())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o620, 0o601] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(directory.file(), permissions).unwrap();
        let result = RsaSecretKey::read_key_file(&directory.file(), b"test");
        assert!(
            matches!(result, Err(KeyError::ReadableByOthers)),
            "{mode:o}"
        );
    }
}
