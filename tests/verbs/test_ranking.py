"""What the queue role said is kept for those who look, without secrets."""

from pathlib import Path

from tidegate.config.load import Configuration
from tidegate.config.sections import QueueRole, Settings
from tidegate.core.policy import Policy
from tidegate.ledger.masking import mask
from tidegate.playbooks.queue_role import Ranking
from tidegate.ports.repository import Repository
from tidegate.verbs.ranking import FILE, keep_ranking, last_ranking

TOKEN = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"


def test_the_notes_of_an_order_are_masked_before_they_are_kept(tmp_path: Path) -> None:
    """A role prints what it finds, and what it printed is read by others later."""
    repository = Repository(root="r", common_dir=str(tmp_path), head=None, branch=None)
    home = Path(repository.home)
    home.mkdir()
    queue = QueueRole(command="order")
    configuration = Configuration(settings=Settings(), policy=Policy(), roles={}, queue=queue)
    found = Ranking(rank={"a": 0}, notes={"a": f"first, by {TOKEN}"})
    keep_ranking(repository, configuration, found, mask)
    assert TOKEN not in (home / FILE).read_text(encoding="utf-8")
    kept = last_ranking(repository.home, configuration)
    assert kept == Ranking(rank={"a": 0}, notes={"a": "first, by [masked:github-token]"})
