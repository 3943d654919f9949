"""Tests what generators of frameworks share: a session that asks and tells, without any framework."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from backsolve import BusyError, ChangedProblemError, OutputError, choice, minimize, solve, within
from backsolve.adapters import Asked, Session
from backsolve.problem import Failed

INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}


def u_and_v(a: float, b: float) -> dict[str, float]:
    return {"u": a * b, "v": a + 3 * b}


def outputs_of(asked: Asked) -> dict[str, float]:
    return u_and_v(float(asked.input["a"]), float(asked.input["b"]))


def test_a_session_takes_as_many_runs_as_solve() -> None:
    alone = solve(u_and_v, INPUTS, GOALS, cases=5, name="alone", progress=False)
    with Session(INPUTS, GOALS, name="asked", cases=5) as session:
        found = session.work(lambda inputs: [u_and_v(**each) for each in inputs], 1, None)  # type: ignore[arg-type]
    session.close()
    assert found.satisfied
    assert [run.input for run in found.history] == [run.input for run in alone.history]


def test_threads_share_a_session() -> None:
    session = Session(INPUTS, GOALS, name="threads", cases=4)
    told: list[Asked] = []

    def work() -> None:
        while asked := session.ask():
            told.append(asked[0])
            session.tell(asked[0], outputs_of(asked[0]))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert session.result().satisfied
    assert len({each.id for each in told}) == len(told) == session.run_count
    session.close()


def test_a_batch_is_cut_where_the_designed_runs_are_not_back() -> None:
    with_three = Session(INPUTS, GOALS, name="batch", cases=3, options={"holdBack": False})
    asked = with_three.ask(8, wait=False)
    assert len(asked) == 3
    assert with_three.ask(1, wait=False) == []
    for each in reversed(asked):
        with_three.tell(each, outputs_of(each))
    assert len(with_three.ask(2, wait=False)) == 2
    with_three.close()


def test_runs_of_others_are_learned_once_and_not_made_again() -> None:
    session = Session(INPUTS, GOALS, name="own runs", cases=3)
    (first,) = session.ask()
    session.release(first)
    given: list[Any] = [(first.input, outputs_of(first)), ({"a": 4, "b": 2}, u_and_v(4, 2)), ({"a": 9, "b": 9}, Failed("too far"))]
    assert session.add(given) == 3
    assert session.add(given) == 0
    assert session.is_known({"a": 4.0, "b": 2.0})
    session.close()
    session = Session(INPUTS, GOALS, name="own runs", cases=3)
    asked = session.ask(2, wait=False)
    assert first.input not in [each.input for each in asked]
    for each in asked:
        session.tell(each, outputs_of(each))
    session.ask()
    history = session.result().history
    assert [dict(run.input) for run in history].count({"a": 4.0, "b": 2.0}) == 1
    assert [run.failure for run in history if run.input == {"a": 9.0, "b": 9.0}] == ["failed"]
    session.close()


def test_an_input_is_told_once_and_a_nan_is_a_failed_run() -> None:
    session = Session(INPUTS, GOALS, name="told", cases=3)
    first, second = session.ask(2)
    told = session.tell(first, {"u": float("nan"), "v": 1})
    assert told is not None
    assert told.state == "failed"
    assert session.tell(first, outputs_of(first)) is None
    with pytest.raises(OutputError):
        session.tell(second, {"u": 1})
    session.tell(second, outputs_of(second))
    with pytest.raises(ValueError, match="has no b"):
        session.add([({"a": 1}, u_and_v(1, 1))])
    session.close()


def test_what_a_run_raises_ends_the_work_and_is_no_outcome() -> None:
    session = Session(INPUTS, GOALS, name="raises", cases=3)

    def fail(_inputs: list[Any]) -> list[Any]:
        raise KeyError("a mistake")

    with pytest.raises(KeyError):
        session.work(fail, 2, None)
    assert session.result().history._runs == ()
    assert len(session.work(lambda inputs: [u_and_v(**each) for each in inputs], 2, 4).history) == 4  # type: ignore[arg-type]
    session.close()


def test_one_process_has_a_folder_and_another_problem_needs_another_name() -> None:
    session = Session(INPUTS, GOALS, name="once")
    with pytest.raises(BusyError):
        Session(INPUTS, GOALS, name="once")
    session.close()
    with pytest.raises(ChangedProblemError, match="other goals"):
        Session(INPUTS, {**GOALS, "v": minimize(3)}, name="once")
    with pytest.raises(ChangedProblemError, match="other inputs"):
        Session({**INPUTS, "c": choice("x", "y")}, GOALS, name="once")
    Session({**INPUTS, "c": choice("x", "y")}, GOALS, name="once", fresh=True).close()


def test_a_session_that_the_service_does_not_have_says_so() -> None:
    kept: dict[str, Any] = {}

    class Kept:
        def read(self) -> dict[str, Any] | None:
            return kept.get("record")

        def write(self, record: dict[str, Any]) -> None:
            kept["record"] = record

    first = Session(INPUTS, GOALS, name="elsewhere", record=Kept())
    second = Session(INPUTS, GOALS, name="elsewhere", record=Kept())
    with pytest.raises(ValueError, match="give another name"):
        Session(INPUTS, GOALS, name="elsewhere", record=Kept(), fresh=True)
    assert second.place == first.place
    first.close()
    second.close()
    for place in ([first.place.model_id, *kept["record"]["place"][1:]], [10**9, 1, 1]):
        kept["record"] = {**kept["record"], "id": "another", "place": place}
        with pytest.raises(ChangedProblemError, match="does not have elsewhere"):
            Session(INPUTS, GOALS, name="elsewhere", record=Kept())
