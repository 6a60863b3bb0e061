"""A prompt's template, filled. What it is filled with is text and is never looked into.

A template knows three things: ``{name}`` for the placeholders below, ``{if name} … {end}`` around
what is shown only where that one is not empty, and ``{{name}}`` for a literal ``{name}``. All
other braces stand for themselves, so code needs no care, and the filling is one pass, so braces
in an issue or in a finding reach the agent as they were written.
"""

import re
from collections.abc import Iterator, Mapping

from tidegate.config.problem import Problem, closest
from tidegate.ports.agents import Brief

PLACEHOLDERS: Mapping[str, str] = {
    "run": "the run's id",
    "lane": "the lane's id",
    "attempt": "the attempt's id",
    "turn": "which turn of the attempt this is, from 1",
    "round": "which round of the lane this is, from 1",
    "role": "the role that is filled",
    "issue": "the issue's id",
    "title": "the issue's title",
    "text": "the issue's text, as it was written",
    "base": "the commit that the work starts from",
    "target": "the branch that the work is for",
    "footprint": "the issue's path patterns, one list item each; empty where it has none",
    "finding": "what failed, word for word; empty in the first round",
    "finding_kind": "`fail`, `conflict` where the change no longer merges, or empty",
    "checkpoint_s": "seconds until the first commit is due",
    "deadline_s": "seconds until the turn is ended",
    "report_path": "the file that the report goes to",
    "commit": "the commit that is judged; empty for a builder",
    "fixture": "what will prove the change, as the adjudicator expects it",
    "attacks": "what a verifier is to try in this round, one list item each",
    "owner_words": "what the owner answered when asked, one list item each",
}
"""Each is a field of `Brief`, under its name."""

_TOKEN = re.compile(
    r"\{\{(?P<literal>[a-z_]+)\}\}"
    r"|\{if (?P<opened>[a-z_]+)\}(?:[ \t]*\n)?"
    r"|(?P<closed>\{end\})(?:[ \t]*\n)?"
    r"|\{(?P<name>[a-z_]+)\}"
)


def render_prompt(template: str, brief: Brief) -> str:
    """The prompt for one turn. The template must have passed `template_problems`."""
    parts: list[str] = []
    place, visible = 0, True
    for token in _TOKEN.finditer(template):
        parts.append(template[place : token.start()] if visible else "")
        place = token.end()
        if token["opened"]:
            visible = bool(_filled(token["opened"], brief))
        elif token["closed"]:
            visible = True
        elif visible:
            literal, name = token["literal"], token["name"]
            parts.append(f"{{{literal}}}" if literal else _filled(name, brief))
    return "".join([*parts, template[place:]])


def _filled(name: str, brief: Brief) -> str:
    value = getattr(brief, name)
    match value:
        case None:
            return ""
        case tuple():
            return "\n".join("- " + each.strip().replace("\n", "\n  ") for each in value)
        case float():
            return f"{value:g}" if value % 1 else str(int(value))
        case _:
            return str(value)


def template_problems(template: str, *, file: str, line: int) -> Iterator[Problem]:
    """What is wrong in a template whose first line is `line` of `file`."""
    opened: int | None = None
    for token in _TOKEN.finditer(template):
        at = line + template.count("\n", 0, token.start())
        name = token["opened"] or token["name"]
        if name and name not in PLACEHOLDERS:
            yield _unknown(name, file=file, line=at)
        if token["opened"] and opened is not None:
            fix = "close the one before with {end}"
            yield Problem(file=file, line=at, what="an {if} stands inside of another", fix=fix)
        if token["closed"] and opened is None:
            yield Problem(file=file, line=at, what="an {end} closes no {if}", fix="take it out")
        opened = at if token["opened"] else None if token["closed"] else opened
    if opened is not None:
        yield Problem(file=file, line=opened, what="an {if} is not closed", fix="add {end}")


def _unknown(name: str, *, file: str, line: int) -> Problem:
    guess = closest(name, PLACEHOLDERS)
    fix = f"for a literal one write {{{{{name}}}}}"
    what = f"there is no placeholder {{{name}}}"
    return Problem(file=file, line=line, what=what, fix=fix, did_you_mean=guess)
