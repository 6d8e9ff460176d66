//! Conclusions of the papers, checked against the measurements.
//!
//! Times that differ by less than a fifth count as equal. So two runs on one machine agree, unless
//! a figure is at that border. Sizes and counts are the same in every run, and are compared
//! exactly.

use crate::{
    line::{Line, of},
    tables::{digits, percent},
    tuple::conclusion::CLAIM as ACCUMULATORS_CLAIM,
};

/// A conclusion of a paper, and the verdict of our measurements on it.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// Short name, for example `red-black`.
    pub id: &'static str,
    /// The paper's conclusion, with its section.
    pub claim: &'static str,
    /// Whether the measurements confirm the conclusion.
    pub verdict: Verdict,
    /// Sentence with the measured numbers that support the verdict.
    pub finding: String,
}

/// Verdict on a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The conclusion holds in full.
    Holds,
    /// The conclusion holds in part.
    InPart,
    /// The conclusion does not hold.
    HoldsNoLonger,
}

impl Verdict {
    /// Returns the text of the verdict on the report page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "in part",
            Self::HoldsNoLonger => "does not hold",
        }
    }

    /// Combines the parts of a conclusion into a verdict. Each element states whether that part
    /// holds.
    fn of(parts: &[bool]) -> Self {
        match (parts.iter().all(|it| *it), parts.iter().any(|it| *it)) {
            (true, _) => Self::Holds,
            (false, true) => Self::InPart,
            (false, false) => Self::HoldsNoLonger,
        }
    }
}

/// Largest ratio of two times that count as equal.
const MARGIN: f64 = 1.2;

/// Reports whether `one` is smaller than `other` by more than the factor [`MARGIN`].
fn is_below(one: f64, other: f64) -> bool {
    one * MARGIN < other
}

/// Lists the conclusions for which `lines` contain the needed measurements, with a verdict on each.
pub fn conclusions(lines: &[Line]) -> Vec<Conclusion> {
    type Finding = fn(&[Line]) -> Option<(Verdict, String)>;
    let all: [(&str, &str, Finding); 11] = [
        ("cache-everywhere", CACHE_EVERYWHERE, cache_everywhere),
        ("red-black", RED_BLACK, red_black),
        ("trees-or-tuples", TREES_OR_TUPLES, trees_or_tuples),
        ("accumulators", ACCUMULATORS, accumulators),
        ("superseding", SUPERSEDING, superseding),
        ("lightweight", LIGHTWEIGHT, lightweight),
        ("rsa-or-bilinear", RSA_OR_BILINEAR, rsa_or_bilinear),
        ("batches-of-blocks", BATCHES, batches_of_blocks),
        ("append-only", APPEND_ONLY, append_only),
        ("sums-of-blocks", SUMS, sums_of_blocks),
        ("hints", HINTS, hints),
    ];
    let conclude = |(id, claim, finding): (&'static str, &'static str, Finding)| {
        let (verdict, finding) = finding(lines)?;
        Some(Conclusion {
            id,
            claim,
            verdict,
            finding,
        })
    };
    all.into_iter().filter_map(conclude).collect()
}

const CACHE_EVERYWHERE: &str = "Versioned nodes with cached digests in every node answer nearly as \
    fast as path copying, with less than half its memory (Crosby and Wallach, 6.2 and table 4).";
const RED_BLACK: &str = "Red-black trees need smaller proofs, less memory and less time than \
    treaps and skip lists (Crosby and Wallach, 6.4).";
const TREES_OR_TUPLES: &str = "Trees are the cheapest for dictionaries that change often, tuples \
    for dictionaries that are read often (Crosby and Wallach, 7.5).";
const ACCUMULATORS: &str = "Accumulators are never worth their cost (Crosby and Wallach, 7.5).";
const SUPERSEDING: &str = "On a recorded trace with many look-ups per update, superseding tuples \
    without speculation are the cheapest (Crosby and Wallach, 8).";
