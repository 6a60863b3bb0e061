# The demo's builder: a shell script that does real edits and knows nothing of what becomes of them.
# It is run in the workspace; Tidegate tells it what to do by the variables TIDEGATE_*.
set -eu

edit() { # edit FILE PYTHON: change a file by a line of Python over its text
    "$DEMO_PYTHON" - "$1" "$2" <<'PYTHON'
import pathlib, sys
path, change = pathlib.Path(sys.argv[1]), sys.argv[2]
names = {"text": path.read_text(encoding="utf-8")}
exec(change, names)
path.write_text(names["text"], encoding="utf-8")
PYTHON
}

case "$TIDEGATE_ISSUE" in
001) # two commits, with a good look at the tests in between
    edit dates.py 'text = text.replace("def parse", "def weekday(date):\n    \"\"\"The day of the week, Monday is 0.\"\"\"\n    import datetime\n\n    return datetime.date(*date).weekday()\n\n\ndef parse", 1)'
    git commit -qam 'Tell the day of the week'
    for _ in 1 2 3 4 5 6 7 8; do "$DEMO_PYTHON" -m unittest -q; done
    edit test_dates.py 'text = text.replace("if __name__", "class Weekday(unittest.TestCase):\n    def test_weekday(self):\n        self.assertEqual(dates.weekday((2026, 11, 30)), 0)\n\n\nif __name__", 1)'
    git commit -qam 'Test the day of the week'
    echo 'Added weekday() and a test for it. The tests pass here.' >"$TIDEGATE_REPORT"
    ;;
002) # wrong at first; the finding tells it where
    if [ "$TIDEGATE_ROUND" = 1 ]; then
        edit dates.py 'text = text.replace("raise ValueError(f\"not a date: {text!r}\")", "return None")'
        echo 'parse() answers None for what is no date.' >"$TIDEGATE_REPORT"
    else
        grep -q test_nonsense_is_refused "$TIDEGATE_FINDING"
        edit dates.py 'text = text.replace("return None", "raise ValueError(f\"{text!r} is not a date: write 2026-11-30\")")'
        echo 'A test wants ValueError, so it stays, with a clearer message.' >"$TIDEGATE_REPORT"
    fi
    ;;
003) # never right, however often it is told
    case "$TIDEGATE_ROUND" in
    1) from='{month:02}' to='{month}' ;;
    2) from='{month}' to='{month:1}' ;;
    *) from='{month:1}' to='{month:01}' ;;
    esac
    edit dates.py "text = text.replace('$from', '$to')"
    echo "Wrote the month as $to." >"$TIDEGATE_REPORT"
    ;;
esac
