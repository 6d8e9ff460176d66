//! Steps of a full report. They are small, because a resumed report does not measure finished steps
//! again.

use clap::ValueEnum;

/// Sizes of the measurements in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Depth {
    /// Small sizes, about ten minutes on two cores. Suffices for every ranking that the page states
    /// in words.
    Quick,
    /// The sizes of the papers: some hours.
    Full,
}

/// One step of a report: a call of this program with `--json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the step, for its file and on the page.
    pub name: String,
    /// Command and arguments of the call, separated by spaces.
    pub arguments: String,
    /// Expected seconds on a 2-core virtual EPYC machine, for the first estimate of the remaining
    /// time.
    pub expected_seconds: u64,
}

/// Returns the steps of a report, in the order in which they run.
pub fn steps(depth: Depth) -> Vec<Step> {
    let (steps, figure_7) = match depth {
        Depth::Quick => (QUICK, QUICK_FIGURE_7),
        Depth::Full => (FULL, FULL_FIGURE_7),
    };
    let step = |(name, arguments, seconds): &(&str, &str, u64)| Step {
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
        expected_seconds: *seconds,
    };
    let mut steps: Vec<Step> = steps.iter().map(step).collect();
    // One design in a step: those with accumulators take hours.
    for design in DESIGNS {
        let (arguments, seconds) = figure_7;
        steps.push(Step {
            name: format!("tuple-growing-{design}"),
            arguments: format!("tuple --experiment growing --designs {design} {arguments}"),
            expected_seconds: if design.contains("accumulators") {
                seconds * 10
            } else {
                seconds
            },
        });
    }
    steps
}

/// Steps, each with its name, its arguments and its expected seconds.
type Steps = &'static [(&'static str, &'static str, u64)];

#[rustfmt::skip]
const QUICK: Steps = &[
    ("primitives", "primitives --quick", 2),
    ("tree", "tree --quick --keys 10000 --experiment growing,steady_state,paper_layout,what_if",
        20),
    ("compare", "compare --quick --keys 1000", 60),
    ("batch", "batch --keys 100000 --batch 10000 --quick", 10),
    ("stored", "stored --keys 1000,10000 --quick", 10),
    ("tuple-steady", "tuple --experiment steady --keys 1000 --sizes 1000,10000 --limit 5 --quick",
        40),
    ("tuple-threads", "tuple --experiment threads --quick", 5),
    ("tuple-traces", "tuple --experiment macrobenchmark --last 40 --limit 10 --quick", 80),
    ("accumulators",
        "accumulators --elements 1000 --experiment operations,slopes,sets,hints --quick", 40),
    ("aad-counted",
        "aad --scheme aad-counted --elements 32,128,512,2048,8192 --appends 8192 \
            --bandwidth-elements 1024,8192 --longest 90 --quick", 60),
    ("aad-frontier",
        "aad --scheme aad-frontier --frontier-elements 32 --experiment \
            append,lookup,append_only,memory --longest 90 --quick", 12),
    ("directory", "directory --quick", 60),
    ("flexlist",
        "flexlist --build-blocks 100000 --update-blocks 100000 --blocks 100000 --tags \
            hash-only,private-mac,public-bls --experiment build,hash_share,multi,audit", 60),
    ("flexlist-history", "flexlist --experiment replay,locality --quick", 30),
    ("flexlist-network", "flexlist --experiment network --quick", 2),
];

/// Arguments of the quick steps for figure 7, and the expected seconds of a step whose design has
/// no accumulators.
const QUICK_FIGURE_7: (&str, u64) = ("--keys 1000 --limit 6 --quick", 3);

#[rustfmt::skip]
const FULL: Steps = &[
    ("primitives", "primitives", 10),
    ("compare", "compare --keys 1000,10000,100000 --changes 1,100,1000", 900),
    ("tree", "tree --keys 10000 --experiment growing,steady_state,paper_layout,what_if", 120),
    ("tuple-scaling", "tuple --experiment scaling --limit 60", 120),
    ("tuple-steady", "tuple --experiment steady --limit 20", 400),
    ("tuple-threads", "tuple --experiment threads --limit 60", 30),
    ("tuple-traces", "tuple --experiment macrobenchmark --limit 20", 400),
    ("accumulators",
        "accumulators --elements 1000,10000 --experiment operations,slopes,sets,hints,keys \
            --longest 300", 600),
    ("directory", "directory", 600),
    ("aad-counted", "aad --scheme aad-counted", 600),
    ("aad-frontier",
        "aad --scheme aad-frontier --frontier-elements 32,128 --experiment \
            append,lookup,append_only,memory", 600),
    ("flexlist", "flexlist --experiment build,hash_share,multi,audit", 300),
    ("batch", "batch", 120),
    ("stored", "stored --keys 10000,100000,1000000,10000000 --medium memory,files,jmt", 700),
    ("tree-2010",
        "tree --keys 100000 --experiment growing --suite paper-2010 --repository path-copying", 60),
    ("tree-large", "tree --keys 100000 --experiment growing", 300),
    ("tree-million",
        "tree --keys 1000000 --scheme red-black --repository path-copying --experiment growing",
        150),
    ("flexlist-history", "flexlist --experiment replay,locality", 30),
    ("flexlist-network", "flexlist --experiment network --network-blocks 500000", 900),
];

const FULL_FIGURE_7: (&str, u64) = ("--keys 10000 --limit 14400", 60);

/// Designs of dictionaries in figure 7, one step for each: a tree, and tuples. Designs with
/// accumulators are tuples with and without hash chains, over RSA and over bilinear accumulators.
const DESIGNS: [&str; 14] = [
    "red-black",
    "base",
    "base-superseding",
    "base-lightweight",
    "base-superseding-bls",
    "spec",
    "spec-superseding",
    "spec-lightweight",
    "spec-lightweight-3",
    "spec-lightweight-bls",
    "accumulators-rsa",
    "chain-accumulators-rsa",
    "accumulators-bilinear",
    "chain-accumulators-bilinear",
];
