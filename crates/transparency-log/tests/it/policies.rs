//! Parsing of policies, and verification of notes against them.

use std::{fmt::Write as _, slice};

use transparency_log::{
    Checkpoint, Note, Policy,
    note::{Cosigner, KeyError, NoteError, NoteSigner, VerifierKey},
    policy::{Cosignature, PolicyError, PolicyTextError, SkippedKey, Window},
    tree::Hash,
};

use crate::support::{NaiveLog, ORIGIN, log_key, mutations, other_log_key, time, witness_key};

fn witnesses(number: u8) -> Vec<VerifierKey> {
    (1..=number)
        .map(|number| witness_key(number).verifier())
        .collect()
}

fn policy(threshold: usize, number: u8) -> Policy {
    Policy::threshold(&[log_key().verifier()], threshold, &witnesses(number)).unwrap()
}

/// Adds a cosignature of the log of `size` entries.
fn cosign(note: &mut Note, witness: u8, size: u64, seconds: u64) {
    let checkpoint = NaiveLog::new(9).checkpoint(size);
    let cosignature = witness_key(witness).cosign(&checkpoint, time(seconds));
    note.add(cosignature).unwrap();
}

/// Returns the note of a log of 9 entries, cosigned by these witnesses.
fn cosigned(by: &[u8]) -> Note {
    let mut note = NaiveLog::new(9).note(9);
    for number in by {
        cosign(&mut note, *number, 9, (*number).into());
    }
    note
}

/// Returns the numbers of the witnesses in a set of bits, in order.
fn members(bits: u8) -> Vec<u8> {
    let all = 1..=8;
    all.filter(|number| bits >> (number - 1) & 1 == 1).collect()
}

fn names(numbers: &[u8]) -> Vec<String> {
    numbers
        .iter()
        .map(|number| format!("witness.example/w{number}"))
        .collect()
}

/// Returns cosignatures by these witnesses. Each is made at the time that equals the number of its
/// witness.
fn found(numbers: &[u8]) -> Vec<Cosignature> {
    let times = numbers.iter().map(|number| time((*number).into()));
    let found = names(numbers).into_iter().zip(times);
    found
        .map(|(witness, time)| Cosignature { witness, time })
        .collect()
}

fn missing_alone(numbers: &[u8]) -> PolicyError {
    PolicyError::QuorumNotMet {
        missing: names(numbers),
        old: Vec::new(),
        ahead: Vec::new(),
        now: None,
    }
}

#[test]
fn as_many_witnesses_as_asked_for_have_to_cosign() {
    for bits in 0..32 {
        let (by, missing) = (members(bits), members(31 ^ bits));
        for threshold in 1..=5 {
            let found = policy(threshold, 5).verify(&cosigned(&by));
            if by.len() >= threshold {
                let accepted = found.unwrap();
                assert_eq!(accepted.checkpoint(), &NaiveLog::new(9).checkpoint(9));
                assert_eq!(accepted.cosignatures(), self::found(&by));
            } else {
                assert_eq!(found, Err(missing_alone(&missing)));
            }
        }
    }
}

/// A witness counts once, even if it cosigns repeatedly or under several names.
#[test]
fn a_witness_counts_once() {
    let mut note = cosigned(&[1]);
    cosign(&mut note, 1, 9, 77);
    cosign(&mut note, 1, 9, 5);
    assert_eq!(policy(2, 2).verify(&note), Err(missing_alone(&[2])));
    // Of several times, the latest one counts.
    let accepted = policy(1, 2).verify(&note).unwrap();
    assert_eq!(accepted.cosignatures().len(), 1);
    assert_eq!(accepted.cosignatures()[0].time, time(77));
    let key = witness_key(1).verifier();
    let twice = Policy::threshold(&[log_key().verifier()], 2, &[key.clone(), key]);
    assert_eq!(twice, Err(PolicyTextError::KeyTwice(0)));
}

