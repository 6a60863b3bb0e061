"""Every guard of the grammar of reports is held by a report that would slip through without it."""

from collections.abc import Callable

import pytest

from tests.mutants.planting import Mutant, missed, mutant
from tests.rules import test_report as reports
from tidegate.rules import report


def no_verdict(text: str) -> Callable[[], None]:
    """The check that this is no verdict."""
    assert text in reports.NOT_READ
    return lambda: reports.test_what_only_looks_like_a_verdict_is_none(text)


def unsaid(text: str, words: str) -> Callable[[], None]:
    """The check that an adjudicator has said nothing by this."""
    return lambda: reports.test_what_an_adjudicator_does_not_say_plainly_is_not_said(text, words)


def names_nothing(left: str) -> Callable[[], None]:
    """The check that a PASS with this names nothing that was not checked."""
    return lambda: reports.test_a_pass_that_names_nothing_unchecked_is_none(left)


MUTANTS = [
    mutant(
        "a PASS need name nothing",
        report,
        "    if verdict is Verdict.PASS and _names_nothing(not_checked):",
        "    if False:",
        names_nothing(""),
    ),
    mutant(
        "none is something",
        report,
        "    return words in _NOTHING or _is_echo(value)",
        "    return not value or _is_echo(value)",
        names_nothing("\nNOT-CHECKED: none"),
    ),
    mutant(
        "a sign that cannot be seen is something",
        report,
        '    words = " ".join(re.findall(r"\\w+", value)).casefold()',
        "    words = value.casefold()",
        names_nothing("\nNOT-CHECKED: \u200b"),
    ),
    mutant(
        "the template is something",
        report,
        "    return plain.startswith(_ECHOES)",
        "    return False",
        reports.test_a_template_that_is_given_back_says_nothing,
    ),
    mutant(
        "of two verdicts one is taken",
        report,
        'words.pop() if len(words) == 1 else ""',
        'max(words, default="")',
        no_verdict("VERDICT: PASS\nVERDICT: FAIL"),
    ),
    mutant(
        "letters are folded",
        report,
        "each.strip(_DRESS).lower()",
        "each.strip(_DRESS).casefold()",
        no_verdict("VERDICT: PA\u00df"),
    ),
    mutant(
        "a disguise is read as a word",
        report,
        '    return label, f"\\ufffd{value}"',
        "    return label, value",
        no_verdict("V\u0415RDICT: PASS"),
    ),
    mutant(
        "a disguise is not seen",
        report,
        "    if label is not None or line.isascii():",
        "    if True:",
        no_verdict("VERDICT: PASS\nV\u0415RDICT: FAIL"),
    ),
    mutant(
        "what a quotation goes on with is read",
        report,
        " or (is_quoted and bool(line.strip()))",
        "",
        no_verdict("> it says:\nVERDICT: PASS"),
    ),
    mutant(
        "what is indented is read",
        report,
        'r"[ ]{0,3}(?:[-*][ ]+|',
        'r"[ ]*(?:[-*][ ]+|',
        no_verdict("    VERDICT: PASS"),
    ),
    mutant(
        "what is fenced is read",
        report,
        "            fence = mark[1]\n",
        '            fence = ""\n',
        no_verdict("```\nVERDICT: PASS\n```"),
    ),
    mutant(
        "a shorter fence ends a longer",
        report,
        "mark[1].startswith(fence)",
        "mark[1][0] == fence[0]",
        no_verdict("````\n```\nVERDICT: PASS\n````"),
    ),
    mutant(
        "a fence ends with a word",
        report,
        "is_end and not line.strip().strip(fence[0])",
        "is_end",
        no_verdict("```\n``` x\nVERDICT: PASS\n```"),
    ),
    mutant(
        "what is hidden is read",
        report,
        '            closing = "" if end in line[hidden.end() :].lower() else end',
        '            closing = ""',
        no_verdict("<!--\nVERDICT: PASS\n-->"),
    ),
    mutant(
        "a line ends where none is shown to",
        report,
        '    lines = text.split("\\n")',
        "    lines = text.splitlines()",
        no_verdict("it says\u2028VERDICT: PASS"),
    ),
    mutant(
        "the end of a long report is left out",
        report,
        '    if len(lines) > LINES_MAX or len(text.encode(errors="replace")) > BYTES_MAX:',
        "    if False:",
        lambda: reports.test_of_a_report_without_end_nothing_is_read("a" * report.BYTES_MAX),
    ),
    mutant(
        "a question is overlooked",
        report,
        '    if "QUESTION" in blocks and "OPTIONS" in blocks:',
        "    if False:",
        unsaid("VERDICT: BUILD\nQUESTION: or not?\nOPTIONS: yes | no", "decided or asked"),
    ),
    mutant(
        "a footprint has no end",
        report,
        "    if len(patterns) > PATTERNS_MAX:",
        "    if False:",
        unsaid(f"VERDICT: BUILD\nFOOTPRINT: {'a ' * (report.PATTERNS_MAX + 1)}", "FOOTPRINT"),
    ),
    mutant(
        "a masked footprint is a pattern",
        report,
        "    if MASKED in listed:",
        "    if False:",
        unsaid("VERDICT: BUILD\nFOOTPRINT: src/ lib/[masked:api-key]/**", "looks like a secret"),
    ),
    mutant(
        "patterns have no end",
        report,
        "    if len(listed) > VALUE_MAX:",
        "    if False:",
        unsaid(f"VERDICT: BUILD\nFOOTPRINT: {'a' * 999} {'b' * 999} {'c' * 999}", "characters"),
    ),
    mutant(
        "a fixture has no end",
        report,
        "    if len(fixture) > VALUE_MAX:",
        "    if False:",
        unsaid(f"VERDICT: BUILD\nFIXTURE: {'a' * (report.VALUE_MAX + 1)}", "FIXTURE"),
    ),
    mutant(
        "a bullet is a pattern",
        report,
        '_BULLET.sub("", line)',
        "line",
        reports.test_a_footprint_may_be_a_list_with_bullets,
    ),
    mutant(
        "a star within a line is a bullet",
        report,
        r'_BULLET = re.compile(r"\A(?:',
        '_BULLET = re.compile(r"(?:',
        lambda: reports.test_a_footprint_is_read_as_it_is_listed(*reports.LISTS[0]),
    ),
]


@pytest.mark.parametrize("planted", MUTANTS)
def test_a_guard_that_is_taken_out_is_missed(
    planted: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named check passes with the guard, and fails without it."""
    missed(planted, monkeypatch)
