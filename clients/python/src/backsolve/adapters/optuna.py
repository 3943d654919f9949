"""A sampler for studies of Optuna: `optuna.create_study(sampler=BacksolveSampler())`. Needs optuna."""

from __future__ import annotations

import contextlib
import hashlib
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
    json_to_distribution,
)
from optuna.logging import get_logger
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from backsolve._blackbox import failure_of
from backsolve._errors import BacksolveError
from backsolve.goals import at_most, maximize, minimize
from backsolve.inputs import Input, choice, integer, levels, real
from backsolve.problem import AnyGoal, Failed

from ._labels import labels_of
from ._session import Asked, Session

PLACE = "backsolve"
"""The attribute of a study that says which search it is."""
SPACE = "backsolve:space"
"""Its parameters, as they were when it began."""
LEASE = "backsolve:lease"
"""The attribute of a trial that has an input of the search."""
LOG = get_logger("optuna.backsolve")
MOST_LEVELS = 1000
"""Limit of an input that takes only certain values."""


class BacksolveSampler(BaseSampler):
    """
    Suggests the inputs of the trials. Parameters and constraints are those of the first finished trial, which is sampled at random, unless
    `search_space` (as in optuna.samplers.GridSampler, with distributions) and `goals` say them before.

    `goals` are one goal per value of the study, in its order, and further ones by the names of user attributes or constraints that the
    trial sets: {"mass": minimize(), "sag": within(20, 0.5)}. By default values follow the directions of the study, and constraints, as of
    `trial.set_constraint` or `constraints_func`, must be at most 0. Further arguments are those of backsolve.adapters.Session.
    """

    def __init__(
        self,
        search_space: Mapping[str, BaseDistribution] | None = None,
        *,
        goals: Mapping[str, AnyGoal] | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        independent_sampler: BaseSampler | None = None,
        **session: Any,
    ) -> None:
        self._space = None if search_space is None else dict(search_space)
        self._goals = goals
        self._constraints_func = constraints_func
        self._independent = independent_sampler or RandomSampler()
        self._options = {"stop": False, **session}
        self._intersection = IntersectionSearchSpace()
        self._session: Session | None = None
        self._study: tuple[str, int] | None = None
        self._asked: dict[int, Asked] = {}
        self._opening = threading.Lock()
        self._has_warned = False
        self._has_told = False

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("A BacksolveSampler cannot be copied to another process: make one there, with the same storage and study_name.")

    @property
    def session(self) -> Session | None:
        """The search; None before the first trial has finished."""
        return self._session

    def reseed_rng(self) -> None:
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        with self._opening:
            if self._session is None:
                self._open(study)
            elif self._study != _identity(study):
                raise ValueError(
                    f"This BacksolveSampler belongs to the study {self._session.name}: make another one for {study.study_name}."
                )
        return {} if self._session is None or trial.system_attrs.get("fixed_params") else dict(self._space or {})

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        if self._session is None or not search_space:
            return {}
        # In study.optimize other threads tell what the next input waits for; a program that asks for several trials has nobody else.
        is_loop = study._thread_local.in_optimize_loop
        asked = self._session.ask(wait=is_loop)
        if not asked:
            if not self._session.is_open:
                self._stop(study)
            return {}
        self._asked[trial._trial_id] = asked[0]
        study._storage.set_trial_system_attr(trial._trial_id, LEASE, asked[0].lease_token)
        return {name: _to_value(each, asked[0].input[name]) for name, each in search_space.items()}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        is_alone = self._session is not None and not trial.system_attrs.get("fixed_params") and trial._trial_id in self._asked
        if is_alone and not param_distribution.single() and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"{param_name} is sampled at random and unknown to the search, because not every trial has it in the same range. Give "
                "BacksolveSampler a search_space, or keep the parameters of a study the same.",
                stacklevel=2,
            )
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        if self._constraints_func is not None and state == TrialState.COMPLETE:
            constraints = tuple(float(value) for value in self._constraints_func(trial))
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", constraints)
            trial.system_attrs["constraints"] = constraints
        asked = self._asked.pop(trial._trial_id, None)
        if self._session is None:
            return
        # The attributes of the trial that Optuna hands over may be older than those in its storage.
        attributes = study._storage.get_trial(trial._trial_id)
        space = self._space or {}
        try:
            outcome = None if isinstance(_error_in_trial(), KeyboardInterrupt) else self._outcome(attributes, state, values)
        except ValueError:
            self._let_go(asked)
            raise
        if outcome is not None and asked is not None and _is_same(asked, trial, space):
            told = self._session.tell(asked, outcome)
            if told is not None and told.is_last:
                self._stop(study)
            return
        self._let_go(asked)
        if outcome is not None and set(space) <= set(trial.params):
            self._session.add([(_input_of(trial, space), outcome)])

    def _stop(self, study: Study) -> None:
        """The search is over, and says why. Outside of study.optimize its caller decides."""
        with contextlib.suppress(RuntimeError):
            study.stop()
        if self._has_told:
            return
        self._has_told = True
        assert self._session is not None  # noqa: S101 - asked before
        with contextlib.suppress(BacksolveError):
            result = self._session.result()
            sentences = [(result.reason or result.status).rstrip("."), *([result.diagnosis.rstrip(".")] if result.diagnosis else [])]
            LOG.warning("The search of %s is over: %s.", study.study_name, ". ".join(sentences))

    def _let_go(self, asked: Asked | None) -> None:
        if asked is not None and self._session is not None:
            self._session.release(asked)

    def _outcome(self, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> dict[str, float] | Failed:
        """As the search takes it. Raises ValueError where the trial does not say all that the goals need."""
        if state != TrialState.COMPLETE or values is None:
            error = _error_in_trial()
            return failure_of(error) if error is not None else Failed(state.name.lower())
        assert self._session is not None  # noqa: S101 - asked before
        names = self._session.space.outputs
        said = {**trial.user_attrs, **trial.constraints}
        missing = [name for name in names[len(values) :] if name not in said]
        unknown = [name for name in trial.constraints if name not in names]
        if missing or unknown:
            raise ValueError(
                f"Trial {trial.number} has no {' and no '.join(missing)}: set it with trial.set_user_attr or trial.set_constraint."
                if missing
                else f"Trial {trial.number} has the constraint {unknown[0]}, unknown to the search: every trial needs the same."
            )
        return {**dict(zip(names, values, strict=False)), **{name: said[name] for name in names[len(values) :]}}

    def _open(self, study: Study) -> None:
        """Once parameters and goals are known."""
        trials = study.get_trials(deepcopy=False)
        finished = [trial for trial in trials if trial.state == TrialState.COMPLETE]
        kept: dict[str, str] = study._storage.get_study_system_attrs(study._study_id).get(SPACE, {})
        space = self._space or {name: json_to_distribution(each) for name, each in kept.items()}
        if not finished and (not space or (self._constraints_func is not None and self._goals is None)):
            return
        space = {name: each for name, each in (space or self._intersection.calculate(study)).items() if not each.single()}
        if not space:
            raise ValueError("No parameter is in every trial with the same range: give BacksolveSampler a search_space.")
        if not kept:
            study._storage.set_study_system_attr(study._study_id, SPACE, {name: distribution_to_json(each) for name, each in space.items()})
        self._space, self._study = space, _identity(study)
        self._session = Session(
            {name: _to_input(each) for name, each in space.items()},
            self._goals or _goals_of(study, finished),
            name=study.study_name,
            record=_StudyRecord(study),
            identity=hashlib.sha256(f"{study.study_name} {trials[0].datetime_start}".encode()).hexdigest()[:32],
            **self._options,
        )
        _mend(study, self._session)
        own = [trial for trial in finished if LEASE not in trial.system_attrs and set(space) <= set(trial.params)]
        self._session.add([(_input_of(trial, space), self._outcome(trial, trial.state, trial.values)) for trial in own])


class _StudyRecord:
    """In the storage of the study. Runs that were not asked for are in its trials."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def read(self) -> dict[str, Any] | None:
        record: dict[str, Any] | None = self._study._storage.get_study_system_attrs(self._study._study_id).get(PLACE)
        return record

    def write(self, record: dict[str, Any]) -> None:
        self._study._storage.set_study_system_attr(self._study._study_id, PLACE, {**record, "own": []})


def _mend(study: Study, session: Session) -> None:
    """Ends trials of a process that was killed. What it had told is in the journal; the input of any other one is asked for again."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        lease = trial.system_attrs.get(LEASE)
        if lease in session.ended:
            outcome = session.ended[lease]
            values = outcome[: len(study.directions)] if isinstance(outcome, list) else None
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL if values is None else TrialState.COMPLETE, values)


