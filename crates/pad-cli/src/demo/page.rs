//! The page: one file that needs nothing else, for light and dark, for large and small screens.

use core::fmt::Write as _;

use pad::selection::SchemeFamily;

use super::{
    measure::{COLUMNS, Measured},
    report::{Report, Section, Table},
};

/// Writing to a string does not fail.
macro_rules! put {
    ($to:expr, $($format:tt)+) => { _ = writeln!($to, $($format)+) };
}

/// The page as HTML.
pub(super) fn page(report: &Report) -> String {
    let mut body = String::new();
    head(&mut body, report);
    for section in &report.sections {
        show(&mut body, section);
    }
    put!(body, "<h2 id=\"figures\">Compare</h2>");
    put!(body, "<p>{HOW_TO_READ}</p>");
    if let Some(warning) = report.warning {
        put!(body, "<p class=\"warning\">{warning}</p>");
    }
    legend(&mut body, &report.measured);
    for plot in PLOTS {
        plot.draw(&mut body, &report.measured);
    }
    all_figures(&mut body, &report.measured);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{TITLE}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

const TITLE: &str = "Persistent authenticated dictionaries";
const STYLE: &str = include_str!("page.css");
const HOW_TO_READ: &str = "One row for each dictionary: how its contents are authenticated, and how the server keeps the versions. \
    Before anything was timed, its answers were verified. Shares of a bar's length compare rows of one picture; where a picture \
    says so, a bar twice as long is not twice the number. All of it ran on one machine at one time: it shows orders of magnitude, and \
    <code>make report</code> measures.";

fn head(body: &mut String, report: &Report) {
    put!(body, "<header><h1>{TITLE}</h1>");
    put!(body, "<p>{}</p>", escaped(&report.contents));
    put!(
        body,
        "<p class=\"quiet\">{}</p>",
        escaped(&report.circumstances)
    );
    put!(body, "<nav>");
    for section in &report.sections {
        let title = section.title;
        put!(body, "<a href=\"#{}\">{title}</a>", anchor(title));
    }
    put!(body, "<a href=\"#figures\">Compare</a></nav></header>");
}

fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

fn show(body: &mut String, section: &Section) {
    let title = section.title;
    put!(body, "<h2 id=\"{}\">{title}</h2>", anchor(title));
    put!(body, "<p>{}</p>", escaped(&section.text));
    for table in &section.tables {
        write_table(body, table, "words");
    }
}

fn write_table(body: &mut String, table: &Table, class: &str) {
    put!(body, "<div class=\"wide\"><table class=\"{class}\">");
    if table.header.iter().any(|cell| !cell.is_empty()) {
        let header = table.header.iter().map(|cell| escaped(cell));
        let cells = header.map(|cell| format!("<th>{cell}</th>"));
        put!(
            body,
            "<thead><tr>{}</tr></thead>",
            cells.collect::<String>()
        );
    }
    put!(body, "<tbody>");
    for cells in &table.rows {
        put!(body, "<tr>");
        // On small screens, where a row stands as a list, each cell names its column.
        for (cell, column) in cells.iter().zip(&table.header) {
            let [cell, column] = [cell, column].map(|text| escaped(text));
            put!(body, "<td data-column=\"{column}\">{cell}</td>");
        }
        put!(body, "</tr>");
    }
    put!(body, "</tbody></table></div>");
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// What the colours of bars mean, and the stripes.
fn legend(body: &mut String, measured: &[Measured]) {
    put!(body, "<p class=\"legend\">");
    for (class, text) in [("tree", "trees"), ("other", "tuples")] {
        put!(body, "<span><i class=\"{class}\"></i>{text}</span>");
    }
    let most = most_keys(measured);
    if let Some(few) = measured.iter().find(|row| row.has_few_keys(most)) {
        let [few, most] = [few.keys, most];
        put!(
            body,
            "<span><i class=\"other few\"></i>striped: {few} keys, all others {most}; compare these with each other</span>"
        );
    }
    put!(body, "</p>");
}

fn most_keys(measured: &[Measured]) -> usize {
    measured.iter().map(|row| row.keys).max().unwrap_or(0)
}

const fn class(family: SchemeFamily) -> &'static str {
    match family {
        SchemeFamily::Tree => "tree",
        _ => "other",
    }
}

/// A picture: a bar for each dictionary.
struct Plot {
    title: &'static str,
    means: &'static str,
    value: fn(&Measured) -> f64,
    logarithmic: bool,
}

const PLOTS: [Plot; 6] = [
    Plot {
        title: "Proof of one key, bytes",
        means: "What a server sends to prove a present key, without the signed head: the mean of random keys in random versions.",
        value: |row| row.proof_bytes,
        logarithmic: false,
    },
    Plot {
        title: "Update, bytes (logarithmic)",
        means: "What the author sends for one snapshot: the mean of all snapshots, contents and signatures included.",
        value: |row| row.update_bytes,
        logarithmic: true,
    },
    Plot {
        title: "Memory for all versions, MB",
        means: "What a server needs to answer about every version. Stored trees are read from the disk as they are needed.",
        value: Measured::memory_megabytes,
        logarithmic: false,
    },
    Plot {
        title: "Look-ups per second (logarithmic)",
        means: "How many proofs a server makes on one core, of present keys in random versions, as bytes with the head.",
        value: |row| row.lookups_per_second,
        logarithmic: true,
    },
    Plot {
        title: "Verifications per second",
        means: "How many of these answers a client checks on one core, the head's signature included.",
        value: |row| row.verifications_per_second,
        logarithmic: false,
    },
    Plot {
        title: "Import, seconds (logarithmic)",
        means: "How long the author signed all snapshots, one by one, each of them durable on the disk before the next.",
        value: Measured::import_seconds,
        logarithmic: true,
    },
];

impl Plot {
    fn draw(&self, body: &mut String, measured: &[Measured]) {
        let values = || measured.iter().map(self.value);
        let longest = values().fold(f64::MIN_POSITIVE, f64::max);
        let shortest = values().fold(longest, f64::min).max(longest / 1e9);
        let share = |value: f64| {
            if self.logarithmic {
                // The shortest bar is a twelfth of the longest, however far they are apart.
                let range = (longest / shortest).ln().max(f64::MIN_POSITIVE);
                let above = (value.max(shortest) / shortest).ln() / range;
                (1.0 + 11.0 * above) / 12.0
            } else {
                value / longest
            }
        };
        put!(
            body,
            "<figure><figcaption><b>{}</b> {}</figcaption><div class=\"bars\">",
            self.title,
            self.means
        );
        let most = most_keys(measured);
        for row in measured {
            let value = (self.value)(row);
            let few = if row.has_few_keys(most) { " few" } else { "" };
            put!(
                body,
                "<span class=\"name\">{}</span><span class=\"bar\"><i class=\"{}{few}\" style=\"--share:{:.4}\"></i>{}</span>",
                row.scheme,
                class(row.scheme.family()),
                share(value),
                figure(value),
            );
        }
        put!(body, "</div></figure>");
    }
}

/// Three digits at least, and no more than are needed.
fn figure(value: f64) -> String {
    if value < 1.0 {
        format!("{value:.3}")
    } else if value < 100.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

fn all_figures(body: &mut String, measured: &[Measured]) {
    put!(body, "<h2 id=\"table\">All figures</h2><dl>");
    for (column, means) in COLUMNS {
        put!(body, "<dt>{column}</dt><dd>{means}</dd>");
    }
    put!(body, "</dl>");
    let mut table = Table::new(COLUMNS.map(|(column, _)| column));
    table.rows = measured.iter().map(|row| row.cells().to_vec()).collect();
    write_table(body, &table, "figures");
}
