//! Renders the report page: one self-contained HTML file, for light and dark mode, for large and
//! small screens.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    conclusions::{Conclusion, conclusions, unchecked},
    contents::{Item, contents},
    run::RUN,
    steps::{Step, steps},
};
use crate::{
    Outcome,
    columns::{nothing, show},
    families::{FAMILIES, Family},
    figures::{Figure, figures},
    line::{Line, of},
    report::QUICK,
    tables::{Block, Tables, digits},
    text::escaped,
};

/// Renders the HTML of the report page from the result lines of a report.
pub fn page(lines: &[Line]) -> Outcome<String> {
    let (figures, conclusions) = (figures(lines)?, conclusions(lines));
    let parts: Vec<Part<'_>> = FAMILIES
        .iter()
        .map(|family| Part::new(family, lines, &figures))
        .filter(|part| !part.tables.is_empty())
        .collect();
    let mut body = String::new();
    head(&mut body, lines, &parts);
    concluded(&mut body, &conclusions, &unchecked(lines));
    for part in &parts {
        part.write(&mut body);
    }
    measured(&mut body, lines);
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{TITLE}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    ))
}

const TITLE: &str = "Authenticated data structures, measured";
const STYLE: &str = include_str!("page.css");

/// Appends a formatted line to a string, which cannot fail.
macro_rules! put {
    ($to:expr, $($format:tt)+) => { _ = writeln!($to, $($format)+) };
}

fn head(body: &mut String, lines: &[Line], parts: &[Part<'_>]) {
    put!(body, "<header><h1>{TITLE}</h1>");
    for machine in machines(lines) {
        put!(body, "<p>{}</p>", escaped(&machine));
    }
    for warning in warnings(lines) {
        put!(body, "<p class=\"warning\">{}</p>", escaped(&warning));
    }
    let first = "<a href=\"#conclusions\">Conclusions of the papers</a>";
    put!(body, "<p>{HOW_TO_READ}</p><nav>{first}");
    for Part { family, .. } in parts {
        put!(body, "<a href=\"#{}\">{}</a>", family.id, family.title);
    }
    let last = "<a href=\"#measured\">Measurement steps</a>";
    put!(body, "{last}</nav></header>");
}

/// Describes each combination of machine, compiler and commit that measured a step. A report that
/// can be published has only one.
fn machines(lines: &[Line]) -> Vec<String> {
    let described = of(lines, RUN).into_iter().map(|run| {
        let [cpu, rustc, commit] = ["cpu", "rustc", "commit"].map(|key| run.text(key));
        format!(
            "{cpu}, {} cores; {rustc}; commit {commit}.",
            run.count("cores")
        )
    });
    described.collect::<BTreeSet<_>>().into_iter().collect()
}

const HOW_TO_READ: &str = "Where a paper measured the same work, a column shows the figure of the \
    paper; (x 2) means that our figure is twice as large. A <em>limit</em> is the time of only the \
    hashes, signatures, powers or pairings of the work, in the same run. Next to a limit, the \
    <em>ratio</em> is the time divided by the limit. &ndash; marks a figure that does not exist, \
    for example because a scheme cannot do the work. ? marks a figure that these measurements \
    lack. Plots with lines have logarithmic axes, plots with bars have \
    linear ones.";

/// Returns warnings to show on the page, each a reason not to publish its figures.
pub fn warnings(lines: &[Line]) -> Vec<String> {
    let runs = of(lines, RUN);
    let mut warnings = Vec::new();
    if machines(lines).len() > 1 {
        warnings.push(MIXED.to_owned());
    }
    let is_unknown = |line: &Line| {
        let commit = line.text("commit");
        ["-dirty", "-stale", "unknown"]
            .iter()
            .any(|end| commit.ends_with(end))
    };
    if lines.iter().any(is_unknown) {
        warnings.push(UNKNOWN.to_owned());
    }
    if is_quick(&runs) {
        warnings.push(QUICK.to_owned());
    }
    let is_busy = |run: &&&Line| {
        let used = run.number("cores_used_by_others");
        used.is_none_or(|cores| cores > BUSY)
    };
    let busy = runs.iter().filter(is_busy);
    let busy: Vec<&str> = busy.map(|run| run.text("step")).collect();
    if !busy.is_empty() {
        let text = format!(
            "Other programs used more than a tenth of a core, or their use is unknown, during: {}.",
            busy.join(", ")
        );
        warnings.push(text);
    }
    warnings
}

fn is_quick(runs: &[&Line]) -> bool {
    let mut arguments = runs.iter().map(|run| run.text("arguments"));
    arguments.any(|arguments| arguments.contains("--quick"))
}

const MIXED: &str = "Several machines, compilers or commits measured these figures. Do not compare \
    them with each other.";
/// Warning about figures whose commit does not have the sources that were measured.
pub const UNKNOWN: &str = "No commit contains the sources that were measured.";

/// Number of cores that other programs may use during a step without a warning.
const BUSY: f64 = 0.1;

const HOW_TO_JUDGE: &str = "Each entry states a conclusion of a paper, the verdict of the \
    measurements on this page, and the numbers behind the verdict. Times count as equal if the \
    larger one is at most 1.2 times the smaller one. A ratio of a paper counts as reached within \
    the same margin.";

fn concluded(body: &mut String, conclusions: &[Conclusion], unchecked: &[&str]) {
    let title = "<h2>Conclusions of the papers, checked</h2>";
    put!(
        body,
        "<section id=\"conclusions\">{title}\n<p>{HOW_TO_JUDGE}</p><dl>"
    );
    for conclusion in conclusions {
        let [claim, finding] = [conclusion.claim, &conclusion.finding].map(escaped);
        let verdict = conclusion.verdict.name();
        let class = verdict.replace(' ', "-");
        put!(body, "<dt><b class=\"{class}\">{verdict}</b> {claim}</dt>");
        put!(body, "<dd>{finding}</dd>");
    }
    put!(body, "</dl>");
    if !unchecked.is_empty() {
        let unchecked = unchecked.join(", ");
        put!(
            body,
            "<p>Not checked, because measurements are missing: {unchecked}.</p>"
        );
    }
    put!(body, "</section>");
}

/// The tables and figures of one family of measurements.
struct Part<'a> {
    family: &'a Family,
    tables: Tables,
    figures: Vec<&'a Figure>,
}