const LIGHTWEIGHT: &str = "Lightweight signatures and speculation each save an author much of its \
    time (Crosby and Wallach, table 7).";
const RSA_OR_BILINEAR: &str =
    "Bilinear accumulators are generally faster than RSA accumulators (Tremel, 7).";
const BATCHES: &str = "A batch of updates takes a server and a client much less time than the same \
    updates one by one (FlexDPDP, figures 9 and 10).";
const APPEND_ONLY: &str = "A log that proves all values of a key and its own growth can send less \
    than a log whose clients read every entry (Tomescu and others, 6.2).";
const SUMS: &str = "Sums over a block's entries take a fifth of the time of hashing the block in \
    pairs, and products take far more than sums (FastAD, 4).";
const HINTS: &str = "Hints about the place of an entry's block make look-ups six times as fast \
    (FastAD, 4). This page compares block reads instead of times.";

/// Selects the lines with the largest value of `key`, under the default suite or without one.
fn largest<'a>(lines: Vec<&'a Line>, key: &str) -> Vec<&'a Line> {
    let suite = "sha256-ed25519";
    let largest = lines.iter().map(|line| line.count(key)).max();
    let is_kept = |line: &&Line| {
        Some(line.count(key)) == largest && [suite, ""].contains(&line.text("suite"))
    };
    lines.into_iter().filter(is_kept).collect()
}

/// Selects the result lines of growing trees at the largest number of keys for which all twelve
/// kinds of trees were measured.
fn grown(lines: &[Line]) -> Vec<&Line> {
    let grown = of(lines, "growing");
    let is_compared = |line: &&Line| {
        let same = grown
            .iter()
            .filter(|other| other.agrees(line, &["keys", "suite"]));
        same.count() == 12
    };
    let compared = grown.iter().filter(|line| is_compared(line)).copied();
    largest(compared.collect(), "keys")
}

fn find<'a>(lines: &[&'a Line], wanted: &[(&str, &str)]) -> Option<&'a Line> {
    let is_wanted = |line: &&&Line| wanted.iter().all(|(key, text)| line.text(key) == *text);
    lines.iter().find(is_wanted).copied()
}

fn cache_everywhere(lines: &[Line]) -> Option<(Verdict, String)> {
    let grown = grown(lines);
    let of = |repository| {
        find(
            &grown,
            &[("scheme", "red-black"), ("repository", repository)],
        )
    };
    let (copied, cached) = (of("path-copying")?, of("cache-everywhere")?);
    let [time, memory] = ["prove_us_random_version", "counted_bytes_per_version"];
    let [times, sizes] = [time, memory].map(|key| (cached.figure(key), copied.figure(key)));
    let verdict = Verdict::of(&[!is_below(times.1, times.0), sizes.0 < 0.5 * sizes.1]);
    let finding = format!(
        "Red-black trees of {} keys. A proof of a random version takes {} us with caches \
         everywhere and {} us with path copying. A version takes {} bytes of memory with caches \
         everywhere and {} with path copying.",
        cached.count("keys"),
        digits(times.0),
        digits(times.1),
        digits(sizes.0),
        digits(sizes.1),
    );
    Some((verdict, finding))
}

fn red_black(lines: &[Line]) -> Option<(Verdict, String)> {
    let grown = grown(lines);
    let of = |scheme| {
        find(
            &grown,
            &[("scheme", scheme), ("repository", "path-copying")],
        )
    };
    let schemes = [of("red-black")?, of("treap")?, of("skip-list")?];
    let keys = [
        "proof_bytes",
        "counted_bytes_per_version",
        "prove_us_random_version",
    ];
    let dominates = |key: &str| {
        let [own, treap, skip_list] = schemes.map(|line| line.figure(key));
        own <= treap && own <= skip_list
    };
    let is_slower = {
        let [own, treap, skip_list] = schemes.map(|line| line.figure(keys[2]));
        is_below(treap, own) || is_below(skip_list, own)
    };
    let verdict = Verdict::of(&[dominates(keys[0]), dominates(keys[1]), !is_slower]);
    let show = |key: &str| schemes.map(|line| digits(line.figure(key))).join(", ");
    let [bytes, memory, time] = keys.map(show);
    let finding = format!(
        "{} keys, path copying. For red-black tree, treap and skip list, in this order: a proof \
         has {bytes} bytes; a version takes {memory} bytes of memory; a proof of a random version \
         takes {time} us.",
        schemes[0].count("keys"),
    );
    Some((verdict, finding))
}

