"""The base of all generated models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ._values import stated

T = TypeVar("T", bound="Wire")


def to_wire(name: str) -> str:
    """The name of a field in the interface: input_count is inputCount."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


class Wire(BaseModel):
    """A body or an answer. Fields that are newer than this client are kept, under their names in the interface."""

    model_config = ConfigDict(
        alias_generator=to_wire,
        populate_by_name=True,
        extra="allow",
        defer_build=True,
        protected_namespaces=(),
        ser_json_inf_nan="constants",
    )

    def __init__(self, /, **fields: Any) -> None:
        """Of what a program states. Raises ValueError for what is no number: pydantic would take a duration for a count of nanoseconds."""
        super().__init__(**{name: stated(name, value) for name, value in fields.items()})


def make(model: type[T], fields: Mapping[str, Any]) -> T:
    """A body from what a program states. Raises ValueError in one line."""
    try:
        return model(**fields)
    except ValidationError as error:
        first = error.errors()[0]
        # Where a field may have several types, the name of one is on the way.
        where = ".".join(str(part) for part in first["loc"] if re.fullmatch(r"[a-z]\w*|\d+", str(part)))
        raise ValueError(f"{where}: {first['msg']}, not {first['input']!r}.") from None
