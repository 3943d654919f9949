"""solve, on the service: from a function to a result, through failures and interruptions."""

from __future__ import annotations

import asyncio
import json
import math
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backsolve import (
    Backsolve,
    BusyError,
    ChangedProblemError,
    JournalError,
    OutputError,
    Result,
    Run,
    TryAgain,
    UnreachableError,
    at_most,
    below,
    boolean,
    choice,
    exact,
    integer,
    log,
    maximize,
    minimize,
    problems,
    real,
    solve,
    solve_async,
    solving,
    within,
)
from backsolve._connecting import teller
from backsolve._journal import Folder
from backsolve._progress import make_progress

from .faults import PASS, RESET, FaultyServer
from .service_process import Service

INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}


def u_and_v(a: float, b: float) -> dict[str, float]:
    return {"u": a * b, "v": a + 3 * b}


def journal_of(folder: Path = Path(".backsolve")) -> Path:
    (journal,) = (folder / "python").glob("*/runs.jsonl")
    return journal


def test_solves(capsys: pytest.CaptureFixture[str]) -> None:
    threads = set()

    def black_box(a: float, b: float) -> dict[str, float]:
        threads.add(threading.current_thread())
        return u_and_v(a, b)

    result = solve(black_box, INPUTS, GOALS, budget=60)
    assert threads == {threading.main_thread()}
    assert result.satisfied
    assert result.best is not None
    assert result.best.output == pytest.approx(u_and_v(**result.best.input))  # type: ignore[arg-type]
    assert result.diagnosis is None
    assert result.reason is not None
    assert result.reason.startswith("Satisfied")
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("black_box: 1/60 case 1: a=")
    assert said[-1].endswith("(all goals met)")
    assert len(said) == len(result.history)
    frame = result.history.to_pandas()
    assert list(frame.columns) == ["a", "b", "u", "v", "kind", "number", "worst_miss", "failure"]
    assert len(frame) == len(result.history) == len(result.history[:])
    assert frame["worst_miss"].iloc[-1] == 0
    assert repr(result.history) == f"History({len(frame)} runs)"
    result.plot().savefig("result.png")
    assert Path("result.png").stat().st_size > 10_000


def test_all_kinds_of_inputs_and_failed_runs() -> None:
    calls = []

    def reactor(given: dict[str, object]) -> dict[str, float]:
        calls.append(given)
        if len(calls) == 2:
            raise ArithmeticError("no convergence")
        if len(calls) == 3:
            return {"T": math.nan, "cost": 1}
        if len(calls) == 4:
            sys.exit(3)
        k, n = float(str(given["k"])), int(str(given["n"]))
        factor = 1.0 if given["m"] == "steel" else 1.3
        return {"T": 300 + 40 * n * factor * (k / 1e-2) ** 0.2 + 5 * bool(given["on"]), "cost": 20 + 4 * n * factor}

    inputs = {"k": log(1e-5, 1e-1), "n": integer(1, 9), "m": choice("steel", "brass"), "on": boolean()}
    result = solve(reactor, inputs, {"T": within(380, 2), "cost": at_most(45)}, budget=60, parallel=2, cases=6, progress=False)
    assert result.satisfied
    failures = [run.failure for run in result.history if run.output is None]
    assert sorted(map(str, failures)) == ["ArithmeticError: no convergence", "SystemExit: 3", "T is nan"]
    assert len(result.history) == len(calls)
    assert {type(each["on"]) for each in calls} == {bool}
    assert {type(each["n"]) for each in calls} == {int}


def test_many_at_a_time() -> None:
    everybody = threading.Barrier(8, timeout=60)

    def black_box(a: float, b: float) -> list[float]:
        if not everybody.broken and everybody.n_waiting < 8 and len(seen) < 8:
            seen.append(a)
            everybody.wait()
        return [a * b, a + 3 * b]

    seen: list[float] = []
    assert solve(black_box, INPUTS, GOALS, parallel=8, cases=8, progress=False).satisfied
    assert len(seen) == 8


