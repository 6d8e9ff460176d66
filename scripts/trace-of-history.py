#!/usr/bin/env python3
"""Makes a trace for `bench flexlist --trace` from the history of a local git repository: numbers only, no names and no content.

    scripts/trace-of-history.py REPOSITORY NAME [COMMITS]

Writes NAME.csv and NAME-files.csv, whose columns data/README.md explains, from the newest COMMITS (else all) of the first-parent chain;
`zstd -19 NAME.csv` makes it small. A rename is a deletion and an addition, submodules are left out. Text changes by the lines of git's diff, other files in one range.
"""

import re
import subprocess
import sys
from itertools import accumulate
from os.path import commonprefix

repository, name, *most = sys.argv[1:]


def git(*arguments):
    command = ["git", "-C", repository, "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def tree(commit):
    """Names, blobs and sizes of the files of a commit."""
    entries = [entry.split(b"\t", 1) for entry in git("ls-tree", "-rlz", "--full-tree", commit).split(b"\0")[:-1]]
    facts = [(path, *entry.split()[1:]) for entry, path in entries]
    return {path: (blob.decode(), int(size)) for path, kind, blob, size in facts if kind == b"blob"}


def lines(text):
    return [0, *accumulate(len(line) for line in re.findall(rb"[^\n]*\n|[^\n]+$", text))]


def edits(before, after):
    """Offsets, removed and inserted bytes that make one blob of another."""
    old, new = git("cat-file", "blob", before), git("cat-file", "blob", after)
    diff = git("diff", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--no-ext-diff", "--no-color", before, after)
    pairs, starts = [], (lines(old), lines(new))
    for hunk in re.findall(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", diff, re.M):
        ranges = [(int(hunk[side]) - (hunk[side + 1] != b"0"), int(hunk[side + 1] or 1)) for side in (0, 2)]
        pairs.append([(of[first], of[first + count]) for of, (first, count) in zip(starts, ranges)])
    if not pairs:
        start = len(commonprefix([old, new]))
        end = len(commonprefix([old[start:][::-1], new[start:][::-1]]))
        pairs = [[(start, len(old) - end), (start, len(new) - end)]]
    return [(first, last - first, to - of) for (first, last), (of, to) in pairs]


commits = git("rev-list", "--first-parent", "--reverse", "HEAD").decode().split()
start = len(commits) - int(most[0]) if most else 0
files = tree(commits[start - 1]) if start > 0 else {}
numbers, folders, rows = {}, {}, ["commit,path,kind,offset,removed,inserted"]
table, sizes = ["path,dir,initial_size"], {path: size for path, (_, size) in files.items()}


def number(path, size=-1):
    if path not in numbers:
        numbers[path] = len(numbers)
        folder = folders.setdefault(path.rpartition(b"/")[0], len(folders))
        table.append(f"{numbers[path]},{folder},{size}")
    return numbers[path]


for path in sorted(files):
    number(path, files[path][1])
for count, commit in enumerate(commits[start:], 1):
    before, files = files, tree(commit)
    for path in sorted(before.keys() | files.keys()):
        (old, removed), (new, inserted) = before.get(path, (None, 0)), files.get(path, (None, 0))
        changes = [] if old == new else edits(old, new) if old and new else [(0, removed, inserted)]
        kind = "M" if old and new else "D" if old else "A"
        rows += [f"{count},{number(path)},{kind},{','.join(map(str, change))}" for change in changes]
        sizes[path] = sizes.get(path, 0) + sum(inserted - removed for _, removed, inserted in changes)
assert all(sizes[path] == files.get(path, (None, 0))[1] for path in sizes), "the replayed sizes are not those of the last commit"
for file, text in [(f"{name}.csv", rows), (f"{name}-files.csv", table)]:
    with open(file, "w", encoding="ascii", newline="\n") as output:
        output.writelines(row + "\n" for row in text)
print(f"{len(commits) - start} commits, {len(rows) - 1} changes of {len(numbers)} files in {len(folders)} folders")
