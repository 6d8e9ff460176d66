//! Tables for the result lines of `bench accumulators`.

use crate::{line, prelude::*};

/// Makes all tables of `bench accumulators` from the result lines of one run.
pub fn table(lines: &[Line]) -> Tables {
    shown(&TABLES, lines).signed(lines)
}

/// Derives `speed_up`: the time on one thread divided by the time of `line`. It is null for lines
/// of one thread. Also derives `portable_us`, the time without fast lanes.
fn derived(lines: &[Line], line: &Line) -> Line {
    let same = ["accumulator", "operation", "n"];
    let mut alone = lines.iter().filter(|other| other.count("threads") == 1);
    let alone = alone.find(|other| other.agrees(line, &same));
    let times = alone.map(|alone| alone.figure("per_element_us") / line.figure("per_element_us"));
    let work = ["accumulator", "operation", "n", "threads"];
    line! {
        speed_up: times.filter(|_| line.count("threads") > 1),
        portable_us: without_lanes(lines, line, &work, "per_element_us"),
    }
}

#[rustfmt::skip]
const TABLES: [TableSpec; 9] = [
    TableSpec::new("accumulators", "", &[
        ("accumulator", "accumulator"), ("operation", "operation"), ("n", "n"),
        ("threads", "threads"), ("us each", "per_element_us"), ("without lanes", "portable_us"),
        ("ratio", "ratio"), ("speed-up", "speed_up"), ("to one", "primitive"),
    ]).left(&["operation", "to one"]).deriving(derived),
    TableSpec::new("accumulators_slopes", "Time per element: slopes of lines through all sizes", &[
        ("accumulator", "accumulator"), ("operation", "operation"), ("threads", "threads"),
        ("us per element", "us_per_element"), ("2013", "paper_us_on_8_threads"),
        ("ratio", "ratio_to_paper"), ("explained", "explained"),
    ]).noted("2013: 8 threads of a Core i7 of 3.4 GHz."),
    TableSpec::new("accumulators_round_trips",
        "Round trips: one element prepared, accumulated, witnessed, sent and verified", &[
        ("accumulator", "accumulator"), ("key", "keys"), ("threads", "threads"),
        ("latency ms", "latency_ms"), ("computing ms", "computing_ms"), ("total ms", "total_ms"),
        ("computing's share", "computing_share"), ("2013", "paper_ms_on_8_threads"),
        ("ratio", "ratio_to_paper"),
    ]),
    TableSpec::new("accumulators_sets", "Section 7.4: one element of a set is replaced", &[
        ("design", "design"), ("n", "n"), ("generations", "generations"),
        ("author us", "author_us"), ("limit us", "author_limit_us"), ("update B", "update_bytes"),
        ("server us", "apply_us"), ("prove us", "prove_us"), ("proof B", "proof_bytes"),
        ("verify us", "verify_us"), ("limit us", "verify_limit_us"), ("stored B", "stored_bytes"),
    ]).by(&["n"]),
    TableSpec::new("accumulators_claims", "Section 7.4: numbers of the paper and ours", &[
        ("claim", "claim"), ("accumulator", "accumulator"), ("n", "n"), ("ours", "ours"),
        ("2010", "paper"),
    ]).by(&["n"]),
    TableSpec::new("accumulators_cheapest",
        "The cheapest proof of membership in a set, at the prices of 2010", &[
        ("cheapest", "design"), ("of", "figure"),
        ("from look-ups per update", "from_lookups_per_update"), ("to", "to_lookups_per_update"),
    ]).by(&["figure"]),
    TableSpec::new("accumulators_conclusion",
        "Section 7.5: accumulators compared with the cheapest other proof", &[
        ("conclusion", "sentence"), ("of", "figure"),
    ]),
    TableSpec::new("accumulators_hints", "Section 5.2: offsets of primes as hints in updates", &[
        ("rule", "rule"), ("search us", "search_us"), ("check us", "check_us"),
        ("saved us", "saved_us"), ("price of that to its bytes", "saved_to_sent"),
        ("GMP us", "primitive_us"), ("ratio", "ratio"),
    ]),
    TableSpec::new("accumulators_keys", "Keys: seconds to make a key on one thread, and bytes", &[
        ("kind", "kind"), ("for up to", "n"), ("seconds", "seconds"), ("secret B", "secret_bytes"),
        ("server's public B", "public_bytes"), ("verifier's B", "verifier_bytes"),
    ]),
];
