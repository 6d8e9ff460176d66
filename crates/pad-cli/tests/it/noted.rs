//! Tests of what `put` and `remove` say and sign.

use crate::bench::Bench;

#[test]
fn a_change_is_noted_and_signed_at_once() {
    let bench = Bench::with_trace();
    bench.ok("put --store s pear 9");
    let printed = bench.ok("put --store s --key k --commit medlar 5");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "noted; 2 pending");
    let signed = lines[1];
    assert!(signed.starts_with("version 4 with 2 changes"), "{signed}");
    bench.ok("remove --store s --key k --commit medlar");
    let printed = bench.ok("diff --store s --public k.pub 3 5");
    assert!(printed.starts_with("+ pear = 9\n1 key"), "{printed}");
    bench.step("put --store s --commit medlar 5 => usage --key <FILE>");
}

#[test]
fn a_change_without_effect_is_told_when_it_is_noted() {
    let bench = Bench::with_trace();
    bench.ok("put --store s --key k --commit fig 1");
    let [idle, effect] = ["noted without effect on version 4; ", "noted; "];
    for (words, said) in [
        ("put fig 1", idle),
        ("put fig 2", effect),
        ("remove fig", effect),
        ("remove medlar", idle),
        ("put medlar 1", effect),
    ] {
        let printed = bench.ok(&format!("{words} --store s"));
        assert!(printed.starts_with(said), "{words}: {printed}");
    }
    bench.step(r#"put --store s fig 1 -> {"without_effect_on": 4}"#);
}

/// Also if one process signs what the other has noted before the other commits.
#[test]
fn two_processes_that_note_and_sign_at_once_both_succeed() {
    let bench = Bench::with_trace();
    std::thread::scope(|scope| {
        for (side, commits) in [("left", "--key k --commit "), ("right", "")] {
            let bench = &bench;
            scope.spawn(move || {
                for turn in 0..10 {
                    bench.ok(&format!("put --store s {commits}{side}-{turn} {turn}"));
                    bench.ok("commit --store s --key k");
                }
            });
        }
    });
    let printed = bench.ok("range --store s --public k.pub --csv '' ''");
    for side in ["left", "right"] {
        for turn in 0..10 {
            let entry = format!("{side}-{turn},{turn}\n");
            assert!(printed.contains(&entry), "{printed}");
        }
    }
}
