//! Selects steps of an earlier report, so that a new report can show them without measuring them
//! again.

use super::{run::RUN, steps::Step};
use crate::line::{Line, of};

/// Selects the result lines of steps that are in `earlier` but not in `lines`. Only steps that
/// `steps` contains with the same arguments are selected.
///
/// The lines of each step begin with the line that describes its run.
pub fn missing(lines: &[Line], earlier: &[Line], steps: &[Step]) -> Vec<Line> {
    let measured = of(lines, RUN);
    let is_missing = |run: &Line| {
        let is_measured = measured
            .iter()
            .any(|line| line.text("step") == run.text("step"));
        let is_step = steps
            .iter()
            .any(|step| step.name == run.text("step") && step.arguments == run.text("arguments"));
        is_step && !is_measured
    };
    let (mut kept, mut is_kept) = (Vec::new(), false);
    for line in earlier {
        if line.text("experiment") == RUN {
            is_kept = is_missing(line);
        }
        if is_kept {
            kept.push(line.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn steps_that_are_missing_come_with_their_lines() {
        let run = |step: &str, arguments: &str| {
            line! { experiment: RUN, step: step, arguments: arguments }
        };
        let figure = |number: u64| line! { experiment: "x", number: number };
        let step = |name: &str| Step {
            name: name.to_owned(),
            arguments: format!("{name} --all"),
            expected_seconds: 1,
        };
        let steps = [step("a"), step("b"), step("c")];
        let lines = [run("a", "a --all"), figure(1)];
        let earlier = [
            figure(0),
            run("a", "a --all"),
            figure(2),
            run("b", "b --all"),
            figure(3),
            figure(4),
            run("c", "c --some"),
            figure(5),
        ];
        let kept = missing(&lines, &earlier, &steps);
        assert_eq!(kept, [run("b", "b --all"), figure(3), figure(4)]);
    }
}
