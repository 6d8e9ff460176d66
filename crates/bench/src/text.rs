//! Texts of the page and of its figures.

/// Escapes a text for HTML, and groups the digits of its numbers.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    grouped(&text.replace('>', "&gt;").replace('"', "&quot;"))
}

/// Returns a text with narrow spaces between the thousands of its numbers. Leaves numbers of four
/// digits, digits in words or after a decimal point, and arguments of commands as they are.
pub(crate) fn grouped(text: &str) -> String {
    let (mut grouped, mut before) = (String::new(), ' ');
    for part in text.split_inclusive(|character: char| !character.is_alphanumeric()) {
        let digits = part.trim_end_matches(|character: char| !character.is_alphanumeric());
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit())
            && digits.len() > 4
            && [' ', '(', '\n'].contains(&before)
            && !text.contains("--");
        for (index, character) in part.char_indices() {
            let is_thousand = (1..digits.len()).contains(&index) && (digits.len() - index) % 3 == 0;
            if is_number && is_thousand {
                grouped.push('\u{202f}');
            }
            grouped.push(character);
        }
        before = part.chars().last().unwrap_or(before);
    }
    grouped
}
