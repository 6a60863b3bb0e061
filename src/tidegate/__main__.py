"""`python -m tidegate`, and the command `tidegate`."""

from tidegate.bootstrap import build_house
from tidegate.cli.app import main as run_command_line


def main() -> None:
    """Run the command line on this host."""
    run_command_line(build_house)


if __name__ == "__main__":
    main()
