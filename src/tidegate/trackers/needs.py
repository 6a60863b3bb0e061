"""What issues need of each other, as a whole: ids that exist, and no circle. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from tidegate.config.frontmatter import Scalar
from tidegate.config.problem import Problem
from tidegate.core.issue import Issue
from tidegate.trackers.issue_file import Written


def with_needs(found: Mapping[int, Written], *, problems: list[Problem]) -> Sequence[Issue]:
    """The issues with the ids that they need, written as the ids of those are.

    What is wrong goes to `problems`: an id that nobody has would be waited for without end.
    """
    for written in found.values():
        problems.extend(_unknown(written, found))
    if not problems:
        problems.extend(_circle(found))
    if problems:
        return ()
    return tuple(
        replace(each.issue, needs=tuple(dict.fromkeys(_id_of(n, found) for n in each.needs)))
        for each in found.values()
    )


def _id_of(need: Scalar, found: Mapping[int, Written]) -> str:
    return found[int(need.text)].issue.id


def _unknown(written: Written, found: Mapping[int, Written]) -> Iterator[Problem]:
    for need in written.needs:
        if int(need.text) not in found:
            what = f"`needs`: there is no issue {need.text}"
            fix = "write the number of an issue that is there, or take it out"
            yield Problem(file=written.issue.path, line=need.line, what=what, fix=fix)


def _circle(found: Mapping[int, Written]) -> Iterator[Problem]:
    graph = {number: [int(n.text) for n in each.needs] for number, each in found.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        ring = [found[number].issue for number in error.args[1]]
        what = f"`needs`: a circle, {' <- '.join(issue.id for issue in ring)}"
        fix = "none of them could ever begin; take one need out"
        yield Problem(file=ring[0].path, line=1, what=what, fix=fix)
