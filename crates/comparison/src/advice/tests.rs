use proptest::{prelude::*, sample::select};

use super::*;
use crate::{prices::PriceBook, sample};

/// Trees with short updates and long proofs, tuples with long updates and short proofs, and a log
/// that is better than both.
fn records() -> Records {
    let mut all = Vec::new();
    for scheme in [
        "red-black-stored",
        "treap-stored",
        "tuple-spec-lightweight-stored",
        "aad-counted",
    ] {
        for (keys, changes) in [(1000, 1), (1000, 100), (100_000, 1), (100_000, 100)] {
            let (n, k) = (count(keys), count(changes));
            let mut point = sample(scheme);
            (point.shape.keys, point.shape.changes) = (keys, changes);
            if scheme.starts_with("tuple") {
                point.update_bytes = 100.0 * n.sqrt() + 100.0 * k;
                point.author_us = 2.0 * n.sqrt() + 20.0 * k;
                point.proof_bytes = Some(370.0);
            } else {
                point.update_bytes = 200.0 + 40.0 * k;
                point.author_us = 20.0 + 3.0 * k;
                point.proof_bytes = Some(100.0 + 30.0 * n.log2());
            }
            if scheme == "treap-stored" {
                point.proof_bytes = point.proof_bytes.map(|bytes| bytes * 1.02);
            }
            if scheme == "aad-counted" {
                point.proof_bytes = Some(10.0);
            }
            all.push(point);
        }
    }
    Records {
        measured: all,
        ..Records::default()
    }
}

fn wanted() -> Requirements {
    Requirements {
        load: Load {
            keys: 100_000,
            key_bytes: 8,
            value_bytes: 32,
            changes: 1,
            snapshots_per_day: 86_400.0,
            lookups_per_day: 864_000.0,
            old_lookups: 0.0,
            servers: 1,
            kept_versions: 1.0,
        },
        needs: vec![Need::OwnKeys, Need::Latest],
        limits: Limits::default(),
    }
}

fn tariff() -> Tariff {
    Tariff {
        prices: PriceBook::paper(),
        clients: Clients::PayThemselves,
        cryptography: 1.0,
    }
}

fn advise(wanted: &Requirements) -> Advice {
    Advice::new(wanted, &tariff(), &records())
}

fn names(advice: &Advice) -> Vec<&'static str> {
    advice
        .ranked
        .iter()
        .map(|candidate| candidate.scheme.name)
        .collect()
}

fn reasons(advice: &Advice, name: &str) -> Vec<Reason> {
    let of_name = advice
        .excluded
        .iter()
        .find(|excluded| excluded.scheme.name == name);
    of_name.map_or(Vec::new(), |excluded| excluded.reasons.clone())
}

#[test]
fn every_scheme_is_ranked_or_excluded_with_a_reason() {
    let advice = advise(&wanted());
    assert_eq!(advice.ranked.len() + advice.excluded.len(), schemes().len());
    assert!(
        advice
            .excluded
            .iter()
            .all(|excluded| !excluded.reasons.is_empty())
    );
    let totals: Vec<_> = advice
        .ranked
        .iter()
        .map(|candidate| candidate.cost.total())
        .collect();
    assert!(totals.is_sorted());
    assert_eq!(reasons(&advice, "skip-list-stored"), [Reason::NotMeasured]);
    assert_eq!(
        reasons(&advice, "treap-cache-median"),
        [Reason::InMemory, Reason::NotMeasured]
    );
    assert_eq!(
        reasons(&advice, "directory"),
        [Reason::Need(Need::OwnKeys), Reason::NotMeasured]
    );
    assert_eq!(
        reasons(&advice, "sign-each-entry"),
        [Reason::Baseline, Reason::NotMeasured]
    );
}

#[test]
fn a_measured_store_replaces_its_scheme_in_memory() {
    assert!(names(&advise(&wanted())).contains(&"aad-counted"));
    let mut records = records();
    let log = |point: &&Measurement| point.scheme == "aad-counted";
    let stored: Vec<_> = records.measured.iter().filter(log).cloned().collect();
    records.measured.extend(stored.into_iter().map(|mut point| {
        point.scheme = "aad-counted-stored".to_owned();
        point.author_us *= 10.0;
        point
    }));
    let advice = Advice::new(&wanted(), &tariff(), &records);
    assert!(names(&advice).contains(&"aad-counted-stored"));
    assert_eq!(reasons(&advice, "aad-counted"), [Reason::InMemory]);
}

