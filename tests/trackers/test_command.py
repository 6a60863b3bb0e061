"""A tracker behind a command: real processes that answer, fail, hang and flood."""

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trackers.folder import problems
from tests.waiting import until
from tidegate.core.errors import Misused, Refused, Unavailable
from tidegate.ledger.masking import mask
from tidegate.ports.runners import EndReason, Exit
from tidegate.ports.trackers import Answer, Request
from tidegate.runner.consult import consult
from tidegate.trackers import command as tracked
from tidegate.trackers.command import CommandTracker

TOKEN = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"


def tracker(root: Path, command: str, *, timeout_s: float = 20.0) -> CommandTracker:
    """A tracker that is this command."""
    return CommandTracker(
        command=command,
        root=str(root),
        timeout_s=timeout_s,
        variables={"PATH": os.environ["PATH"], "SEEN": "yes"},
        mask=mask,
        new_key=lambda what: f"{what}-key",
        consult=consult,
    )


def says(root: Path, *lines: object) -> CommandTracker:
    """A tracker that prints these lines, whatever it is asked."""
    (root / "said").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tracker(root, "cat said")


def refusal(action: Callable[[], object], kind: type[Exception] = Unavailable) -> str:
    """Why something is refused."""
    with pytest.raises(kind) as caught:
        action()
    return str(caught.value)


def test_a_list_is_asked_for_in_one_line(tmp_path: Path) -> None:
    """At the root of the repository, with the variables that are allowed and no others."""
    script = 'cat > asked; echo "{\\"id\\": \\"A-1\\", \\"title\\": \\"$SEEN$HOME\\"}"'
    (issue,) = tracker(tmp_path, script).issues()
    assert (tmp_path / "asked").read_text() == '{"do": "list"}\n'
    assert (issue.id, issue.title) == ("A-1", "yes")


def test_a_tracker_may_say_that_it_cannot_list(tmp_path: Path) -> None:
    """Its reason is told; an answer without issues is an empty list."""
    said = refusal(says(tmp_path, {"ok": False, "error": "signed\x1b out"}).issues)
    assert "the tracker lists no issues: signed\\x1b out" in said
    assert says(tmp_path, {"ok": True}).issues() == ()


def test_rubbish_is_refused_with_its_line(tmp_path: Path) -> None:
    """Nothing of the list is taken."""
    (problem,) = problems(says(tmp_path, {"id": "A", "title": "x"}, "hello").issues)
    assert problem.startswith("the tracker's answer:2: it is no JSON object")


def test_a_command_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    """On one line, bounded, harmless to a terminal, and without its secrets."""
    script = f"seq 9999 >&2; printf 'no\\033 entry: {TOKEN}\\n' >&2; exit 3"
    said = refusal(tracker(tmp_path, script).issues)
    assert "ended with exit code 3" in said
    assert "no\\x1b entry: [masked:github-token]" in said
    assert TOKEN not in said
    assert len(said) < 1000
    assert "by hand: echo" in said


def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A shell says so, or the folder does."""
    assert "exit code 127" in refusal(tracker(tmp_path, "no-such-program-here").issues)
    assert "cannot be started" in refusal(tracker(tmp_path / "gone", "true").issues)


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """The whole group goes: what it left in the background too."""
    script = "sleep 60 & echo $! > pid; sleep 60"
    said = refusal(tracker(tmp_path, script, timeout_s=1.0).issues)
    assert "took longer than 1 s" in said
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not is_alive(pid))


def test_what_a_command_leaves_behind_is_ended_and_not_waited_for(tmp_path: Path) -> None:
    """It holds the pipe open; the answer is complete when the command has ended."""
    script = "sleep 60 & echo $! > pid; echo '{\"ok\": true}'"
    assert tracker(tmp_path, script).issues() == ()
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not is_alive(pid))


def is_alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_a_flood_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said is kept in memory, so there is a limit to it."""
    monkeypatch.setattr(tracked, "LIST_MAX_BYTES", 100_000)
    assert "printed more than 100000 bytes" in refusal(tracker(tmp_path, "yes").issues)


def test_a_long_list_and_a_long_request_are_heard_whole(tmp_path: Path) -> None:
    """Longer than a pipe holds, in both directions."""
    text = "x" * 300_000
    script = f'{shlex.quote(sys.executable)} -c "{COPY}"'
    issue = tracker(tmp_path, script).add("Long", text=text, footprint=(), priority=0)
    assert issue.id == "A-300000"
    listed = says(tmp_path, *({"id": f"A-{n}", "title": "x" * 100} for n in range(3000)))
    assert len(listed.issues()) == 3000


COPY = (
    "import json,sys; text = json.load(sys.stdin)['text']; "
    "print(json.dumps(dict(ok=True, id='A-%d' % len(text))))"
)