/// Lists the cheapest designs in one figure. Each has the number of lookups per update from which
/// it is the cheapest.
fn cheapest<'a>(lines: &'a [Line], figure: &str) -> Vec<(&'a str, f64)> {
    let of_figure = of(lines, "tuple_cheapest").into_iter();
    let of_figure = of_figure.filter(|line| line.text("figure") == figure);
    let range = |line: &'a Line| (line.text("design"), line.figure("from_lookups_per_update"));
    of_figure.map(range).collect()
}

fn shown(ranges: &[(&str, f64)]) -> String {
    let shown: Vec<String> = ranges
        .iter()
        .map(|(design, from)| format!("{design} from {} look-ups per update", digits(*from)))
        .collect();
    shown.join(", ")
}

fn trees_or_tuples(lines: &[Line]) -> Option<(Verdict, String)> {
    let ranges = cheapest(lines, "figure7");
    let (first, last) = (ranges.first()?, ranges.last()?);
    let verdict = Verdict::of(&[first.0 == "red-black", last.0 != "red-black"]);
    Some((
        verdict,
        format!(
            "The cheapest of the measured designs at the prices of 2010, for a dictionary that \
             grows by one key in each snapshot: {}.",
            shown(&ranges)
        ),
    ))
}

/// Checks the conclusion about accumulators in every comparison of costs. These are dictionaries
/// whose witnesses the server or the author makes, and sets.
fn accumulators(lines: &[Line]) -> Option<(Verdict, String)> {
    let is_one = |line: &&Line| {
        line.text("claim") == ACCUMULATORS_CLAIM
            && !line.text("experiment").starts_with("tuple_what_if")
    };
    let compared: Vec<&Line> = lines.iter().filter(is_one).collect();
    let cost = |line: &Line| line.figure("nearest_times_cheapest_other");
    compared.first()?;
    let verdict = if compared.iter().any(|line| is_below(cost(line), 1.0)) {
        Verdict::HoldsNoLonger
    } else if compared.iter().any(|line| !is_below(1.0, cost(line))) {
        Verdict::InPart
    } else {
        Verdict::Holds
    };
    let said = |line: &&Line| {
        let (figure, sentence) = (line.text("figure"), line.text("sentence"));
        format!("{figure}: {sentence}")
    };
    let said: Vec<String> = compared.iter().map(said).collect();
    Some((verdict, said.join(" ")))
}

fn superseding(lines: &[Line]) -> Option<(Verdict, String)> {
    let traces = [
        (
            "figure8-exchange-rates",
            "Exchange rates, nearly all of which change in each snapshot",
        ),
        (
            "figure8-prices",
            "Prices, few of which change in a snapshot",
        ),
    ];
    let (mut wins, mut findings) = (Vec::new(), Vec::new());
    for (figure, name) in traces {
        let ranges = cheapest(lines, figure);
        if let Some((design, _)) = ranges.last() {
            wins.push(design.starts_with("base-superseding"));
            findings.push(format!("{name}: {}.", shown(&ranges)));
        }
    }
    wins.first()?;
    Some((Verdict::of(&wins), findings.join(" ")))
}