#[test]
fn needs_exclude_exactly_what_lacks_them() {
    for need in Need::ALL {
        let mut wanted = wanted();
        wanted.needs.push(need);
        let advice = advise(&wanted);
        let kept = names(&advice);
        for name in names(&advise(&self::wanted())) {
            let scheme = schemes().iter().find(|scheme| scheme.name == name).unwrap();
            assert_eq!(
                kept.contains(&name),
                need.is_met(&scheme.properties),
                "{need} {name}"
            );
            if !need.is_met(&scheme.properties) {
                assert_eq!(reasons(&advice, name), [Reason::Need(need)]);
            }
        }
    }
}

#[test]
fn limits_exclude_what_exceeds_them() {
    let mut wanted = wanted();
    wanted.needs.push(Need::NoTrustedSetup);
    wanted.limits.proof_bytes = Some(400.0);
    assert_eq!(names(&advise(&wanted)), ["tuple-spec-lightweight-stored"]);
    wanted.limits = Limits {
        memory_bytes: Some(1e6),
        ..Limits::default()
    };
    let advice = advise(&wanted);
    assert_eq!(names(&advice), [""; 0]);
    // 100 bytes for each key, 300 for a version.
    assert_eq!(
        reasons(&advice, "red-black-stored"),
        [Reason::Memory(1e7 + 300.0)]
    );
    wanted.limits = Limits {
        snapshot_seconds: Some(200e-6),
        ..Limits::default()
    };
    assert!(!names(&advise(&wanted)).contains(&"tuple-spec-lightweight-stored"));
    assert!(names(&advise(&wanted)).contains(&"red-black-stored"));
    // A proof takes 10 us to make and 5 to verify.
    for (lookup_seconds, is_met) in [(16e-6, true), (14e-6, false)] {
        wanted.limits = Limits {
            lookup_seconds: Some(lookup_seconds),
            ..Limits::default()
        };
        let advice = advise(&wanted);
        assert_eq!(names(&advice).contains(&"red-black-stored"), is_met);
        let reasons = reasons(&advice, "red-black-stored");
        assert_eq!(matches!(*reasons, [Reason::LookupSeconds(_)]), !is_met);
    }
}

#[test]
fn the_longest_proof_is_one_of_absence_where_that_is_needed() {
    let mut records = records();
    for point in &mut records.measured {
        point.absent_proof_bytes = point.proof_bytes.map(|bytes| bytes + 1000.0);
    }
    let mut wanted = wanted();
    wanted.limits.proof_bytes = Some(900.0);
    let ranked = |wanted: &Requirements| {
        let advice = Advice::new(wanted, &tariff(), &records);
        names(&advice)
    };
    assert!(ranked(&wanted).contains(&"tuple-spec-lightweight-stored"));
    wanted.needs.push(Need::Absence);
    assert_eq!(ranked(&wanted), [""; 0]);
}

#[test]
fn what_is_slower_than_snapshots_come_is_excluded() {
    let mut wanted = wanted();
    wanted.load.snapshots_per_day = 86_400.0 * 5000.0;
    let advice = advise(&wanted);
    assert!(names(&advice).contains(&"red-black-stored"));
    let reasons = reasons(&advice, "tuple-spec-lightweight-stored");
    let [Reason::SlowerThanSnapshots { seconds, interval }] = reasons.as_slice() else {
        panic!("{reasons:?}");
    };
    assert!((interval - 200e-6).abs() < 1e-12 && seconds > interval);
}

