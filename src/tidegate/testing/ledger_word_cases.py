"""Cases of the owner's standing words: kept in order, masked, of no run, against outcomes."""

from tidegate.core import events as e
from tidegate.core.values import Outcome
from tidegate.core.word import Word, last_words
from tidegate.testing.ledger_backend import Backend, Case, Desk, sit_down
from tidegate.testing.ledger_history import RUN, UTC

KEY = "sk-ant-api03-" + "A1b2C3d4" * 6


def a_word_is_kept_in_order(backend: Backend) -> None:
    """Words come back as they were said, oldest first; the last one on an issue is its word."""
    ledger = backend.open()
    assert list(ledger.words()) == []
    made = [
        ledger.speak(issue, word, reason=f"because of {issue}", actor="owner", utc=UTC)
        for issue, word in (("001", Word.GATED), ("002", Word.REFUSED), ("001", Word.OPEN))
    ]
    assert list(ledger.words()) == made
    assert [each.sequence for each in made] == [1, 2, 3]
    assert {issue: said.word for issue, said in last_words(ledger.words()).items()} == {
        "001": Word.OPEN,
        "002": Word.REFUSED,
    }
    assert ledger.runs() == []


def a_word_is_kept_masked(backend: Backend) -> None:
    """The reason of a word is stored without its secrets, and what is returned shows it."""
    ledger = backend.open()
    said = ledger.speak("001", Word.GATED, reason=f"ask {KEY}", actor="owner", utc=UTC)
    assert said.reason == "ask [masked:anthropic-key]"
    assert list(ledger.words()) == [said]


def a_word_stays_when_the_ledger_opens_again(backend: Backend) -> None:
    """After it was closed and opened again the words are there, and the chain of runs holds."""
    desk = sit_down(backend)
    said = desk.ledger.speak("001", Word.DEFERRED, reason="later", actor="owner", utc=UTC)
    desk.ledger.close()
    again = backend.open()
    assert list(again.words()) == [said]
    assert not backend.verify(again, RUN)


def an_open_word_sets_aside_what_is_older(backend: Backend) -> None:
    """An outcome counts no more once `open` was said; the next outcome counts again."""
    desk = sit_down(backend)
    _stop(desk, "001")
    stopped = {"issue-001": (RUN, "stopped")}
    assert desk.ledger.standing_outcomes() == desk.ledger.outcomes() == stopped
    for word in (Word.GATED, Word.OPEN):
        desk.ledger.speak("issue-001", word, reason="", actor="owner", utc=UTC)
        assert desk.ledger.standing_outcomes() == ({} if word is Word.OPEN else stopped)
    assert desk.ledger.outcomes() == stopped
    desk.write(desk.history.opened("001-2", issue="issue-001"))
    assert desk.ledger.standing_outcomes() == {}
    desk.write(desk.history.entry("001-2", e.LaneEnded(outcome=Outcome.ABANDONED, reason="x")))
    assert desk.ledger.standing_outcomes() == {"issue-001": (RUN, "abandoned")}


def a_word_concerns_its_issue_alone(backend: Backend) -> None:
    """`open` on one issue leaves the outcome of every other."""
    desk = sit_down(backend)
    _stop(desk, "001")
    _stop(desk, "002")
    desk.ledger.speak("issue-002", Word.OPEN, reason="", actor="owner", utc=UTC)
    assert desk.ledger.standing_outcomes() == {"issue-001": (RUN, "stopped")}


def _stop(desk: Desk, lane: str) -> None:
    stopped = e.LaneEnded(outcome=Outcome.STOPPED, reason="x")
    desk.write(desk.history.opened(lane), desk.history.entry(lane, stopped))


CASES: tuple[Case, ...] = (
    a_word_is_kept_in_order,
    a_word_is_kept_masked,
    a_word_stays_when_the_ledger_opens_again,
    an_open_word_sets_aside_what_is_older,
    a_word_concerns_its_issue_alone,
)
