"""The base of all generated models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


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
