"""The generator of gest-api, in this process: what libEnsemble and others do with it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from gest_api.vocs import VOCS, ContextualVariable, ContinuousVariable

from backsolve import minimize, within
from backsolve.adapters.libensemble import BacksolveGenerator

SPACE: dict[str, Any] = {"variables": {"a": [0, 10], "b": [0, 10]}, "objectives": {"c": "MINIMIZE"}}


def vocs(**changes: Any) -> VOCS:
    return VOCS(**{**SPACE, "constraints": {"u": ["BOUNDS", 11, 13]}, **changes})


def run(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "u": point["a"] * point["b"], "c": point["a"] + 2 * point["b"]}


def test_results_may_come_in_any_order_and_a_later_generator_goes_on() -> None:
    generator = BacksolveGenerator(vocs(constants={"k": 7}), name="order", cases=4)
    points = generator.suggest(3)
    assert [set(point) for point in points] == [{"a", "b", "k", "_id"}] * 3
    generator.ingest([run(point) for point in reversed(points)])
    generator.ingest([run(points[0])])
    generator.finalize()
    generator.finalize()
    again = BacksolveGenerator(vocs(constants={"k": 7}), name="order", cases=4)
    again.ingest([run(points[0])])
    seen = [*points, *again.suggest()]
    assert len({(point["a"], point["b"]) for point in seen}) == 4
    assert again.session.run_count == 3
    again.finalize()


def test_points_beyond_the_designed_ones_are_random_and_become_data() -> None:
    generator = BacksolveGenerator(vocs(), name="filled", cases=3)
    points = generator.suggest(5)
    assert [point["_id"] < 0 for point in points] == [False, False, False, True, True]
    generator.ingest([run(point) for point in points])
    generator.ingest([run({"a": 1, "b": 9}), run({"a": 1, "b": 9})])
    assert generator.session.run_count == 6
    generator.finalize()


def test_a_nan_is_a_failed_run_and_what_is_wrong_is_refused() -> None:
    generator = BacksolveGenerator(vocs(), name="wrong", cases=3)
    (point,) = generator.suggest()
    generator.ingest([{**run(point), "c": float("nan")}])
    generator.session.ask()
    with pytest.raises(ValueError, match="_id 4711 is none of this generator"):
        generator.ingest([{**run({"a": 1, "b": 2}), "_id": 4711}])
    with pytest.raises(ValueError, match="has no u"):
        generator.ingest([{"a": 1, "b": 2, "c": 3}])
    generator.finalize()


def test_suggest_refuses_once_the_goals_are_met() -> None:
    generator = BacksolveGenerator(vocs(), name="met", cases=3, goals={"c": minimize(30)})
    while not generator.is_over:
        generator.ingest([run(point) for point in generator.suggest(1)])
    with pytest.raises(ValueError, match="The search is over"):
        generator.suggest(1)
    copied = copy.copy(generator)
    generator.finalize()
    assert copied.is_over
    copied.finalize()


def test_levels_names_and_observables() -> None:
    mixed = VOCS(
        variables={"n": {2, 4, 8}, "m": {"steel", "brass"}, "x": [0.0, 1.0]},
        objectives={"y": "MAXIMIZE"},
        constraints={"low": ["LESS_THAN", 5], "high": ["GREATER_THAN", 1]},
        observables=["z"],
    )
    generator = BacksolveGenerator(mixed, name="mixed", goals={"z": within(3, 0.5)}, cases=4)
    points = generator.suggest(6)
    assert all(point["n"] in (2, 4, 8) and point["m"] in ("steel", "brass") for point in points)
    generator.ingest([{**point, "y": point["x"], "low": 1, "high": 2, "z": point["n"]} for point in points])
    assert set(generator.session.space.outputs) == {"y", "z", "low", "high"}
    generator.finalize()


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"variables": {"a": ContextualVariable()}}, {}, "contextual"),
        ({"variables": {"a": ContinuousVariable(domain=[0, 1], dtype=(float, (3,)))}}, {}, "array"),
        ({"variables": {"a": {3}}}, {}, "nothing to choose from"),
        ({"objectives": {"c": "EXPLORE"}}, {}, "must be MINIMIZE or MAXIMIZE"),
        ({}, {"goals": {"d": minimize()}}, "neither an objective nor an observable"),
    ],
)
def test_what_cannot_be_searched_is_refused(changes: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BacksolveGenerator(vocs(**changes), **options)
