"""What would not work here, as `doctor` tells it."""

from tidegate.cli.output import clean, show_json, show_lines
from tidegate.verbs.doctor import doctor as verb
from tidegate.verbs.house import House


def doctor(house: House, folder: str, *, as_json: bool) -> int:
    """Everything that was looked at; the exit code of a run that would not start."""
    symptoms = verb(house, folder)
    if as_json:
        show_json(list(symptoms))
    else:
        for each in symptoms:
            remedy = f"; {each.remedy}" if each.remedy else ""
            show_lines(f"{each.level:<5} {each.name}: {clean(f'{each.message}{remedy}')}")
    return 3 if any(each.level == "fail" for each in symptoms) else 0
