"""FMUs as black boxes of solve and fit."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._boxes import Fault
from ._fmu import Output, Simulation
from ._fmu_model import Description, Variable, require_package
from ._fmu_times import Experiment, fault_of_times
from ._reached import look_of_file
from .fitting import Fit
from .inputs import Input, Value, boolean, choice, integer, real
from .problem import AnyGoal

__all__ = ["Fmu", "fmu"]

Wanted: TypeAlias = str | tuple[str, float] | tuple[str, Literal["curve"]]
"""A variable at the end, at a time, or as a curve."""


@dataclass(frozen=True)
class _Stated:
    file: Path
    outputs: Mapping[str, Wanted]
    inputs: Mapping[str, str]
    parameters: Mapping[str, Value]
    experiment: Experiment
    timeout: float | None
    times: tuple[float, ...] | None = None
    """Times at which curves are needed; None if they are needed as a whole."""


class Fmu:
    """
    An FMU as a black box. Call it with values of its inputs by name, or with one dictionary: it simulates in a process of its own and gives
    the outputs by name. A run that crashes, fails to initialise or takes too long raises an exception with the reason, and `solve` records
    it as failed.
    """

    def __init__(self, stated: _Stated) -> None:
        self._stated = stated
        self._lock = threading.Lock()
        self._simulation: Simulation | None = None

    @cached_property
    def inputs(self) -> dict[str, Input]:
        """Each input with the bounds, the type and the unit that the FMU states; without those whose bounds it does not state."""
        found = {name: _input_of(self.description.variables[variable]) for name, variable in self._variables.items()}
        return {name: one for name, one in found.items() if one is not None}

    @cached_property
    def start(self) -> dict[str, Value]:
        """The start values of the inputs that the FMU states."""
        variables = {name: self.description.variables[variable] for name, variable in self._variables.items()}
        return {name: one.start_value for name, one in variables.items() if one.start_value is not None}

    @property
    def fingerprint(self) -> str:
        """Changes with the file, and with what is stated of it."""
        stated = replace(self._stated, file=Path(self._stated.file.name), timeout=None)
        return hashlib.sha256(f"{look_of_file(self._stated.file)} {stated}".encode()).hexdigest()[:16]

    @cached_property
    def description(self) -> Description:
        return Description(self._stated.file)

    @property
    def _variables(self) -> Mapping[str, str]:
        if self._stated.inputs:
            return self._stated.inputs
        return {
            each.name: each.name
            for each in self.description.variables.values()
            if each.causality in ("parameter", "input") and self.description.fault_of_input(each.name) is None
        }

    def __call__(self, values: Mapping[str, Value] | None = None, /, **more: Value) -> dict[str, Any]:
        given = {self._stated.inputs.get(name, name): value for name, value in {**(values or {}), **more}.items()}
        wanted = {name: _output_of(one) for name, one in self._stated.outputs.items()}
        curves = [name for name, one in self._stated.outputs.items() if _is_curve(one)]
        read = {name: each for name, each in wanted.items() if name not in curves}
        simulated = self._opened().run(
            given,
            [each.variable for each in wanted.values()],
            [*(each.at for each in read.values() if each.at is not None), *(self._stated.times or ())],
            to_end=any(each.at is None for each in read.values()) or (bool(curves) and self._stated.times is None),
            seconds=self._stated.timeout,
        )
        return {
            name: simulated.curves[each.variable] if name in curves else simulated.at(each.variable, each.at)
            for name, each in wanted.items()
        }

    def at_data_of(self, goals: Mapping[str, AnyGoal]) -> Fmu:
        """
        The same, with curves that have exact values where the data of these goals were measured, and that end with them. `solve` calls it;
        call it yourself before you compare curves with data in a function of your own. Raises BacksolveError for data that the simulation
        cannot reach.
        """
        curves = {name for name, one in self._stated.outputs.items() if _is_curve(one)}
        fits = [goal for name, goal in goals.items() if isinstance(goal, Fit) and (goal.output or name) in curves]
        times = sorted({time for goal in fits for time in goal.x or ()})
        if not times:
            return self
        fault = fault_of_times(self.description, self._stated.experiment, times)
        if fault is not None:
            raise Fault(fault)
        return Fmu(replace(self._stated, times=tuple(times)))

    def close(self) -> None:
        """Ends what runs and removes the extracted FMU. It is also done when the object is collected, or the program ends."""
        with self._lock:
            if self._simulation is not None:
                self._simulation.close()
            self._simulation = None

    def _opened(self) -> Simulation:
        with self._lock:
            if self._simulation is None:
                self._simulation = Simulation(self.description, self._stated.experiment, self._stated.parameters)
            return self._simulation

    def __getstate__(self) -> _Stated:
        """An executor's process opens the FMU itself."""
        return self._stated

    def __setstate__(self, stated: _Stated) -> None:
        self.__init__(stated)  # type: ignore[misc]


