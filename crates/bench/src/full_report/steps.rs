//! Steps of a report, quick or full. Steps are short, because an interrupted report resumes after
//! its last finished step.

use clap::ValueEnum;

/// Sizes of the measurements in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Depth {
    /// Small sizes, about ten minutes on two cores. Suffices for every ranking that the page states
    /// in words.
    Quick,
    /// The sizes of the papers, about 90 minutes on two cores.
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
    let (steps, growing) = match depth {
        Depth::Quick => (QUICK, &QUICK_GROWING[..]),
        Depth::Full => (FULL, &FULL_GROWING[..]),
    };
    let step = |(name, arguments, seconds): &(&str, &str, u64)| Step {
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
        expected_seconds: *seconds,
    };
    let mut steps: Vec<Step> = steps.iter().map(step).collect();
    for (keys, options, designs) in growing {
        steps.extend(designs.iter().map(|(design, seconds)| Step {
            name: format!("growing-{keys}-{design}"),
            arguments: format!(
                "tuple --experiment growing --designs {design} --keys {keys} {options}"
            ),
            expected_seconds: *seconds,
        }));
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
        120),
    ("tuple-threads", "tuple --experiment threads --quick", 5),
    ("tuple-traces", "tuple --experiment macrobenchmark --last 40 --limit 10 --quick", 80),
    ("accumulators",
        "accumulators --elements 1000 --experiment operations,slopes,sets,hints --quick", 90),
    ("aad-counted",
        "aad --scheme aad-counted --elements 32,128,512,2048 --appends 2048 \
            --bandwidth-elements 512,2048 --longest 90 --quick", 40),
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

/// Steps for figure 7, one for each design: a number of keys, further options, and the
/// designs with their expected seconds.
type GrowingSteps = (u64, &'static str, &'static [(&'static str, u64)]);

const QUICK_GROWING: [GrowingSteps; 1] = [(100, "--limit 6 --quick", &ALL_DESIGNS)];

/// All designs at a size that accumulators reach within two minutes. Designs that sign few tuples
/// in a snapshot reach the paper's size too.
const FULL_GROWING: [GrowingSteps; 2] = [
    (500, "--limit 900", &ALL_DESIGNS),
    (
        10_000,
        "--limit 900",
        &[
            ("red-black", 5),
            ("base-lightweight", 60),
            ("spec", 28),
            ("spec-superseding", 28),
            ("spec-lightweight", 8),
            ("spec-lightweight-3", 8),
            ("spec-lightweight-bls", 32),
        ],
    ),
];

#[rustfmt::skip]
const FULL: Steps = &[
    ("primitives", "primitives", 5),
    ("tree", "tree --keys 10000 --experiment growing,steady_state,paper_layout,what_if", 300),
    ("stored", "stored --keys 10000,100000,1000000,10000000 --medium memory,files,jmt", 380),
    ("tuple-steady", "tuple --experiment steady --limit 10", 200),
    ("peers", "peers --keys 1000,10000,100000", 970),
    ("accumulators",
        "accumulators --elements 1000,10000 --experiment operations,slopes,sets,hints,keys \
            --longest 60", 720),
    ("flexlist", "flexlist --experiment build,hash_share,multi,audit", 90),
    ("aad-counted", "aad --scheme aad-counted", 250),
    ("aad-frontier",
        "aad --scheme aad-frontier --frontier-elements 32,128 --experiment \
            append,lookup,append_only,memory", 210),
    ("directory", "directory", 480),
    ("compare", "compare --keys 1000,10000,100000 --changes 1,100 --limit 1", 450),
    ("tuple-scaling", "tuple --experiment scaling --limit 60", 60),
    ("tuple-threads", "tuple --experiment threads --limit 60", 20),
    ("tuple-traces", "tuple --experiment macrobenchmark --limit 20", 70),
    ("batch", "batch", 25),
    ("tree-2010",
        "tree --keys 100000 --experiment growing --suite paper-2010 --repository path-copying", 60),
    ("tree-large", "tree --keys 100000 --experiment growing", 210),
    ("flexlist-history", "flexlist --experiment replay,locality", 30),
    ("flexlist-network", "flexlist --experiment network --network-blocks 100000", 200),
];

/// Designs of dictionaries in figure 7: a tree, and tuples. Each has its expected seconds for 500
/// keys. Designs with accumulators are tuples with and without hash chains, over RSA and over
/// bilinear accumulators.
const ALL_DESIGNS: [(&str, u64); 14] = [
    ("red-black", 1),
    ("base", 5),
    ("base-superseding", 5),
    ("base-lightweight", 2),
    ("base-superseding-bls", 90),
    ("spec", 2),
    ("spec-superseding", 2),
    ("spec-lightweight", 2),
    ("spec-lightweight-3", 2),
    ("spec-lightweight-bls", 3),
    ("accumulators-rsa", 90),
    ("chain-accumulators-rsa", 90),
    ("accumulators-bilinear", 60),
    ("chain-accumulators-bilinear", 60),
];
