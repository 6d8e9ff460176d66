use super::*;

fn key() -> SecretKey {
    let id = DictionaryId::from_name("test");
    SecretKey::from_seed(SuiteName::Sha256Ed25519, SchemeName::Treap, id, &[7; 32]).unwrap()
}

fn refused<T>(read: Result<T, KeyFileError>) -> usize {
    match read.err().unwrap() {
        KeyFileError::Malformed { line, .. } => line,
        error => panic!("{error}"),
    }
}

fn wrong_line(text: &str) -> usize {
    refused(PublicKey::from_text(text))
}

#[test]
fn public_keys_survive_their_text() {
    let public = key().public().clone();
    assert_eq!(PublicKey::from_text(&public.to_text()).unwrap(), public);
}

#[test]
fn every_deviation_from_the_public_format_is_refused() {
    let text = key().public().to_text();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        for wrong in [
            format!(" {line}"),
            format!("{line} "),
            line.to_uppercase(),
            String::new(),
        ] {
            let mut changed: Vec<&str> = lines.clone();
            changed[number] = &wrong;
            assert_eq!(
                wrong_line(&(changed.join("\n") + "\n")),
                number + 1,
                "{wrong:?}"
            );
        }
        let start = lines[..number].join("\n") + "\n";
        assert_eq!(wrong_line(&start), if number == 0 { 1 } else { number + 1 });
    }
    assert_eq!(wrong_line(&format!("{text}\n")), 6);
    assert_eq!(wrong_line(&format!("{text}more\n")), 6);
    assert_eq!(wrong_line(text.trim_end()), 1);
    assert_eq!(wrong_line(&text.replace('\n', "\r\n")), 1);
    let other = PublicKey::from_text(&text.replace("treap", "splay"));
    assert!(matches!(other, Err(KeyFileError::NotBuilt)));
    assert_eq!(wrong_line(&text.replace("treap", "Treap")), 3);
}

#[test]
fn secret_keys_survive_their_file_and_stay_out_of_debug_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k");
    let key = key();
    key.save(&path).unwrap();
    let loaded = SecretKey::load(&path).unwrap();
    assert_eq!(loaded.public(), key.public());
    assert_eq!(loaded.signer().to_bytes(), [7; 32]);
    assert!(matches!(key.save(&path), Err(KeyFileError::Exists)));
    assert!(!format!("{loaded:?}").contains("0707"));
    assert!(matches!(
        PublicKey::load(&path),
        Err(KeyFileError::OtherKind {
            found: "a secret key",
            wanted: "a public key"
        })
    ));
}

#[test]
fn damaged_secret_keys_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k");
    key().save(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let cases = [
        (text.replace("07\n", "0\n"), 5),
        (text.replace("07\n", "0G\n"), 5),
        (text.replace("seed", "Seed"), 5),
        (text.replace("pad-secret-key v1", "pad-secret-key v2"), 1),
        (text.replace("v1\n", "v1\n\n"), 2),
        (text[..60].into(), 1),
        (text.clone() + "x\n", 6),
    ];
    for (wrong, expected) in cases {
        std::fs::write(&path, &wrong).unwrap();
        match SecretKey::load(&path) {
            Err(KeyFileError::Malformed { line, .. }) => assert_eq!(line, expected, "{wrong:?}"),
            other => panic!("{wrong:?} gave {other:?}"),
        }
    }
    for field in ["suite ", "scheme "] {
        let other = text.replacen(field, &format!("{field}another-"), 1);
        std::fs::write(&path, other).unwrap();
        let refused = SecretKey::load(&path);
        assert!(matches!(refused, Err(KeyFileError::NotBuilt)), "{field}");
    }
    std::fs::write(&path, [0xff; 8]).unwrap();
    assert!(matches!(
        SecretKey::load(&path),
        Err(KeyFileError::OtherKind { .. })
    ));
    let not_text = [text.as_bytes(), &[0xff]].concat();
    std::fs::write(&path, not_text).unwrap();
    assert!(matches!(
        SecretKey::load(&path),
        Err(KeyFileError::Malformed { line: 2, .. })
    ));
}

/// A scheme key for tests. The secret is one byte or more, and the public half is its complement.
struct Complement;

impl SchemeKeyFormat for Complement {
    fn generate(&self, _: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
        Ok(Zeroizing::new(vec![0xf0; 96]))
    }

    fn public_of(&self, secret: &[u8]) -> Option<SchemeKey> {
        let complement: Vec<u8> = secret.iter().map(|byte| !byte).collect();
        self.public(&complement)
    }

    fn public(&self, bytes: &[u8]) -> Option<SchemeKey> {
        (!bytes.is_empty()).then(|| SchemeKey::new(bytes.to_vec(), ()))
    }
}

fn own(scheme: SchemeName) -> Option<&'static dyn SchemeKeyFormat> {
    match scheme {
        SchemeName::Treap => Some(&Complement),
        _ => None,
    }
}

fn key_with_own(secret: &[u8]) -> SecretKey {
    let secret = Zeroizing::new(secret.to_vec());
    key().with_own(&Complement, secret).unwrap()
}

#[test]
fn keys_of_schemes_survive_their_lines() {
    for length in [1, 32, 2048] {
        let key = key_with_own(&vec![0xf0; length]);
        let text = key.public().to_text();
        assert!(text.ends_with(&format!("scheme-key {}\n", "0f".repeat(length))));
        assert_eq!(PublicKey::parse(&text, own).unwrap(), *key.public());
        let text = key.to_text().unwrap();
        let read = SecretKey::parse(core::str::from_utf8(&text).unwrap(), own).unwrap();
        assert_eq!(read.public(), key.public());
        assert_eq!(read.scheme_secret(), Some(&*vec![0xf0; length]));
        assert!(!format!("{read:?}").contains("f0"));
    }
    let longest = key_with_own(&vec![1; MAX_FILE_BYTES / 2]);
    assert_eq!(refused(longest.to_text()), 6);
}

#[test]
fn lines_of_schemes_are_read_strictly() {
    let key = key_with_own(&[0xf0]);
    let public = key.public().to_text();
    let secret = String::from_utf8(key.to_text().unwrap().to_vec()).unwrap();
    for (text, line) in [
        (&public, "scheme-key 0f\n"),
        (&secret, "scheme-secret f0\n"),
    ] {
        let name = line.split(' ').next().unwrap();
        let read = |text: &str| {
            if *line == *"scheme-key 0f\n" {
                PublicKey::parse(text, own).map(drop)
            } else {
                SecretKey::parse(text, own).map(drop)
            }
        };
        let start = text.strip_suffix(line).unwrap();
        read(text).unwrap();
        assert_eq!(refused(read(start)), 6);
        for wrong in ["", " ", " 0F", " 0f ", " 0", " 0g", "  0f", "=0f"] {
            assert_eq!(
                refused(read(&format!("{start}{name}{wrong}\n"))),
                6,
                "{wrong:?}"
            );
        }
        assert_eq!(refused(read(&format!("{start}other 0f\n"))), 6);
        assert_eq!(refused(read(&format!("{text}{line}"))), 7);
        assert_eq!(refused(read(&format!("{text}\n"))), 7);
        assert_eq!(refused(read(text.trim_end())), 1);
    }
    // The scheme has no key of its own, so the text must not contain a sixth line.
    assert_eq!(wrong_line(&public), 6);
    assert_eq!(
        refused(SecretKey::parse(&secret, SchemeName::key_format)),
        6
    );
}

#[cfg(feature = "passphrase")]
mod encrypted;
