//! Tests of `bench::full_report::conclusions`.

use bench::{
    full_report::conclusions::{Verdict, conclusions, unchecked},
    line,
    line::Line,
};

/// Suite of the compared schemes.
const SUITE: &str = "sha256-ed25519";

/// Result lines of trees of 10 000 keys. `figures` returns the microseconds of a proof, the bytes
/// of a version and the bytes of a proof, for a scheme and a repository.
fn grown(figures: impl Fn(&str, &str) -> (f64, f64, f64)) -> Vec<Line> {
    let schemes = ["red-black", "treap", "skip-list"];
    let repositories = [
        "path-copying",
        "cache-nowhere",
        "cache-median",
        "cache-everywhere",
    ];
    let line = |scheme: &str, repository: &str| {
        let (us, memory, proof) = figures(scheme, repository);
        line! {
            experiment: "growing", suite: SUITE, keys: 10_000, scheme: scheme,
            repository: repository, prove_us_random_version: us,
            counted_bytes_per_version: memory, proof_bytes: proof,
        }
    };
    let of = |scheme| repositories.map(|repository| line(scheme, repository));
    schemes.into_iter().flat_map(of).collect()
}

fn of_repository(wanted: &'static str, own: (f64, f64), other: (f64, f64)) -> Vec<Line> {
    grown(|_, repository| {
        let (us, memory) = if repository == wanted { own } else { other };
        (us, memory, 500.0)
    })
}

fn of_red_black(own: f64, others: f64) -> Vec<Line> {
    grown(|scheme, _| {
        let figure = if scheme == "red-black" { own } else { others };
        (figure, figure, figure)
    })
}

fn sizes(small: f64, large: f64) -> Vec<Line> {
    let line = |keys: u64, bytes: f64| {
        line! { experiment: "growing", suite: SUITE, keys: keys, scheme: "red-black",
        repository: "path-copying", proof_bytes: bytes }
    };
    vec![line(10_000, small), line(100_000, large)]
}

fn median_to_everywhere(before: f64, after: f64) -> Vec<Line> {
    let line = |scenario: &str, ratio: f64| {
        line! { experiment: "growing_what_if", suite: SUITE, scenario: scenario, keys: 10_000,
        lookups_per_update: 10_000.0, median_to_everywhere: ratio }
    };
    vec![
        line("prices of 2010", before),
        line("computing 10 times cheaper", after),
    ]
}

fn cheapest(figure: &str, designs: &[(&str, f64)]) -> Vec<Line> {
    let line = |(design, from): &(&str, f64)| {
        line! { experiment: "tuple_cheapest", figure: figure, design: *design,
        from_lookups_per_update: *from }
    };
    designs.iter().map(line).collect()
}

fn red_black_until(before: f64, after: f64) -> Vec<Line> {
    let line = |scenario: &str, until: f64| {
        line! { experiment: "tuple_what_if", scenario: scenario, red_black_until: until }
    };
    vec![
        line("prices of 2010", before),
        line("bandwidth 10 times cheaper", after),
    ]
}

/// Costs of RSA accumulators that are `times` those of signatures, next to a cheaper accumulator.
fn accumulated(times: f64) -> Vec<Line> {
    let line = |design: &str, cost: f64| {
        line! { experiment: "tuple_lookup_costs", figure: "figure7", design: design,
        update_microdollars: 9.0 * cost, lookup_microdollars: cost }
    };
    vec![
        line("spec", 1.0),
        line("base", 2.0),
        line("accumulators-rsa", times),
        line("accumulators-bilinear", 0.1),
    ]
}

fn steady(light: f64, speculating: f64, both: f64) -> Vec<Line> {
    let line = |design: &str, times: f64| {
        line! { experiment: "tuple_steady", design: design, keys: 10_000,
        times_base_superseding: times }
    };
    vec![
        line("base-lightweight", light),
        line("spec-superseding", speculating),
        line("spec-lightweight", both),
    ]
}

fn partitions(gain: f64) -> Vec<Line> {
    vec![
        line! { experiment: "tuple_partitions", design: "spec", partitions: 4, gain: gain },
        line! { experiment: "tuple_partitions", design: "spec", partitions: 1, gain: 1.0 },
    ]
}

const BOTH: [&str; 2] = ["rsa-3072", "bilinear-bls12-381"];