impl<'a> Part<'a> {
    fn new(family: &'a Family, lines: &[Line], figures: &'a [Figure]) -> Self {
        let own = family.lines(lines);
        let figures = figures.iter().filter(|figure| family.draws(&figure.name));
        Self {
            family,
            tables: if own.is_empty() {
                Tables::default()
            } else {
                (family.report)(&own)
            },
            figures: figures.collect(),
        }
    }

    fn write(&self, body: &mut String) {
        let Family {
            id, title, source, ..
        } = self.family;
        let source = escaped(source);
        put!(
            body,
            "<section id=\"{id}\"><h2>{title}</h2><p>Compared with: {source}.</p>\
            <ul class=\"contents\">"
        );
        for item in contents(id) {
            put!(body, "<li>{}</li>", self.listed(&item));
        }
        put!(body, "</ul>");
        write_blocks(body, id, title, &self.tables);
        put!(body, "<div class=\"figures\">");
        for Figure { name, svg } in &self.figures {
            put!(body, "<figure id=\"{name}\">{svg}</figure>");
        }
        put!(body, "</div></section>");
    }

    /// Formats an entry of the list of a paper's tables and figures, with a link to its counterpart
    /// on the page.
    fn listed(&self, item: &Item) -> String {
        let (name, shows) = (item.name, item.shows);
        match item.counterpart {
            Err(reason) => format!("{name}, {shows}: no counterpart. {reason}"),
            Ok(begin) => match self.anchor(begin) {
                Some(anchor) => format!("<a href=\"#{anchor}\">{name}</a>: {shows}"),
                None => format!("{name}, {shows}: not in these measurements."),
            },
        }
    }

    /// Finds the anchor of the first table heading that begins with `begin`, or else of the first
    /// figure whose name does.
    fn anchor(&self, begin: &str) -> Option<String> {
        let is_heading = |block: &Block| match block {
            Block::Heading { title, .. } => title.starts_with(begin),
            _ => false,
        };
        if let Some(number) = self.tables.blocks().iter().position(is_heading) {
            return Some(format!("{}-{number}", self.family.id));
        }
        let mut names = self.figures.iter().map(|figure| &figure.name);
        names.find(|name| name.starts_with(begin)).cloned()
    }
}

