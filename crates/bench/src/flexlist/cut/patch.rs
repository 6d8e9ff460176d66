//! Where a patch changes which blobs.

use std::{collections::HashMap, io::BufRead};

use super::{BlobName, CutError, ranges::Hunk};

/// The hunks of pairs of blobs, old and new.
pub(super) type Hunks = HashMap<(BlobName, BlobName), Vec<Hunk>>;

/// Reads the hunks of a patch; the lines themselves are skipped by their number.
pub(super) fn read_patch(mut patch: impl BufRead) -> Result<Hunks, CutError> {
    let unreadable = || CutError::Unreadable("diff-tree");
    let mut hunks = Hunks::new();
    let (mut blobs, mut line, mut lines_to_skip) = (None, Vec::new(), 0_u64);
    loop {
        line.clear();
        if patch.read_until(b'\n', &mut line).map_err(CutError::Git)? == 0 {
            return match lines_to_skip {
                0 => Ok(hunks),
                _ => Err(unreadable()),
            };
        }
        if lines_to_skip > 0 {
            // "\ No newline at end of file" stands between lines that count.
            match line.first() {
                Some(b'+' | b'-') => lines_to_skip = lines_to_skip.saturating_sub(1),
                Some(b'\\') => {}
                _ => return Err(unreadable()),
            }
        } else if line.starts_with(b"diff ") {
            blobs = None;
        } else if let Some(facts) = line.strip_prefix(b"index ") {
            let facts = str::from_utf8(facts).map_err(|_| unreadable())?;
            let objects = facts.split_ascii_whitespace().next().unwrap_or_default();
            let (old, new) = objects.split_once("..").ok_or_else(unreadable)?;
            let pair = (old.to_owned(), new.to_owned());
            // The same two blobs under another name have the same diff.
            hunks.remove(&pair);
            blobs = Some(pair);
        } else if line.starts_with(b"@@ ") {
            let hunk = Hunk::parse(&line).ok_or_else(unreadable)?;
            lines_to_skip = hunk.lines().ok_or_else(unreadable)?;
            let blobs = blobs.clone().ok_or_else(unreadable)?;
            hunks.entry(blobs).or_default().push(hunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(patch: &str) -> Result<Vec<usize>, CutError> {
        let hunks = read_patch(patch.as_bytes())?;
        let mut numbers: Vec<usize> = hunks.values().map(Vec::len).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    #[test]
    fn reads_patches_whatever_the_lines_say() {
        let header = "diff --git a/a b/a\nindex 11..22 100644\n--- a/a\n+++ b/a\n";
        let body = "@@ -1 +1,2 @@ @@ -1 @@\n-@@ -1 +1 @@\n\\ No newline at end of file\n+index 1..2\n+diff\n";
        let patch = format!("{header}{body}@@ -9 +9,0 @@\n-x\n");
        assert_eq!(read(&patch).unwrap(), [2]);
        // The same blobs under two names: once. Binary files and new modes: no hunks.
        let binary = "diff --git a/b b/b\nold mode 1\nindex 33..44\nBinary files differ\n";
        assert_eq!(read(&format!("{patch}{binary}{patch}")).unwrap(), [2]);
    }

    #[test]
    fn refuses_patches_that_are_none() {
        let header = "diff --git a/a b/a\nindex 11..22 100644\n";
        for wrong in [
            "@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            format!("{header}@@ -1 +1 @@\n-a\n"),
            format!("{header}@@ -1 +1 @@\n-a\n b\n"),
            format!("{header}@@ -1 @@\n-a\n"),
            "diff --git a/a b/a\nindex 11 22\n".to_owned(),
        ] {
            let refused = read(&wrong);
            assert!(
                matches!(refused, Err(CutError::Unreadable("diff-tree"))),
                "{wrong}"
            );
        }
    }
}
