//! The status page at the root path, for people.

use core::fmt::Write as _;

use pad_web::server::{Answer, HeaderValue, StatusCode, header};
use serde_json::{Map, Value};

/// Builds the page from the body of a health check. Its links are relative, so that they also hold
/// below the path of a reverse proxy.
pub(crate) fn status_page(health: &[u8]) -> Answer {
    let health = serde_json::from_slice(health).unwrap_or_default();
    Answer::new(
        StatusCode::OK,
        "text/html; charset=utf-8",
        html(&health).into_bytes(),
    )
    .with(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))
    .with(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'"),
    )
}

fn html(health: &Map<String, Value>) -> String {
    let status = escaped(
        health
            .get("status")
            .and_then(Value::as_str)
            .unwrap_or("unknown"),
    );
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Dictionaries: {status}</title>\n<style>{STYLE}</style>\n\
         <h1>Dictionaries</h1>\n<p>Status: <strong>{status}</strong>\n"
    );
    let reasons = health.get("reasons").and_then(Value::as_array);
    for reason in reasons.into_iter().flatten().filter_map(Value::as_str) {
        write_to(&mut page, format_args!("<p>{}\n", escaped(reason)));
    }
    page.push_str(
        "<table>\n<caption>Versions, as this server claims. A client verifies them with the \
         author's public key.</caption>\n\
         <thead><tr><th scope=\"col\">dictionary<th scope=\"col\">latest version</thead>\n",
    );
    let latest = health.get("latest").and_then(Value::as_object);
    for (name, version) in latest.into_iter().flatten() {
        let (name, version) = (escaped(name), thousands(version.as_u64().unwrap_or(0)));
        write_to(
            &mut page,
            format_args!(
                "<tr><th scope=\"row\"><a href=\"v1/dictionaries/{name}/versions\">{name}</a>\
                 <td>{version}\n"
            ),
        );
    }
    page.push_str("</table>\n<p>");
    for (path, text) in LINKS {
        write_to(&mut page, format_args!("<a href=\"{path}\">{text}</a>\n"));
    }
    page
}

/// The links below the table: path and text.
const LINKS: [(&str, &str); 3] = [
    ("health", "health"),
    ("metrics", "metrics"),
    ("openapi.json", "HTTP interface"),
];

const STYLE: &str = ":root{color-scheme:light dark}\
    body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}\
    table{border-collapse:collapse}caption{text-align:left;padding-bottom:.5rem}\
    th,td{text-align:left;padding:.2rem 1.5rem .2rem 0;overflow-wrap:anywhere}\
    td,th:last-child{text-align:right}a{margin-right:1rem}";

fn write_to(page: &mut String, text: core::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _: core::fmt::Result = page.write_fmt(text);
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a number with a thin space between groups of three digits.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && digits.len().saturating_sub(place).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_reasons_are_escaped_and_versions_grouped() {
        let health = br#"{"latest":{"<b>":1234567},"status":"failing","reasons":["a & b"]}"#;
        let page = String::from_utf8(status_page(health).body).unwrap();
        assert!(page.contains("<a href=\"v1/dictionaries/&lt;b&gt;/versions\">&lt;b&gt;</a>"));
        assert!(page.contains("<td>1\u{2009}234\u{2009}567\n"), "{page}");
        assert!(page.contains("<strong>failing</strong>") && page.contains("<p>a &amp; b\n"));
    }

    #[test]
    fn small_numbers_have_no_groups() {
        assert_eq!(
            ["0", "999"],
            [0, 999].map(thousands).each_ref().map(String::as_str)
        );
    }
}
