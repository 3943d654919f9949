"""Plans when an FMU is simulated, and in which steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from ._fmu_model import Description, number_of

MAXIMUM_STEPS = 1000
"""Limit for an FMU with internal steps, whose steps may be joined without a change of its results."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Experiment:
    """Settings of the simulation; None leaves them to the FMU."""

    start: float | None = None
    stop: float | None = None
    step: float | None = None
    tolerance: float | None = None
    solver: str | None = None
    type: str | None = None


@dataclass(frozen=True)
class Schedule:
    """Schedule of one run."""

    start: float
    stop: float
    """Stop time that the FMU is given."""
    until: float
    """The simulation may end here, because nothing later is needed."""
    step: float
    times: tuple[float, ...]
    """They ascend."""


def schedule(description: Description, experiment: Experiment, times: Sequence[float], *, to_end: bool) -> Schedule:
    """`times` are those at which values are needed; `to_end` says whether some are needed at the end. A time may lie outside."""
    start, stop = start_of(description, experiment), _stop_of(description, experiment)
    needed = sorted(set(times))
    if experiment.stop is None and needed:
        stop = max(stop, needed[-1])
    until = stop if to_end or not needed else min(stop, max(needed[-1], start))
    if until <= start:
        until = stop
    step = step_of(description, experiment, until - start)
    if experiment.stop is None and needed and not description.can_vary_steps(experiment.type):
        # It covers the last time only with a whole step.
        stop = max(stop, start + ceil((needed[-1] - start) / step * (1 - ROUNDING)) * step)
    return Schedule(start, stop, stop if to_end else until, step, tuple(needed))


def start_of(description: Description, experiment: Experiment) -> float:
    return experiment.start if experiment.start is not None else number_of(description.model.defaultExperiment, "startTime", 0.0)


def _stop_of(description: Description, experiment: Experiment) -> float:
    if experiment.stop is not None:
        return experiment.stop
    start = start_of(description, experiment)
    stop = number_of(description.model.defaultExperiment, "stopTime", start + 1)
    return stop if stop > start else start + 1


def step_of(description: Description, experiment: Experiment, span: float) -> float:
    """
    FMPy joins the steps that an FMU prefers until at most 1000 are left for the whole simulation. The step of co-simulation, and of Euler's
    method, is part of the solution, so it must not follow from `stopTime`: it is the stated one, and otherwise follows from what is needed.
    As in FMPy, an FMU's preferred step is that of co-simulation alone.
    """
    from fmpy.util import auto_interval

    if experiment.step is not None:
        return experiment.step
    preferred = number_of(description.model.defaultExperiment, "stepSize", 0.0)
    internal = description.internal_step(experiment.type)
    if internal is not None:
        step = internal
        while span / step > MAXIMUM_STEPS:
            step *= 2
        return step
    if preferred > 0 and description.is_stepped(experiment.type):
        return preferred
    return float(auto_interval(span))


def fault_of_times(description: Description, experiment: Experiment, times: Sequence[float]) -> str | None:
    """Reason why values at these times cannot be had, whatever the inputs."""
    start, stop = start_of(description, experiment), experiment.stop
    if stop is not None and stop <= start:
        return f"The simulation would end at {stop:g} and start at {start:g}: state a later stop time."
    early = min(times, default=start)
    if early < start:
        return (
            f"The simulation starts at {start:g}, and its outputs are needed at {early:g}: start it earlier, or leave out what is earlier."
        )
    late = max(times, default=start)
    if stop is not None and late > stop:
        return f"The simulation ends at {stop:g}, and its outputs are needed at {late:g}: let it end later, or leave out what is later."
    return None


def notes_on_steps(description: Description, experiment: Experiment, times: Sequence[float], *, has_data: bool) -> list[str]:
    """Notes on the steps of co-simulation, which change results. `times` are those known before the data are."""
    if not description.is_stepped(experiment.type):
        return []
    name = description.file.name
    span = (max(times) if times else _stop_of(description, experiment)) - start_of(description, experiment)
    step = step_of(description, experiment, span if span > 0 else 1.0)
    is_stated = experiment.step is not None or description.states_step(experiment.type)
    notes = []
    if not is_stated:
        notes.append(
            f"{name} prefers no communication step, so one is chosen from the times that are needed. If the FMU computes in these steps, "
            "its results depend on them: state stepSize."
        )
    if description.can_vary_steps(experiment.type):
        return notes
    start = start_of(description, experiment)
    between = [time for time in times if not _is_whole((time - start) / step)]
    if between:
        notes.append(
            f"{name} takes steps of one size only, {step:g}: outputs between two of them, such as at {between[0]:g}, lie on a straight "
            "line. State a stepSize that divides these times."
        )
    elif has_data:
        size = f", {step:g}" if is_stated else ""
        notes.append(f"{name} takes steps of one size only{size}: data between two of them are compared with a straight line.")
    return notes


def _is_whole(steps: float) -> bool:
    return abs(steps - round(steps)) <= ROUNDING * max(1.0, abs(steps))