def test_executors_and_coroutines() -> None:
    async def awaited(a: float, b: float) -> tuple[float, float]:
        await asyncio.sleep(0)
        return a * b, a + 3 * b

    with ThreadPoolExecutor(2) as executor:
        assert solve(u_and_v, INPUTS, GOALS, parallel=2, executor=executor, progress=False).satisfied
    assert solve(awaited, INPUTS, GOALS, parallel=2, progress=False).satisfied
    assert asyncio.run(solve_async(awaited, INPUTS, GOALS, name="await", progress=False)).satisfied

    async def both() -> None:
        same = await asyncio.gather(
            solve_async(u_and_v, INPUTS, GOALS, name="one", progress=False),
            solve_async(u_and_v, INPUTS, GOALS, name="two", progress=False),
        )
        assert [result.satisfied for result in same] == [True, True]

    asyncio.run(both())


def test_a_bar_in_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    calls = []

    def once_wrong(a: float, b: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        calls.append(a)
        if len(calls) == 1:
            raise ValueError("cold start")
        return np.array([a * b, a + 3 * b])

    assert solve(once_wrong, INPUTS, GOALS, budget=50).satisfied
    shown = capsys.readouterr().err
    assert "case 1 failed: ValueError: cold start" in shown
    assert "once_wrong:" in shown
    assert "all goals met" in shown


def test_trying_again(capsys: pytest.CaptureFixture[str]) -> None:
    calls = []

    def licensed(x: float) -> float:
        calls.append(x)
        if len(calls) == 1:
            raise TryAgain("no licence")
        return x * x

    result = solve(licensed, {"x": (0, 3)}, {"y": within(2, 0.01)}, cases=2)
    assert result.satisfied
    assert calls.count(calls[0]) == 2
    assert "will be retried: TryAgain: no licence" in capsys.readouterr().err


@pytest.mark.parametrize(("options", "count"), [({}, 5), ({"budget": 8}, 4), ({"cases": 2}, 2)])
def test_the_designed_runs_fill_the_first_round_and_leave_half_of_the_budget(options: dict[str, Any], count: int) -> None:
    result = solve(u_and_v, INPUTS, GOALS, parallel=5, progress=False, **options)
    assert sum(run.kind == "designed" for run in result.history) == count


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """A process that was started in the background ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("parallel", [1, 3])
def test_goes_on_after_ctrl_c(parallel: int, capsys: pytest.CaptureFixture[str]) -> None:
    begun: list[list[float]] = []
    one_at_a_time = threading.Lock()

    def black_box(a: float, b: float) -> dict[str, float]:
        with one_at_a_time:
            begun.append([a, b])
            is_fifth = len(begun) == 5
        if is_fifth:
            if parallel == 1:
                raise KeyboardInterrupt
            # As a terminal does: the signal reaches the main thread while runs go on in others.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return u_and_v(a, b)

    with pytest.raises(KeyboardInterrupt):
        solve(black_box, INPUTS, GOALS, parallel=parallel, cases=6)
    assert "repeat the call to continue" in capsys.readouterr().err
    journaled = [line["input"] for line in map(json.loads, journal_of().read_text().splitlines()) if line["kind"] == "finished"]
    before = len(begun)
    result = solve(black_box, INPUTS, GOALS, parallel=parallel, cases=6)
    assert result.satisfied
    assert "continuing after" in capsys.readouterr().err
    assert [each for each in begun[before:] if each in journaled] == []
    finished = [line for line in map(json.loads, journal_of().read_text().splitlines()) if line["kind"] == "finished"]
    assert len(finished) >= len(result.history)
    count = len(begun)
    again = solve(black_box, INPUTS, GOALS, parallel=parallel, cases=6)
    assert "nothing is left to run" in capsys.readouterr().err
    assert len(begun) == count
    assert again.best == result.best


def test_reports_what_only_the_journal_knows(client: Backsolve) -> None:
    """As after a crash between the journal and the report: the lines of the report, and of the last claim's answer, are missing."""
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append((a, b))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return u_and_v(a, b)

    with pytest.raises(KeyboardInterrupt):
        solve(black_box, INPUTS, GOALS, cases=5, progress=False)
    lines = journal_of().read_text().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds[-3:] == ["claiming", "claimed", "settled"]
    # A claim whose answer was lost, a run that was cut short, and a line that was torn off.
    journal_of().write_text("".join(lines[: kinds.index("settled")] + lines[-3:-2]) + '{"kind": "finis')
    assert solve(black_box, INPUTS, GOALS, cases=5, progress=False).satisfied
    assert len(set(calls)) == len(calls) - 1


def test_a_damaged_journal_is_refused() -> None:
    solve(u_and_v, INPUTS, GOALS, progress=False)
    journal = journal_of()
    journal.write_text("no line\n" + journal.read_text())
    with pytest.raises(JournalError, match="is not a line of a journal"):
        solve(u_and_v, INPUTS, GOALS, progress=False)
    (journal.parent / "problem.json").write_text("{")
    journal.write_text("")
    with pytest.raises(JournalError, match="is damaged"):
        solve(u_and_v, INPUTS, GOALS, progress=False)
    assert solve(u_and_v, INPUTS, GOALS, progress=False, fresh=True).satisfied
    assert solve(u_and_v, INPUTS, GOALS, progress=False, fresh=True).satisfied
    assert len(list(journal.parent.glob("runs.jsonl*"))) == 3


def test_goals_and_budget_may_change() -> None:
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        return u_and_v(a, b)

    first = solve(black_box, INPUTS, GOALS, name="changing", budget=60, progress=False)
    count = len(calls)
    other = solve(black_box, INPUTS, {"u": within(20, percent=1), "v": within(20, percent=1)}, name="changing", budget=60, progress=False)
    assert other.satisfied
    assert other.project_id == first.project_id
    assert len(calls) == len(other.history) > count == len(first.history)
    with pytest.raises(ChangedProblemError, match="maximums"):
        solve(black_box, {"a": (0, 10), "b": (0, 9)}, GOALS, name="changing", progress=False)
    with pytest.raises(ValueError, match="A budget of 3 runs leaves no runs"):
        solve(black_box, INPUTS, GOALS, budget=3, cases=4, progress=False)


def test_a_mistyped_goal_costs_no_run_and_may_be_corrected() -> None:
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append((a, b))
        return u_and_v(a, b)

    mistyped = {"u": GOALS["u"], "w": GOALS["v"]}
    with pytest.raises(OutputError, match="The output has no w; it has u, v"):
        solve(black_box, INPUTS, mistyped, name="mistyped", progress=False)
    assert len(calls) == 1
    result = solve(black_box, INPUTS, GOALS, name="mistyped", progress=False)
    assert result.satisfied
    assert len(calls) == len(result.history)
    # Now there are outputs, which another name contradicts.
    with pytest.raises(ChangedProblemError, match="outputNames"):
        solve(black_box, INPUTS, mistyped, name="mistyped", progress=False)


def test_a_run_with_mistyped_outputs_is_made_again_once_the_black_box_is_corrected() -> None:
    shift = 1.0

    def black_box(a: float, b: float) -> dict[str, float]:
        return {"u": a * b, "w": a + 3 * b + shift}

    with pytest.raises(OutputError, match="it has u, w"):
        solve(black_box, INPUTS, GOALS, name="mistyped", progress=False)
    shift = 0.0
    result = solve(black_box, INPUTS, {"u": GOALS["u"], "w": GOALS["v"]}, name="mistyped", progress=False)
    for run in result.history:
        assert run.output is not None
        assert run.output["w"] == pytest.approx(float(run.input["a"]) + 3 * float(run.input["b"]))


def test_bounds_may_change_while_no_run_gave_an_output() -> None:
    def broken(a: float, b: float) -> dict[str, float]:
        raise RuntimeError("no licence")

    assert solve(broken, INPUTS, GOALS, name="bounds", budget=5, cases=2, progress=False).status == "failed"
    result = solve(u_and_v, {"a": (0, 10), "b": (0, 9)}, GOALS, name="bounds", progress=False)
    assert result.satisfied


def test_the_best_run_has_the_least_value_of_those_within_the_limits() -> None:
    def black_box(a: float, b: float) -> dict[str, float]:
        return {"cost": 1 + (a - 3) ** 2 + (b - 4) ** 2, "sum": a + b}

    result = solve(black_box, INPUTS, {"cost": minimize(), "sum": at_most(6)}, cases=4, budget=9, progress=False)
    within_limit = [run.output["cost"] for run in result.history if run.output is not None and run.output["sum"] <= 6]
    assert result.best is not None
    assert result.best.output is not None
    assert result.best.output["cost"] == min(within_limit) < 3.5


def test_a_budget_is_kept_and_raised() -> None:
    def hard(a: float, b: float) -> dict[str, float]:
        return {"u": math.sin(5 * a) * b, "v": a * a - b}

    goals = {"u": within(9.6, 0.01), "v": within(80, 0.01)}
    first = solve(hard, INPUTS, goals, budget=7, cases=4, parallel=2, progress=False)
    assert first.status == "exhausted"
    assert len(first.history) == 7
    assert first.best is not None
    more = solve(hard, INPUTS, goals, budget=9, cases=4, parallel=3, progress=False)
    assert len(more.history) == 9
    assert list(more.history[:7]) == list(first.history)
    assert more.best is not None
    assert more.best.worst_miss == min(run.worst_miss for run in more.history if run.worst_miss is not None)


def test_a_wide_range_is_logarithmic_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def kinetics(k: float, b: float) -> dict[str, float]:
        return {"u": math.log10(k) + b, "v": math.log10(k) - b}

    goals = {"u": within(0, 0.05), "v": within(-4, 0.05)}
    sentence = 'k varies by factors (log scale), because its range spans 6 powers of ten; state scale="linear" to refuse.'
    first = solve(kinetics, {"k": (1e-5, 10), "b": (0, 10)}, goals, progress=True)
    assert first.satisfied
    assert first.objective is not None
    assert first.objective.scales == ["log", None]
    assert [each.sentence for each in first.advice] == [sentence]
    assert sentence in str(first)
    assert f"kinetics: {sentence}" in capsys.readouterr().err
    again = solve(kinetics, {"k": (1e-5, 10), "b": (0, 10)}, goals, progress=False)
    assert again.advice == first.advice


def test_a_search_that_was_begun_with_a_linear_scale_keeps_it() -> None:
    inputs = {"a": (1e-3, 10), "b": (0, 10)}
    begun = solve(u_and_v, {**inputs, "a": real(1e-3, 10, scale="linear")}, GOALS, name="linear", progress=False)
    again = solve(u_and_v, inputs, GOALS, name="linear", progress=False)
    assert again.batch_id == begun.batch_id
    assert again.advice == ()
    with pytest.raises(ChangedProblemError, match="scales"):
        solve(u_and_v, {**inputs, "a": log(1e-3, 10)}, GOALS, name="linear", progress=False)


def test_an_end_by_evidence_is_the_default_and_a_larger_budget_goes_on() -> None:
    def bowl(a: float, b: float) -> float:
        return 1 + (a - 3) ** 2 + (b - 4) ** 2

    goals = {"u": minimize(0)}
    first = solve(bowl, INPUTS, goals, budget=20, progress=False)
    assert first.status == "stopped"
    assert len(first.history) < 20
    assert solve(bowl, INPUTS, goals, budget=20, progress=False).batch_id == first.batch_id
    more = solve(bowl, INPUTS, goals, budget=24, progress=False)
    assert (more.status, len(more.history)) == ("exhausted", 24)
    assert solve(bowl, INPUTS, goals, budget=24, progress=False).batch_id == more.batch_id


def test_an_end_by_evidence_is_switched_off() -> None:
    result = solve(lambda a, b: 1 + (a - 3) ** 2 + (b - 4) ** 2, INPUTS, {"u": minimize(0)}, budget=20, stop=False, progress=False)
    assert (result.status, len(result.history)) == ("exhausted", 20)


def test_another_open_batch_is_left() -> None:
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        if len(calls) in (3, 6):
            raise KeyboardInterrupt
        return u_and_v(a, b)

    for goals in (GOALS, {"u": below(20), "v": within(13, 0.1)}):
        with pytest.raises(KeyboardInterrupt):
            solve(black_box, INPUTS, goals, cases=6, parallel=1, progress=False)
    batch_id = json.loads((journal_of().parent / "problem.json").read_text())["batches"][-1]["id"]
    with Backsolve() as client:
        client.pause_batch(batch_id)
    result = solve(black_box, INPUTS, {"u": below(20), "v": within(13, 0.1)}, cases=6, parallel=2, progress=False)
    assert result.satisfied


def test_one_process_at_a_time() -> None:
    result = solve(u_and_v, INPUTS, GOALS, name="held", progress=False)
    assert result.satisfied
    held = Folder(Path(".backsolve"), journal_of().parent.name)
    with pytest.raises(BusyError):
        solve(u_and_v, INPUTS, GOALS, name="held", progress=False)
    held.close()


def test_aspirations_out_of_reach_are_explained() -> None:
    result = solve(u_and_v, INPUTS, {"u": minimize(-5), "v": maximize(1000)}, stop=True, budget=40, progress=False)
    assert result.status == "stopped"
    assert result.diagnosis is not None
    assert "out of reach" in str(result)
    assert "ends immediately" in str(result)


def test_goals_without_aspiration() -> None:
    result = solve(u_and_v, INPUTS, {"u": minimize(), "v": maximize()}, budget=9, cases=4, progress=False)
    assert result.status == "exhausted"
    assert len(result.history) == 9
    assert result.best is not None
    assert result.best.kind == "suggested"


def test_exact_goals_and_other_options() -> None:
    result = solve(
        u_and_v, INPUTS, {"u": exact(12), "v": exact(13)}, options={"desiredL1Norm": 0.01}, weights={"u": 2}, budget=60, progress=False
    )
    assert result.satisfied
    assert [run.worst_miss for run in result.history][-1] == 0
    assert all((run.worst_miss or 0) > 0 for run in result.history[:-1])


def test_noise_and_a_fixed_input() -> None:
    generator = np.random.default_rng(1)

    def noisy(a: float, b: float) -> dict[str, float]:
        return {name: value + generator.normal(0, 0.05) for name, value in u_and_v(a, b).items()}

    goals = {"u": within(12, 1), "v": within(13, 1)}
    result = solve(noisy, INPUTS, goals, noise={"u": 0.05, "v": 0.05}, confidence=0.9, fixed={"b": 3}, budget=60, progress=False)
    assert result.satisfied
    assert result.best is not None
    assert result.best.input["b"] == 3


def test_everything_fails() -> None:
    def broken(a: float, b: float) -> dict[str, float]:
        raise NameError("name 'x' is not defined")

    result = solve(broken, INPUTS, GOALS, cases=25, parallel=4, progress=False)
    assert result.status == "failed"
    assert result.best is None
    assert {run.failure for run in result.history} == {"NameError: name 'x' is not defined"}
    assert result.history.to_pandas()["failure"].notna().all()
    assert result.reason is not None
    result.plot()


@pytest.mark.parametrize("name", ["f", "Tc", "k1", "abc"])
def test_a_name_of_one_to_three_letters_is_taken(name: str) -> None:
    output = name.swapcase()
    result = solve(lambda given: {output: given[name] ** 2}, {name: (0, 3)}, {output: within(2, 0.01)}, name=name, progress=False)
    assert result.satisfied
    assert result.name == name


def test_no_name_is_taken_for_another_one() -> None:
    for returned in ("yy", "Y", "z"):
        with pytest.raises(OutputError, match=f"The output has no y; it has {returned}"):
            solve(lambda x, returned=returned: {returned: x}, {"x": (0, 3)}, {"y": within(2, 0.01)}, name=returned, progress=False)
    with pytest.raises(problems.ValidationFailedError, match="fixed: tc is not an input; did you mean Tc"):
        solve(lambda given: given["Tc"], {"Tc": (0, 3)}, {"y": within(2, 0.01)}, name="tc", fixed={"tc": 1}, progress=False)


def test_a_wrong_address_ends_it_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "CONNECT_SECONDS", 0.5)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=r"Check the address, and whether the service runs\."):
            solve(u_and_v, INPUTS, GOALS, url=url, api_key="bks_any", progress=False)


