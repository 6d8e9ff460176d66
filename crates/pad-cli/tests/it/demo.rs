//! `pad demo` from beginning to end, and the files that it leaves.

use pad::{
    Key, PublicKey, Version,
    dynamic::verify,
    question::{Question, Statement},
};

use crate::bench::{Bench, TRACE, text};

#[test]
fn the_demonstration_leaves_proofs_that_no_changed_byte_survives() {
    let bench = Bench::new();
    let printed = bench.ok("demo --out d --budget 1");
    assert!(printed.contains("216 of 216 answers"), "{printed}");
    assert!(printed.contains("90 of 90 attacks"), "{printed}");
    assert!(printed.contains("3 of 3 lies refused"), "{printed}");
    assert!(printed.contains("3 of 3 faults noticed"), "{printed}");
    assert!(
        printed.contains("3 of 3 lies about a set refused"),
        "{printed}"
    );
    assert!(
        printed.contains("4 of 4 lies about a directory refused"),
        "{printed}"
    );
    let page = text(&bench.read("d/index.html"));
    assert_eq!(page.matches("<figure").count(), 6);
    assert_eq!(page.matches("class=\"name\"").count(), 6 * 18);
    for word in [
        "width=device-width",
        "prefers-color-scheme: dark",
        "Made at 20",
        env!("CARGO_PKG_VERSION"),
        "tree: forged root",
        "tuple: stretched range",
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

/// A user's own trace takes the place of the prices; what it is too short for is said.
#[test]
fn the_demonstration_takes_a_trace_of_the_user_s() {
    let bench = Bench::new();
    let rows = (0..30).map(|number| {
        let key = number % 12;
        let day = number / 10;
        format!("day {day},put,<key> {key:02},{}\n", number * 7)
    });
    let trace = format!("snapshot,op,key,value\n{}", rows.collect::<String>());
    bench.write("own.csv", trace.as_bytes());
    let printed = bench.ok("demo --out d --budget 1 --trace own.csv");
    assert!(
        printed.contains("The trace own.csv: 3 snapshots"),
        "{printed}"
    );
    assert!(printed.contains("verified and right"), "{printed}");
    assert!(printed.contains("changed: <key> "), "{printed}");
    let page = text(&bench.read("d/index.html"));
    assert!(page.contains("&lt;key&gt;") && !page.contains("<key>"));
    bench.ok("check --store d/prices.pad");

    bench.write("short.csv", TRACE.as_bytes());
    bench.fails("demo --out e --trace short.csv", 2, "five keys in the last");
    bench.fails("demo --out e --trace none.csv", 2, "none.csv");
}