/// Round trips with private and with public keys, each for RSA and for the bilinear accumulator.
fn round_trips(private: [f64; 2], public: [f64; 2]) -> Vec<Line> {
    let of = |keys: &'static str, ms: [f64; 2]| {
        let line = |(accumulator, ms): (&str, f64)| {
            line! { experiment: "accumulators_round_trips", accumulator: accumulator, keys: keys,
            threads: 1, computing_ms: ms }
        };
        BOTH.into_iter().zip(ms).map(line).collect::<Vec<Line>>()
    };
    [of("private", private), of("public", public)].concat()
}

fn operations(threads: u64, times: &[(&str, f64)]) -> Vec<Line> {
    let line = |accumulator: &str, (operation, us): &(&str, f64)| {
        line! { experiment: "accumulators", accumulator: accumulator, operation: *operation,
        n: 1000, threads: threads, per_element_us: *us }
    };
    let of = |accumulator| times.iter().map(move |time| line(accumulator, time));
    BOTH.into_iter().flat_map(of).collect()
}

fn keys(secret: f64, public: f64) -> Vec<Line> {
    let operations = |what: &[(&str, f64)]| operations(1, what);
    [
        operations(&[
            ("accumulate_secret_each", secret),
            ("witnesses_secret", secret),
        ]),
        operations(&[("accumulate_public", public), ("witnesses_public", public)]),
    ]
    .concat()
}

fn by_threads(value: f64, witnesses: f64) -> Vec<Line> {
    let times = |value, witnesses| {
        [
            ("accumulate_public", value),
            ("witnesses_public", witnesses),
        ]
    };
    [
        operations(1, &times(100.0, 100.0)),
        operations(2, &times(value, witnesses)),
    ]
    .concat()
}

fn claims(claims: &[(&str, f64)]) -> Vec<Line> {
    let line = |accumulator: &str, (claim, ours): &(&str, f64)| {
        line! { experiment: "accumulators_claims", accumulator: accumulator, claim: *claim,
        n: 1000, ours: *ours }
    };
    let of = |accumulator| claims.iter().map(move |claim| line(accumulator, claim));
    BOTH.into_iter().flat_map(of).collect()
}

fn built(speed_up: f64) -> Vec<Line> {
    let line = |tags: Option<&str>, speed_up: f64| {
        line! { experiment: "flexlist_build", blocks: 500_000, threads: 2, tags: tags,
        speed_up: speed_up }
    };
    vec![line(None, speed_up), line(Some("private-mac"), 9.0)]
}

fn hash_share(share: f64) -> Vec<Line> {
    vec![
        line! { experiment: "flexlist_hash_share", blocks: 1000, operation: "insert",
        hash_share: share },
    ]
}

fn batches(gain: f64) -> Vec<Line> {
    vec![
        line! { experiment: "flexlist_multi", order: "consecutive", updates: 600, blocks: 1000,
        server: line! { gain: gain }, client: line! { gain: gain } },
    ]
}

fn visits(ours: f64, plain: f64) -> Vec<Line> {
    vec![
        line! { experiment: "aad_bandwidth", n: 1000, versions: 1, entries_per_version: 1,
        aad_bytes: ours, ct_like_bytes: plain, coniks_like_bytes: plain },
    ]
}

fn inserts(sums: f64, others: f64) -> Vec<Line> {
    let line = |strategy: &str, us: f64| {
        line! { experiment: "directory_inserts", strategy: strategy, block_bytes: 4096,
        update_us: us }
    };
    vec![
        line("ad-hash-1600", sums),
        line("sha-384-scanning", others),
        line("mu-hash-1024", others),
        line("merkle", 1.0),
    ]
}

fn reads(without: f64, with: f64) -> Vec<Line> {
    let line = |hints: bool, reads: f64| {
        line! { experiment: "directory_hints", capacity: 68, update_percent: 25, entries: 1000,
        hints: hints, reads_per_lookup: reads }
    };
    vec![line(false, without), line(true, with)]
}