def test_who_sees_no_progress_is_told_what_is_waited_for(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    silent = make_progress("mine", None, False, lambda: {})
    with FaultyServer(service.url, [RESET] * 7) as server:
        told = teller(silent.note, silent.warn)
        with Backsolve(server.url, service.key, first_delay=0.001, on_retry=told) as client:
            client.list_models()
    (warning,) = caplog.records
    assert re.match(r"mine: retrying in \d+\.\d s: No answer from ", warning.getMessage())


def test_mistakes_end_it_at_once() -> None:
    calls = []

    def wrong(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        return {"u": 1}

    with pytest.raises(OutputError, match="no v"):
        solve(wrong, INPUTS, GOALS, progress=False)
    assert len(calls) == 1
    with pytest.raises(TypeError, match="must take the inputs a, b"):
        solve(lambda x, y: 1, INPUTS, GOALS, progress=False)
    with pytest.raises(problems.ValidationFailedError, match="cases: must be at most 10000"):
        solve(u_and_v, INPUTS, GOALS, name="too many", cases=10**6, progress=False)
    for wrong_call in ({"parallel": 0}, {"local": True, "url": "http://x"}):
        with pytest.raises(ValueError, match="parallel|local"):
            solve(u_and_v, INPUTS, GOALS, **wrong_call)


def test_a_function_without_a_signature() -> None:
    assert solve(max, {"x": (0, 1)}, {"y": within(1, 0.1)}, name="dictionary", budget=20, progress=False, cases=2).status != "satisfied"


def test_a_url_is_needed_without_a_local_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BACKSOLVE_URL")
    with pytest.raises(ValueError, match="Give the url"):
        solve(u_and_v, INPUTS, GOALS, local=False)


def test_a_problem_that_the_service_no_longer_has() -> None:
    solve(u_and_v, INPUTS, GOALS, progress=False)
    record = journal_of().parent / "problem.json"
    known = json.loads(record.read_text())
    known["batches"][-1]["id"] = 10**9
    record.write_text(json.dumps(known))
    with pytest.raises(ChangedProblemError, match="no longer has this problem"):
        solve(u_and_v, INPUTS, GOALS, progress=False)


def test_broken_connections_cost_nothing(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append(a)
        return u_and_v(a, b)

    with FaultyServer(service.url, [PASS, *[PASS, RESET] * 8]) as server:
        result = solve(black_box, INPUTS, GOALS, url=server.url, api_key=service.key)
    assert result.satisfied
    assert len(calls) == len(result.history)
    assert "retrying in" in capsys.readouterr().err


def test_on_run_is_told_of_every_run_and_of_those_of_earlier_calls() -> None:
    def black_box(a: float, b: float) -> dict[str, float]:
        if a > 9:
            raise ValueError("too large")
        return {"u": a * b, "v": a + 3 * b}

    def play(budget: int) -> tuple[list[tuple[Run, str]], Result]:
        told: list[tuple[Run, str]] = []
        return told, solve(
            black_box, INPUTS, GOALS, cases=4, budget=budget, progress=False, on_run=lambda run, problem: told.append((run, problem))
        )

    first, _ = play(6)
    second, result = play(60)
    assert len(first) == 6
    assert [run.id for run, _ in second][:6] == [run.id for run, _ in first]
    ids = [run.id for run, _ in second]
    assert len(set(ids)) == len(ids)
    assert sorted(ids) == sorted(run.id for run in result.history)
    assert len({problem for _, problem in first + second}) == 1


def test_an_exception_of_on_run_ends_the_call_and_nothing_is_lost() -> None:
    calls = []

    def black_box(a: float, b: float) -> dict[str, float]:
        calls.append((a, b))
        return {"u": a * b, "v": a + 3 * b}

    def refuse(_run: Run, _problem: str) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        solve(black_box, INPUTS, GOALS, progress=False, on_run=refuse)
    told: list[str] = []
    result = solve(black_box, INPUTS, GOALS, progress=False, on_run=lambda run, _: told.append(run.id))
    assert len(calls) == len(set(calls)) == len(result.history) == len(told)
