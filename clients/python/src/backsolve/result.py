"""The result of a search: the best run, all runs, and why it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ._generated import models as m
from ._words import describe_off, short
from .fitted import FitResult
from .inputs import Value
from .problem import Advice

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Status: TypeAlias = Literal["running", "satisfied", "stopped", "exhausted", "failed", "cancelled"]
STOP_REASONS: tuple[Status, ...] = ("running", "satisfied", "stopped", "exhausted")


def _sent(name: str, column: str) -> Mapping[str, str]:
    """A fact that the service sends: its name among the runs of a trial, and the column of a history that has it by iteration."""
    return {"name": name, "column": column}


@dataclass(frozen=True)
class Run:
    """A run of the black box."""

    kind: Literal["designed", "suggested"]
    number: int
    """The number of the case or of the suggested run, as the service and its page count."""
    input: Mapping[str, Value]
    output: Mapping[str, Any] | None
    """Numbers, and a tuple of numbers for an output that is fitted. None after a failed run."""
    failure: str | None = None
    misses: Mapping[str, float] = field(default_factory=dict)
    """Distance of each output from its goal, in units of its tolerance; 0 where it is met. Empty before there are goals."""
    excluded: bool = field(default=False, metadata=_sent("excluded", "excluded"))
    off_by: Mapping[str, float] = field(default_factory=dict)
    """The same in units of the output: by how much it misses the limit of its goal."""
    source: str | None = field(default=None, metadata=_sent("source_name", "sources"))
    """The cheaper source that was run, or what was stated of an added case; None for the black box itself."""
    note: str | None = field(default=None, metadata=_sent("note", "notes"))
    """A note of a person on the run."""
    noted_by: str | None = field(default=None, metadata=_sent("noted_by", "noted_by"))
    noted_at: datetime | None = field(default=None, metadata=_sent("noted_at", "noted_at"))
    earlier: bool = field(default=False, compare=False)
    """Whether an earlier search on the same data made it, as before a larger budget."""
    id: str = field(default="", compare=False)
    """Text that no other run of the problem has, however often it is read."""

    @property
    def name(self) -> str:
        """For example "case 3" or "run 17", as on the page of the service."""
        of = " of an earlier search" if self.earlier else ""
        return f"{'case' if self.kind == 'designed' else 'run'} {self.number}{of}"

    @property
    def worst_miss(self) -> float | None:
        return max(self.misses.values()) if self.misses else None

    @property
    def is_satisfied(self) -> bool:
        return self.worst_miss == 0


class History(Sequence[Run]):
    """All runs: the designed ones, then the suggested ones."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Run]: ...
    def __getitem__(self, index: int | slice) -> Run | Sequence[Run]:
        return self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __repr__(self) -> str:
        return f"History({len(self._runs)} runs)"

    def to_pandas(self) -> pd.DataFrame:
        """A row per run: its inputs, its outputs, kind, number, worst_miss and failure. Needs pandas."""
        import pandas as pd  # noqa: PLC0415 - optional

        names = {name: None for run in self._runs for name in (run.output or {})}
        rows = [
            {
                **run.input,
                **{name: (run.output or {}).get(name) for name in names},
                "kind": run.kind,
                "number": run.number,
                "worst_miss": run.worst_miss,
                "failure": run.failure,
            }
            for run in self._runs
        ]
        frame: pd.DataFrame = pd.DataFrame(rows)
        return frame


