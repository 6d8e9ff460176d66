//! Conclusions about tuples (Crosby and Wallach 2010, sections 7 to 10).

use super::{Checked, MARGIN, figures, is_below, largest, listed};
use crate::{
    line,
    line::{Line, groups, like, of},
    tables::digits,
    tuple::{conclusion::nearest, costs::Expense, figure7, table::title_of},
};

/// Lists the cheapest designs in one figure. Each has the number of lookups per update from which
/// it is the cheapest.
fn cheapest<'a>(lines: &'a [Line], figure: &str) -> Vec<(&'a str, f64)> {
    let of_figure = of(lines, "tuple_cheapest").into_iter();
    let of_figure = of_figure.filter(|line| line.text("figure") == figure);
    let range = |line: &'a Line| (line.text("design"), line.figure("from_lookups_per_update"));
    of_figure.map(range).collect()
}

fn shown(ranges: &[(&str, f64)]) -> String {
    listed(ranges.iter().map(|(design, from)| {
        let from = digits(*from);
        format!("{design} from {from} look-ups per update")
    }))
}

/// Names the designs that are in any figure 7 but not in `figure`; empty if there are none.
fn absent(lines: &[Line], figure: &str) -> String {
    let drawn = of(lines, "tuple_lookup_costs");
    let growing = drawn.into_iter().filter(|line| figure7::follows(line));
    let (here, all): (Vec<&Line>, Vec<&Line>) =
        growing.partition(|line| line.text("figure") == figure);
    let mut absent: Vec<&str> = all.iter().map(|line| line.text("design")).collect();
    absent.retain(|design| here.iter().all(|line| line.text("design") != *design));
    if absent.is_empty() {
        String::new()
    } else {
        format!(" Not measured at this size: {}.", absent.join(", "))
    }
}

pub(super) fn trees_or_tuples(lines: &[Line]) -> Option<Checked> {
    let ranges = cheapest(lines, "figure7");
    let (first, last) = (ranges.first()?, ranges.last()?);
    let parts = vec![first.0 == "red-black", last.0 != "red-black"];
    let absent = absent(lines, "figure7");
    Some((parts, figures! { designs: shown(&ranges), absent }))
}

pub(super) fn cheaper_bandwidth(lines: &[Line]) -> Option<Checked> {
    let lines = of(lines, "tuple_what_if");
    let until = |begin: &str| {
        let mut lines = lines.iter();
        let of = lines.find(|line| line.text("scenario").starts_with(begin))?;
        of.number("red_black_until")
    };
    let (before, after) = (until("prices")?, until("bandwidth")?);
    // The paper's quotient is 200 / 15.
    let is_less = is_below(after, before * 200.0 / 15.0);
    let parts = vec![is_below(before, after), !is_less];
    Some((parts, figures! { before, after }))
}

/// Checks the conclusion about accumulators in every comparison of costs: of dictionaries whose
/// witnesses the server or the author makes, and of sets.
pub(super) fn accumulators(lines: &[Line]) -> Option<Checked> {
    let is_cost = |line: &&Line| {
        let experiment = line.text("experiment");
        experiment.ends_with("_lookup_costs") && !experiment.starts_with("tuple_what_if")
    };
    let compared: Vec<&Line> = lines.iter().filter(is_cost).collect();
    let figures = groups(&compared, &["experiment", "figure"]).into_iter();
    let figures = figures.map(|lines| {
        let expenses = lines.iter().filter_map(|line| Expense::read(line));
        (readable(lines[0].text("figure")), expenses.collect())
    });
    let figures: Vec<(String, Vec<Expense>)> = figures.collect();
    let least = |kind: &str| {
        let ratios = figures.iter().filter_map(|(name, designs)| {
            let (ratio, at, _) = nearest(designs, kind)?;
            Some((ratio, format!("{} look-ups, {name}", digits(at))))
        });
        ratios.min_by(|one, other| one.0.total_cmp(&other.0))
    };
    let (rsa, figure) = least("rsa")?;
    let bilinear = least("bilinear").map_or_else(String::new, |(bilinear, figure)| {
        let bilinear = digits(bilinear);
        format!(
            " Bilinear accumulators, which the paper did not measure, cost at least {bilinear} \
             times ({figure})."
        )
    });
    let parts = vec![!is_below(rsa, 1.0), is_below(1.0, rsa)];
    Some((parts, figures! { rsa, figure, bilinear }))
}

/// Formats the name of a figure for a sentence.
fn readable(figure: &str) -> String {
    if figure.starts_with("figure") {
        title_of(figure)
    } else {
        figure.replace('-', " ")
    }
}

pub(super) fn superseding(lines: &[Line]) -> Option<Checked> {
    let ranges = cheapest(lines, "figure8-prices");
    let (first, last) = (ranges.first()?, ranges.last()?);
    let until = ranges.get(1).map_or(f64::INFINITY, |(_, from)| *from);
    let is_about = |figure: f64, paper: f64| !is_below(figure, paper) && !is_below(paper, figure);
    let parts = vec![
        last.0 == "base-superseding",
        first.0 == "red-black" && is_about(until, 5000.0),
        last.0 == "base-superseding" && is_about(last.1, 25_000.0),
    ];
    let rates = cheapest(lines, "figure8-exchange-rates");
    let rates = if rates.is_empty() {
        String::new()
    } else {
        let rates = shown(&rates);
        format!(" Exchange rates, nearly all of which change in each snapshot: {rates}.")
    };
    Some((parts, figures! { prices: shown(&ranges), rates }))
}

pub(super) fn lightweight(lines: &[Line]) -> Option<Checked> {
    let steady = of(lines, "tuple_steady");
    let of_design = |design: &str, keys: u64| like(&steady, &line! { design, keys });
    let designs = ["base-lightweight", "spec-superseding", "spec-lightweight"];
    let sizes = steady.iter().map(|line| line.count("keys"));
    let has_all = |keys: &u64| designs.iter().all(|it| of_design(it, *keys).is_some());
    let keys = sizes.filter(has_all).max()?;
    let times = |design| of_design(design, keys)?.number("times_base_superseding");
    let [light, speculating, both] = designs.map(times);
    let (light, speculating, both) = (light?, speculating?, both?);
    let parts = vec![
        light >= 25.0 / MARGIN,
        speculating >= 25.0 / MARGIN,
        is_below(light.max(speculating), both),
    ];
    Some((parts, figures! { keys, light, speculating, both }))
}

pub(super) fn partitions(lines: &[Line]) -> Option<Checked> {
    let last = largest(of(lines, "tuple_partitions"), "partitions");
    let most = last.first()?.count("partitions");
    let shown = last.iter().map(|line| {
        let (design, gain) = (line.text("design"), digits(line.figure("gain")));
        format!("{gain} times ({design})")
    });
    let finding = figures! { most, gains: listed(shown) };
    let holds = |line: &&Line| !is_below(line.figure("gain"), most as f64);
    Some((last.iter().map(holds).collect(), finding))
}
