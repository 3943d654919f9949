"""Describes what a fit found: how well the best run fits, and what the data tell about the inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ._generated import models as m
from .fitting import Fit
from .problem import Space

if TYPE_CHECKING:
    from matplotlib.axes import Axes


End: TypeAlias = Literal["found", "bound", "not-known"]


@dataclass(frozen=True)
class Parameter:
    """Conclusions about one input from the data."""

    estimate: float
    """That of the best run."""
    standard_error: float | None
    """None where it exceeds the range between the bounds or an end is not known, and for inputs that are held."""
    low: float | None
    """The ends of the profile-likelihood interval; None where one is at the bound or not known."""
    high: float | None
    kind: Literal["identifiable", "practically-not", "structurally-not", "held"]
    profile: tuple[tuple[float, float], ...]
    """Values, and the increase of chi-square with the others adapted."""
    low_end: End | None = None
    """Knowledge about the ends of its interval; None for inputs that are held."""
    high_end: End | None = None


@dataclass(frozen=True)
class Band:
    """A predicted curve or number with its interval, by what the data leave open about the inputs."""

    predicted: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    is_known: tuple[bool, ...] = ()
    """Whether the interval of each number may be relied on: not where it rests on inputs whose intervals are not known."""


@dataclass(frozen=True)
class BetterFit:
    """Point where the models expect a noticeably better fit than that of the best run. Until it is run, no interval is known."""

    at: Mapping[str, float]
    decrease: float
    """Expected decrease of chi-square, and how far the models may be off."""
    spread: float


@dataclass(frozen=True)
class FitResult:
    """Quality of the best run's fit."""

    chi_square: float | None
    """None where a standard error is unknown."""
    freedom: int
    """Degrees of freedom."""
    reduced_chi_square: float | None
    probability: float | None
    """Probability of a chi-square at least as large if model and standard errors are right."""
    scales: Mapping[str, float | None]
    """The standard deviation of the residuals of each output: the estimated standard error where none was stated."""
    warnings: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    """By input; empty until a run meets all other goals."""
    correlations: Mapping[str, Mapping[str, float | None]]
    bands: Mapping[str, Band]
    """By output, those that are not fitted included."""
    slopes: Mapping[str, tuple[tuple[float, ...], ...]]
    """By output: the derivative of each of its numbers by each input, by the models."""
    verify: tuple[Mapping[str, float], ...]
    """Inputs of runs at the ends of the intervals, or the one of the better fit; the first tells most."""
    sentences: tuple[str, ...]
    data: Mapping[str, Fit]
    """The data by output."""
    better: BetterFit | None = None
    """None where the models expect none."""

    def plot(self, name: str, axes: Axes) -> None:
        """Data with their errors, the best curve and its band. Needs matplotlib."""
        data = self.data[name]
        x = data.x if data.x is not None else data.positions
        errors = _errors_of(data, self.scales.get(name))
        axes.errorbar(x, data.values, yerr=errors, fmt="o", color="tab:gray", markersize=3, label="data")
        band = self.bands.get(name)
        if band is not None:
            axes.plot(x, band.predicted, color="tab:red", label="best fit")
            axes.fill_between(x, band.low, band.high, where=list(band.is_known), color="tab:red", alpha=0.2, label="band")
        axes.set_xlabel(data.columns[0])
        axes.set_ylabel(name)

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *self.warnings])


def fit_result(quality: m.FitQuality, told: m.FitParametersFit | None, space: Space) -> FitResult:
    """From the answers of the service."""
    names = list(space.inputs)
    return FitResult(
        chi_square=quality.chi_square,
        freedom=quality.freedom,
        reduced_chi_square=quality.reduced_chi_square,
        probability=quality.probability,
        scales={each.name or "": each.scale for each in quality.sets},
        warnings=tuple(quality.warnings),
        parameters={} if told is None else {names[each.input]: _parameter(each) for each in told.parameters},
        correlations={} if told is None else _correlations(told, names),
        bands={} if told is None else _bands(told, space),
        slopes={} if told is None else _slopes(told, space),
        verify=() if told is None else tuple(dict(zip(names, each.at, strict=True)) for each in told.verify),
        sentences=() if told is None else tuple(told.sentences),
        data=space.fits,
        better=None if told is None or told.better is None else _better(told.better, names),
    )


def _errors_of(data: Fit, scale: float | None) -> list[float] | None:
    """Standard error of each value, for error bars."""
    sigma = data.sigma if data.sigma is not None else scale
    if sigma is None:
        return None
    if isinstance(sigma, Mapping):
        return [sigma["relative"] * abs(value) for value in data.values]
    return list(sigma) if isinstance(sigma, tuple) else [sigma] * len(data.values)


def _parameter(each: m.FitParametersFitParameters) -> Parameter:
    profile = tuple((point.value, point.increase) for point in each.profile)
    return Parameter(
        each.estimate, each.standard_error, each.low, each.high, each.kind, profile, low_end=each.low_end, high_end=each.high_end
    )


def _better(told: m.FitParametersFitBetter, names: list[str]) -> BetterFit:
    return BetterFit(dict(zip(names, told.at, strict=True)), told.decrease, told.spread)


def _correlations(told: m.FitParametersFit, names: list[str]) -> dict[str, dict[str, float | None]]:
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, told.correlations, strict=True)}


def _slopes(told: m.FitParametersFit, space: Space) -> dict[str, tuple[tuple[float, ...], ...]]:
    rows = space.output_of([float(k) for k in range(len(told.outputs))])
    return {
        name: tuple(tuple(told.outputs[int(k)].slopes) for k in (numbers if isinstance(numbers, tuple) else (numbers,)))
        for name, numbers in rows.items()
    }


def _bands(told: m.FitParametersFit, space: Space) -> dict[str, Band]:
    """The points of an output together."""

    def by_name(values: list[float]) -> dict[str, tuple[float, ...]]:
        return {name: value if isinstance(value, tuple) else (value,) for name, value in space.output_of(values).items()}

    predicted, low, high = (by_name([getattr(each, key) for each in told.outputs]) for key in ("predicted", "low", "high"))
    # By numbers, as outputs are laid out by name.
    known = by_name([float(each.is_known) for each in told.outputs])
    return {name: Band(values, low[name], high[name], tuple(map(bool, known[name]))) for name, values in predicted.items()}
