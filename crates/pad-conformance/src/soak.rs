//! Selection of expensive test cases: `make soak` runs all of them, `.ci/run` a tenth, `make test`
//! none.

use std::{env, panic::Location};

/// Returns whether the environment variable `SOAK` selects the expensive test case at the source
/// line of the caller.
///
/// If `SOAK` is unset or `0`, no case is selected. `k/n` selects part `k` (counted from 0) of `n`
/// parts, to which a hash assigns the calling lines. Any other value selects all cases.
#[track_caller]
pub fn enabled() -> bool {
    match env::var("SOAK") {
        Err(_) => false,
        Ok(asked) => asks_for(&asked, Location::caller()),
    }
}

/// Returns whether `SOAK` selects all expensive cases, and not only a part of them.
pub fn is_whole() -> bool {
    env::var("SOAK").is_ok_and(|asked| asked != "0" && !asked.contains('/'))
}

/// Returns the size of a test: `long` if `SOAK` selects the source line of the caller (see
/// [`enabled`]), otherwise `short`.
#[track_caller]
pub fn size<T>(short: T, long: T) -> T {
    if enabled() { long } else { short }
}

fn asks_for(asked: &str, line: &Location<'_>) -> bool {
    let part = asked.split_once('/').and_then(|(part, parts)| {
        Some((part.parse::<u64>().ok()?, parts.parse::<u64>().ok()?))
            .filter(|(_, parts)| *parts > 0)
    });
    match part {
        None => asked != "0",
        Some((part, parts)) => hash(line) % parts == part % parts,
    }
}

/// Returns the FNV-1a hash of the file path and line number in `line`.
fn hash(line: &Location<'_>) -> u64 {
    let number = line.line().to_le_bytes();
    let bytes = line.file().bytes().chain(number);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_in_one_part() {
        let line = Location::caller();
        let parts = (0..10).filter(|part| asks_for(&format!("{part}/10"), line));
        assert_eq!(parts.count(), 1);
        assert!(asks_for("1", line) && asks_for("all", line));
        assert!(!asks_for("0", line));
    }
}
