//! Byte ranges that differ between two files.

use core::{iter, ops::Range};

use super::CutError;
use crate::flexlist::trace::Edit;

/// The header of a hunk without context: `@@ -start,lines +start,lines @@`. Lines count from 1; where
/// there are none, `start` is the line before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    old: (usize, usize),
    new: (usize, usize),
}

impl Hunk {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let text = line.strip_prefix(b"@@ -")?;
        let end = text.windows(3).position(|window| window == b" @@")?;
        let (old, new) = str::from_utf8(text.get(..end)?).ok()?.split_once(" +")?;
        let side = |text: &str| match text.split_once(',') {
            Some((start, lines)) => Some((start.parse().ok()?, lines.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        };
        Some(Self {
            old: side(old)?,
            new: side(new)?,
        })
    }

    /// How many lines of the patch it has.
    pub(super) fn lines(&self) -> Option<u64> {
        u64::try_from(self.old.1.checked_add(self.new.1)?).ok()
    }
}

/// The edits that make `after` from `before`: those of a line diff, or one.
///
/// # Errors
/// [`CutError::DiffMismatch`] if the hunks do not make one of the other.
pub(super) fn edits(
    before: &[u8],
    after: &[u8],
    hunks: Option<&[Hunk]>,
) -> Result<Vec<Edit>, CutError> {
    let pairs = match hunks {
        Some(hunks) => of_lines(before, after, hunks).ok_or(CutError::DiffMismatch)?,
        None => vec![between(before, after)],
    };
    if !make(before, after, &pairs) {
        return Err(CutError::DiffMismatch);
    }
    let edit = |(old, new): &(Range<usize>, Range<usize>)| {
        Some(Edit {
            offset: u64::try_from(old.start).ok()?,
            removed: u64::try_from(old.len()).ok()?,
            inserted: u64::try_from(new.len()).ok()?,
        })
    };
    let edits: Option<Vec<Edit>> = pairs.iter().map(edit).collect();
    edits.ok_or(CutError::DiffMismatch)
}

/// What goes and what comes in its place.
type Pair = (Range<usize>, Range<usize>);

fn of_lines(before: &[u8], after: &[u8], hunks: &[Hunk]) -> Option<Vec<Pair>> {
    let (old, new) = (line_starts(before), line_starts(after));
    let pair = |hunk: &Hunk| Some((bytes(&old, hunk.old)?, bytes(&new, hunk.new)?));
    hunks.iter().map(pair).collect()
}

/// Where each line starts, and where the last one ends.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(iter::zip(1.., text).filter_map(|(next, byte)| (*byte == b'\n').then_some(next)));
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}

fn bytes(starts: &[usize], (start, lines): (usize, usize)) -> Option<Range<usize>> {
    let first = match lines {
        0 => start,
        _ => start.checked_sub(1)?,
    };
    let end = starts.get(first.checked_add(lines)?)?;
    Some(*starts.get(first)?..*end)
}

/// The range between the longest common prefix and the longest common suffix of what follows it.
fn between(before: &[u8], after: &[u8]) -> Pair {
    let same = |(one, other): &(&u8, &u8)| one == other;
    let start = iter::zip(before, after).take_while(same).count();
    let rest = |bytes: &[u8]| bytes.len().saturating_sub(start);
    let suffix = iter::zip(before.iter().rev(), after.iter().rev())
        .take(rest(before).min(rest(after)))
        .take_while(same)
        .count();
    let range = |bytes: &[u8]| start..bytes.len().saturating_sub(suffix);
    (range(before), range(after))
}

/// Whether everything between the ranges is the same in both files.
fn make(before: &[u8], after: &[u8], pairs: &[Pair]) -> bool {
    let (mut old_end, mut new_end) = (0, 0);
    let end = (before.len()..before.len(), after.len()..after.len());
    for (old, new) in pairs.iter().chain([&end]) {
        let (kept, same) = (
            before.get(old_end..old.start),
            after.get(new_end..new.start),
        );
        if kept.is_none() || kept != same {
            return false;
        }
        (old_end, new_end) = (old.end, new.end);
    }
    !pairs
        .iter()
        .any(|(old, new)| old.is_empty() && new.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(offset: u64, removed: u64, inserted: u64) -> Edit {
        Edit {
            offset,
            removed,
            inserted,
        }
    }

    fn hunks(text: &str) -> Vec<Hunk> {
        text.lines()
            .map(|line| Hunk::parse(line.as_bytes()).unwrap())
            .collect()
    }

    #[test]
    fn parses_headers() {
        let hunk = |old, new| Hunk { old, new };
        let parse = |line: &str| Hunk::parse(line.as_bytes());
        assert_eq!(parse("@@ -3 +4,0 @@ fn @@ x"), Some(hunk((3, 1), (4, 0))));
        assert_eq!(parse("@@ -0,0 +1,12 @@"), Some(hunk((0, 0), (1, 12))));
        for wrong in ["@@ -3 @@", "@@ -3 +x @@", "@@ 3 +3 @@", "@@ -3,2 +4,1", ""] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lines_become_bytes() {
        let (before, after) = (b"one\ntwo\nthree", b"zero\none\nthree\nfour");
        let hunks = hunks("@@ -0,0 +1 @@\n@@ -2,2 +3,2 @@");
        let made = edits(before, after, Some(&hunks)).unwrap();
        assert_eq!(made, [edit(0, 0, 5), edit(4, 9, 10)]);
    }

    #[test]
    fn wrong_hunks_are_refused() {
        for wrong in [
            "@@ -1 +1 @@",
            "@@ -9 +1 @@",
            "@@ -2 +2,0 @@",
            "@@ -0 +0 @@",
            "@@ -2,18446744073709551615 +2 @@",
            "@@ -2,0 +2,0 @@\n@@ -3 +3 @@",
        ] {
            let refused = edits(b"a\nb\nc\n", b"a\nb\nd\n", Some(&hunks(wrong)));
            assert!(matches!(refused, Err(CutError::DiffMismatch)), "{wrong}");
        }
        let right = edits(b"a\nb\nc\n", b"a\nb\nd\n", Some(&hunks("@@ -3 +3 @@")));
        assert_eq!(right.unwrap(), [edit(4, 2, 2)]);
    }

    #[test]
    fn other_files_have_one_range() {
        for (before, after, expected) in [
            (&b"abcd"[..], &b"abxcd"[..], edit(2, 0, 1)),
            (b"aaa", b"aa", edit(2, 1, 0)),
            (b"aa", b"aaaa", edit(2, 0, 2)),
            (b"abc", b"xyz", edit(0, 3, 3)),
            (b"", b"x", edit(0, 0, 1)),
        ] {
            assert_eq!(edits(before, after, None).unwrap(), [expected]);
        }
    }
}
