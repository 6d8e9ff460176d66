#!/usr/bin/env python3
"""The public interface of each published crate as text, from the pages of rustdoc. Crates whose manifest states
`internal = true` under `package.metadata` are published for the other crates only, and are left out.

    scripts/public-api.py            write docs/api/CRATE.txt
    scripts/public-api.py --check    fail if they differ from the code

With --check, the pages must be up to date, as in `make check`; otherwise they are built first. One line for each
item, method, field and variant, with its signature. What traits of other crates
add is left out, and of what another crate has there is the name alone.
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOC, API = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc", ROOT / "docs/api"
KINDS = "struct|enum|union|trait|fn|type|constant|static|macro|derive|attr"
HEADER = re.compile(r'<section id="((?:ty)?method|associatedconstant|associatedtype)\.[^"]*"[^>]*>.*?'
                    r'<h4 class="code-header">(.*?)</h4>', re.S)
PART = re.compile(r'<(?:span|section) id="(variant|structfield)\.[^"]*"[^>]*>(.*?)</(?:span|section)>', re.S)
DECLARATION = re.compile(r'<pre class="rust item-decl"><code>(.*?)</code></pre>', re.S)


def text(markup):
    """The text of markup on one line."""
    plain = html.unescape(re.sub(r"<[^>]+>", "", markup))
    plain = re.sub(r"ⓘ|\s*Source\b", "", plain)
    return re.sub(r"\s+", " ", plain).strip()


def lines_of(page, path):
    """The lines of one item."""
    markup = page.read_text()
    crate = path.split("::")[0]
    # In the heading alone, which names no source if the other crate's pages are not there yet.
    heading = markup.partition('<div class="main-heading">')[2].partition("<pre")[0]
    source = re.search(r'class="src[^"]*" href="([^"]*)"', heading)
    if not source or f"src/{crate}/" not in source.group(1):
        yield f"{path}  from another crate"
        return
    declaration = DECLARATION.search(markup)
    kind = page.name.split(".")[0]
    first = text(declaration.group(1)) if declaration and kind in ("fn", "type", "constant", "static") else kind
    yield f"{path}  {first}"
    if kind == "type":
        return  # The page repeats the parts of the type.
    # What traits add comes after the item's own methods.
    own = re.split(r'<h2 id="(?:trait-implementations|synthetic-implementations|foreign-impls|implementors)"', markup)[0]
    for _, part in PART.findall(own):
        yield f"{path}::{text(re.sub(r'<a [^>]*class=.anchor[^>]*>.*?</a>', '', part)).lstrip('§')}"
    for _, header in HEADER.findall(own):
        yield f"{path}  {text(header)}"


def interface(crate):
    """The lines of a crate, in ascending order."""
    folder = DOC / crate
    listed = re.findall(rf'<a href="([^"]*?({KINDS})\.[^"]+\.html)">([^<]+)</a>', (folder / "all.html").read_text())
    lines = {line for href, _, name in listed for line in lines_of(folder / href, f"{crate}::{html.unescape(name)}")}
    return sorted(lines)


def published():
    """The libraries that are published and whose interface is not internal."""
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")):
        package = tomllib.loads(manifest.read_text())["package"]
        is_internal = package.get("metadata", {}).get("internal", False)
        if package.get("publish", True) and not is_internal and (manifest.parent / "src/lib.rs").exists():
            yield package["name"].replace("-", "_")


def main():
    check = sys.argv[1:] == ["--check"]
    if not check:
        document = ["cargo", "doc", "--workspace", "--no-deps", "--all-features", "--locked"]
        subprocess.run(document, cwd=ROOT, check=True)
    total, changed = 0, []
    API.mkdir(exist_ok=True)
    for crate in published():
        lines = interface(crate)
        total += len(lines)
        page, content = API / f"{crate}.txt", "".join(f"{line}\n" for line in lines)
        if not check:
            page.write_text(content)
        elif not page.exists() or page.read_text() != content:
            changed.append(page)
            known = page if page.exists() else "/dev/null"
            subprocess.run(["diff", "-u0", known, "-"], input=content, text=True)
        print(f"{crate}: {len(lines)}", file=sys.stderr)
    print(f"in all: {total}", file=sys.stderr)
    if changed:
        sys.exit("the public interface is not that of docs/api: if the change is meant, run scripts/public-api.py")


if __name__ == "__main__":
    main()
