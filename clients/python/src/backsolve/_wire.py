"""The base of all generated models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ._refusals import Body, Names, fault_of, refuse_infinite
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
        """Takes what a program states. Raises ValueError for what is not a number: pydantic would take a duration for a count of
        nanoseconds.
        """
        super().__init__(**{name: stated(name, value) for name, value in fields.items()})

    # Answers hold plain numbers: pydantic reads them ten times faster where it need not call an __init__ of ours.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def make(model: type[T], fields: Mapping[str, Any], names: Names, body: Body) -> T:
    """A body from what a program states. Raises ValueError in one line, in the words of the program."""
    try:
        made = model(**fields)
    except ValidationError as error:
        raise ValueError(fault_of(names, body, error)) from None
    refuse_infinite(names, body, fields)
    return made
