//! Tables, and figures as people read them.

/// A table in Markdown.
pub(super) fn rows_of(titles: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: Vec<String>| {
        let cells = cells.iter().map(|cell| {
            if cell.is_empty() {
                "| ".to_owned()
            } else {
                format!("| {cell} ")
            }
        });
        cells.collect::<String>() + "|\n"
    };
    let head = titles.iter().map(|title| (*title).to_owned()).collect();
    let rule = vec!["---".to_owned(); titles.len()];
    [head, rule].into_iter().chain(rows).map(line).collect()
}

/// Three digits.
pub(super) fn digits(number: f64) -> String {
    let size = number.abs().log10().floor();
    match size {
        size if size >= 3.0 => {
            count((number / 10_f64.powf(size - 2.0)).round() * 10_f64.powf(size - 2.0))
        }
        size if size >= 2.0 => format!("{number:.0}"),
        size if size >= 1.0 => format!("{number:.1}"),
        size if size >= 0.0 => format!("{number:.2}"),
        size if size >= -4.0 => format!("{number:.3}"),
        _ => format!("{number:.1e}"),
    }
}

/// A whole number with spaces between its thousands; powers of ten by their name.
pub(super) fn count(number: f64) -> String {
    if number >= 1e6 && (number.log10() - number.log10().round()).abs() < 1e-9 {
        return format!("10^{:.0}", number.log10());
    }
    let text = format!("{number:.0}");
    let places = text.char_indices().map(|(place, digit)| {
        let is_thousand = place > 0 && (text.len() - place).is_multiple_of(3);
        if is_thousand {
            format!(" {digit}")
        } else {
            digit.to_string()
        }
    });
    places.collect()
}

pub(super) fn bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e4 => format!("{bytes:.0} bytes"),
        bytes if bytes < 1e6 => format!("{} KB", digits(bytes / 1e3)),
        bytes if bytes < 1e9 => format!("{} MB", digits(bytes / 1e6)),
        bytes if bytes < 1e12 => format!("{} GB", digits(bytes / 1e9)),
        bytes => format!("{} TB", digits(bytes / 1e12)),
    }
}

pub(super) fn dollars(dollars: f64) -> String {
    format!(
        "${}",
        if dollars < 1000.0 {
            format!("{dollars:.0}")
        } else {
            digits(dollars)
        }
    )
}

pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 10.0 => format!("{percent:.0} %"),
        percent if percent >= 0.1 => format!("{percent:.1} %"),
        percent => format!("{percent:.4} %"),
    }
}

pub(super) fn span(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        format!("{seconds:.1} s")
    }
}

pub(super) fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// The day of a number of seconds since the beginning of 1970, in the Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
pub(super) fn day(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{}-{month:02}-{day:02}", year + era * 400 + later)
}