#[test]
fn old_cosignatures_do_not_count_where_new_ones_are_asked_for() {
    let note = cosigned(&[1, 2, 3]);
    let since = |seconds| {
        let window = Window {
            since: time(seconds),
            now: time(100),
            until: time(100),
        };
        policy(2, 4).verify_within(&note, Some(window))
    };
    assert!(since(2).is_ok());
    let refused = PolicyError::QuorumNotMet {
        missing: names(&[4]),
        old: found(&[1, 2]),
        ahead: Vec::new(),
        now: Some(time(100)),
    };
    assert_eq!(since(3), Err(refused));
}

/// An accepted note expires.
#[test]
fn cosignatures_from_the_future_do_not_count() {
    let log = NaiveLog::new(9);
    let window = Window::around(time(1_000), 600);
    let cosigned_at = |times: &[u64]| {
        let mut note = log.note(9);
        for seconds in times {
            cosign(&mut note, 1, 9, *seconds);
        }
        policy(1, 1).verify_within(&note, Some(window))
    };
    let day = 86_400;
    for (times, counts) in [
        (&[399][..], None),
        (&[400], Some(400)),
        (&[1_000], Some(1_000)),
        (&[1_300], Some(1_300)),
        (&[1_301], None),
        (&[1_000 + day], None),
        (&[4_102_444_800], None),
        (&[u64::MAX >> 1], None),
        // A corrected clock.
        (&[1_000 + day, 1_010], Some(1_010)),
        (&[1_010, 1_000 + day], Some(1_010)),
        (&[1_000 + day, 10], None),
    ] {
        let found = cosigned_at(times).map(|accepted| accepted.cosignatures()[0].time.seconds());
        assert_eq!(found.ok(), counts, "{times:?}");
    }
    let refused = cosigned_at(&[1_000 + day]).unwrap_err().to_string();
    let expected = "too few witnesses have cosigned: missing are [], from the future are those of \
        \"witness.example/w1\" at 1970-01-02T00:16:40Z, and this machine's clock is at \
        1970-01-01T00:16:40Z";
    assert_eq!(refused, expected);
}

#[test]
fn keys_of_unknown_types_are_passed_over_while_the_quorum_can_be_met() {
    use base64::{Engine as _, prelude::BASE64_STANDARD};
    let log = log_key().verifier();
    let [one, two] = [1, 2].map(|number| witness_key(number).verifier());
    let key_type = 6;
    let key = BASE64_STANDARD.encode([key_type; 1313]);
    let unknown = format!("pq.example/w+00000000+{key}");
    let parse = |logs: &str, rule: &str| {
        format!("{logs}witness a {one}\nwitness b {two}\nwitness pq {unknown} https://pq\n{rule}")
            .parse::<Policy>()
    };
    let known = format!("log {log}\n");
    let both = format!("log {unknown}\n{known}");
    let policy = parse(&both, "group g 2 a b pq\nquorum g\n").unwrap();
    let skipped = [(1, Some("pq.example/w".to_owned())), (5, None)];
    let skipped = skipped.map(|(line, log)| SkippedKey {
        line,
        key_type,
        log,
    });
    assert_eq!(policy.skipped(), skipped);
    assert!(policy.verify(&cosigned(&[1, 2])).is_ok());
    assert!(policy.verify(&cosigned(&[1])).is_err());
    for (logs, rule) in [
        (&*known, "group g 3 a b pq\nquorum g\n"),
        (&*known, "quorum pq\n"),
        (&*format!("log {unknown}\n"), "quorum a\n"),
    ] {
        let refused = parse(logs, rule).unwrap_err();
        assert!(matches!(refused, PolicyTextError::Key { .. }), "{rule}");
    }
}

