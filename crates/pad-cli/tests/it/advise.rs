//! Tests of `pad advise`: ten workloads, with properties that hold for every machine and all
//! prices.

use comparison::{
    Clients, PriceBook,
    advice::{DEFAULT, Question},
    needs::Need,
};
use serde_json::{Value, json};

use crate::bench::{Bench, prices};

/// Returns the only object that a command prints.
fn advice(line: &str) -> Value {
    let advice = Bench::new().one(&format!("advise {line}"));
    holds_always(&advice, line);
    advice
}

/// Returns the text that a command prints, on one line.
fn shown(bench: &Bench, line: &str) -> String {
    let printed = bench.ok(line);
    let words: Vec<_> = printed.split_whitespace().collect();
    words.join(" ")
}

fn ranked(advice: &Value) -> Vec<&str> {
    let ranked = advice["ranked"].as_array().unwrap().iter();
    ranked.map(|one| one["scheme"].as_str().unwrap()).collect()
}

/// Asserts that a scheme is excluded, for a reason that contains `part`.
#[track_caller]
fn assert_excluded(advice: &Value, scheme: &str, part: &str) {
    let reasons = excluded(advice, scheme);
    let is_there = reasons.iter().any(|reason| reason.contains(part));
    assert!(is_there, "{scheme}: {reasons:?}");
}

/// Asserts that the winner's name begins with `start`.
#[track_caller]
fn assert_wins(advice: &Value, start: &str) {
    let winner = advice["winner"].as_str().unwrap();
    assert!(winner.starts_with(start), "{advice}");
}

/// Asserts that there are candidates, and that `test` is true of the name of each.
#[track_caller]
fn assert_all(advice: &Value, test: impl Fn(&str) -> bool) {
    let names = ranked(advice);
    assert!(!names.is_empty());
    assert!(names.iter().all(|name| test(name)), "{names:?}");
}

fn excluded<'a>(advice: &'a Value, scheme: &str) -> Vec<&'a str> {
    let excluded = advice["excluded"].as_array().unwrap().iter();
    let of_scheme = excluded.filter(|one| one["scheme"] == scheme);
    of_scheme
        .flat_map(|one| one["reasons"].as_array().unwrap())
        .map(|reason| reason.as_str().unwrap())
        .collect()
}

fn rank(advice: &Value, scheme: &str) -> usize {
    let ranked = ranked(advice);
    ranked.iter().position(|one| *one == scheme).unwrap()
}

/// Checks the properties that hold for every advice.
///
/// Costs ascend, and are the sums of their parts. No scheme is both ranked and excluded, and every
/// exclusion has a reason. The winner is the default, unless the first scheme costs clearly less.
fn holds_always(advice: &Value, line: &str) {
    let ranked_all = advice["ranked"].as_array().unwrap();
    let cost = |one: &Value| one["dollars_per_month"].as_f64().unwrap();
    let is_sorted = ranked_all.is_sorted_by(|one, next| cost(one) <= cost(next));
    assert!(is_sorted, "{line}");
    for one in ranked_all {
        let terms = one["terms"].as_object().unwrap().values();
        let sum: f64 = terms.map(|dollars| dollars.as_f64().unwrap()).sum();
        assert!((sum - cost(one)).abs() <= 1e-9 * sum, "{line}: {one}");
        let reasons = excluded(advice, one["scheme"].as_str().unwrap());
        assert!(reasons.is_empty(), "{line}: {one}");
    }
    for one in advice["excluded"].as_array().unwrap() {
        assert!(one["reasons"][0].is_string(), "{line}: {one}");
    }
    default_wins_unless_it_matters(advice, line);
    assert!(!advice["measurements"]["machines"][0].is_null());
    // Baselines, and schemes that accept an old value as the latest, are never advised.
    let mut names = ranked(advice).into_iter();
    assert!(!names.any(|name| name.starts_with("sign-")), "{line}");
}

