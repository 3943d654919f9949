"""FMUs as black boxes, each run in a process of its own."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ._boxes import Request, RunFailed
from ._curves import ROUNDING, value_at
from ._fmu_model import Description, number_of
from ._fmu_process import Process
from ._fmu_times import Experiment, fault_of_times, notes_on_steps, schedule
from .inputs import Value

Curve: TypeAlias = tuple[list[float], list[float]]
"""Times, of which an event has several, and the values at them."""


@dataclass(frozen=True)
class Output:
    """Place from which an output is read."""

    variable: str
    at: float | None = None
    """A time; None for the end."""


@dataclass(frozen=True)
class Simulated:
    """Record of a run."""

    curves: Mapping[str, Curve]
    stop: float
    ended: str | None
    """Reason why it went no further, if the FMU gave one."""
    description: Description

    def at(self, variable: str, time: float | None) -> float:
        """The value then, or at the end. Raises RunFailed if the simulation does not cover it."""
        is_continuous = self.description.variables[variable].is_continuous
        try:
            return value_in(self.curves[variable], self.stop if time is None else time, is_continuous=is_continuous)
        except RunFailed as failure:
            raise RunFailed(f"{failure}{f'; {self.ended}' if self.ended else ''}") from None


class Simulation:
    """An FMU that is ready to run, with processes that end with it. Its runs may be in several threads."""

    def __init__(self, description: Description, experiment: Experiment, parameters: Mapping[str, Value]) -> None:
        from fmpy import extract

        description.refuse_platform()
        description.refuse_type(experiment.type)
        self._description = description
        self._experiment = experiment
        self._parameters = dict(parameters)
        self._folder = tempfile.mkdtemp(prefix="backsolve-fmu-")
        self._lock = threading.Lock()
        self._spare: Process | None = None
        self._processes: set[Process] = set()
        # Also when it is forgotten, and at the end of the program.
        self._end = weakref.finalize(self, _clean_up, self._folder, self._processes)
        extract(str(description.file), self._folder)

    def run(
        self,
        values: Mapping[str, Value],
        outputs: Sequence[str],
        times: Iterable[float],
        *,
        to_end: bool,
        seconds: float | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Simulated:
        """
        The curves of variables for the values of others, with exact values at all `times`; without `to_end` it may end after the last of
        them. Raises RunFailed.
        """
        given = {**self._parameters, **values}
        unknown = [fault for name in given if (fault := self._description.fault_of_input(name)) is not None]
        if unknown:
            raise RunFailed(" ".join(unknown))
        needed = sorted(set(times))
        fault = fault_of_times(self._description, self._experiment, needed)
        if fault is not None:
            raise RunFailed(fault)
        wanted = list(dict.fromkeys(outputs))
        planned = schedule(self._description, self._experiment, needed, to_end=to_end)
        job = {
            "folder": self._folder,
            "values": {name: self._description.variables[name].to_fmu(value) for name, value in given.items()},
            "outputs": wanted,
            "start": planned.start,
            "stop": planned.stop,
            "until": planned.until,
            "step": planned.step,
            "times": list(planned.times),
            "tolerance": self._experiment.tolerance,
            "solver": self._experiment.solver or "CVode",
            "type": self._description.type_of(self._experiment.type),
        }
        result = self._work(job, seconds, is_wanted)
        if "failed" in result:
            raise RunFailed(result["failed"])
        curves = {name: (result["time"], [*map(float, result[name])]) for name in wanted}
        return Simulated(curves, planned.stop, result["ended"], self._description)

    def close(self) -> None:
        self._end()

    def _work(self, job: Mapping[str, Any], seconds: float | None, is_wanted: Callable[[], bool]) -> dict[str, Any]:
        with self._lock:
            process, self._spare = self._spare or self._start(), None
        try:
            return process.work(job, seconds, is_wanted)
        finally:
            process.end()
            with self._lock:
                self._processes.discard(process)
                # The next run finds a process that has loaded what it needs.
                if self._end.alive and self._spare is None:
                    self._spare = self._start()

    def _start(self) -> Process:
        process = Process()
        self._processes.add(process)
        return process


def _clean_up(folder: str, processes: set[Process]) -> None:
    for process in list(processes):
        process.end()
    shutil.rmtree(folder, ignore_errors=True)


def value_in(curve: Curve, time: float, *, is_continuous: bool) -> float:
    """Raises RunFailed where the simulation does not cover the time."""
    xs, ys = curve
    if not xs:
        raise RunFailed(f"the simulation has no values, and its outputs are needed at {time:g}")
    # The slack is relative to the times themselves, for some models work in microseconds.
    slack = ROUNDING * max(abs(xs[0]), abs(xs[-1]))
    if not xs[0] - slack <= time <= xs[-1] + slack:
        raise RunFailed(f"the simulation covers {xs[0]:g} to {xs[-1]:g}, and its outputs are needed at {time:g}")
    return value_at(xs, ys, time, slack, is_continuous=is_continuous)


# Entry points that serve.py calls.


def describe(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    description = Description(Path(settings["file"]))
    description.refuse_platform()
    experiment = Experiment(**settings["experiment"])
    description.refuse_type(experiment.type)
    inputs = {name: each["variable"] for name, each in settings["inputs"].items()}
    outputs = {name: each["variable"] for name, each in settings["outputs"].items()}
    times: dict[str, float] = {name: each["at"] for name, each in settings["outputs"].items() if each.get("at") is not None}
    conditions = {name: name for name in settings.get("conditions", [])}
    parameters: list[str] = list(settings.get("parameters", {}))
    checked: list[tuple[list[str], str | None]] = [
        *((["inputs", name], description.fault_of_input(variable)) for name, variable in {**conditions, **inputs}.items()),
        *((["fmu", "parameters", name], description.fault_of_input(name)) for name in parameters),
        *((["outputs", name], description.fault_of_output(variable)) for name, variable in outputs.items()),
        (["fmu"], fault_of_times(description, experiment, [])),
        *((["outputs", name, "at"], fault_of_times(description, experiment, [time])) for name, time in times.items()),
    ]
    return {
        "faults": [{"path": path, "message": message} for path, message in checked if message is not None],
        "inputs": {name: description.variables[one].facts for name, one in inputs.items() if one in description.variables},
        "outputs": {name: _unit_of(description, one) for name, one in outputs.items()},
        "notes": notes_on_steps(description, experiment, list(times.values()), has_data=settings.get("hasData", False)),
        "model": _model_of(description) if settings.get("isWhole") else None,
    }


def _unit_of(description: Description, name: str) -> Mapping[str, str]:
    variable = description.variables.get(name)
    return {"unit": variable.unit} if variable is not None and variable.unit else {}


def _model_of(description: Description) -> Mapping[str, Any]:
    """For a new problem file: what may be an input or an output."""
    model = description.model
    return {
        "name": model.modelName,
        "version": model.fmiVersion,
        "stopTime": number_of(model.defaultExperiment, "stopTime", 1.0),
        "inputs": [
            {"name": each.name, "start": each.start_value, "description": each.description, **each.facts}
            for each in description.variables.values()
            if each.causality in ("parameter", "input") and description.fault_of_input(each.name) is None
        ],
        "outputs": [
            {"name": each.name, "unit": each.unit, "description": each.description}
            for each in description.variables.values()
            if each.causality == "output" and description.fault_of_output(each.name) is None
        ],
    }


def open_box(settings: Mapping[str, Any]) -> FmuBox:
    return FmuBox(settings)


class FmuBox:
    """The FMU of a problem file."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        experiment = Experiment(**settings["experiment"])
        self._inputs = {name: each["variable"] for name, each in settings["inputs"].items()}
        self._outputs = {name: Output(each["variable"], each.get("at")) for name, each in settings["outputs"].items()}
        self._simulation = Simulation(Description(Path(settings["file"])), experiment, settings.get("parameters", {}))

    def run(self, request: Request) -> Mapping[str, object]:
        wanted = {name: self._outputs.get(name, Output(name)) for name in request.outputs}
        points = {name: request.curves.get(name) for name in wanted}
        # A fit without times was refused before, because of the length of its data.
        times = [points[name] or [output.at] for name, output in wanted.items()]
        simulated = self._simulation.run(
            {self._inputs.get(name, name): value for name, value in request.inputs.items()},
            [each.variable for each in wanted.values()],
            [time for some in times for time in some if time is not None],
            to_end=any(some == [None] for some in times),
            seconds=request.seconds,
            is_wanted=request.is_wanted,
        )
        return {
            name: simulated.at(output.variable, output.at)
            if (needed := points[name]) is None
            else [None if time is None else simulated.at(output.variable, time) for time in needed]
            for name, output in wanted.items()
        }

    def close(self) -> None:
        self._simulation.close()
