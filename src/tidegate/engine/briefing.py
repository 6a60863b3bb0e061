"""Start a turn: write down what its agent is told, then start its runner."""

import json
from dataclasses import fields
from pathlib import Path

from tidegate.core.lane import Attempt, Lane, Turn
from tidegate.core.values import Role
from tidegate.engine.engine import Engine
from tidegate.ports.agents import Brief, Place, Start
from tidegate.ports.runners import RunnerSpec


def place_of(engine: Engine, attempt: Attempt, turn: Turn) -> Place:
    """The paths of a turn."""
    folder = engine.setup.places.turn(attempt.id, turn.number)
    return Place(
        folder=folder,
        staging=f"{folder}/staging",
        workspace=attempt.workspace or "",
        brief=f"{folder}/brief.json",
        prompt=f"{folder}/prompt.md",
        finding=f"{folder}/finding.md",
        report=f"{folder}/staging/report.md",
    )


def start_turn(engine: Engine, lane: Lane, attempt: Attempt, turn: Turn) -> None:
    """Write the brief and start the runner. Called after the grant is durable."""
    place, deadlines = place_of(engine, attempt, turn), engine.setup.policy.deadlines
    Path(place.staging).mkdir(parents=True, exist_ok=True, mode=0o700)
    brief = _brief(engine, lane, attempt, turn, place)
    start = _start(engine, brief, place, attempt)
    engine.ports.runners.start(
        RunnerSpec(
            folder=place.folder,
            epoch=turn.epoch,
            argv=start.argv,
            env={**engine.setup.environment, **_variables(brief, place), **start.env},
            cwd=place.workspace,
            mark=place.folder,
            deadline_s=turn.deadline_s,
            output_max_bytes=engine.setup.policy.limits.output_max_bytes,
            grace_s=deadlines.term_grace_s,
            beat_s=deadlines.beat_s,
            stdin_path=start.stdin_path,
        )
    )


def _start(engine: Engine, brief: Brief, place: Place, attempt: Attempt) -> Start:
    if attempt.role is Role.CHECK:
        return Start(argv=engine.setup.check_argv, env={})
    settings = engine.setup.roles[attempt.role]
    _write_brief(engine, brief, place, settings.prompt)
    return engine.ports.agents[attempt.role].start(brief, place, settings)


def _brief(engine: Engine, lane: Lane, attempt: Attempt, turn: Turn, place: Place) -> Brief:
    digest, deadlines = _finding(lane, attempt, turn), engine.setup.policy.deadlines
    issue, text = engine.issue_text(lane), engine.ports.ledger.text
    return Brief(
        run=engine.book.run.id,
        lane=lane.id,
        attempt=attempt.id,
        turn=turn.number,
        round=lane.fails + 1,
        role=str(attempt.role),
        issue=lane.issue,
        title=lane.title,
        text=issue,
        base=turn.base or attempt.base or "",
        target=engine.book.run.started.target,
        footprint=lane.footprint,
        finding=text(digest) if digest else None,
        finding_kind="" if not digest else "conflict" if turn.base else "fail",
        checkpoint_s=deadlines.checkpoint_s,
        deadline_s=turn.deadline_s,
        report_path=place.report,
        commit=attempt.commit or "",
        fixture=lane.adjudication.fixture if lane.adjudication else "",
        attacks=attempt.attacks,
        owner_words=tuple(map(text, lane.owner_words)),
    )


def _finding(lane: Lane, attempt: Attempt, turn: Turn) -> str | None:
    """What the turn answers; for a verifier what the change was last sent back for."""
    build = lane.latest(Role.BUILD)
    if attempt.role is Role.VERIFY and build is not None and build.turn is not None:
        return build.turn.finding_digest
    return turn.finding_digest


def _write_brief(engine: Engine, brief: Brief, place: Place, template: str) -> None:
    said = {each.name: getattr(brief, each.name) for each in fields(brief)}
    _write(place.brief, json.dumps(said, indent=1, ensure_ascii=False))
    _write(place.prompt, engine.render_prompt(template, brief))
    _write(place.finding, brief.finding or "")


def _write(path: str, text: str) -> None:
    staged = Path(f"{path}.new")
    staged.write_text(text, encoding="utf-8")
    staged.replace(path)


def _variables(brief: Brief, place: Place) -> dict[str, str]:
    """What is named in the environment of a turn; files only where they are written."""
    variables = {
        "TIDEGATE_RUN": brief.run,
        "TIDEGATE_LANE": brief.lane,
        "TIDEGATE_ATTEMPT": brief.attempt,
        "TIDEGATE_TURN": str(brief.turn),
        "TIDEGATE_ROUND": str(brief.round),
        "TIDEGATE_ROLE": brief.role,
        "TIDEGATE_ISSUE": brief.issue,
        "TIDEGATE_OUT": place.staging,
    }
    if brief.role == Role.CHECK:
        return variables
    return {
        **variables,
        "TIDEGATE_BRIEF": place.brief,
        "TIDEGATE_PROMPT": place.prompt,
        "TIDEGATE_FINDING": place.finding,
        "TIDEGATE_FINDING_KIND": brief.finding_kind,
        "TIDEGATE_REPORT": place.report,
    }
