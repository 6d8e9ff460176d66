//! The lines of one run, for people.

use crate::{
    line::{Line, groups, of},
    tables::{Column, Tables, digits, number, text},
};

/// Everything that the lines of one run say.
pub fn table(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    tables.section("", "", &of(lines, "accumulators"), &operations(lines));
    for (experiment, title, columns) in EXPERIMENTS {
        let columns: Vec<Column<'_>> = columns.iter().map(column).collect();
        for group in groups(&of(lines, experiment), &["figure", "n"]) {
            tables.section(title, group[0].text("figure"), &group, &columns);
        }
    }
    tables.signed(lines)
}

/// The operations, with the gain over one thread beside those of more.
fn operations(lines: &[Line]) -> Vec<Column<'_>> {
    let speed_up = |line: &Line| {
        let same = ["accumulator", "operation", "n"];
        let alone = lines
            .iter()
            .find(|other| other.agrees(line, &same) && other.count("threads") == 1)
            .filter(|_| line.count("threads") > 1);
        alone.map_or_else(String::new, |alone| {
            digits(alone.figure("per_element_us") / line.figure("per_element_us"))
        })
    };
    vec![
        text("accumulator", "accumulator"),
        text("operation", "operation").left(),
        text("n", "n"),
        text("threads", "threads"),
        number("us each", "per_element_us"),
        number("ratio", "ratio"),
        Column::new("speed-up", speed_up),
        text("to one", "primitive").left(),
    ]
}

/// A column: its title, its key, and whether it is a figure.
type Shown = (&'static str, &'static str, bool);

fn column(shown: &Shown) -> Column<'static> {
    let (title, key, is_figure) = *shown;
    if is_figure {
        number(title, key)
    } else {
        text(title, key)
    }
}

/// An experiment, its title and its columns.
type Experiment = (&'static str, &'static str, &'static [Shown]);

const EXPERIMENTS: [Experiment; 8] = [
    (
        "accumulators_slopes",
        "Time per element, slopes over the sizes; 2013: 8 threads of a Core i7 of 3.4 GHz",
        &[
            ("accumulator", "accumulator", false),
            ("operation", "operation", false),
            ("threads", "threads", false),
            ("us per element", "us_per_element", true),
            ("2013", "paper_us_on_8_threads", true),
            ("ratio", "ratio_to_paper", true),
            ("explained", "explained", true),
        ],
    ),
    (
        "accumulators_round_trips",
        "Round trips: one element prepared, accumulated, witnessed, sent and verified",
        &[
            ("accumulator", "accumulator", false),
            ("key", "keys", false),
            ("threads", "threads", false),
            ("latency ms", "latency_ms", true),
            ("computing ms", "computing_ms", true),
            ("total ms", "total_ms", true),
            ("computing's share", "computing_share", true),
            ("2013", "paper_ms_on_8_threads", true),
            ("ratio", "ratio_to_paper", true),
        ],
    ),
    (
        "accumulators_sets",
        "Section 7.4: one element of a set gives way to another",
        &[
            ("design", "design", false),
            ("n", "n", false),
            ("generations", "generations", false),
            ("author us", "author_us", true),
            ("limit us", "author_limit_us", true),
            ("update B", "update_bytes", false),
            ("server us", "apply_us", true),
            ("prove us", "prove_us", true),
            ("proof B", "proof_bytes", false),
            ("verify us", "verify_us", true),
            ("limit us", "verify_limit_us", true),
            ("stored B", "stored_bytes", false),
        ],
    ),
    (
        "accumulators_claims",
        "What section 7.4 says in numbers",
        &[
            ("claim", "claim", false),
            ("accumulator", "accumulator", false),
            ("n", "n", false),
            ("ours", "ours", true),
            ("2010", "paper", true),
        ],
    ),
    (
        "accumulators_cheapest",
        "The cheapest, at the prices of 2010",
        &[
            ("cheapest", "design", false),
            ("from look-ups per update", "from_lookups_per_update", true),
            ("to", "to_lookups_per_update", true),
        ],
    ),
    (
        "accumulators_conclusion",
        "Do accumulators ever win?",
        &[("conclusion", "sentence", false)],
    ),
    (
        "accumulators_hints",
        "Offsets of primes as hints in updates",
        &[
            ("rule", "rule", false),
            ("search us", "search_us", true),
            ("check us", "check_us", true),
            ("saved us", "saved_us", true),
            ("to its bytes", "saved_to_sent", true),
            ("GMP us", "primitive_us", true),
            ("ratio", "ratio", true),
        ],
    ),
    (
        "accumulators_keys",
        "Keys: seconds on one thread, and bytes",
        &[
            ("kind", "kind", false),
            ("for up to", "n", false),
            ("seconds", "seconds", true),
            ("secret B", "secret_bytes", false),
            ("server's public B", "public_bytes", false),
            ("verifier's B", "verifier_bytes", false),
        ],
    ),
];
