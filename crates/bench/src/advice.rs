//! Benchmarks that supplement `pad advise`. The command `bench calibrate` measures this machine,
//! and `bench verify` checks a given advice.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use comparison::{
    Scheme,
    advice::{Advice, Candidate, Question},
    records::Records,
};

use crate::{
    columns::Derived,
    compare, line,
    measure::{
        Record,
        trial::{Calibration, scaled, trial},
    },
    prelude::*,
};

/// The command line of `bench calibrate` and of `bench verify`: the advice, and the measurements
/// that it is computed from.
#[derive(Clone, Debug, Args)]
pub struct AdviceArguments {
    /// File with the output of `pad advise --json`.
    #[arg(long, value_name = "FILE")]
    advice: PathBuf,
    /// File with the measurements from which the advice was computed; by default those bundled with
    /// `pad`.
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Prints one JSON object per line instead of tables.
    #[arg(long)]
    json: bool,
}

impl AdviceArguments {
    fn read(&self) -> Outcome<(Question, Records)> {
        let question = serde_json::from_str(&read_text(&self.advice)?)
            .map_err(|error| format!("{}: {error}", self.advice.display()))?;
        let records = match &self.data {
            Some(path) => Records::parse(&path.display().to_string(), &read_text(path)?)?,
            None => Records::shipped(),
        };
        Ok((question, records))
    }

    /// Measures, on this machine, the schemes that could be the winner of the advice.
    pub fn calibrate(&self) -> Outcome<()> {
        let (Question { wanted, tariff }, records) = self.read()?;
        let mut report = Report::new(self.json, true)?;
        let advice = Advice::new(&wanted, &tariff, &records);
        let calibration = Calibration::new(&advice, &wanted.load);
        let (mut done, mut measured) = (0, 0);
        calibration.run(MINUTE, |scheme, record| {
            done += 1;
            measured += usize::from(matches!(record, Record::Measured(_)));
            report.announce(format!(
                "{done} of {} measurements",
                calibration.tasks.len()
            ));
            report.measured(compare::line(scheme, &record).and("quick", true))
        })?;
        ensure(
            measured > 0,
            "no scheme that does what is needed can be measured",
        )?;
        report.finish(compare::tables)
    }

    /// Measures the winner of the advice and other schemes, and reports their costs next to the
    /// predicted ones.
    pub fn verify(&self) -> Outcome<()> {
        let (Question { wanted, tariff }, records) = self.read()?;
        let mut report = Report::new(self.json, false)?;
        let advice = Advice::new(&wanted, &tariff, &records);
        let load = scaled(&wanted.load);
        for scheme in first(&advice) {
            report.announce(format!("{}, {} keys", scheme.name, load.keys));
            let line = match trial(scheme, &load, &tariff, &records, LONGEST) {
                Ok(None) => continue,
                Ok(Some(line)) => line,
                Err(error) => line! { reason: error.to_string() },
            };
            let named = line! { experiment: VERIFY, scheme: scheme.name };
            report.measured(named.merged(&load).merged(&line))?;
        }
        report.finish(tables)
    }
}

/// Selects the schemes to run: the winner, the two cheapest schemes, and the cheapest scheme that
/// does not belong to the winner's family. The cheapest is first.
fn first(advice: &Advice) -> Vec<&'static Scheme> {
    let chosen = [advice.winner(), advice.other_family()];
    let is_chosen = |candidate: &Candidate| {
        let mut names = chosen.into_iter().flatten().map(|it| it.scheme.name);
        names.any(|name| name == candidate.scheme.name)
    };
    let ranked = advice.ranked.iter().enumerate();
    let first = ranked.filter(|(place, candidate)| *place < 2 || is_chosen(candidate));
    first.map(|(_, candidate)| candidate.scheme).collect()
}

/// Makes the tables for the result lines of `bench verify`.
fn tables(lines: &[Line]) -> Tables {
    let derived: Derived = |all, _| line! { order: order(all) };
    shown("verify", derived, lines).signed(lines)
}

/// Describes whether the measured costs rank the schemes in the predicted order.
pub fn order(lines: &[Line]) -> &'static str {
    let mut predicted: Vec<&Line> = lines.iter().collect();
    predicted.retain(|line| line.get("dollars_per_month").is_some());
    let total = |line: &Line| line.figure("predicted_dollars_per_month");
    predicted.sort_by(|one, other| total(one).total_cmp(&total(other)));
    if predicted.is_sorted_by_key(|line| line.figure("dollars_per_month")) {
        "in the order that was predicted"
    } else {
        "in another order than was predicted"
    }
}

const VERIFY: &str = "verify";
const MINUTE: Duration = Duration::from_secs(50);
const LONGEST: Duration = Duration::from_secs(20);
