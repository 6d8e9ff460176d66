//! The lines of one run, for people.

use crate::{
    columns::{Declared, titled},
    figures::title_of,
    paper,
    prelude::*,
    tables::{Column, Tables, computed, computed_share, dash, digits, number, scaled, share, text},
};

/// Everything that the lines of one run say.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    growing(&mut tables, &of(lines, "tuple_growing"));
    steady(
        &mut tables,
        &of(lines, "tuple_steady"),
        &of(lines, "tuple_exponent"),
    );
    threads(&mut tables, &of(lines, "tuple_threads"));
    for table in &SCALING {
        table.show(&mut tables, lines);
    }
    for trace in groups(&of(lines, "tuple_macrobenchmark"), &["trace"]) {
        macrobenchmark(&mut tables, &trace);
    }
    for family in ["tuple", "tuple_author_witnesses", "tuple_what_if"] {
        let [costs_of, cheapest, conclusions] = ["lookup_costs", "cheapest", "conclusion"]
            .map(|kind| of(lines, &format!("{family}_{kind}")));
        for figure in groups(&costs_of, &["figure"]) {
            costs(&mut tables, &figure, &cheapest);
            let of_figure = conclusions
                .iter()
                .filter(|line| line.agrees(figure[0], &["figure"]));
            of_figure.for_each(|line| tables.heading("", line.text("sentence")));
        }
    }
    WHAT_IF.show(&mut tables, lines);
    tables.signed(lines)
}

/// What stands above tables with figures of 2010.
const CAVEAT: &str = "2010: another machine, 28-byte digests, DSA-2048, author in Python.";

/// What a limit is.
const LIMITS_NOTE: &str = "Limit: the counted signatures and steps of hash chains, at what they cost \
                           alone beside this run.";

fn growing(tables: &mut Tables, lines: &[&Line]) {
    let Some(first) = lines.first() else {
        return;
    };
    let title = "Table 7: authors, one new key per snapshot, means over the whole run";
    let columns = [
        text("author", "design"),
        number("inserts/s", "inserts_per_second"),
        of_2010("inserts_per_second"),
        share("crypto", "author_cryptography_share"),
        of_2010_share("author_cryptography_share"),
        number("update B, last tenth", "update_bytes"),
        number("update B", "update_overall_bytes"),
        of_2010("update_overall_bytes"),
        number("proof B", "proof_bytes"),
        of_2010("proof_bytes"),
        text("inserted", "inserted"),
        stopped(),
    ];
    tables.section(title, CAVEAT, lines, &columns);
    let columns = [
        text("server and client", "design"),
        number("updates/s", "updates_per_second"),
        of_2010("updates_per_second"),
        share("crypto", "server_cryptography_share"),
        number("look-ups/s", "lookups_per_second"),
        of_2010("lookups_per_second"),
        number("verifications/s", "verifications_per_second"),
        of_2010("verifications_per_second"),
        share("crypto", "verify_cryptography_share"),
        of_2010_share("verify_cryptography_share"),
    ];
    let title = "Table 8: servers and clients";
    tables.section(title, CAVEAT, lines, &columns);
    let title = "How far from the bare signatures and chain steps";
    #[rustfmt::skip]
    let columns = titled(&[
        ("design", "design"), ("author us", "author_us"), ("signatures", "signatures_per_snapshot"),
        ("chain steps", "chain_steps_per_snapshot"), ("limit us", "author_limit_us"), ("ratio", "author_ratio"),
        ("verify us", "verify_us"), ("signatures", "signatures_per_proof"), ("chain steps", "chain_steps_per_proof"),
        ("limit us", "verify_limit_us"), ("ratio", "verify_ratio"),
    ]);
    tables.section(title, LIMITS_NOTE, lines, &columns);
    let note = format!(
        "Above {} KB/s sending costs more than computing, {}.",
        digits(first.figure("equilibrium_kilobytes_per_second")),
        at_prices(first)
    );
    let title = "Table 9: kilobytes sent per second of computing";
    let columns = [
        text("design", "design"),
        number("updates", "update_kilobytes_per_second"),
        of_2010("update_kilobytes_per_second"),
        number("look-ups", "lookup_kilobytes_per_second"),
        of_2010("lookup_kilobytes_per_second"),
    ];
    tables.section(title, &note, lines, &columns);
}

