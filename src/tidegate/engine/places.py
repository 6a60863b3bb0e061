"""Where the files of one run are (DESIGN: formats). Names only; nothing is made here."""

from tidegate.core.records import record


@record
class Places:
    """`home` is the tidegate folder under the git common directory, absolute."""

    home: str
    run: str

    @property
    def folder(self) -> str:
        """The run's own folder."""
        return f"{self.home}/runs/{self.run}"

    def turn(self, attempt: str, number: int) -> str:
        """The folder of one turn: its runner's files, the brief, the staging."""
        return f"{self.folder}/attempts/{attempt}/turns/{number}"

    @property
    def jobs(self) -> str:
        """Where the folders of the engine's jobs are."""
        return f"{self.folder}/jobs"

    def job(self, name: str) -> str:
        """The folder of one job of the engine."""
        return f"{self.jobs}/{name}"

    @property
    def quarantine(self) -> str:
        """Where what came too late is kept."""
        return f"{self.folder}/quarantine"

    def artifact(self, attempt: str, turn: int) -> str:
        """The immutable place of a turn's report."""
        return f"{self.folder}/artifacts/{attempt}-{turn}.md"


def hub_ref(run: str) -> str:
    """The hub's ref of a run: what landed in it, whatever branch of the user's it goes to."""
    return f"refs/heads/tidegate/{run}"