fn lightweight(lines: &[Line]) -> Option<(Verdict, String)> {
    let steady = of(lines, "tuple_steady");
    let has = |design: &str, keys| {
        let mut of = steady.iter().filter(|line| line.text("design") == design);
        of.any(|line| line.count("keys") == keys)
    };
    let designs = ["base-lightweight", "spec-superseding", "spec-lightweight"];
    let sizes = steady.iter().map(|line| line.count("keys"));
    let keys = sizes
        .filter(|keys| designs.iter().all(|design| has(design, *keys)))
        .max()?;
    let times = |design| {
        let mut of = steady
            .iter()
            .filter(|line| line.text("design") == design && line.count("keys") == keys);
        of.next()?.number("times_base_superseding")
    };
    let [light, speculating, both] = designs.map(times);
    let (light, speculating, both) = (light?, speculating?, both?);
    let verdict = Verdict::of(&[
        light > MARGIN,
        speculating > MARGIN,
        is_below(light.max(speculating), both),
    ]);
    let [light, speculating, both] = [light, speculating, both].map(digits);
    let finding = format!(
        "{keys} keys, one change in each snapshot. Compared with superseding signatures and no \
            speculation, an author is {light} times as fast with lightweight signatures, \
            {speculating} times with speculation, and {both} times with both."
    );
    Some((verdict, finding))
}

fn rsa_or_bilinear(lines: &[Line]) -> Option<(Verdict, String)> {
    let lines = of(lines, "accumulators");
    let one = |accumulator: &str, operation: &str| {
        let is_one = |line: &&&Line| {
            line.text("accumulator") == accumulator
                && line.text("operation") == operation
                && line.count("threads") == 1
        };
        let found = lines
            .iter()
            .filter(is_one)
            .max_by_key(|line| line.count("n"))?;
        Some(found.figure("per_element_us"))
    };
    let (mut faster, mut slower, mut equal) = (Vec::new(), Vec::new(), 0);
    for operation in OPERATIONS {
        let (bilinear, rsa) = (
            one("bilinear-bls12-381", operation)?,
            one("rsa-3072", operation)?,
        );
        let times = format!(
            "{} ({} times)",
            operation.replace('_', " "),
            digits(rsa / bilinear)
        );
        if is_below(bilinear, rsa) {
            faster.push(times);
        } else if is_below(rsa, bilinear) {
            slower.push(operation.replace('_', " "));
        } else {
            equal += 1;
        }
    }
    let is_most = faster.len() * 3 >= OPERATIONS.len() * 2;
    let verdict = Verdict::of(&[is_most, faster.len() > slower.len()]);
    let slower = if slower.is_empty() {
        "none".to_owned()
    } else {
        slower.join(", ")
    };
    let finding = format!(
        "BLS12-381 compared with RSA of 3072 bits, one thread. Bilinear is faster for {}. RSA is \
            faster for {slower}. About equal: {equal} operations.",
        faster.join(", "),
    );
    Some((verdict, finding))
}

/// Operations that are measured for both accumulators, and so compared.
const OPERATIONS: [&str; 10] = [
    "representatives",
    "accumulate_secret_once",
    "accumulate_secret_each",
    "accumulate_public",
    "witnesses_secret",
    "witnesses_public",
    "verify",
    "verify_batch",
    "change_secret",
    "update_witness",
];

fn batches_of_blocks(lines: &[Line]) -> Option<(Verdict, String)> {
    let lines = of(lines, "flexlist_multi");
    let most = lines.iter().map(|line| line.count("updates")).max()?;
    let is_last =
        |line: &&&Line| line.count("updates") == most && line.text("order") == "consecutive";
    let line = lines.iter().find(is_last)?;
    let gain = |side: &str| line.number(&format!("{side}.gain"));
    let (server, client) = (gain("server")?, gain("client")?);
    let finding = format!(
        "A batch of {most} consecutive updates in a file of {} blocks saves a server {} of its \
            time and a client {}. The witness of the batch has {} bytes, the witnesses one by one \
            have {} bytes.",
        line.count("blocks"),
        percent(server),
        percent(client),
        digits(line.figure("witness_bytes")),
        digits(line.figure("singles_witness_bytes")),
    );
    Some((Verdict::of(&[server > 0.3, client > 0.3]), finding))
}

