"""Answers and files that are not what they should be: no black box runs on them, and the end is a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backsolve import (
    Answer,
    Backsolve,
    IncompatibleServiceError,
    JournalError,
    Project,
    boolean,
    choice,
    integer,
    log,
    pages,
    real,
    solve,
    within,
)
from backsolve._local import _find
from backsolve.problem import Space, make_problem

from .faults import FaultyServer
from .service_process import Service

INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}
Change = Callable[[dict[str, Any]], None]


def changing_claims(change: Change) -> Callable[[str, str], str]:
    def changed(path: str, text: str) -> str:
        if not path.startswith("/v1/evaluations/claim") or '"evaluations":[]' in text:
            return text
        body = json.loads(text)
        change(body)
        return json.dumps(body)

    return changed


def with_fields(**fields: Any) -> Change:
    return lambda body: body["evaluations"][0].update(fields)


CLAIMS: dict[str, tuple[Change, str]] = {
    "a number too few": (with_fields(input=[1]), "has an input of 1 numbers instead of 2: a, b"),
    "out of bounds": (with_fields(input=[1, 1e6]), "has b = 1000000.0, which the input b does not allow"),
    "NaN": (with_fields(input=[1, float("nan")]), "has b = nan, which the input b does not allow"),
    "no number": (with_fields(input=[1, None]), "Input should be a valid number"),
    "text as id": (with_fields(id="7"), "Input should be a valid integer at evaluations.0.id"),
    "a truth as id": (with_fields(id=True), "Input should be a valid integer at evaluations.0.id"),
    "half an id": (with_fields(id=1.5), "Input should be a valid integer at evaluations.0.id"),
    "no try": (with_fields(**{"try": 0}), "has no number, no try or no lease"),
    "no lease": (with_fields(leaseToken=""), "has no number, no try or no lease"),
    "another batch": (with_fields(batchId=10**6), "belongs to the batch 1000000 instead of"),
    "other outputs": (with_fields(outputNames=["v", "u"]), "is for the outputs v, u instead of u, v"),
    "twice the same": (lambda body: body["evaluations"].append(body["evaluations"][0]), "it hands out"),
}


@pytest.mark.parametrize(("change", "said"), CLAIMS.values(), ids=CLAIMS.keys())
def test_no_black_box_runs_on_a_malformed_claim(service: Service, change: Change, said: str) -> None:
    calls: list[float] = []

    def black_box(a: float, b: float) -> list[float]:
        calls.append(a)
        return [a * b, a + 3 * b]

    with FaultyServer(service.url, [], changing_claims(change)) as server:
        with pytest.raises(IncompatibleServiceError, match=re.escape(said)):
            solve(black_box, INPUTS, GOALS, url=server.url, api_key=service.key, progress=False)
        with Backsolve(server.url, service.key) as client, pytest.raises(IncompatibleServiceError, match=re.escape(said)):
            Project.create(client, INPUTS, GOALS, cases=3).ask()
    assert calls == []


def test_a_history_that_does_not_fit_the_problem_ends_in_a_sentence(service: Service) -> None:
    def change(path: str, text: str) -> str:
        if "/history" not in path or "after=" in path:
            return text
        body = json.loads(text)
        body["outputs"] = [None if output is None else output[:1] for output in body["outputs"]]
        return json.dumps(body)

    with FaultyServer(service.url, [], change) as server:
        with pytest.raises(IncompatibleServiceError, match=r"The answers of the service about batch \d+ do not fit the problem"):
            solve(lambda a, b: [a * b, a + 3 * b], INPUTS, GOALS, url=server.url, api_key=service.key, progress=False)


def test_violations_of_any_form_are_read(service: Service) -> None:
    def change(path: str, text: str) -> str:
        return text if not path.startswith("/v1/models/") else json.dumps({**json.loads(text), "errors": ["x", 5]})

    with FaultyServer(service.url, [], change) as server, Backsolve(server.url, service.key) as client:
        with pytest.raises(Exception, match="There is no model"):
            client.get_model(10**9)


@pytest.mark.parametrize("link", ["</v1/x?after=5>", "</v1/x?after=-3>", "</v1/x?after=many>", "</v1/x>"])
def test_pages_that_do_not_go_on_come_to_an_end(link: str) -> None:
    def method(**_asked: Any) -> Answer[list[int]]:
        return Answer(200, [1], {"link": f'{link}; rel="next"'})

    with pytest.raises(IncompatibleServiceError, match="The pages of a list do not advance"):
        list(pages(method))


NUMBERS = [
    (real(0, 1), [0.0, 0.3, 1.0], [1.1, -0.1, float("inf")]),
    (log(1e-5, 1), [1e-5], [1e-6, 0.0]),
    (integer(2, 9), [2, 9.0], [2.5, 10]),
    (choice("steel", "brass"), [1, 2], [0, 1.5, 3]),
    (boolean(), [0, 1], [0.5, 2]),
]


@pytest.mark.parametrize(("given", "good", "bad"), NUMBERS)
def test_only_numbers_of_an_input_are_taken(given: Any, good: list[float], bad: list[float]) -> None:
    space = Space({"x": given}, ("y",))
    assert [space.fault_of([number]) for number in good] == [None] * len(good)
    assert all(space.fault_of([number]) for number in bad)


def test_a_file_of_a_local_service_that_is_none_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "service.key").write_text("bks_x")
    for content in ("[]", "5", '{"url": 5}', '{"url": null}', "{", '"x"'):
        (tmp_path / "service.json").write_text(content)
        assert _find(tmp_path) is None


def test_records_and_journals_without_their_fields_are_refused() -> None:
    solve(lambda a, b: [a * b, a + 3 * b], INPUTS, GOALS, name="files", progress=False)
    (journal,) = Path(".backsolve/python").glob("*/runs.jsonl")
    lines = journal.read_text()
    for line in ('{"kind": "finished"}', "[1]", '{"kind": "unknown"}', '{"kind": ["finished"]}'):
        journal.write_text(f"{lines}{line}\n")
        with pytest.raises(JournalError, match="is not a line of a journal"):
            solve(lambda a, b: [a * b, a + 3 * b], INPUTS, GOALS, name="files", progress=False)
    journal.write_text(lines)
    for record in ("{}", "[]", "5"):
        (journal.parent / "problem.json").write_text(record)
        with pytest.raises(JournalError, match="is damaged"):
            solve(lambda a, b: [a * b, a + 3 * b], INPUTS, GOALS, name="files", progress=False)


def test_options_of_a_wrong_type_are_named_in_one_line() -> None:
    problem = make_problem({"x": (0, 1)}, {"y": within(1, 0.1)}, stop={"patience": "many"})
    with pytest.raises(ValueError, match=r"^stop: patience must be a whole number, is 'many'\.$"):
        problem.objective_body()
