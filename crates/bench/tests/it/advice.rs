//! `bench calibrate` and `bench verify`: measurements for `pad advise`, and checks of its advice.

use std::fs;

use crate::output::{lines, number, run};
use comparison::{
    Clients, Load, PriceBook,
    advice::{Advice, Limits, Question, Requirements, Tariff},
    needs::Need,
    records::Records,
};

/// Asks for unique sets, of a small load.
pub(crate) fn question() -> Question {
    Question {
        wanted: Requirements {
            load: Load {
                keys: 300,
                key_bytes: 16,
                value_bytes: 32,
                changes: 10,
                snapshots_per_day: 1.0,
                lookups_per_day: 864_000.0,
                old_lookups: 0.0,
                servers: 1,
                kept_versions: 1.0,
            },
            needs: vec![Need::SetUnique],
            limits: Limits::default(),
        },
        tariff: Tariff {
            prices: PriceBook::paper(),
            clients: Clients::PayThemselves,
            cryptography: 1.0,
        },
    }
}

#[test]
fn advice_follows_from_what_is_measured_here_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (asked, here) = (path("advice.json"), path("here.jsonl"));
    // Other fields of the output are ignored.
    let mut printed = serde_json::to_value(question()).unwrap();
    printed["winner"] = "treap-stored".into();
    fs::write(&asked, printed.to_string()).unwrap();

    let measured = run(&format!("calibrate --advice {asked} --json"));
    let records = Records::parse("here.jsonl", &measured).unwrap();
    assert!(records.quick);
    assert_eq!(records.machines.len(), 1);
    let Question { wanted, tariff } = question();
    let advice = Advice::new(&wanted, &tariff, &records);
    let winner = advice.winner().unwrap();
    // Measured at this size, so nothing is extrapolated.
    assert!(winner.marks.is_empty(), "{:?}", winner.marks);
    assert!(winner.scheme.properties.set_unique);

    fs::write(&here, &measured).unwrap();
    let verify = format!("verify --advice {asked} --data {here}");
    let trials = lines(&run(&format!("{verify} --json")));
    assert_eq!(trials[0]["scheme"], winner.scheme.name);
    for trial in &trials {
        // Bytes depend on the work, not on the load of the machine.
        let ratio = number(trial, "proof_bytes") / number(trial, "predicted_proof_bytes");
        assert!((ratio - 1.0).abs() < 0.1, "{trial}");
    }
    let shown = run(&verify);
    for part in ["run for real", "300 keys, 10 changes"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Times of two similar schemes decide the order. `order` has its own test.
    let orders = [
        "in the order that was predicted",
        "in another order than was predicted",
    ];
    let said = orders.map(|order| shown.contains(order));
    assert!(said[0] != said[1], "{shown}");
}
