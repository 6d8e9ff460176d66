#!/usr/bin/env bash
# Makes sure that this machine can build the workspace. Silent when nothing is missing.
#
#   scripts/install-prerequisites.sh          what building, testing and the demo need
#   scripts/install-prerequisites.sh fuzz     the same, and what the fuzz targets need
#
# On Debian and Ubuntu missing packages are installed with apt-get (through sudo unless root);
# elsewhere the script says what to install and stops.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "prerequisites: $*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# The rule "compiler X works" is tried, not looked up: a compiler without the C library's headers
# is as useless as none.
compiles() { # compiler language program
    have "$1" && printf '%s\n' "$3" | "$1" -x "$2" -o /dev/null - 2>/dev/null
}

missing=() packages=()
need() { # what-and-why packages...
    missing+=("$1")
    packages+=("${@:2}")
}

compiles cc c '#include <stdlib.h>
int main(void) { return EXIT_SUCCESS; }' ||
    need "a C compiler with the C library's headers: Rust links with it; blake3, ring and GMP are C" gcc libc6-dev
have make || need "make: runs the Makefile and GMP's build" make
have diff || need "diff: GMP's configure script uses it" diffutils
have m4 || need "m4: GMP generates its assembly with it (the big integers of the accumulators)" m4
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    need "Python 3.11 or newer: tests run the verifier in examples/python and docs/scale.py" python3
if [ "${1:-}" = fuzz ]; then
    compiles c++ c++ '#include <vector>
int main() { return static_cast<int>(std::vector<int>().size()); }' ||
        need "a C++ compiler: libFuzzer is C++" g++
fi

if [ ${#missing[@]} -gt 0 ]; then
    say "missing on this machine:"
    printf '  - %s\n' "${missing[@]}" >&2
    if ! have apt-get; then
        say "this is not a Debian or Ubuntu machine (no apt-get): please install the above with its package manager, then try again"
        exit 1
    fi
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! have sudo; then
            say "installing needs root and there is no sudo; as root run: apt-get update && apt-get install ${packages[*]}"
            exit 1
        fi
        as_root=(sudo)
    fi
    install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
    say "running: ${install[*]} update"
    "${install[@]}" update -qq >&2
    say "running: ${install[*]} install --yes --no-install-recommends ${packages[*]}"
    "${install[@]}" install --yes --no-install-recommends -qq "${packages[@]}" >&2
    say "done"
fi

if ! have cargo; then
    if [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
        say "cargo is installed but not on the PATH; run: . \"${CARGO_HOME:-$HOME/.cargo}/env\""
    else
        say "no Rust toolchain found (cargo is missing); rustup.rs shows how to install one"
    fi
    exit 1
fi
# Asked here, in the workspace, so that rustup picks the toolchain of rust-toolchain.toml.
version=$(cargo --version | cut -d ' ' -f 2)
wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if [ "$(printf '%s\n' "$wanted" "$version" | sort -V | head -n 1)" != "$wanted" ]; then
    say "cargo $version is too old: the workspace needs Rust $wanted or newer (rustup.rs shows how to install it)"
    exit 1
fi
