#!/usr/bin/env bash
# An author, two servers, a mirror, two servers that lie, a witness and three clients, as processes on this machine, with TLS where
# there is openssl to make a certificate. Every lie is caught; what is left of it is shown.
#
#   scripts/three-parties.sh [the pad program]
set -euo pipefail

pad=$(realpath "${1:-target/debug/pad}")
folder=$(mktemp -d)
cd "$folder"
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap stop EXIT

say() { printf '\n== %s\n' "$*"; }
tls=() roots=()
if command -v openssl >/dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE \
        -keyout tls.key -out tls.pem 2>/dev/null
    chmod 600 tls.key
    tls=(--tls-cert tls.pem --tls-key tls.key) roots=(--tls-roots tls.pem)
else
    echo "openssl is missing: this runs without TLS"
fi

# serve NAME WORDS..: starts a server at a free port; its address is in the variable of that name.
serve() {
    local name=$1
    shift
    "$pad" --json "$@" --listen 127.0.0.1:0 ${tls[@]+"${tls[@]}"} >"$name.out" 2>"$name.log" &
    servers+=($!)
    until [ -s "$name.out" ]; do
        kill -0 $! || { cat "$name.log"; exit 1; }
        sleep 0.05
    done
    printf -v "$name" '%s' "$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$name.out")"
}
asked() { "$pad" "$1" ${roots[@]+"${roots[@]}"} --public author.key.pub "${@:2}"; }

say "the author publishes, and signs another history behind everybody's back"
"$pad" keygen --out author.key
printf 'snapshot,op,key,value\na,put,apple,3\nb,put,apple,4\n' >trace.csv
printf 'snapshot,op,key,value\na,put,apple,3\nb,put,apple,66\n' >fork.csv
"$pad" import --store author.pad --key author.key trace.csv
"$pad" import --store fork.pad --key author.key --record fork.signed --new-record fork.csv
"$pad" export --store author.pad --at 1 --out first.update
for store in one two old; do "$pad" apply --store $store.pad --public author.key.pub first.update >/dev/null; done

say "two servers, a mirror of both, one that serves an old copy, one that serves the other history"
serve one serve --store one.pad
serve two serve --store two.pad
serve old serve --store old.pad
serve fork serve --store fork.pad
serve mirror mirror --from "$one" --from "$two" ${roots[@]+"${roots[@]}"} --store mirror.pad --public author.key.pub --every 50
"$pad" push --store author.pad --to "$one" --to "$two" ${roots[@]+"${roots[@]}"}
until asked versions --server "$mirror" 2>/dev/null | grep -q '^ *2 '; do sleep 0.05; done

say "three clients"
asked get --server "$one" --server "$two" --view first.view apple
asked get --server "$mirror" --view second.view apple
asked get --server "$two" --view third.view --at 1 apple

say "an old version as news: the next server is asked; nothing is kept, because a server that is late may be honest"
asked get --server "$old" --server "$one" --view first.view apple 2>late
cat late
grep -q "version 1 is older than version 2, which was seen before" late

say "another history"
asked get --server "$fork" --server "$mirror" --view second.view apple
"$pad" evidence --public author.key.pub second.view.evidence

say "a witness, and a server that keeps the log of heads"
"$pad" witness keygen --name witness.example/w --out witness.key
"$pad" witness keygen --name log.example/prices --log-of author.key.pub --out log.key
log=$(cat log.key.pub)
serve witness witness --state witness.state --key witness.key --known-log "$log"
printf 'log %s\nwitness w %s %s\nquorum w\n' "$log" "$(cat witness.key.pub)" "$witness" >policy
witnessed=(--log-key log.key --witnesses policy ${roots[@]+"${roots[@]}"})
"$pad" apply --store logged.pad --public author.key.pub first.update >/dev/null
"$pad" export --store author.pad --at 2 --out second.update >/dev/null
"$pad" apply --store logged.pad second.update >/dev/null
serve logged serve --store logged.pad --publish logged.heads "${witnessed[@]}"
until asked get --server "$logged" --witnesses policy apple 2>/dev/null; do sleep 0.05; done
asked get --server "$logged" --witnesses policy --at 1 apple

say "the other history with all keys: it is believed where nobody asks the witness, and refused where somebody does"
serve private serve --store fork.pad --publish private.heads "${witnessed[@]}"
asked get --server "$private" apple
if asked get --server "$private" --witnesses policy apple; then exit 1; fi
asked get --server "$private" --server "$logged" --witnesses policy apple

say "a server is killed, and its client asks the next"
kill -9 "${servers[0]}"
asked get --server "$one" --server "$two" --view first.view apple
