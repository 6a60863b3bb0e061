"""A part of the queue, and a look at what a run would do."""

import json

from tests.cli.desk import Desk

GOOD = "echo $TIDEGATE_ISSUE > part-$TIDEGATE_ISSUE"


def waits(desk_summary: object) -> list[tuple[str, str]]:
    """What waits, and for what."""
    return [(each.issue, each.waits_for) for each in desk_summary.waiting]  # type: ignore[attr-defined]  # a summary, as the desk has it


def test_max_one_is_a_single_iteration(desk: Desk) -> None:
    """B18: `run --max 1` takes one issue and ends; what is left is told and is no failure."""
    desk.settle(GOOD)
    desk.issue(1)
    desk.issue(2)
    code, first = desk.run("--max", "1")
    assert (code, [each.issue for each in first.landed]) == (0, ["001"])
    assert waits(first) == [("002", "the next run, since --max 1 is reached")]
    code, second = desk.run("--max", "1")
    assert (code, [each.issue for each in second.landed], waits(second)) == (0, ["002"], [])


def test_what_needs_what_max_has_left_is_no_failure(desk: Desk) -> None:
    """It waits for an issue that the next run takes; what needs a stopped one needs somebody."""
    desk.settle(f'[ "$TIDEGATE_ISSUE" != 001 ] || exit 1; {GOOD}', more="[limits]\nfails_max = 1\n")
    for number in (2, 3):
        desk.issue(number)
    desk.issue(4, front="needs: [002, 003]\n")
    desk.issue(5, front="needs: [004]\n")
    code, first = desk.run("--max", "1")
    assert (code, [each.issue for each in first.landed]) == (0, ["002"])
    assert waits(first)[1:] == [("004", "issue 003"), ("005", "issue 004")]
    desk.issue(1, front="priority: 9\n")
    assert desk.run("--max", "1")[0] == 1
    desk.issue(6, front="needs: [001]\n")
    code, third = desk.run("--max", "1")
    assert (code, [each.issue for each in third.landed]) == (1, ["003"])


def test_only_takes_what_it_names(desk: Desk) -> None:
    """`--only 3` takes 003 before others, and tells of those that it left."""
    desk.settle(GOOD)
    for number in (1, 2, 3):
        desk.issue(number)
    code, summary = desk.run("--only", "3", "--only", "002")
    assert (code, sorted(each.issue for each in summary.landed)) == (0, ["002", "003"])
    assert waits(summary) == [("001", "a run without --only")]


def test_only_overrules_no_need(desk: Desk) -> None:
    """An issue whose need has not landed is not taken because it was named."""
    desk.settle(GOOD)
    desk.issue(1)
    desk.issue(2, front="needs: [001]\n")
    code, summary = desk.run("--only", "2")
    assert (code, summary.run) == (1, None)
    assert waits(summary) == [("001", "a run without --only"), ("002", "issue 001")]


def test_only_refuses_what_it_cannot_take(desk: Desk) -> None:
    """An id that nobody has is refused with the nearest one, a decided issue with its remedy."""
    desk.settle(GOOD)
    desk.issue(1)
    desk.run()
    desk.issue(12)
    unknown = desk.tidegate("run", "--json", "--only", "O12")
    assert (unknown.code, unknown.error.did_you_mean) == (2, "012")
    decided = desk.tidegate("run", "--json", "--only", "1")
    assert decided.code == 4
    assert decided.error.message.startswith("issue 001 is decided: landed in run ")


def test_an_open_run_obeys_the_wish_of_who_takes_it_up(desk: Desk) -> None:
    """A run that was killed goes on with its lane, and opens only what --only names now."""
    desk.settle(
        f"echo $TIDEGATE_ISSUE >> {desk.folder}/taken;"
        f" while ! test -e {desk.folder}/go; do sleep 0.05; done; {GOOD}",
        width=1,
    )
    for number in (1, 2, 3):
        desk.issue(number)
    process = desk.start("run")
    desk.hears("taken")
    process.kill()
    desk.ended(process)
    desk.let("go")
    code, summary = desk.run("--only", "3", "--max", "1")
    assert code == 0
    assert desk.lines("taken") == ["001", "003"]
    assert waits(summary) == [("002", "a run without --only")]


def test_a_dry_run_says_everything_and_leaves_nothing(desk: Desk) -> None:
    """What would start and why, and what would not: no ledger, no hub and no run is made."""
    desk.settle(GOOD, width=2)
    desk.issue(1, front="footprint: [src/]\n")
    desk.issue(2, front="footprint: [src/a.py]\n")
    desk.issue(3, front="needs: [001]\n")
    desk.issue(4, front="priority: 3\n")
    said = desk.tidegate("run", "--dry-run", "--json")
    assert said.code == 0
    assert [each["issue"] for each in said.json["starts"]] == ["004", "001"]
    assert [(each["issue"], each["reason"]) for each in said.json["waits"]] == [
        ("002", "its footprint overlaps that of issue 001, which is before it"),
        ("003", "it needs issue 001"),
    ]
    assert said.json["refused"] == []
    assert not desk.ledger_folder.exists()
    shown = desk.tidegate("run", "--dry-run", "--max", "1").out.splitlines()
    assert [line.split()[:2] for line in shown] == [
        ["start", "004"],
        ["wait", "001"],
        ["wait", "002"],
        ["wait", "003"],
    ]


