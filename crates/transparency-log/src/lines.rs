//! What the formats' lines are made of, each value in one form only.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// A number in decimal digits without leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading = text.len() > 1 && text.starts_with('0');
    if !digits || leading {
        return None;
    }
    text.parse().ok()
}

/// Bytes in base 64 (RFC 4648, section 4) with padding, and with zeros where the last digit says nothing.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// The one form of these bytes in base 64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The first line, without its end, and the rest; `None` if no line ends.
pub(crate) fn split_line(text: &str) -> Option<(&str, &str)> {
    text.split_once('\n')
}

/// Whether a character may stand in a line: none of the control characters below U+0020.
pub(crate) fn is_plain(character: char) -> bool {
    character >= ' '
}
