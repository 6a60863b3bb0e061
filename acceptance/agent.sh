# The builder: real tools over real code, and no model. It runs in the workspace of its issue and
# knows nothing of what becomes of its work.
set -eu

# Some look before they report, as a careful builder does. It also keeps them at work for a while,
# so that the one that is sent back finds all places taken.
try() { PYTHONDONTWRITEBYTECODE=1 python -m pytest -q -p no:randomly -p no:cacheprovider toolz; }
fix() { ruff check --isolated --no-cache --target-version py311 --quiet --fix-only "$@"; }

# A newer base means that others landed meanwhile: theirs wins, and the tool does its work again on
# top. What the last turn left uncommitted is still so, and would be in the way.
base=$(python -c 'import json, os; print(json.load(open(os.environ["TIDEGATE_BRIEF"]))["base"])')
if ! git merge-base --is-ancestor "$base" HEAD; then
    git diff --quiet HEAD || git commit --quiet --all --message "So far"
    git merge --quiet --no-edit --strategy-option theirs "$base"
fi

case "$TIDEGATE_ISSUE" in
001) ruff format --isolated --no-cache --quiet toolz/functoolz.py ;;
002) fix --select UP toolz tlz ;;
003) fix --select I toolz tlz && try ;;
004) fix --unsafe-fixes --select C4 toolz tlz && try ;;
005) # it changes what a test means, and answers each finding with more of the same
    case "$TIDEGATE_ROUND" in
    1) fix --unsafe-fixes --select SIM2 toolz/tests ;;
    2) fix --unsafe-fixes --select SIM toolz/tests ;;
    *) fix --unsafe-fixes --select SIM toolz tlz ;;
    esac ;;
*)
    echo "nobody told me how to do issue $TIDEGATE_ISSUE" >&2
    exit 2
    ;;
esac

# One commits by itself, the others leave it to Tidegate: both have to arrive.
{ echo "ruff, round $TIDEGATE_ROUND:"; git diff --stat; } >"$TIDEGATE_REPORT"
if [ "$TIDEGATE_ISSUE" = 001 ]; then git commit --quiet --all --message 'Format functoolz.py'; fi
