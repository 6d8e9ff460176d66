//! Steps of a report, quick or full. The file `steps.txt` lists them.

/// Steps of both reports: a block that describes the format, one for the full report and one for
/// the quick one.
const STEPS: &str = include_str!("steps.txt");

/// One step of a report: a call of this program with `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the step, for its file and on the page.
    pub name: &'static str,
    /// Command and arguments of the call, separated by spaces. [`PORTABLE`] may come first.
    pub arguments: &'static str,
    /// Expected seconds on a 2-core virtual EPYC machine, for the first estimate of the remaining
    /// time.
    pub expected_seconds: u64,
}

/// Setting of the environment with which a step measures the portable kernels of lanes.
pub const PORTABLE: &str = "PAD_LANES=off ";

impl Step {
    /// Returns the arguments without [`PORTABLE`], and whether the step has this setting.
    pub fn call(&self) -> (&'static str, bool) {
        match self.arguments.strip_prefix(PORTABLE) {
            Some(arguments) => (arguments, true),
            None => (self.arguments, false),
        }
    }
}

/// Returns the steps of the full or the quick report, in the order in which they run.
///
/// The full report has the sizes of the papers, and takes about 85 minutes on two cores. The quick
/// one takes about ten minutes, and suffices for every ranking that the page states in words.
pub fn steps(is_quick: bool) -> Vec<Step> {
    let block = STEPS.split("\n\n").nth(1 + usize::from(is_quick));
    let lines = block.unwrap_or_default().lines();
    let steps = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let (begin, arguments) = line.split_once(": ")?;
        let (seconds, name) = begin.split_once(' ')?;
        Some(Step {
            name,
            arguments,
            expected_seconds: seconds.parse().ok()?,
        })
    });
    steps
        .collect::<Option<_>>()
        .expect("steps.txt: every line is a step")
}
