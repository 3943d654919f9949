"""
The process of one run of an FMU. Simulations that repeat in one process leak or crash (issue 343 of FMPy), and a crash of an FMU ends its
process. It reads a job and prints a result, each one line of JSON. It imports nothing of this package, because it starts with every run.

FMPy 0.3.32 samples at steps of one size, and knows no list of times. So its solvers, and the steps of co-simulation, are told to stop at
the times that are needed as well.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
import threading
from bisect import bisect_left, bisect_right
from contextlib import suppress
from typing import Any

import fmpy.simulation
import fmpy.sundials
import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import fmi2Discard, fmi2LastSuccessfulTime, fmi2Terminated
from fmpy.model_description import read_model_description
from fmpy.simulation import Recorder, instantiate_fmu, simulate_fmu
from fmpy.sundials import CVodeSolver

ROUNDING = 1e-9
"""Share of the largest time by which two times may differ and be the same."""
MAXIMUM_CATCHING_UP = 60
MAXIMUM_SHARE = 50
"""The longest step of CVODE is this share of the simulation, as FMPy has it; it finds events in shorter steps only."""

Row = tuple[Any, ...]


class _Ended(Exception):
    """The FMU goes no further. What it computed until then counts."""


def main() -> None:
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Output that the FMU prints goes to the log.
    os.dup2(2, 1)
    line = sys.stdin.buffer.readline()
    if not line:
        return
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        result = _simulate(json.loads(line))
    except Exception as error:
        result = {"failed": str(error) or type(error).__name__}
    told.write(json.dumps(result))
    told.flush()
    # Some FMUs crash when they are unloaded; the result is there.
    sys.stdout.flush()
    os._exit(0)


def _end_with_input() -> None:
    """Also when whoever started it was killed."""
    sys.stdin.buffer.read()
    os._exit(1)


class Samples:
    """Values recorded at the needed times."""

    def __init__(self, fmu: Any, description: Any, job: dict[str, Any]) -> None:
        self.start: float = job["start"]
        self.until: float = job["until"]
        """The simulation may end here."""
        self.slack = ROUNDING * max(abs(self.start), abs(self.until))
        self.recorder = Recorder(fmu, description, job["outputs"])
        self._times: list[float] = job["times"]

    def inside(self, start: float, end: float) -> list[float]:
        """The needed times between two others, which are recorded anyway."""
        times = self._times
        return times[bisect_right(times, start + self.slack) : bisect_left(times, end - self.slack)]

    def take(self, time: float) -> None:
        self.recorder.sample(time)

    def goes_on(self, time: float, recorder: Recorder) -> bool:
        """As FMPy asks after every step. It has not sampled there yet."""
        if time < self.until - self.slack:
            return True
        recorder.sample(time)
        return False


def _simulate(job: dict[str, Any]) -> dict[str, Any]:
    description = read_model_description(job["folder"], validate=False)
    fmu = instantiate_fmu(job["folder"], description, job["type"], require_functions=False)
    samples = Samples(fmu, description, job)
    is_stepped = job["type"] == "CoSimulation"
    steps = Steps(fmu, description, samples) if is_stepped else None
    if steps is None:
        fmpy.sundials.CVodeSolver = _cvode_at(fmu, samples)
        fmpy.simulation.ForwardEuler = _euler_at(fmu, samples)
    else:
        fmu.doStep = steps
    try:
        sampled = simulate_fmu(
            job["folder"],
            validate=False,
            model_description=description,
            fmu_instance=fmu,
            start_time=job["start"],
            stop_time=job["stop"],
            fmi_type=job["type"],
            solver=job["solver"],
            relative_tolerance=job["tolerance"],
            output_interval=job["step"],
            step_size=job["step"],
            start_values=job["values"],
            # The steps of co-simulation record themselves what they reach.
            output=[] if is_stepped else job["outputs"],
            step_finished=samples.goes_on if steps is None else steps.goes_on,
        )
        ended = None
    except _Ended as end:
        sampled, ended = None, str(end)
    own = samples.recorder.result()
    if steps is not None:
        kept, times = steps.true_times()
        return {"time": times, **{name: own[name][kept].tolist() for name in job["outputs"]}, "ended": ended or steps.reason}
    # At one time, an event comes after what was recorded on the way to it.
    both = np.concatenate([own["time"], sampled["time"]])
    order = np.argsort(both, kind="stable")
    return {name: np.concatenate([own[name], sampled[name]])[order].tolist() for name in ["time", *job["outputs"]]} | {"ended": None}


def _cvode_at(fmu: Any, samples: Samples) -> type:
    """CVODE interpolates its own solution at the needed times, so they do not change it."""

    class SampledCVode(CVodeSolver):  # type: ignore[misc]
        def __init__(self, **arguments: Any) -> None:
            super().__init__(**{**arguments, "maxStep": (samples.until - samples.start) / MAXIMUM_SHARE})

        def step(self, t: float, tNext: float) -> Any:  # noqa: N803 - FMPy's
            for time in samples.inside(t, tNext):
                is_event, roots, reached = super().step(t, time)
                if is_event:
                    return is_event, roots, reached
                fmu.setTime(time)
                samples.take(time)
                t = time
            return super().step(t, tNext)

    return SampledCVode


def _euler_at(fmu: Any, samples: Samples) -> type:
    """Between two of its steps the solution of Euler's method is a straight line of the states; what depends on them may be curved."""

    class SampledEuler(fmpy.simulation.ForwardEuler):  # type: ignore[misc]
        def step(self, t: float, tNext: float) -> Any:  # noqa: N803 - FMPy's
            inside = samples.inside(t, tNext)
            if inside:
                self.get_x(self._px, self.x.size)
                self.get_dx(self._pdx, self.dx.size)
                begin = self.x.copy()
                for time in inside:
                    self.x[:] = begin + (time - t) * self.dx
                    fmu.setTime(time)
                    self.set_x(self._px, self.x.size)
                    samples.take(time)
                self.x[:] = begin
                fmu.setTime(t)
                self.set_x(self._px, self.x.size)
            return super().step(t, tNext)

    return SampledEuler


