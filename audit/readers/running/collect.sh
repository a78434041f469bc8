#!/bin/sh
# Collects what `tidegate audit` reads from a running Kafka cluster, with Kafka's own tools and nothing else.
# It only describes: nothing is changed. Values of settings that the audit has no use for are withheld before anything
# is written, passwords and keys among them.
#
#   sh collect.sh --bootstrap-server HOST:PORT [--command-config FILE] [--bin DIR] [--out DIR] [FILE...]
#
#   --command-config FILE   properties for a secured cluster; it is used, and not collected
#   --bin DIR               where kafka-topics.sh is, if not on the PATH
#   --out DIR               a new directory to write (default: tidegate-audit)
#   FILE                    server.properties, producer.properties, ... to collect too, without their secrets
#
# Then: tidegate audit DIR
set -u

# The settings whose values are kept: those that the audit understands.
KEPT='@KEYS@'

usage() {
    sed -n '2,14p' "$0" 2>/dev/null | sed 's/^# \{0,1\}//' >&2
    echo "collect.sh: $1" >&2
    exit 64
}

bootstrap='' config='' bin='' out='tidegate-audit'
while [ $# -gt 0 ]; do
    case $1 in
        --bootstrap-server | --command-config | --bin | --out)
            [ $# -ge 2 ] || usage "$1 needs a value"
            case $1 in
                --bootstrap-server) bootstrap=$2 ;;
                --command-config) config=$2 ;;
                --bin) bin=$2 ;;
                --out) out=$2 ;;
            esac
            shift 2
            ;;
        --) shift; break ;;
        -*) usage "$1 is no option" ;;
        *) break ;;
    esac
done
[ -n "$bootstrap" ] || usage 'give --bootstrap-server HOST:PORT'
[ -z "$config" ] || [ -r "$config" ] || usage "$config cannot be read"
[ ! -e "$out" ] || usage "$out exists already; give another --out"
for file in "$@"; do
    [ -r "$file" ] || usage "$file cannot be read"
done

# tool NAME ARGUMENTS...: runs kafka-NAME.sh, or kafka-NAME as some packages call it.
tool() {
    name=$1
    shift
    for command in "${bin:+$bin/}kafka-$name.sh" "${bin:+$bin/}kafka-$name"; do
        if command -v "$command" > /dev/null 2>&1; then
            if [ -n "$config" ]; then
                "$command" --bootstrap-server "$bootstrap" --command-config "$config" "$@" 2>> "$out/errors.tmp"
            else
                "$command" --bootstrap-server "$bootstrap" "$@" 2>> "$out/errors.tmp"
            fi
            return
        fi
    done
    echo "kafka-$name.sh was not found: give --bin DIR" >> "$out/errors.tmp"
    return 127
}

# Lines of kafka-configs.sh: headings, and settings that are kept; of the others the name alone.
settings() {
    awk -v kept="$KEPT" '
        BEGIN { n = split(kept, names, /[ \n]+/); for (i = 1; i <= n; i++) keep[names[i]] = 1 }
        /^(Dynamic configs|All configs|Configs|Default configs) for .* are:$/ && !/(user|client|ip)/ { print; on = 1; next }
        /^[^ ]/ { on = 0; next }
        on && /^  [A-Za-z0-9_.-]+=/ {
            key = $1; sub(/=.*/, "", key)
            if (key in keep && $0 ~ / sensitive=false /) print
            else if (!(key in keep)) print "  " key "=(withheld) sensitive=true synonyms={}"
        }'
}

# Lines of kafka-topics.sh: as they are, but for the values of settings that are not kept.
topics() {
    awk -v kept="$KEPT" '
        BEGIN { n = split(kept, names, /[ \n]+/); for (i = 1; i <= n; i++) keep[names[i]] = 1 }
        !/^[ \t]*Topic: ?[A-Za-z0-9._-]+[ \t]/ { next }
        /Configs:/ {
            at = index($0, "Configs:"); line = substr($0, 1, at + 7); m = split(substr($0, at + 8), pairs, ",")
            shown = ""; last = 0
            for (i = 1; i <= m; i++) {
                sub(/^ /, "", pairs[i]); key = pairs[i]; sub(/=.*/, "", key)
                if (pairs[i] ~ /=/) last = (key in keep)
                if (last) shown = shown (shown == "" ? "" : ",") pairs[i]
            }
            print line " " shown; next
        }
        { print }'
}

# A properties file: comments go, and so does every value that is not kept, with its continuation lines.
properties() {
    awk -v kept="$KEPT" '
        BEGIN { n = split(kept, names, /[ \n]+/); for (i = 1; i <= n; i++) keep[names[i]] = 1 }
        {
            sub(/\r$/, "")
            tail = $0; sub(/.*[^\\]/, "", tail); continues = (length(tail) % 2 == 1)
            if (within) { within = continues; if (shown) print; else print "#"; next }
            if ($0 ~ /^[ \t]*([#!]|$)/) { print "#"; next }
            key = $0; sub(/^[ \t]*/, "", key); sub(/[ \t]*[=: \t].*/, "", key)
            within = continues; name = key; sub(/^spring\.kafka\.(producer|consumer)\./, "", name); gsub(/-/, ".", name)
            shown = (key in keep) || (name in keep)
            if (shown) print
            else if (key ~ /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/) print key "=(withheld)"
            else print "#"
        }'
}

features() { grep '^Feature:'; }

quorum() { grep -E '^(ClusterId|LeaderId|LeaderEpoch|HighWatermark|MaxFollower[A-Za-z]*|Current[A-Za-z]*):|^NodeId|^[0-9]+[[:space:]]'; }

# part FILE FILTER TOOL ARGUMENTS...: one file, left out if the tool says nothing.
part() {
    file=$1 filter=$2
    shift 2
    tool "$@" | $filter > "$out/$file"
    if [ -s "$out/$file" ]; then
        echo "$out/$file" >&2
    else
        rm -f "$out/$file"
        return 1
    fi
}

umask 077
mkdir -p "$out" || exit 73
failed=0
part topics.txt topics topics --describe || failed=1
part configs-topics.txt settings configs --describe --all --entity-type topics \
    || part configs-topics.txt settings configs --describe --entity-type topics || failed=1
part configs-brokers.txt settings configs --describe --all --entity-type brokers \
    || part configs-brokers.txt settings configs --describe --entity-type brokers || failed=1
part features.txt features features describe || true # not before 3.3
part quorum-status.txt quorum metadata-quorum describe --status || true # not of ZooKeeper
part quorum-replication.txt quorum metadata-quorum describe --replication || true
number=0
for file in "$@"; do
    number=$((number + 1))
    copy=$out/$number-$(basename "$file")
    properties < "$file" > "$copy"
    echo "$copy" >&2
done
rm -f "$out/errors.tmp"
if [ "$failed" -ne 0 ]; then
    echo "collect.sh: some tools gave nothing; run kafka-topics.sh --bootstrap-server $bootstrap --list to see why" >&2
    exit 69
fi
echo "Now: tidegate audit $out" >&2