/// A conclusion, measurements with which it holds, and measurements with which it does not.
type Case = (&'static str, Vec<Line>, Vec<Line>);

fn cases() -> Vec<Case> {
    let bytes = |times| {
        claims(&[
            ("update_bytes_to_signing_each", times),
            ("author_time_to_signing_each", times),
        ])
    };
    let costs = |times| {
        claims(&[
            ("server_cost_to_signing_each", times),
            ("proof_bytes_to_signing_each", times),
        ])
    };
    let trace = |until, design, from| {
        cheapest(
            "figure8-prices",
            &[("red-black", 1.0), ("spec", until), (design, from)],
        )
    };
    vec![
        (
            "cache-everywhere",
            of_repository("cache-everywhere", (1.1, 40.0), (1.0, 100.0)),
            of_repository("cache-everywhere", (2.0, 60.0), (1.0, 100.0)),
        ),
        (
            "cache-median",
            of_repository("cache-median", (9.0, 40.0), (1.0, 100.0)),
            of_repository("cache-median", (1.0, 100.0), (1.0, 100.0)),
        ),
        ("red-black", of_red_black(1.0, 2.0), of_red_black(2.0, 1.0)),
        ("growing-proofs", sizes(400.0, 740.0), sizes(400.0, 500.0)),
        (
            "cheaper-computing",
            median_to_everywhere(4.0, 1.3),
            median_to_everywhere(1.5, 1.5),
        ),
        (
            "trees-or-tuples",
            cheapest("figure7", &[("red-black", 1.0), ("spec", 9.0)]),
            cheapest("figure7", &[("spec", 1.0), ("red-black", 9.0)]),
        ),
        (
            "cheaper-bandwidth",
            red_black_until(15.0, 200.0),
            red_black_until(15.0, 15.0),
        ),
        ("accumulators", accumulated(2.0), accumulated(0.5)),
        (
            "superseding",
            trace(5000.0, "base-superseding", 25_000.0),
            trace(100.0, "base", 900.0),
        ),
        (
            "lightweight",
            steady(30.0, 30.0, 100.0),
            steady(1.0, 1.0, 1.0),
        ),
        ("partitions", partitions(3.9), partitions(1.0)),
        (
            "rsa-or-bilinear",
            round_trips([11.4, 4.3], [5400.0, 450.0]),
            round_trips([1.0, 2.0], [1.0, 2.0]),
        ),
        ("secret-key", keys(1.0, 2000.0), keys(1000.0, 1000.0)),
        (
            "public-threads",
            by_threads(100.0, 50.0),
            by_threads(50.0, 100.0),
        ),
        ("witnesses-as-sent", bytes(6.0), bytes(0.7)),
        ("signing-each", costs(6.0), costs(0.5)),
        ("parallel-build", built(1.6), built(1.0)),
        ("share-of-hashes", hash_share(0.9), hash_share(0.4)),
        ("batches-of-blocks", batches(0.9), batches(0.1)),
        ("append-only", visits(1.0, 2.0), visits(2.0, 1.0)),
        ("sums-of-blocks", inserts(1.0, 100.0), inserts(9.0, 1.0)),
        ("hints", reads(12.0, 1.0), reads(1.0, 1.0)),
    ]
}

#[test]
fn every_verdict_follows_from_its_measurements() {
    let verdict = |id: &str, lines: &[Line]| {
        let found = conclusions(lines).into_iter().find(|it| it.id == id)?;
        assert!(!found.finding.contains('?'), "{id}: {}", found.finding);
        Some(found.verdict)
    };
    let cases = cases();
    // Without lines no conclusion can be checked, so these are all.
    assert!(conclusions(&[]).is_empty());
    let ids = unchecked(&[]).into_iter();
    assert!(ids.eq(cases.iter().map(|(id, ..)| *id)));
    for (id, holds, fails) in cases {
        assert_eq!(verdict(id, &holds), Some(Verdict::Holds), "{id}");
        assert_eq!(verdict(id, &fails), Some(Verdict::HoldsNoLonger), "{id}");
        assert_eq!(verdict(id, &[]), None, "{id}");
        assert!(unchecked(&[]).contains(&id) && !unchecked(&holds).contains(&id));
    }
}

#[test]
fn what_holds_in_part_is_neither() {
    for lines in [round_trips([1.0, 0.9], [5400.0, 450.0]), accumulated(1.1)] {
        let verdicts: Vec<_> = conclusions(&lines).iter().map(|it| it.verdict).collect();
        assert_eq!(verdicts, [Verdict::InPart]);
    }
}

/// A verdict about a figure names the designs that the figure lacks and another size has.
#[test]
fn designs_that_a_figure_lacks_are_named() {
    let mut lines = cheapest("figure7", &[("red-black", 1.0), ("spec", 9.0)]);
    for (figure, design) in [
        ("figure7", "red-black"),
        ("figure7", "spec"),
        ("figure7-500-keys", "red-black"),
        ("figure7-500-keys", "base"),
        ("figure7-steady", "another"),
    ] {
        lines.push(line! { experiment: "tuple_lookup_costs", figure: figure, design: design });
    }
    let found = &conclusions(&lines)[0];
    assert!(
        found.finding.ends_with("Not measured at this size: base."),
        "{}",
        found.finding
    );
}
