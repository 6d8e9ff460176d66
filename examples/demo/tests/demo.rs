//! Runs the whole demonstration and checks its output files.

use std::{fs, process::Command};

use authdict::{Key, PublicKey, Question, Statement, Version, verify};

#[test]
fn the_demonstration_leaves_proofs_that_no_changed_byte_survives() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_demo"));
    command
        .args(["--budget", "1", "--keys", "50", "--out"])
        .arg(folder.path());
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8(output.stdout).unwrap();
    for text in [
        "360 of 360 answers, from all 30 dictionaries",
        "180 of 180 lies about all",
        "3 of 3 lies refused",
        "4 of 4 lies about a directory refused",
        "3 of 3 faults noticed",
        "3 of 3 lies about a set refused",
    ] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let page = String::from_utf8(read("index.html")).unwrap();
    // Two pictures, and six plots. In two of these, the five repositories of a scheme share a bar.
    let count = |text: &str| page.matches(text).count();
    assert_eq!(count("<figure"), 2 + 6);
    assert_eq!(count("class=\"name\""), 4 * 30 + 2 * (30 - 3 * 4));
    assert_eq!(count("class=\"axis\""), 6);
    // Every table has a name, headers of columns and rows, and a container for the keyboard.
    for part in ["<caption>", "role=\"region\"", "tabindex=\"0\""] {
        assert_eq!(count(part), count("<table"), "{part}");
    }
    assert!(!page.contains("<th>") && count("scope=\"row\"") > 40);
    for word in [
        "width=device-width",
        "prefers-color-scheme: dark",
        env!("CARGO_PKG_VERSION"),
        "class=\"parties\"",
        "signed root",
        "tree: forged root",
        "tuple: hidden key",
        "hidden value",
        "poisoned hint",
        "damaged byte, audited",
        "witness of another",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert!(
        !page.contains("src=") && !page.contains("<link"),
        "the page needs nothing else"
    );

    let public = PublicKey::load(&folder.path().join("prices.pub")).unwrap();
    for name in ["present", "changed", "deleted", "never"] {
        let mut lines = printed.lines();
        let key = lines.find_map(|line| line.trim().strip_prefix(&format!("{name}: ")));
        let key = Key::try_from(key.unwrap().split(' ').next().unwrap()).unwrap();
        let question = Question::Key(key);
        let mut proof = read(&format!("{name}.proof"));
        let version = Version::new(27);
        match verify(&public, version, &question, &proof).unwrap() {
            Statement::Lookup(lookup) => {
                let is_present = ["present", "changed"].contains(&name);
                assert_eq!(lookup.answer.value().is_some(), is_present, "{name}");
            }
            other => panic!("{other:?}"),
        }
        for place in 0..proof.len() {
            for mask in [0x01, 0x80] {
                proof[place] ^= mask;
                let answer = verify(&public, version, &question, &proof);
                assert!(answer.is_err(), "{name}: {place}");
                proof[place] ^= mask;
            }
        }
    }
}
