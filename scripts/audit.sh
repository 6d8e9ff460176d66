#!/usr/bin/env bash
# Checks licences, sources and duplicates of every dependency against deny.toml, without the network.
#
# Uses cargo-deny if it is installed; otherwise the checks below, which need only cargo and awk.
# Security advisories are not part of it: they need a current database, hence the network.
set -euo pipefail
cd "$(dirname "$0")/.."

manifests=(Cargo.toml)
if [ -f fuzz/Cargo.toml ]; then manifests+=(fuzz/Cargo.toml); fi
failed=0
fault() {
    echo "audit: $*" >&2
    failed=1
}

# The quoted words of the list $2 in section $1 of deny.toml, one a line; comments do not count.
listed() {
    awk -v section="[$1]" -v list="$2 = [" '
        /^\[/ { inside = ($0 == section) }
        inside && open && /^\]/ { open = 0 }
        inside && open && /^ *["{]/ && split($0, part, "\"") > 2 { print part[2] }
        inside && $0 == list { open = 1 }' deny.toml
}

# "package version (path)|licence" of every dependency of manifest $1: on whatever platform, or, if
# some of those were never downloaded and there is no network, on this one.
packages() {
    { tree "$1" --target all 2>/dev/null || tree "$1"; } |
        sed -e 's/ (\*)$//' -e '/^$/d' | sort -u
}
tree() { # manifest options...
    cargo tree --manifest-path "$1" --workspace --all-features --locked --quiet \
        --edges normal,build,dev --prefix none --format '{p}|{l}' "${@:2}"
}

# Whether deny.toml excepts package $1 with licence $2; older manifests write + for -or-later.
is_exception() {
    local entry="{ crate = \"$1\", allow = [\"${2/%+/-or-later}\"] },"
    awk '/^exceptions = \[/ { open = 1 } /^\]/ { open = 0 } open' deny.toml | grep -qF "$entry"
}

# Licence expressions are evaluated as shell arithmetic: an allowed licence is 1, another one 0.
check_licences() { # manifest
    local package expression value
    while IFS='|' read -r package expression; do
        value=$(awk -v text="$expression" -v list="$(listed licenses allow | tr '\n' ' ')" 'BEGIN {
            count = split(list, name, " ")
            for (i = 1; i <= count; i++) allowed[name[i]] = 1
            gsub("/", " OR ", text); gsub(/[()]/, " & ", text)
            count = split(text, token, " ")
            for (i = 1; i <= count; i++) {
                if (token[i] == "(" || token[i] == ")") out = out token[i]
                else if (token[i] == "OR") out = out "||"
                else if (token[i] == "AND") out = out "&&"
                # An exception only grants more than the licence before it does.
                else if (token[i] == "WITH") i++
                else out = out ((token[i] in allowed) ? 1 : 0)
            }
            print (out == "") ? 0 : out
        }')
        (( value )) || is_exception "${package%% *}" "$expression" || fault "$package: licence \"$expression\" is not allowed by deny.toml"
    done
}

# Cargo.lock names a source for everything that is not a path; a path must be inside this folder.
check_sources() { # manifest, lock file
    local package expression path sources
    while IFS='|' read -r package expression; do
        case "$package" in
        *'('*) path=${package##*\(} path=${path%\)} ;;
        *) continue ;;
        esac
        case "$path/" in
        proc-macro/ | "$PWD"/*) ;;
        *) fault "$package does not come from the registry" ;;
        esac
    done
    sources=$(sed -n 's/^source = "\(.*\)"$/\1/p' "$2" | sort -u)
    if [ "$(grep -c . <<<"$sources")" -gt 1 ] || grep -qv '^\(registry+.*\)\?$' <<<"$sources"; then
        fault "$2 names other sources than the one registry:"$'\n'"$sources"
    fi
}

check_duplicates() { # lock file
    local name versions
    for name in $(listed bans deny); do
        versions=$(awk -F '"' -v name="$name" '
            found { print $2 }
            { found = ($1 == "name = " && $2 == name) }' "$1" |
            grep -vxF "$(listed bans skip | sed -n "s/^$name@//p" | grep . || echo none)" || true)
        if [ "$(grep -c . <<<"$versions")" -gt 1 ]; then
            fault "$1 holds $name more than once:" $versions
        fi
    done
}

for manifest in "${manifests[@]}"; do
    if cargo deny --version >/dev/null 2>&1; then
        cargo deny --manifest-path "$manifest" --config deny.toml --locked check licenses bans sources || failed=1
        continue
    fi
    found=$(packages "$manifest")
    check_licences <<<"$found"
    check_sources "$manifest" "$(dirname "$manifest")/Cargo.lock" <<<"$found"
    check_duplicates "$(dirname "$manifest")/Cargo.lock"
    echo "audit: $manifest: $(wc -l <<<"$found") packages: licences, sources and duplicates checked"
done
echo "audit: advisories not checked here (they need the network): cargo deny check advisories"
exit $failed
