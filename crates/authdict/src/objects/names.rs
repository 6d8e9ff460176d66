//! The names of the objects in which a dictionary is stored ([`super`]). Numbers in names are
//! padded with zeros, so that names sort like numbers.

use pad_core::Version;

pub(super) const DESCRIPTION: &str = "description";
pub(super) const NEWEST: &str = "newest";
pub(super) const HEADS: &str = "heads";
pub(super) const NODES: &str = "nodes";

const DIGITS: usize = 20;
const HEX_DIGITS: usize = 16;

pub(super) fn head(version: Version) -> String {
    format!("{HEADS}/{}", digits(version))
}

pub(super) fn digits(version: Version) -> String {
    format!("{:0DIGITS$}", version.number())
}

/// Parses the version in the name of a head object: exactly 20 decimal digits. Returns `None` for
/// other text.
pub(super) fn number_of(digits: &str) -> Option<u64> {
    let is_canonical = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_canonical.then(|| digits.parse().ok()).flatten()
}

pub(super) fn nodes(number: u64) -> String {
    format!("{NODES}/{number:0HEX_DIGITS$x}")
}

/// Returns the number of the segment with the file name `name`, without its folder. Returns `None`
/// if `name` is not the name of a segment.
pub(super) fn nodes_of(name: &str) -> Option<u64> {
    let number = u64::from_str_radix(name, 16).ok()?;
    (nodes(number).strip_prefix(NODES)?.strip_prefix('/')? == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_numbers_and_read_back() {
        let numbers = [0, 1, 9, 10, 255, 256, 1 << 40, u64::MAX];
        for pair in numbers.windows(2) {
            let [less, more] = [pair[0], pair[1]];
            assert!(head(Version::new(less)) < head(Version::new(more)));
            assert!(nodes(less) < nodes(more));
        }
        for number in numbers {
            assert_eq!(number_of(&digits(Version::new(number))), Some(number));
            let name = nodes(number);
            assert_eq!(nodes_of(name.strip_prefix("nodes/").unwrap()), Some(number));
        }
        for other in ["", "1", "+0000000000000000001", "99999999999999999999", "x"] {
            assert_eq!(number_of(other), None);
            assert_eq!(nodes_of(other), None);
        }
        assert_eq!(nodes_of("00000000000000FF"), None);
    }
}