def fmu(
    file: str | os.PathLike[str],
    outputs: Sequence[str] | Mapping[str, Wanted],
    *,
    inputs: Mapping[str, str] | None = None,
    parameters: Mapping[str, Value] | None = None,
    start_time: float | None = None,
    stop_time: float | None = None,
    step_size: float | None = None,
    tolerance: float | None = None,
    solver: Literal["CVode", "Euler"] | None = None,
    type: Literal["co-simulation", "model-exchange"] | None = None,
    timeout: float | None = None,
) -> Fmu:
    """
    An FMU (FMI 2 or 3) as the black box of `solve`; needs `pip install 'backsolve[fmu]'`.

    `outputs` names variables, or says for each output `"h"` (at the end), `("h", 2.5)` (at a time) or `("h", "curve")`, which a `fit`
    compares with measured values. `inputs` gives variables other names: `{"J": "body.J[1,1]"}`. `parameters` sets variables that are no
    inputs. Times and solver are those of the FMU by default; `timeout` is in seconds of a run. Outputs at a time are sampled then, and the
    simulation ends after the last time that is needed. `step_size` is the communication step of co-simulation, which may change its
    results. Raises BacksolveError if the FMU cannot run here, has no such variables, or cannot reach a time that is needed.
    """
    require_package()
    wanted = outputs if isinstance(outputs, Mapping) else {name: name for name in outputs}
    experiment = Experiment(start_time, stop_time, step_size, tolerance, solver, type)
    made = Fmu(_Stated(Path(file).resolve(), wanted, inputs or {}, parameters or {}, experiment, timeout))
    description = made.description
    description.refuse_platform()
    description.refuse_type(type)
    set_here = [*(inputs or {}).values(), *(parameters or {})]
    faults = [description.fault_of_input(name) for name in set_here]
    faults += [description.fault_of_output(_output_of(one).variable) for one in wanted.values()]
    at = [output.at for one in wanted.values() if (output := _output_of(one)).at is not None]
    faults.append(fault_of_times(description, experiment, at))
    if any(faults):
        raise Fault(" ".join(fault for fault in faults if fault))
    return made


def _output_of(wanted: Wanted) -> Output:
    if isinstance(wanted, str):
        return Output(wanted)
    variable, at = wanted
    return Output(variable, None if isinstance(at, str) else at)


def _is_curve(wanted: Wanted) -> bool:
    return not isinstance(wanted, str) and wanted[1] == "curve"


def _input_of(variable: Variable) -> Input | None:
    if variable.kind == "boolean":
        return boolean()
    if variable.kind == "category":
        return choice(*variable.categories) if len(variable.categories) > 1 else None
    if variable.minimum is None or variable.maximum is None:
        return None
    if variable.kind == "integer":
        return integer(int(variable.minimum), int(variable.maximum), unit=variable.unit)
    return real(variable.minimum, variable.maximum, unit=variable.unit)
