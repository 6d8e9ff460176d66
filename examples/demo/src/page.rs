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
    dictionary. In pictures marked logarithmic, a bar of twice the length is not twice the number. \
    Striped bars are dictionaries with few keys: compare them only with each other. Several \
    dictionaries ran at the same time on one machine, so the pictures show orders of magnitude. \
    <code>make report</code> measures one at a time.";
/// The meaning of colours, by the names of repositories.
const LEGEND: [(&str, &str); 6] = [
    ("path-copying", "trees, path copying"),
    ("cache-everywhere", "trees, cache everywhere"),
    ("cache-median", "trees, cache median"),
    ("cache-nowhere", "trees, cache nowhere"),
    ("stored", "trees, stored"),
    ("versioned-index", "tuples"),
];

/// Returns the page as HTML.
pub(crate) fn page(circumstances: &str, acts: &[Act], all: &[Publication<'_>]) -> String {
    let mut body = format!("<header><h1>{TITLE}</h1><p class=\"quiet\">{circumstances}</p><nav>");
    let anchor = |title: &str| title.to_lowercase().replace(' ', "-");
    for Act(title, ..) in acts {
        put!(body, "<a href=\"#{}\">{title}</a>", anchor(title));
    }
    put!(body, "</nav></header>");
    for Act(title, text, shown, lies) in acts {
        let (anchor, text) = (anchor(title), escaped(text));
        put!(body, "<h2 id=\"{anchor}\">{title}</h2><p>{text}</p>");
        if *title == "Compare" {
            compare(&mut body, all);
        } else if let [header, rows @ ..] = &shown[..] {
            write_table(&mut body, header, rows, "words");
        }
        let header = row(["lie", "action", "reason for the rejection"]);
        if !lies.is_empty() {
            write_table(&mut body, &header, lies, "words");
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
    for (number, (column, _, scale, means)) in FIGURES.iter().enumerate() {
        if let Some(suffix) = scale {
            put!(
                body,
                "<figure><figcaption><b>{column}{suffix}</b> {means}</figcaption>"
            );
            draw(body, all, number, suffix.is_empty());
        }
    }
    put!(body, "<h3>All figures</h3>");
    let table = table(all);
    write_table(body, &table[0], &table[1..], "figures");
}

/// Draws a plot of one figure, with a bar for each dictionary.
fn draw(body: &mut String, all: &[Publication<'_>], number: usize, is_linear: bool) {
    let values = || all.iter().map(|published| published.figures[number]);
    let longest = values().fold(f64::MIN_POSITIVE, f64::max);
    let shortest = values().fold(longest, f64::min).max(longest / 1e9);
    put!(body, "<div class=\"bars\">");
    for (Publication { kind, .. }, value) in all.iter().zip(values()) {
        // On a logarithmic scale the shortest bar is a twelfth of the longest.
        let above = (value.max(shortest) / shortest).ln() / (longest / shortest).ln();
        let share = if is_linear {
            value / longest
        } else {
            (1.0 + 11.0 * above) / 12.0
        };
        // Shows three decimal places below 1, one below 100, and none from 100 on.
        let digits = if value < 1.0 {
            3
        } else {
            usize::from(value < 100.0)
        };
        let few = if kind.is_slow() { " few" } else { "" };
        let (scheme, class) = (&kind.scheme, &kind.repository);
        put!(
            body,
            "<span class=\"name\">{scheme} / {class}</span><span class=\"bar\">"
        );
        put!(
            body,
            "<i class=\"{class}{few}\" style=\"--share:{share:.4}\"></i>"
        );
        put!(body, "{value:.digits$}</span>");
    }
    put!(body, "</div></figure>");
}

fn write_table(body: &mut String, header: &[String], rows: &[Vec<String>], class: &str) {
    put!(
        body,
        "<div class=\"wide\"><table class=\"{class}\"><thead><tr>"
    );
    for column in header {
        put!(body, "<th>{column}</th>");
    }
    put!(body, "</tr></thead><tbody>");
    for cells in rows {
        put!(body, "<tr>");
        // On small screens, where rows are lists, each cell names its column.
        for (cell, column) in cells.iter().zip(header) {
            put!(body, "<td data-column=\"{column}\">{}</td>", escaped(cell));
        }
        put!(body, "</tr>");
    }
    put!(body, "</tbody></table></div>");
}

/// Returns a text with its special characters escaped for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