/// Writes headings, tables and notes. The caption of a table is the last heading, or else `title`,
/// with the name of the first column.
fn write_blocks(body: &mut String, id: &str, title: &str, tables: &Tables) {
    let mut last = title;
    for (number, block) in tables.blocks().iter().enumerate() {
        match block {
            Block::Heading { title, note } => {
                if !title.is_empty() {
                    last = title;
                    put!(body, "<h3 id=\"{id}-{number}\">{}</h3>", escaped(title));
                }
                if !note.is_empty() {
                    put!(body, "<p>{}</p>", escaped(note));
                }
            }
            Block::Table {
                titles,
                to_the_right,
                rows,
            } => {
                let first = titles.first().map_or("", String::as_str);
                let caption = escaped(&format!("{last}: {first}"));
                put!(
                    body,
                    "<div class=\"wide\" role=\"region\" aria-label=\"{caption}\" \
                     tabindex=\"0\"><table><caption><span>{caption}</span></caption><thead>"
                );
                write_row(body, ["th scope=\"col\""; 2], titles, to_the_right);
                put!(body, "</thead><tbody>");
                for row in rows {
                    let cells = with_times(titles, row);
                    write_row(body, ["th scope=\"row\"", "td"], &cells, to_the_right);
                }
                put!(body, "</tbody></table></div>");
            }
            Block::Note(text) if text.trim().is_empty() => {}
            Block::Note(text) => put!(body, "<p>{}</p>", escaped(text)),
        }
    }
}

/// Returns the cells of a row, with a ratio after each published figure. The ratio is our figure,
/// in the preceding cell, divided by the published one.
fn with_times(titles: &[String], row: &[String]) -> Vec<String> {
    let number = |cell: &String| cell.trim_end_matches(" %").parse::<f64>().ok();
    let mut cells = row.to_vec();
    for (index, title) in titles.iter().enumerate().skip(1) {
        let both = [index - 1, index].map(|index| row.get(index).and_then(number));
        if let [Some(ours), Some(theirs)] = both
            && ["2010", "paper"].contains(&title.as_str())
            && theirs > 0.0
        {
            cells[index] = format!("{} (x {})", row[index], digits(ours / theirs));
        }
    }
    cells
}

/// Writes a row of a table, with the tags of its first cell and of the others.
fn write_row(
    body: &mut String,
    [first, others]: [&str; 2],
    cells: &[String],
    to_the_right: &[bool],
) {
    _ = write!(body, "<tr>");
    for (index, (cell, is_right)) in cells.iter().zip(to_the_right).enumerate() {
        let class = match is_right {
            // A text of several lines.
            _ if cell.len() > 40 => " class=\"text\"",
            true => " class=\"right\"",
            false => "",
        };
        let cell = if cell == "-" {
            "&ndash;".to_owned()
        } else {
            escaped(cell)
        };
        let tag = if index == 0 { first } else { others };
        let name = &tag[..2];
        _ = write!(body, "<{tag}{class}>{cell}</{name}>");
    }
    put!(body, "</tr>");
}

const HOW_TO_REPEAT: &str = "<code>make report</code> measures your machine; <code>bench page \
    --from measurements.jsonl</code> \nredraws this page from the measurements next to it.";

/// Writes the section about the steps: the duration of each, its arguments, and how to repeat the
/// measurements.
fn measured(body: &mut String, lines: &[Line]) {
    let mut tables = Tables::default();
    let runs = of(lines, RUN);
    let seconds: f64 = runs.iter().map(|run| run.figure("seconds")).sum();
    show("steps", nothing, &mut tables, lines);
    let minutes = digits(seconds / 60.0);
    put!(body, "<section id=\"measured\"><h2>Measurement steps</h2>");
    put!(
        body,
        "<p>The steps ran one after the other, each in its own process: {minutes} minutes \
        in all. "
    );
    put!(body, "{HOW_TO_REPEAT}</p>");
    let missing = left_out(&runs);
    if !missing.is_empty() {
        let missing = escaped(&missing.join(", "));
        put!(
            body,
            "<p class=\"warning\">Steps of <code>make report</code> that are missing \
            here: {missing}. Figures of only these steps are not on this page, or are marked \
            ?.</p>"
        );
    }
    write_blocks(body, "steps", "Measurement steps", &tables);
    put!(body, "</section>");
}

/// Names the steps of a full report that are missing in `runs`. Returns none for a quick run, which
/// the page marks as such.
fn left_out(runs: &[&Line]) -> Vec<&'static str> {
    if is_quick(runs) {
        return Vec::new();
    }
    let is_missing = |step: &Step| runs.iter().all(|run| run.text("step") != step.name);
    let missing = steps(false).into_iter().filter(is_missing);
    missing.map(|step| step.name).collect()
}