/// Refuses a key that belongs to both a log and a witness: its holder would vouch for itself.
#[test]
fn no_key_is_a_logs_and_a_witnesses() {
    let secret = [5; 32];
    let log = NoteSigner::new("log.example/l".parse().unwrap(), &secret).verifier();
    let witness = Cosigner::new("witness.example/w".parse().unwrap(), &secret).verifier();
    for text in [
        format!("log {log}\nwitness w {witness}\nquorum w\n"),
        format!("witness w {witness}\nlog {log}\nquorum w\n"),
    ] {
        assert_eq!(text.parse::<Policy>(), Err(PolicyTextError::KeyTwice(2)));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let log = NaiveLog::new(9);
    let two = policy(1, 2);
    let mut unsigned = Note::new(log.checkpoint(9).text()).unwrap();
    assert_eq!(two.verify(&unsigned), Err(NoteError::NoKnownKey.into()));
    cosign(&mut unsigned, 1, 9, 1);
    let not_signed = Err(PolicyError::NotSignedByLog(ORIGIN.into()));
    assert_eq!(two.verify(&unsigned), not_signed);
    // Signed by a key of the right name that is not the log's.
    let signature = other_log_key().sign(unsigned.unverified_text());
    unsigned.add(signature).unwrap();
    assert_eq!(two.verify(&unsigned), not_signed);
    let elsewhere = Checkpoint::new("example.com/other", 9, Hash::of_nothing()).unwrap();
    let refused = two.verify(&elsewhere.sign(&log_key())).unwrap_err();
    assert_eq!(refused, PolicyError::UnknownLog("example.com/other".into()));
    // A cosignature of another checkpoint, by a known witness.
    let mut spliced = log.note(9);
    cosign(&mut spliced, 1, 8, 1);
    cosign(&mut spliced, 2, 9, 1);
    let wrong = NoteError::WrongSignature(witness_key(1).name().clone());
    assert_eq!(two.verify(&spliced), Err(wrong.into()));
    let mut text = Note::new("no checkpoint\n").unwrap();
    text.add(log_key().sign("no checkpoint\n")).unwrap();
    assert!(matches!(two.verify(&text), Err(PolicyError::Checkpoint(_))));
}

#[test]
fn no_mutation_of_a_cosigned_note_is_accepted_as_another() {
    let note = cosigned(&[1, 2]);
    let two = policy(2, 2);
    let honest = two.verify(&note).unwrap();
    for changed in mutations(note.encode().as_bytes()) {
        let Ok(parsed) = Note::parse(&changed) else {
            continue;
        };
        if let Ok(accepted) = two.verify(&parsed) {
            // Signature lines may be reordered, repeated, or mixed with others.
            assert_eq!(accepted, honest);
        }
    }
}

/// A policy with the structure of the example of `tlog-policy` must accept exactly the sets of
/// cosignatures that meet its groups.
#[test]
fn groups_of_groups() {
    let log = log_key().verifier();
    let mut text = format!("# who\n\n \tlog {log}\thttps://example.com/log \n");
    for number in 1..=6 {
        let name = if number <= 3 { "X" } else { "Y" };
        let key = witness_key(number).verifier();
        let _ = writeln!(text, "witness {name}{number} {key}");
    }
    text += "group X-witnesses 2 X1 X2 X3\ngroup Y-witnesses any Y4 Y5 Y6\n";
    text += "group X-and-Y all X-witnesses Y-witnesses\nquorum X-and-Y";
    let policy: Policy = text.parse().unwrap();
    let url = policy.logs()[0].url.as_deref();
    assert_eq!(url, Some("https://example.com/log"));
    assert_eq!(policy.witnesses()[5].name, "Y6");
    for by in (0..64).map(members) {
        let expected = by.iter().filter(|number| **number <= 3).count() >= 2
            && by.iter().any(|number| *number > 3);
        assert_eq!(policy.verify(&cosigned(&by)).is_ok(), expected, "{by:?}");
    }
}

#[test]
fn a_policy_without_witnesses_says_so() {
    let text = format!("log {}\nquorum none\n", log_key().verifier());
    let policy: Policy = text.parse().unwrap();
    assert!(policy.verify(&cosigned(&[])).is_ok());
    let accepted = policy.verify(&cosigned(&[1])).unwrap();
    assert!(accepted.cosignatures().is_empty());
}

#[test]
fn what_is_no_policy_is_refused_by_name() {
    let (log, other) = (log_key().verifier(), other_log_key().verifier());
    let [one, two, third] = [1, 2, 3].map(|number| witness_key(number).verifier());
    let base = format!("log {log}\nwitness a {one}\nwitness b {two}\n");
    let refused = |rest: &str| format!("{base}{rest}").parse::<Policy>().unwrap_err();
    let unknown = |line: usize, name: &str| PolicyTextError::UnknownName {
        line,
        name: name.into(),
    };
    let twice = |line: usize, name: &str| PolicyTextError::MemberTwice {
        line,
        name: name.into(),
    };
    assert_eq!(refused(""), PolicyTextError::Quorum);
    assert_eq!(refused("quorum a\nquorum a\n"), PolicyTextError::Quorum);
    assert_eq!(refused("quorum none\nquorum a\n"), PolicyTextError::Quorum);
    assert_eq!(refused("quorum c\n"), unknown(4, "c"));
    assert_eq!(refused("quorum g\ngroup g all a b\n"), unknown(4, "g"));
    assert_eq!(refused("group g all g\n"), unknown(4, "g"));
    assert_eq!(refused("group g all none\n"), unknown(4, "none"));
    assert_eq!(refused("group g all a a\n"), twice(4, "a"));
    assert_eq!(refused("group g all a\ngroup h all a\n"), twice(5, "a"));
    for threshold in ["0", "3", "-1", "01", "2.0", "most", "99999999999999999999"] {
        let line = format!("group g {threshold} a b\nquorum g\n");
        assert_eq!(refused(&line), PolicyTextError::Threshold(4), "{threshold}");
    }
    assert_eq!(refused("group g all\n"), PolicyTextError::Threshold(4));
    assert_eq!(refused("group a any b\n"), PolicyTextError::NameTaken(4));
    assert_eq!(refused("group none any b\n"), PolicyTextError::NameTaken(4));
    let key = |source| PolicyTextError::Key { line: 4, source };
    for (line, expected) in [
        (format!("witness c {one}"), PolicyTextError::KeyTwice(4)),
        (format!("log {log}"), PolicyTextError::KeyTwice(4)),
        (format!("witness a {third}"), PolicyTextError::NameTaken(4)),
        (format!("witness c {other}"), key(KeyError::Type(1))),
        (format!("log {third}"), key(KeyError::Type(4))),
        ("log key".into(), key(KeyError::Form)),
        (format!("log {other} url more"), PolicyTextError::Line(4)),
    ] {
        assert_eq!(refused(&format!("{line}\n")), expected);
    }
    let words = ["quorum", "quorum a b", "log", "witness a", "Quorum a", "x"];
    for line in words.into_iter().chain(["quorum a\r", "quorum\u{b}a"]) {
        let found = refused(&format!("{line}\n"));
        assert_eq!(found, PolicyTextError::Line(4), "{line:?}");
    }
    let long = "#".repeat(Policy::LONGEST + 1);
    assert_eq!(long.parse::<Policy>(), Err(PolicyTextError::TooLong));
    // A threshold has to be possible.
    for threshold in [0, 3] {
        let refused = Policy::threshold(slice::from_ref(&log), threshold, &witnesses(2));
        assert_eq!(refused, Err(PolicyTextError::Threshold(0)));
    }
}

/// A policy with the maximum number of witnesses and groups ([`Policy::MOST`]) must be read. One
/// more group must be refused.
#[test]
fn large_policies_are_read() {
    let mut text = String::new();
    for number in 0..=255_u8 {
        // None of these is the key of the log.
        let mut secret = [number; 32];
        secret[0] = 77;
        let name = format!("n{number}").parse().unwrap();
        let key = Cosigner::new(name, &secret).verifier();
        let _ = writeln!(text, "witness n{number} {key}");
        let _ = writeln!(text, "group g{number} any n{number}");
    }
    let full = format!("log {}\n{text}quorum g7\n", log_key().verifier());
    let full: Policy = full.parse().unwrap();
    assert_eq!(full.witnesses().len(), Policy::MOST);
    let more = format!("{text}group h any g0\nquorum h\n").parse::<Policy>();
    assert_eq!(more, Err(PolicyTextError::TooMany));
}
