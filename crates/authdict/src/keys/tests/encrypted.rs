//! Tests of encrypted secret keys: round trips, and rejection of all other files.

use std::{fs, path::PathBuf};

use sha2::Sha256;
use tempfile::TempDir;

use super::*;

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(Zeroizing::new(text.to_owned())).unwrap()
}

fn encrypted(file: &SecretFile) -> SecretFile {
    file.encrypt(&passphrase("correct horse"), Work::LEAST)
        .unwrap()
}

fn decrypt(file: SecretFile) -> Result<SecretFile, KeyFileError> {
    file.decrypt(&passphrase("correct horse"))
}

/// Creates a file with these bytes that only its owner can read.
fn file_with(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k");
    pad_disk::create(&path, bytes, Access::Private).unwrap();
    (folder, path)
}

fn read(bytes: &[u8]) -> Result<SecretFile, KeyFileError> {
    let (_folder, path) = file_with(bytes);
    SecretFile::read(&path)
}

#[test]
fn encrypted_keys_are_the_same_keys() {
    let tuples = SchemeName::ALL
        .iter()
        .find(|scheme| scheme.name() == "tuple-spec-lightweight");
    for scheme in [SchemeName::Treap, *tuples.unwrap()] {
        let suite = SuiteName::Sha256Ed25519;
        let key = SecretKey::generate(suite, scheme, None).unwrap();
        let clear = key.to_file().unwrap();
        let (folder, path) = file_with(encrypted(&clear).as_bytes());
        let file = SecretFile::read(&path).unwrap();
        assert!(file.is_encrypted() && !file.is_secret_key());
        assert_eq!(file.work(), Some(Work::LEAST));
        assert!(matches!(
            SecretKey::load(&path),
            Err(KeyFileError::Encrypted)
        ));
        assert!(matches!(
            PublicKey::load(&path),
            Err(KeyFileError::OtherKind {
                found: "an encrypted secret key",
                ..
            })
        ));
        let decrypted = decrypt(file).unwrap();
        // The plaintext is exactly the text of the key file.
        assert_eq!(decrypted.as_bytes(), clear.as_bytes());
        assert_eq!(decrypted.as_bytes(), &**key.to_text().unwrap());
        let read = SecretKey::from_file(&decrypted).unwrap();
        assert_eq!(read.public(), key.public());
        assert_eq!(read.scheme_secret(), key.scheme_secret());
        assert_eq!(read.signer().to_bytes(), key.signer().to_bytes());
        // The ciphertext contains no part of the key, and no two encryptions are equal.
        let bytes = fs::read(&path).unwrap();
        for line in clear.text().unwrap().lines() {
            assert!(
                !bytes
                    .windows(8)
                    .any(|seen| line.as_bytes().starts_with(seen))
            );
        }
        let seed = key.signer().to_bytes();
        assert!(!bytes.windows(8).any(|seen| *seen == seed[..8]));
        assert_ne!(encrypted(&clear).as_bytes(), &*bytes);
        drop(folder);
    }
}

#[cfg(feature = "file")]
#[test]
fn encrypted_keys_of_owners_are_the_same_keys() {
    let workers = pad_core::Workers::sequential();
    let key = FileOwnerKey::generate(flexlist::tag::TagKind::default(), &workers).unwrap();
    let clear = key.to_file();
    let file = read(encrypted(&clear).as_bytes()).unwrap();
    assert!(matches!(
        FileOwnerKey::from_file(&file),
        Err(FileOwnerKeyError::File(KeyFileError::Encrypted))
    ));
    let decrypted = decrypt(file).unwrap();
    assert_eq!(decrypted.as_bytes(), clear.as_bytes());
    let read = FileOwnerKey::from_file(&decrypted).unwrap();
    assert_eq!(read.owner().key, key.owner().key);
    // Different kinds of keys are distinguished after decryption, too.
    assert!(matches!(
        SecretKey::from_file(&decrypted),
        Err(KeyFileError::OtherKind {
            found: "a key for outsourced files",
            ..
        })
    ));
}

