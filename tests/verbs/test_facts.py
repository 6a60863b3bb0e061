"""What events say should be there."""

from tidegate.core import events as e
from tidegate.testing.ledger_history import RUN, UTC
from tidegate.verbs.facts import Facts, facts_of

BUILD = "fix-build-1"
INTENDED = e.LandingIntended(attempt=BUILD, ref="refs/heads/x", old="o", new="n", tree="t")


def facts_after(*events: e.LaneEvent) -> Facts:
    """The facts of a run in whose one lane this was recorded."""
    entries = [
        e.Entry(
            lane="fix", version=number, attempt=BUILD, epoch=1, event=event, actor="controller",
            previous=None, next=None, reason="", utc=UTC,
        )
        for number, event in enumerate(events, 1)
    ]  # fmt: skip
    recorded = (
        e.Recorded(run=RUN, sequence=each.version, entry=each, previous_hash="", hash="")
        for each in entries
    )
    return facts_of(RUN, recorded)


def test_a_landing_is_under_way_until_it_is_known_to_have_happened_or_not() -> None:
    """One that was refused is not: a ref that is at its commit later is moved by somebody else."""
    assert list(facts_after(INTENDED).landing.values()) == ["n"]
    landed = e.Landed(attempt=BUILD, ref="refs/heads/x", commit="n", tree="t")
    assert facts_after(INTENDED, landed).landing == {}
    refused = e.LandingRefused(attempt=BUILD, actual="m")
    assert facts_after(INTENDED, refused).landing == {}
