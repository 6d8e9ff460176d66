#!/usr/bin/env bash
# Packs every crate that can be published, and builds a program against the packed files alone.
#
#   scripts/package.sh          pack, unpack, and check a program with the lines of crates/authdict/README.md
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
packed=$PWD/target/package outside=$PWD/target/outside

rm -rf "$packed" "$outside"
# What is not committed yet is packed too: the packages are thrown away.
"$cargo" package --workspace --no-verify --allow-dirty --locked --quiet
mkdir -p "$outside/src" "$outside/crates"
for crate in "$packed"/*.crate; do
    # With the times of now: cargo compiles again what is newer than its artifacts.
    tar -xzmf "$crate" -C "$outside/crates"
done

{
    printf '[package]\nname = "outside"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n'
    printf 'authdict = "0.2.0"\n\n[workspace]\n\n[patch.crates-io]\n'
    for folder in "$outside"/crates/*; do
        name=$(basename "$folder")
        printf '%s = { path = "crates/%s" }\n' "${name%-[0-9]*}" "$name"
    done
} >"$outside/Cargo.toml"
cp Cargo.lock "$outside"
# The program of the README.
sed -n '/^```rust$/,/^```$/p' crates/authdict/README.md | sed '1d;$d' >"$outside/src/main.rs"
# The same versions, profiles and folder of artifacts as the workspace, so that little is compiled anew.
sed -n '/^\[profile/,$p' Cargo.toml | grep -v '^\(authdict\|bench\|comparison\) = ' >>"$outside/Cargo.toml"
said=$(cd "$outside" && "$cargo" check --target-dir "$PWD/../" 2>&1) || { echo "$said" >&2 && exit 1; }
if grep -q 'generated .* warning' <<<"$said"; then
    echo "$said" >&2
    exit 1
fi
echo "the packed crates build outside of the workspace, with the program of the README"
