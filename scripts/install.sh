#!/usr/bin/env bash
# Installs the command pad, its manual and what shells complete with: install.sh PREFIX [PROGRAM].
set -euo pipefail
prefix=${1:?usage: install.sh PREFIX [PROGRAM]}
target=${CARGO_TARGET_DIR:-$(dirname "$0")/../target}
pad=${2:-$target/release/pad}

install -Dm755 "$pad" "$prefix/bin/pad"
"$pad" man "$prefix/share/man/man1" >/dev/null
completions() { # shell, file
    mkdir -p "$(dirname "$prefix/share/$2")"
    "$pad" completions "$1" >"$prefix/share/$2"
}
completions bash bash-completion/completions/pad
completions zsh zsh/site-functions/_pad
completions fish fish/vendor_completions.d/pad.fish
echo "installed $prefix/bin/pad, and the manual and completions under $prefix/share"