/// Checks that the default wins if it may be chosen, and costs less than a dollar or less than 10 %
/// more than the cheapest scheme. Otherwise the cheapest wins.
fn default_wins_unless_it_matters(advice: &Value, line: &str) {
    let ranked = advice["ranked"].as_array().unwrap();
    let Some(cheapest) = ranked.first() else {
        for field in ["winner", "why", "cheapest", "cheapest_saves"] {
            assert_eq!(advice[field], Value::Null, "{line}: {field}");
        }
        return;
    };
    let cost = |one: &Value| one["dollars_per_month"].as_f64().unwrap();
    let more = |one: &Value| cost(one) - cost(cheapest);
    let is_small = |one: &&Value| more(one) < 1.0 || more(one) < 0.1 * cost(cheapest);
    let mut defaults = ranked.iter().filter(|one| one["scheme"] == DEFAULT);
    let winner = defaults.next().filter(is_small).unwrap_or(cheapest);
    assert_eq!(advice["winner"], winner["scheme"], "{line}");
    assert!(
        advice["why"].as_str().unwrap().contains("default"),
        "{line}"
    );
    if let Some(saved) = advice["cheapest_saves"].as_f64() {
        assert_eq!(advice["cheapest"], cheapest["scheme"], "{line}");
        assert!((saved - more(winner)).abs() < 1e-9, "{line}: {saved}");
    } else {
        assert_eq!(advice["cheapest"], Value::Null, "{line}");
        assert!(more(winner) <= 1e-9 * cost(winner), "{line}");
    }
}