def test_an_issue_is_added_under_the_trackers_name(tmp_path: Path) -> None:
    """It is asked with a key, and what it is told is what was given."""
    made = tracker(tmp_path, 'cat > asked; echo \'{"ok": true, "id": "ABC-7"}\'')
    issue = made.add("Fix it", text="At length.", footprint=("src/**",), priority=2)
    assert (issue.id, issue.title, issue.path) == ("ABC-7", "Fix it", "")
    assert json.loads((tmp_path / "asked").read_text()) == {
        "do": "add",
        "title": "Fix it",
        "text": "At length.",
        "priority": 2,
        "footprint": ["src/**"],
        "key": "add-key",
    }


def test_an_issue_that_will_not_do_is_never_sent(tmp_path: Path) -> None:
    """The words are those that a list would be refused with."""
    made = tracker(tmp_path, "touch asked")
    said = refusal(lambda: made.add("", text="", footprint=(), priority=0), Misused)
    assert said.startswith("the issue was not added: `title`: it is empty")
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ({"ok": False, "error": "read-only"}, Refused, "was not added: read-only"),
        ({"ok": False}, Refused, "it gave no reason"),
        ({"ok": True}, Unavailable, "did not say under which id"),
        ({"ok": True, "id": "a/b"}, Unavailable, "did not say under which id"),
        ("hello", Unavailable, "see in the tracker whether it is there"),
    ],
)
def test_an_answer_without_an_id_is_told(
    tmp_path: Path, answer: object, kind: type[Exception], words: str
) -> None:
    """A person must look before they add it again."""
    made = says(tmp_path, answer)
    assert words in refusal(lambda: made.add("x", text="", footprint=(), priority=0), kind)


def ended(reason: EndReason = EndReason.EXITED, **given: object) -> Exit:
    """How a command ended."""
    fields: dict[str, object] = {
        "reason": reason, "code": 0, "signal": None, "started_utc": "", "ended_utc": "",
        "active_s": 1.0, "stdout_bytes": 0, "stderr_bytes": 0, "leftovers": (), "swept": 0,
        "error": None,
    }  # fmt: skip
    return Exit(**{**fields, **given})  # type: ignore[arg-type]  # as the caller gives them


ENDINGS = [
    (ended(), '{"ok": true}', Answer(outcome="done")),
    (ended(), '{"ok": false, "error": "no"}', Answer(outcome="refused", detail="no")),
    (ended(), "hello", None),
    (ended(code=1), '{"ok": true}', None),
    (ended(EndReason.NOT_STARTED, code=None, error="ENOENT"), "", None),
    (ended(EndReason.FENCED, code=None), "", None),
    (ended(EndReason.DEADLINE, code=None, signal=15), '{"ok": true}', None),
    (ended(EndReason.STOPPED, code=None, signal=15), '{"ok": true}', None),
    (ended(EndReason.OUTPUT_CAP, code=None, signal=15), '{"ok": true}', None),
    (ended(code=None, signal=9), '{"ok": true}', None),
    (ended(code=128 + 9), "", None),
    (ended(code=255), "", None),
]
OUTCOMES = ["done", "refused", "unknown", "failed", "failed", "failed", *["unknown"] * 5, "failed"]


@pytest.mark.parametrize(
    ("ending", "said", "answer", "outcome"),
    [(*row, outcome) for row, outcome in zip(ENDINGS, OUTCOMES, strict=True)],
)
def test_an_end_is_an_outcome(
    tmp_path: Path, ending: Exit, said: str, answer: Answer | None, outcome: str
) -> None:
    """Yes and no count only after a good end; what was cut short may have been done."""
    (tmp_path / "stdout").write_text(said)
    (tmp_path / "stderr").write_text(f"because of {TOKEN}")
    heard = tracker(tmp_path, "true").answer(str(tmp_path), ending)
    assert heard.outcome == outcome
    assert answer is None or heard == answer
    assert TOKEN not in heard.detail
    if ending.code == 1:
        assert heard.detail.endswith("exit code 1: because of [masked:github-token]")


def test_a_call_has_its_request_in_a_file(tmp_path: Path) -> None:
    """The command is a shell's, at the root, and the request is one line."""
    request = Request(do="claim", issue="A-1", run="r", key="r-A-1-claim")
    call = tracker(tmp_path, "my-tracker").call(request, str(tmp_path / "job"))
    assert (call.argv, call.cwd) == (("/bin/sh", "-c", "my-tracker"), str(tmp_path))
    assert json.loads(Path(call.stdin_path).read_text()) == {
        "do": "claim", "issue": "A-1", "run": "r", "key": "r-A-1-claim",
    }  # fmt: skip
