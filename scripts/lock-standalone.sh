#!/bin/sh
# Takes the versions of the workspace over into the lock files of the programs outside of it.
set -eu
cd "$(dirname "$0")/../examples/standalone"
for program in */; do
    cp ../../Cargo.lock "$program"
    # Forgets what the program does not use.
    (cd "$program" && cargo metadata --offline --format-version 1 > /dev/null)
done