#[test]
fn a_small_load_gets_the_default_and_the_reason() {
    let line = "--keys 100 --updates 1/day";
    let advice = advice(line);
    assert_eq!(advice["winner"], DEFAULT);
    assert_eq!(advice["rivals"][0]["role"], "cheapest");
    assert_eq!(advice["rivals"][0]["scheme"], advice["cheapest"]);
    let why = advice["why"].as_str().unwrap();
    let cheapest = advice["cheapest"].as_str().unwrap();
    let start = format!("It is the default. The cheapest, {cheapest}, would save 0.0");
    assert!(why.starts_with(&start), "{why}");
    let shown = shown(&Bench::new(), &format!("advise {line}"));
    for part in [
        why,
        "Choose red-black-stored:",
        "pad keygen --scheme red-black ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn the_cheapest_wins_over_the_default_with_a_reason() {
    let dear = advice("--keys 1M --updates 1/s --lookups 10k/s");
    let why = dear["why"].as_str().unwrap();
    let start = "It is the cheapest. The default, red-black-stored, costs ";
    assert!(why.starts_with(start), "{why}");
    let lacking = advice("--keys 100 --updates 1/day --need set-unique");
    let expected = "It is the cheapest. The default, red-black-stored, is excluded: roots depend \
                    on the order of changes (set-unique).";
    assert_eq!(lacking["why"], expected);
}

#[test]
fn text_fits_into_eighty_columns() {
    for line in [
        "--keys 100 --updates 1/day",
        "--keys 1M --updates 1/s --lookups 10k/s",
        "--keys 10M --updates 1/s --lookups 10k/s --max-memory 10GB",
        "--keys 1k --updates 1/h --lookups 1/min --need append-only",
        "--keys 1k --updates 1/h --need append-only,no-trusted-setup",
        "--keys 1k --updates 1/min --numbered --value-bytes 64k",
        "--keys 1G --snapshots 1/day --changes 1M --lookups 1M/s --servers 9",
    ] {
        let shown = Bench::new().ok(&format!("advise {line}"));
        let mut long = shown.lines().filter(|line| line.chars().count() > 80);
        assert_eq!(long.next(), None, "{line}");
    }
    // Every scheme is in the table, and has several footnotes.
    let bench = Bench::new();
    let lines = all_alike(|line| line["whole_cycles"] = json!(false));
    bench.write("alike.jsonl", lines.as_bytes());
    let shown = bench.ok(&format!("{TWELVE} --numbered --value-bytes 64k"));
    assert!(shown.contains("tuple-accumulators-superseding-bilinear"));
    let mut long = shown.lines().filter(|line| line.chars().count() > 80);
    assert_eq!(long.next(), None, "{shown}");
}

#[test]
fn the_price_trace() {
    let advice = advice(&format!("--trace {} --lookups 100/s", prices().display()));
    // data/README.md has these figures.
    assert_eq!(advice["load"]["keys"], 18_960);
    assert_eq!(advice["load"]["changes"], 991);
    let per_day = advice["load"]["snapshots_per_day"].as_f64().unwrap();
    // 26 intervals in 710 days.
    assert!((per_day - 26.0 / 710.0).abs() < 1e-9);
    let needs = advice["needs"].as_array().unwrap();
    assert!(needs.contains(&"removal".into()));
    // The trace removes keys.
    assert_excluded(&advice, "aad-counted", "removal");
    // There are millions of look-ups per snapshot, so the shortest proofs cost least.
    assert_wins(&advice, "tuple-base");
}

#[test]
fn a_million_keys_that_change_every_second() {
    let advice = advice("--keys 1M --updates 1/s --lookups 10k/s");
    assert_eq!(advice["load"]["changes"], 1);
    // There are ten thousand look-ups per update, so proofs dominate the costs of every winner.
    assert_eq!(advice["ranked"][0]["dominant"], "proofs_sent");
    // A million signatures do not fit into a second.
    assert_excluded(&advice, "tuple-base-stored", "longer than the 1.000 s");
    assert_excluded(&advice, "tuple-base-superseding-stored", "longer than");
    assert_wins(&advice, "tuple-spec");
}

#[test]
fn hourly_snapshots_of_fifty_keys() {
    let advice = advice("--keys 10k --snapshots 1/h --changes 50 --lookups 1/s --versions 1");
    assert_eq!(advice["load"]["snapshots_per_day"], 24.0);
    // There are 3600 look-ups per update, but all of them cost cents.
    assert_wins(&advice, DEFAULT);
    assert_eq!(advice["rivals"][0]["role"], "cheapest");
    // The command line creates stores, so types in memory are never advised.
    let in_memory = excluded(&advice, "red-black-path-copying");
    assert_eq!(in_memory, ["a type of the library, only in memory"]);
    // Logs and accumulator designs were measured in memory, since their stores are kept whole.
    for one in advice["ranked"].as_array().unwrap() {
        let scheme = one["scheme"].as_str().unwrap();
        let is_whole = scheme.starts_with("aad-") || scheme.contains("accumulators");
        let place = if is_whole { "memory" } else { "store" };
        assert_eq!(one["place"], place, "{scheme}");
    }
}

#[test]
fn hardly_any_lookups() {
    // Logs are measured in memory, so their updates cost less than those of stores.
    let load = "--keys 100k --updates 10/s --lookups 1/day --versions 1";
    let advice = advice(&format!("{load} --need no-trusted-setup"));
    // Updates dominate the costs. Only accumulators have shorter updates than trees, but they cost
    // computing.
    let first = ranked(&advice)[0];
    let mut trees = ["red-black", "treap", "skip-list"].into_iter();
    assert!(trees.any(|tree| first.starts_with(tree)), "{first}");
    assert!(rank(&advice, "red-black-stored") < rank(&advice, "tuple-spec-superseding-stored"));
}

#[test]
fn a_set_unique_dictionary() {
    let advice = advice("--keys 10k --updates 1/min --lookups 10/s --need set-unique,ranges");
    assert_eq!(ranked(&advice).len(), 2);
    assert_all(&advice, |name| {
        name.starts_with("treap") || name.starts_with("skip-list")
    });
    let reasons = excluded(&advice, "red-black-stored");
    let expected = ["roots depend on the order of changes (set-unique)"];
    assert_eq!(reasons, expected);
}

#[test]
fn a_log_that_must_prove_that_it_grows() {
    let line = "--keys 1k --updates 1/h --lookups 1/min --need append-only";
    let (log, neither) = (advice(line), advice(&format!("{line},no-trusted-setup")));
    assert_all(&log, |name| name.starts_with("aad-"));
    // No scheme is append-only without a trusted setup ceremony.
    assert_eq!(neither["winner"], Value::Null);
    let excluded = |advice: &Value| advice["excluded"].as_array().unwrap().len();
    assert!(excluded(&neither) > excluded(&log));
    let line = "advise --keys 1k --updates 1/h --need append-only,no-trusted-setup";
    Bench::new().step(&format!("{line} => 0 No scheme meets the requirements."));
}

#[test]
fn proofs_of_constant_size() {
    let advice = advice(
        "--keys 10k --snapshots 1/day --changes 10 --lookups 1k/s --need constant-proofs,ranges",
    );
    assert_all(&advice, |name| {
        name.starts_with("tuple-") && !name.contains("accumulators")
    });
}

#[test]
fn little_memory() {
    let line = "--keys 10k --snapshots 1/h --changes 1 --lookups 1/s --history 30d";
    let (free, limited) = (advice(line), advice(&format!("{line} --max-memory 100MB")));
    assert!(ranked(&free).contains(&"aad-counted"));
    // A store reads its contents on demand. The memory of logs was not measured.
    assert!(ranked(&limited).contains(&"red-black-stored"));
    let unknown = excluded(&limited, "aad-counted");
    assert!(unknown.contains(&"its memory was not measured"));
}

#[test]
fn lookups_in_a_given_time() {
    let line = "--keys 100 --updates 1/day --max-lookup";
    let slow = advice(&format!("{line} 1s"));
    assert_wins(&slow, DEFAULT);
    let fast = advice(&format!("{line} 0.0001ms"));
    assert_excluded(&fast, DEFAULT, "a lookup takes 0.");
    let limit = fast["limits"]["lookup_seconds"].as_f64().unwrap();
    assert!((limit - 1e-7).abs() < 1e-12, "{limit}");
    assert_eq!(fast["winner"], Value::Null);
}

#[test]
fn old_versions_on_many_servers() {
    let line = "--keys 10k --updates 1/min --lookups 100/s";
    let one = advice(line);
    let many = advice(&format!("{line} --servers 5 --old-lookups 50%"));
    assert_excluded(&many, "directory", "latest version only");
    // With five servers, five times as much is sent.
    let sent = |advice: &Value| {
        let ranked = &advice["ranked"][rank(advice, "red-black-stored")];
        ranked["terms"]["updates_sent"].as_f64().unwrap()
    };
    assert!((sent(&many) / sent(&one) - 5.0).abs() < 1e-9);
}

/// Returns an entry of a price list in which only computing may cost something.
fn price_entry(name: &str, compute: u8) -> Value {
    json!({
        "name": name,
        "provider": "me",
        "as_of": "2026-11-01",
        "source": "bills",
        "compute_per_core_hour": compute,
        "egress_per_gigabyte": 0,
        "storage_per_gigabyte_month": 0,
    })
}

#[test]
fn prices_of_another_day_and_ones_own() {
    let line = "--keys 10k --updates 1/s --lookups 1/s --prices";
    let paper = advice(&format!("{line} paper-2010"));
    let equilibrium = paper["equilibrium_bytes_per_second"].as_f64().unwrap() / 1024.0;
    assert!((equilibrium - 190.0).abs() < 1.0, "{equilibrium}");
    let cheap = advice(&format!("{line} paper-2010 --bandwidth-cheaper 10"));
    let times = cheap["equilibrium_bytes_per_second"].as_f64().unwrap() / 1024.0 / equilibrium;
    assert!((times - 10.0).abs() < 1e-6);

    let bench = Bench::new();
    let entry = |name| price_entry(name, 1);
    let write = |file: &str, book: Value| bench.write(file, book.to_string().as_bytes());
    write("mine.json", json!([entry("free-network")]));
    write("two.json", json!([entry("a"), entry("b")]));
    let mut bad = entry("x");
    bad["origin"] = "bills".into();
    write("bad.json", json!([bad]));
    let mut binary = entry("x");
    binary["bytes_per_gigabyte"] = (-1).into();
    write("binary.json", json!([binary]));
    bench.write("worse.json", b"[x\n");
    let advise = format!("advise {line}");
    let list = |file: &str| bench.first(&format!("{advise} {file}"));
    let mine = list("mine.json");
    assert_eq!(mine["prices"]["name"], "free-network");
    assert_eq!(mine["ranked"][0]["terms"]["proofs_sent"], 0.0);
    assert_eq!(list("two.json:b")["prices"]["name"], "b");
    let of_bytes = "'bytes_per_gigabyte' is not a number of bytes, at least 1";
    bench.steps(&[
        &format!("{advise} two.json => 2 several entries, choose one of a, b"),
        &format!("{advise} two.json:c => 2 two.json has no entry 'c'"),
        &format!("{advise} nowhere-2026 => 2 neither a file nor a built-in price list"),
        &format!("{advise} bad.json => 2 bad.json: unknown field `origin`"),
        &format!("{advise} binary.json => 2 {of_bytes}"),
        &format!("{advise} worse.json => 2 worse.json: expected value at line 1 column 2"),
    ]);
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let bench = Bench::new();
    for (name, second) in [("t.csv", "b,put,k,2\n"), ("gone.csv", "b,delete,k,\n")] {
        bench.write_trace(name, ["a,put,k,1\n", second].map(String::from));
    }
    bench.write("d.jsonl", b"{\"scheme\": 1}\nx\n");
    let advice = bench.first("advise --trace t.csv --snapshots 1/h");
    assert_eq!(advice["load"]["keys"], 1);
    bench.steps(&[
        "advise --keys 10 => 2 give --updates, such as 1/s, or --snapshots",
        "advise --trace t.csv => 2 have no dates\nhelp: give --snapshots",
        "advise --trace gone.csv --snapshots 1/h => 2 nothing is left at its end",
        "advise --trace none.csv => 4 none.csv",
        "advise --keys 10 --updates 1/s --data d.jsonl => 2 d.jsonl, line 2",
        "advise --updates 1/s => usage --keys",
        "advise --keys 0 --updates 1/s => usage a number from 1",
        "advise --keys 10 --updates 1 => usage times in a unit of time",
        "advise --keys 10 --updates 1/s --need speed => usage unknown need 'speed', choose from \
         set-unique",
        "advise --keys 10 --updates 1/s --old-lookups 200% => usage a share from 0% to 100%",
        "advise --keys 10 --updates 1/h --key-bytes 10k => usage at most 4096",
    ]);
}

#[test]
fn the_question_that_the_lab_reads_is_what_was_asked() {
    let asked = "--keys 300 --snapshots 1/day --changes 10 --need set-unique,ranges --max-proof \
                 4kB --prices paper-2010 --charge-clients";
    let advice = advice(asked);
    let question: Question = serde_json::from_value(advice).unwrap();
    let load = question.wanted.load;
    assert_eq!((load.keys, load.changes, load.key_bytes), (300, 10, 32));
    assert!(question.wanted.needs.contains(&Need::SetUnique));
    assert_eq!(question.wanted.limits.proof_bytes, Some(4000.0));
    assert_eq!(question.tariff.clients, Clients::Charged);
    let shipped = PriceBook::shipped();
    let expected = &shipped.entry("paper-2010").unwrap().prices;
    assert_eq!(&question.tariff.prices, expected);
}

#[test]
fn measurements_of_another_machine_and_in_haste_are_named() {
    let bench = Bench::new();
    let lines = all_alike(|line| line["quick"] = json!(true));
    bench.write("alike.jsonl", lines.as_bytes());
    let advice = bench.first(TWELVE);
    let expected = json!({"source": "alike.jsonl", "machines": ["made up"], "quick": true});
    assert_eq!(advice["measurements"], expected);
    let shown = shown(&bench, TWELVE);
    for part in ["made up, from a quick run", "The runner-up", "Excluded:"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn no_part_of_a_cost_is_below_nothing() {
    for line in [
        "--keys 1M --updates 1/s --lookups 10k/s --cryptography-cheaper 10 --versions 1",
        "--keys 729 --snapshots 1/h --changes 3 --cryptography-cheaper 1000",
        "--keys 10M --snapshots 1/day --changes 1M --cryptography-cheaper 100",
    ] {
        let advice = advice(line);
        for candidate in advice["ranked"].as_array().unwrap() {
            let terms = candidate["terms"].as_object().unwrap().values();
            let mut dollars = terms.filter_map(Value::as_f64);
            assert!(dollars.all(|dollars| dollars >= 0.0), "{candidate}");
        }
    }
}

/// Returns a measurement of every scheme with twelve keys. All measurements have equal figures,
/// except for the effect of `change`.
fn all_alike(change: impl Fn(&mut Value)) -> String {
    let line = |scheme: &comparison::Scheme| {
        let mut line = json!({
            "scheme": scheme.name, "workload": "updates", "keys": 12, "changes": 1,
            "key_bytes": 32, "value_bytes": 32,
            "seed": 0, "snapshots": 300, "whole_cycles": true, "stopped": "finished",
            "load_us_per_key": 1.0,
            "author_us": 20.0, "update_bytes": 300.0, "apply_us": 30.0, "prove_us": 1.0,
            "prove_old_us": 1.0,
            "proof_bytes": 400.0, "absent_proof_bytes": 500.0, "verify_us": 5.0,
            "memory_bytes_per_key": 100.0,
            "memory_bytes_per_snapshot": 300.0, "cpu": "made up",
        });
        change(&mut line);
        format!("{line}\n")
    };
    comparison::schemes().iter().map(line).collect()
}

const TWELVE: &str = "advise --keys 12 --snapshots 1/day --data alike.jsonl";

#[test]
fn what_is_said_of_how_to_choose_works() {
    let bench = Bench::new();
    bench.write("alike.jsonl", all_alike(|_| ()).as_bytes());
    let advice = bench.first(&format!("{TWELVE} --numbered"));
    let mut run = 0;
    for candidate in advice["ranked"].as_array().unwrap() {
        let scheme = candidate["scheme"].as_str().unwrap();
        let commands = candidate["commands"].as_array().unwrap().iter();
        // Generating two safe primes takes minutes.
        if scheme.ends_with("-rsa") {
            continue;
        }
        let folder = Bench::new();
        // Logs do not support removals.
        let trace = "snapshot,op,key,value\na,put,k,1\na,put,l,1\nb,put,k,2\n";
        folder.write("trace.csv", trace.as_bytes());
        for command in commands {
            let command = command.as_str().unwrap().strip_prefix("pad ").unwrap();
            // The ceremony file of the advice does not exist here.
            folder.ok(&command.replace("--ceremony ceremony.json", "--top 4"));
            run += 1;
        }
        let offered = candidate["keygen"].is_string();
        assert_eq!(folder.path("pad.key").exists(), offered, "{scheme}");
    }
    // The expected number covers trees, tuples, logs and the directory. The RSA accumulators and
    // the tree of blocks are left out.
    assert_eq!(run, 2 * (3 + 9 + 3 + 2 + 1) + 1);
    let command = "\n  pad import --store dictionary --key pad.key trace.csv\n";
    bench.step(&format!("{TWELVE} => 0 {command}"));
}

#[test]
fn equal_costs_are_called_so() {
    let bench = Bench::new();
    bench.write("alike.jsonl", all_alike(|_| ()).as_bytes());
    let equal = shown(&bench, TWELVE);
    for part in [
        "costs 1.00 times as much: no part differs.",
        "Both cost the same everywhere",
    ] {
        assert!(equal.contains(part), "{part}: {equal}");
    }
    // If nothing has a price, all schemes cost the same.
    let free = json!([price_entry("free", 0)]).to_string();
    bench.write("free.json", free.as_bytes());
    for line in [
        format!("{TWELVE} --prices free.json"),
        "advise --keys 10k --updates 1/s --prices free.json".to_owned(),
    ] {
        let shown = shown(&bench, &line);
        for part in [
            "neither sending nor computing costs anything",
            "It costs nothing.",
            "costs nothing, too: no part differs.",
            "everywhere",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
        let advice = bench.first(&line);
        assert_eq!(advice["rivals"][0]["equal_everywhere"], true);
        assert_eq!(advice["ranked"][0]["dominant"], Value::Null);
    }
}

#[test]
fn estimates_say_what_they_lack() {
    let bench = Bench::new();
    let of_part = |line: &mut Value| {
        line["whole_cycles"] = json!(line["scheme"] != "tuple-base-lightweight-stored");
    };
    let lines = all_alike(of_part);
    bench.write("alike.jsonl", lines.as_bytes());
    let advice = bench.first(TWELVE);
    let marks =
        |advice: &Value, scheme: &str| advice["ranked"][rank(advice, scheme)]["marks"].to_string();
    let in_part = marks(&advice, "tuple-base-lightweight-stored");
    assert!(in_part.contains("not whole epochs or hash chains"));
    assert_eq!(marks(&advice, "tuple-base-superseding-stored"), "[]");
    bench.step(&format!("{TWELVE} => 0  measured in part: 300 snapshots"));

    // Longer values take longer to hash. Results without a measured time are marked as estimates.
    let longer = format!("{TWELVE} --value-bytes 64k");
    let unknown = bench.first(&longer);
    assert!(marks(&unknown, "treap-stored").contains("time for the length"));
    let speed = r#"{"experiment":"primitives","suite":"sha256-ed25519","value_hash_1k_ns":1024,"value_hash_64k_ns":65536}"#;
    bench.write("alike.jsonl", format!("{lines}{speed}\n").as_bytes());
    let known = bench.first(&longer);
    assert_eq!(marks(&known, "treap-stored"), "[]");
    let seconds = |advice: &Value| {
        let at = rank(advice, "treap-stored");
        advice["ranked"][at]["snapshot_seconds"].as_f64().unwrap()
    };
    // Hashing takes a nanosecond per byte, for the author and for the server.
    let hashed = 2.0 * (64_000.0 - 32.0) * 1e-9;
    assert!((seconds(&known) - seconds(&unknown) - hashed).abs() < 1e-12);
}

#[test]
fn numbers_instead_of_keys_come_without_old_versions() {
    let line = "--keys 10k --updates 1/min";
    let numbered = advice(&format!("{line} --numbered"));
    assert_eq!(numbered["load"]["kept_versions"], 1.0);
    assert!(ranked(&numbered).contains(&"directory"), "{numbered}");
    for further in [
        "--numbered --history 30d",
        "--numbered --old-lookups 1%",
        "",
    ] {
        let advice = advice(format!("{line} {further}").trim_end());
        assert_eq!(advice["load"]["kept_versions"], 43_200.0, "{further}");
        assert!(!ranked(&advice).contains(&"directory"), "{further}");
    }
    let two = advice(&format!("{line} --numbered --versions 2"));
    assert_eq!(two["load"]["kept_versions"], 2.0);
}