@dataclass(frozen=True)
class Result:
    """The result of a search so far."""

    status: Status
    reason: str | None
    """Reason for its end, in words; None while it runs."""
    best: Run | None
    """The answer of the search: the run that meets the goals or comes nearest to them, or the best value or fit. With `confirm` or
    `confidence` it is the input that meets them most surely: named after the first run there, with the mean of all runs there. None
    while nothing has succeeded."""
    history: History
    diagnosis: str | None
    """Evidence that the goals cannot be met: what each of them costs, and by how much to relax them."""
    name: str
    model_id: int
    project_id: int
    batch_id: int
    objective: m.History | None
    """The objective with its history, as the service answers them."""
    retried: int = 0
    """Failed runs that this call of solve has run again."""

    probability: float | None = None
    """With `confidence`: the probability that the best input is known to meet the goals with. It is to reach `confidence`."""
    advice: tuple[Advice, ...] = ()
    """Findings that you can act on: how the problem was understood, and what the runs show."""
    fit: FitResult | None = None
    """With outputs that are fitted: how well the best run fits, and what the data tell about the inputs."""
    answer: m.SearchAnswer | None = None
    """The same answer as the service sends it: of which kind it is, and of how many `runs` its output is the mean."""

    @property
    def satisfied(self) -> bool:
        return self.status == "satisfied"

    def __repr__(self) -> str:
        near = "" if self.best is None else f"; {self._nearness()}"
        return f"<Result of {self.name}: {self.status} after {len(self.history)} runs{near}>"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.reason or self.status} ({len(self.history)} runs)"]
        if self.best is not None and self.best.output is not None:
            lines += [f"  {name} = {short(value)}" for name, value in self.best.input.items()]
            goals = self._goals()
            for name, value in self.best.output.items():
                off = self.best.off_by.get(name, 0)
                lines.append(f"  -> {name} = {short(value)}{f'  (misses {goals[name]} by {short(off)})' if off > 0 else ''}")
        if self.diagnosis:
            lines.append(f"  {self.diagnosis}")
        if self.fit is not None:
            lines += [f"  {each}" for each in (*self.fit.sentences, *self.fit.warnings)]
        lines += [f"  {each.sentence}" for each in self.advice]
        return "\n".join(lines)

    def _nearness(self) -> str:
        """Says how near the best run came."""
        assert self.best is not None  # noqa: S101 - asked before
        off = describe_off(self.best.off_by)
        met = "meets every goal" if self.fit is None else "fits best"
        runs = self._mean_of
        name = self.best.name if runs is None else f"the input of {self.best.name}, after {runs} {'run' if runs == 1 else 'runs'} there,"
        return f"{name} misses {off}" if off else f"{name} {met}"

    @property
    def _mean_of(self) -> int | None:
        """Number of runs whose mean the output of `best` is, if runs at an input are judged together."""
        return self.answer.runs if self.answer is not None and self.answer.kind in ("declared", "likeliest") else None

    def _goals(self) -> dict[str, str]:
        """The target of each output, in words."""
        if self.objective is None or self.best is None or self.best.output is None:
            return {}
        exact = self.objective.l1_threshold is not None
        wanted = zip(self._flat_names(), self.objective.objectives, self.objective.intervals, strict=True)
        return {name: short(target) if exact else _describe_interval(interval) for name, target, interval in wanted}

    def _flat_names(self) -> list[str]:
        """One per number of the best run's output."""
        output = (self.best.output if self.best is not None else None) or {}
        return [name for name, value in output.items() for _ in (value if isinstance(value, tuple) else (value,))]

    def plot(self) -> Figure:
        """Every output run by run, with the values that meet its goal; of one that is fitted data, curve and band. Needs matplotlib."""
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional

        names = list(self.best.output or {}) if self.best is not None else []
        figure = Figure(figsize=(8, 1 + 2.2 * max(1, len(names))), layout="constrained")
        intervals = dict(zip(self._flat_names(), self.objective.intervals, strict=True)) if self.objective is not None else {}
        grid = figure.subplots(max(1, len(names)), 1, sharex=True, squeeze=False)
        for row, name in enumerate(names):
            axes = grid[row][0]
            if self.fit is not None and name in self.fit.data:
                self.fit.plot(name, axes)
                continue
            points = [(n, run.output[name], run) for n, run in enumerate(self.history, 1) if run.output is not None]
            for kind, color in (("designed", "tab:gray"), ("suggested", "tab:blue")):
                those = [(n, value) for n, value, run in points if run.kind == kind]
                axes.plot([n for n, _ in those], [value for _, value in those], "o", color=color, label=kind, markersize=4)
            bottom, top = axes.get_ylim()
            if name in intervals:
                lower, upper = intervals[name].lower, intervals[name].upper
                axes.axhspan(bottom if lower is None else lower, top if upper is None else upper, color="tab:green", alpha=0.2)
            best = [(n, value) for n, value, run in points if self.best is not None and run.id == self.best.id]
            axes.plot([n for n, _ in best], [value for _, value in best], "*", color="tab:red", label="best", markersize=12)
            axes.set_ylabel(name)
        grid[-1][0].set_xlabel("run")
        if names:
            grid[0][0].legend(loc="best")
        return figure


def _describe_interval(interval: m.HistoryIntervals) -> str:
    lower, upper = interval.lower, interval.upper
    if lower is not None and upper is not None:
        return f"{short(lower)} to {short(upper)}"
    if upper is not None:
        return f"{'<' if interval.upper_open else '<='} {short(upper)}"
    return "" if lower is None else f"{'>' if interval.lower_open else '>='} {short(lower)}"
