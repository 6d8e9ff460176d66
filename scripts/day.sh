#!/usr/bin/env bash
# A day of work: an author with a year of nightly versions, an operator with a mirror, a router and a restored backup, and an
# application. Each step checks its result, and the first wrong one ends the script.
#
#   scripts/day.sh [the pad program] [number of entries]
set -euo pipefail

pad=$(realpath "${1:-target/debug/pad}")
entries=${2:-20000}
folder=$(mktemp -d)
cd "$folder"
servers=()
stop() {
    for server in ${servers[@]+"${servers[@]}"}; do kill "$server" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap stop EXIT

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'day.sh: %s\n' "$*" >&2; exit 1; }
# is WANTED COMMAND..: the output of the command is WANTED.
is() {
    local wanted=$1 shown
    shift
    shown=$("$@") || fail "exit status $? of: $*"
    [ "$shown" = "$wanted" ] || fail "'$shown' instead of '$wanted' from: $*"
}
# refused STATUS COMMAND..: the command ends with this exit status.
refused() {
    local wanted=$1 status=0
    shift
    "$@" >refused.out 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted from: $*: $(cat refused.out)"
}
# serve NAME WORDS..: starts a server at a free port; its address is in the variable of that name.
serve() {
    local name=$1
    shift
    "$pad" --json "$@" --listen 127.0.0.1:0 >"$name.out" 2>"$name.log" &
    servers+=($!)
    until [ -s "$name.out" ]; do
        kill -0 $! || fail "$(cat "$name.log")"
        sleep 0.05
    done
    printf -v "$name" '%s' "$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$name.out")"
}
latest() { "$pad" --json versions --last 1 "$@" | sed -n 's/.*"latest":\([0-9]*\).*/\1/p'; }
export PAD_PUBLIC=author.key.pub

say "author: $entries entries in one version, then changes night after night"
"$pad" keygen --out author.key
awk -v n="$entries" 'BEGIN { print "key,value"; for (i = 0; i < n; i++) printf "package-%06d,1.0.%d\n", i, i }' >all.csv
"$pad" import --store author.pad --key author.key --name first all.csv >/dev/null
is 1 latest --store author.pad
for night in $(seq 1 20); do
    "$pad" put --store author.pad "package-00000$((night % 10))" "2.0.$night" >/dev/null
    "$pad" commit --store author.pad --key author.key --name "night-$night" >/dev/null
done
is 21 latest --store author.pad
is 2.0.20 "$pad" get --store author.pad --raw package-000000
is 1.0.7 "$pad" get --store author.pad --raw --at first package-000007

say "author: two processes that put and commit at the same time lose nothing"
loop() {
    for turn in $(seq 1 20); do
        "$pad" put --store author.pad "$1-$turn" "$turn" >/dev/null
        "$pad" commit --store author.pad --key author.key >/dev/null
    done
}
loop left &
left=$!
loop right
wait $left
for side in left right; do
    for turn in $(seq 1 20); do is "$turn" "$pad" get --store author.pad --raw "$side-$turn"; done
done
newest=$(latest --store author.pad)

say "author: a night without changes, a key that is absent, and keys that are no text"
"$pad" commit --store author.pad --key author.key --allow-empty >/dev/null
"$pad" commit --store author.pad --key author.key >/dev/null
refused 2 "$pad" commit --store author.pad --key author.key --name quiet
refused 1 "$pad" get --store author.pad --raw no-such-package
"$pad" put --store author.pad --key author.key --commit --hex ff00 00ff >/dev/null
is 00ff sh -c "'$pad' --json get --store author.pad --hex ff00 | sed -n 's/.*\"value_hex\":\"\([0-9a-f]*\)\".*/\1/p'"
newest=$((newest + 2))
is "$newest" latest --store author.pad

say "operator: a server, a mirror of it and a router over both"
cp author.pad backup.pad
for part in author.pad.*; do [ ! -f "$part" ] || cp "$part" "backup${part#author}"; done
"$pad" export --store author.pad --from 1 --out updates >/dev/null
"$pad" apply --store served.pad --public author.key.pub updates >/dev/null
serve one serve --store served.pad
serve two mirror --from "$one" --store copy.pad --public author.key.pub --every 50
until [ "$(latest --server "$two" 2>/dev/null)" = "$newest" ]; do sleep 0.05; done
"$pad" put --store author.pad --key author.key --commit package-000001 3.0.0 >/dev/null
"$pad" push --store author.pad --to "$one" >/dev/null
until [ "$(latest --server "$two" 2>/dev/null)" = $((newest + 1)) ]; do sleep 0.05; done
serve router route --server "$one" --server "$two" --public author.key.pub --every 50
for server in "$one" "$two" "$router"; do
    is 3.0.0 "$pad" get --server "$server" --view client.view --raw package-000001
done

say "operator: an author with a restored backup does not sign a version twice"
refused 3 env -u PAD_PUBLIC "$pad" put --store backup.pad --key author.key --commit package-000001 4.0.0
"$pad" apply --store backup.pad --public author.key.pub updates >/dev/null
is "$newest" latest --store backup.pad
"$pad" check --store backup.pad >/dev/null
"$pad" prune --store backup.pad --before 30 >/dev/null
refused 2 "$pad" get --store backup.pad --at 3 package-000001

say "application: many keys, ranges and history, each verified"
seq -f 'package-%06.0f' 0 999 >keys
is 1001 sh -c "'$pad' --json get --server '$one' --view client.view --keys keys | grep -c verified"
is 10 sh -c "'$pad' range --server '$one' --view client.view --csv --prefix package-00000 | grep -c ^package"
is 4 sh -c "'$pad' --json history --server '$one' --view client.view package-000001 | grep -c '\"version\"'"
say "done"
