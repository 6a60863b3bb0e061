"""Read what a report says in its fixed blocks. What it says beside them decides nothing."""

from tidegate.core.commands import Said
from tidegate.core.values import Role
from tidegate.ports.ledger import Ledger
from tidegate.rules.report import Report, read_adjudication, read_verification


def said_in(ledger: Ledger, role: Role, digest: str) -> Said:
    """What the stored report says, for a role that owes blocks; nothing for the others."""
    match role:
        case Role.ADJUDICATE:
            return _said(ledger, read_adjudication(ledger.text(digest)))
        case Role.VERIFY:
            return _said(ledger, read_verification(ledger.text(digest)))
        case Role.BUILD | Role.CHECK:
            return Said()


def _said(ledger: Ledger, report: Report) -> Said:
    return Said(
        verdict=report.verdict,
        kind=report.kind,
        reason=report.reason,
        footprint=report.footprint,
        fixture=report.fixture,
        question_digest=ledger.put_text(report.question) if report.question else None,
        options=report.options,
        fault=report.fault,
    )
