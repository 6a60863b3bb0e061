"""What would not work here, as `doctor` tells it."""

from tidegate.cli.output import clean, columns, show_json, show_lines
from tidegate.core.errors import IntegrityError, NotReady
from tidegate.verbs.doctor import doctor as verb
from tidegate.verbs.house import House


def doctor(house: House, folder: str, *, as_json: bool) -> int:
    """Everything that was looked at; the exit code: 5 for what contradicts itself, 3 for the rest.

    What is recorded comes first, since no mending of anything else would help.
    """
    symptoms = verb(house, folder)
    if as_json:
        show_json(list(symptoms))
    else:
        for each in symptoms:
            remedy = f"; {each.remedy}" if each.remedy else ""
            head = f"{each.level:<5} {each.name}:"
            show_lines(*columns([(head, clean(f"{each.message}{remedy}"))], gap=1))
    if any(each.code == IntegrityError.code for each in symptoms):
        return IntegrityError.exit_code
    return NotReady.exit_code if any(each.level == "fail" for each in symptoms) else 0