#[test]
fn another_passphrase_is_refused() {
    let clear = key().to_file().unwrap();
    for wrong in ["", "c", "correct horse ", "Correct horse", "correct hors"] {
        let Ok(wrong) = Passphrase::new(Zeroizing::new(wrong.into())) else {
            assert_eq!(wrong, "");
            continue;
        };
        let refused = encrypted(&clear).decrypt(&wrong);
        assert!(matches!(refused, Err(KeyFileError::WrongPassphrase)));
    }
    assert!(matches!(
        encrypted(&clear).encrypt(&passphrase("x"), Work::LEAST),
        Err(KeyFileError::Encrypted)
    ));
    for unfit in ["", "a\nb", "a\rb", "a\0b", &"x".repeat(1025)] {
        let unfit = Passphrase::new(Zeroizing::new(unfit.to_owned()));
        assert!(matches!(unfit, Err(KeyFileError::UnfitPassphrase)));
    }
    assert!(!format!("{:?}", passphrase("secret words")).contains("secret"));
    assert!(passphrase("a").is(&passphrase("a")) && !passphrase("a").is(&passphrase("b")));
}

#[test]
fn every_changed_byte_is_noticed() {
    let good = encrypted(&key().to_file().unwrap());
    let good = good.as_bytes();
    for position in 0..good.len() {
        for change in [1, 0x80] {
            let mut bytes = good.to_vec();
            bytes[position] ^= change;
            let error = read(&bytes).and_then(decrypt);
            let error = error.and_then(|file| SecretKey::from_file(&file));
            match (position, error.unwrap_err()) {
                // A file with other first bytes is not an encrypted file of this format.
                (0..7, KeyFileError::OtherKind { .. } | KeyFileError::Malformed { .. })
                | (7..16, KeyFileError::TooMuchWork)
                | (7..64 | 96.., KeyFileError::Damaged)
                // These bytes authenticate the parameters. They also detect a wrong passphrase.
                | (64..96, KeyFileError::WrongPassphrase) => {}
                (position, error) => panic!("byte {position}: {error:?}"),
            }
        }
    }
}

#[test]
fn cut_and_extended_files_are_refused() {
    let good = encrypted(&key().to_file().unwrap());
    let good = good.as_bytes();
    for length in 0..good.len() {
        let refused = read(&good[..length]).and_then(decrypt);
        let refused = refused.and_then(|file| SecretKey::from_file(&file));
        match refused.unwrap_err() {
            KeyFileError::OtherKind { .. } if length < 7 => {}
            KeyFileError::Damaged if length >= 7 => {}
            error => panic!("{length} bytes: {error:?}"),
        }
    }
    for more in [&b"\0"[..], b"\n", &[7; 200], good] {
        let refused = read(&[good, more].concat()).and_then(decrypt);
        assert!(matches!(refused, Err(KeyFileError::Damaged)));
    }
    let mut longest = good.to_vec();
    longest.resize(file::MAX_ENCRYPTED_BYTES + 1, 0);
    assert!(matches!(read(&longest), Err(KeyFileError::TooLong)));
    longest.truncate(file::MAX_ENCRYPTED_BYTES);
    assert!(matches!(
        read(&longest).and_then(decrypt),
        Err(KeyFileError::Damaged)
    ));
    let too_long = SecretFile::new(Zeroizing::new(vec![b'x'; MAX_FILE_BYTES + 1]));
    assert!(matches!(
        too_long.encrypt(&passphrase("x"), Work::LEAST),
        Err(KeyFileError::TooLong)
    ));
}

/// Creates a file with other scrypt parameters, and a valid checksum of these parameters.
fn costing(log_n: u8, r: u32, p: u32) -> Vec<u8> {
    let mut bytes = encrypted(&key().to_file().unwrap()).as_bytes().to_vec();
    bytes[7] = log_n;
    bytes[8..12].copy_from_slice(&r.to_be_bytes());
    bytes[12..16].copy_from_slice(&p.to_be_bytes());
    let checksum = Sha256::digest(&bytes[..48]);
    bytes[48..64].copy_from_slice(&checksum[..16]);
    bytes
}

