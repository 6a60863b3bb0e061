"""Issues behind a command of the user's own, for whatever tracker they have.

The command is started anew for each request, gets it as one line of JSON on its standard input and
answers with lines of JSON (`protocol`). To list and to add is done here and now; what a run has to
tell it goes through runners, as jobs that are looked at afterwards.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from signal import SIGRTMAX

from tidegate.core.errors import Misused, Refused, Unavailable
from tidegate.core.issue import Issue
from tidegate.core.records import record
from tidegate.core.text import printable
from tidegate.ports.consult import Consult
from tidegate.ports.runners import EndReason, Exit
from tidegate.ports.trackers import DONE, FAILED, REFUSED, UNKNOWN, Answer, Call, Request
from tidegate.trackers import protocol
from tidegate.trackers.issue_file import digest_of
from tidegate.trackers.protocol import Mask

LIST_MAX_BYTES = 33_554_432
ANSWER_MAX_BYTES = 65_536
STDERR_MAX_BYTES = 4096
"""How much of what a call said on standard error is looked at: its end, where the cause is."""
DETAIL_MAX = 400
"""How many characters of what a tracker said an error or an event repeats."""
REQUEST = "request.json"
_SHELLS_SIGNALS = 128
"""A shell adds this to the signal that killed what it ran."""


@record
class CommandTracker:
    """See ports.trackers. `root` is where the command is run, `variables` all that it sees."""

    command: str
    root: str
    timeout_s: float
    variables: Mapping[str, str] = field(repr=False)
    mask: Mask
    new_key: Mask
    consult: Consult
    """Asks the command what is asked here and now."""

    # --- asked here and now -----------------------------------------------------------------

    def issues(self) -> Sequence[Issue]:
        """All issues, by id. Raises Misconfigured with all lines that will not do."""
        output = self._ask({"do": "list"}, LIST_MAX_BYTES)
        answer = protocol.answer_in(output)
        if answer is not None and "id" not in answer:
            if answer["ok"]:
                return ()
            raise Unavailable(
                self._told(f"the tracker lists no issues: {protocol.error_in(answer)}")
            )
        return protocol.issues_in(output)

    def add(
        self,
        title: str,
        *,
        text: str,
        footprint: Sequence[str],
        priority: int,
        above: int = 0,
    ) -> Issue:
        """Have a new issue written, under whatever name the tracker gives it.

        Raises Refused where it says no, and Unavailable where nobody knows what it did.
        """
        del above  # names are the tracker's own affair
        wanted = {"title": title.strip(), "text": text, "priority": priority}
        patterns = list(footprint)
        line = protocol.encoded({"id": "1", "footprint": patterns, **wanted})
        try:
            (draft,) = protocol.issues_in(line)
        except Misused as error:
            what = error.message.partition(": ")[2]
            raise Misused(f"the issue was not added: {what}", hint=error.hint) from None
        request = {"do": "add", **wanted, "footprint": list(draft.footprint)}
        answer = protocol.answer_in(
            self._ask({**request, "key": self.new_key("add")}, ANSWER_MAX_BYTES)
        )
        return self._added(draft, answer)

    def _added(self, draft: Issue, answer: protocol.Fields | None) -> Issue:
        if answer is not None and not answer["ok"]:
            message = f"the issue was not added: {protocol.error_in(answer)}"
            raise Refused(self._told(message), hint="the tracker's command says so")
        name = answer.get("id") if answer is not None else None
        if not isinstance(name, str) or protocol.id_complaint(name) is not None:
            raise Unavailable(
                "the tracker did not say under which id the issue was added",
                hint="see in the tracker whether it is there before you add it again; the command "
                'must answer {"ok": true, "id": "ABC-12"}',
            )
        digest = digest_of(name, draft.title, text=draft.text, footprint=draft.footprint)
        return Issue(
            id=name,
            title=draft.title,
            text=draft.text,
            footprint=draft.footprint,
            priority=draft.priority,
            digest=digest,
        )

    def _ask(self, request: protocol.Fields, output_max_bytes: int) -> bytes:
        said = self.consult(
            self.command,
            protocol.encoded(request).decode(),
            folder=self.root,
            environment=self.variables,
            limit_s=self.timeout_s,
            bytes_max=output_max_bytes,
        )
        if said.fault:
            how = f"it ended with exit code {said.code}" if said.code else said.fault
            message = f"the tracker's command failed: {how}: {self._words(said.complaint)}"
            raise Unavailable(message, hint=self._by_hand(request))
        return said.text.encode()

    def _by_hand(self, request: protocol.Fields) -> str:
        asked = "see [tracker] command in tidegate.toml"
        if request["do"] == "list":
            return f'{asked}; by hand: echo \'{{"do": "list"}}\' | {self.mask(self.command)}'
        return f"{asked}; see in the tracker whether it was done before you ask again"

    def _told(self, text: str) -> str:
        """A text with what the command said in it: without secrets, on one line, and bounded."""
        return printable(self.mask(" ".join(text.split())))[:DETAIL_MAX]

    def _words(self, stderr: str) -> str:
        """The end of what it said on standard error, where the cause is."""
        said = stderr.strip() or "it said nothing"
        return printable(self.mask(" ".join(said.split())))[-DETAIL_MAX:]

    # --- told through a runner --------------------------------------------------------------

    def call(self, request: Request, folder: str) -> Call:
        """Write the request into `folder` and say which process takes it from there."""
        path = f"{folder}/{REQUEST}"
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - a path as text, as the ports take it
        with open(f"{path}.new", "wb") as file:  # noqa: PTH123 - as above
            file.write(protocol.encoded(asdict(request)))
        os.replace(f"{path}.new", path)  # noqa: PTH105 - as above
        return Call(
            argv=("/bin/sh", "-c", self.command),
            env=self.variables,
            cwd=self.root,
            stdin_path=path,
            deadline_s=self.timeout_s,
            output_max_bytes=ANSWER_MAX_BYTES,
        )

    def answer(self, folder: str, ending: Exit) -> Answer:
        """What came of a request. One that was ended on its way may have been done all the same."""
        if ending.reason in (EndReason.NOT_STARTED, EndReason.FENCED):
            why = ending.error or "it was not begun"
            return Answer(outcome=FAILED, detail=self._told(f"the command did not start: {why}"))
        if ending.reason is not EndReason.EXITED or _killed_by(ending) is not None:
            return Answer(outcome=UNKNOWN, detail=self._told(_cut_short(ending, self.timeout_s)))
        if ending.code != 0:
            said = self._words(_tail(f"{folder}/stderr").decode(errors="replace"))
            told = f"the command ended with exit code {ending.code}: {said}"
            return Answer(outcome=FAILED, detail=told)
        answer = protocol.answer_in(_head(f"{folder}/stdout"))
        if answer is None:
            told = "the command ended well, and its output is no answer: see its output"
            return Answer(outcome=UNKNOWN, detail=told)
        if answer["ok"]:
            return Answer(outcome=DONE)
        return Answer(outcome=REFUSED, detail=self._told(protocol.error_in(answer)))


def _killed_by(ending: Exit) -> int | None:
    """The signal that ended the command, also where the shell that began it says so."""
    if ending.code is not None and _SHELLS_SIGNALS < ending.code <= _SHELLS_SIGNALS + SIGRTMAX:
        return ending.code - _SHELLS_SIGNALS
    return ending.signal


def _cut_short(ending: Exit, timeout_s: float) -> str:
    if ending.reason is EndReason.DEADLINE:
        return f"the command did not end within {timeout_s:g} s"
    if ending.reason is EndReason.EXITED:
        return f"the command was killed from outside, by signal {_killed_by(ending)}"
    return f"the command was ended: {ending.reason}"


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a path as text, as the ports take it
            return file.read(ANSWER_MAX_BYTES)
    except OSError:
        return b""


def _tail(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            file.seek(max(0, os.fstat(file.fileno()).st_size - STDERR_MAX_BYTES))
            return file.read(STDERR_MAX_BYTES)
    except OSError:
        return b""