class Steps:
    """
    Takes the place of `doStep` of an FMU of co-simulation: a step that FMPy asks for is divided at the needed times where the FMU allows
    it, and what a step reached is recorded. FMPy also records the values after a step that the FMU refused, under the time before it; here
    the simulation ends with the last step that was done.
    """

    def __init__(self, fmu: Any, description: Any, samples: Samples) -> None:
        self._do_step = fmu.doStep
        self._fmu = fmu
        self._samples = samples
        self._version: str = description.fmiVersion
        self._can_vary: bool = description.coSimulation.canHandleVariableCommunicationStepSize
        internal = getattr(description.coSimulation, "fixedInternalStepSize", None)
        self._internal = None if internal is None else float(internal)
        clock = [each for each in description.modelVariables if each.causality == "independent" and each.type in ("Real", "Float64")]
        self._clock = clock[0].valueReference if clock else None
        self._clocks: list[float] = []
        self._told: Any = None
        self.reason: str | None = None

    def __call__(self, currentCommunicationPoint: float, communicationStepSize: float) -> Any:  # noqa: N803 - FMPy's
        begin, end = currentCommunicationPoint, currentCommunicationPoint + communicationStepSize
        if not self._clocks:
            self._take(begin)
        time = begin
        for point in self._points(begin, end) if self._can_vary else ():
            if self.reason is None and point > time + self._samples.slack:
                time = self._to(time, point)
                time = self._catch_up(time, point, end)
        if self.reason is None and time < end:
            self._to(time, end)
        return self._told

    def _points(self, begin: float, end: float) -> list[float]:
        """Times to stop at for the needed ones: for an FMU with steps of its own the ends of these, on both sides."""
        inside = self._samples.inside(begin, end)
        if self._internal is None:
            return inside
        start, step, slack = self._samples.start, self._internal, self._samples.slack
        grid = sorted({start + whole((time - start) / step) * step for time in inside for whole in (_floor, _ceil)})
        return [point for point in grid if begin + slack < point < end - slack]

    def _catch_up(self, time: float, point: float, end: float) -> float:
        """
        An FMU with steps of a fixed size that it does not state may be behind, as its clock says: goes on until it has passed the needed
        time, so that there are values on both sides.
        """
        ahead = point - self._clocks[-1]
        for _ in range(MAXIMUM_CATCHING_UP):
            if self.reason is not None or self._clock is None or time >= end or self._clocks[-1] >= point - self._samples.slack:
                break
            following = time + ahead
            time = self._to(time, following if following < end - self._samples.slack else end)
            ahead *= 2
        return time

    def _to(self, begin: float, end: float) -> float:
        try:
            self._told = self._do_step(currentCommunicationPoint=begin, communicationStepSize=end - begin)
        except FMICallException as error:
            # The number is that of all versions.
            if error.status != fmi2Discard:
                raise
            self._end_at(begin, end)
        if self._told is not None and self._told[1]:
            reached = self._told[3]
            self.reason = f"the FMU ended the simulation at {min(max(reached, begin), end):g}"
            if reached < end:
                if reached > begin:
                    self._take(reached)
                return end
        self._take(end)
        return end

    def _end_at(self, begin: float, end: float) -> None:
        """After a step that was refused: part of it counts if the FMU has ended the simulation there."""
        is_terminated, reached = False, begin
        if self._version == "2.0":
            with suppress(FMICallException):
                is_terminated = self._fmu.getBooleanStatus(fmi2Terminated)
                reached = self._fmu.getRealStatus(fmi2LastSuccessfulTime)
        if is_terminated:
            if begin < reached <= end:
                self._take(reached)
            raise _Ended(f"the FMU ended the simulation at {min(max(reached, begin), end):g}")
        raise _Ended(f"the FMU refused the step from {begin:g} to {end:g}")

    def _take(self, time: float) -> None:
        self._samples.take(time)
        self._clocks.append(time if self._clock is None else self._read_clock())

    def _read_clock(self) -> float:
        read = self._fmu.getFloat64 if self._version.startswith("3") else self._fmu.getReal
        return float(read([self._clock])[0])

    def goes_on(self, time: float, _: Recorder) -> bool:
        reached: float = min(time, self._clocks[-1])
        return bool(reached < self._samples.until - self._samples.slack)

    def true_times(self) -> tuple[list[int], list[float]]:
        """
        The rows that count, and of each the time of its values: that of the FMU's clock where it is behind the step, as long as it is one.
        A clock ascends, and is never behind by more than its longest step. Where all ends, the values are those that the FMU has.
        """
        times: list[float] = self._samples.recorder.result()["time"].tolist()
        clocks, slack = self._clocks, self._samples.slack
        jumps = [after - before for before, after in itertools.pairwise(clocks)]
        behind = [time - clock for time, clock in zip(times, clocks, strict=True)]
        is_clock = min(jumps, default=0.0) >= 0 and max(behind) < max(jumps, default=0.0) and min(behind) >= -slack
        if not is_clock:
            return [*range(len(times))], times
        kept = [k for k in range(len(times)) if k == 0 or clocks[k] > clocks[k - 1]]
        true = [clocks[k] if behind[k] > slack else times[k] for k in kept]
        if times[-1] > true[-1] + slack:
            return [*kept, len(times) - 1], [*true, times[-1]]
        return kept, true


def _floor(steps: float) -> int:
    return round(steps) if math.isclose(steps, round(steps), rel_tol=ROUNDING) else math.floor(steps)


def _ceil(steps: float) -> int:
    return round(steps) if math.isclose(steps, round(steps), rel_tol=ROUNDING) else math.ceil(steps)


if __name__ == "__main__":
    main()
