"""FMUs as black boxes: what their model description says, and runs in processes of their own."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf, nextafter
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from ._boxes import Fault, MissingPackageError, Request, RunFailed
from .inputs import Value

Curve: TypeAlias = tuple[list[float], list[float]]
"""Times, which ascend, and the values at them."""
TYPES = {"co-simulation": "CoSimulation", "model-exchange": "ModelExchange"}
UNBOUNDED = 1e60
"""The infinity of Modelica; larger bounds are none."""
POLL_SECONDS = 0.05
LOG_BYTES = 4096
SHOWN_CHARACTERS = 400


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


@dataclass(frozen=True)
class Output:
    """Where an output is read."""

    variable: str
    at: float | None = None
    """A time; None for the end."""


@dataclass(frozen=True)
class Experiment:
    """How the FMU is simulated; None leaves it to the FMU."""

    start: float | None = None
    stop: float | None = None
    step: float | None = None
    tolerance: float | None = None
    solver: str | None = None
    type: str | None = None


class Description:
    """What an FMU says of itself. Raises Fault if it is none, or cannot run here."""

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
        return f"{name} is no variable of {self.file.name}; {f'did you mean {near[0]}?' if near else 'it has ' + _listed(known)}"


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


def _bound(text: str | None) -> float | None:
    value = inf if text is None else float(text)
    return value if abs(value) < UNBOUNDED else None


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
        self._spare: _Process | None = None
        self._processes: set[_Process] = set()
        # Also when it is forgotten, and at the end of the program.
        self._end = weakref.finalize(self, _clean_up, self._folder, self._processes)
        extract(str(description.file), self._folder)

    def run(
        self,
        values: Mapping[str, Value],
        outputs: Sequence[str],
        until: float | None = None,
        seconds: float | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> dict[str, Curve]:
        """
        The curves of variables for the values of others, at least until a time. Raises RunFailed.
        """
        stop = self.stop_for(until)
        given = {**self._parameters, **values}
        unknown = [fault for name in given if (fault := self._description.fault_of_input(name)) is not None]
        if unknown:
            raise RunFailed(" ".join(unknown))
        wanted = list(dict.fromkeys(outputs))
        job = {
            "folder": self._folder,
            "values": {name: self._description.variables[name].to_fmu(value) for name, value in given.items()},
            "outputs": wanted,
            "stop": stop,
            "start": self._experiment.start,
            "step": self._experiment.step,
            "tolerance": self._experiment.tolerance,
            "solver": self._experiment.solver or "CVode",
            "type": None if self._experiment.type is None else TYPES[self._experiment.type],
        }
        result = self._work(job, seconds, is_wanted)
        if "failed" in result:
            raise RunFailed(result["failed"])
        return {name: _curve_of(result["time"], result[name]) for name in wanted}

    def at(self, curve: Curve, variable: str, time: float) -> float:
        """Its value then. Raises RunFailed if the simulation has ended before."""
        return value_at(curve, time, is_continuous=self._description.variables[variable].is_continuous)

    def close(self) -> None:
        self._end()

    def stop_for(self, until: float | None) -> float:
        """When a simulation ends that is needed until then."""
        if self._experiment.stop is not None:
            return self._experiment.stop
        experiment = self._description.model.defaultExperiment
        start = self._experiment.start if self._experiment.start is not None else _number(experiment, "startTime", 0.0)
        return max(_number(experiment, "stopTime", start + 1), until if until is not None else start)

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

    def _start(self) -> _Process:
        process = _Process()
        self._processes.add(process)
        return process


def _clean_up(folder: str, processes: set[_Process]) -> None:
    for process in list(processes):
        process.end()
    shutil.rmtree(folder, ignore_errors=True)


def _number(part: Any, name: str, default: float) -> float:
    value = None if part is None else getattr(part, name)
    return default if value is None else float(value)


START = "import sys, runpy; sys.path.pop(0); runpy.run_path(sys.argv[1], run_name='__main__')"


class _Process:
    """Of one run; it waits for its job."""

    def __init__(self) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._child = subprocess.Popen(  # noqa: S603 - this Python, with a program of ours
            [sys.executable, "-c", START, str(Path(__file__).with_name("_fmu_run.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def work(self, job: Mapping[str, Any], seconds: float | None, is_wanted: Callable[[], bool]) -> dict[str, Any]:
        """Raises RunFailed with what the log says if there is no result."""
        told = cast(IO[bytes], self._child.stdin)
        # If it has ended, its log says why.
        with suppress(OSError):
            told.write(f"{json.dumps(job)}\n".encode())
            told.flush()
        answer = _Reader(cast(IO[bytes], self._child.stdout))
        deadline = inf if seconds is None else time.monotonic() + seconds
        while not answer.is_over(POLL_SECONDS):
            if time.monotonic() > deadline:
                raise RunFailed(f"it ran longer than {seconds:g} s and was ended")
            if not is_wanted():
                raise RunFailed("it was ended")
        if not answer.text:
            raise RunFailed(f"{_end_in_words(self._child.wait())}{self._said()}")
        result: dict[str, Any] = json.loads(answer.text)
        if "failed" in result:
            result["failed"] = result["failed"].rstrip(".") + self._said()
        return result

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._log):
            # A job that was never read cannot be flushed.
            with suppress(OSError):
                cast(IO[bytes], pipe).close()

    def _said(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - LOG_BYTES))
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        words = " | ".join(lines[-3:])
        return f"; its log: {words[-SHOWN_CHARACTERS:]}" if words else ""


class _Reader:
    """Reads a pipe to its end in a thread, which ends with the process."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.text = b""
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        # It is closed when the run is ended.
        with suppress(OSError, ValueError):
            self.text = self._pipe.read()

    def is_over(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


def _end_in_words(code: int) -> str:
    if code < 0:
        return f"the FMU crashed ({signal.Signals(-code).name})"
    return f"the process of the FMU ended with exit code {code}"


def _curve_of(times: Sequence[float], values: Sequence[float]) -> Curve:
    """
    At an event FMUs give several values for one time. The first of them, before the event, is put a rounding error earlier; the last one is
    that of the time itself.
    """
    xs: list[float] = []
    ys: list[float] = []
    for x, y in zip(times, map(float, values), strict=True):
        if len(xs) > 0 and xs[-1] == x:
            if len(xs) > 1 and xs[-2] == nextafter(x, -inf):
                ys[-1] = y
                continue
            xs[-1] = nextafter(x, -inf)
        xs.append(x)
        ys.append(y)
    return xs, ys


def value_at(curve: Curve, time: float, *, is_continuous: bool) -> float:
    """Linear between the points in time; of a variable that jumps, the last value. Raises RunFailed."""
    xs, ys = curve
    slack = 1e-9 * max(1.0, abs(xs[-1]))
    if not xs[0] - slack <= time <= xs[-1] + slack:
        raise RunFailed(f"the simulation covers {xs[0]:g} to {xs[-1]:g}, and its outputs are needed at {time:g}")
    k = bisect_right(xs, time) - 1
    if k < 0 or k + 1 == len(xs):
        return ys[max(k, 0)]
    # A point of the grid that is missed by a rounding error is meant.
    if time - xs[k] <= slack:
        return ys[k]
    if xs[k + 1] - time <= slack:
        return ys[k + 1]
    return ys[k] + (ys[k + 1] - ys[k]) * (time - xs[k]) / (xs[k + 1] - xs[k]) if is_continuous else ys[k]


# What serve.py calls.


def describe(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    description = Description(Path(settings["file"]))
    description.refuse_platform()
    description.refuse_type(settings.get("type"))
    inputs = {name: each["variable"] for name, each in settings["inputs"].items()}
    outputs = {name: each["variable"] for name, each in settings["outputs"].items()}
    conditions = {name: name for name in settings.get("conditions", [])}
    parameters: list[str] = list(settings.get("parameters", {}))
    checked: list[tuple[list[str], str | None]] = [
        *((["inputs", name], description.fault_of_input(variable)) for name, variable in {**conditions, **inputs}.items()),
        *((["fmu", "parameters", name], description.fault_of_input(name)) for name in parameters),
        *((["outputs", name], description.fault_of_output(variable)) for name, variable in outputs.items()),
    ]
    return {
        "faults": [{"path": path, "message": message} for path, message in checked if message is not None],
        "inputs": {name: description.variables[one].facts for name, one in inputs.items() if one in description.variables},
        "outputs": {name: _unit_of(description, one) for name, one in outputs.items()},
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
        "stopTime": _number(model.defaultExperiment, "stopTime", 1.0),
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
        times = [time for name, output in wanted.items() for time in points[name] or [output.at] if time is not None]
        until = max(times, default=None)
        curves = self._simulation.run(
            {self._inputs.get(name, name): value for name, value in request.inputs.items()},
            [each.variable for each in wanted.values()],
            until,
            request.seconds,
            request.is_wanted,
        )

        end = self._simulation.stop_for(until)

        def at(output: Output, time: float | None) -> float:
            return self._simulation.at(curves[output.variable], output.variable, end if time is None else time)

        return {
            name: at(output, output.at)
            if (needed := points[name]) is None
            else [None if time is None else at(output, time) for time in needed]
            for name, output in wanted.items()
        }

    def close(self) -> None:
        self._simulation.close()
