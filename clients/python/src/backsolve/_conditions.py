"""Data sets that were measured under different conditions: one evaluation runs the black box once under each of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .fitting import Fit
from .inputs import Value


@dataclass(frozen=True)
class Condition:
    """One of the runs of an evaluation."""

    when: Mapping[str, Value]
    """Values that the black box gets beside the inputs."""
    outputs: Mapping[str, str]
    """By goal, the output of the black box that it is about."""


@dataclass(frozen=True)
class Outputs:
    """Results of the black box under each condition, in their order."""

    given: tuple[Any, ...]


def conditions_of(goals: Mapping[str, Any]) -> tuple[Condition, ...]:
    """In the order in which the data sets name them; empty without any. A goal without conditions belongs to the first run."""
    runs: list[tuple[dict[str, Value], dict[str, str]]] = []
    for name, goal in goals.items():
        if not isinstance(goal, Fit) or goal.when is None:
            continue
        outputs = next((outputs for when, outputs in runs if when == goal.when), None)
        if outputs is None:
            outputs = {}
            runs.append((dict(goal.when), outputs))
        outputs[name] = goal.output or name
    if runs:
        placed = {name for _, outputs in runs for name in outputs}
        runs[0][1].update(
            {name: (goal.output or name) if isinstance(goal, Fit) else name for name, goal in goals.items() if name not in placed}
        )
    return tuple(Condition(when, outputs) for when, outputs in runs)


def check_conditions(goals: Mapping[str, Any], inputs: Mapping[str, Any]) -> None:
    """Raises ValueError where a black box could not be told which of its runs is asked for."""
    fits = {name: goal for name, goal in goals.items() if isinstance(goal, Fit)}
    stated = {name: goal.when for name, goal in fits.items() if goal.when is not None}
    for name, when in stated.items():
        taken = [key for key in when if key in inputs]
        if taken:
            raise ValueError(
                f"The data of {name} fix {' and '.join(taken)}, which the search varies: use another name, or leave out the input."
            )
    names = {tuple(sorted(when)) for when in stated.values()}
    if len(names) > 1:
        raise ValueError(
            f"All data sets must state the same conditions in when, not {' and '.join(', '.join(each) for each in sorted(names))}."
        )
    missing = [name for name in fits if name not in stated] if stated else []
    if missing:
        raise ValueError(f"The data of {' and '.join(missing)} need when=..., as the other data sets have it.")


def under_each(call: Callable[[Mapping[str, Value]], Any], conditions: tuple[Condition, ...], values: Mapping[str, Value]) -> Outputs:
    """Calls a black box once under each condition."""
    return Outputs(tuple(call({**values, **each.when}) for each in conditions))


async def awaited_under_each(
    call: Callable[[Mapping[str, Value]], Awaitable[Any]], conditions: tuple[Condition, ...], values: Mapping[str, Value]
) -> Outputs:
    """The same of a coroutine function, one after the other."""
    return Outputs(tuple([await call({**values, **each.when}) for each in conditions]))