#[test]
fn nothing_is_computed_that_costs_too_much() {
    for (log_n, r, p) in [
        (21, 8, 1),
        (20, 9, 1),
        (20, 8, 3),
        (1, 1, 1 << 24),
        (17, 8, u32::MAX),
        (63, 8, 1),
        (64, 8, 1),
        (127, 1, 1),
        (255, u32::MAX, u32::MAX),
        (1, u32::MAX, 1),
        // These parameters need 2.5 GiB of memory, of which `N` accounts for 1 GiB.
        (1, 1 << 22, 1),
    ] {
        // The file is refused while it is read, before a passphrase is requested or memory is
        // reserved.
        let refused = read(&costing(log_n, r, p));
        assert!(
            matches!(refused, Err(KeyFileError::TooMuchWork)),
            "{log_n} {r} {p}: {refused:?}"
        );
        assert!(Work::new(log_n, r, p).is_err());
    }
    for (log_n, r, p) in [(0, 0, 0), (1, 0, 1), (1, 1, 0), (16, 1, 1), (255, 0, 1)] {
        let refused = read(&costing(log_n, r, p));
        assert!(
            matches!(refused, Err(KeyFileError::Damaged)),
            "{log_n} {r} {p}: {refused:?}"
        );
    }
    // Parameters just within the bounds are accepted.
    let most = read(&costing(20, 8, 2)).unwrap().work().unwrap();
    assert_eq!(most.memory(), (1 << 30) + 4 * 1024);
    assert_eq!(most.to_string(), "N=2^20 r=8 p=2");
    assert_eq!(Work::USUAL.memory(), (128 << 20) + 3 * 1024);
    assert_eq!(Work::new(17, 8, 1).unwrap(), Work::USUAL);
    // Other acceptable parameters than those used for encryption derive another key.
    let refused = read(&costing(2, 1, 1)).and_then(decrypt);
    assert!(matches!(refused, Err(KeyFileError::WrongPassphrase)));
}

#[cfg(unix)]
#[test]
fn encrypted_keys_are_private_too() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let clear = key().to_file().unwrap();
    encrypted(&clear).save(&path).unwrap();
    assert_eq!(mode(), 0o600);
    let again = encrypted(&clear).save(&path);
    assert!(matches!(again, Err(KeyFileError::Exists)));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let file = SecretFile::read(&path).unwrap();
    assert!(matches!(
        file.check_private(),
        Err(KeyFileError::Exposed(0o644))
    ));
    let refused = SecretKey::from_file(&decrypt(file).unwrap());
    assert!(matches!(refused, Err(KeyFileError::Exposed(0o644))));
    clear.replace(&path).unwrap();
    assert_eq!(mode(), 0o600);
    assert_eq!(SecretKey::load(&path).unwrap().public(), key().public());
}

/// The file was made with `hashlib.scrypt` and `hmac` of Python and `openssl enc -aes-256-ctr`, as
/// the format's description states.
#[test]
fn a_file_made_by_others_is_read() {
    let bytes = hex::decode(OF_OTHERS).unwrap();
    let file = read(&bytes).unwrap();
    assert_eq!(file.work().unwrap().to_string(), "N=2^4 r=8 p=1");
    let clear = decrypt(file).unwrap();
    assert_eq!(
        clear.text().unwrap(),
        "pad-secret-key v1\nin another hand\n"
    );
}

const OF_OTHERS: &str = "\
    73637279707400040000000800000001000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\
    69e127c3d004730a40555ed41f8895d548daad0f8f80f298a8df9b4a3d49eb84aa4fed10e8c80936894fbc775a05d487\
    174116e1650e756f15901084f14867566c9b62ec9d872c87f07675c171c44c7a0725f2d29c17f9544c0e15dde84ff761\
    577605fce26fdea6aa4c86c478cabb8db916";
