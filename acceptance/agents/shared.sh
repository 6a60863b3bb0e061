# What the builders of all packages have in common: real tools over real code, and no model. A
# builder runs in the workspace of its issue and knows nothing of what becomes of its work.
# $1 is the folder in which somebody may wait for it.
set -eu
export PYTHONDONTWRITEBYTECODE=1

fix() { ruff check --isolated --no-cache --target-version py311 --quiet --fix-only "$@"; }
brief() { python -c 'import json, os, sys; print(json.load(open(os.environ["TIDEGATE_BRIEF"]))[sys.argv[1]])' "$1"; }
finding_has() { grep --quiet --fixed-strings -e "$1" "$TIDEGATE_FINDING"; }
unknown() { echo "nobody told me how to do issue $TIDEGATE_ISSUE" >&2; exit 2; }

# Somebody waits until this issue is at work: say who is, and go on when they say so. They take the
# pipe away when they have come, so that the next builder of the issue waits for nobody.
if [ -p "$1/$TIDEGATE_ISSUE.here" ]; then
    echo $$ >"$1/$TIDEGATE_ISSUE.here"
    read -r _ <"$1/$TIDEGATE_ISSUE.go"
fi

# A newer base means that others landed meanwhile: theirs wins, and the tool does its work again on
# top. What the last turn left uncommitted is still so, and would be in the way.
base=$(brief base)
if ! git merge-base --is-ancestor "$base" HEAD; then
    git diff --quiet HEAD || git commit --quiet --all --message "So far"
    git merge --quiet --no-edit --strategy-option theirs "$base"
fi

report() { { echo "round $TIDEGATE_ROUND:"; git diff --stat; } >"$TIDEGATE_REPORT"; }