fn append_only(lines: &[Line]) -> Option<(Verdict, String)> {
    let visits = of(lines, "aad_bandwidth");
    let entries = |line: &Line| {
        let versions = line.count("versions");
        line.count("entries_per_version").saturating_mul(versions)
    };
    let line = visits
        .iter()
        .max_by_key(|line| (line.count("n"), entries(line)))?;
    let [own, plain, trees] =
        ["aad_bytes", "ct_like_bytes", "coniks_like_bytes"].map(|key| line.figure(key));
    let first = visits
        .iter()
        .min_by_key(|line| (line.count("n"), entries(line)))?;
    let finding = format!(
        "A client returns to a log of at most {} entries, which has grown by {}: it receives {} \
         bytes. A plain log sends {}, a tree for each version {}. After growth by {} in a log of \
         at most {}: {} bytes; a plain log sends {}.",
        line.count("n"),
        entries(line),
        digits(own),
        digits(plain),
        digits(trees),
        entries(first),
        first.count("n"),
        digits(first.figure("aad_bytes")),
        digits(first.figure("ct_like_bytes")),
    );
    let is_always = first.figure("aad_bytes") < first.figure("ct_like_bytes");
    Some((Verdict::of(&[own < plain, is_always]), finding))
}

fn sums_of_blocks(lines: &[Line]) -> Option<(Verdict, String)> {
    let lines = of(lines, "directory_inserts");
    let us = |strategy: &str, bytes: u64| {
        let mut of = lines
            .iter()
            .filter(|line| line.text("strategy") == strategy);
        of.find(|line| line.count("block_bytes") == bytes)?
            .number("update_us")
    };
    let strategies = [
        "ad-hash-1600",
        "sha-384-scanning",
        "mu-hash-1024-postponed",
        "merkle",
    ];
    let sizes = lines.iter().map(|line| line.count("block_bytes"));
    let has_all = |bytes: &u64| {
        strategies
            .iter()
            .all(|strategy| us(strategy, *bytes).is_some())
    };
    let bytes = sizes.filter(has_all).max()?;
    let [sums, pairs, products, path] = strategies.map(|strategy| us(strategy, bytes));
    let (sums, pairs, products, path) = (sums?, pairs?, products?, path?);
    let verdict = Verdict::of(&[
        is_below(4.0 * sums, pairs),
        is_below(sums, pairs),
        is_below(sums, products),
    ]);
    let finding = format!(
        "Cryptography of an insertion into blocks of {bytes} bytes: {} us with AdHASH (sums), {} \
         us with SHA-384 over the whole block in pairs, {} us with MuHASH of 1024 bits (products, \
         inverses postponed). A stored tree, of which only one path is hashed, takes {} us.",
        digits(sums),
        digits(pairs),
        digits(products),
        digits(path),
    );
    Some((verdict, finding))
}

fn hints(lines: &[Line]) -> Option<(Verdict, String)> {
    let lines = of(lines, "directory_hints");
    let is_compared =
        |line: &&&Line| line.count("capacity") == 68 && line.count("update_percent") == 25;
    let compared: Vec<&Line> = lines.iter().filter(is_compared).copied().collect();
    let compared = largest(compared, "entries");
    let reads = |hints: bool| {
        let with = compared
            .iter()
            .find(|line| line.get("hints") == Some(&hints.into()))?;
        with.number("reads_per_lookup")
    };
    let (without, with) = (reads(false)?, reads(true)?);
    let finding = format!(
        "Synthetic trace over {} entries, with updates as a quarter of the writes to known \
            entries: a look-up reads {} blocks without hints and {} with hints.",
        compared[0].count("entries"),
        digits(without),
        digits(with),
    );
    Some((
        Verdict::of(&[with < without, 6.0 * with <= without]),
        finding,
    ))
}
