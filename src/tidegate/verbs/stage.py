"""What a lane is doing, in one word, derived from its rows and never stored."""

from tidegate.ports.ledger import Row

_BUILDING = {
    "requested": "queued",
    "dispatched": "preparing",
    "materialized": "merging",
    "reviewed": "rework",
    "corrected": "merging",
}


def stage_of(row: Row) -> str:
    """The outcome of a lane that is over, else what its newest attempt is about."""
    if row["outcome"]:
        return str(row["outcome"])
    if row["attempt_id"] is None:
        return "queued"
    if row["role"] == "check" and row["state"] != "accepted":
        return "checking"
    if row["authorization_status"] == "granted":
        return "landing"
    return _BUILDING.get(str(row["state"]), "building")
