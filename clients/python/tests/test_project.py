"""Ask and tell, synchronously and not, on the service."""

from __future__ import annotations

import asyncio

import pytest

from backsolve import AsyncBacksolve, AsyncEvaluation, AsyncProject, Backsolve, Evaluation, Project, choice, problems, within

INPUTS = {"a": (0, 10), "b": (0, 10)}
GOALS = {"u": within(12, percent=1), "v": within(13, percent=1)}


def u_and_v(a: float, b: float) -> dict[str, float]:
    return {"u": a * b, "v": a + 3 * b}


def run(evaluation: Evaluation | AsyncEvaluation) -> dict[str, float]:
    return u_and_v(float(evaluation.input["a"]), float(evaluation.input["b"]))


def test_ask_and_tell(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, GOALS, name="Ask and tell", parallel=2, budget=60)
    count = 0
    while asked := project.ask(2):
        count += len(asked)
        for evaluation in asked:
            project.tell(evaluation, run(evaluation))
    result = project.result()
    assert result.satisfied
    assert not project.is_open()
    assert len(result.history) == count
    assert result.best is not None
    assert result.best.is_satisfied
    assert "Ask and tell: Satisfied" in str(result)
    assert "Ask and tell" in repr(project)


def test_open_from_elsewhere(client: Backsolve) -> None:
    project = Project.create(client, {"x": (0, 1), "m": choice("steel", "brass")}, {"y": within(1, 0.1)}, name="Opened", key="opened once")
    again = Project.create(client, {"x": (0, 1), "m": choice("steel", "brass")}, {"y": within(1, 0.1)}, name="Opened", key="opened once")
    assert again.place == project.place
    opened = Project.open(client, project.place.batch_id)
    (evaluation,) = opened.ask()
    assert evaluation.input["m"] in ("steel", "brass")
    assert evaluation.numbers[1] in (1, 2)
    assert opened.name == "Opened"
    assert opened.result().status == "running"
    assert "Opened: running" in str(opened.result())
    evaluation.release()
    project.cancel()
    assert project.ask() == []
    assert project.result().status == "cancelled"


def test_a_block_keeps_and_ends_its_lease(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, GOALS, cases=2, parallel=3, tries=1)
    first, second = project.ask(2)
    with pytest.raises(ZeroDivisionError), first:
        raise ZeroDivisionError("by zero")
    assert first.is_over
    with second:
        assert second.heartbeat()
    assert second.is_over
    (third,) = project.ask()
    assert third.id == second.id
    with pytest.raises(KeyboardInterrupt), third:
        raise KeyboardInterrupt
    for evaluation in project:
        with evaluation:
            evaluation.tell(run(evaluation))
        assert evaluation.is_over
    failed = [each for each in project.result().history if each.output is None]
    assert [each.failure for each in failed] == ["ZeroDivisionError: by zero"]


def test_a_lease_is_renewed(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, GOALS, lease_seconds=5)
    (evaluation,) = project.ask()
    project.lease_seconds = 0
    beaten = [0]
    original = evaluation.heartbeat

    def heartbeat() -> bool:
        beaten[0] += 1
        return original()

    with evaluation:
        evaluation.heartbeat = heartbeat  # type: ignore[method-assign]
        while beaten[0] < 2:
            assert evaluation.is_wanted
        evaluation.tell(run(evaluation))


def test_failures_and_lost_leases(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, GOALS, parallel=2, tries=2)
    first, second = project.ask(2)
    assert first.fail("no licence", retry=True).state == "waiting"
    assert second.tell([float("nan"), 1]).state == "failed"
    assert second.tell([1, 1]).state == "lost"
    assert not second.heartbeat()
    assert first.seconds > 0
    assert "Evaluation(" in repr(first)
    assert project.ask(1, wait=False) == []
    project.cancel()


def test_corrections(client: Backsolve) -> None:
    project = Project.create(client, INPUTS, GOALS)
    told = []
    for evaluation in project:
        told.append(evaluation)
        if len(told) == 1:
            with pytest.raises(ValueError, match="not complete yet"):
                project.correct(evaluation, output=[1, 1], reason="too early")
        output = run(evaluation)
        # The first output is wrong, and is corrected once the search has begun.
        evaluation.tell({"u": 0, "v": 0} if len(told) == 1 else output)
        if len(told) == 3:
            project.correct(told[0], output=run(told[0]), reason="decimal point")
            project.correct(evaluation, excluded=True, reason="sensor")
            project.correct(evaluation, excluded=False, reason="sensor was right")
    result = project.result()
    assert result.satisfied
    assert result.history[0].output == pytest.approx(run(told[0]))
    with pytest.raises(problems.ReopeningNeededError):
        project.correct(result.history[-1], failed=True, reason="wrong file")
    project.correct(result.history[-1], output=[5, 5], reason="wrong file", reopen=True)
    assert project.result().status == "running"
    with pytest.raises(ValueError, match="states one thing"):
        project.correct(told[0], reason="nothing")
    with pytest.raises(ValueError, match="failed=True"):
        project.correct(told[0], output=[float("nan"), 1], reason="nothing")
    project.cancel()


def test_asynchronously() -> None:
    async def search() -> None:
        async with AsyncBacksolve() as client:
            project = await AsyncProject.create(client, INPUTS, GOALS, name="Asynchronous", parallel=2, lease_seconds=60)
            first, second = await project.ask(2)
            with pytest.raises(ValueError, match="no output"):
                async with first:
                    raise ValueError("no output")
            async with second:
                assert await second.heartbeat()
            opened = await AsyncProject.open(client, project.place.batch_id)
            (third,) = await opened.ask()
            opened.lease_seconds = 0
            beaten = asyncio.Event()
            original = third.heartbeat

            async def heartbeat() -> bool:
                beaten.set()
                return await original()

            third.heartbeat = heartbeat  # type: ignore[method-assign]
            async with third:
                await beaten.wait()
                await third.tell(run(third))
            opened.lease_seconds = 60
            (fourth,) = await opened.ask(1)
            await fourth.release()
            count = 0
            async for evaluation in project:
                count += 1
                async with evaluation:
                    await evaluation.tell(run(evaluation))
            assert not await project.is_open()
            result = await project.result()
            assert result.satisfied
            await project.correct(result.history[0], failed=True, reason="never ran")
            assert len(result.history) == count + 2
            await project.cancel()

    asyncio.run(search())


def test_a_failure_asynchronously() -> None:
    async def search() -> None:
        async with AsyncBacksolve() as client:
            project = await AsyncProject.create(client, INPUTS, GOALS)
            (evaluation,) = await project.ask()
            assert (await evaluation.fail("no mesh")).state == "failed"
            await project.cancel()
            assert await project.ask() == []

    asyncio.run(search())
