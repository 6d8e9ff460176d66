//! The HTML page: one self-contained file, for light and dark themes, for large and small screens.

use core::fmt::Write as _;

use crate::{
    dictionary::Publication,
    measure::{FIGURES, table},
    report::{Act, row},
};

/// Appends a formatted line to a string. Ignores the error, because writing to a string does not
/// fail.
macro_rules! put {
    ($to:expr, $($format:tt)+) => { _ = writeln!($to, $($format)+) };
}

const TITLE: &str = "Persistent authenticated dictionaries";
const HOW_TO_READ: &str = "Answers were verified before anything was timed. Each bar is one \
    dictionary, or all repositories of a scheme if they do not differ. All axes are linear. \
    Striped bars are dictionaries with few keys: compare them only with each other. Several \
    dictionaries ran at the same time on one machine, so the pictures show orders of magnitude. \
    <code>make report</code> measures one at a time.";
/// The meaning of colours, by the names of repositories.
const LEGEND: [(&str, &str); 7] = [
    (ANY, "trees, any repository"),
    ("path-copying", "trees, path copying"),
    ("cache-everywhere", "trees, cache everywhere"),
    ("cache-median", "trees, cache median"),
    ("cache-nowhere", "trees, cache nowhere"),
    ("stored", "trees, stored"),
    ("versioned-index", "tuples"),
];

/// The colour of a bar for all repositories of a scheme.
const ANY: &str = "any";
const PARTIES: &str = include_str!("parties.html");

