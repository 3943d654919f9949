"""Says faults of requests in the words of this package: the names that a program gave, and the arguments that it knows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from pydantic import ValidationError

from ._errors import ServiceError, Violation
from ._generated.words import FIELDS, NAMES, TERMS

Body: TypeAlias = Literal["/model", "/project", "/objectives/0", "/batch", "/run"]
LISTS = ("input", "output", "fit", "source", "open")
"""Placeholders that stand for a name."""
NUMBERED = ("position", "set", "fit", "source")
"""Placeholders that stand for numbers only."""
MARK = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Names:
    """Names that a program gives the inputs, outputs and other things that the service numbers."""

    input: Sequence[str] = ()
    output: Sequence[str] = ()
    """One per number of an output."""
    fit: Sequence[str] = ()
    source: Sequence[str] = ()
    open: Sequence[str] = ()
    """Outputs without a target, where a front is sought."""


@dataclass(frozen=True)
class Said:
    """A field in words: where it is, what a sentence about it begins with, and whose it is where two have the same name."""

    place: str
    subject: str
    owner: str = field(default="", compare=False)


def say_field(names: Names, pointer: str) -> Said | None:
    """None for a field that no argument states."""
    sent = _segments(pointer)
    rows = [row for row in _rows().get(len(sent), ()) if _matches(row, sent)]
    if not rows:
        return None
    # Words come before placeholders.
    row = min(rows, key=lambda each: sum(part.startswith("{") for part in each))
    values = dict(zip(row, sent, strict=True))
    place, _, subject = FIELDS["/" + "/".join(row)].partition(": ")

    def fill(text: str) -> str:
        return MARK.sub(lambda mark: _shown(mark[1], values[mark[0]], names), text)

    owned = [part[1:-1] for part in row if part[1:-1] in LISTS]
    owner = f"{owned[-1]} {_counted(values[f'{{{owned[-1]}}}'])}" if owned else ""
    return Said(fill(place), fill(subject), owner)


def _say_unknown(names: Names, pointer: str) -> Said:
    """A field that is not known: where it was found, and its name."""
    sent = _segments(pointer)
    for end in range(len(sent) - 1, 0, -1):
        said = say_field(names, "/" + "/".join(sent[:end]))
        if said is not None:
            rest = ".".join(sent[end:])
            return Said(said.place, f"{said.subject}: {rest}" if said.subject else rest, said.owner)
    return Said("", ".".join(sent[2 if sent[0] == "objectives" else 1 :]))


def say_violation(names: Names, body: str, violation: Violation) -> tuple[str, str]:
    """Place of the violation, and a sentence. `body` is what its pointers are in."""
    pointer = _whole(body, violation.pointer)
    said = say_field(names, pointer) or _say_unknown(names, pointer)
    sentence = "".join(_say_part(names, body, part, said) for part in violation.parts or ({"text": violation.message},))
    return said.place, f"{said.subject} {sentence}" if said.subject else sentence


def _say_part(names: Names, body: str, part: Mapping[str, Any], about: Said) -> str:
    text = str(part["text"])
    for kind in ("input", "output"):
        if kind in part:
            given: Sequence[str] = getattr(names, kind)
            return given[part[kind]] if 0 <= part[kind] < len(given) else text
    if "term" in part:
        return TERMS.get(part["term"], str(part["term"]))
    said = say_field(names, _whole(body, part["pointer"])) if "pointer" in part else None
    if said is None:
        return text
    if not said.subject:
        return said.place
    if said.place != about.place:
        return f"{said.subject} of {said.place}"
    return said.subject if said.owner == about.owner else f"{said.subject} of {said.owner}"


def _whole(body: str, pointer: str) -> str:
    """A batch has the definitions of its searches inside."""
    return pointer if body == "/batch" and pointer.startswith("/objectives/") else f"{body}{pointer}"


def _segments(pointer: str) -> list[str]:
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


@cache
def _rows() -> Mapping[int, list[list[str]]]:
    """The patterns by their length."""
    found: dict[int, list[list[str]]] = {}
    for pattern in FIELDS:
        row = pattern.split("/")[1:]
        found.setdefault(len(row), []).append(row)
    return found


def _matches(row: Sequence[str], sent: Sequence[str]) -> bool:
    return all(
        part == value or (part.startswith("{") and (part[1:-1] not in NUMBERED or value.isdecimal()))
        for part, value in zip(row, sent, strict=True)
    )


def _shown(mark: str, value: str, names: Names) -> str:
    """A number as the name that it stands for; a name that was sent as it is."""
    if not value.isdecimal():
        return value
    given: Sequence[str] = getattr(names, mark) if mark in LISTS else ()
    return given[int(value)] if int(value) < len(given) else _counted(value)


def _counted(value: str) -> str:
    """From 1, as people count."""
    return str(int(value) + 1) if value.isdecimal() else value


@contextmanager
def said_here(names: Names, body: Body) -> Iterator[None]:
    """A ServiceError of the block names what is wrong in the words of this package, each fault once."""
    try:
        yield
    except ServiceError as error:
        if not error.violations:
            raise
        said = [(*say_violation(names, body, each), each.pointer) for each in error.violations]
        violations = tuple(Violation(place, pointer, message) for place, message, pointer in said)
        facts = {key: value for key, value in vars(error).items() if key not in ("detail", "violations")}
        raise type(error)(_listed([_line(place, message) for place, message, _ in said]), violations=violations, **facts) from None


def _listed(lines: Sequence[str]) -> str:
    different = list(dict.fromkeys(lines))
    return different[0] if len(different) == 1 else "\n".join([f"The problem has {len(different)} faults:", *different])


def _line(place: str, message: str) -> str:
    return f"{place}: {message}" if place else message


WANTED = {
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a finite number",
    "string": "a text",
    "bool": "True or False",
    "list": "a list",
    "dict": "a dictionary",
    "model": "a dictionary",
    "datetime": "a date and time",
}
"""By the first word of what pydantic calls a fault."""


def fault_of(names: Names, body: Body, error: ValidationError) -> str:
    """Describes the first fault that a model finds, in one line."""
    first = error.errors()[0]
    # The name of a type is on the way to a field that may have several.
    where = [
        str(part)
        for part in first["loc"]
        if re.fullmatch(r"[a-z]\w*|\d+", str(part)) and str(part) not in (*WANTED, "str", "false", "true")
    ]
    kind = str(first["type"])
    wanted = next((WANTED[each] for each in WANTED if kind.startswith(each)), None)
    options = first.get("ctx", {}).get("expected")
    if wanted is None and options:
        wanted = str(options).replace("'", "")
    message = f"must be {wanted}, is {first['input']!r}." if wanted else f"{first['msg']}, not {first['input']!r}."
    return _line(*say_violation(names, body, Violation("", "/" + "/".join(where), message)))


def refuse_infinite(names: Names, body: Body, fields: Any) -> None:
    """Raises ValueError for the first number that JSON cannot hold."""
    pointer = pointer_of_infinite(fields)
    if pointer is None:
        return
    raise ValueError(_line(*say_violation(names, body, Violation("", pointer, "must be a finite number."))))


def pointer_of_infinite(value: Any) -> str | None:
    """Pointer to the first number that is not finite."""
    if isinstance(value, float):
        return None if math.isfinite(value) else ""
    entries: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, Mapping):
        entries = iter(value.items())
    elif isinstance(value, list | tuple):
        entries = iter(enumerate(value))
    for key, each in entries:
        found = pointer_of_infinite(each)
        if found is not None:
            return f"/{str(key).replace('~', '~0').replace('/', '~1')}{found}"
    return None


def in_python(name: str) -> str:
    """A name of the interface as the client writes it: input_count for inputCount. Names that programs gave stay as they are."""
    return NAMES.get(name, name)


def property_in_python(violation: Violation) -> str:
    """Such as input_names[2]. What is no path, such as a row of a file, stays as it is."""
    return (
        re.sub(r"[A-Za-z]\w*", lambda word: in_python(word[0]), violation.property) if " " not in violation.property else violation.property
    )


def message_in_python(violation: Violation) -> str:
    """With fields as the client writes them."""
    return "".join(
        re.sub(r"[A-Za-z]\w*", lambda word: in_python(word[0]), str(part["text"])) if "pointer" in part else str(part["text"])
        for part in violation.parts or ({"text": violation.message},)
    )
