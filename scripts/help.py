#!/usr/bin/env python3
"""The help texts of `pad` and all of its commands, from the program.

    scripts/help.py PAD            write docs/help.md
    scripts/help.py PAD --check    fail if it differs from the program

PAD is the program, for example target/debug/pad.
"""

import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/help.md"
HEAD = """# Help of every command

For users who prefer one page to `pad COMMAND --help`. `scripts/help.py` writes this page from the program, and a
test compares them. [command-line.md](command-line.md) explains what the commands have in common.
"""


def help_of(program, words):
    """The text of `pad WORDS --help` in 80 columns, whatever the settings of this environment."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PAD_")}
    settings["COLUMNS"] = "80"
    output = subprocess.run([program, *words, "--help"], check=True, stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, env=settings)
    return "\n".join(line.rstrip() for line in output.stdout.strip().splitlines())


def sections(program, words):
    """The sections of a command and of its subcommands, depth first."""
    text = help_of(program, words)
    title = " ".join(["pad", *words])
    yield f"\n## {title}\n\n```text\n{text}\n```\n"
    listed = text.partition("\nOptions:")[0]
    for name in re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", listed, re.M):
        if name != "help":
            yield from sections(program, [*words, name])


def main(program, *options):
    page = HEAD + "".join(sections(program, []))
    if "--check" not in options:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit(f"help.py: {PAGE.name} differs from the program: run scripts/help.py {program}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