def _goals_of(study: Study, finished: Sequence[FrozenTrial]) -> dict[str, AnyGoal]:
    """The directions of the study, and its constraints so far."""
    names = ["value"] if len(study.directions) == 1 else [f"value {i}" for i in range(len(study.directions))]
    aims = [maximize() if each == StudyDirection.MAXIMIZE else minimize() for each in study.directions]
    limits = finished[0].constraints if finished else {}
    return {**dict(zip(names, aims, strict=True)), **{name: at_most(0) for name in limits}}


def _identity(study: Study) -> tuple[str, int]:
    return study.study_name, study._study_id


def _to_input(distribution: BaseDistribution) -> Input:
    if isinstance(distribution, CategoricalDistribution):
        return choice(*labels_of(distribution.choices))
    if isinstance(distribution, IntDistribution) and distribution.step > 1:
        values = range(distribution.low, distribution.high + 1, distribution.step)
        if len(values) <= MOST_LEVELS:
            return levels(*values, scale="linear")
        return real(distribution.low, distribution.high, step=distribution.step, scale="linear")
    if isinstance(distribution, IntDistribution):
        return integer(distribution.low, distribution.high, scale="log" if distribution.log else "linear")
    if isinstance(distribution, FloatDistribution):
        return real(distribution.low, distribution.high, step=distribution.step, scale="log" if distribution.log else "linear")
    raise ValueError(f"{type(distribution).__name__} is not supported.")