#[test]
fn the_winner_and_where_it_ceases_to_be() {
    let (mut wanted, tariff, records) = (wanted(), tariff(), records());
    wanted.needs.push(Need::NoTrustedSetup);
    // A hundred for each update: too few for tuples with this number of keys, and enough with
    // fewer.
    wanted.load.lookups_per_day = 8_640_000.0;
    let advice = Advice::new(&wanted, &tariff, &records);
    let (winner, other) = (advice.winner().unwrap(), advice.other_family().unwrap());
    assert_eq!(winner.scheme.name, "red-black-stored");
    assert_eq!(advice.runner_up().unwrap().scheme.name, "treap-stored");
    assert_eq!(other.scheme.name, "tuple-spec-lightweight-stored");
    let Balance { saves, pays } = Balance::of(winner, other);
    assert_eq!(saves.unwrap().0, Term::UpdatesSent);
    assert_eq!(pays.unwrap().0, Term::ProofsSent);
    let crossing = crossing((winner, other), &wanted.load, &tariff, &records);
    assert!(!crossing.everywhere);
    for (lookups, first) in [
        (0.9, "red-black-stored"),
        (1.1, "tuple-spec-lightweight-stored"),
    ] {
        let mut there = wanted.clone();
        there.load.lookups_per_day = crossing.lookups_per_day.unwrap() * lookups;
        assert_eq!(names(&Advice::new(&there, &tariff, &records))[0], first);
    }
    for (keys, first) in [
        (0.9, "tuple-spec-lightweight-stored"),
        (1.1, "red-black-stored"),
    ] {
        let mut there = wanted.clone();
        there.load.keys = times(1, crossing.keys.unwrap() * keys);
        assert_eq!(names(&Advice::new(&there, &tariff, &records))[0], first);
    }
    // By hand: the difference of updates over that of proofs.
    let prices = tariff.prices;
    let update = prices.of_sending(100.0 * 1e5_f64.sqrt() - 140.0)
        + prices.of_computing(2.0 * 1e5_f64.sqrt() - 3.0);
    let proof = prices.of_sending(100.0 + 30.0 * 1e5_f64.log2() - 370.0);
    let expected = 86_400.0 * update / proof;
    assert!((crossing.lookups_per_day.unwrap() / expected - 1.0).abs() < 1e-6);
}

#[test]
fn the_default_wins_unless_the_difference_matters() {
    let load = wanted().load;
    let with = |snapshots_per_day, lookups_per_day| {
        let load = Load {
            snapshots_per_day,
            lookups_per_day,
            ..load
        };
        advise(&Requirements { load, ..wanted() })
    };
    let winner = |advice: &Advice| advice.winner().unwrap().scheme.name;
    // Proofs of the log are 588 bytes shorter: 2 cents a month with few lookups.
    let few = with(86_400.0, 8640.0);
    assert_eq!(winner(&few), DEFAULT);
    let (cheapest, saved) = few.cheaper().unwrap();
    assert_eq!(cheapest.scheme.name, "aad-counted");
    assert!((saved - 0.0187).abs() < 0.001, "{saved}");
    assert_eq!(few.runner_up().unwrap().scheme.name, "aad-counted");
    // With a hundred times as many lookups, this is more than a dollar.
    let many = with(86_400.0, 864_000.0);
    assert_eq!(winner(&many), "aad-counted");
    assert_eq!(many.cheaper(), None);
    // A thousand times as many updates cost both schemes so much that it is less than a tenth.
    let updates = with(86_400_000.0, 864_000.0);
    assert_eq!(winner(&updates), DEFAULT);
    assert!(updates.cheaper().unwrap().1 > SMALL_DOLLARS);
}

#[test]
fn the_default_must_meet_the_requirements() {
    let mut wanted = wanted();
    wanted.load.lookups_per_day = 8640.0;
    assert_eq!(advise(&wanted).winner().unwrap().scheme.name, DEFAULT);
    wanted.limits.proof_bytes = Some(400.0);
    let advice = advise(&wanted);
    assert_eq!(advice.default_scheme(), None);
    assert_eq!(advice.winner(), advice.cheapest());
    assert!(advice.winner().is_some());
}

#[test]
fn what_dominates_can_never_cross() {
    let (wanted, tariff, records) = (wanted(), tariff(), records());
    let advice = Advice::new(&wanted, &tariff, &records);
    let find = |name| {
        advice
            .ranked
            .iter()
            .find(|candidate| candidate.scheme.name == name)
            .unwrap()
    };
    let pair = (find("red-black-stored"), find("treap-stored"));
    let never = crossing(pair, &wanted.load, &tariff, &records);
    assert_eq!((never.lookups_per_day, never.keys), (None, None));
    assert!(!never.everywhere);
}

/// Returns the crossing of two trees, after the second one has got the figures of the first one,
/// altered by `change`.
fn alike(tariff: &Tariff, change: impl Fn(&mut Measurement)) -> Crossing {
    let (wanted, mut records) = (wanted(), records());
    let (first, second) = ("red-black-stored", "treap-stored");
    let of_first = |point: &&Measurement| point.scheme == first;
    let mut same: Vec<_> = records.measured.iter().filter(of_first).cloned().collect();
    for point in &mut same {
        point.scheme = second.into();
        change(point);
    }
    records.measured.retain(|point| point.scheme == first);
    records.measured.extend(same);
    let candidate =
        |name| estimate(crate::scheme(name).unwrap(), &wanted.load, tariff, &records).unwrap();
    let (one, other) = (candidate(first), candidate(second));
    crossing((&one, &other), &wanted.load, tariff, &records)
}