/// The paper's figures for designs, if the number of keys is the paper's.
fn of_2010(figure: &'static str) -> Column<'static> {
    computed("2010", move |line| paper_figure(line, figure))
}

fn of_2010_share(figure: &'static str) -> Column<'static> {
    computed_share("2010", move |line| paper_figure(line, figure))
}

fn paper_figure(line: &Line, figure: &str) -> Option<f64> {
    // The paper stopped this design at 3 851 keys; only its proofs do not depend on that.
    let is_stopped = line.text("design") == "base-superseding" && figure != "proof_bytes";
    let is_papers = line.count("keys") == paper::TUPLE_KEYS && !is_stopped;
    paper::TUPLES
        .get(line.text("design"), figure)
        .filter(|_| is_papers)
}

fn steady(tables: &mut Tables, lines: &[&Line], exponents: &[&Line]) {
    let title = "Steady state: all keys in one snapshot, then one new value in each";
    let note = "Means over whole epochs and whole hash chains, the load left out.";
    let columns = [
        text("steady", "design"),
        text("keys", "keys"),
        number("snapshots/s", "snapshots_per_second"),
        number("to base-superseding", "times_base_superseding"),
        number("author us", "author_us"),
        number("later chains us", "later_chains_us"),
        number("update B", "update_bytes"),
        number("apply us", "apply_us"),
        number("memory B per update", "memory_bytes_per_update"),
        number("proof B", "proof_bytes"),
        text("snapshots", "snapshots"),
        Column::new("cycles", |line| {
            let whole = line.get("whole_cycles") == Some(&true.into());
            format!(
                "{}{}",
                line.count("cycles"),
                if whole { "" } else { ", not whole" }
            )
        }),
    ];
    tables.section(title, note, lines, &columns);
    for line in exponents {
        let (design, quantity) = (line.text("design"), line.text("quantity"));
        let exponent = digits(line.figure("exponent"));
        tables.note(&format!("{design}: {quantity} grows as keys^{exponent}"));
    }
    if !lines.is_empty() {
        tables.note("");
    }
}

fn threads(tables: &mut Tables, lines: &[&Line]) {
    let Some(first) = lines.first() else {
        return;
    };
    let title = format!(
        "{}: one snapshot of {} keys, every tuple signed",
        first.text("design"),
        first.count("keys")
    );
    #[rustfmt::skip]
    let columns = titled(&[
        ("threads", "threads"), ("snapshot ms", "snapshot_ms"), ("bare signatures ms", "bare_signatures_ms"),
        ("ratio", "ratio"), ("speed-up", "speed_up"), ("bare speed-up", "bare_speed_up"),
    ]);
    tables.section(&title, "", lines, &columns);
}

#[rustfmt::skip]
const SCALING: [Declared; 3] = [
    Declared::new("tuple_partitions", "Section 9: servers that share the keys", &[
        ("partitions of", "design"), ("keys", "keys"), ("partitions", "partitions"), ("undivided us", "whole_us"),
        ("splitter us", "splitter_us"), ("slowest us", "slowest_partition_us"), ("gain", "gain"),
        ("without the splitter", "gain_of_partitions_alone"), ("memory of one", "memory_of_a_partition"), ("model", "model"),
    ]),
    Declared::new("tuple_lookup_threads", "Section 9: look-ups on several threads", &[
        ("look-ups in", "design"), ("threads", "threads"), ("per second", "lookups_per_second"), ("gain", "gain"),
    ]),
    Declared::new("tuple_replicas", "Section 9: servers that each hold everything", &[
        ("replicas of", "design"), ("look-ups per update", "lookups_per_update"), ("replicas", "replicas"),
        ("look-ups/s", "lookups_per_second"), ("gain", "gain"), ("model", "model"),
    ]),
];

#[rustfmt::skip]
const WHAT_IF: Declared = Declared::new("tuple_what_if", "Section 10: look-ups per update", &[
    ("what if", "scenario"), ("red-black is the cheapest up to", "red_black_until"), ("2010", "paper_red_black_until"),
]);

fn macrobenchmark(tables: &mut Tables, lines: &[&Line]) {
    let title = format!("Tables 10 and 11: trace {}", lines[0].text("trace"));
    let columns = [
        text("table 11", "design"),
        text("epochs", "epochs"),
        number("author s", "author_seconds"),
        number("server s", "server_seconds"),
        scaled("update KB", "update_bytes", 1e-3),
        scaled("proof KB", "proof_bytes", 1e-3),
        number("look-ups/s", "lookups_per_second"),
        text("signatures", "signatures"),
        share("speculation saves", "signatures_saved_by_speculation"),
        number("times without", "times_without_speculation"),
        Column::new("snapshots", |line| {
            format!("{} of {}", line.count("processed"), line.count("snapshots"))
        }),
        stopped(),
    ];
    tables.section(&title, "", lines, &columns);
    #[rustfmt::skip]
    let columns = titled(&[
        ("table 10", "design"), ("epochs", "epochs"), ("updates KB/s", "update_kilobytes_per_second"),
        ("look-ups KB/s", "lookup_kilobytes_per_second"),
    ]);
    tables.table(lines.iter().copied(), &columns);
}

/// One figure: what every design costs, and the cheapest ones of all figures.
fn costs(tables: &mut Tables, designs: &[&Line], cheapest: &[&Line]) {
    let figure = designs[0].text("figure");
    let title = format!(
        "{}: cost of a look-up, by look-ups per update",
        title_of(figure)
    );
    let note = format!(
        "{}; only designs that reached the end.",
        at_prices(designs[0])
    );
    // Whole powers of ten.
    let ratios: Vec<String> = (0..=7).map(|power| 10_u32.pow(power).to_string()).collect();
    let mut columns = vec![text("micro-dollars per look-up", "design")];
    columns.extend(ratios.iter().enumerate().map(|(power, ratio)| {
        computed(ratio, move |line| {
            line.get("points")?.get(power * 4)?.get(1)?.as_f64()
        })
    }));
    tables.section(&title, &note, designs, &columns);
    let of_figure = cheapest
        .iter()
        .copied()
        .filter(|line| line.text("figure") == figure);
    #[rustfmt::skip]
    let columns = titled(&[
        ("cheapest", "design"), ("from look-ups per update", "from_lookups_per_update"),
        ("to", "to_lookups_per_update"),
    ]);
    tables.table(of_figure, &columns);
}

fn at_prices(line: &Line) -> String {
    let [cpu, gigabyte] = ["cpu_cents_per_hour", "cents_per_gigabyte"].map(|key| line.figure(key));
    format!("at {cpu} cents per hour of computing and {gigabyte} per gigabyte sent")
}

fn stopped() -> Column<'static> {
    Column::new("stopped by", |line| match line.text("stopped") {
        "finished" => dash(),
        stopped => stopped.to_owned(),
    })
}