def test_a_dry_run_tells_what_is_over_from_what_waits(desk: Desk) -> None:
    """An issue that has landed waits for nothing."""
    desk.settle(GOOD)
    desk.issue(1)
    assert desk.run()[0] == 0
    desk.issue(2, front="needs: [003]\n")
    desk.issue(3)
    shown = desk.tidegate("run", "--dry-run").out.splitlines()
    assert [line.split()[:2] for line in shown] == [
        ["start", "003"],
        ["over", "001"],
        ["wait", "002"],
    ]


def test_a_dry_run_says_what_would_be_refused(desk: Desk) -> None:
    """What `doctor` would refuse is told, with its exit code."""
    desk.settle("no-such-program", check="true")
    desk.issue(1)
    said = desk.tidegate("run", "--dry-run")
    assert said.code == 3
    assert "no-such-program" in said.out.splitlines()[0]
    assert said.out.startswith("refused agent: ")


def test_a_dry_run_looks_at_its_base(desk: Desk) -> None:
    """A base that is not there is refused as the run would refuse it."""
    desk.settle("true", check="true")
    desk.issue(1)
    for base in ("nowhere", "--upload-pack=x"):
        said = desk.tidegate("run", "--dry-run", f"--base={base}")
        assert said.code == desk.tidegate("run", f"--base={base}").code != 0
        assert base in said.err


def test_a_dry_run_of_an_open_run_names_it(desk: Desk) -> None:
    """It says which run would be taken up again, and that its lane keeps its slot."""
    desk.settle(f"touch {desk.folder}/at-work; while :; do sleep 0.05; done", width=1)
    desk.issue(1)
    desk.issue(2)
    process = desk.start("run")
    desk.sees("at-work")
    process.kill()
    desk.ended(process)
    said = desk.tidegate("run", "--dry-run", "--json").json
    assert said["run"] == desk.tidegate("status").json["run"]
    assert said["starts"] == []
    assert [each["stand"] for each in said["waits"]] == ["handed_over", "slot"]
    anew = desk.tidegate("run", "--dry-run", "--anew", "--json").json
    assert (anew["run"], [each["issue"] for each in anew["starts"]]) == (None, ["001"])
    desk.clear()


def test_a_dry_run_counts_the_slots_as_a_run_does(desk: Desk) -> None:
    """A lane that waits for its owner holds none: the run takes what the look said it would."""
    desk.settle(GOOD, width=1, more='[ruling]\nmode = "owner"\n')
    desk.issue(1)
    assert waits(desk.run()[1]) == [("001", "you: tidegate answer 001-q1 land | stop | defer")]
    desk.issue(2)
    said = desk.tidegate("run", "--dry-run", "--json").json
    assert [each["issue"] for each in said["starts"]] == ["002"]
    assert [issue for issue, _ in waits(desk.run()[1])] == ["001", "002"]


def test_next_is_what_a_run_would_take(desk: Desk) -> None:
    """`next` prints one id a line, as many as would start together, and JSON when piped."""
    desk.settle(GOOD)
    (desk.repository / ".tidegate" / "issues").mkdir(parents=True)
    nothing = desk.tidegate("next", "--no-json")
    assert (nothing.code, nothing.complaint) == (1, "nothing to do: no issue is open")
    desk.issue(1, front="footprint: [src/]\n")
    desk.issue(2, front="footprint: [src/]\n")
    desk.issue(3, front="priority: 1\n")
    assert desk.text("next") == "003\n"
    assert desk.text("next", "-n", "3") == "003\n001\n"
    assert [each["issue"] for each in json.loads(desk.tidegate("next").out)["next"]] == ["003"]
    assert desk.tidegate("next", "-n", "0").code == 2


def test_queue_is_explain_without_an_issue(desk: Desk) -> None:
    """Both show the ordered list; the one that is next is marked."""
    desk.settle(GOOD)
    (desk.repository / ".tidegate" / "issues").mkdir(parents=True)
    assert desk.text("queue") == "there are no issues: `tidegate add TITLE` writes one\n"
    desk.issue(1)
    desk.issue(2)
    assert desk.tidegate("queue").json == desk.tidegate("explain").json
    assert desk.text("queue").splitlines() == [
        ">  001  nothing is before it          Change a part",
        "   002  it waits its turn for a slot  Change a part",
    ]
    assert desk.text("explain", "2").splitlines() == [
        "002: Change a part",
        "place 2: it waits its turn for a slot",
    ]


def test_an_overlapping_issue_waits_until_the_lane_is_over(desk: Desk) -> None:
    """The one behind it that does not overlap goes first, in a run of width two."""
    writes = "case $TIDEGATE_ISSUE in 003) echo x > docs/x;; *) echo x >> src/x.py;; esac"
    desk.settle(
        f"echo $TIDEGATE_ISSUE >> {desk.folder}/order; mkdir -p docs src; {writes}", width=2
    )
    desk.issue(1, front="footprint: [src/]\n")
    desk.issue(2, front="footprint: [src/x.py]\n")
    desk.issue(3, front="footprint: [docs/]\n")
    code, summary = desk.run()
    assert (code, len(summary.landed)) == (0, 3)
    assert set(desk.lines("order")[:2]) == {"001", "003"}
    kinds = [(each["lane"], each["kind"]) for each in desk.events()]
    assert kinds.index(("001", "lane_ended")) < kinds.index(("002", "lane_opened"))
