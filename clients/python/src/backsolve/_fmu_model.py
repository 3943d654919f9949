"""Reads what an FMU says of itself: its variables, what they may be set to, and how it is simulated by default."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

from ._boxes import Fault, MissingPackageError, RunFailed
from .inputs import Value

TYPES = {"co-simulation": "CoSimulation", "model-exchange": "ModelExchange"}
UNBOUNDED = 1e60
"""The infinity of Modelica; larger bounds are none."""


@dataclass(frozen=True)
class Variable:
    """A variable of the model description; texts of XML as numbers."""

    name: str
    kind: str
    """float, integer, boolean, category, or that of the FMU if it is none of them, such as String."""
    unit: str
    minimum: float | None
    maximum: float | None
    start: str | None
    categories: Mapping[str, int]
    causality: str
    can_be_set: bool
    is_continuous: bool
    is_scalar: bool
    description: str

    @property
    def facts(self) -> dict[str, Any]:
        """The keys of an input in a problem file."""
        unit = {"unit": self.unit} if self.unit else {}
        if self.kind == "category":
            return {"type": "category", "values": list(self.categories)}
        if self.kind == "boolean":
            return {"type": "boolean"}
        bounds = {key: value for key, value in (("minimum", self.minimum), ("maximum", self.maximum)) if value is not None}
        return {**({"type": "integer"} if self.kind == "integer" else {}), **unit, **bounds}

    @property
    def start_value(self) -> Value | None:
        """As an input has it; None where there is none."""
        if self.start is None or not self.is_scalar:
            return None
        if self.kind == "boolean":
            return self.start in ("true", "1")
        if self.kind == "category":
            return next((name for name, number in self.categories.items() if number == int(self.start)), None)
        return int(self.start) if self.kind == "integer" else float(self.start)

    def to_fmu(self, value: Value) -> Value:
        """A value of an input as the FMU takes it. Raises RunFailed."""
        if self.kind != "category":
            return value
        if value not in self.categories:
            raise RunFailed(f"{value!r} is none of the values of {self.name}: {', '.join(self.categories)}")
        return self.categories[str(value)]


class Description:
    """Description of an FMU by itself. Raises Fault if it is none, or cannot run here."""

    def __init__(self, file: Path) -> None:
        require_package()
        from fmpy.model_description import read_model_description

        self.file = file
        if not file.is_file():
            raise Fault(f"{file.name}: there is no such file.")
        try:
            self.model = read_model_description(str(file), validate=False)
        except Exception as error:
            raise Fault(f"{file.name} is no FMU that can be read: {error}") from error
        self.variables = {each.name: _variable_of(each, self.model.fmiVersion) for each in self.model.modelVariables}

    def refuse_platform(self) -> None:
        from fmpy import platform, supported_platforms

        platforms = supported_platforms(str(self.file))
        if platform in platforms:
            return
        has = " and ".join(each for each in platforms if each != "c-code")
        words = f"has binaries for {has} only" if has else "has no binaries"
        compiled = ", or compile its sources: python -m fmpy compile FILE" if "c-code" in platforms else ""
        raise Fault(f"{self.file.name} {words}, and this machine is {platform}: export it for {platform} as well{compiled}.")

    def refuse_type(self, stated: str | None) -> None:
        offered = [
            name for name, part in (("co-simulation", self.model.coSimulation), ("model-exchange", self.model.modelExchange)) if part
        ]
        if not offered:
            raise Fault(f"{self.file.name} offers neither co-simulation nor model exchange.")
        if stated is not None and stated not in offered:
            raise Fault(f"{self.file.name} offers no {stated}, only {' and '.join(offered)}.")

    def type_of(self, stated: str | None) -> str:
        """As FMPy names it; co-simulation if the FMU offers it and nothing else is stated."""
        if stated is not None:
            return TYPES[stated]
        return "ModelExchange" if self.model.coSimulation is None else "CoSimulation"

    def is_stepped(self, stated: str | None) -> bool:
        return self.type_of(stated) == "CoSimulation"

    def can_vary_steps(self, stated: str | None) -> bool:
        """Whether a communication step may have any size; solvers of model exchange can stop anywhere."""
        return not self.is_stepped(stated) or bool(self.model.coSimulation.canHandleVariableCommunicationStepSize)

    def internal_step(self, stated: str | None) -> float | None:
        """That of a solver in the FMU, which FMI 3 lets it state."""
        size = getattr(self.model.coSimulation, "fixedInternalStepSize", None) if self.is_stepped(stated) else None
        return None if size is None else float(size)

    def states_step(self, stated: str | None) -> bool:
        return self.internal_step(stated) is not None or number_of(self.model.defaultExperiment, "stepSize", 0.0) > 0

    def fault_of_input(self, name: str) -> str | None:
        variable = self.variables.get(name)
        if variable is None:
            return self._unknown(name, [each.name for each in self.variables.values() if each.can_be_set])
        if not variable.is_scalar or variable.kind not in ("float", "integer", "boolean", "category"):
            return f"{name} is no single number, but a {variable.kind}{'' if variable.is_scalar else ' array'}."
        return None if variable.can_be_set else f"{name} cannot be set: it is computed, or constant ({variable.causality})."

    def fault_of_output(self, name: str) -> str | None:
        variable = self.variables.get(name)
        if variable is None:
            return self._unknown(name, list(self.variables))
        return None if variable.is_scalar and variable.kind != "String" else f"{name} is no single number."

    def _unknown(self, name: str, known: Sequence[str]) -> str:
        near = difflib.get_close_matches(name, known, 1)
        return f"{name} is not a variable of {self.file.name}; {f'did you mean {near[0]}?' if near else 'it has ' + _listed(known)}"


def require_package() -> None:
    if find_spec("fmpy") is None:
        raise MissingPackageError("FMPy", "fmu")


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:8])}{' and more' if len(names) > 8 else ''}."


KIND_OF_TYPE = {
    "Real": "float",
    "Float32": "float",
    "Float64": "float",
    "Boolean": "boolean",
    "Enumeration": "category",
    "Integer": "integer",
}


def _variable_of(each: Any, version: str) -> Variable:
    from fmpy.simulation import has_start_value, settable_in_initialization_mode, settable_in_instantiated

    declared = each.declaredType
    can_be_set = has_start_value(each) if version == "1.0" else settable_in_instantiated(each) or settable_in_initialization_mode(each)
    kind = KIND_OF_TYPE.get(each.type, "integer" if "Int" in each.type else each.type)
    items = declared.items if kind == "category" and declared is not None else []

    def stated(key: str) -> Any:
        own = getattr(each, key)
        return own if own is not None or declared is None else getattr(declared, key)

    return Variable(
        name=each.name,
        kind=kind,
        unit=stated("unit") or "",
        minimum=_bound(stated("min")),
        maximum=_bound(stated("max")),
        start=each.start,
        categories={item.name: int(item.value) for item in items},
        causality=each.causality or "local",
        can_be_set=bool(can_be_set) and each.variability != "constant",
        is_continuous=kind == "float" and each.variability not in ("discrete", "fixed", "tunable"),
        is_scalar=not each.dimensions,
        description=each.description or "",
    )


def number_of(part: Any, name: str, default: float) -> float:
    """A number of the default experiment."""
    value = None if part is None else getattr(part, name)
    return default if value is None else float(value)


def _bound(text: str | None) -> float | None:
    value = inf if text is None else float(text)
    return value if abs(value) < UNBOUNDED else None