def _to_value(distribution: BaseDistribution, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[labels_of(distribution.choices).index(value)]
    if not isinstance(distribution, IntDistribution):
        return value
    # A step may leave a number a little below a whole one.
    return distribution.low + round((value - distribution.low) / distribution.step) * distribution.step


def _input_of(trial: FrozenTrial, space: Mapping[str, BaseDistribution]) -> dict[str, Any]:
    """As the search takes it."""
    found = {}
    for name, each in space.items():
        value = trial.params[name]
        # Not choices.index, as NaN is none of them after a storage.
        found[name] = labels_of(each.choices)[int(each.to_internal_repr(value))] if isinstance(each, CategoricalDistribution) else value
    return found


def _is_same(asked: Asked, trial: FrozenTrial, space: Mapping[str, BaseDistribution]) -> bool:
    """Whether the trial has the parameters of the input, as far as it has them."""
    own = {name: each for name, each in space.items() if name in trial.params}
    return all(
        each.to_internal_repr(trial.params[name]) == each.to_internal_repr(_to_value(each, asked.input[name])) for name, each in own.items()
    )


def _error_in_trial() -> BaseException | None:
    """The error that the objective raised. Optuna does not tell its samplers, and Ctrl-C says nothing about an input."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_name != "_run_trial":
        frame = frame.f_back
    error: BaseException | None = frame.f_locals.get("func_err") if frame is not None else None
    return error