#[test]
fn what_costs_the_same_does_so_everywhere_or_here() {
    let same = alike(&tariff(), |_| ());
    let everywhere = Crossing {
        lookups_per_day: None,
        keys: None,
        everywhere: true,
    };
    assert_eq!(same, everywhere);
    // At no price whatever differs does not count.
    let free = Tariff {
        prices: Prices::new(0.0, 0.0),
        ..tariff()
    };
    assert_eq!(alike(&free, |point| point.author_us *= 7.0), everywhere);
    // Equal with this number of keys only.
    let here = alike(&tariff(), |point| {
        if point.shape.keys == 1000 {
            point.update_bytes *= 2.0;
        }
    });
    assert_eq!((here.keys, here.everywhere), (Some(100_000.0), false));
    assert_eq!(here.lookups_per_day, None);
}

#[test]
fn one_size_says_nothing_of_others() {
    let mut records = records();
    let is_kept = |point: &Measurement| point.scheme != "aad-counted" || point.shape.keys == 1000;
    records.measured.retain(is_kept);
    let reasons_with = |keys| {
        let mut wanted = wanted();
        wanted.load.keys = keys;
        reasons(&Advice::new(&wanted, &tariff(), &records), "aad-counted")
    };
    assert_eq!(reasons_with(100_000), [Reason::MeasuredElsewhere(1000)]);
    assert_eq!(reasons_with(400), [Reason::MeasuredElsewhere(1000)]);
    assert_eq!(reasons_with(2000), []);
}

#[test]
fn cheaper_cryptography_needs_its_share() {
    let tariff = Tariff {
        cryptography: 10.0,
        ..tariff()
    };
    let advice = Advice::new(&wanted(), &tariff, &records());
    assert!(advice.winner().is_some());
    let mut records = records();
    for point in &mut records.measured {
        point.author_cryptography_us = None;
    }
    let advice = Advice::new(&wanted(), &tariff, &records);
    assert!(advice.winner().is_none());
    assert_eq!(
        reasons(&advice, "aad-counted"),
        [Reason::UnknownCryptography]
    );
}

fn any_load() -> impl Strategy<Value = Load> {
    let entries = (1..2_000_000_u64, 1..100_u64, 0..10_000_u64, 1..1000_u64);
    let rates = (0.01..1e5, 0.0..1e9, 0.0..=1.0, 1..10_u64, 1.0..1e6);
    (entries, rates).prop_map(|((keys, key_bytes, value_bytes, changes), rates)| {
        let (snapshots_per_day, lookups_per_day, old_lookups, servers, kept_versions) = rates;
        Load {
            keys,
            key_bytes,
            value_bytes,
            changes,
            snapshots_per_day,
            lookups_per_day,
            old_lookups,
            servers,
            kept_versions,
        }
    })
}

/// A change of a load, with its name.
type More = (&'static str, fn(&mut Load));

const MORE: [More; 9] = [
    ("keys", |load| load.keys += load.keys / 3 + 1),
    ("key bytes", |load| load.key_bytes += 10),
    ("value bytes", |load| load.value_bytes += 10),
    ("changes", |load| load.changes += 7),
    ("snapshots", |load| load.snapshots_per_day *= 1.5),
    ("look-ups", |load| load.lookups_per_day *= 1.5),
    // Old versions take longer in these samples.
    ("old versions", |load| {
        load.old_lookups = f64::midpoint(load.old_lookups, 1.0);
    }),
    ("servers", |load| load.servers += 1),
    ("versions", |load| load.kept_versions += 10.0),
];

proptest! {
    #[test]
    fn costs_grow_with_every_number_of_a_load(load in any_load(), more in select(MORE.to_vec())) {
        let (tariff, records) = (tariff(), records());
        let (what, change) = more;
        let mut larger = load;
        change(&mut larger);
        for name in ["red-black-stored", "tuple-spec-lightweight-stored"] {
            let scheme = schemes().iter().find(|scheme| scheme.name == name).unwrap();
            let total = |load| estimate(scheme, load, &tariff, &records).unwrap().cost.total();
            let (before, after) = (total(&load), total(&larger));
            prop_assert!(after >= before * (1.0 - 1e-12), "{name}: {what}: {before} to {after}");
        }
    }
}
