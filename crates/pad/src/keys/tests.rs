use super::*;

fn key() -> SecretKey {
    let id = DictionaryId::from_name("test");
    SecretKey::from_seed(SuiteName::Sha256Ed25519, SchemeName::Treap, id, &[7; 32]).unwrap()
}

fn wrong_line(text: &str) -> usize {
    match PublicKey::from_text(text).unwrap_err() {
        KeyFileError::Malformed { line, .. } => line,
        error => panic!("{error}"),
    }
}

#[test]
fn public_keys_survive_their_text() {
    let public = *key().public();
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
    assert_eq!(wrong_line(&text.replace("treap", "splay")), 3);
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
        Err(KeyFileError::Malformed { line: 1, .. })
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
    std::fs::write(&path, [0xff; 8]).unwrap();
    assert!(matches!(
        SecretKey::load(&path),
        Err(KeyFileError::Malformed { .. })
    ));
}
