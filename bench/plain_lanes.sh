#!/bin/sh
# What `tidegate run` does for each lane, done by hand: the same git work in the same places, each
# step under the same runner, what was done synced before the next step, WIDTH lanes at a time. It
# plans nothing, looks for nothing that an agent may have hidden, and cannot go on after a crash:
# what the product costs beyond this is the price of those.
#
#   REPOSITORY=… WORK=… PYTHON=… RUNNER=… AGENT=… CHECK=… sh plain_lanes.sh run LANES WIDTH
#
# REPOSITORY is the user's, WORK a folder to work in; AGENT and CHECK are shell commands without
# quotes and backslashes, since they are written into JSON as they are.
set -eu

export PYTHON RUNNER REPOSITORY WORK AGENT CHECK
HUB=$WORK/hub.git
LANDED=refs/heads/landed
DELIVERED=refs/heads/by-hand
SCRIPT=$0

# The whole: a hub, the check of the base, and then the lanes.
run() {
    mkdir -p "$WORK/turns" "$WORK/workspaces"
    git clone -q --bare "$REPOSITORY" "$HUB"
    git -C "$HUB" config core.fsync all
    git -C "$HUB" config core.fsyncMethod batch
    git -C "$HUB" config gc.auto 0
    git -C "$HUB" update-ref "$LANDED" HEAD
    sync -f "$HUB"
    base=$(git -C "$HUB" rev-parse "$LANDED")
    job base-prepare check_out base "$base"
    turn base-check base "$CHECK"
    job base-remove remove base
    seq -f %05.0f 1 "$1" | xargs -n 1 -P "$2" sh "$SCRIPT" lane
}

# One lane. What is merged, checked and landed holds the lock, so that each change is merged and
# checked once, on the very commit that it lands on.
lane() {
    job "$1-prepare" prepare "$1"
    turn "$1-build" "$1" "$AGENT"
    job "$1-harvest" harvest "$1"
    exec 9> "$WORK/lock"
    flock 9
    old=$(git -C "$HUB" rev-parse "$LANDED")
    job "$1-merge" merge "$1" "$old"
    read -r new < "$WORK/turns/$1-merge/stdout"
    job "$1-check-prepare" check_out "$1-check" "$new"
    turn "$1-check" "$1-check" "$CHECK"
    job "$1-land" land "$old" "$new"
    job "$1-deliver" deliver
    exec 9>&-
    job "$1-remove" remove "$1"
    job "$1-check-remove" remove "$1-check"
}

# The two kinds of work that a runner is started for: steps of this script, and somebody's command.
job() {
    name=$1
    shift
    arguments=
    for argument in sh "$SCRIPT" "$@"; do arguments="$arguments, \"$argument\""; done
    start "$name" "$WORK" "${arguments#, }"
}

turn() {
    start "$1" "$WORK/workspaces/$2" "\"sh\", \"-c\", \"$3\""
}

# Start a runner as the product does, its spec synced before and its end noted in a synced journal
# after; fail where the command failed.
start() {
    folder=$WORK/turns/$1
    mkdir "$folder"
    printf '{"folder": "%s", "epoch": 1, "argv": [%s], "cwd": "%s", "mark": "%s", "deadline_s": 600,
        "output_max_bytes": 50000000, "grace_s": 10, "beat_s": 20, "stdin_path": null}' \
        "$folder" "$3" "$2" "$1" > "$folder/spec.json"
    sync "$folder/spec.json" "$folder"
    printf '%s\0' PATH="$PATH" HOME="$HOME" TIDEGATE_LANE="${1%%-*}" \
        REPOSITORY="$REPOSITORY" WORK="$WORK" PYTHON="$PYTHON" RUNNER="$RUNNER" AGENT= CHECK= |
        "$PYTHON" -I -S "$RUNNER" "$folder/spec.json" 2> "$folder/runner.log"
    read -r ended < "$folder/exit.json"
    echo "$1 $ended" >> "$WORK/journal"
    sync --data "$WORK/journal"
    case $ended in
        *'"code": 0,'*) ;;
        *) echo "$1 failed: $ended" >&2 && cat "$folder/stderr" >&2 && return 1 ;;
    esac
}

# The steps, each in a runner of its own.
prepare() {
    git clone -q --shared --single-branch -b landed "$HUB" "$WORK/workspaces/$1"
    git -C "$WORK/workspaces/$1" checkout -q -b "lane-$1"
}

check_out() {
    git clone -q --shared --no-checkout "$HUB" "$WORK/workspaces/$1"
    git -C "$WORK/workspaces/$1" checkout -q --detach "$2"
}

harvest() {
    cd "$WORK/workspaces/$1"
    git add -A
    git commit -q -m "Lane $1"
    git -C "$HUB" fetch -q "$WORK/workspaces/$1" "lane-$1:refs/lanes/$1"
    sync -f "$HUB"
}

merge() {
    tree=$(git -C "$HUB" merge-tree --write-tree "$2" "refs/lanes/$1")
    git -C "$HUB" commit-tree "$tree" -p "$2" -p "refs/lanes/$1" -m "Merge lane $1"
    sync -f "$HUB"
}

land() {
    git -C "$HUB" update-ref "$LANDED" "$2" "$1"
    sync -f "$HUB"
}

deliver() {
    git -C "$REPOSITORY" fetch -q "$HUB" "$LANDED:$DELIVERED"
    sync -f "$REPOSITORY"
}

remove() {
    rm -rf "$WORK/workspaces/$1"
}

"$@"
