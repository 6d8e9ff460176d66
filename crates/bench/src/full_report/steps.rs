//! Steps of a report, quick or full. The file `steps.txt` lists them.

/// Steps of both reports; a block for each [`Depth`], after one that describes the format.
const STEPS: &str = include_str!("steps.txt");

/// Sizes of the measurements in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Small sizes, about ten minutes on two cores. Suffices for every ranking that the page states
    /// in words.
    Quick,
    /// The sizes of the papers, about 85 minutes on two cores.
    Full,
}

/// One step of a report: a call of this program with `--json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the step, for its file and on the page.
    pub name: String,
    /// Command and arguments of the call, separated by spaces. [`PORTABLE`] may come first.
    pub arguments: String,
    /// Expected seconds on a 2-core virtual EPYC machine, for the first estimate of the remaining
    /// time.
    pub expected_seconds: u64,
}

/// Setting of the environment with which a step measures the portable kernels of lanes.
pub const PORTABLE: &str = "PAD_LANES=off ";

impl Step {
    /// Returns the arguments without [`PORTABLE`], and whether the step has this setting.
    pub fn call(&self) -> (&str, bool) {
        match self.arguments.strip_prefix(PORTABLE) {
            Some(arguments) => (arguments, true),
            None => (&self.arguments, false),
        }
    }
}

/// Returns the steps of a report, in the order in which they run.
pub fn steps(depth: Depth) -> Vec<Step> {
    let block = match depth {
        Depth::Full => 1,
        Depth::Quick => 2,
    };
    let lines = STEPS.split("\n\n").nth(block).unwrap_or_default().lines();
    let steps = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let (begin, arguments) = line.split_once(": ")?;
        let (seconds, name) = begin.split_once(' ')?;
        Some(Step {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            expected_seconds: seconds.parse().ok()?,
        })
    });
    steps
        .collect::<Option<_>>()
        .expect("steps.txt: every line is a step")
}
