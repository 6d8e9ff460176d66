//! `--calibrate` and `--verify`: schemes that are run for real.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use comparison::{
    Load,
    advice::Advice,
    trial::{Calibrated, Calibration, Trial, scaled, trial},
};
use serde_json::{Value as Json, json};

use super::{
    Basis,
    shown::{digits, rivals},
};
use crate::cli::{Failure, Output, progress};

/// Schemes that could not be measured, with the errors.
type Failures = Vec<(&'static str, String)>;

/// Measures what could win, with a bar; fails if nothing can be measured.
pub(super) fn calibrate(
    advice: &Advice,
    load: &Load,
    output: &Output,
) -> Result<Calibrated, Failure> {
    let calibration = Calibration::new(advice, load);
    let steps = u64::try_from(calibration.steps()).unwrap_or(u64::MAX);
    let bar = progress::bar(
        output,
        steps,
        "{bar:40} {pos}/{len} measured, {elapsed}, {eta} left",
    );
    let calibrated = calibration.run(MINUTE, || bar.inc(1));
    bar.finish_and_clear();
    if !calibrated.measured.is_empty() {
        return Ok(calibrated);
    }
    Err(match calibrated.failed.first() {
        Some((scheme, error)) => Failure::Store(format!("measuring {scheme}: {error}")),
        None => {
            Failure::input("there is nothing to calibrate: no scheme does what is needed in time")
        }
    })
}

/// What failed, for people and for programs.
pub(super) fn failures(failed: &[(&'static str, String)]) -> (String, Json) {
    let lines = failed
        .iter()
        .map(|(scheme, error)| format!("\n  {scheme}: {error}"));
    let text = format!("Could not be run:{}", lines.collect::<String>());
    let objects = failed
        .iter()
        .map(|(scheme, error)| json!({ "scheme": scheme, "error": error }));
    (text, objects.collect())
}

/// Runs the winner and its rivals for a load that is short enough.
pub(super) fn verify(
    advice: &Advice,
    load: &Load,
    basis: &Basis,
    output: &Output,
) -> (String, Json) {
    let load = scaled(load);
    let rivals = rivals(advice, &load, basis);
    let rivals = rivals.iter().map(|rival| rival.candidate);
    let (mut trials, mut failed) = (Vec::new(), Failures::new());
    for candidate in advice.winner().into_iter().chain(rivals) {
        let bar = progress::spinner(output, format!("running {}", candidate.scheme.name));
        let done = trial(
            candidate.scheme,
            &load,
            &basis.tariff,
            &basis.records,
            LONGEST,
        );
        bar.finish_and_clear();
        match done {
            Ok(done) => trials.extend(done),
            Err(error) => failed.push((candidate.scheme.name, error.to_string())),
        }
    }
    let (mut text, mut object) = (text(&trials, &load), object(&trials, &load));
    if !failed.is_empty() {
        let (shown, failures) = failures(&failed);
        text = [text, shown].join("\n");
        object["failed"] = failures;
    }
    (text, object)
}

fn text(trials: &[Trial], load: &Load) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_header([
        "run for real",
        "dollars a month",
        "predicted",
        "ratio",
        "author us",
        "predicted",
        "proof bytes",
        "predicted",
    ]);
    for trial in trials {
        let (cost, predicted) = (trial.cost.total(), trial.estimated.cost.total());
        let (figures, estimated) = (&trial.figures, &trial.estimated.figures);
        table.add_row([
            trial.estimated.scheme.name.to_owned(),
            digits(cost),
            digits(predicted),
            if predicted > 0.0 {
                digits(cost / predicted)
            } else {
                "-".into()
            },
            digits(figures.author_us),
            digits(estimated.author_us),
            digits(figures.proof_bytes.unwrap_or(0.0)),
            digits(estimated.proof_bytes.unwrap_or(0.0)),
        ]);
    }
    for column in 1..8 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let order = if agrees(trials) {
        "in the order that was predicted"
    } else {
        "in another order than was predicted"
    };
    format!(
        "{table}\n{} keys, {} changes in a snapshot; {order}.",
        load.keys, load.changes
    )
}

fn object(trials: &[Trial], load: &Load) -> Json {
    let shown = trials.iter().map(|trial| {
        json!({
            "scheme": trial.estimated.scheme.name,
            "dollars_per_month": trial.cost.total(),
            "predicted_dollars_per_month": trial.estimated.cost.total(),
            "measured": trial.figures,
            "predicted": trial.estimated.figures,
        })
    });
    json!({
        "load": load,
        "same_order": agrees(trials),
        "schemes": shown.collect::<Vec<_>>(),
    })
}

/// Whether the costs have the order of the predictions.
fn agrees(trials: &[Trial]) -> bool {
    let mut predicted: Vec<_> = trials.iter().collect();
    let total = |trial: &Trial| trial.estimated.cost.total();
    predicted.sort_by(|one, other| total(one).total_cmp(&total(other)));
    predicted.is_sorted_by(|one, next| one.cost.total() <= next.cost.total())
}

const MINUTE: Duration = Duration::from_secs(50);
const LONGEST: Duration = Duration::from_secs(20);