/// Returns the page as HTML. `proof` is the picture of a proof.
pub(crate) fn page(
    circumstances: &str,
    acts: &[Act],
    proof: &str,
    all: &[Publication<'_>],
) -> String {
    let mut body = format!("<header><h1>{TITLE}</h1><p class=\"quiet\">{circumstances}</p><nav>");
    let anchor = |title: &str| title.to_lowercase().replace(' ', "-");
    for Act(title, ..) in acts {
        put!(body, "<a href=\"#{}\">{title}</a>", anchor(title));
    }
    put!(body, "</nav></header>");
    for Act(title, text, shown, lies) in acts {
        let (anchor, text) = (anchor(title), escaped(text));
        put!(body, "<h2 id=\"{anchor}\">{title}</h2><p>{text}</p>");
        match (*title, &shown[..]) {
            ("Publish", _) => put!(body, "{PARTIES}"),
            ("Compare", _) => compare(&mut body, all),
            (_, [header, rows @ ..]) => {
                write_table(&mut body, "Verified answers", header, rows, "words");
                put!(body, "{proof}");
            }
            _ => {}
        }
        let header = row(["lie", "action", "reason for the rejection"]);
        if !lies.is_empty() {
            write_table(&mut body, "Rejected answers", &header, lies, "words");
        }
    }
    let style = include_str!("page.css");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{TITLE}</title>\n\
         <style>\n{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Writes the plots and the table of all figures.
fn compare(body: &mut String, all: &[Publication<'_>]) {
    put!(body, "<p>{HOW_TO_READ}</p><p class=\"legend\">");
    for (class, text) in LEGEND {
        put!(body, "<span><i class=\"{class}\"></i>{text}</span>");
    }
    put!(body, "</p>");
    for (number, (column, _, is_drawn, means)) in FIGURES.iter().enumerate() {
        if *is_drawn {
            put!(
                body,
                "<figure><figcaption><b>{column}</b> {means}</figcaption>"
            );
            draw(body, all, number);
        }
    }
    let table = table(all);
    write_table(body, "All figures", &table[0], &table[1..], "figures");
}

/// Draws a plot of one figure, with a bar for each dictionary. Repositories of a scheme that do not
/// differ share a bar.
fn draw(body: &mut String, all: &[Publication<'_>], number: usize) {
    let longest = all.iter().map(|published| published.figures[number]);
    let longest = longest.fold(f64::MIN_POSITIVE, f64::max);
    let step = step(longest);
    put!(
        body,
        "<div class=\"bars\" style=\"--step:{:.4}\"><span class=\"axis\">",
        step / longest
    );
    for tick in (0..=5).map(|count| f64::from(count) * step) {
        if tick <= longest {
            // Without rounding, three times 0.2 has 16 decimal places.
            let text = grouped(&((tick * 1e6).round() / 1e6).to_string());
            put!(
                body,
                "<i style=\"--share:{:.4}\">{text}</i>",
                tick / longest
            );
        }
    }
    put!(body, "</span>");
    let text = |published: &Publication<'_>| shown(published.figures[number]);
    for of_scheme in all.chunk_by(|one, other| one.kind.scheme == other.kind.scheme) {
        // Exact figures, because rounded times may be equal by chance.
        let first = of_scheme[0].figures[number];
        let is_same = of_scheme
            .iter()
            .all(|it| it.figures[number].total_cmp(&first).is_eq());
        let bars = if is_same { &of_scheme[..1] } else { of_scheme };
        for published in bars {
            let kind = &published.kind;
            let (scheme, repository) = (&kind.scheme, kind.repository.as_str());
            let (name, class) = match (is_same, of_scheme.len()) {
                (true, 2..) => (scheme.clone(), ANY),
                (true, _) => (scheme.clone(), repository),
                _ => (format!("{scheme} / {repository}"), repository),
            };
            let few = if kind.is_slow() { " few" } else { "" };
            let share = published.figures[number] / longest;
            put!(
                body,
                "<span class=\"name\">{name}</span><span class=\"bar\">"
            );
            put!(
                body,
                "<i class=\"{class}{few}\" style=\"--share:{share:.4}\"></i>{}</span>",
                text(published)
            );
        }
    }
    put!(body, "</div></figure>");
}

/// Returns the distance of two ticks on an axis from 0 to `longest`: 1, 2 or 5 times a power of
/// ten, so that there are at most six ticks.
fn step(longest: f64) -> f64 {
    let power = 10_f64.powf((longest / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * power);
    let step = steps.into_iter().find(|step| longest / step <= 5.0);
    step.unwrap_or(10.0 * power)
}

/// Formats a figure: three decimal places below 1, one below 100, and none from 100 on.
fn shown(value: f64) -> String {
    let digits = if value < 1.0 {
        3
    } else {
        usize::from(value < 100.0)
    };
    grouped(&format!("{value:.digits$}"))
}

fn write_table(
    body: &mut String,
    caption: &str,
    header: &[String],
    rows: &[Vec<String>],
    class: &str,
) {
    put!(
        body,
        "<div class=\"wide\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\
         <table class=\"{class}\"><caption>{caption}</caption><thead><tr>"
    );
    for column in header {
        put!(body, "<th scope=\"col\">{column}</th>");
    }
    put!(body, "</tr></thead><tbody>");
    for cells in rows {
        put!(body, "<tr>");
        // On small screens, where rows are lists, each cell names its column.
        for (index, (cell, column)) in cells.iter().zip(header).enumerate() {
            let (tag, scope) = if index == 0 {
                ("th", " scope=\"row\"")
            } else {
                ("td", "")
            };
            let cell = escaped(cell);
            put!(
                body,
                "<{tag}{scope} data-column=\"{column}\">{cell}</{tag}>"
            );
        }
        put!(body, "</tr>");
    }
    put!(body, "</tbody></table></div>");
}

/// Returns a text with its special characters escaped for HTML, and its numbers grouped.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    grouped(&text.replace('>', "&gt;"))
}

/// Returns a text with narrow spaces between the thousands of its numbers. Leaves numbers of four
/// digits, and digits in words or after a decimal point, as they are.
fn grouped(text: &str) -> String {
    let (mut grouped, mut before) = (String::new(), ' ');
    for part in text.split_inclusive(|character: char| !character.is_alphanumeric()) {
        let digits = part.trim_end_matches(|character: char| !character.is_alphanumeric());
        let is_long = digits.len() > 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
        for (index, character) in part.char_indices() {
            let is_thousand = (1..digits.len()).contains(&index) && (digits.len() - index) % 3 == 0;
            if is_long && is_thousand && [' ', '(', '\n'].contains(&before) {
                grouped.push('\u{202f}');
            }
            grouped.push(character);
        }
        before = part.chars().last().unwrap_or(before);
    }
    grouped
}
