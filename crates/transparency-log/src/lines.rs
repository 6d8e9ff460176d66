//! Encodings of numbers and bytes in lines, each value in exactly one form.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Parses a decimal `u64` without a sign or leading zeros.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading = text.len() > 1 && text.starts_with('0');
    if !digits || leading {
        return None;
    }
    text.parse().ok()
}

/// Decodes base64 (RFC 4648, section 4), with padding and zero trailing bits.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Encodes `bytes` in base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns whether `character` is allowed in a line: not a control character below U+0020.
pub(crate) fn is_plain(character: char) -> bool {
    character >= ' '
}
