//! `pad demo` from beginning to end, and the files that it leaves.

use pad::{
    Key, PublicKey, Version,
    dynamic::verify,
    question::{Question, Statement},
};

use crate::bench::{Bench, text};

#[test]
fn the_demonstration_leaves_proofs_that_no_changed_byte_survives() {
    let bench = Bench::new();
    let printed = bench.ok("demo --out d --budget 1");
    assert!(printed.contains("360 of 360 answers"), "{printed}");
    assert!(printed.contains("150 of 150 attacks"), "{printed}");
    assert!(printed.contains("3 of 3 lies refused"), "{printed}");
    assert!(
        printed.contains("4 of 4 lies about a directory refused"),
        "{printed}"
    );
    let page = text(&bench.read("d/index.html"));
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(
        !page.contains("src=") && !page.contains("<link"),
        "the page needs nothing else"
    );
    // The commands that the last lines suggest.
    for line in printed
        .lines()
        .filter_map(|line| line.strip_prefix("   pad "))
    {
        let answer = bench.ok(&line.replace('\'', ""));
        assert!(answer.starts_with("present"), "{answer}");
    }
    bench.ok("check --store d/prices.pad");

    let public = PublicKey::load(&bench.path("d/prices.pub")).unwrap();
    for name in ["present", "changed", "deleted", "never"] {
        let line = printed
            .lines()
            .find(|line| line.contains(&format!("{name}: ")))
            .unwrap();
        let key = line
            .split(&format!("{name}: "))
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        let question = Question::Key(Key::try_from(key).unwrap());
        let mut proof = bench.read(&format!("d/{name}.proof"));
        let version = Version::new(27);
        match verify(&public, version, &question, &proof).unwrap() {
            Statement::Lookup(lookup) => {
                assert_eq!(
                    lookup.answer.value().is_some(),
                    ["present", "changed"].contains(&name)
                );
            }
            other => panic!("{other:?}"),
        }
        for place in 0..proof.len() {
            for mask in [0x01, 0x80] {
                proof[place] ^= mask;
                assert!(
                    verify(&public, version, &question, &proof).is_err(),
                    "{name}: {place}"
                );
                proof[place] ^= mask;
            }
        }
    }
}
